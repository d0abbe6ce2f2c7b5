"""A board's events as sightings: levels, not edges; unknown tags; faults; and nothing of a
face-down card in any words."""

from __future__ import annotations

import logging
import pickle
import re
import traceback
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from companion.readers.nfc.tag_pads import TagPads
from companion.readers.rfid import board as module
from companion.readers.rfid.events import (
    ButtonEvent,
    CardArrived,
    CardLeft,
    Connected,
    Identity,
    PadHealth,
    PadsSnapshot,
    PadState,
    ReaderFault,
    Refused,
    TagId,
)
from companion.readers.rfid.frames import EventFrame, Light, encode_frame
from companion.readers.rfid.ports import BoardLocator
from companion.readers.rfid.tag_enrolment import TagListError, import_csv
from companion.readers.rfid.wire import BoardConnection
from companion.rules.contract import Text
from companion.table.decks import Deck, Design
from companion.table.identification import Pad
from companion.table.sightings import Health, Press, Sighting
from companion.texts import Translator
from tests.readers.noted_board import NotedBoard
from tests.simulated.lock_step import card

NAMES = {card(1).hex(): "red-1", card(2).hex(): "red-2"}
IDENTITY = Identity(board=2, firmware=(1, 0, 0), boot=5, cause=1, capabilities=15, seats=3, pads=3)


@pytest.fixture
def told():
    return []


@pytest.fixture
def reader(told):
    reader = NotedBoard(NAMES.get)
    reader.attach(told.append)
    reader.handle_event(Connected(IDENTITY, True, 0.5))
    told.clear()
    return reader


def snapshot(*tags: tuple[TagId, ...], at: float = 1.0) -> PadsSnapshot:
    return PadsSnapshot(tuple(PadState(PadHealth(0), 0x92, t) for t in tags), frozenset(), 0, 0, 1, at)


def restarting(*, missed: bool, at: float) -> PadsSnapshot:
    return PadsSnapshot((PadState(PadHealth(6), 0),) * 3, frozenset(), 0, 0, 1, at, missed)


def test_a_pad_that_is_off_is_not_broken_and_needs_nobody():
    broken = {one.name for one in PadHealth if one.is_broken}
    assert broken == {"ABSENT", "STUCK_LOW", "UNKNOWN_CHIP", "MUTE", "MISO_DRIVEN"}
    assert {one.name for one in PadHealth if one.is_harmless} == {"WELL", "CLONE", "OFF"}


def test_a_board_that_starts_anew_takes_up_the_cards_that_lie_on_its_pads(reader, told):
    reader.handle_event(CardArrived(0, card(1), 100, 1.0))
    reader.handle_event(CardArrived(1, card(2), 100, 1.0))
    first = told[0].track
    told.clear()
    reader.handle_event(restarting(missed=True, at=4.0))
    reader.handle_event(CardArrived(0, card(1), 50, 4.1))
    reader.handle_event(ReaderFault(0, PadHealth(0), 0x92, 60, 4.1))
    reader.handle_event(ReaderFault(1, PadHealth(0), 0x92, 60, 4.2))
    last = {s.where: (s.present, s.track == first) for s in told if isinstance(s, Sighting)}
    assert last == {"1.seat1": (True, True), "1.seat2": (False, False)}, "the other was taken meanwhile"


def test_what_may_have_been_missed_is_said_until_people_go_on(reader, told):
    reader.handle_event(CardArrived(0, card(1), 100, 1.0))
    reader.handle_event(restarting(missed=True, at=4.0))
    reader.handle_event(CardArrived(0, card(1), 50, 4.1))
    states = [(h.state, h.text.code) for h in told if isinstance(h, Health)]
    assert states[-1] == ("look", "reader.rfid.look"), "the card that lay there is no news"
    reader.handle_event(ButtonEvent(2, "accept", True, 900, 6.0))
    assert [h.state for h in told if isinstance(h, Health)][-1] == "ok"


