"""Two cards laid edge to edge, with no third one that tells a card's size."""

import cv2
import numpy as np
import pytest

from vision.geometry import contains_point
from vision.library import Library
from vision.reader import Reader
from vision.reading import Reading
from vision.second_pass import split_touching_cards_in_steps
from vision.steps import Steps, finish_at_once, run_to_end

WIDE, HIGH = 170, 238


@pytest.fixture(scope="module")
def white(deck: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Cards without the frame that tells two of them apart where they touch."""
    cards = {name: drawing.copy() for name, drawing in list(deck.items())[:6]}
    for drawing in cards.values():
        rim = drawing.shape[1] // 14
        drawing[:rim] = drawing[-rim:] = drawing[:, :rim] = drawing[:, -rim:] = (245, 245, 245)
    return cards


@pytest.mark.parametrize("axis", [0, 1])
def test_two_touching_cards_are_named_though_no_other_lies_there(
    axis: int, white: dict[str, np.ndarray]
) -> None:
    first, second = list(white)[:2]
    pair = [cv2.resize(white[name], (WIDE, HIGH), interpolation=cv2.INTER_AREA) for name in (first, second)]
    picture = np.full((720, 1280, 3), (90, 110, 60), np.uint8)
    both = np.concatenate(pair, axis=axis)
    picture[100 : 100 + both.shape[0], 400 : 400 + both.shape[1]] = both
    picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.8), np.uint8)
    sure = {r.card: r for r in Reader(Library.from_drawings(white)).read(picture) if r.sure}
    assert set(sure) == {first, second}
    middle = (400 + WIDE / 2, 100 + HIGH / 2) + np.array([[0, HIGH], [WIDE, 0]])[axis]
    assert contains_point(sure[second].quad, middle)


def test_an_outline_is_parted_only_where_both_halves_are_sure() -> None:
    picture = np.full((300, 400, 3), 90, np.uint8)
    quad = np.array([[100, 50], [300, 50], [300, 190], [100, 190]], np.float32)
    answers = {150: True, 250: False}

    def read(_: object, half: np.ndarray) -> Steps[Reading]:
        return finish_at_once(Reading("b", answers.get(round(float(half[:, 0].mean())), False), 1.0, half))

    def split() -> list[str | None]:
        return [r.card for r in run_to_end(split_touching_cards_in_steps(picture, quad, [], 1.4, read))]

    assert split() == []
    answers[250] = True
    assert split() == ["b", "b"]
