"""What the players chose for the evening, and whether it can begin so."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from companion.live.clocks import ClockOptions
from companion.rules.contract import Game, Problem, Refusal, Setup
from companion.rules.start import Start, begin

OFF = "off"
"""The camera that is none."""
SIMULATED = "simulated"
"""The reader that is the real firmware in a simulated board."""


class Plan(msgspec.Struct, frozen=True):
    """What the players chose for the evening; paths are as given, None: the usual place or none.

    `cameras`: numbers, device paths, films, folders of photos; `off`: none, at the demo table
    either. `readers`: card readers (`companion.evening.card_readers.KINDS`, or ports), `pads`: the
    file that says what their pads are for. `demo`: simulated players, which the game has, at a
    drawn table. `odds`: the chance of what is about to be turned up is told. `pictures`: those of
    the reveals are kept.
    """

    game: str
    players: tuple[str, ...]
    options: Mapping[str, Any] = {}
    seed: int | str | None = None
    deck: str = ""
    zones: Path | None = None
    cameras: tuple[str, ...] = ()
    readers: tuple[str, ...] = ()
    pads: Path | None = None
    replay: Path | None = None
    record: Path | None = None
    demo: bool = False
    speed: float = 1.0
    clock: ClockOptions | None = None
    language: str = "en"
    odds: bool = False
    pictures: bool = False


class CannotBegin(Problem):
    """The evening cannot begin as planned; `text` says why and what to do."""


def set_up(plan: Plan) -> tuple[Game[Any], Setup]:
    """Check game, players and options; raises `CannotBegin`.

    At the demo table the seed is public: the simulated players find their cards again by it when a
    session is taken up.
    """
    seed = secrets.token_hex(8) if plan.demo and plan.seed is None else plan.seed
    begun = begin(Start(plan.game, list(plan.players), dict(plan.options), seed))
    if isinstance(begun, Refusal):
        raise CannotBegin(begun.text)
    return begun


def option(words: str) -> tuple[str, object]:
    """Read `name=value`; the value is JSON where it can be (`true`, `5`, a map), else a word.
    Raises `ValueError` without `=`."""
    name, found, value = words.partition("=")
    if not found:
        raise ValueError(words)
    try:
        return name, msgspec.json.decode(value)
    except msgspec.DecodeError:
        return name, value
