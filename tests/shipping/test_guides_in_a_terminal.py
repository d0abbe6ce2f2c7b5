"""The guides' commands that stay on the screen, typed into a real terminal, until what the guide
promises stands there; then they are left as a player leaves them.

Each command is typed as it stands but for the last inch: a film is the camera, a simulated board's
line is the port, and a phone joins on this computer only. Commands that end by themselves run in
`test_guides.py`; what is tried nowhere in this folder has its reason in `ELSEWHERE`.
"""

from __future__ import annotations

import os
import re
import shlex
import ssl
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from companion.readers.rfid.events import TagId
from companion.readers.rfid.simulator import SimulatedBoard
from companion.table.decks import Deck
from tests import filmed
from tests.shipping.test_guides import RUN, commands
from tests.simulated.terminal import Terminal, run

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals")

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(rb"(https?://(?:127\.0\.0\.1|localhost):\d+/)")


class Stage(NamedTuple):
    """What a command has before it."""

    terminal: Terminal
    board: SimulatedBoard | None


def opens_its_page(stage: Stage) -> None:
    """Open the page that the terminal names, as a browser that trusts the evening's own
    certificate."""
    terminal = stage.terminal
    while not (found := LINK.search(terminal.written)):
        assert terminal.read(), terminal.written
    address = found[1].decode()
    trusting = ssl._create_unverified_context() if address.startswith("https") else None
    with urllib.request.urlopen(address, timeout=20, context=trusting) as page:
        assert b"<html" in page.read().lower()


def taps_a_sticker(stage: Stage) -> None:
    """Lay a new sticker on the middle pad."""
    assert stage.board is not None
    stage.board.put_tags("middle", TagId.from_hex("04a1b2c3d4e5f6"))


class Typed(NamedTuple):
    """What to look for on the screen, and the keys or the deed that follow, step by step; the
    command then ends by itself."""

    steps: tuple[tuple[str, str | Callable[[Stage], None]], ...]
    status: int = 0


LEAVE = ("Quit", "q")
TYPED = {
    "companion calibrate --mat": Typed((("table.toml", ""),)),
    "companion calibrate --camera phone": Typed(
        (("Use a phone as the camera", opens_its_page), ("Waiting for the phone", "\x03")), 130
    ),
    "companion enrol --deck my-deck/ --camera film.avi --plain": Typed((("Taken: ace of spades", "q\n"),)),
    "companion enrol --deck my-deck/ --sheet --first 7S": Typed((("from: 7 of spades", "q"),)),
    "companion pads --players Ann,Ben,Cleo": Typed((("in front of Ann", "q\n"),)),
    "companion play --share": Typed(
        (("Join in", "j"), ("Streaming program", opens_its_page), ("", "x"), ("Nobody can join", "q"))
    ),
    "companion referee --journal FILE": Typed(
        (
            ("", '{"do":"start","game":"dtc","players":["Ann","Bob"],"seed":7}\n'),
            ('"ok":true', "\x04"),
        )
    ),
    "companion check --reader trays --camera off": Typed((("Hold a card", "q"),)),
    "companion tags enrol --deck donkey_valley --reader auto": Typed(
        (("Tap", taps_a_sticker), ("Tap", "q\n"))
    ),
    "companion play --reader trays --players Ann,Ben,Cleo": Typed((LEAVE,)),
}
LAST_INCH = {
    "--reader auto": "--reader {port}",
    "--reader trays": "--reader {port}",
    "--mat": "--mat --camera film.avi",
    "--sheet": "--sheet --camera film.avi",
    "--camera phone": "--camera phone --share here",
}
ELSEWHERE = {
    "companion calibrate": "typed in test_readme.py",
    "companion cards print": "only named",
    "companion cards print --game donkey_valley": "typed in test_readme.py",
    "companion cards print --game partners": "the same; tests/decks looks at its board",
    "companion cards print --game donkey_valley --out sheets": "typed in test_readme.py",
    "companion cards print --game ascend --paper letter --lang fr --backs --out my-decktet": (
        "11 s of the processor; tests/decks/test_sheets.py draws such sheets"
    ),
    "companion check --camera phone": "the phone joins as for calibrate, above",
    "companion check --reader phone": "in Chromium: tests/share/test_in_chromium.py",
    "companion check --reader pcsc --camera off": "needs a reader's driver: tests/readers/nfc",
    "companion check --bench --reader trays": "the same, fewer steps",
    "companion pads --reader trays --players Ann,Ben,Cleo": "four trays: tests/readers/rfid/test_trays.py",
    "companion tags enrol --deck donkey_valley --reader trays": "typed with auto, above",
    "companion enrol --deck ... --camera phone": "the phone joins as for calibrate, above",
    "companion enrol --deck donkey_valley_52_seat --camera 0": "the film as above, on the screen",
    "companion enrol --deck donkey_valley_52_seat --any-order --from-photos photos/": (
        "tests/enrolment/test_enrol_command.py"
    ),
    "companion enrol --deck donkey_valley_52_seat --any-order --camera 0": "the same, before a camera",
    "companion enrol --deck my-deck/ --again 7S": "tests/enrolment/test_enrol_command.py",
    "companion play --deck any_52 --camera 0 --players Ann,Ben,Cleo": "tests/evening/test_any_pack.py",
    "companion play --deck pack_1 --camera 0 --players Ann,Ben,Cleo": "tests/evening/test_any_pack.py",
    "companion enrol --deck my-deck/ --from-photos photos/": "tests/enrolment/test_enrol_command.py",
    **{
        f"companion league {words}": "tests/league/test_league_commands.py"
        for words in (
            "export",
            "join",
            'join https://192.168.1.20:8650 CODE --table "Table 3"',
            "leave",
            "pair --game donkey_valley --seats 5",
            "rebuild",
            "serve --demo",
            "serve --host 127.0.0.1 --found-at https://league.example.org",
            'serve --name "Our club"',
            'serve --name "Notre club"',
            "status",
        )
    },
    'companion history 3 --place "at Zoé\'s" --note "rain"': "tests/views/test_home_screen.py",
    'companion history 3 --place "chez Zoé" --note "pluie"': "as in English",
    "companion history 3 --photo us.jpg --page evening.html": "tests/views/test_home_screen.py",
    "companion history 3 --photo nous.jpg --page soirée.html": "as in English",
    "companion people --call Bob Robert": "tests/views/test_home_screen.py",
    "companion flash": "on boards with their boot loaders: tests/readers/rfid/test_flash.py",
    "companion flash --reader /dev/ttyUSB0": "as above",
    "companion play --reader /dev/ttyUSB0 --players Ann,Ben": "needs a Nano; typed with trays, above",
    "companion pads --reader pn532=/dev/ttyUSB0 --reader pcsc": "needs both devices: tests/readers/nfc",
    "companion play --camera phone": "in Chromium: tests/share/test_in_chromium.py",
    "companion play --camera phone --players Ann,Bob,Chloé": "as above",
    "companion play --reader auto": "asks for the players first; else as above",
    "companion play --reader pcsc --players Ann,Ben,Cleo": "pcscd: tests/readers/nfc/test_pcsc_at_the_table.py",
    "companion play --reader phone ...": "the phone joins as for calibrate, above",
    "companion play --reader simulated": "typed in test_readme.py",
    "companion play --reader simulated --players Ann,Ben,Cleo": "typed in test_readme.py",
    "companion play --share network": "listens to the whole network; `--share` is typed above",
    "companion tags enrol --deck ... --reader phone": "in Chromium: tests/share/test_in_chromium.py",
    "companion tags enrol --deck donkey_valley --only load:red:7": "the same, fewer cards",
    "companion tags enrol --deck donkey_valley --reader pcsc": "needs a reader's driver: tests/readers/nfc",
}
"""Commands that are not typed here, and why; of a French guide, only what no English one has."""
IN_FRENCH = {"mon-jeu/": "my-deck/", "mon-decktet": "my-decktet", "FICHIER": "FILE", " --lang fr": ""}
"""What a French guide says for an English one's words: its command is the same but for these."""


