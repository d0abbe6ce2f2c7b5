"""Plain cards drawn for tests, a table with them, and someone who listens to a reader."""

from __future__ import annotations

import threading
import time
from copy import deepcopy
from functools import lru_cache

import cv2
import numpy as np

from companion.demo.world import World
from companion.table import zones
from companion.table.decks import Deck, Design
from companion.table.sightings import Health, Sighting
from vision.library import Library

COLOURS = {"red": (40, 40, 200), "blue": (200, 90, 30), "green": (60, 150, 40), "black": (30, 30, 30)}


def card(text, colour):
    picture = np.full((440, 315, 3), 250, np.uint8)
    cv2.rectangle(picture, (10, 10), (304, 429), colour, 8)
    cv2.putText(picture, text, (60, 280), cv2.FONT_HERSHEY_DUPLEX, 6, colour, 14, cv2.LINE_AA)
    cv2.putText(picture, text, (24, 80), cv2.FONT_HERSHEY_DUPLEX, 2, colour, 4, cv2.LINE_AA)
    return picture


DRAWINGS = {
    f"load:{name}:{value}": card(str(value), bgr) for name, bgr in COLOURS.items() for value in range(1, 10)
}
DRAWINGS["donkey:giant"] = card("G", (120, 120, 40))
BACK = np.full((440, 315, 3), (120, 40, 40), np.uint8)
cv2.circle(BACK, (157, 220), 90, (200, 180, 160), -1)
cv2.rectangle(BACK, (0, 0), (314, 439), (255, 255, 255), 16)
DECK = Deck(
    "toy", "donkey_valley", (*(Design(name, name) for name in DRAWINGS), Design("back", None)), "colour"
)


FEW = ("load:red:1", "load:red:2", "load:blue:5", "donkey:giant")


def library(cards=FEW):
    """A camera's library of a few cards, which is read much faster than one of all, and the
    back."""
    return Library.from_drawings({**{card: DRAWINGS[card] for card in cards}, "back": BACK})


def world(seats=4, seed=1, size=(960, 540)):
    return deepcopy(_bare(seats, seed, size), {id(DRAWINGS): DRAWINGS})


@lru_cache(4)
def _bare(seats, seed, size):
    """Cloth, lamp and grain, which take longer to draw than to copy."""
    return World(DRAWINGS, BACK, zones.make_default_zones(seats), size, seed)


def until(true, seconds=30):
    """Wait until something is so."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


class Listener:
    """Collects reports and lets a test wait for one."""

    def __init__(self):
        self.reports = []
        self._news = threading.Condition()

    def __call__(self, report):
        with self._news:
            self.reports.append(report)
            self._news.notify_all()

    def wait_for(self, wanted, seconds=30):
        with self._news:
            assert self._news.wait_for(lambda: any(map(wanted, self.reports)), seconds), self.reports
            return next(filter(wanted, self.reports))

    def wait_for_health(self, code, seconds=30):
        return self.wait_for(lambda r: isinstance(r, Health) and r.text.code == f"reader.{code}", seconds)

    def wait_for_card(self, design, seconds=30, present=True):
        return self.wait_for(
            lambda r: isinstance(r, Sighting) and r.design == design and r.sure and r.present is present,
            seconds,
        )

    def health(self):
        return [(r.state, r.text.code.removeprefix("reader.")) for r in self.reports if isinstance(r, Health)]

    def named_since(self, code):
        """The designs that the reader was sure of since it last told of its health; none if that
        was not `code`."""
        since, named = "", []
        for report in self.reports:
            if isinstance(report, Health):
                since, named = report.text.code, []
            elif (
                isinstance(report, Sighting) and report.present and report.sure and since == f"reader.{code}"
            ):
                named.append(report.design)
        return named

    def lying(self):
        """What lies there after all the reports: (design, zone) of the sure ones."""
        there = {}
        for report in self.reports:
            if isinstance(report, Sighting):
                there[report.track] = report
        return sorted((r.design, r.where) for r in there.values() if r.present and r.sure)
