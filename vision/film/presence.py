"""A card that lies on the table now, as the watcher reports it."""

from dataclasses import dataclass
from typing import Self

from vision.film.track import Track
from vision.geometry import Quad
from vision.reading import Reading


@dataclass(frozen=True)
class Presence:
    """A card that lies on the table now.

    `id` stays with a card as long as it lies there. `card` is None for a card of no enrolled design
    or lying on its face. `quad` is in pixels of the frame. `still` is False while something moves
    over it.
    Times are the caller's seconds.
    """

    id: int
    card: str | None
    sure: bool
    confidence: float
    quad: Quad
    first_seen: float
    still: bool
    candidates: tuple[tuple[str, float], ...] = ()

    @classmethod
    def of(cls, track: Track, named: Reading) -> Self:
        """What is known of a card that has been read; `named`: what its readings amount to."""
        return cls(
            track.id,
            named.card,
            named.sure,
            named.confidence,
            track.quad,
            track.first_seen,
            track.still,
            named.candidates,
        )
