"""The README as a new user follows it: each command typed into a real terminal, with a film where
the camera would be.

A command that the README gains must gain its line in `TYPED` (or in `ELSEWHERE`, with the test that
tries it): the first test says so.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests import filmed
from tests.simulated.terminal import run

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals")

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Typed:
    """What to look for on the screen, and the keys that are pressed then, step by step; the command
    then ends by itself."""

    steps: tuple[tuple[str, str], ...]
    status: int = 0


LEAVE = ("Quit", "q")
TYPED = {
    "make play": Typed((("Demo table", "q"),)),
    "make play CAMERA=0": Typed((("A new evening", "Ann, Bob, Cy\r"), ("carries six", "q"))),
    "make play GAME=partners": Typed((LEAVE,)),
    "make play READER=simulated": Typed((LEAVE,)),
    'make play ARGS="--lang fr --theme high-contrast --voice"': Typed((("faveurs", "q"),)),
    "make play ARGS=--by-hand": Typed((("A new evening", "Ann, Bob, Cy\r"), LEAVE)),
    ".venv/bin/companion cards print --game donkey_valley --out sheets": Typed(()),
    ".venv/bin/companion calibrate": Typed((("▀", "\x1b"),), 1),
}
ELSEWHERE = {
    "make test": "this very run",
    "make bench": "test_figures_page.py, without make",
    "pipx install .": "test_wheel.py, by pip, as pipx does",
    "companion": "test_wheel.py",
}
"""Commands that other tests try, and where."""
FILM = {
    "CAMERA=0": "CAMERA={film}",
    ".venv/bin/companion calibrate": ".venv/bin/companion calibrate --camera {film}",
}
"""The one thing that is replaced: no camera is plugged in here."""


def commands() -> list[str]:
    """Return every command of the README: lines of its blocks without their comments, and what
    stands in backticks."""
    blocks = re.findall(r"```\n(.*?)```", README, re.DOTALL)
    lines = [line.split("  #")[0].strip() for block in blocks for line in block.splitlines()]
    words = re.findall(r"`((?:make|pipx|uv|\.venv/bin/companion) [^`]+)`", README)
    return sorted({command for command in (*lines, *words) if command})


def test_every_command_of_the_readme_is_tried() -> None:
    assert set(commands()) == set(TYPED) | set(ELSEWHERE)


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Film our own giant donkey, laid on a table after two seconds."""
    return filmed.film(tmp_path_factory.mktemp("film") / "table.avi", 31, 269)


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [pytest.param(one, marks=[pytest.mark.native] if "simulated" in one else []) for one in TYPED],
)
def test_it_does_what_the_readme_says(command: str, film: Path, tmp_path: Path) -> None:
    """By a new user, but for pictures of cards that other tests drew: `test_wheel.py` begins
    without."""
    words = command
    for said, instead in FILM.items():
        words = words.replace(said, instead.format(film=film))
    words = words.replace("--out sheets", f"--out {tmp_path / 'sheets'}")
    folders = {f"XDG_{kind}_HOME": str(tmp_path) for kind in ("DATA", "CONFIG")}
    typed = TYPED[command]
    with run(shlex.split(words), where=ROOT, **folders) as terminal:
        for what, keys in typed.steps:
            terminal.until(what, seconds=120)
            terminal.type(keys)
        assert terminal.end(60) == typed.status
        assert b"Traceback" not in terminal.written


def test_a_film_whose_name_has_blanks_is_one_word_for_make() -> None:
    line = ["make", "-n", "play", "CAMERA=our film.avi"]
    told = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert '--camera "our film.avi"' in told
