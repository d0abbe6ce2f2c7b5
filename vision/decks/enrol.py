"""Add reference views to a deck."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision import photo
from vision.decks.capture import detect_cards_in_reading_order
from vision.decks.labels import Label, LabelledPhoto
from vision.errors import LibraryError, PhotoError
from vision.geometry import Quad, contains_point
from vision.library import Library
from vision.outlines.detect import Outline, find_outlines, intersection_over_union
from vision.reading import Reading

MOST_VIEWS = 5
"""Most views of one design; more cost time and add little."""

AS_MARKED = 0.7
"""Shared area, as a part of the joint area, from which an outline is the card whose corners were
marked: a picture printed on it shares 0.35 to 0.52 with it, two cards taken for one 0.68. By hand,
340 cards were marked to within 0.74 of their outlines, most of them 0.95."""


@dataclass(frozen=True)
class Enrolment:
    """Result of enrolling from photos: number of views added, and sentences on the labels and
    photos that could not be used."""

    added: int
    problems: tuple[str, ...]


def enrol_photos(library: Library, photos: Iterable[LabelledPhoto]) -> Enrolment:
    """Add a view for every fully visible labelled card; photos that cannot be read are reported and
    skipped."""
    added, problems = 0, []
    for labelled in photos:
        try:
            image = photo.load_photo(labelled.path)
        except PhotoError as error:
            problems.append(str(error))
            continue
        found = find_outlines(image)
        for label in labelled.cards:
            # neither hidden nor ignored cards may become references
            if not label.is_whole:
                continue
            quad = find_outline_of_label(found, label)
            if quad is None:
                problems.append(
                    f"{labelled.name}: no outline round {label.card}; mark its corners or retake."
                )
                continue
            library.add_view(label.card, image, quad)
            added += 1
    return Enrolment(added, tuple(problems))


def find_outline_of_label(outlines: list[Outline], label: Label) -> Quad | None:
    """Choose a labelled card's outline: the one found round its point, or the marked corners if
    these show that the found one is another thing."""
    around = [outline.quad for outline in outlines if contains_point(outline.quad, (label.x, label.y))]
    if label.quad is None:
        return around[0] if around else None
    marked = label.quad
    return next((quad for quad in around if intersection_over_union(quad, marked) >= AS_MARKED), marked)


def enrol_sheet(
    library: Library, image: NDArray[np.uint8], first_card: str, order: Sequence[str]
) -> list[str]:
    """Add the cards laid out in a grid: the first is named, the rest follow the deck's `order`.

    Cards are counted row by row, from the top left of the picture. Returns the ids in that order.
    Raises `LibraryError` if `first_card` is not in `order`, or if more cards are visible than
    follow it.
    """
    if first_card not in order:
        raise LibraryError(f"{first_card} is not a card of this deck.")
    quads = detect_cards_in_reading_order(image, library.card_aspect)
    following = list(order[order.index(first_card) :])
    if not quads:
        raise LibraryError(
            "No card is in sight: lay them a finger apart, all in the picture, and look from above."
        )
    if len(quads) > len(following):
        raise LibraryError(
            f"{len(quads)} cards lie there, but only {len(following)} follow from {first_card} on."
        )
    # fewer cards may lie there than follow in the order
    for card, quad in zip(following, quads, strict=False):
        library.add_view(card, image, quad)
    return following[: len(quads)]


def count_copies(readings: Iterable[Reading]) -> dict[str, int]:
    """Count the copies of each design among the sure readings, to check that a deck is complete."""
    return dict(Counter(r.card for r in readings if r.sure and r.card is not None))


def add_confirmed_view(library: Library, image: NDArray[np.uint8], reading: Reading, card: str) -> None:
    """Add a view of `card` from an unsure reading that a player has confirmed, up to
    `MOST_VIEWS`."""
    if library.count_views(card) < MOST_VIEWS:
        library.add_view(card, image, reading.quad)
