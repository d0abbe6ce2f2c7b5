"""Pictures of the reveals at the demo's table: off by default, told, nothing hidden in them,
deleted at a word."""

from __future__ import annotations

import stat
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.__main__ import main
from companion.evening.cameras import RevealPictures
from companion.journal.journal import Journal
from companion.journal.sidecar_files import Picture, read_pictures
from companion.readers.camera.pictures import WIDEST, FaceUpCards, render_cards_jpeg
from companion.settings import Settings, load_settings, try_change_settings
from tests.demo.demo_evening import Evening
from vision.outlines.detect import find_outlines


@pytest.fixture(scope="module")
def evening(tmp_path_factory) -> Path:
    """The journal of a demo evening's first round, with its picture."""
    file = tmp_path_factory.mktemp("reveals") / "journal.sqlite3"
    played = Evening(journal=Journal.open(file))
    assert played.demo.camera is not None
    reveals = RevealPictures(played.live, [played.demo.camera])
    while not played.live.snapshot().resolved:
        played.step()
        assert played.now < 200
    reveals.close()
    played.live.close()
    return file


def kept(file: Path) -> list[Picture]:
    journal = Journal.open(file)
    found = journal.read_session(1)
    assert found is not None
    journal.close()
    return read_pictures(file, found)


@pytest.mark.slow
def test_a_round_of_the_demo_gives_one_picture_of_its_cards(evening) -> None:
    [picture] = kept(evening)
    image = cv2.imdecode(np.frombuffer(picture.jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert 300 < max(image.shape[:2]) <= WIDEST
    assert len(find_outlines(image)) == 7  # the donkey, three contracts, three loads
    assert len(picture.jpeg) < 200_000


def test_the_pictures_are_the_owners_alone(evening) -> None:
    [file] = evening.parent.rglob("*.jpg")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_they_are_told_shown_on_the_page_and_deleted_at_a_word(evening, tmp_path, capsys) -> None:
    words = ["history", "1", "--journal", str(evening), "--lang", "en"]
    assert main(words) == 0
    assert "One picture of the reveals" in capsys.readouterr().out
    assert main([*words, "--page", str(tmp_path / "page.html")]) == 0
    assert (tmp_path / "page.html").read_text().count("data:image/jpeg;base64") == 1
    assert main([*words, "--delete-pictures"]) == 0
    assert "deleted" in capsys.readouterr().out
    assert not kept(evening)
    assert not list(evening.parent.rglob("*.jpg"))


def test_of_no_evening_nothing_is_deleted(capsys) -> None:
    assert main(["history", "--delete-pictures", "--lang", "en"]) == 2
    assert "which evening's pictures" in capsys.readouterr().err


def test_what_lies_beside_the_cards_is_not_in_the_picture() -> None:
    """A hand of cards next to the reveal: noise here, as sharp as print can be."""
    table = np.random.default_rng(1).integers(0, 255, (400, 600, 3), dtype=np.uint8)
    card = np.array([[100, 100], [200, 100], [200, 250], [100, 250]], np.float32)
    table[100:250, 100:200] = 255
    drawn = cv2.imdecode(
        np.frombuffer(render_cards_jpeg(FaceUpCards(table, [card])), np.uint8), cv2.IMREAD_COLOR
    )
    beside = cv2.erode((drawn.min(axis=2) < 250).astype(np.uint8), np.ones((25, 25)), borderValue=1) > 0
    assert 0.1 < beside.mean() < 0.9
    assert drawn[beside].std(axis=0).max() < 3


def test_it_is_off_until_it_is_chosen() -> None:
    assert not Settings().pictures
    try_change_settings(lambda _: Settings(pictures=True))
    assert load_settings().pictures