def test_a_snapshot_tells_only_what_is_new_and_what_is_gone(reader, told):
    reader.handle_event(CardArrived(0, card(1), 1, 1.0))
    reader.handle_event(CardArrived(1, card(9), 1, 1.0))
    told.clear()
    reader.handle_event(snapshot((card(1),), (), (card(2),)))
    assert [(s.where, s.design, s.present) for s in told] == [
        ("1.seat2", None, False),
        ("1.middle", "red-2", True),
    ]


def test_a_lost_line_takes_no_card_from_the_table(reader, told):
    reader.handle_event(CardArrived(0, card(1), 1, 1.0))
    told.clear()
    reader.handle_disconnect(Text("reader.rfid.silent", {"port": "/dev/ttyUSB0"}))
    (health,) = told
    assert isinstance(health, Health)
    assert health.state == "lost"


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("health", [2, 3, 4, 5, 6, 8, 9, 10])
def test_a_fault_is_said_in_words_with_its_cause(reader, told, health, language):
    reader.handle_event(ReaderFault(None if health == 10 else 1, PadHealth(health), 0x12, 1, 1.0))
    (report,) = told
    words = Translator(language).translate(report.text)
    assert report.text.code not in words
    assert "{" not in words
    assert health == 10 or "seat2" in words


def test_every_message_of_the_readers_exists_in_both_languages():
    sources = " ".join(p.read_text() for p in Path(module.__file__).parent.glob("*.py"))
    codes = set(re.findall(r'"((?:reader\.rfid|reader\.simulator|tags)\.[a-z_.]+[a-z])"', sources))
    codes |= {f"reader.rfid.pad.{code}" for code in (one.cause for one in PadHealth if one)}
    codes |= {"reader.rfid.silent", "reader.rfid.no_answer", "reader.rfid.foreign", "reader.rfid.unplugged"}
    codes |= {f"tags.{meaning}" for meaning in ("enrolled", "again", "taken", "random", "finished")}
    codes |= {f"reader.rfid.other_version.{older}" for older in ("board", "program")}
    assert len(codes) > 25
    for language in ("en", "fr"):
        catalogue = (
            Path(module.__file__).parents[2] / "locale" / language / "LC_MESSAGES" / "companion.po"
        ).read_text()
        missing = [code for code in sorted(codes) if f'msgid "{code}"' not in catalogue]
        assert not missing, f"{language}: {missing}"


# ---- sealed cards: what lies face down is in no words ----

SECRET = card(1)


def holders() -> list[object]:
    return [
        SECRET,
        CardArrived(0, SECRET, 1, 1.0),
        CardLeft(0, SECRET, 1, 1.0),
        PadState(PadHealth(0), 0x92, (SECRET,)),
        snapshot((SECRET,)),
        EventFrame(1, 2, 1, 0, 0, bytes.fromhex(SECRET.hex())),
    ]


@pytest.mark.parametrize("holder", holders(), ids=lambda h: type(h).__name__)
def test_no_repr_no_str_and_no_format_names_the_tag(holder):
    raw = bytes.fromhex(SECRET.hex())
    for words in (repr(holder), str(holder), f"{holder}", repr([holder]), repr({"x": holder})):
        assert SECRET.hex() not in words.lower()
        assert repr(raw) not in words
        assert "red-1" not in words


def test_no_encoder_writes_the_tag_by_accident():
    with pytest.raises(TypeError):
        msgspec.json.encode(CardArrived(0, SECRET, 1, 1.0))
    with pytest.raises(TypeError):
        pickle.dumps(SECRET)


def test_no_error_and_no_traceback_names_the_tag():
    deck = Deck(name="mine", game="donkey_valley", designs=(Design("red-1", "load:red:1"),))
    text = f"design,tag\nred-1,{SECRET.hex()}\nred-1,{SECRET.hex()}\n"
    said = []
    for wrong in (
        lambda: import_csv(deck, text),
        lambda: TagId.from_hex(SECRET.hex() + "0"),
        lambda: TagId.from_hex(SECRET.hex() + "zz"),
    ):
        try:
            wrong()
        except (TagListError, ValueError):
            said.append(traceback.format_exc())
    assert len(said) == 3
    assert all(SECRET.hex() not in words for words in said)


