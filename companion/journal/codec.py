"""Acts to JSON and back. What an older program wrote is upcast while it is read; the file is never rewritten.

Sealed values never get here: the session replaces them by seals before it commits an act (`companion.rules.session.sealed`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Union

import msgspec

from companion.rules.contract import Game, Setup
from companion.rules.session import Act, Entry

FORMAT = 1
"""The format in which acts are written now: `[{"request": {"do": ..., ...}, "events": [{"type": ..., ...}, ...]}, ...]`."""

Raw = list[dict[str, Any]]
UPCASTS: Mapping[int, Callable[[str, Raw], Raw]] = {}
"""Per old format: a function (game id, acts as plain JSON values) -> the acts in the next format. Format 1 is the first."""


class Unreadable(ValueError):
    """A row that does not hold what the program wrote, or that no installed game understands. Its words show no values."""


_encode = msgspec.json.Encoder(order=None).encode


class _KeptSetup(msgspec.Struct, frozen=True):
    game: str
    players: tuple[str, ...]
    options: dict[str, Any]
    seed: int | str


def encode_setup(setup: Setup) -> bytes:
    """Return the set-up as JSON, without the salt."""
    return _encode(_KeptSetup(setup.game, setup.players, dict(setup.options), setup.seed))


def decode_setup(data: bytes, salt: bytes) -> Setup:
    """Return the set-up; raise `Unreadable`."""
    try:
        kept = msgspec.json.decode(data, type=_KeptSetup)
    except msgspec.DecodeError as fault:
        raise Unreadable("a set-up does not hold what it should") from fault
    return Setup(kept.game, kept.players, kept.options, kept.seed, salt)


def encode_acts(entry: Entry) -> bytes:
    """Return the entry's acts as JSON in the format `FORMAT`."""
    return _encode(entry.acts)


def decode_acts(game: Game[Any], data: bytes, written_as: int = FORMAT) -> tuple[Act, ...]:
    """Return the acts that `encode_acts` wrote, in this or an older format; raise `Unreadable`."""
    try:
        if written_as == FORMAT:
            return tuple(map(_act, _decoder(game).decode(data)))
        raw = msgspec.json.decode(data, type=Raw)
        for number in range(written_as, FORMAT):
            raw = UPCASTS[number](game.id, raw)
        return tuple(_act(msgspec.convert(one, _kept_act(game))) for one in raw)
    except (msgspec.DecodeError, LookupError, TypeError) as fault:
        # `from None`: msgspec's message may quote the row
        raise Unreadable(f"an act is not one of {game.id}'s ({type(fault).__name__})") from None


def _act(kept: Any) -> Act:
    return Act(kept.request, kept.events)


@cache
def _kept_act(game: Game[Any]) -> type[msgspec.Struct]:
    request: Any = Union[(*game.requests,)]
    event: Any = Union[(*game.events,)]
    fields: list[tuple[str, Any]] = [("request", request), ("events", tuple[event, ...])]
    return msgspec.defstruct("KeptAct", fields, frozen=True)


@cache
def _decoder(game: Game[Any]) -> msgspec.json.Decoder[Any]:
    kept: Any = _kept_act(game)
    return msgspec.json.Decoder(list[kept])
