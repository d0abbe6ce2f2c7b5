"""The start of a session: the request `start`, its checks, and the resulting set-up; shared by all
front ends."""

from __future__ import annotations

import reprlib
import unicodedata
from collections.abc import Mapping
from itertools import islice
from typing import Any

from companion.rules import registry
from companion.rules.commitments import HiddenSeed
from companion.rules.contract import LONGEST_NAME, Game, Refusal, Request, Setup, Text, refuse


class Start(Request, frozen=True):
    """Begin a session; players clockwise from the first player."""

    game: str
    players: list[str]
    options: dict[str, Any] | None = None
    seed: int | str | None = None


def begin(request: Start) -> tuple[Game[Any], Setup] | Refusal:
    """Check a `start` and make the set-up. Refuses with `unknown_game`, `bad_players` or
    `bad_option`.

    >>> begin(Start("dtc", ["Ann", " Ann "])).code
    'bad_players'
    """
    try:
        game = registry.load(request.game)
    except registry.GameUnavailable as fault:
        return fault.refusal
    refusal = _bad_players(game, request.players) or _bad_option(game, request.options or {})
    if refusal is not None:
        return refusal
    chosen = request.options or {}
    # The chosen ones first: a default may depend on them (Ascend's target).
    options = {**game.defaults(chosen), **chosen}
    seed = HiddenSeed() if request.seed is None else request.seed
    setup = Setup(game.id, tuple(request.players), options, seed)
    return game.check(setup) or (game, setup)


def _bad_players(game: Game[Any], players: list[str]) -> Refusal | None:
    if len(players) not in game.seats:
        return refuse(
            "bad_players", say="player_count", count=len(players), least=game.seats[0], most=game.seats[-1]
        )
    return bad_names(players)


def bad_names(players: list[str]) -> Refusal | None:
    """Refuse names that are too long, invisible, or indistinguishable from each other; None if all
    are fine."""
    for name in players:
        if len(name) > LONGEST_NAME:
            return refuse("bad_players", say="long_name", name=ascii(name[:20]), most=LONGEST_NAME)
        if not _visible(name) or any(_disturbs(sign) for sign in name):
            # In ASCII: what cannot be seen in a name must be seen in the refusal.
            return refuse("bad_players", say="bad_name", name=ascii(name[:40]))
    # By how they look: two names must be told apart on every screen.
    if len({_visible(name) for name in players}) < len(players):
        return refuse("bad_players", say="same_name")
    return None


# Unicode categories that end a line, and directions that turn the text after the name around.
_BREAKS = frozenset(("Cc", "Cs", "Zl", "Zp"))
_TURNS = frozenset(("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"))


def _disturbs(sign: str) -> bool:
    """Tell whether a character breaks the line or reverses the text after the name."""
    return unicodedata.category(sign) in _BREAKS or unicodedata.bidirectional(sign) in _TURNS


def _visible(name: str) -> str:
    """Return a name as it looks on a screen: zero-width characters and differences of encoding are
    removed."""
    # Compatibility forms (NFKC) look alike: full-width letters, ligatures, composed accents.
    plain = unicodedata.normalize("NFKC", name)
    return "".join(sign for sign in plain if unicodedata.category(sign) != "Cf").strip()


def _bad_option(game: Game[Any], options: Mapping[str, Any]) -> Refusal | None:
    known = {option.name: option for option in game.options}
    for name, value in options.items():
        if name not in known:
            names: object = tuple(known) or Text("none")
            return refuse("bad_option", say="unknown_option", option=name, known=names)
        if not known[name].fits(value):
            usual = str(known[name].default).lower()
            return refuse("bad_option", known[name].clause, option=name, value=_plain(value), usual=usual)
    return None


def _plain(value: object) -> str:
    """Return an option's value as people write it, shortened to fit a sentence."""
    if isinstance(value, dict):
        # Forty entries at most: a map from a request may have thousands.
        return ", ".join(f"{_short(name)} {_short(one)}" for name, one in islice(value.items(), 40))
    return _short(value)


def _short(value: object) -> str:
    """Return one value, shortened. `reprlib` limits the depth: values from a request may be nested
    too deeply for `str`."""
    return (value if isinstance(value, str) else reprlib.repr(value))[:40]
