"""Read labels files, which say which cards lie in which photos, for enrolling and for measuring."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vision.errors import LabelsError
from vision.geometry import Quad, order_clockwise
from vision.photo import load_json


@dataclass(frozen=True)
class Label:
    """A card in a photo: its id, a point near its middle in pixels, and its corners if they were
    marked.

    `hidden`: partly under another card; `ignore`: not to be read (cut off at the edge of the photo,
    say). Neither is ever enrolled from.
    """

    card: str
    x: float
    y: float
    quad: Quad | None
    hidden: bool = False
    ignore: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether the card is fully visible and to be read."""
        return not (self.hidden or self.ignore)


@dataclass(frozen=True)
class LabelledPhoto:
    """One photo of a labels file. `path` is resolved against the file's folder; `name` is the text
    in the file."""

    path: Path
    name: str
    deck: str
    use: str
    cards: tuple[Label, ...]


def load_labels(
    file: str | Path, only_deck: str | None = None, use: str | None = None
) -> list[LabelledPhoto]:
    """Read a labels file, keeping the photos of one deck and of one use if these are given.

    Raises `LabelsError` with the fault and the entry.
    """
    path = Path(file)
    try:
        entries = load_json(path)
    except OSError as error:
        raise LabelsError(f"{path} cannot be opened: {error.strerror or error}.") from error
    except ValueError as error:
        raise LabelsError(f"{path} is not valid JSON: {error}.") from error
    if not isinstance(entries, list):
        raise LabelsError(f"{path} must hold a list of photos.")
    photos = [_parse_photo(path, number, entry) for number, entry in enumerate(entries)]
    return [p for p in photos if only_deck in (None, p.deck) and use in (None, p.use)]


def _parse_photo(file: Path, number: int, entry: Any) -> LabelledPhoto:
    where = f"{file}, photo {number + 1}"
    if not isinstance(entry, dict) or not isinstance(entry.get("photo"), str):
        raise LabelsError(f'{where}: "photo" with a path is missing.')
    cards = entry.get("cards", [])
    if not isinstance(cards, list):
        raise LabelsError(f'{where} ({entry["photo"]}): "cards" must be a list.')
    return LabelledPhoto(
        file.parent / entry["photo"],
        entry["photo"],
        str(entry.get("deck", "")),
        str(entry.get("use", "")),
        tuple(
            _parse_label(f"{where} ({entry['photo']}), card {i + 1}", card) for i, card in enumerate(cards)
        ),
    )


def _parse_label(where: str, entry: Any) -> Label:
    try:
        quad = entry.get("quad")
        corners = None if quad is None else order_clockwise(quad)
        marks = [bool(entry.get(mark, False)) for mark in ("hidden", "ignore")]
        label = Label(str(entry["card"]), float(entry["x"]), float(entry["y"]), corners, *marks)
    # a file written by hand may hold anything here: one sentence for all its faults
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise LabelsError(
            f'{where}: needs "card", "x", "y", and "quad" (if given) with four points.'
        ) from error
    # JSON as Python reads it allows NaN and Infinity
    if not label.card or not np.isfinite([label.x, label.y]).all():
        raise LabelsError(f'{where}: "card" is empty or "x", "y" are no numbers.')
    return label
