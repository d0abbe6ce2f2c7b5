"""Enrol from existing photos, in which the cards follow the deck's order, and draw pictures with
outlines and numbers for people to check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np

from companion.enrolment.album import Album
from companion.enrolment.enroller import Enroller
from companion.enrolment.pack_spread import Names
from companion.enrolment.picture_analysis import (
    OutlinedPicture,
    Picture,
    Shot,
    describe_rows,
    find_cards,
    find_gap,
    find_row_places,
)
from companion.readers.camera.pictures import CardLabel
from companion.rules.contract import Text
from vision import photo
from vision.errors import PhotoError
from vision.geometry import Quad, find_homography, make_rectangle, start_on_short_side

_OUTLINE = (80, 230, 90)


def draw_outlines(scene: OutlinedPicture, width: int = 480) -> Picture:
    """Draw the outlines over a copy of the picture that is `width` pixels wide."""
    height, full = scene.image.shape[:2]
    scale = width / full
    size = (width, max(round(height * scale), 1))
    image = np.asarray(cv2.resize(scene.image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    for quad in scene.quads:
        corners = (quad * scale).astype(np.int32).reshape(-1, 1, 2)
        cv2.polylines(image, [corners], True, _OUTLINE, max(width // 160, 2), cv2.LINE_AA)
    return image


def make_labels(scene: OutlinedPicture, captions: Sequence[str] = ()) -> list[CardLabel]:
    """Return labels for the middle of each card: its number, or `captions`."""
    size = np.array(scene.image.shape[1::-1])
    middles = [map(float, quad.mean(axis=0) / size) for quad in scene.quads]
    written = captions or [str(number) for number in range(1, len(scene.quads) + 1)]
    # A box without size: the label stands on the middle of the card.
    return [CardLabel(x, y, x, y, word) for word, (x, y) in zip(written, middles, strict=True)]


def draw_numbered(scene: OutlinedPicture, captions: Sequence[str] = ()) -> Picture:
    """Draw outlines and numbers (or `captions`) over a copy of the picture, to be saved."""
    image = draw_outlines(scene, 1440)
    for x, y, _, _, word in make_labels(scene, captions):
        size = 1.4 if len(word) < 4 else 0.8
        at = round(x * image.shape[1] - 17 * size * len(word) / 1.4), round(y * image.shape[0]) + 12
        # First a thick black outline, then the text itself: legible on any card.
        for colour, thick in (((0, 0, 0), 9), (_OUTLINE, 3)):
            cv2.putText(image, word, at, cv2.FONT_HERSHEY_DUPLEX, size, colour, thick, cv2.LINE_AA)
    return image


_CARD_HIGH = 420
"""Height in pixels of a card shown beside a similar one."""

CORNER = 0.36
"""Part of a card's width and height that contains rank and suit."""

_BETWEEN = 12
"""Pixels around each of the cards that are shown side by side."""


def draw_side_by_side(
    shots: Sequence[Shot], captions: Sequence[str] = (), corner_share: float = 1.0
) -> Picture:
    """Draw cards side by side, upright, each with its caption.

    `corner_share`: show only this share of their width and height, from the upper left corner,
    enlarged to the same size.
    """
    head = 40 if captions else _BETWEEN
    # 1.4: the height of a poker card divided by its width.
    high = round(_CARD_HIGH / corner_share)
    target = make_rectangle(round(high / 1.4), high)
    size = round(high / 1.4 * corner_share), round(high * corner_share)
    panels = []
    for number, shot in enumerate(shots):
        card = cv2.warpPerspective(shot.image, find_homography(start_on_short_side(shot.quad), target), size)
        card = cv2.copyMakeBorder(
            card, head, _BETWEEN, _BETWEEN, _BETWEEN, cv2.BORDER_CONSTANT, value=(32, 32, 32)
        )
        if captions:
            at, font = (_BETWEEN, 28), cv2.FONT_HERSHEY_DUPLEX
            cv2.putText(card, captions[number], at, font, 0.8, _OUTLINE, 2, cv2.LINE_AA)
        panels.append(card)
    return np.asarray(np.hstack(panels), dtype=np.uint8)


def add_pack_photos(enroller: Enroller, files: Sequence[Path]) -> Iterator[Text]:
    """Take a pack laid out in any order from its photos; yield for each photo how many cards it
    shows, or why it cannot be used. The cards are named later."""
    for file in files:
        try:
            count = enroller.add_pack_photo(photo.load_photo(file))
        except PhotoError as error:
            reason = Text("enrol.photo.bad", {"reason": str(error)})
            yield Text("enrol.photo.unused", {"photo": file.name, "reason": reason})
            continue
        if count:
            yield Text("enrol.pack.photo", {"photo": file.name, "count": count})
        else:
            reason = Text("enrol.photo.nothing")
            yield Text("enrol.photo.unused", {"photo": file.name, "reason": reason})


