"""The start of a session: the request `start`, its checks, and the resulting set-up; shared by all
front ends."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from itertools import islice
from typing import Any

import msgspec

from companion.rules import registry
from companion.rules.commitments import HiddenSeed
from companion.rules.contract import LONGEST_NAME, Game, Refusal, Request, Setup, Text, refuse


class Start(Request, frozen=True):
    """Begin a session; players clockwise from the first player. `position`: where it begins, as
    `view` gives it; without one, with the first deal."""

    game: str
    players: list[str]
    options: dict[str, Any] | None = None
    seed: int | str | None = None
    position: dict[str, Any] | None = None


def prepare_game(request: Start) -> tuple[Game[Any], Setup] | Refusal:
    """Check a `start` and make the set-up. Refuses with `unknown_game`, `bad_players` or
    `bad_option`.

    >>> prepare_game(Start("dtc", ["Ann", " Ann "])).code
    'bad_players'
    """
    try:
        game = registry.load_game(request.game)
    except registry.GameUnavailable as fault:
        return fault.refusal
    refusal = _check_players(game, request.players) or _check_options(game, request.options or {})
    if refusal is not None:
        return refusal
    chosen = request.options or {}
    # The chosen ones first: a default may depend on them (Ascend's target).
    options = {**game.default_options(chosen), **chosen}
    seed = HiddenSeed() if request.seed is None else request.seed
    setup = Setup(game.id, tuple(request.players), options, seed)
    return game.check_options(setup) or (game, setup)


def _check_players(game: Game[Any], players: list[str]) -> Refusal | None:
    if len(players) not in game.seats:
        return refuse(
            "bad_players",
            message="player_count",
            count=len(players),
            least=game.seats[0],
            most=game.seats[-1],
        )
    return check_names(players)


def check_names(players: list[str]) -> Refusal | None:
    """Refuse names that are too long, invisible, or indistinguishable from each other; None if all
    are fine."""
    for name in players:
        if len(name) > LONGEST_NAME:
            return refuse("bad_players", message="long_name", name=ascii(name[:20]), most=LONGEST_NAME)
        if not _normalise_name(name) or any(_breaks_line(character) for character in name):
            # In ASCII: what cannot be seen in a name must be seen in the refusal.
            return refuse("bad_players", message="bad_name", name=ascii(name[:40]))
    # By how they look: two names must be told apart on every screen.
    if len({_normalise_name(name) for name in players}) < len(players):
        return refuse("bad_players", message="same_name")
    return None


# Unicode categories that end a line, and directions that turn the text after the name around.
_BREAKS = frozenset(("Cc", "Cs", "Zl", "Zp"))
_TURNS = frozenset(("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"))


def _breaks_line(character: str) -> bool:
    """Tell whether a character breaks the line or reverses the text after the name."""
    return unicodedata.category(character) in _BREAKS or unicodedata.bidirectional(character) in _TURNS


def _normalise_name(name: str) -> str:
    """Return a name as it looks on a screen: zero-width characters and differences of encoding are
    removed."""
    # Compatibility forms (NFKC) look alike: full-width letters, ligatures, composed accents.
    plain = unicodedata.normalize("NFKC", name)
    return "".join(character for character in plain if unicodedata.category(character) != "Cf").strip()


def _check_options(game: Game[Any], options: Mapping[str, Any]) -> Refusal | None:
    known = {option.name: option for option in game.options}
    for name, value in options.items():
        if name not in known:
            names: object = tuple(known) or Text("list.none")
            return refuse("bad_option", message="unknown_option", option=name, known=names)
        if not known[name].accepts_value(value):
            usual, given = _format_option_value(known[name].default), _format_option_value(value)
            return refuse("bad_option", known[name].clause, option=name, value=given, usual=usual)
    return None


def _format_option_value(value: object) -> str:
    """Return an option's value as people write it, shortened to fit a sentence."""
    if isinstance(value, dict):
        # Forty entries at most: a map from a request may have thousands.
        return ", ".join(
            f"{_shorten_value(name)} {_shorten_value(one)}" for name, one in islice(value.items(), 40)
        )
    return _shorten_value(value)


def _shorten_value(value: object) -> str:
    """Return one value as requests write it (`null`, `true`), shortened."""
    if isinstance(value, str):
        return value[:40]
    try:
        return msgspec.json.encode(value, enc_hook=repr).decode()[:40]
    except RecursionError:
        # Values from a request may be nested more deeply than can be written again.
        return "[...]"
