"""Positions: a state as JSON values, to begin a game in the middle, as FEN is for chess.

A position has the fields of the game's own class `State`, by their names, without the set-up and
without what has its default; a fraction is a whole number or text such as `7/3`. It holds what the
whole table knows: hands are counted in it, never listed, and seals of face-down cards are left out
(`Game.fields_left_out`), since nobody could open them afterwards.

The rules rely on what always holds in play, and a position written by hand need not. So it is
checked three times: by its types, by `Game.check_position`, and that somebody has to act in it.
"""

from __future__ import annotations

import re
import typing
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from fractions import Fraction
from functools import cache
from typing import Any

import msgspec

from companion.rules.contract import GAME_OVER, Game, Named, Refusal, Setup, format_points, refuse

_FRACTION = re.compile(r"-?\d{1,9}(/[1-9]\d{0,8})?")


def format_position(game: Game[Any], state: Any) -> dict[str, Any]:
    """Return the position of a state: its fields as JSON values, without defaults.

    >>> from companion.rules.start import Start, prepare_game
    >>> game, setup = prepare_game(Start("dtc", ["Ann", "Ben"]))
    >>> format_position(game, game.start(setup))
    {'hands': [6, 6], 'piles': [0, 0], 'left': [0, 0], 'draw_pile': 54}
    """
    position: dict[str, Any] = _encode_value(state, _list_left_out(game), with_defaults=False)
    return position


def restore_position(game: Game[Any], setup: Setup, position: Mapping[str, Any]) -> Any | Refusal:
    """Return the state of a position, or refuse it with `bad_position`: what is wrong, and where.

    >>> from companion.rules.start import Start, prepare_game
    >>> game, setup = prepare_game(Start("dtc", ["Ann", "Ben"]))
    >>> bad = {"hands": [6], "piles": [0, 0], "left": [0, 0], "draw_pile": 54}
    >>> restore_position(game, setup, bad).text.args
    {'field': 'hands', 'given': 1, 'due': 2}
    """
    try:
        read = msgspec.convert(position, build_position_type(game, setup), dec_hook=_decode_value)
        fields = {name: getattr(read, name) for name in read.__struct_fields__}
        state = type(game.start(setup))(setup=setup, **fields)
        known = _encode_value(state, _list_left_out(game), with_defaults=True)
        # The types accept fields that they do not have, as for journals of other versions.
        unknown = _refuse_unknown_field(position, known, "")
    except msgspec.ValidationError as fault:
        return refuse("bad_position", reason=str(fault))
    except RecursionError:
        return refuse("bad_position", reason="too deep")
    return (
        unknown
        or check_names("phase", [state.phase], game.clauses)
        or game.check_position(state)
        or _refuse_unsettled(game, state)
        or state
    )


def build_position_type(game: Game[Any], setup: Setup) -> type[msgspec.Struct]:
    """Return the type of a game's positions: its class `State` without what is left out."""
    kind: type[msgspec.Struct] = type(game.start(setup))
    return _build_position_type(kind, _list_left_out(game))


@cache
def _build_position_type(kind: type[msgspec.Struct], left_out: frozenset[str]) -> type[msgspec.Struct]:
    hints = typing.get_type_hints(kind, include_extras=True)
    fields: list[Any] = []
    for field in _list_fields(kind):
        if field.name not in left_out:
            default = () if field.required else (_copy_default(field),)
            fields.append((field.name, hints[field.name], *default))
    return msgspec.defstruct("Position", fields, namespace={"__doc__": kind.__doc__})


def _copy_default(field: msgspec.structs.FieldInfo) -> Any:
    # A default that can change is made anew for each state.
    if field.default is msgspec.NODEFAULT:
        return msgspec.field(default_factory=field.default_factory)
    return field.default


def _list_left_out(game: Game[Any]) -> frozenset[str]:
    return game.fields_left_out | {"setup"}


