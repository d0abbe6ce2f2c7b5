"""Evenings of Donkey Valley with a pack of 52 that nobody has shown to the camera: strangers' cards
on the drawn table, through the code that reads films, and people who answer what they are asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.demo.world import World
from companion.evening.session_opening import open_table_session
from companion.games.donkey_valley.moves import Decide, Donkey, Load, NoFavour, Reveal
from companion.journal.journal import Journal
from companion.plan import Plan
from companion.readers.camera.reader import CameraReader
from companion.readers.camera.sources import Frame
from companion.rules.claims import format_seat_zone
from companion.rules.contract import Request
from companion.table.sightings import Report, Sighting
from companion.table.zones import make_default_zones
from tests.simulated import packs
from vision.naming.pack52 import RANKS

Picture = NDArray[np.uint8]

PLAYERS = ("Ann", "Bob", "Cy")
SIZE = (1920, 1080)
"""The camera's pictures, in which a card is some 150 pixels high."""
PATIENCE = 14.0
"""Seconds for which people wait for the camera before they type."""
STEP = 0.1


class Pack(NamedTuple):
    """A pack's cards by the names of the deck file, its joker and its back."""

    cards: Mapping[str, Picture]
    joker: Picture
    back: Picture

    @classmethod
    def of(cls, sheet: Path) -> Pack:
        """Draw a strangers' pack; raises `CalledProcessError` where it cannot be drawn."""
        grid = packs.cells(sheet)
        cards = {
            f"{rank}{suit[0].upper()}": grid[row][column]
            for row, suit in enumerate(packs.SUITS)
            for column, rank in enumerate(RANKS)
        }
        return cls(cards, grid[4][0], grid[4][2])


class Asked(NamedTuple):
    """A question: the card that lay there, and as how manieth it was offered (0: first)."""

    card: str
    offered: int


class PackEvening:
    """One game before the camera.

    `plan`: what it is played by; `resume`: the session that is gone on with; `asked`: the questions
    that came up; `typed`: the cards that the camera never told of; `wrong`: what was played
    otherwise than it lay there, and nobody was asked.
    """

    def __init__(
        self, pack: Pack, folder: Path, plan: Plan | None = None, resume: int | None = None, seed: int = 1
    ) -> None:
        page = folder / "photos" / "1.png"
        page.parent.mkdir(exist_ok=True)
        cv2.imwrite(str(page), np.zeros((9, 16, 3), np.uint8))
        usual = Plan("donkey_valley", PLAYERS, deck="any_52", cameras=(str(page.parent),), seed=seed)
        journal = Journal.open(folder / "journal.sqlite3")
        kept = None if resume is None else journal.read_session(resume)
        self.evening = open_table_session(plan or usual, journal, kept, 0.0)
        self.plan = self.evening.plan
        self.live = self.evening.live
        self.world = World(dict(pack.cards), pack.back, make_default_zones(len(PLAYERS)), SIZE, seed)
        (self.camera,) = [one for one in self.evening.readers if isinstance(one, CameraReader)]
        self.camera.calibrate(self.world.zones.with_camera(self.world.camera))
        self.camera.attach(self._hear)
        self.at = 0.0
        self.told: list[Sighting] = []
        self.asked: list[Asked] = []
        self.typed: list[str] = []
        self.wrong: list[str] = []
        self.film(1.0)

    def _hear(self, report: Report) -> None:
        if isinstance(report, Sighting):
            self.told.append(report)
        self.live.post_report(report)

    def close(self) -> None:
        """End the evening; what was to be learnt is learnt."""
        self.evening.close()

    def film(self, seconds: float) -> None:
        """Let the camera look for so long."""
        for _ in range(round(seconds / STEP)):
            self.at += STEP
            self.camera.process_frame(Frame(self.world.render_frame(), self.at))
            self.live.tick(self.at)

    def enter(self, *requests: Request) -> None:
        """Type what no card says."""
        for request in requests:
            refused = self.live.submit_request(request)
            assert refused is None, (request, refused)

    def until_revealed(self) -> Sequence[str]:
        """Play a round up to the moment in which loads are turned up; return who does, in turn."""
        first = PLAYERS.index(self.live.snapshot().view["first_player"])
        order = (*PLAYERS[first:], *PLAYERS[:first])
        self.enter(Donkey("normal"), *map(Load, order), *map(NoFavour, order))
        self.enter(*(Decide(player, True) for player in order))
        return order

    def turn_up(self, player: str, card: str, *, answer: str = "") -> None:
        """Turn a card up before a player, answer what is asked about it (with what it is, or as
        told), and type it where nothing comes of it."""
        acts, asked = len(self.live.list_acts()), len(self.asked)
        self.world.lay_card(card, format_seat_zone(PLAYERS.index(player) + 1))
        until = self.at + PATIENCE
        while len(self.live.list_acts()) == acts and self.at < until:
            self.film(STEP)
            self._reply(card, answer or card)
        if len(self.live.list_acts()) == acts:
            self.typed.append(card)
            self.enter(Reveal(player, (value(card),)))
        elif self.live.list_acts()[-1].request != Reveal(player, (value(card),)) and len(self.asked) == asked:
            self.wrong.append(card)
        self.film(0.5)

    def _reply(self, card: str, said: str) -> None:
        for question in self.live.snapshot().questions:
            offered: list[Any] = [getattr(choice.request, "card", None) for choice in question.choices]
            self.asked.append(Asked(card, offered.index(f"load:any:{value(card)}")))
            self.live.answer_question(question.id, offered.index(f"load:any:{value(said)}"))

    def round(self, loads: Mapping[str, str]) -> None:
        """Play a round in which these cards are the players' loads."""
        for player in self.until_revealed():
            self.turn_up(player, loads[player])
        self.clear()

    def clear(self) -> None:
        """Take the round's cards away."""
        self.film(1.0)
        self.world.clear_zone()
        self.film(1.5)


def value(card: str) -> int:
    """Return what a card of the pack weighs."""
    return RANKS.index(card[:-1]) + 1


def whole_game(game: PackEvening, seed: int = 0) -> int:
    """Play the game's eight rounds, in which everybody has the ace to ten of one suit; return how
    many loads were turned up."""
    random = np.random.default_rng(seed)
    hands = {
        player: [f"{RANKS[at]}{suit}" for at in random.permutation(10)]
        for player, suit in zip(PLAYERS, "SHD", strict=True)
    }
    with closing(game):
        for number in range(8):
            game.round({player: hand[number] for player, hand in hands.items()})
    return 8 * len(PLAYERS)
