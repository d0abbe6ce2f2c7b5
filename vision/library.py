"""Store the reference views of a deck: what each of its designs looks like.

On disk (`<deck folder>/references/`) there are the views as PNG files, each a card cut out upright
with a small margin, and `index.json`, which names the card that each file shows. Everything else is
computed on loading.
"""

import errno
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Self

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import VIEWS_FOLDER, VIEWS_INDEX, photo
from vision.errors import LibraryError, PhotoError
from vision.fitting import thumbnails
from vision.fitting.patch import (
    MARGIN,
    WIDTH,
    Pixels,
    crop_margin,
    cut_raw_patch,
    height_for_aspect,
    normalize_exposure,
)
from vision.fitting.template import Template, make_template
from vision.geometry import Quad, aspect_ratio, make_rectangle, start_on_short_side
from vision.outlines.keypoints import DeckFeatures
from vision.photo import load_json
from vision.steps import Steps, run_to_end

VERSION = 1

USUAL = 88 / 63
"""Height by width of a playing card (poker size, 63 x 88 mm), with which a camera finds cards
before any is enrolled."""


@dataclass(frozen=True, eq=False)
class Reference:
    """One view of one design.

    `card`: the design's id. `picture`: BGR uint8, the card upright with a margin of `patch.MARGIN`.
    """

    card: str
    picture: NDArray[np.uint8]

    @property
    def aspect(self) -> float:
        """Height by width of the card in the view."""
        return (int(self.picture.shape[0]) - 2 * MARGIN) / WIDTH


@dataclass(frozen=True)
class Margins:
    """Scores that a verdict must reach to be acted on; a deck's own come from
    `vision.decks.separation`.

    `likeness` and `lead`: least values for "sure"; `known`: likeness below which the card is of no
    design.
    """

    likeness: float = 0.7
    lead: float = 0.21
    known: float = 0.5


_OURS = re.compile(r"\d{4,}_[A-Za-z0-9_-]*\.png")
"""Names that `save` gives. Other pictures in the folder are not ours to delete."""


