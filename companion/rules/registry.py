"""The installed games: listed by their entry points without importing them, loaded one at a
time."""

from __future__ import annotations

import contextlib
import sys
import threading
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from companion.rules.contract import Game, Refusal, refuse
from companion.rules.entry_points import list_entry_points
from companion.rules.messages import describe_exception

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

GROUP = "companion.games"
_OURS = "companion.games.{}:GAME"


class GameUnavailable(LookupError):
    """No game of this id is installed, or its package cannot be loaded (`reason` then says why)."""

    def __init__(self, game_id: str, reason: str = "") -> None:
        super().__init__(f"game {game_id!r} is not installed" + (f": {reason}" if reason else ""))
        self.game_id = game_id
        self.reason = reason

    @property
    def refusal(self) -> Refusal:
        """The refusal that players and programs receive."""
        say = "broken_game" if self.reason else None
        return refuse("unknown_game", message=say, game=self.game_id, reason=self.reason)


def load_plug_in(group: str, name: str, own_path: str) -> object | None:
    """Import the plug-in `name` of a group of entry points; None if there is none.

    `own_path`: where this program's own is (`package.{}:attribute`). It is looked for first:
    reading the entry points of everything that is installed takes 40 ms, half as long again as
    Python and this module together. Raises whatever the plug-in raises on import, and `ImportError`
    for one that would end the program or does not finish.
    """
    module, _, attribute = own_path.format(name).partition(":")
    if name.isidentifier():
        try:
            found: object = getattr(import_module(module), attribute, None)
        except ModuleNotFoundError as missing:
            # A plug-in that lacks a library of its own must say so, not be taken for one that is
            # absent.
            if not f"{module}.".startswith(f"{missing.name}."):
                raise
        else:
            if found is not None:
                return found
    point = list_entry_points(group).get(name)
    return None if point is None else import_in_thread(name, point.value, point.load)


def list_sides(game_id: str, players: int) -> Sequence[Sequence[int]]:
    """List the sides at a table of this many players (`Game.list_sides`); everybody alone if the
    game is not installed (any more), or not for so many."""
    with contextlib.suppress(GameUnavailable):
        if players in (game := load_game(game_id)).seats:
            return game.list_sides(players)
    return [(seat,) for seat in range(players)]


PARTS = {"panel:build_panel": "companion.panels", "player:Players": "companion.players", "drawing": ""}
"""The optional parts of a game, in its own folder or installed in a group of entry points ("": in
none)."""


@cache
def load_part(game_id: str, part_name: str) -> Any:
    """Import an optional part of a game, `part_name` (`panel:build_panel`).

    Returns None where the game has no such part, and where it cannot be loaded: a broken panel or
    drawing must not stop the game. `find_broken_parts` tells the two apart.
    """
    try:
        return _import_part(game_id, part_name)
    # Any exception: a plug-in's code may raise anything. `find_broken_parts` reports the reason.
    except Exception:
        return None


def find_broken_parts(game_id: str) -> dict[str, str]:
    """Return the parts of `PARTS` that a game has but that cannot be loaded, with the reason.
    Raises `GameUnavailable` if its rules cannot be loaded. The program's own games are skipped:
    their parts are tested, and importing their drawings is slow."""
    broken: dict[str, str] = {}
    if type(load_game(game_id)).__module__.startswith("companion.games."):
        return broken
    for what in PARTS:
        try:
            _import_part(game_id, what)
        except Exception as fault:
            broken[what] = describe_exception(fault)
    return broken


def has_part(game_id: str, part_name: str) -> bool:
    """Tell whether a game has this part, without importing anything of the program's own games."""
    module, _, _ = part_name.partition(":")
    ours = type(load_game(game_id)).__module__.startswith("companion.games.")
    found = find_spec(f"companion.games.{game_id}.{module}") if ours else load_part(game_id, part_name)
    return found is not None


