"""Enrolling from photos taken before: the cards follow the deck's order, photo by photo."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from companion.enrolment.enroller import Enroller
from companion.rules.contract import Text
from vision import photo
from vision.errors import PhotoError


def from_photos(enroller: Enroller, files: Iterable[Path]) -> Iterator[Text]:
    """Take the cards of each photo, one design after another, and say for each photo what came of
    it.

    A photo that cannot be read or used ends it: the names of all that follow would be wrong. What
    was taken is kept.
    """
    for file in files:
        names = enroller.following
        if not names:
            return
        try:
            count = enroller.take_all(photo.load(file))
        except PhotoError as error:
            yield Text("enrol.photo.bad", {"photo": file.name, "reason": str(error)})
            return
        if not count:
            yield Text("enrol.photo.unused", {"photo": file.name, "left": len(names)})
            return
        words = {"first": enroller.album.words(names[0]), "last": enroller.album.words(names[count - 1])}
        yield Text("enrol.photo.taken", {"photo": file.name, "count": count, **words})
