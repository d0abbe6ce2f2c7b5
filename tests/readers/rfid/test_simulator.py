"""The simulated board's driver when there is nothing to drive."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest

from companion.readers.rfid import simulator
from companion.readers.rfid.events import ReaderProblem
from companion.texts import Translator


@pytest.mark.parametrize("language", ["en", "fr"])
def test_without_the_tool_chain_it_says_what_to_install(monkeypatch, language):
    monkeypatch.setattr(simulator.shutil, "which", lambda name: None)
    board = simulator.SimulatedBoard()
    with pytest.raises(ReaderProblem) as caught:
        board.start()
    words = Translator(language).translate(caught.value.text)
    assert "g++" in words
    assert "make" in words


def test_without_the_sources_it_says_so(monkeypatch, tmp_path):
    monkeypatch.setenv("COMPANION_FIRMWARE", str(tmp_path))
    with pytest.raises(ReaderProblem) as caught:
        simulator.build_firmware("native")
    assert "firmware/" in caught.value.text.args["missing"]


def test_a_board_that_has_ended_says_so():
    with pytest.raises(ReaderProblem, match="simulator_ended"):
        simulator.SimulatedBoard().run_for(1)


def test_the_port_of_a_board_that_has_gone_is_nobody_elses():
    """A reader that looked for its board again wrote into another program's terminal."""
    with simulator.SimulatedBoard(realtime=False) as board:
        was = Path(board.port).resolve()
    terminals = [os.openpty() for _ in range(20)]
    try:
        assert was.exists(), "as a terminal of somebody else"
        assert not Path(board.port).exists()
    finally:
        for end in itertools.chain(*terminals):
            os.close(end)
