"""The seven colours: told apart by people who see colours differently, and by shape where colour
fails."""

from __future__ import annotations

from itertools import combinations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.decks.drawings import rasterize_pdf
from companion.decks.faces import CardSide
from companion.decks.patterns import COLOURS
from companion.decks.sheets import build_card_pages
from companion.decks.svg import colour_to_rgb, draw_path, place_art

# Machado, Oliveira and Fernandes (2009), full severity, on linear RGB
SEEN_BY = {
    "everybody": np.eye(3),
    "protanopes": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopes": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopes": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


def lab(colour: str, seen: NDArray[np.float64]) -> NDArray[np.float32]:
    value = np.array(colour_to_rgb(colour)) / 255
    linear = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    linear = np.clip(seen @ linear, 0, 1)
    shown = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    pixel = shown[::-1].astype(np.float32).reshape(1, 1, 3)
    return np.asarray(cv2.cvtColor(pixel, cv2.COLOR_BGR2LAB)[0, 0])


@pytest.mark.parametrize("eyes", SEEN_BY)
def test_no_two_players_have_the_same_colour_in_anybody_s_eyes(eyes: str) -> None:
    seen = {name: lab(colour.ink, SEEN_BY[eyes]) for name, colour in COLOURS.items()}
    apart = {pair: float(np.linalg.norm(seen[pair[0]] - seen[pair[1]])) for pair in combinations(seen, 2)}
    nearest = min(apart, key=lambda pair: apart[pair])
    # 2.3 is just noticeable for areas side by side; these lie apart and in a lamp's light
    assert apart[nearest] > 15, f"{nearest} are {apart[nearest]:.1f} apart for {eyes}"


def test_where_colour_fails_the_shapes_differ() -> None:
    faces = [CardSide(place_art(draw_path(one.shape, "#000000"), 31.5, 44, 5)) for one in COLOURS.values()]
    shapes = [
        cv2.resize(p[..., 0], None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA) < 128
        for p in rasterize_pdf(build_card_pages(faces), 400)
    ]
    for (one, a), (other, b) in combinations(zip(COLOURS, shapes, strict=True), 2):
        shared = (a & b).sum() / (a | b).sum()
        assert shared < 0.8, f"the shapes of {one} and {other} cover each other by {shared:.2f}"


def test_every_colour_has_words_in_both_languages() -> None:
    for colour in COLOURS.values():
        assert colour.words.keys() == {"en", "fr"}
    assert COLOURS["green"].words["fr"] == "vert, carré"
