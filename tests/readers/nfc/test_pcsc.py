"""PC/SC readers: the real `pcscd`, its virtual readers, and cards that come and go while people
play."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from companion.language import LANGUAGES
from companion.readers.nfc import pcsc
from companion.readers.nfc.pcsc import PcscReader
from companion.readers.rfid.events import ReaderProblem
from companion.table.identification import Pad
from companion.table.sightings import Sighting
from companion.texts import Translator
from tests.readers.nfc.told import Told
from tests.simulated.lock_step import card
from tests.simulated.virtual_pcsc import DEVICES

NAMES = {card(1).hex(): "donkey:giant", card(2).hex(): "load:red:7"}
PLAN = {DEVICES[0]: Pad("seat:1", face_down=True), DEVICES[1]: Pad("middle")}


@pytest.fixture
def told():
    return Told()


@pytest.fixture
def reader(pcscd, told, monkeypatch):
    monkeypatch.setattr(pcsc, "POLL_INTERVAL", 0.1)
    reader = PcscReader(NAMES.get, PLAN)
    reader.start(told.put)
    yield reader
    reader.close()


def test_each_reader_is_a_pad_with_a_zone_of_its_own(reader, pcscd, told):
    assert [told.health("reader.pad.placed").reader for _ in DEVICES] == ["rfid pcsc 1", "rfid pcsc 2"]
    giant = pcscd.lay(1, card(1))
    came = told.next(Sighting)
    assert (came.design, came.where, came.face, came.reader) == (
        "donkey:giant",
        "middle",
        "up",
        "rfid pcsc 2",
    )
    load = pcscd.lay(0, card(2))
    sealed = told.next(Sighting)
    assert (sealed.design, sealed.where, sealed.face) == ("load:red:7", "seat:1", "down")
    giant.take()
    gone = told.next(Sighting)
    assert (gone.track, gone.present, gone.design) == (came.track, False, None)
    load.take()


def test_a_reader_that_beeps_is_told_once_not_to(reader, pcscd, told):
    first = pcscd.lay(1, card(1))
    came = told.next(Sighting)
    first.take()
    assert not told.next(Sighting).present
    second = pcscd.lay(1, card(2))
    assert told.next(Sighting).track != came.track
    second.take()
    assert not told.next(Sighting).present
    assert first.asked == [bytes(pcsc.GET_UID), bytes(pcsc.NO_BEEP)]
    assert second.asked == [bytes(pcsc.GET_UID)]


def test_a_card_of_no_deck_and_one_that_gives_no_id_are_cards_of_no_design(reader, pcscd, told):
    stranger = pcscd.lay(1, card(9))
    assert told.next(Sighting).design is None
    stranger.take()
    assert not told.next(Sighting).present
    mute = pcscd.lay(1, card(1), answer=b"\x6a\x81")
    found = told.next(Sighting)
    assert (found.design, found.present) == (None, True)
    mute.take()


def test_a_service_that_dies_takes_no_card_away_and_names_what_lies_there_when_it_is_back(
    reader, pcscd, told
):
    giant = pcscd.lay(1, card(1))
    before = told.next(Sighting)
    pcscd.stop()
    assert told.health("reader.pcsc.no_service").state == "lost"
    giant.take()
    pcscd.start()
    again = pcscd.lay(1, card(1))
    told.health("reader.pad.placed")
    after = told.next(Sighting)
    assert (after.track, after.design, after.present) == (before.track, "donkey:giant", True)
    again.take()
    assert not told.next(Sighting).present


def test_readers_that_are_plugged_in_later_are_found(reader, pcscd, told):
    """The virtual driver cannot plug one in while the service runs: it is started anew, with none
    and then with two."""
    pcscd.stop()
    pcscd.start(readers=False)
    assert told.health("reader.pcsc.none").state == "lost"
    pcscd.stop()
    pcscd.start()
    assert told.health("reader.pcsc.ok").text.args["count"] == 2
    pcscd.lay(1, card(1)).take()


def test_close_returns_while_it_waits_for_a_card(reader, told):
    told.health("reader.pcsc.ok")
    reader.close()
    assert reader._service._context is None


def test_the_kernels_own_driver_is_named(tmp_path):
    (tmp_path / "pn533_usb").mkdir()
    assert pcsc.find_blocking_driver(tmp_path) is None
    (tmp_path / "pn533_usb" / "1-1.4:1.0").touch()
    assert pcsc.find_blocking_driver(tmp_path) == "pn533_usb"


# ---- what the virtual readers cannot do: the service's codes, as pcsclite.h has them ----


def service(**answers):
    """A conversation in which the service gives these answers."""
    made = object.__new__(pcsc.PcscService)
    made._context, made._silent = 1, set()
    names = dict.fromkeys(("SCardReleaseContext", "SCardDisconnect"), lambda *_: 0)
    protocols = {
        "SCARD_SHARE_SHARED": 2,
        "SCARD_PROTOCOL_T0": 1,
        "SCARD_PROTOCOL_T1": 2,
        "SCARD_LEAVE_CARD": 0,
    }
    made._scard = SimpleNamespace(
        **names, **protocols, **{name: lambda *_, said=said: said for name, said in answers.items()}
    )
    return made


@pytest.mark.parametrize("state", [0x0004 | 0x0002, 0x0008 | 0x0002, 0x0004 | 0x0008 | 0x0002])
def test_a_reader_that_was_pulled_out_says_nothing_of_its_card(state):
    pulled = service(SCardGetStatusChange=(0, [("left", state, []), ("right", 0x10022, [])]))
    assert pulled.wait_for_changes({"left": 0x10020, "right": 0x10}, 1.0) == {"right": 0x10020}


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (0x8010001D, "reader.pcsc.no_service"),
        (0x8010001E - (1 << 32), "reader.pcsc.no_service"),
        (0x8010006A, "reader.pcsc.forbidden"),
        (0x80100001, "reader.pcsc.fault"),
    ],
)
def test_every_fault_of_the_service_is_a_sentence(number, code):
    with pytest.raises(ReaderProblem) as caught:
        service(SCardListReaders=(number, [])).list_devices()
    assert caught.value.text.code == code
    for language in LANGUAGES:
        words = Translator(language).translate(caught.value.text)
        assert "{" not in words
        assert code not in words


def test_a_reader_that_another_program_keeps_is_named():
    with pytest.raises(ReaderProblem) as caught:
        service(SCardConnect=(0x8010000B, 0, 0)).read_card_id("ACR122U 00 00")
    assert "ACR122U 00 00" in Translator("fr").translate(caught.value.text)


def test_a_slot_for_sim_cards_is_no_pad_and_no_reader_is_no_fault():
    names = [
        "ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] 00 00",
        "ACS ACR1252 Dual Reader [ACR1252 Dual Reader SAM] 01 00",
    ]
    assert service(SCardListReaders=(0, names)).list_devices() == names[:1]
    assert service(SCardListReaders=(0x8010002E, [])).list_devices() == []
