"""Enrol from existing photos: find the cards of each, say which photos are in doubt, and propose a
name for each card. Nothing is saved before a person has confirmed the names.

The cards of one deck have one size and shape in all its photos: things of another size, such as
letters printed on a card, are not taken for cards (`inspect_photos`). A photo whose number of cards
differs from the others', or that cannot be used, would shift all names that follow, so people are
asked how many names it stands for (`PhotoBatch`, `Decision`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np

from companion.enrolment.album import Album
from companion.enrolment.card_pictures import draw_name_sheets, draw_numbered, draw_side_by_side
from companion.enrolment.card_spread import CardSpread, Names, OrderedSpread
from companion.enrolment.enroller import Enroller
from companion.enrolment.pack_spread import PackSpread
from companion.enrolment.picture_analysis import (
    OutlinedPicture,
    Picture,
    Shot,
    describe_rows,
    find_cards,
    find_gap,
    find_row_places,
    identify_card,
)
from companion.rules.contract import Text
from companion.user_files import write_file_atomically
from vision import photo
from vision.decks.capture import (
    CardSize,
    SizeCandidate,
    find_common_size,
    list_size_candidates,
    outline_things,
)
from vision.errors import PhotoError
from vision.geometry import Quad, scale_quad
from vision.naming import pack52

FOUND = "found"
"""Folder beside a deck's file for pictures that show what was taken from each photo."""

_ROUND = 0.2
"""Part of a card's longer side that is kept around it."""
_LONGEST = 900
"""Pixels to which the longer side of a card is reduced: 52 photos of twelve million pixels would
take two gigabytes until their cards have names."""


class Decision(NamedTuple):
    """What becomes of a photo: the cards that are taken (from 0), and how many names of the order
    are skipped after them."""

    taken: tuple[int, ...]
    skipped: int = 0


@dataclass
class InspectedPhoto:
    """A photo and the cards found in it, in reading order.

    `candidates`: all that may be cards. `places`: how many places its rows have, with empty ones.
    `size`: of its cards, None without any. `picture`: the message about the picture that shows
    them. `fault`: why it cannot be used or is doubtful; None if nothing is wrong.
    """

    file: Path
    shots: list[Shot]
    candidates: Sequence[SizeCandidate] = ()
    places: int = 0
    size: CardSize | None = None
    picture: Text | None = None
    fault: Text | None = None
    is_readable: bool = True

    @cached_property
    def likelihoods(self) -> pack52.Logs:
        """How well each card fits each name of a pack of 52."""
        rated = [pack52.name_log_likelihoods(shot.image, [shot.quad]) for shot in self.shots]
        return np.concatenate(rated)

    def take_all(self) -> Decision:
        """Return the decision that takes all of its cards."""
        return Decision(tuple(range(len(self.shots))))


class PhotoBatch:
    """The photos of a folder, and what is in doubt about them. `not_read`: further
    pictures, in formats that are not read. `any_order`: the cards do not follow the deck's order.

    `order`: the designs that are wanted; none if the cards lie in any order. `usual`: how many
    cards most photos show; 0 if there is no such number.
    """

    def __init__(
        self,
        enroller: Enroller,
        photos: Sequence[InspectedPhoto],
        not_read: Sequence[Path] = (),
        *,
        any_order: bool,
    ) -> None:
        self._enroller = enroller
        self._not_read = not_read
        self.unused = [one for one in photos if any_order and not one.shots]
        """Photos that are left out without asking, because no name depends on them."""
        self.photos = [one for one in photos if one not in self.unused]
        self.order = [] if any_order else enroller.remaining_designs
        self.usual = _find_usual_count([len(one.shots) for one in self.photos if one.shots])
        for number, one in enumerate(self.photos, 1):
            one.fault = None if any_order else one.fault or self._find_odd_count(one, number)

    def _find_odd_count(self, one: InspectedPhoto, number: int) -> Text | None:
        # The last photo may show what was left of the deck.
        least = 1 if number == len(self.photos) else self.usual
        if not self.usual or least <= len(one.shots) <= self.usual:
            return None
        return Text(
            "enrol.photo.count", {"photo": one.file.name, "count": len(one.shots), "usual": self.usual}
        )

    def find_doubt(self, spread: CardSpread, names: Names) -> Text | None:
        """Return what a person would have to decide; None if all photos, and the `names` of all
        their cards, are clear."""
        doubts = [Text("enrol.photo.format", {"photo": file.name}) for file in self._not_read]
        doubts += [one.fault for one in (*self.unused, *self.photos) if one.fault is not None]
        if doubts:
            return doubts[0]
        count = len(spread.find_doubtful(names)) + len(spread.find_similar_pairs(names))
        return Text("enrol.photo.doubtful", {"count": count}) if count else None

    def count_places(self, one: InspectedPhoto) -> int:
        """Return how many cards probably lie in a photo, found or not; 0 if nothing tells."""
        return self.usual or one.places

    def spread_cards(self, decisions: Sequence[Decision]) -> CardSpread:
        """Return the cards that are taken, with the names that the order, or what they show,
        proposes."""
        # Skipped names are used up like those of cards that were found.
        names = iter(self.order)
        expected = []
        for decision in decisions:
            expected.append([next(names, None) for _ in decision.taken])
            for _ in range(decision.skipped):
                next(names, None)
        cards = list(zip(self.photos, decisions, expected, strict=True))
        if self._enroller.spread.is_pack:
            pack = PackSpread(self._enroller.album.deck, self.order)
            for one, (taken, _), by_order in cards:
                if taken:
                    shots = [one.shots[i] for i in taken]
                    pack.add_ordered_cards(shots, one.likelihoods[list(taken)], by_order)
            return pack
        shots = [one.shots[i] for one, (taken, _), _ in cards for i in taken]
        flat = tuple(name for by_order in expected for name in by_order)
        library = self._enroller.album.library
        return OrderedSpread(shots, flat, self.order, lambda shot: identify_card(shot, library))


