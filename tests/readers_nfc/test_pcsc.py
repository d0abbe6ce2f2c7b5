"""PC/SC readers: the real `pcscd`, its virtual readers, and cards that come and go while people play."""

from __future__ import annotations

import pytest

from bench.reader_step import card
from bench.virtual_pcsc import DEVICES
from companion.readers.nfc import pcsc, scard
from companion.readers.nfc.pcsc import PcscReader
from companion.table.identification import Pad
from companion.table.sightings import Sighting
from tests.readers_nfc.told import Told

NAMES = {card(1).hex(): "donkey:giant", card(2).hex(): "load:red:7"}
PLAN = {DEVICES[0]: Pad("seat:1", face_down=True), DEVICES[1]: Pad("middle")}


@pytest.fixture
def told():
    return Told()


@pytest.fixture
def reader(pcscd, told, monkeypatch):
    monkeypatch.setattr(pcsc, "LOOK_EVERY", 0.1)
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
    """The virtual driver cannot plug one in while the service runs: it is started anew, with none and then with two."""
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
    assert scard.blocking_driver(tmp_path) is None
    (tmp_path / "pn533_usb" / "1-1.4:1.0").touch()
    assert scard.blocking_driver(tmp_path) == "pn533_usb"
