"""Enrolling from photos taken before (the cards follow the deck's order, photo by photo), and the
camera's picture for a person who enrols: outlines, and the number of each card in reading order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np

from companion.enrolment.album import Album
from companion.enrolment.enroller import Enroller
from companion.enrolment.look import Picture, cards_in, gap_after, rows_in, rows_of
from companion.enrolment.progress import OutlinedPicture
from companion.readers.camera.pictures import CardLabel
from companion.rules.contract import Text
from vision import photo
from vision.errors import PhotoError
from vision.geometry import Quad

_OUTLINE = (80, 230, 90)


def draw(scene: OutlinedPicture, width: int = 480) -> Picture:
    """Draw the outlines over a copy of the picture that is `width` pixels wide."""
    height, full = scene.image.shape[:2]
    scale = width / full
    size = (width, max(round(height * scale), 1))
    image = np.asarray(cv2.resize(scene.image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    for quad in scene.quads:
        corners = (quad * scale).astype(np.int32).reshape(-1, 1, 2)
        cv2.polylines(image, [corners], True, _OUTLINE, max(width // 160, 2), cv2.LINE_AA)
    return image


def labels(scene: OutlinedPicture) -> list[CardLabel]:
    """Return what to write over the picture: the number of each card, on its middle."""
    size = np.array(scene.image.shape[1::-1])
    middles = [map(float, quad.mean(axis=0) / size) for quad in scene.quads]
    return [CardLabel(x, y, x, y, str(number)) for number, (x, y) in enumerate(middles, 1)]


def numbered(scene: OutlinedPicture, width: int = 1440) -> Picture:
    """Draw outlines and numbers over a copy of the picture, to be looked at as a file."""
    image = draw(scene, width)
    for x, y, _, _, number in labels(scene):
        at = round(x * image.shape[1]) - 24, round(y * image.shape[0]) + 12
        for colour, thick in (((0, 0, 0), 9), (_OUTLINE, 3)):
            cv2.putText(image, number, at, cv2.FONT_HERSHEY_DUPLEX, 1.4, colour, thick, cv2.LINE_AA)
    return image


FOUND = "found"
"""Folder beside a deck's file for the pictures that show what was taken of each photo."""


def from_photos(enroller: Enroller, files: Sequence[Path]) -> Iterator[Text]:
    """Take the cards of each photo, one design after another, and say for each photo what came of
    it, with a picture in which each card found is outlined and numbered.

    A photo that cannot be used is told, and the next one goes on if it is known how many names to
    pass over: as many as each of the other photos shows, or its own rows have places. If not, the
    names of all that follow would be wrong, and that is told of each.
    """
    tall = enroller.album.library.tall
    seen = [_look(file, tall) for file in files]
    usual = _usual([len(quads) for quads, fault in seen if fault is None])
    lost = False
    for file, (quads, fault) in zip(files, seen, strict=True):
        names = enroller.following
        if not names:
            return
        if lost:
            yield Text("enrol.photo.after", {"photo": file.name})
            continue
        if fault is None and len(quads) > len(names):
            fault = Text("enrol.photo.many", {"count": len(quads), "left": len(names)})
        if fault is None:
            image = photo.load(file)
            enroller.take_all(image, quads)
            yield _said(enroller, "enrol.photo.taken", file, names[: len(quads)])
            yield from shown(enroller.album, OutlinedPicture(image, tuple(quads)), file.stem)
            continue
        yield Text("enrol.photo.unused", {"photo": file.name, "reason": fault})
        if quads:
            yield from shown(enroller.album, OutlinedPicture(photo.load(file), tuple(quads)), file.stem)
        expected = max(usual, sum(row.places for row in rows_in(quads)))
        lost = not 0 < expected <= len(names)
        if not lost:
            for _ in range(expected):
                enroller.skip()
            yield _said(enroller, "enrol.photo.left_out", file, names[:expected])


def _look(file: Path, tall: float) -> tuple[list[Quad], Text | None]:
    """The cards of a photo in reading order, and why they cannot be taken, None if they can."""
    try:
        quads = cards_in(photo.load(file), tall)
    except PhotoError as error:
        return [], Text("enrol.photo.bad", {"reason": str(error)})
    gap = gap_after(quads)
    if gap is not None:
        return quads, Text("enrol.photo.gap", {"number": gap})
    return quads, None if quads else Text("enrol.photo.nothing")


def _usual(counts: Sequence[int]) -> int:
    """How many cards a photo of these shows, the last of which may show fewer; 0 when that is not
    clear."""
    ((most, times),) = Counter(counts).most_common(1) or [(0, 0)]
    others = [count for count in counts[:-1] if count != most]
    clear = not others and (times == len(counts) or (times > 1 and counts[-1] < most))
    return most if clear else 0


def _said(enroller: Enroller, code: str, file: Path, names: Sequence[str]) -> Text:
    words = {"first": enroller.album.words(names[0]), "last": enroller.album.words(names[-1])}
    return Text(code, {"photo": file.name, "count": len(names), "card": names[0], **words})


def shown(album: Album, scene: OutlinedPicture, name: str) -> Iterator[Text]:
    """Write the picture that shows what was found, and say where, and in which rows; nothing where
    it cannot be."""
    target = Path(album.deck.folder or ".") / FOUND / f"{name}.jpg"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _, data = cv2.imencode(".jpg", numbered(scene))
        target.write_bytes(data.tobytes())
    except OSError:
        return
    yield Text("enrol.photo.picture", {"rows": rows_of(scene.quads), "file": str(target)})
