"""An evening that is gone on with: how its camera renders the deck's ink is known from the first
card on, and a damaged file costs nothing but that."""

from __future__ import annotations

import stat
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.evening.cameras import InkRecorder, read_ink
from companion.journal.journal import Journal
from companion.live.live_session import LiveSession
from companion.plan import Plan, prepare_setup
from companion.readers.camera.reader import CameraReader
from companion.readers.camera.sources import Frame, VideoFile
from companion.table import zones
from companion.table.decks import Deck
from companion.table.sightings import Report, Sighting
from companion.table.table import Table
from tests.simulated.scenes import Faults, Placed, render, table
from tests.vision.conftest import sensor_noise
from tests.vision.test_vision_print import deck, paler
from vision.library import Library
from vision.naming.ink_response import FEWEST, InkSums

CARDS = deck()
CLEAR = [card for card in CARDS if "full" in card]
FAINT = "red:empty:diamond"
"""Of this card alone the camera that renders ink paler is never sure."""
CLEARLY = 0.85
"""Its confidence is 0.90 with the ink of before; without, it is unsure with 0.46."""


def film(camera: CameraReader, *names: str) -> dict[str | None, float]:
    """Let the camera see these cards, their ink paler than enrolled, for three seconds or until it
    is sure of all; return of which it is, and how much."""
    reports: list[Report] = []
    camera.attach(reports.append)
    lying = [Placed(name, CARDS[name], 110 + 200 * i, 220, 76, 35 * i) for i, name in enumerate(names)]
    drawn = render(table("wood", 1280, 720), lying, Faults()).picture
    picture = paler(drawn, ink=(0.6, 0.6, 0.6), exposure=0.5)
    for i in range(45):
        noisy = cv2.add(picture, sensor_noise(picture.shape)[i % 7], dtype=cv2.CV_8U)
        camera.process_frame(Frame(np.asarray(noisy, np.uint8), i / 15))
        if len(camera.list_face_up_designs()) == len(names):
            break
    return {r.design: r.confidence for r in reports if isinstance(r, Sighting) and r.sure}


def opened(file: Path) -> tuple[LiveSession, CameraReader, InkRecorder]:
    """The evening's session and its camera, begun or gone on with."""
    rules, setup = prepare_setup(Plan("donkey_valley", ("Ann", "Bob", "Cy"), seed=1))
    journal = Journal.open(file)
    kept = journal.read_session(1)
    live = LiveSession(
        rules, setup, table=Table(Deck.load_builtin("donkey_valley"), {}), journal=journal, saved=kept
    )
    camera = CameraReader(
        VideoFile(Path("evening.mp4")), Library.from_drawings(CARDS), zones.make_default_zones(3)
    )
    return live, camera, InkRecorder(live, [camera], "hatches", kept)


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> Path:
    """The journal of an evening in which a table of cards was seen."""
    file = tmp_path_factory.mktemp("ink") / "journal.sqlite3"
    live, camera, keeper = opened(file)
    film(camera, *CLEAR)
    assert len(camera.ink) >= FEWEST
    keeper.close()
    live.close()
    return file


@pytest.mark.slow
def test_the_first_card_after_a_resume_is_read_with_the_ink_of_before(played) -> None:
    live, camera, keeper = opened(played)
    assert film(camera, FAINT)[FAINT] > CLEARLY
    keeper.close()
    live.close()
    [file] = played.parent.rglob("*.json")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("damage", [b"", b"{", b'{"hatches / evening.mp4": [[1, 2]]}', b"[]", None])
def test_a_file_that_is_damaged_or_gone_counts_as_none(played, damage) -> None:
    [file] = played.parent.rglob("*.json")
    whole = file.read_bytes()
    try:
        if damage is None:
            file.unlink()
        else:
            file.write_bytes(damage)
        live, camera, keeper = opened(played)
        assert camera.ink == ()
        keeper.close()
        live.close()
    finally:
        file.write_bytes(whole)


@pytest.mark.slow
def test_without_what_was_known_the_same_card_is_hardly_sure() -> None:
    camera = CameraReader(
        VideoFile(Path("evening.mp4")), Library.from_drawings(CARDS), zones.make_default_zones(3)
    )
    assert film(camera, FAINT).get(FAINT, 0) < CLEARLY


def test_another_deck_or_camera_has_another_ink(played) -> None:
    [file] = played.parent.rglob("*.json")
    kept = read_ink(file)
    assert list(kept) == ["hatches / evening.mp4"]
    assert len(kept["hatches / evening.mp4"]) >= FEWEST


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 1e30, -50.0])
def test_what_no_card_can_have_told_is_refused(number) -> None:
    numbers = [*InkSums(np.eye(3), np.eye(3)).as_numbers]
    numbers[4] = number
    with pytest.raises(ValueError, match=r"\w"):
        InkSums.from_numbers(numbers)