def test_nothing_is_logged(caplog):
    caplog.set_level(logging.DEBUG)
    wire = BoardConnection()
    wire.on_port_opened(0.0)
    wire.receive_bytes(
        b"\0" + encode_frame(bytes([3, 1, 0, 0, 0, 0, 0, 1, 0, 0, 7]) + bytes.fromhex(SECRET.hex())), 0.1
    )
    assert caplog.text == ""


def pads(*states, missed=False, at=4.0):
    return PadsSnapshot(
        tuple(PadState(PadHealth(health), 0x92, tags) for health, *tags in states),
        frozenset(),
        0,
        0,
        1,
        at,
        missed,
    )


def gone(told):
    return {one.where for one in told if isinstance(one, Sighting) and not one.present}


def test_a_card_is_gone_once_its_own_pad_has_looked(reader, told):
    reader.handle_event(CardArrived(0, card(1), 100, 1.0))
    reader.handle_event(CardArrived(1, card(2), 100, 1.0))
    reader.handle_event(CardArrived(2, card(3), 100, 1.0))
    reader.handle_event(pads((6,), (6,), (0,)))
    assert gone(told) == {"1.middle"}, "the others have not looked yet"
    reader.handle_event(ReaderFault(0, PadHealth(0), 0x92, 60, 4.2))
    assert gone(told) == {"1.middle", "1.seat1"}
    reader.handle_event(ReaderFault(1, PadHealth(0), 0x92, 60, 4.2))
    assert gone(told) == {"1.middle", "1.seat1", "1.seat2"}


def test_a_new_card_shows_that_people_have_gone_on(reader, told):
    reader.handle_event(pads((0,), (0,), (0,), missed=True))
    assert [(one.state, one.text.code) for one in told] == [("look", "reader.rfid.look")]
    reader.handle_event(CardArrived(1, card(2), 100, 5.0))
    states = [one.state for one in told if isinstance(one, Health)]
    assert states == ["look", "ok"]
    reader.handle_event(CardArrived(0, card(9), 100, 6.0))
    assert [one.state for one in told if isinstance(one, Health)] == states, "said once"
    assert reader.lights == [("seat1", Light.UNKNOWN)], "of a card that no deck has"


def test_where_a_card_lies_and_which_side_is_up_is_said_by_the_plan():
    told = []
    reader = NotedBoard(NAMES.get, 2, {"2.seat1": Pad("seat:1", face_down=True), "2.seat2": Pad("seat:2")})
    reader.attach(told.append)
    assert [reader.locate_pad(pad) for pad in (0, 1)] == [("2.pad1", "up"), ("2.pad2", "up")]
    reader.handle_event(Connected(IDENTITY, True, 0.5))
    assert [reader.locate_pad(pad) for pad in range(4)] == [
        ("2.seat1", "down"),
        ("2.seat2", "up"),
        ("2.middle", "up"),
        ("2.pad4", "up"),
    ]
    assert (reader.name, reader.pads) == ("rfid 2", ("seat1", "seat2", "middle"))


class Locating(BoardLocator):
    """A locator that notes what it is told."""

    def __init__(self):
        super().__init__()
        self.rejected = []

    def reject_port(self, *, is_foreign):
        self.rejected.append(is_foreign)


@pytest.mark.parametrize(
    ("code", "foreign"),
    [("reader.rfid.no_answer", True), ("reader.rfid.foreign", True), ("reader.rfid.silent", False)],
)
def test_a_port_that_does_not_answer_like_a_reader_is_another_device_s(told, code, foreign):
    locate = Locating()
    reader = module.BoardReader(locate, NAMES.get)
    reader.attach(told.append)
    for _ in range(2):
        reader.handle_disconnect(Text(code, {"port": "/dev/ttyUSB0"}))
    assert locate.rejected == [foreign, foreign]
    assert [(one.state, one.text.code) for one in told] == [("lost", code)], "said once"


