"""A card that lies on the table now, as the watcher reports it."""

from dataclasses import dataclass
from typing import Self

from vision.geometry import Quad
from vision.reading import Reading
from vision.video.track import Track


@dataclass(frozen=True)
class Presence:
    """A card that lies on the table now.

    `id` stays with a card as long as it lies there. `card` is None for a card of no enrolled
    design, or one lying face down. `quad` is in pixels of the frame. `still` is False while
    something moves over it. Times are the caller's seconds.
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
    def from_track(cls, track: Track, reading: Reading) -> Self:
        """Build a presence from a track that has been read; `reading`: the result of its
        readings."""
        return cls(
            track.id,
            reading.card,
            reading.sure,
            reading.confidence,
            track.quad,
            track.first_seen,
            track.still,
            reading.candidates,
        )
