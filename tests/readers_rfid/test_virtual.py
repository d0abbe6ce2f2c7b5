"""A board that is not there, for players who have none: cards by their designs, through the real firmware."""

from __future__ import annotations

import queue
import time

import pytest

from companion.readers.rfid import simulator
from companion.readers.rfid.problems import ReaderProblem
from companion.readers.rfid.virtual import VirtualBoard, invented_tag, with_invented_tags
from companion.table.decks import Deck, Design
from companion.table.sightings import Health, Press, Sighting
from companion.texts import Translator

DECK = Deck(
    name="mine",
    game="donkey_valley",
    designs=(Design("red-1", "load:red:1"), Design("donkey", "donkey:small", copies=3)),
)


def next_of(told: queue.Queue, kind: type):
    end = time.monotonic() + 20
    while True:
        report = told.get(timeout=max(end - time.monotonic(), 0.01))
        if isinstance(report, kind):
            return report


@pytest.mark.simavr
def test_cards_and_keys_of_a_board_that_is_not_there():
    told: queue.Queue = queue.Queue()
    board = VirtualBoard(DECK, "nano")
    assert not board.put("middle", "red-1"), "nothing can be laid on it before it is ready"
    board.start(told.put)
    try:
        assert board.ready.wait(60)
        assert board.put("middle", "red-1")
        assert not board.put("seat1", "red-1"), "there is one such card"
        seen = next_of(told, Sighting)
        assert (seen.design, seen.where, seen.present) == ("red-1", "middle", True)
        board.accepted("middle")
        end = time.monotonic() + 20
        while board.lights["middle"] != "#004000" and time.monotonic() < end:
            time.sleep(0.01)
        assert board.lights["middle"] == "#004000"
        assert board.click(2, "refuse")
        press = next_of(told, Press)
        assert (press.seat, press.button) == (2, "refuse")
        assert board.take("middle")
        assert not next_of(told, Sighting).present
        assert board.lying("middle") == 0
    finally:
        board.close()
    assert not board.put("middle", "red-1")


def test_every_card_has_its_own_tag():
    deck, tags = with_invented_tags(DECK)
    flat = [tag for some in tags.values() for tag in some]
    assert len(flat) == len(set(flat)) == 4
    assert {deck.design_of_tag(tag.hex()) for tag in tags["donkey"]} == {"donkey"}
    assert invented_tag("donkey", 1) == tags["donkey"][1], "the same tag on another day"


@pytest.mark.parametrize("language", ["en", "fr"])
def test_without_the_tool_chain_it_says_what_to_install(monkeypatch, language):
    monkeypatch.setattr(simulator.shutil, "which", lambda name: None)
    told: queue.Queue = queue.Queue()
    board = VirtualBoard(DECK)
    board.start(told.put)
    said = next_of(told, Health)
    while said.state != "lost":
        said = next_of(told, Health)
    board.close()
    words = Translator(language).say(said.text)
    assert "avr-g++" in words
    assert "gcc-avr" in words
    with pytest.raises(ReaderProblem):
        simulator.build()
