"""A deck of people's own, filmed and photographed: cards laid down one after another before a
camera."""

from __future__ import annotations

import time
from copy import deepcopy
from functools import lru_cache

import cv2
import numpy as np

from companion.demo.world import Spot, World
from companion.enrolment.card_spread import OrderedSpread
from companion.enrolment.picture_analysis import Shot, find_cards
from companion.table import zones
from companion.table.decks import FILE

SIGNS = {
    "7S": ("7", (40, 40, 40)),
    "9H": ("9", (40, 40, 200)),
    "KD": ("K", (30, 140, 230)),
    "2C": ("2", (60, 150, 40)),
}
"""Four designs that nobody takes for each other, as the deck file names them."""
NAMES = list(SIGNS)

TOML = """# Grandmother's pack, please keep this line
[deck]
name = "Grandmother's pack"
game = "donkey_valley"
owner_by = "seat"

[[design]]
name = "7S"
card = "load:any:7"
copies = 2  # one has a coffee stain

[[design]]
name = "9H"
card = "load:any:9"

[[design]]
name = "KD"
card = ""

[[design]]
name = "2C"
card = "load:any:2"
"""


def face(sign, colour):
    picture = np.full((440, 315, 3), 250, np.uint8)
    cv2.rectangle(picture, (12, 12), (302, 427), colour, 10)
    cv2.putText(picture, sign, (70, 300), cv2.FONT_HERSHEY_DUPLEX, 8, colour, 22, cv2.LINE_AA)
    cv2.putText(picture, sign, (26, 84), cv2.FONT_HERSHEY_DUPLEX, 2, colour, 5, cv2.LINE_AA)
    return picture


def back():
    picture = np.full((440, 315, 3), (120, 40, 40), np.uint8)
    cv2.circle(picture, (157, 220), 100, (200, 180, 160), -1)
    cv2.rectangle(picture, (0, 0), (314, 439), (255, 255, 255), 22)
    return picture


DRAWINGS = {**{name: face(*sign) for name, sign in SIGNS.items()}, "back": back()}


def table(seed=1, size=(960, 540)):
    """An empty table under a camera; `lay_card` puts cards down."""
    return deepcopy(_bare(seed, size), {id(DRAWINGS): DRAWINGS})


@lru_cache(4)
def _bare(seed, size):
    """Cloth, lamp and grain, which take longer to draw than to copy."""
    return World(DRAWINGS, back(), zones.make_default_zones(4), size, seed)


def with_mat():
    """The same table with a playmat on it, all of which is in the picture."""
    world = table(1)
    for picture in (world._cloth, world._background):
        cv2.rectangle(picture, (40, 30), (920, 510), (90, 120, 60), -1)
        cv2.rectangle(picture, (40, 30), (920, 510), (30, 30, 30), 4)
        cv2.circle(picture, (700, 300), 120, (60, 80, 130), -1)
    return world


def one(card, place="middle", seed=1):
    """The picture of a table with one card."""
    world = table(seed)
    world.lay_card(card, place)
    return world.render_frame()


def rows(cards, columns=2, seed=1):
    """The picture of cards laid out in rows; None leaves a place empty."""
    world = table(seed)
    for number, card in enumerate(cards):
        row, column = divmod(number, columns)
        if card is not None:
            world._add_card(card, "middle", "up", Spot(330 + 160 * column, 170 + 130 * row, 2.0))
    return world.render_frame()


def take_sheet(enroller, picture):
    """Enrol all cards of a picture in the deck's order; return how many there are."""
    shots = [Shot(picture, quad) for quad in find_cards(picture)]
    names = tuple(enroller.remaining_designs[: len(shots)])
    enroller.store_card_views(OrderedSpread(shots, names, names, lambda shot: None), names)
    return len(shots)


def film(path, scenes, seed=1, seconds=1.0, rate=10, hands=True):
    """Film cards that are laid down one after another: each scene is a (card, zone), or None for an
    empty table."""
    world = table(seed)
    video = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), rate, world.size)
    assert video.isOpened()
    for scene in scenes:
        world.clear_zone()
        for _ in range(rate // 3):
            video.write(world.render_frame([world.pose_hand(2, "middle")] if hands else []))
        if scene is not None:
            world.lay_card(*scene)
        for _ in range(int(seconds * rate)):
            video.write(world.render_frame())
    video.release()
    return path


def deck_folder(folder):
    """A deck of one's own with its file."""
    folder.mkdir(parents=True)
    (folder / FILE).write_text(TOML)
    return folder


def until(true, seconds=60):
    """Wait until something is so."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)