def write_named_pictures(enroller: Enroller, names: Names) -> Iterator[Text]:
    """Save pictures of a laid-out pack, each card with its number and name, and yield messages
    saying where."""
    first = 0
    for number, sheet in enumerate(enroller.spread.sheets, 1):
        captions = [
            f"{i} {name or '?'}" for i, name in enumerate(names[first : first + len(sheet)], first + 1)
        ]
        first += len(sheet)
        scene = OutlinedPicture(sheet[0].image, tuple(shot.quad for shot in sheet))
        yield from _write_picture(
            enroller.album, draw_numbered(scene, captions), f"pack-{number}", "enrol.pack.picture"
        )


def write_comparison(enroller: Enroller, names: Names, indices: Sequence[int]) -> Iterator[Text]:
    """Save a picture of some of these cards side by side, and yield a message saying where."""
    shots = enroller.spread.shots
    captions = [f"{i + 1} {names[i] or '?'}" for i in indices]
    name = "-".join(["alike", *(str(i + 1) for i in indices)])
    yield from _write_picture(
        enroller.album, draw_side_by_side([shots[i] for i in indices], captions), name, "enrol.pack.picture"
    )


FOUND = "found"
"""Folder beside a deck's file for pictures that show what was taken from each photo."""


def enrol_from_photos(enroller: Enroller, files: Sequence[Path]) -> Iterator[Text]:
    """Take the cards of each photo, one design after another; yield for each photo the result, with
    a picture in which each card is outlined and numbered.

    A photo that cannot be used is reported. The next one is still used if it is known how many
    names to skip: as many as each of the other photos shows, or as its own rows have places.
    Otherwise the names of all that follow would be wrong, and that is reported for each of them.
    """
    tall = enroller.album.library.card_aspect
    # All photos are examined first, because skipping one requires the usual number of cards.
    inspected = [_inspect_photo(file, tall) for file in files]
    usual = _find_usual_count([len(quads) for quads, fault in inspected if fault is None])
    lost = False
    for file, (quads, fault) in zip(files, inspected, strict=True):
        names = enroller.remaining_designs
        if not names:
            return
        if lost:
            yield Text("enrol.photo.after", {"photo": file.name})
            continue
        if fault is None and len(quads) > len(names):
            fault = Text("enrol.photo.many", {"count": len(quads), "left": len(names)})
        if fault is None:
            image = photo.load_photo(file)
            enroller.capture_all(image, quads)
            yield _describe_photo(enroller, "enrol.photo.taken", file, names[: len(quads)])
            yield from write_found_picture(enroller.album, OutlinedPicture(image, tuple(quads)), file.stem)
            continue
        yield Text("enrol.photo.unused", {"photo": file.name, "reason": fault})
        if quads:
            yield from write_found_picture(
                enroller.album, OutlinedPicture(photo.load_photo(file), tuple(quads)), file.stem
            )
        expected = max(usual, sum(row.places for row in find_row_places(quads)))
        lost = not 0 < expected <= len(names)
        if not lost:
            for _ in range(expected):
                enroller.skip()
            yield _describe_photo(enroller, "enrol.photo.left_out", file, names[:expected])


def _inspect_photo(file: Path, tall: float) -> tuple[list[Quad], Text | None]:
    """Return the cards of a photo in reading order, and why they cannot be taken, None if they
    can."""
    try:
        quads = find_cards(photo.load_photo(file), tall)
    except PhotoError as error:
        return [], Text("enrol.photo.bad", {"reason": str(error)})
    gap = find_gap(quads)
    if gap is not None:
        return quads, Text("enrol.photo.gap", {"number": gap})
    return quads, None if quads else Text("enrol.photo.nothing")


def _find_usual_count(counts: Sequence[int]) -> int:
    """Return how many cards each photo shows, where the last may show fewer; 0 if they differ."""
    ((most, times),) = Counter(counts).most_common(1) or [(0, 0)]
    # Without the last photo, which may show fewer cards.
    others = [count for count in counts[:-1] if count != most]
    clear = not others and (times == len(counts) or (times > 1 and counts[-1] < most))
    return most if clear else 0


def _describe_photo(enroller: Enroller, code: str, file: Path, names: Sequence[str]) -> Text:
    words = {
        "first": enroller.album.describe_design(names[0]),
        "last": enroller.album.describe_design(names[-1]),
    }
    return Text(code, {"photo": file.name, "count": len(names), "card": names[0], **words})


def write_found_picture(album: Album, scene: OutlinedPicture, name: str) -> Iterator[Text]:
    """Save the picture that shows the cards found, and yield a message with its place and rows;
    nothing if it cannot be saved."""
    rows = describe_rows(scene.quads)
    yield from _write_picture(album, draw_numbered(scene), name, "enrol.photo.picture", rows=rows)


def _write_picture(album: Album, image: Picture, name: str, code: str, **words: object) -> Iterator[Text]:
    target = Path(album.deck.folder or ".") / FOUND / f"{name}.jpg"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _, data = cv2.imencode(".jpg", image)
        target.write_bytes(data.tobytes())
    except OSError:
        # The picture only helps to check: without it the enrolment is complete all the same.
        return
    yield Text(code, {**words, "file": str(target)})