def test_every_command_of_the_guides_is_run_or_has_its_reason() -> None:
    known = {*RUN, *TYPED, *ELSEWHERE}
    whole = {command for command in commands() if len(command.split()) > 2}
    assert {_in_english(one) for one in whole} <= {_in_english(one) for one in known}
    assert known <= {*commands()}


def _in_english(command: str) -> str:
    for french, english in IN_FRENCH.items():
        command = command.replace(french, english)
    return command


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a deck that nobody has enrolled yet, and a film of a card on a table."""
    folder = tmp_path_factory.mktemp("home")
    Deck.load_builtin("donkey_valley_52_seat").save(folder / "my-deck")
    filmed.film(folder / "film.avi", 16, 30)
    return folder


@pytest.fixture
def board() -> Iterator[SimulatedBoard]:
    with SimulatedBoard("nano") as simulated:
        yield simulated


def _needs_board(command: str) -> bool:
    return "--reader auto" in command or "--reader trays" in command


def _param(command: str) -> object:
    needs_the_board = _needs_board(command)
    return pytest.param(command, marks=[pytest.mark.native] if needs_the_board else [])


@pytest.mark.parametrize("command", [_param(command) for command in TYPED])
def test_it_stands_on_the_screen_as_the_guide_says(
    command: str, home: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    assert command in commands()
    board = request.getfixturevalue("board") if _needs_board(command) else None
    words = command.removeprefix("companion ")
    for said, instead in LAST_INCH.items():
        words = words.replace(said, instead.format(port=board and board.port))
    own = {f"XDG_{kind}_HOME": str(tmp_path) for kind in ("DATA", "CONFIG")}
    typed = TYPED[command]
    line = [sys.executable, "-m", "companion", *shlex.split(words)]
    with run(line, where=home, LC_ALL="C.UTF-8", PYTHONPATH=str(ROOT), **own) as terminal:
        for what, then in typed.steps:
            if what:
                terminal.until(what, seconds=60)
            if isinstance(then, str):
                terminal.type(then)
            else:
                then(Stage(terminal, board))
        assert terminal.end(60) == typed.status
        assert b"Traceback" not in terminal.written
