"""What makes one doubt that a sheet of cards lies as the deck's order says."""

from __future__ import annotations

from collections.abc import Sequence

from companion.enrolment.album import Album
from companion.enrolment.look import Shot, gap_after, known_as
from companion.rules.contract import Text


class Doubts:
    """The doubts about one sheet. Each is raised once: who asks for the sheet again means it."""

    def __init__(self) -> None:
        self._raised: set[str] = set()

    def about(self, shots: Sequence[Shot], names: Sequence[str], album: Album) -> Text | None:
        """Return the first doubt that was not raised before: a gap in the rows, or a card that is
        known as another than the order (`names`) says."""
        gap = gap_after([shot.quad for shot in shots])
        if gap is not None and self._fresh("enrol.gap"):
            return Text("enrol.gap", {"number": gap})
        if "enrol.misplaced" in self._raised:
            return None
        for number, (shot, wanted) in enumerate(zip(shots, names, strict=False), 1):
            known = known_as(shot, album.library)
            if known is not None and known != wanted and self._fresh("enrol.misplaced"):
                said = {"number": number, "card": album.words(known), "wanted": album.words(wanted)}
                return Text("enrol.misplaced", said)
        return None

    def _fresh(self, code: str) -> bool:
        fresh = code not in self._raised
        self._raised.add(code)
        return fresh