def _import_part(game_id: str, part_name: str) -> object | None:
    found = load_plug_in(PARTS.get(part_name, ""), game_id, f"companion.games.{{}}.{part_name}")
    if found is not None:
        return found
    # Not in a group of entry points: a module beside the plug-in's rules will do.
    package = sys.modules[type(load_game(game_id)).__module__].__package__
    name, _, attribute = part_name.partition(":")
    if not package or find_spec(f"{package}.{name}") is None:
        return None

    def import_attribute() -> object:
        module = import_module(f"{package}.{name}")
        return getattr(module, attribute) if attribute else module

    return import_in_thread(game_id, f"{package}.{part_name}", import_attribute)


IMPORT_TIMEOUT = 20.0
"""Seconds that a plug-in may take to be imported, enough for one with a large library on a slow
memory card; a plug-in that waits for the network would never finish."""


class HangMemory:
    """Memory of the plug-ins whose import hung, so that each costs `IMPORT_TIMEOUT` once; by the
    target of the import (`package.module:attribute`). It lasts as long as the process;
    `companion.hung_plug_ins` has one that is saved."""

    def __init__(self) -> None:
        self._targets: set[str] = set()

    def has_hung(self, target: str) -> bool:
        """Check whether the import hung when it was tried last."""
        return target in self._targets

    def record_hang(self, target: str) -> None:
        """Remember that the import hung."""
        self._targets.add(target)

    def forget_hang(self, target: str) -> None:
        """Note that the import has come to an end after all."""
        self._targets.discard(target)


_hang_memory = HangMemory()


def use_hang_memory(memory: HangMemory) -> None:
    """Remember in `memory` which plug-ins hang."""
    global _hang_memory  # noqa: PLW0603 - one for the process, as the modules that are imported
    _hang_memory = memory


def import_in_thread(name: str, target: str, point: Callable[[], object]) -> object:
    """Import a plug-in's code safely: if it hangs, prints, or tries to exit, that must not stop the
    program or put a line among the referee's answers. One that hung before is not tried again until
    its files change."""
    done: list[object] = []
    failed: list[BaseException] = []
    memory = _hang_memory
    hung = ImportError(
        f"it was not imported within {IMPORT_TIMEOUT:.0f} s, and is left out until its files change"
    )
    if memory.has_hung(target):
        raise hung

    def run_import() -> None:
        try:
            done.append(point())
        except BaseException as fault:  # also `sys.exit()`
            failed.append(fault)
        # It may be slow only the first time, on a slow memory card.
        memory.forget_hang(target)

    # The referee's answers are on standard output: a plug-in's `print` must not be among them.
    with contextlib.redirect_stdout(sys.stderr):
        # In a thread, for only a thread's end can be waited for with a limit; daemon, so that one
        # that hangs does not keep the program from ending.
        thread = threading.Thread(target=run_import, name=f"import {name}", daemon=True)
        thread.start()
        thread.join(IMPORT_TIMEOUT)
    if failed and not isinstance(failed[0], Exception):
        raise ImportError(f"it would end the program ({type(failed[0]).__name__})") from failed[0]
    if failed:
        raise failed[0]
    if not done:
        memory.record_hang(target)
        if not thread.is_alive():  # it came to an end at the last moment
            memory.forget_hang(target)
        raise hung
    return done[0]


def list_game_ids() -> list[str]:
    """List the ids of the installed games in alphabetical order, without importing them.

    >>> {"ascend", "donkey_valley", "dtc", "ochs_und_esel", "partners"} <= set(list_game_ids())
    True
    """
    return sorted(list_entry_points(GROUP))


@cache
def load_game(game_id: str) -> Game[Any]:
    """Import one game. Raises `GameUnavailable`, also when the plug-in itself fails on import.

    >>> load_game("donkey_valley").seats
    range(3, 8)
    >>> load_game("chess")
    Traceback (most recent call last):
    companion.rules.registry.GameUnavailable: game 'chess' is not installed
    """
    try:
        game = load_plug_in(GROUP, game_id, _OURS)
    except Exception as fault:  # a broken plug-in must not take the others down
        raise GameUnavailable(game_id, describe_exception(fault)) from fault
    if game is None:
        raise GameUnavailable(game_id)
    if not isinstance(game, Game):
        raise GameUnavailable(game_id, f"{game!r} is no Game")
    return game
