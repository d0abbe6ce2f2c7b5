"""Enrolling from photos that were taken before: the cards follow the deck's order, photo by photo, row by row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from companion.enrolling.album import Album
from companion.enrolling.look import Shot, cards_in
from companion.rules.contract import Text
from vision import photo
from vision.errors import PhotoError


def from_photos(album: Album, files: Sequence[Path], names: Sequence[str]) -> Iterator[Text]:
    """Add the cards of each photo as views of `names`, one after another; say for each photo what came of it.

    A photo that cannot be read, or shows no card, ends it: the names of all that follow would be wrong. What was taken is kept.
    """
    left = list(names)
    for file in files:
        try:
            image = photo.load(file)
        except PhotoError as error:
            yield Text("enrol.photo.bad", {"photo": file.name, "reason": str(error)})
            return
        quads = cards_in(image)
        if not quads or len(quads) > len(left):
            code = "enrol.photo.too_many" if quads else "enrol.photo.empty"
            yield Text(code, {"photo": file.name, "count": len(quads), "left": len(left)})
            return
        for name, quad in zip(left, quads, strict=False):
            album.add(name, Shot(image, quad))
        album.keep()
        taken, left = left[: len(quads)], left[len(quads) :]
        names_of = {"first": album.words(taken[0]), "last": album.words(taken[-1])}
        yield Text("enrol.photo.taken", {"photo": file.name, "count": len(taken), **names_of})
        if not left:
            return
