"""What people choose for an evening, and whether it can begin so.

The command line fills a plan, the set-up form edits one, the front door hands one over, and the
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
from companion.rules.start import Start, begin

USUAL_GAME = "donkey_valley"
"""What is played when no game is named."""
OFF = "off"
"""The camera that is none."""
SIMULATED = "simulated"
"""The reader that is the real firmware in a simulated board."""


class Plan(msgspec.Struct, frozen=True, omit_defaults=True):
    """What people chose. Paths are as given, None: the usual place or none; "" in words: the
    settings' choice, or the usual one.

    `players`: names clockwise from the first player; where there are none the form asks, or `seats`
    simulated ones play (None: the usual number). `cameras`: numbers, device paths, films, folders
    of photos; `off`: none, at the demo table either. `readers`: card readers
    (`companion.evening.card_readers.KINDS`, or ports), `pads`: the file that says what their pads
    are for. `clock`: seconds for each turn or phase, None: no clock; `bank`: seconds for each
    player.
    `demo`: simulated players, at a drawn table. `resume`: the number of the session that is gone on
    with; `offers`: those that have not ended are offered first. `odds`: the chance of what is about
    to be turned up is told. `pictures`: those of the reveals are kept. `share`: from where browsers
    may join; `overlay`: the page for a stream.
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

    def but(self, **changed: Any) -> Plan:
        """Return the same plan with other values in these fields."""
        return msgspec.structs.replace(self, **changed)

    def another(self, setup: Setup, players: Sequence[str]) -> Plan:
        """Return the plan of another game as `setup` was, by these players.

        Where people have come or gone so that the game cannot be played by them, the form asks.
        """
        fit = len(players) in registry.load(setup.game).seats
        return self.but(
            game=setup.game,
            players=tuple(players) if fit else (),
            seats=None,
            options=unusual(setup),
            resume=None,
            offers=False,
        )

    def own_game(self) -> Plan:
        """Return the plan of a game of one's own after a demo: the form asks who plays."""
        return self.but(demo=False, players=(), seats=None, resume=None, offers=False)


class CannotBegin(Problem):
    """The evening cannot begin as planned; `text` says why and what to do."""


def loaded(name: str) -> Game[Any]:
    """Load the game of this name; raises `CannotBegin`, which says which games there are."""
    try:
        return registry.load(name)
    except registry.GameUnavailable as fault:
        why = fault.refusal.text
        there = Text("play.no_game", {"game": name, "games": ", ".join(registry.game_ids())})
        raise CannotBegin(why if fault.reason else there) from fault


def set_up(plan: Plan) -> tuple[Game[Any], Setup]:
    """Check game, players and options; raises `CannotBegin`, with all games where there is none of
    this name.

    At the demo table the seed is public: the simulated players find their cards again by it when a
    session is taken up.
    """
    loaded(plan.game)
    seed = secrets.token_hex(8) if plan.demo and plan.seed is None else plan.seed
    begun = begin(Start(plan.game, list(plan.players), dict(plan.options), seed))
    if isinstance(begun, Refusal):
        raise CannotBegin(begun.text)
    return begun


def unusual(setup: Setup) -> dict[str, Any]:
    """Return the options that are not as usual."""
    usual = registry.load(setup.game).defaults({})
    return {name: value for name, value in setup.options.items() if usual.get(name) != value}


def option(words: str) -> tuple[str, object]:
    """Read `name=value`, the value as `option_value` does. Raises `ValueError` without `=`."""
    name, found, value = words.partition("=")
    if not found:
        raise ValueError(words)
    return name, option_value(value)


def named_in(typed: str) -> tuple[str, ...]:
    """Read names with commas between them."""
    return tuple(name.strip() for name in typed.split(",") if name.strip())


def option_value(written: str) -> object:
    """Read an option's value: JSON where it can be (`true`, `5`, a map), else a word."""
    try:
        return msgspec.json.decode(written)
    except msgspec.DecodeError:
        return written
