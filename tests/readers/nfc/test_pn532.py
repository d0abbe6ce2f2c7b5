"""A PN532 over its serial line: the frames of NXP's manual, and a module that we play ourselves
behind a pseudo-terminal."""

from __future__ import annotations

import argparse
import os
import pty
import queue
import select
import sys
import threading
import tty
from contextlib import suppress

import pytest

from companion.commands import pads, tags
from companion.equipment import board as own_pads
from companion.evening.card_readers import open_own_pads
from companion.language import LANGUAGES
from companion.readers.nfc import pn532
from companion.readers.nfc.pn532 import AnswerParser, Pn532Reader, decode_tag_ids, encode_frame
from companion.readers.rfid.events import ReaderProblem
from companion.readers.rfid.tag_enrolment import TagDialogue
from companion.rules.messages import Problem
from companion.table.decks import Deck
from companion.table.identification import Pad
from companion.table.pad_plan import load_pads
from companion.table.sightings import Sighting
from companion.texts import Translator
from tests.readers.nfc.told import Told
from tests.simulated.lock_step import card

ACK = bytes.fromhex("0000ff00ff00")


def answer(code, data):
    body = bytes([0xD5, code]) + data
    return (
        bytes.fromhex("0000ff") + bytes([len(body), -len(body) & 0xFF]) + body + bytes([-sum(body) & 0xFF, 0])
    )


def listed(*tags):
    out = bytes([len(tags)])
    for number, tag in enumerate(tags, 1):
        uid = bytes.fromhex(tag.hex())
        out += bytes([number, 0x00, 0x44, 0x00, len(uid)]) + uid
    return out


def test_commands_are_the_manual_s():
    assert encode_frame(b"\x02").hex() == "0000ff02fed4022a00"
    assert encode_frame(pn532.NORMAL_MODE).hex() == "0000ff05fbd4140114010200"
    assert encode_frame(bytes([0x4A, 1, 0])).hex() == "0000ff04fcd44a0100e100"


def test_answers_come_whole_whatever_pieces_they_come_in():
    line = ACK + bytes.fromhex("0000ff06fad50332010607e800") + ACK + answer(0x4B, listed(card(1)))
    whole = list(AnswerParser().feed(line))
    answers = AnswerParser()
    pieces = [found for byte in line for found in answers.feed(bytes([byte]))]
    assert pieces == whole
    assert [code for code, _ in whole] == [0x03, 0x4B]
    assert whole[0][1].hex() == "32010607", "PN532, firmware 1.6, as its makers' board answers"


def test_a_damaged_answer_is_dropped_and_the_next_is_read():
    spoilt = bytearray(answer(0x4B, listed(card(1))))
    spoilt[12] ^= 0xFF
    answers = AnswerParser()
    assert list(answers.feed(bytes(spoilt) + answer(0x4B, listed()))) == [(0x4B, b"\x00")]
    assert answers.dropped > 0


@pytest.mark.parametrize("data", [b"", b"\x01", listed(card(1))[:-1], b"\x01\x01\x00\x44\x00\x05abcde"])
def test_a_list_that_is_cut_short_says_nothing(data):
    assert decode_tag_ids(data) is None


def test_a_card_with_an_ats_does_not_hide_the_one_behind_it():
    first = (
        bytes([1, 0x03, 0x44, 0x20, 7])
        + bytes.fromhex(card(1).hex())
        + bytes.fromhex("0675778102 80".replace(" ", ""))
    )
    second = bytes([2, 0x00, 0x44, 0x00, 7]) + bytes.fromhex(card(2).hex())
    assert decode_tag_ids(b"\x02" + first + second) == [card(1), card(2)]


class Module:
    """A module at the other end of a pseudo-terminal, as the manual says it behaves."""

    def __init__(self):
        self._own, self._theirs = pty.openpty()
        tty.setraw(self._theirs)
        self.port = os.ttyname(self._theirs)
        self.cards, self.mute, self._ending = [], False, False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        heard = b""
        while not self._ending:
            if not select.select([self._own], [], [], 0.02)[0]:
                continue
            with suppress(OSError):
                heard += os.read(self._own, 256)
            while (
                (at := heard.find(b"\x00\xff")) >= 0
                and len(heard) >= at + 4
                and len(heard) >= at + 6 + heard[at + 2]
            ):
                body, heard = heard[at + 4 : at + 4 + heard[at + 2]], heard[at + 6 + heard[at + 2] :]
                said = {0x02: bytes.fromhex("32010607"), 0x4A: listed(*self.cards[:2])}.get(body[1], b"")
                if not self.mute:
                    os.write(self._own, ACK + answer(body[1] + 1, said))

    def end(self):
        self._ending = True
        self._thread.join()
        os.close(self._own)
        os.close(self._theirs)


