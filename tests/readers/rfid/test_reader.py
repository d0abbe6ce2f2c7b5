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
    TagId,
)
from companion.readers.rfid.frames import EventFrame, encode_frame
from companion.readers.rfid.tag_enrolment import TagListError, import_csv
from companion.readers.rfid.wire import BoardConnection
from companion.rules.contract import Text
from companion.table.decks import Deck, Design
from companion.table.sightings import Health, Sighting
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
