"""Acts to JSON and back. What an older program wrote is upcast while it is read; the file is never
rewritten.

Cards that lie face down never get here: the session replaces them by seals before the game sees
them (`companion.rules.session.sealed`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeAlias, Union

import msgspec

from companion.rules.acts import Act, Entry, Kind
from companion.rules.commitments import HiddenSeed, Note
from companion.rules.contract import Game, Setup
from companion.rules.people import Seated

FORMAT = 2
"""The format of entries now: `{"acts": [{"request": {"do": ..., ...}, "events": [{"type": ...,
...}, ...]}, ...], "notes": [...]}`."""

Raw: TypeAlias = Any
UPCASTS: Mapping[int, Callable[[str, Raw], Raw]] = {1: lambda _game, acts: {"acts": acts}}
"""Per old format: a function (game id, an entry as plain JSON values) -> the entry in the next
format. Format 1 had no notes."""


class Unreadable(ValueError):
    """A row that does not hold what the program wrote, or that no installed game understands. Its
    words show no values."""


_encode = msgspec.json.Encoder(order=None).encode


class _KeptSetup(msgspec.Struct, frozen=True):
    game: str
    players: tuple[str, ...]
    options: dict[str, Any]
    seed: int | str | None
    commitment: str = ""


def encode_setup(setup: Setup) -> bytes:
    """Return the set-up as JSON, with the commitment in place of a seed that the program chose."""
    kept = (setup.game, setup.players, dict(setup.options))
    seed = setup.seed
    return _encode(
        _KeptSetup(*kept, None, seed.commitment) if isinstance(seed, HiddenSeed) else _KeptSetup(*kept, seed)
    )


def decode_setup(data: bytes) -> tuple[Setup, str]:
    """Return the set-up and the commitment to its seed, "" if public; raise `Unreadable`."""
    try:
        kept = msgspec.json.decode(data, type=_KeptSetup)
    except msgspec.DecodeError as fault:
        raise Unreadable("a set-up does not hold what it should") from fault
    seed = HiddenSeed(fresh=False) if kept.seed is None else kept.seed
    return Setup(kept.game, kept.players, kept.options, seed), kept.commitment


def encode_entry(entry: Entry) -> bytes:
    """Return the entry's acts and notes as JSON in the format `FORMAT`."""
    return _encode({"acts": entry.acts, "notes": entry.notes} if entry.notes else {"acts": entry.acts})


def decode_entry(game: Game[Any], kind: Kind, at: int, data: bytes, written_as: int = FORMAT) -> Entry:
    """Return the entry `encode_entry` wrote, in this or an older format; raise `Unreadable`."""
    try:
        if written_as == FORMAT:
            kept = _decoder(game).decode(data)
        else:
            raw = msgspec.json.decode(data)
            for number in range(written_as, FORMAT):
                raw = UPCASTS[number](game.id, raw)
            kept = msgspec.convert(raw, _kept_entry(game))
        # Made anew as `Act`: the struct that was decoded is one of this game's own.
        return Entry(kind, tuple(Act(act.request, act.events) for act in kept.acts), at, kept.notes)
    except (msgspec.DecodeError, LookupError, TypeError) as fault:
        # `from None`: msgspec's message may quote the row
        raise Unreadable(f"an act is not one of {game.id}'s ({type(fault).__name__})") from None


@cache
def _kept_entry(game: Game[Any]) -> type[msgspec.Struct]:
    request: Any = Union[(*game.requests,)]
    event: Any = Union[(*game.events,)]
    fields: list[tuple[str, Any]] = [("request", request), ("events", tuple[event, ...])]
    act = msgspec.defstruct("KeptAct", fields, frozen=True)
    return msgspec.defstruct(
        "KeptEntry",
        [("acts", list[act]), ("notes", tuple[Note | Seated, ...], ())],  # type: ignore[valid-type]
        frozen=True,
    )


@cache
def _decoder(game: Game[Any]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(_kept_entry(game))
