"""Real photographs of a four-player table, read by the camera reader as a session's camera would:
each photo one reveal.

The photos lie outside the project, in `../shared/photos`. The deck's court cards mean nothing in
Donkey Valley.
"""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from cards import until

import companion
from companion.readers.camera.reader import CameraReader
from companion.readers.camera.sources import PhotoFolder
from companion.table.decks import Deck, Design
from companion.table.sightings import Report
from companion.table.table import Table
from companion.table.zones import Zone, Zones
from vision.decks import enrol, labels
from vision.library import Library

FOLDER = Path(companion.__file__).parents[2] / "shared" / "photos"
VALUES = {"1": 1, "0": 10} | {str(value): value for value in range(2, 10)}

DECK = Deck(
    "hand-made",
    "donkey_valley",
    tuple(
        Design(value + suit, f"load:any:{VALUES[value]}" if value in VALUES else None)
        for suit in "CDHS"
        for value in "1234567890JQK"
    ),
    "seat",
)

# The four players sit at the sides of an upright picture: the table is cut along its diagonals.
_CENTRE = (0.5, 0.5)
SEATS = Zones(
    (
        Zone("seat:1", ((0.0, 1.0), (1.0, 1.0), _CENTRE)),
        Zone("seat:2", ((0.0, 0.0), (0.0, 1.0), _CENTRE)),
        Zone("seat:3", ((0.0, 0.0), (1.0, 0.0), _CENTRE)),
        Zone("seat:4", ((1.0, 0.0), (1.0, 1.0), _CENTRE)),
    ),
    0.75,
)


class Reveal(NamedTuple):
    """One photo as the table understood it: the claims' cards by seat; a seat whose card nobody
    needs or knows is left out."""

    photo: str
    cards: dict[int, str]


def library() -> Library:
    """Enrol the deck from the photos of game 1: one view a design."""
    photos = labels.load_labels(FOLDER / "labels.json", only_deck="epfl52", use="reference")
    enrolled = Library()
    enrol.enrol_photos(enrolled, photos)
    return enrolled


def truth() -> dict[str, dict[int, str]]:
    """What really lies in the photos of games 2 and 3: photo to seat to design, by the labels'
    places."""
    photos = labels.load_labels(FOLDER / "labels.json", only_deck="epfl52", use="test")
    return {
        photo.path.name: {
            int(SEATS.find_zone_at(label.x / 1440, label.y / 1920).removeprefix("seat:")): label.card
            for label in photo.cards
        }
        for photo in photos
    }


def reveals(folder: Path, known: Library) -> list[Reveal]:
    """Let a camera reader go through a folder of photos, and ask the table after each what is
    there."""
    reports: SimpleQueue[Report] = SimpleQueue()
    source = PhotoFolder(folder)
    reader = CameraReader(source, known, SEATS)
    reader.start(reports.put)
    table, found = Table(DECK), []
    try:
        for number, _ in enumerate(sorted(folder.iterdir())):
            until(lambda wanted=number + 1: reader.processed_frames == wanted, 120)
            while not reports.empty():
                table.add_report(reports.get())
            now = time.monotonic() + 1
            table.update(now)
            cards = {claim.owner: claim.what for claim in table.list_claims(now) if claim.what is not None}
            table.mark_all_used()
            found.append(Reveal(source.files[number].name, cards))
            source.show_next()
    finally:
        reader.close()
    return found


def copy_games(target: Path, *games: int) -> Path:
    """Copy the photos of some games into one folder, as a session's camera folder."""
    target.mkdir()
    for game in games:
        for photo in (FOLDER / "epfl52").glob(f"game{game}-*.jpg"):
            shutil.copy(photo, target)
    return target
