"""The cameras of an evening: what each looks at, what it knows of the deck, and where the table is
in its picture."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from companion.decks import back_drawing, drawings
from companion.decks.references import place_of, words_of
from companion.plan import OFF, CannotBegin, Plan
from companion.readers.camera.finding import find
from companion.readers.camera.reader import CameraReader
from companion.readers.camera.sources import Photos
from companion.rules.contract import Text
from companion.table import zones as layouts
from companion.table.decks import Deck
from companion.table.identification import BACK
from companion.table.zones import Zones
from companion.views.host import Backstage, Command
from vision.errors import LibraryError
from vision.library import Library


class Cameras(NamedTuple):
    """The readers of the cameras; `know_back`: they can tell the back of the deck's cards."""

    readers: list[CameraReader]
    know_back: bool


def open_cameras(plan: Plan, deck: Deck, seats: int) -> Cameras:
    """Make the readers of the cameras that the plan names; they share what is known of the deck.

    Raises `CannotBegin` when that is too little or damaged, and `ZonesError` for a layout that says
    something wrong.
    """
    named = [what for what in plan.cameras if what != OFF]
    if not named:
        return Cameras([], know_back=False)
    library, layout = _library(deck, plan.language), _layout(plan.zones, seats)
    markers = {design.marker: design.name for design in deck.designs if design.marker is not None}
    readers = [CameraReader(find(what), library, layout, markers=markers) for what in named]
    return Cameras(readers, BACK in library.designs)


def photo_keys(cameras: list[CameraReader]) -> Backstage | None:
    """Return the key that turns the pages, where a folder of photos takes a camera's place."""
    folders = [camera.source for camera in cameras if isinstance(camera.source, Photos)]
    return PhotoKeys(folders[0]) if folders else None


class PhotoKeys:
    """The key that turns to the next photo of a folder."""

    def __init__(self, photos: Photos) -> None:
        self.commands = (Command("n", Text("reader.next_photo"), photos.next, "n"),)

    def tick(self, now: float) -> None:
        """Do nothing: the photos wait for the key."""

    def pause(self, paused: bool) -> None:
        """Do nothing: photos stand still anyway."""


def _library(deck: Deck, language: str) -> Library:
    """Return what the camera knows of the deck: the views that were enrolled, and our own drawings
    of cards that have none.

    Raises `CannotBegin` when views are damaged, and when more than half of the designs that mean
    something are unknown: that deck has not been enrolled.
    """
    views = place_of(deck)
    try:
        library = Library() if views is None else Library.load(views)
    except LibraryError as error:
        raise CannotBegin(Text("cards.no_views", {"reason": words_of(error)})) from error
    drawn = drawings(deck, language)
    if drawn:
        drawn[BACK] = np.asarray(back_drawing(deck.game))
    enrolled = set(library.designs)
    for design, picture in drawn.items():
        if design not in enrolled:
            library.add(design, picture)
    known = set(library.designs)
    meant = [design.name for design in deck.designs if design.card is not None]
    if sum(name in known for name in meant) * 2 < len(meant):
        raise CannotBegin(Text("play.no_references", {"deck": deck.name}))
    return library


def _layout(file: Path | None, seats: int) -> Zones:
    """Return the layout kept in `file`; one made for another number of players gives only where the
    table is in the picture."""
    if file is None:
        return layouts.default(seats)
    kept = layouts.load(file)
    fits = f"seat:{seats}" in kept.names and f"seat:{seats + 1}" not in kept.names
    return kept if fits else layouts.default(seats, kept.aspect).seen_by(kept.camera)
