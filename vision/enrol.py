"""Adding reference views to a deck."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision import photo
from vision.detect import Outline, outlines
from vision.errors import PhotoError
from vision.geometry import Quad, contains
from vision.labels import Label, LabelledPhoto
from vision.library import Library


@dataclass(frozen=True)
class Enrolment:
    """What came of enrolling from photos: views added, and plain sentences on what could not be used."""

    added: int
    problems: tuple[str, ...]


def from_photos(library: Library, photos: Iterable[LabelledPhoto]) -> Enrolment:
    """Add a view for every labelled card; photos that cannot be read are reported and passed over."""
    added, problems = 0, []
    for labelled in photos:
        try:
            image = photo.load(labelled.path)
        except PhotoError as error:
            problems.append(str(error))
            continue
        found = outlines(image)
        for label in labelled.cards:
            quad = outline_of(found, label)
            if quad is None:
                problems.append(
                    f"{labelled.name}: no outline round {label.card}; mark its corners or retake."
                )
                continue
            library.add(label.card, image, quad)
            added += 1
    return Enrolment(added, tuple(problems))


def outline_of(found: list[Outline], label: Label) -> Quad | None:
    """The card's outline: the one found round the label's point, or else the corners marked in the label."""
    for outline in found:
        if contains(outline.quad, (label.x, label.y)):
            return outline.quad
    return label.quad


def one(library: Library, card: str, image: NDArray[np.uint8]) -> bool:
    """Add the clearest outline of a picture as a view of `card`; False if there is none."""
    found = outlines(image)
    if found:
        library.add(card, image, found[0].quad)
    return bool(found)