def inspect_photos(album: Album, files: Sequence[Path]) -> list[InspectedPhoto]:
    """Find the cards of each photo, and save pictures in which they are outlined and numbered.

    A photo in which nothing has the size of the other photos' cards is searched for that size.
    """
    photos = [_inspect_photo(album, file) for file in files]
    size = find_common_size([one.candidates for one in photos if one.candidates])
    return [one if size is None else _search_for_size(album, one, size) for one in photos]


def _search_for_size(album: Album, one: InspectedPhoto, size: CardSize) -> InspectedPhoto:
    # A damaged photo stays so; one without cards may have some of this size.
    if not one.is_readable or (one.size is not None and one.size.is_like(size)):
        return one
    again = _inspect_photo(album, one.file, size)
    if again.shots:
        return again
    if one.shots:
        # Only a person can tell whether these are cards.
        one.fault = one.fault or Text("enrol.photo.size", {"photo": one.file.name})
    return one


_NOTHING = Text("enrol.photo.nothing")


def _inspect_photo(album: Album, file: Path, size: CardSize | None = None) -> InspectedPhoto:
    """Find the cards of one photo: of this size only, if it is given."""

    def describe_fault(reason: Text) -> Text:
        return Text("enrol.photo.unused", {"photo": file.name, "reason": reason})

    try:
        image = photo.load_photo(file)
    except PhotoError as error:
        fault = describe_fault(Text("enrol.photo.bad", {"reason": str(error)}))
        return InspectedPhoto(file, [], is_readable=False, fault=fault)
    tall, outlined = album.library.card_aspect, outline_things(image)
    quads = find_cards(image, tall, size, outlined)
    candidates = [] if size is not None else list_size_candidates(image, outlined, quads, tall)
    if not quads:
        return InspectedPhoto(file, [], candidates, fault=describe_fault(_NOTHING))
    gap = find_gap(quads)
    return InspectedPhoto(
        file,
        [_cut_out(image, quad) for quad in quads],
        candidates,
        sum(row.places for row in find_row_places(quads)),
        CardSize.measure_cards(quads, image),
        write_found_picture(album, OutlinedPicture(image, tuple(quads)), file.stem),
        None if gap is None else describe_fault(Text("enrol.photo.gap", {"number": gap})),
    )


def _cut_out(image: Picture, quad: Quad) -> Shot:
    """Return a card with a little of what is around it, not larger than is needed to learn it."""
    low, high = quad.min(axis=0), quad.max(axis=0)
    # A view is learnt with a margin, and no outline is exact.
    around = _ROUND * float((high - low).max())
    left, top = np.maximum(np.floor(low - around), 0).astype(int)
    right, bottom = np.ceil(high + around).astype(int) + 1
    scale = min(1.0, _LONGEST / float((high - low).max()))
    cut = np.ascontiguousarray(image[top:bottom, left:right])
    small = cv2.resize(cut, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else cut
    return Shot(np.asarray(small, np.uint8), scale_quad(quad - (left, top), scale))


def _find_usual_count(counts: Sequence[int]) -> int:
    """Return how many cards most of the photos show; 0 if no number is that of more than half."""
    return next((count for count, times in Counter(counts).items() if 2 * times > len(counts)), 0)


def write_name_sheets(album: Album, shots: Sequence[Shot], names: Names) -> Iterator[Text]:
    """Save sheets that show each card with its number and name, and yield messages saying where."""
    captions = [f"{number} {name or '?'}" for number, name in enumerate(names, 1)]
    for number, sheet in enumerate(draw_name_sheets(shots, captions), 1):
        yield from _write_picture(album, sheet, f"names-{number}", "enrol.pack.picture")


def write_comparison(
    album: Album, shots: Sequence[Shot], names: Names, indices: Sequence[int]
) -> Iterator[Text]:
    """Save a picture of some of these cards side by side, and yield a message saying where."""
    captions = [f"{i + 1} {names[i] or '?'}" for i in indices]
    name = "-".join(["alike", *(str(i + 1) for i in indices)])
    picture = draw_side_by_side([shots[i] for i in indices], captions)
    yield from _write_picture(album, picture, name, "enrol.pack.picture")


def write_found_picture(album: Album, scene: OutlinedPicture, name: str) -> Text | None:
    """Save the picture that shows the cards found, and return a message with its place and rows;
    None if it cannot be saved."""
    rows = describe_rows(scene.quads)
    return next(_write_picture(album, draw_numbered(scene), name, "enrol.photo.picture", rows=rows), None)


def _write_picture(album: Album, image: Picture, name: str, code: str, **words: object) -> Iterator[Text]:
    target = Path(album.deck.folder or ".") / FOUND / f"{name}.jpg"
    try:
        _, data = cv2.imencode(".jpg", image)
        write_file_atomically(target, data.tobytes())
    except OSError:
        # The picture only helps to check: without it the enrolment is complete all the same.
        return
    yield Text(code, {**words, "file": str(target)})