@pytest.fixture
def module():
    module = Module()
    yield module
    module.end()


@pytest.fixture
def told(module, monkeypatch):
    monkeypatch.setattr(pn532.Pn532Reader, "retry_delays", (0.05,))
    monkeypatch.setattr(pn532, "PN532_TIMEOUT", 0.3)
    told = Told()
    names = {card(1).hex(): "load:red:7", card(2).hex(): "load:red:8"}
    reader = Pn532Reader(module.port, names.get, {module.port: Pad("seat:1", face_down=True)})
    reader.start(told.put)
    yield told
    reader.close()


def test_cards_come_and_go_at_the_place_of_the_port(module, told):
    assert told.health("reader.pad.placed").state == "ok"
    module.cards = [card(1)]
    came = told.next(Sighting)
    assert (came.design, came.where, came.face) == ("load:red:7", "seat:1", "down")
    module.cards = [card(1), card(2)]
    while told.next(Sighting).design != "load:red:8":
        pass
    module.cards = []
    assert not told.next(Sighting).present


def test_a_module_that_falls_silent_is_lost_and_takes_no_card_with_it(module, told):
    module.cards = [card(1)]
    came = told.next(Sighting)
    module.mute = True
    assert told.health("reader.pn532.silent").state == "lost"
    module.mute = False
    told.health("reader.pad.placed")
    again = told.next(Sighting)
    assert (again.track, again.present) == (came.track, True)


# ---- the commands ----


def test_its_place_is_given_by_a_tap_as_with_other_readers(module, tmp_path, monkeypatch, capsys):
    own, theirs = os.pipe()
    typed = os.fdopen(own)
    monkeypatch.setattr(sys, "stdin", typed)
    parser = argparse.ArgumentParser()
    pads.add_arguments(parser)
    file = tmp_path / "pads.toml"
    words = ["--reader", f"pn532={module.port}", "--players", "Ann", "--file", str(file)]
    module.cards = [card(1)]
    asking = threading.Thread(target=pads.run, args=(parser.parse_args(words),))
    asking.start()
    while "middle" not in capsys.readouterr().out:
        asking.join(0.05)
    os.write(theirs, b"s\n")
    asking.join()
    os.close(theirs)
    typed.close()
    assert load_pads(file) == {module.port: Pad("seat:1")}


def test_cards_get_their_tags_at_it(module):
    table = TagDialogue(Deck.load_builtin("donkey_valley"), lambda _deck: None, "load:red")
    read = queue.SimpleQueue()
    reader = tags._start_reader(f"pn532={module.port}", table, read.put, Translator("en"))
    module.cards = [card(1)]
    assert read.get(timeout=20) == card(1)
    reader.close()


def test_the_check_of_the_equipment_says_how_it_is(module, tmp_path, monkeypatch):
    monkeypatch.setattr(own_pads, "OBSERVATION_TIME", 0.5)
    monkeypatch.setattr(pn532, "PN532_TIMEOUT", 0.2)
    for mute, code in ((False, "reader.pad.unplaced"), (True, "reader.pn532.silent")):
        module.mute = mute
        bench = own_pads.PadDeviceBench(
            lambda plan: open_own_pads(f"pn532={module.port}", {}.get, plan),
            "pn532",
            tmp_path / "none.toml",
            lambda _tag: None,
        )
        (found,) = bench.observe_devices()
        bench.close()
        assert (found.text.code, found.verdict) == (code, "fault" if mute else "ok")


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_a_port_it_is_asked_for(language):
    with pytest.raises(ReaderProblem) as caught:
        open_own_pads("pn532", {}.get, {})
    assert "pn532=/dev/ttyUSB0" in Translator(language).translate(caught.value.text)


def test_another_word_is_no_reader_for_the_pads_command():
    with pytest.raises(Problem) as caught:
        list(pads._open_readers(["auto"]))
    assert caught.value.text.code == "pads.board"