@pytest.mark.parametrize(
    ("version", "older"), [((0, 9), "board"), ((1, 9), "board"), ((2, 0), "program"), ((2, 1), "program")]
)
def test_a_board_of_another_version_is_told_once_with_what_is_older(reader, told, version, older):
    for _ in range(2):
        reader.handle_event(Refused(version, (2, 0) if older == "board" else (1, 0), 1.0))
    (health,) = told
    assert (health.state, health.text.code) == ("lost", f"reader.rfid.other_version.{older}")
    assert health.text.args["board"] == ".".join(map(str, version))
    assert reader.health.state == "refused"


@pytest.fixture
def tray(told):
    places = TagPads("tray", NAMES.get, {"Card tray 7": Pad("seat:2", face_down=True)})
    places.tapped = []
    tray = module.TrayReader("Card tray 7", NAMES.get, places, lambda: {"Card tray 7": "/dev/ttyACM3"})
    tray.attach(told.append)
    return tray, places


def test_a_tray_is_a_pad_at_its_place_by_its_own_name(tray, told):
    tray, places = tray
    tray.handle_event(Connected(replace(IDENTITY, pads=1), True, 0.5))
    tray.handle_event(CardArrived(0, card(1), 100, 1.0))
    places.on_tag = lambda device, tag: places.tapped.append((device, tag))
    tray.handle_event(CardArrived(0, card(2), 100, 1.0))
    assert places.tapped == [("Card tray 7", card(2))]
    tray.handle_event(ButtonEvent(1, "refuse", True, 900, 6.0))
    assert (tray._locate(), tray.pads, tray.name) == ("/dev/ttyACM3", ("Card tray 7",), "rfid tray 1")
    cards = [(one.where, one.face) for one in told if isinstance(one, Sighting)]
    assert cards == [("seat:2", "down")] * 2
    assert [(one.seat, one.button) for one in told if isinstance(one, Press)] == [(2, "refuse")]
    assert told[0].text == places.describe_place("Card tray 7")


@pytest.mark.parametrize("code", ["reader.rfid.unplugged", "reader.rfid.no_board", "reader.rfid.brltty"])
def test_a_tray_that_is_gone_is_missed_by_its_name(tray, told, code):
    tray, _ = tray
    args = {"port": "/dev/ttyACM3"} if code.endswith("unplugged") else {}
    tray.handle_disconnect(Text(code, args))
    assert [one.text for one in told] == [Text("reader.pad.unplugged", {"device": "Card tray 7"})]
    tray.handle_disconnect(Text("reader.rfid.busy", {"port": "/dev/ttyACM3"}))
    assert told[-1].text.code == "reader.rfid.busy"


def test_a_board_of_several_pads_is_no_tray():
    reader = module.BoardReader("/dev/ttyUSB0", NAMES.get, only_pad="mine")
    reader.attach(lambda _report: None)
    reader.handle_event(Connected(IDENTITY, True, 0.5))
    assert reader.pads == ("seat1", "seat2", "middle")


def test_all_trays_are_looked_for_and_closed_together(monkeypatch, told):
    monkeypatch.setattr(module.TrayReader, "start", lambda tray, post: tray.attach(post))
    there, closed, looks = {}, [], iter(("", "Card tray 7", "Card tray 7 Card tray 8", ""))
    monkeypatch.setattr(module.TrayReader, "close", lambda tray: closed.append(tray._tray))
    reader = module.TraysReader(NAMES.get, {}, lambda: there)
    reader.attach(told.append)

    def wait(_seconds):
        there.clear()
        names = next(looks, None)
        there.update((f"Card tray {word}", "port") for word in (names or "").split() if word.isdigit())
        if names is None:
            reader._ending.set()

    monkeypatch.setattr(reader, "wait", wait)
    reader.serve_connection()
    assert [(one.state, one.text.code, one.text.args.get("count")) for one in told] == [
        ("lost", "reader.tray.none", None),
        ("ok", "reader.tray.ok", 1),
        ("ok", "reader.tray.ok", 2),
        ("lost", "reader.tray.none", None),
    ]
    reader.close()
    assert closed == ["Card tray 7", "Card tray 8"]
    other = module.TraysReader(NAMES.get, {}, lambda: there)
    other.close()
    assert other.is_ending
