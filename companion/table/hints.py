"""Cards that lie there and cannot be recognised: what the table is told to do about them."""

from __future__ import annotations

import msgspec

from companion.rules.contract import Text
from companion.table.fusion import Fusion
from companion.table.identification import NOWHERE
from companion.table.words import zone_words

PATIENCE = 2.5
"""Seconds for which a card may stay unrecognised before the table is told what to do about it."""


class Hint(msgspec.Struct, frozen=True):
    """A card that lies there and cannot be recognised: what to do (hold it still, enrol it, enter
    it by hand). No question."""

    zone: str
    text: Text
    quad: tuple[tuple[float, float], ...] = ()


def hints(fusion: Fusion, now: float) -> tuple[Hint, ...]:
    """Return what has long been lying there unrecognised."""
    return tuple(
        Hint(
            track.vague.zone,
            Text(f"table.hint.{track.vague.why}", {"place": zone_words(track.vague.zone)}),
            track.quad,
        )
        for track in fusion.tracks.values()
        if track.vague is not None
        and track.vague.zone != NOWHERE
        and track.gone is None
        and not fusion.ruled(track)
        and now - track.vague_since >= PATIENCE
    )
