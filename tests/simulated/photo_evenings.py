"""An evening of Donkey Valley read from real photographs: each photo of a folder is one reveal of
four players.

The deck is enrolled from the photos of one game, the evening is played on those of two others;
donkeys and decisions come from a script, as people would enter them, and the cards from the camera
reader alone (`python -m bench by_photo` prints them).
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from companion.evening.cameras import RevealPictures
from companion.games.donkey_valley import moves as ask
from companion.journal.journal import Journal
from companion.live.live_session import LiveSession
from companion.readers.camera.reader import CameraReader
from companion.readers.camera.sources import PhotoFolder
from companion.rules.contract import Refusal
from companion.rules.start import Start, prepare_game
from companion.table.decks import Deck
from companion.table.table import Table
from companion.table.zones import make_default_zones
from vision.decks.enrol import enrol_photos
from vision.decks.labels import load_labels
from vision.library import Library

PHOTOS = Path(__file__).parents[3] / "shared" / "photos"
PLAYERS = ("South", "West", "North", "East")
"""Seats clockwise from the near edge, as the zones count them."""
ASPECT = 1440 / 1920
TIMEOUT = 120.0
"""Seconds for one photo to be read; it takes about half a second."""
SCRIPT: Sequence[tuple[str, str]] = (
    ("normal", "arar"), ("giant", "raar"), ("hand_picked", "aara"), ("attacked", "rrra"),
    ("puny", "raar"), ("precision", "aara"), ("normal", "rara"), ("stubborn", "aaaa"),
)  # fmt: skip
"""For each reveal: the donkey, and who accepts or refuses, in the order of the seats."""


class Reveal(NamedTuple):
    """One photo that can be played: its file and the value in front of each seat, as labelled."""

    photo: Path
    values: tuple[int, ...]


class Row(NamedTuple):
    """One line of the table; `cards` are those that the camera read, by seat."""

    photo: str
    donkey: str
    cards: tuple[int, ...]
    labelled: tuple[int, ...]
    total: int
    limit: int | None
    overloaded: bool
    points: Mapping[str, int]


def value_of(design: str) -> int | None:
    """Return what a card of the photographed pack is worth: `1C` 1, `0H` 10; None for court
    cards."""
    return {"0": 10}.get(design[0], int(design[0])) if design[0].isdecimal() else None


def playable(folder: Path, games: Sequence[str]) -> Iterator[Reveal]:
    """Yield the photos of these games that can be reveals: no court card, and no value that a seat
    has shown already."""
    zones = make_default_zones(len(PLAYERS), ASPECT)
    shown: list[set[int]] = [set() for _ in PLAYERS]
    entries = json.loads((folder / "labels.json").read_text())
    wanted = [e for e in entries if e["photo"].startswith(tuple(f"epfl52/{game}-" for game in games))]
    for entry in sorted(wanted, key=lambda e: (e["photo"].split("-")[0], int(e["photo"].split("-")[1][:-4]))):
        seats = {
            zones.find_zone_at(c["x"] / 1440, c["y"] / 1920): value_of(c["card"]) for c in entry["cards"]
        }
        values = [seats.get(f"seat:{seat}") for seat in range(1, len(PLAYERS) + 1)]
        if all(v is not None and v not in had for v, had in zip(values, shown, strict=True)):
            numbers = tuple(int(v) for v in values if v is not None)
            for number, had in zip(numbers, shown, strict=True):
                had.add(number)
            yield Reveal(folder / entry["photo"], numbers)


def enrolled(folder: Path, deck_folder: Path) -> tuple[Deck, Library]:
    """Enrol the pack from the photos labelled as references; the loads are the ace to ten of every
    suit, owned by the seat."""
    library = Library()
    enrol_photos(library, load_labels(folder / "labels.json", "epfl52", "reference"))
    rows = []
    for design in library.designs:
        value = value_of(design)
        card = f"load:any:{value}" if value else ""
        rows.append(f'[[design]]\nname = "{design}"\ncard = "{card}"\n')
    text = '[deck]\nname = "photographed pack"\ngame = "donkey_valley"\nowner_by = "seat"\n\n' + "\n".join(
        rows
    )
    (deck_folder / "deck.toml").write_text(text)
    library.save(deck_folder)
    return Deck.load(deck_folder), library


def play(
    deck: Deck, library: Library, reveals: Sequence[Reveal], film: Path, journal: Journal | None = None
) -> Iterator[Row]:
    """Play one session whose camera is the folder `film` (made here from the reveals' photos); one
    row a photo.

    `journal`: where it is saved, with pictures of the reveals.
    """
    film.mkdir()
    for number, reveal in enumerate(reveals):
        shutil.copy(reveal.photo, film / f"{number:03d}-{reveal.photo.name}")
    photos = PhotoFolder(film)
    begun = prepare_game(Start("donkey_valley", list(PLAYERS), {}, 52))
    assert not isinstance(begun, Refusal)
    live = LiveSession(
        *begun, table=Table(deck), cards=tuple(deck.card_counts), now=time.monotonic(), journal=journal
    )
    camera = CameraReader(photos, library, make_default_zones(len(PLAYERS), ASPECT))
    reveals_kept = RevealPictures(live, [camera])
    try:
        for number, (reveal, (donkey, decisions)) in enumerate(zip(reveals, SCRIPT, strict=False)):
            before = {row["name"]: row["points"] for row in live.snapshot().view["players"]}
            _enter(live, donkey, decisions)
            (photos.show_next() if number else camera.start(live.post_report))
            _until_resolved(live)
            yield _row(reveal, live.snapshot().view, before)
    finally:
        reveals_kept.close()
        camera.close()
        live.close()


def _enter(live: LiveSession, donkey: str, decisions: str) -> None:
    """Enter what is not on the photos: the donkey, that all have loaded, no favours, and the
    decisions."""
    live.submit_request(ask.Donkey(donkey))
    for player in PLAYERS:
        live.submit_request(ask.Load(player))
    while live.snapshot().view["phase"] in ("favours", "decisions"):
        turn = live.snapshot().view["waiting_for"][0]
        player = turn["player"]
        accepts = decisions[PLAYERS.index(player)] == "a"
        refusal = live.submit_request(
            ask.NoFavour(player) if turn["do"] != "decide" else ask.Decide(player, accepts)
        )
        assert refusal is None, refusal


def _until_resolved(live: LiveSession) -> None:
    deadline = time.monotonic() + TIMEOUT
    while live.snapshot().view["phase"] == "reveal":
        live.tick(time.monotonic())
        if time.monotonic() > deadline:
            questions = [question.text for question in live.snapshot().questions]
            raise TimeoutError(f"the camera did not see every load: {live.snapshot().view}, {questions}")
        time.sleep(0.02)


def _row(reveal: Reveal, view: Mapping[str, Any], before: Mapping[str, int]) -> Row:
    shown = {row["name"]: row["loads_up"] for row in view["players"]}
    return Row(
        reveal.photo.name,
        view["donkey"],
        tuple(shown[name][0] for name in PLAYERS),
        reveal.values,
        view["total"],
        view["capacity"] if view["capacity"] is not None else view["spread_limit"],
        view["overloaded"],
        {row["name"]: row["points"] - before[row["name"]] for row in view["players"]},
    )


def evenings(folder: Path = PHOTOS, kept: Path | None = None) -> Iterator[Row]:
    """Play one session on games 2 and 3 together, and one on game 3 alone, whose photos the first
    could not use any more.

    `kept`: the journal of both, if they are to be kept with their pictures.
    """
    with tempfile.TemporaryDirectory() as temporary:
        deck_folder = Path(temporary) / "deck"
        deck_folder.mkdir()
        deck, library = enrolled(folder, deck_folder)
        for number, games in enumerate((("game2", "game3"), ("game3",))):
            journal = None if kept is None else Journal.open(kept)
            film = Path(temporary) / f"film{number}"
            yield from play(deck, library, list(playable(folder, games)), film, journal)
