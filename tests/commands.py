"""How tests call each command of the program, one `CommandCase` a command.

Tests that go through all commands read `CASES`. A new command needs one entry here, and is then
tried by all of them; `tests/test_help.py` fails while it has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

Words = tuple[str, ...]
_TABLE = ("--plain", "--new", "--players", "Ann,Bob,Cy")


class CommandCase(NamedTuple):
    """One command. Words follow the command's name."""

    ends: Words
    """Words with which it ends by itself, without a terminal and with any streams."""
    alone: Mapping[str, str]
    """For each subcommand ("" if there are none), words with which it ends at once: each of its
    options is tried beside them, each of its arguments in the place of theirs."""
    names_players: bool
    """Whether it shows the names of players, who may have been renamed since."""
    without_opencv: tuple[Words, ...] = ()
    """Words with which it works where OpenCV cannot be loaded."""
    with_opencv: tuple[Words, ...] = ()
    """Words with which it needs OpenCV, and says what to install where that cannot be loaded."""


CASES = {
    # Without a screen `welcome` is the demo table, which is left before it is drawn.
    "welcome": CommandCase((), {"": ""}, without_opencv=((),), names_players=True),
    "play": CommandCase(
        ("--plain", "--resume", "99"),
        {"": "--plain --by-hand --new --players A"},
        # First, because `history` and `export` need a session.
        without_opencv=(("--by-hand", *_TABLE), ("--by-hand", *_TABLE, "--share")),
        with_opencv=(("--camera", "0", *_TABLE),),
        names_players=True,
    ),
    "cards": CommandCase(
        ("list",),
        {"print": "--game none", "list": "none", "check": "none"},
        without_opencv=(("list",), ("check", "dtc")),
        names_players=False,
    ),
    "enrol": CommandCase(
        ("--from-photos", "nowhere"),
        {"": "--deck none --from-photos none"},
        with_opencv=(("--deck", "dtc"),),
        names_players=False,
    ),
    "calibrate": CommandCase(
        ("--help",), {"": "--mat --out none/x"}, with_opencv=((), ("--mat",)), names_players=False
    ),
    "flash": CommandCase(
        ("--help",), {"": "--reader /dev/null"}, without_opencv=(("--help",),), names_players=False
    ),
    "tags": CommandCase(
        ("export", "--deck", "dtc", "nowhere/tags.csv"),
        {
            "enrol": "--deck dtc --reader typed --only none",
            "export": "none/x --deck dtc",
            "import": "none --deck dtc",
        },
        without_opencv=(("export", "--deck", "dtc", "tags.csv"),),
        names_players=False,
    ),
    "pads": CommandCase(
        ("--help",), {"": "--reader typed --file /"}, without_opencv=(("--help",),), names_players=False
    ),
    "check": CommandCase(
        ("--help",),
        {"": "--bench --camera off --plain"},
        without_opencv=(("--plain", "--camera", "off"),),
        names_players=False,
    ),
    "history": CommandCase(
        (), {"": "1"}, without_opencv=((), ("1", "--page", "evening.html")), names_players=True
    ),
    "figures": CommandCase((), {"": ""}, without_opencv=(("--help",),), names_players=True),
    "people": CommandCase((), {"": ""}, without_opencv=((),), names_players=True),
    "export": CommandCase((), {"": ""}, without_opencv=(("--format", "json"),), names_players=True),
    "league": CommandCase(
        ("status",),
        {
            "serve": "--host 192.0.2.1 --port 99999",
            "join": "http://127.0.0.1:9 CODE",
            "leave": "",
            "status": "",
            "rebuild": "--database host=/none",
            "export": "--database host=/none",
            "pair": "--database host=/none",
        },
        without_opencv=(("--help",),),
        names_players=False,
    ),
    "referee": CommandCase((), {"": ""}, without_opencv=((),), names_players=False),
    "new-game": CommandCase(("--help",), {"": "no-name"}, without_opencv=(("mine",),), names_players=False),
}