class Library:
    """The enrolled views of one deck. `designs`: its card ids in the order in which they were
    enrolled.

    `pack`: number of cards of each design that may be identified before it has a view, because it
    belongs to an ordinary pack of 52 (`vision.naming.pack52.NAMES`). `is_colourless`: whether the
    views are grey, to be compared with a picture without colour.
    """

    def __init__(
        self,
        references: Iterable[Reference] = (),
        margins: Margins | None = None,
        pack: Mapping[str, int] | None = None,
    ) -> None:
        self.is_colourless = False
        self.references: list[Reference] = list(references)
        self.margins = margins or Margins()
        self.pack: Mapping[str, int] = dict(pack or {})

    @property
    def designs(self) -> list[str]:
        """The ids of all designs with at least one view, in order of enrolment."""
        return list(dict.fromkeys(r.card for r in self.references))

    def __len__(self) -> int:
        return len(self.references)

    @cached_property
    def missing_designs(self) -> list[str]:
        """The designs of `pack` that have no view yet."""
        enrolled = set(self.designs)
        return [design for design in self.pack if design not in enrolled]

    @cached_property
    def without_colour(self) -> "Library":
        """The same deck with grey views. In a picture without colour, coloured views would fit
        worse than black ones of the same shape, as if the missing colour were black."""
        grey = Library(
            (replace(one, picture=_remove_colour(one.picture)) for one in self.references),
            self.margins,
            self.pack,
        )
        grey.is_colourless = True
        return grey

    def count_views(self, card: str) -> int:
        """Return how many reference views a design has."""
        return sum(r.card == card for r in self.references)

    def add_view(self, card: str, image: NDArray[np.uint8], quad: Quad | None = None) -> None:
        """Add a view of `card`: from the quad in a picture, or (no quad) a picture of just the
        card.

        The quad may start at any corner; the card is stood on its short side.
        """
        if not card:
            raise LibraryError("A card needs an id to be enrolled.")
        if quad is None:
            whole = make_rectangle(image.shape[1], image.shape[0])
            quad = whole
        quad = start_on_short_side(quad)
        picture = cut_raw_patch(image, quad, height_for_aspect(min(aspect_ratio(quad), 3.0)))
        self.references.append(Reference(card, picture))
        self._clear_caches()

    def remove_design(self, card: str) -> None:
        """Remove all views of a design, to enrol it again."""
        self.references = [r for r in self.references if r.card != card]
        self._clear_caches()

    def _clear_caches(self) -> None:
        # cached properties that depend on the views: each is computed again when it is next used
        for name, value in vars(type(self)).items():
            if isinstance(value, cached_property):
                self.__dict__.pop(name, None)

    @classmethod
    def from_drawings(cls, drawings: Mapping[str, NDArray[np.uint8]]) -> Self:
        """Build a library from drawings: BGR pictures that show the whole card and nothing else."""
        library = cls()
        for card, drawing in drawings.items():
            library.add_view(card, drawing)
        return library

    @cached_property
    def patch_height(self) -> int:
        """Height in patch pixels to which every card of the deck is scaled; that of playing cards
        while no card is enrolled."""
        return height_for_aspect(float(np.median([r.aspect for r in self.references] or [USUAL])))

    @property
    def card_aspect(self) -> float:
        """A card's long side by its short one."""
        return self.patch_height / WIDTH

    def prepare_view(self, index: int) -> Pixels:
        """Return view number `index` without margin, of one size with all others, exposed alike.
        Only a few are cached: a whole deck's would take 60 MB, and making one takes a third of a
        millisecond."""
        return _prepare_reference(_ReferenceKey(self.references[index]), self.patch_height)

    @cached_property
    def descriptors(self) -> NDArray[np.float32]:
        """The coarse descriptor of each view, one a row."""
        return np.stack([thumbnails.compute_descriptor(self.prepare_view(i)) for i in range(len(self))])

    @cached_property
    def keypoints(self) -> DeckFeatures:
        """The keypoints of each view, by which cards without a visible outline are found."""
        return run_to_end(self._find_keypoints_in_steps())

    def load_keypoints_in_steps(self) -> Steps[DeckFeatures]:
        """Return `keypoints`, which take 0.2 s and more when they are first asked for: one view a
        step."""
        if "keypoints" in self.__dict__:
            return self.keypoints
        references = list(self.references)
        found = yield from self._find_keypoints_in_steps()
        # between two steps, a view may have been added
        if list(map(id, references)) == list(map(id, self.references)):
            self.__dict__["keypoints"] = found
        return found

    def _find_keypoints_in_steps(self) -> Steps[DeckFeatures]:
        return DeckFeatures.from_views_in_steps(
            [
                (r.card, np.ascontiguousarray(r.picture[MARGIN:-MARGIN, MARGIN:-MARGIN]))
                for r in self.references
            ]
        )

    def find_similar_views(self, index: int, limit: int) -> list[tuple[int, bool]]:
        """Return the views of other designs most like view number `index` by their coarse
        descriptors, one for each design, each with whether it is turned."""
        card = self.references[index].card
        upright, turned = (row[index] for row in self._view_similarity)
        best = np.maximum(upright, turned)
        found: dict[str, tuple[int, bool]] = {}
        # the most similar first, so that `setdefault` keeps the best view of each design
        for other in (int(i) for i in np.argsort(-best)):
            name = self.references[other].card
            if name != card and len(found) < limit:
                found.setdefault(name, (other, bool(turned[other] > upright[other])))
        return list(found.values())

    @cached_property
    def _view_similarity(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The correlation of each view with each, and of each with each turned upside down."""
        known = self.descriptors
        return known @ known.T, known @ thumbnails.rotate_descriptors(known).T

    def get_template(self, index: int) -> Template:
        """Return view number `index` prepared for aligning (the most recently used are cached)."""
        return _make_reference_template(_ReferenceKey(self.references[index]), self.patch_height)

    def save(self, deck_folder: str | Path) -> None:
        """Write `references/` in a deck folder, replacing earlier files only when everything is
        written. Raises `LibraryError`."""
        folder = Path(deck_folder) / VIEWS_FOLDER
        try:
            if folder.is_symlink():
                raise LibraryError(
                    f"{folder} is a link to another folder: remove it, nothing is written through it.",
                    "link",
                    str(folder),
                )
            folder.mkdir(parents=True, exist_ok=True)
            entries = []
            for number, reference in enumerate(self.references):
                # numbered, because different ids may become the same file name
                name = f"{number:04d}_{_escape_file_name(reference.card)}.png"
                ok, data = cv2.imencode(".png", reference.picture)
                if not ok:
                    raise LibraryError(f"The view of {reference.card} cannot be written as PNG.")
                _write_atomically(folder / name, data.tobytes())
                entries.append({"card": reference.card, "file": name})
            index = {"version": VERSION, "margins": asdict(self.margins), "views": entries}
            # the index last: until it is there, the old one and its pictures are complete
            _write_atomically(folder / VIEWS_INDEX, json.dumps(index, indent=1).encode())
            _sync_folder(folder)
            saved_files = {entry["file"] for entry in entries}
            for old in folder.glob("*.png"):
                if old.name not in saved_files and _OURS.fullmatch(old.name):
                    old.unlink()
        except OSError as error:
            raise LibraryError(
                f"The references cannot be written to {folder}: {error.strerror or error}.",
                "unwritable",
                str(folder),
            ) from error

    @classmethod
    def load(cls, deck_folder: str | Path) -> Self:
        """Read the reference views of a deck folder. Raises `LibraryError` with what to do."""
        folder = Path(deck_folder) / VIEWS_FOLDER
        try:
            index = load_json(folder / VIEWS_INDEX)
            entries = [(str(e["card"]), str(e["file"])) for e in index["views"]]
            # a deck saved without margins gets the usual ones
            margins = Margins(**{name: float(value) for name, value in index.get("margins", {}).items()})
        except FileNotFoundError as error:
            raise _no_cards_error(deck_folder) from error
        except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            broken = f"{folder / VIEWS_INDEX} is damaged: enrol the deck again."
            raise LibraryError(broken, "damaged", str(folder / VIEWS_INDEX)) from error
        if not entries:
            raise _no_cards_error(deck_folder)
        references = []
        for card, name in entries:
            try:
                # The bare name: an index made by somebody else must not lead out of the folder.
                picture = photo.load_photo(folder / Path(name).name)
            except PhotoError as error:
                raise LibraryError(
                    f"The view of {card} is missing or damaged: enrol it again. ({error})", "view", card
                ) from error
            if picture.shape[1] != WIDTH + 2 * MARGIN:
                old = f"The view {name} was made by another version: enrol the deck again."
                raise LibraryError(old, "version", card)
            references.append(Reference(card, picture))
        return cls(references, margins)


def _remove_colour(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    grey = cv2.cvtColor(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    return np.asarray(grey, dtype=np.uint8)


def _write_atomically(file: Path, data: bytes) -> None:
    """Write the file completely or not at all; a link of that name is replaced, not followed. A
    file with these contents stays: a deck's views are saved after each card that is enrolled."""
    if file.is_file() and not file.is_symlink() and file.read_bytes() == data:
        return
    fresh = file.with_name(file.name + ".new")
    # left over from an interrupted write
    fresh.unlink(missing_ok=True)
    # `x` refuses to follow a link created in between
    with fresh.open("xb") as target:
        target.write(data)
        target.flush()
        # Before the renaming: a power failure might otherwise leave the name without the contents.
        os.fsync(target.fileno())
    fresh.replace(file)


def _sync_folder(folder: Path) -> None:
    """Make new names durable; Windows needs no such call."""
    if hasattr(os, "O_DIRECTORY"):
        number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(number)
        except OSError as error:
            # Some file systems know no such call for folders.
            if error.errno not in (errno.EINVAL, errno.ENOTSUP):
                raise
        finally:
            os.close(number)


def _escape_file_name(card: str) -> str:
    """Return a file name part for an id that may hold ':' or '/'."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in card)[:60]


class _ReferenceKey:
    """A cache key that compares views by identity."""

    def __init__(self, reference: Reference) -> None:
        self.reference = reference

    def __hash__(self) -> int:
        return id(self.reference)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ReferenceKey) and other.reference is self.reference


@lru_cache(maxsize=16)
def _prepare_reference(key: _ReferenceKey, height: int) -> Pixels:
    bare = crop_margin(normalize_exposure(key.reference.picture))
    if bare.shape[0] != height:
        bare = np.asarray(cv2.resize(bare, (WIDTH, height)), dtype=np.float32)
    return bare


@lru_cache(maxsize=256)
def _make_reference_template(key: _ReferenceKey, height: int) -> Template:
    return make_template(_prepare_reference(key, height))


def _no_cards_error(folder: str | Path) -> LibraryError:
    return LibraryError(f"{folder} has no enrolled cards: run enrol first.", "none", str(folder))
