"""The main job on real photographs: each photo is one reveal, read by the camera reader, resolved
by the referee."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.journal.sidecar_files import Picture, read_pictures
from companion.journal.store import Store
from companion.views.session_page import render_session_page
from tests.simulated.photo_evenings import PHOTOS, PLAYERS, SCRIPT, Row, evenings
from vision.outlines.detect import find_outlines

pytestmark = [
    pytest.mark.photos,
    pytest.mark.skipif(not PHOTOS.is_dir(), reason="the photographs are not part of the project"),
]

PLAYED_IN_FIRST_EVENING = 4


def weighed(row: Row) -> tuple[int, bool]:
    """What the loads come to on this donkey, by a reading of the rules that shares nothing with the
    program's."""
    kept = list(row.labelled)
    if row.donkey == "hand_picked":
        kept = [value for value in kept if kept.count(value) == 1]
    if row.donkey == "attacked":
        kept = [value for value in kept if value < max(kept)]
    capacity = {"giant": 6, "puny": 4}.get(row.donkey, 5) * len(PLAYERS)
    return sum(kept), sum(kept) > capacity


@pytest.fixture(scope="module")
def kept(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("photos") / "evening.sqlite3"


@pytest.fixture(scope="module")
def rows(kept: Path) -> list[Row]:
    return list(evenings(kept=kept))


def test_every_card_on_every_photo_is_read_at_the_seat_where_it_lies(rows: list[Row]) -> None:
    assert len(rows) >= PLAYED_IN_FIRST_EVENING + 2
    assert [(row.photo, row.cards) for row in rows] == [(row.photo, row.labelled) for row in rows]


def test_totals_and_overloads_are_what_the_labels_come_to(rows: list[Row]) -> None:
    assert [(row.total, row.overloaded) for row in rows] == [weighed(row) for row in rows]


def test_those_who_were_right_win_and_nobody_else(rows: list[Row]) -> None:
    decisions = [SCRIPT[number][1] for number in range(PLAYED_IN_FIRST_EVENING)]
    for row, decided in zip(rows[:PLAYED_IN_FIRST_EVENING], decisions, strict=True):
        wanted = "r" if row.overloaded else "a"
        wrong = [name for name, choice in zip(PLAYERS, decided, strict=True) if choice != wanted]
        assert [row.points[name] for name in wrong] == [0] * len(wrong)
        if not row.overloaded and row.donkey in ("normal", "giant", "puny"):
            right = zip(PLAYERS, row.labelled, decided, strict=True)
            assert {n: row.points[n] for n, _, c in right if c == "a"} == {
                n: v for n, v, c in zip(PLAYERS, row.labelled, decided, strict=True) if c == "a"
            }


def every_picture(kept: Path) -> list[Picture]:
    with Store.open_read_only(kept) as store:
        return [
            one
            for row in store.list_sessions()
            for one in read_pictures(kept, store.read_session(row.number))
        ]


def test_the_picture_of_each_reveal_holds_its_cards_and_nothing_else(rows: list[Row], kept: Path) -> None:
    found = every_picture(kept)
    assert len(found) == len(rows)
    for picture in found:
        image = cv2.imdecode(np.frombuffer(picture.jpeg, np.uint8), cv2.IMREAD_COLOR)
        assert max(image.shape[:2]) <= 1280
        assert len(find_outlines(image)) == len(PLAYERS)  # the four cards, without the dealer's token
        ground = np.median(image.reshape(-1, 3), axis=0)
        plain = (
            np.abs(image.astype(int) - ground).max(axis=2) < 12
        )  # what JPEG does at the cards' edges apart
        assert plain.mean() > 0.6


def test_the_page_of_the_evening_shows_them(rows: list[Row], kept: Path) -> None:
    with Store.open_read_only(kept) as store:
        evening = store.read_session(store.list_sessions()[0].number)
        page = render_session_page(evening, "en", read_pictures(kept, evening))
    assert page.count("data:image/jpeg") == page.count("<figcaption>") > 1
