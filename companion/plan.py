"""The plan of an evening: what people chose, and the check that it can begin.

The command line fills a plan, the set-up form edits one, the home screen hands one over, and the
settings keep those of the groups that played.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from companion.rules import registry
from companion.rules.contract import Game, Problem, Refusal, Setup, Text
from companion.rules.start import Start, prepare_game

USUAL_GAME = "donkey_valley"
"""The game that is played if none is named."""
OFF = "off"
"""Name of a camera that means "no camera"."""
SIMULATED = "simulated"
"""Name of the reader that runs the real firmware in simulated trays."""


class Plan(msgspec.Struct, frozen=True, omit_defaults=True):
    """Choices for one evening.

    Paths are as typed; None stands for the usual place, or for none. An empty string stands for the
    choice in the settings, or the usual one.

    `players`: names, clockwise from the first player; if there are none, the form asks, or `seats`
    simulated players play (None: the usual number). `cameras`: numbers, device paths, videos or
    folders of photos; `off` means none, at the demo table too. `readers`: card readers
    (`companion.evening.card_readers.KINDS`, or ports); `pads`: the file that says what their pads
    are for. `clock`: seconds for each turn or phase, None for no clock; `bank`: seconds for each
    player. `demo`: simulated players at a drawn table. `resume`: number of the session to resume;
    `offers`: offer unfinished sessions first. `odds`: show the chance of what is about to be turned
    up. `pictures`: save pictures of the reveals. `share`: from where browsers may join; `overlay`:
    the page for a stream.
    """

    game: str = ""
    players: tuple[str, ...] = ()
    options: Mapping[str, Any] = {}
    deck: str = ""
    cameras: tuple[str, ...] = ()
    readers: tuple[str, ...] = ()
    clock: float | None = None
    bank: float = 0.0
    clock_per: Literal["turn", "phase"] = "turn"
    when_up: Literal["warn", "harmless"] = "warn"
    seats: int | None = None
    seed: int | str | None = None
    zones: Path | None = None
    pads: Path | None = None
    replay: Path | None = None
    record: Path | None = None
    demo: bool = False
    speed: float = 1.0
    journal: Path | None = None
    resume: int | None = None
    offers: bool = False
    language: str = "en"
    theme: str = ""
    plain: bool = False
    voice: bool = False
    sounds: bool = False
    odds: bool = False
    pictures: bool = False
    share: str = ""
    overlay: Path | None = None

    def with_changes(self, **changes: Any) -> Plan:
        """Return a copy with other values in these fields."""
        return msgspec.structs.replace(self, **changes)

    def for_next_game(self, setup: Setup, players: Sequence[str]) -> Plan:
        """Return a plan for another game with the same set-up and these players.

        The players are left out if the game cannot be played by so many: the form asks for them.
        """
        fit = len(players) in registry.load_game(setup.game).seats
        return self.with_changes(
            game=setup.game,
            players=tuple(players) if fit else (),
            seats=None,
            options=find_changed_options(setup),
            resume=None,
            offers=False,
        )

    def for_own_game(self) -> Plan:
        """Return a plan for a real game after a demo, without players: the form asks for them."""
        return self.with_changes(demo=False, players=(), seats=None, resume=None, offers=False)


class CannotBegin(Problem):
    """The evening cannot begin as planned; `text` says why and what to do."""


def load_game(name: str) -> Game[Any]:
    """Load the game of this name.

    Raises `CannotBegin`, which lists the installed games, if it does not exist or cannot be loaded.
    """
    try:
        return registry.load_game(name)
    except registry.GameUnavailable as fault:
        reason = fault.refusal.text
        unknown_game = Text("play.no_game", {"game": name, "games": ", ".join(registry.list_game_ids())})
        raise CannotBegin(reason if fault.reason else unknown_game) from fault


def prepare_setup(plan: Plan) -> tuple[Game[Any], Setup]:
    """Check game, players and options, and return the game with its set-up. Raises `CannotBegin`.

    At the demo table the seed is public, because the simulated players need it to find their cards
    again when a session is resumed.
    """
    load_game(plan.game)
    seed = secrets.token_hex(8) if plan.demo and plan.seed is None else plan.seed
    begun = prepare_game(Start(plan.game, list(plan.players), dict(plan.options), seed))
    if isinstance(begun, Refusal):
        raise CannotBegin(begun.text)
    return begun


def find_changed_options(setup: Setup) -> dict[str, Any]:
    """Return the options whose values differ from the defaults."""
    usual = registry.load_game(setup.game).default_options({})
    return {name: value for name, value in setup.options.items() if usual.get(name) != value}


def parse_option(words: str) -> tuple[str, object]:
    """Parse `name=value`, the value as in `parse_option_value`. Raises `ValueError` without `=`."""
    name, found, value = words.partition("=")
    if not found:
        raise ValueError(words)
    return name, parse_option_value(value)


def parse_names(typed: str) -> tuple[str, ...]:
    """Split names separated by commas."""
    return tuple(name.strip() for name in typed.split(",") if name.strip())


def parse_option_value(written: str) -> object:
    """Parse the value of an option: JSON where possible (`true`, `5`, a map), else plain text."""
    try:
        return msgspec.json.decode(written)
    except msgspec.DecodeError:
        return written