def _encode_value(value: Any, left_out: Collection[str], *, with_defaults: bool) -> Any:
    if isinstance(value, msgspec.Struct):
        return {
            field.encode_name: _encode_value(one, left_out, with_defaults=with_defaults)
            for field in _list_fields(type(value))
            if field.name not in left_out
            and ((one := getattr(value, field.name)) != field.default or with_defaults)
        }
    if isinstance(value, Mapping):
        return {
            str(name): _encode_value(one, left_out, with_defaults=with_defaults)
            for name, one in value.items()
        }
    if isinstance(value, frozenset):
        # Equal states must have equal positions.
        return sorted(value)
    if isinstance(value, tuple):
        return [_encode_value(one, left_out, with_defaults=with_defaults) for one in value]
    return format_points(value) if isinstance(value, Fraction) else value


def _decode_value(kind: type, value: object) -> Fraction:
    # Not every number: "1e999999999" would fill the memory.
    if kind is Fraction and type(value) in (int, str) and _FRACTION.fullmatch(str(value)):
        return Fraction(str(value))
    raise ValueError("Expected a whole number, or text such as `7/3`")


def _refuse_unknown_field(given: Any, known: Any, path: str) -> Refusal | None:
    """Refuse a field that the state does not have: a misspelt one would be taken for one that was
    left out."""
    if isinstance(given, Mapping) and isinstance(known, Mapping):
        for name, value in given.items():
            if name not in known:
                (nearest,) = get_close_matches(name, sorted(known), 1, 0) or ("",)
                field = ascii(f"{path}{name}")[1:-1]
                return refuse("bad_position", message="position_field", field=field, nearest=nearest)
            if fault := _refuse_unknown_field(value, known[name], f"{path}{name}."):
                return fault
    elif isinstance(given, Sequence) and isinstance(known, list):
        for number, (one, other) in enumerate(zip(given, known, strict=False)):
            if fault := _refuse_unknown_field(one, other, f"{path.removesuffix('.')}[{number}]."):
                return fault
    return None


def _refuse_unsettled(game: Game[Any], state: Any) -> Refusal | None:
    """Refuse a state in the middle of what the rules do by themselves."""
    # With an event due, no request is checked against the rules of this moment.
    if state.phase != GAME_OVER and game.next_event(state) is not None:
        return refuse("bad_position", message="position_unsettled", phase=state.phase)
    return None


@cache
def _list_fields(kind: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    # Remembered: each call works the types out anew, which took nine tenths of the time.
    return msgspec.structs.fields(kind)


# ---- what the games' own checks are made of; `field` says where ----


def find_first_fault(faults: Iterable[Refusal | None]) -> Refusal | None:
    """Return the first refusal, or None if there is none."""
    return next((fault for fault in faults if fault is not None), None)


def check_length(field: str, given: Collection[object], due: int) -> Refusal | None:
    """Refuse a list that has not `due` entries."""
    words = {"field": field, "given": len(given), "due": due}
    return None if len(given) == due else refuse("bad_position", message="position_length", **words)


def check_range(field: str, values: Iterable[int], least: int, most: int) -> Refusal | None:
    """Refuse a number that is not from `least` to `most`."""
    for value in values:
        if not least <= value <= most:
            words = {"field": field, "value": str(value)[:12], "least": least, "most": most}
            return refuse("bad_position", message="position_range", **words)
    return None


def check_row(field: str, row: Sequence[int], players: int, most: int) -> Refusal | None:
    """Refuse a row that has not one number for each player, each from 0 to `most`."""
    return check_length(field, row, players) or check_range(field, row, 0, most)


def check_names(field: str, given: Iterable[str], known: Collection[str]) -> Refusal | None:
    """Refuse a name (of a player, a card, a suit) that is not among the `known` ones."""
    for name in given:
        if name not in known:
            return refuse("bad_position", message="position_name", field=field, name=ascii(name)[1:-1][:40])
    return None


def check_cards(field: str, cards: Iterable[Named], in_play: Mapping[Any, int | None]) -> Refusal | None:
    """Refuse cards that are not in play, or more often than there are."""
    for card, given in Counter(cards).items():
        copies = in_play.get(card, 0)
        if copies is not None and given > copies:
            words = {"field": field, "card": ascii(card)[:40], "given": given, "copies": copies}
            return refuse("bad_position", message="position_cards", **words)
    return None


def check_agreement(*, field: str, holds: bool) -> Refusal | None:
    """Refuse a field that contradicts the rest of the position."""
    return None if holds else refuse("bad_position", message="position_contradiction", field=field)
