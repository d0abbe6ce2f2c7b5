"""Draw random packs of 52 that do not exist, and cards that belong to no such pack.

Nothing here is a photograph, nor traced from one: letters come from the typefaces on this machine,
suits from those and from curves, portraits from random polygons. `tools.verifier` prints and
photographs what is drawn here.
"""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from tools.verifier.cards import CardGenerator
from tools.verifier.things import (
    ACROSS,
    DOWN,
    PLACES,
    SUITS,
    Box,
    Card,
    Mark,
    Points,
    Stamp,
    Thing,
    rotate_half_turn,
)

Colour = NDArray[np.float64]

RANKS = "A23456789TJQK"
"""Ranks in the order of the network's output."""

LANGUAGES = {
    "en": ("A", "J", "Q", "K"),
    "fr": ("A", "V", "D", "R"),
    "fr1": ("1", "V", "D", "R"),
    "de": ("A", "B", "D", "K"),
    "sv": ("E", "Kn", "D", "K"),
    "ru": ("Т", "В", "Д", "К"),
    "it": ("A", "F", "D", "R"),
}
"""Letters of ace, jack, queen and king by language."""

SPOKEN = 0.57, 0.09, 0.06, 0.1, 0.03, 0.08, 0.07
"""Probability with which each of these languages is drawn."""

SIGNS = "♥♦♠♣"
"""The suits in the order of `things.SUITS`."""

ALIKE = 0.87
"""How far the masks of two signs may agree, as a correlation, for them to be different ones."""

Places = list[tuple[float, float]]

_COLUMNS_OF_FIVE: Places = [(x, y) for x in (-1, 1) for y in (-1, -0.5, 0, 0.5, 1)]

OTHER_PLACES: dict[int, tuple[Places, ...]] = {
    2: ([(0, -0.5), (0, 0.5)], [(-1, -1), (1, 1)]),
    3: ([(-1, -1), (0, 0), (1, 1)], [(0, -1), (-1, 1), (1, 1)], [(0, -0.5), (0, 0), (0, 0.5)]),
    4: ([(0, -1), (-1, 0), (1, 0), (0, 1)], [(x, y) for x in (-1, 1) for y in (-0.5, 0.5)]),
    5: ([(0, -1), (-1, 0), (0, 0), (1, 0), (0, 1)],),
    6: ([(x, y) for x in (-1, 0, 1) for y in (-0.5, 0.5)], [(x, y) for x in (-0.6, 0.6) for y in (-1, 0, 1)]),
    7: (
        [*PLACES[6], (0, 0)],
        [(x, y) for x in (-1, 1) for y in (-0.8, 0, 0.8)] + [(0, -1)],
        [(-1, y) for y in (-1, -0.33, 0.33, 1)] + [(1, y) for y in (-1, 0, 1)],
    ),
    8: (
        [(x, y) for x in (-1, 1) for y in (-1, -0.33, 0.33, 1)],
        [(x, y) for x in (-1, 0, 1) for y in (-1, 1)] + [(-1, 0), (1, 0)],
        [(x, y) for x in (-0.6, 0.6) for y in (-1, -0.33, 0.33, 1)],
    ),
    9: (
        [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)],
        [*_COLUMNS_OF_FIVE[:4], *_COLUMNS_OF_FIVE[5:]],
        [(x, y) for x in (-1, 1) for y in (-1, -0.33, 0.33, 1)] + [(0, -0.66)],
    ),
    10: (
        _COLUMNS_OF_FIVE,
        [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)] + [(0, -0.5)],
        [(x, y) for x in (-1, 1) for y in (-1, -0.33, 0.33, 1)] + [(0, -0.33), (0, 0.33)],
    ),
}
"""Places of pips in packs that do not follow the English one, in the manner of `things.PLACES` for
those that do."""


@lru_cache
def find_typefaces(letters: str) -> list[str]:
    """List the files of all typefaces here that have these letters; raises `CalledProcessError`
    without fontconfig."""
    charset = " ".join(f"{ord(letter):x}" for letter in letters)
    output = subprocess.run(
        ["fc-list", f":charset={charset}", "file"], check=True, capture_output=True, text=True
    )
    files = (line.rstrip(": ") for line in output.stdout.splitlines())
    return sorted(file for file in files if file.endswith((".ttf", ".otf")) and "Z003" not in file)


@lru_cache
def find_sign_typefaces() -> list[str]:
    """List the files of all typefaces here that have the four suit signs, each in its own place."""
    return select_usual_typefaces(find_typefaces(SIGNS), SIGNS)


def select_usual_typefaces(files: Sequence[str], signs: str) -> list[str]:
    """Select the typefaces in which each sign looks more like the usual form of it than like that
    of any other: in FreeSerifBold and its italic spade and club are exchanged, and cards drawn with
    them would have the wrong labels."""
    forms = np.array([[_normalise_mask(render_letters(file, sign)) for sign in signs] for file in files])
    usual = np.median(forms, axis=0)
    usual /= np.linalg.norm(usual, axis=1, keepdims=True)
    # typefaces x signs as drawn x signs as usual
    like = forms @ usual.T
    right = (like.argmax(axis=2) == np.arange(len(signs))).all(axis=1)
    return [file for file, is_right in zip(files, right, strict=True) if is_right]


def _normalise_mask(mask: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return a mask as a vector of length 1 with mean 0, whatever its size."""
    small = cv2.resize(mask, (24, 24), interpolation=cv2.INTER_AREA).astype(np.float64).ravel()
    small -= small.mean()
    # a full rectangle has no form
    return np.asarray(small / max(float(np.linalg.norm(small)), 1e-9))


@lru_cache(maxsize=4096)
def render_letters(file: str, text: str) -> NDArray[np.uint8]:
    """Render letters of a typeface as a mask, 0 to 255, cropped to the ink."""
    font = ImageFont.truetype(file, 110)
    left, top, right, low = font.getbbox(text)
    image = Image.new("L", (int(right - left) + 8, int(low - top) + 8))
    ImageDraw.Draw(image).text((4 - left, 4 - top), text, fill=255, font=font)
    box = image.getbbox()
    return np.asarray(image.crop(box) if box else image)


@dataclass(frozen=True)
class Style:
    """How a whole pack is drawn. Heights and places are in parts of the card's height and width."""

    words: tuple[str, ...]
    typeface: str
    height: float
    narrow: float
    line: float
    sign: float
    gap: float
    edge: tuple[float, float]
    corners: int
    beside: bool
    suits: tuple[Points | NDArray[np.uint8], ...]
    inks: tuple[Colour, ...]
    paper: Colour
    spread: tuple[float, float]
    pip: float
    plain: str
    letters_only: bool
    framed: float
    palette: tuple[Colour, ...]
    single: bool
    bare: bool
    turn7: bool
    places: dict[int, Places]


class PackGenerator:
    """Draws random packs; the same generator makes the same ones."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.maker = CardGenerator(rng)

    def random_style(self) -> Style:
        """Draw a pack's style."""
        rng = self.rng
        language = str(rng.choice(list(LANGUAGES), p=SPOKEN))
        ace, jack, queen, king = LANGUAGES[language]
        ten = "T" if language == "en" and rng.random() < 0.02 else "10"
        words = (ace, *"23456789", ten, jack, queen, king)
        letters = "".join(sorted(set("".join(words))))
        files = find_typefaces(letters)
        # small, usual and large indices
        size = rng.random()
        height = float(
            rng.uniform(0.055, 0.085)
            if size < 0.3
            else rng.uniform(0.085, 0.125)
            if size < 0.7
            else rng.uniform(0.125, 0.25)
        )
        # now and then a black pack
        dark = rng.random() < 0.03
        paper = rng.uniform(0.02, 0.2, 3) if dark else self.maker.random_paper()
        return Style(
            words,
            str(rng.choice(files)),
            height,
            float(rng.uniform(0.55, 1.15)),
            float(rng.choice([0, 0, 0, 1.5, 3])),
            # beside a large index, the suit's sign is smaller
            float(rng.uniform(0.45, 1.05) if size < 0.7 else rng.uniform(0.3, 0.9)),
            float(rng.uniform(0.04, 0.3)),
            (float(rng.uniform(0.018, 0.065)), float(rng.uniform(0.02, 0.06))),
            4 if rng.random() < 0.15 else 2,
            rng.random() < 0.05,
            self._random_suit_shapes(),
            self._random_inks(dark),
            paper,
            (float(rng.uniform(0.17, 0.27)), float(rng.uniform(0.24, 0.36))),
            float(rng.uniform(0.045, 0.085)),
            str(rng.choice(["", "sign", "rank", "both"], p=[0.84, 0.04, 0.08, 0.04])),
            rng.random() < 0.5,
            float(rng.choice([0, rng.uniform(1, 5)], p=[0.25, 0.75])),
            self._random_palette(),
            rng.random() < 0.15,
            rng.random() < 0.04,
            rng.random() < 0.5,
            self._random_pip_places(),
        )

    def _random_palette(self) -> tuple[Colour, ...]:
        """Choose the four colours of court cards: half of the time the red, yellow, blue and black
        of English ones."""
        if self.rng.random() < 0.5:
            return tuple(self.maker.random_ink() for _ in range(4))
        usual = np.array([[0.15, 0.12, 0.8], [0.2, 0.8, 0.97], [0.65, 0.3, 0.15], [0.1, 0.1, 0.1]])
        return tuple(np.clip(usual + self.rng.normal(0, 0.07, usual.shape), 0, 1))

    def _random_pip_places(self) -> dict[int, Places]:
        """Choose where the pips of each rank stand: as in an English pack, or differently in some
        ranks."""
        rng = self.rng
        places = dict(PLACES)
        if rng.random() < 0.35:
            for rank, others in OTHER_PLACES.items():
                if rng.random() < 0.6:
                    places[rank] = others[int(rng.integers(len(others)))]
        return places

    def _random_suit_shapes(self) -> tuple[Points | NDArray[np.uint8], ...]:
        rng = self.rng
        if rng.random() < 0.55:
            file = str(rng.choice(find_sign_typefaces()))
            return tuple(render_letters(file, sign) for sign in SIGNS)
        wide, round_ = float(rng.uniform(0.75, 1.15)), float(rng.uniform(-0.12, 0.12))
        shapes = []
        for suit in SUITS:
            angle = np.arctan2(suit[:, 1], suit[:, 0])
            shapes.append(suit * (1 + round_ * np.cos(2 * angle))[:, None] * (wide, 1.0))
        if rng.random() < 0.4:  # a diamond with hollow sides
            t = np.linspace(0, 2 * np.pi, 64)[:-1]
            p = float(rng.uniform(1.4, 2.2))
            shapes[1] = np.stack(
                [
                    0.8 * wide * np.sign(np.cos(t)) * np.abs(np.cos(t)) ** p,
                    np.sign(np.sin(t)) * np.abs(np.sin(t)) ** p,
                ],
                1,
            )
        if rng.random() < 0.6:
            shapes[3] = self._random_club()
        return tuple(shapes)

    def _random_club(self) -> Points:
        """Draw three leaves, near each other or far apart, on a stem."""
        rng = self.rng
        mask = np.zeros((240, 240), np.uint8)
        leaf, apart = int(rng.integers(40, 56)), int(rng.integers(38, 56))
        for x, y in ((120, 120 - apart), (120 - apart, 140), (120 + apart, 140)):
            cv2.circle(mask, (x, y), leaf, 255, -1)
        foot, wide = int(rng.integers(190, 232)), int(rng.integers(14, 46))
        cv2.fillPoly(
            mask, [np.array([[116, 100], [124, 100], [120 + wide, foot], [120 - wide, foot]], np.int32)], 255
        )
        outline = max(cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0], key=len)
        points = outline[:, 0].astype(np.float64) - 120
        return np.asarray(points / np.abs(points).max())

    def _random_inks(self, dark: bool) -> tuple[Colour, ...]:
        """Choose the inks of hearts, diamonds, spades and clubs."""
        rng = self.rng

        def vary_colour(blue: float, green: float, red: float) -> Colour:
            return np.clip(np.array([blue, green, red]) + rng.normal(0, 0.06, 3), 0, 1)

        red, black = vary_colour(0.15, 0.1, 0.78), vary_colour(0.1, 0.09, 0.09)
        if rng.random() < 0.08:
            red, black = self.maker.random_ink(), vary_colour(0.12, 0.1, 0.1)
            red = np.sort(red)  # some kind of red or orange
        if dark:
            black = vary_colour(0.92, 0.92, 0.92)
        if rng.random() > 0.2:
            return red, red, black, black
        blue, green = vary_colour(0.75, 0.3, 0.12), vary_colour(0.15, 0.5, 0.1)
        return (
            (red, blue, black, green)
            if rng.random() < 0.7
            else (red, vary_colour(0.1, 0.45, 0.9), black, green)
        )

    # cards

    def draw_card(self, style: Style, rank: int, suit: int) -> Card:
        """Draw one card of a pack: `rank` 0 (ace) to 12 (king), `suit` as in `SIGNS`."""
        rng, ink = self.rng, style.inks[suit]
        things: list[Thing] = []
        # half of the packs whose number cards are plain have portraits all the same
        if rank >= 10 and not (style.plain and style.letters_only):
            things += self._make_court_card(style, suit)
        elif style.plain:
            if style.plain != "rank":
                y = DOWN / 2 if style.plain == "sign" else DOWN * 0.62
                things.append(
                    self._make_suit_sign(style, suit, ACROSS / 2, y, float(rng.uniform(0.1, 0.2)) * DOWN)
                )
            if style.plain != "sign":
                y = DOWN / 2 if style.plain == "rank" else DOWN * 0.32
                things.append(self._make_rank_stamp(style, rank, ACROSS / 2, y, 0.3 * DOWN, ink))
        elif rank == 0:
            things += self._make_ace(style, suit)
        else:
            places = style.places[rank + 1]
            rows = max(sum(x == column for x, _ in places) for column, _ in places)
            # rows of pips must not overlap
            size = min(style.pip, 0.9 * style.spread[1] / max(rows - 1, 1)) * DOWN
            for px, py in places:
                x, y = ACROSS * (0.5 + style.spread[0] * px), DOWN * (0.5 + style.spread[1] * py)
                # in the seven, the single pip may stand in the lower half
                if rank == 6 and style.turn7 and px == 0:
                    y = DOWN - y
                things.append(self._make_suit_sign(style, suit, x, y, size, turned=y > DOWN / 2 + 12))
            if rng.random() < 0.1 and style.framed:
                x, y = ACROSS * 0.17, DOWN * 0.08
                things.insert(0, Box(x, y, ACROSS - 2 * x, DOWN - 2 * y, ink, style.framed))
        things += self._make_index(style, rank, suit)
        return Card(style.paper, tuple(things))

    def _make_rank_stamp(
        self, style: Style, rank: int, x: float, y: float, height: float, ink: Colour
    ) -> Stamp:
        mask = render_letters(style.typeface, style.words[rank])
        return Stamp(mask, x, y, height, style.narrow, ink, line=style.line)

    def _make_suit_sign(
        self, style: Style, suit: int, x: float, y: float, size: float, turned: bool = False
    ) -> Thing:
        """Draw a suit's sign; `size` is half its height in pixels of the drawing."""
        shape = style.suits[suit]
        if shape.ndim == 2 and shape.dtype == np.uint8:
            return Stamp(np.asarray(shape, np.uint8), x, y, 2 * size, 1.0, style.inks[suit], turned)
        return Mark(np.asarray(shape, np.float64), x, y, size, style.inks[suit], line=1.0, turned=turned)

    def _make_index(self, style: Style, rank: int, suit: int) -> list[Thing]:
        ink = style.inks[suit]
        height = style.height * DOWN
        mask = render_letters(style.typeface, style.words[rank])
        narrow = style.narrow
        widest = 0.3 * ACROSS  # a ten is drawn as one sign
        wide = mask.shape[1] * height / mask.shape[0] * narrow
        if wide > widest:
            narrow, wide = narrow * widest / wide, widest
        sign = style.sign * height
        column = max(wide, sign) / 2
        x, y = style.edge[0] * ACROSS + column, style.edge[1] * DOWN + height / 2
        word = Stamp(mask, x, y, height, narrow, ink, line=style.line)
        things: list[Thing] = [word]
        if style.beside:
            things.append(self._make_suit_sign(style, suit, x + wide / 2 + 0.7 * sign, y, sign / 2))
        elif not style.bare:
            things.append(
                self._make_suit_sign(style, suit, x, y + height / 2 + style.gap * height + sign / 2, sign / 2)
            )
        things += [rotate_half_turn(one) for one in things]
        if style.corners == 4:
            things += [replace(one, x=ACROSS - one.x) for one in list(things) if not isinstance(one, Box)]
        return things

    def _make_ace(self, style: Style, suit: int) -> list[Thing]:
        rng = self.rng
        things: list[Thing] = []
        size = float(rng.uniform(0.06, 0.2)) * DOWN
        middle = ACROSS / 2, DOWN / 2
        # the ace of spades is the one most often decorated
        if rng.random() < (0.6 if suit == 2 else 0.25):
            size = float(rng.uniform(0.13, 0.27)) * DOWN
            around = self.maker.random_shape()
            for _ in range(int(rng.integers(0, 3))):
                fill = str(rng.choice(["open", "hatched", "tint", "dotted"]))
                big = float(rng.uniform(0.9, 1.5)) * size
                things.append(
                    Mark(
                        around,
                        *middle,
                        min(big, 0.45 * ACROSS),
                        self.maker.random_ink(),
                        fill,
                        float(rng.uniform(4, 12)),
                        0.8,
                        2,
                    )
                )
            things.append(self._make_suit_sign(style, suit, *middle, size))
            for i in range(int(rng.integers(1, 12))):
                part = float(rng.uniform(0.1, 0.4)) * size
                angle = float(rng.uniform(0, 6.3))
                x, y = middle[0] + 0.35 * size * np.cos(angle), middle[1] + 0.35 * size * np.sin(angle)
                ink = style.paper if i % 3 else self.maker.random_ink()
                things.append(
                    Mark(
                        self.maker.random_shape(),
                        float(x),
                        float(y),
                        part,
                        ink,
                        str(rng.choice(["solid", "open"])),
                    )
                )
            if rng.random() < 0.5:
                things.append(
                    replace(
                        self.maker.random_title(80, DOWN * float(rng.uniform(0.7, 0.85))),
                        colour=style.inks[suit],
                    )
                )
            return things
        return [self._make_suit_sign(style, suit, *middle, size)]

    def _make_court_card(self, style: Style, suit: int) -> list[Thing]:
        """Draw a portrait, mirrored or not, with or without a frame, with or without two signs."""
        rng = self.rng
        left, top = ACROSS * float(rng.uniform(0.13, 0.24)), DOWN * float(rng.uniform(0.06, 0.13))
        # a mirrored portrait ends in the middle of the card
        low = DOWN - top if style.single else DOWN / 2
        half = self._make_person(style, left, top, ACROSS - left, low)
        if rng.random() < 0.6:
            half += self._make_ornaments(style, left, top, ACROSS - left, low)
        if rng.random() < 0.35:
            half = [
                *self.maker.random_picture(left, top, ACROSS - left, low, int(rng.integers(4, 14))),
                *half,
            ]
            if rng.random() < 0.5:
                half = half[1:]
        things = [*half] if style.single else [*half, *(rotate_half_turn(one) for one in half)]
        if style.framed:
            ink = style.inks[suit] if rng.random() < 0.5 else style.palette[0]
            things.append(Box(left, top, ACROSS - 2 * left, DOWN - 2 * top, ink, style.framed))
        if rng.random() < 0.8:
            size = style.pip * DOWN * float(rng.uniform(0.6, 1.1))
            sign = self._make_suit_sign(style, suit, left + 1.25 * size, top + 1.25 * size, size)
            things += [sign, rotate_half_turn(sign)]
        return things

    def _make_ornaments(self, style: Style, left: float, top: float, right: float, low: float) -> list[Thing]:
        """Draw rows of small signs and strokes, as robes and their hems have them."""
        rng = self.rng
        things: list[Thing] = []
        for _ in range(int(rng.integers(2, 8))):
            size = float(rng.uniform(0.012, 0.045)) * (right - left)
            shape = (
                self.maker.random_shape()
                if rng.random() < 0.5
                else np.array([[0, -1], [0.6, 0], [0, 1], [-0.6, 0]]) * rng.uniform(0.3, 1.5, 2)
            )
            ends = rng.uniform((left + size, top + size), (right - size, low - size), (2, 2))
            steps = max(2, int(np.linalg.norm(ends[1] - ends[0]) / (size * float(rng.uniform(2.0, 4.0)))))
            colours = rng.integers(len(style.palette), size=2)
            fill, line = str(rng.choice(["solid", "open"], p=[0.7, 0.3])), float(rng.uniform(0.5, 2))
            for at in range(min(steps, 24)):
                x, y = ends[0] + (ends[1] - ends[0]) * at / (steps - 1)
                colour = style.palette[colours[at % 2]]
                things.append(Mark(shape, float(x), float(y), max(size, 2.0), colour, fill, 4.0, line, 1))
        return things

    def _make_person(self, style: Style, left: float, top: float, right: float, low: float) -> list[Thing]:
        """Draw half a figure: robe with stripes, arms, hair, face, crown."""
        rng = self.rng
        wide, x = right - left, (left + right) / 2 + float(rng.normal(0, 0.06)) * (right - left)
        head = float(rng.uniform(0.1, 0.17)) * wide
        y = top + float(rng.uniform(1.6, 2.6)) * head

        def pick_colour() -> Colour:
            return style.palette[int(rng.integers(len(style.palette)))]

        skin = (
            style.paper * float(rng.uniform(0.85, 1)) if rng.random() < 0.6 else np.array([0.6, 0.75, 0.95])
        )
        square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], dtype=np.float64)
        robe = np.array([[-0.5, -1], [0.5, -1], [1, 1], [-1, 1]]) * (float(rng.uniform(0.7, 1)), 1)
        middle, size = (y + head + low) / 2, max((low - y - head) / 2, 4)
        robe = robe * (wide / 2 / size, 1)
        things: list[Thing] = [Mark(robe, x, middle, size, pick_colour(), line=1)]
        for _ in range(int(rng.integers(2, 10))):
            part = float(rng.uniform(0.05, 0.3)) * wide
            px = float(rng.uniform(left + part, right - part)) if right - left > 2 * part else x
            py = float(np.clip(rng.uniform(y + head, low), top, low - 4))
            shape = square * rng.uniform(0.1, 1, 2) if rng.random() < 0.5 else self.maker.random_shape()
            fill = str(rng.choice(["solid", "hatched", "dotted", "open"]))
            things.append(
                Mark(
                    shape,
                    px,
                    py,
                    min(part, low - top),
                    pick_colour(),
                    fill,
                    float(rng.uniform(4, 10)),
                    float(rng.uniform(0, 3)),
                    1,
                )
            )
        hair = self.maker.random_shape() if rng.random() < 0.4 else _oval_outline(1.25, 1.3)
        things.append(Mark(hair, x, y, 1.35 * head, pick_colour(), line=1))
        things.append(Mark(_oval_outline(0.8, 1), x, y, head, skin, line=1))
        for side in (-0.35, 0.35):
            things.append(
                Mark(
                    _oval_outline(1, 0.5),
                    x + side * head,
                    y - 0.15 * head,
                    0.14 * head,
                    style.inks[2],
                    line=1,
                )
            )
        if rng.random() < 0.5:
            things.append(
                Mark(
                    self.maker.random_shape() * (1, 0.7), x, y + 0.8 * head, 0.6 * head, pick_colour(), line=1
                )
            )
        points = int(rng.integers(2, 6))
        zigzag = [[-1 + 2 * i / (2 * points), -1.0 if i % 2 == 0 else 0.1] for i in range(2 * points + 1)]
        crown = np.array([*zigzag, [0.8, 1], [-0.8, 1]])
        if rng.random() < 0.75:
            things.append(
                Mark(
                    crown * (1.1, float(rng.uniform(0.4, 0.9))),
                    x,
                    y - 1.2 * head,
                    head,
                    pick_colour(),
                    line=1,
                )
            )
        for _ in range(int(rng.integers(0, 3))):
            tilt = float(rng.uniform(0, 3.14))
            staff = (
                square * (0.05, 1) @ np.array([[np.cos(tilt), -np.sin(tilt)], [np.sin(tilt), np.cos(tilt)]])
            )
            px = float(rng.uniform(left + 0.2 * wide, right - 0.2 * wide))
            things.append(
                Mark(staff, px, (y + low) / 2, min(0.3 * wide, (low - y) / 2), pick_colour(), line=1)
            )
        return [one for one in things if isinstance(one, Mark) and one.y < DOWN]

    def draw_other_card(self) -> Card:
        """Draw a card that is of no pack of 52: of the verifier's decks, a back, a joker, or one
        with a rank or suit that a pack does not have."""
        rng = self.rng
        what = rng.random()
        if what < 0.5:
            kinds = (
                self.maker._make_sign_pair,
                self.maker._make_scene_pair,
                self.maker._make_numeral_pair,
                self.maker._make_court_pair,
            )
            pair = kinds[int(rng.choice(4, p=(0.3, 0.3, 0.3, 0.1)))]()
            if pair[0].things and not (what < 0.05):
                return pair[int(rng.integers(2))]
        if what < 0.65:
            return self._draw_back()
        style = self.random_style()
        odd = ["W", "0", "11", "12", "13", "+2", "S", "X", "N", "14", "Z", "21", "18", "?"]
        strange = tuple(self._random_foreign_sign() for _ in range(4))
        if what < 0.8:  # a joker: a picture and a word, no suit
            file = str(rng.choice(find_typefaces("JOKER")))
            text = str(rng.choice(["JOKER", "Joker", "★", "J O K E R"], p=[0.6, 0.2, 0.0, 0.2]))
            mask = render_letters(file, text)
            mask = np.ascontiguousarray(np.rot90(mask, -1)) if rng.random() < 0.6 else mask
            height = 0.3 * DOWN if mask.shape[0] > mask.shape[1] else 0.05 * DOWN
            x = 0.08 * ACROSS if mask.shape[0] > mask.shape[1] else 0.2 * ACROSS
            word = Stamp(mask, x, height / 2 + 0.05 * DOWN, height, 1.0, self.maker.random_ink())
            return Card(
                style.paper, (*self._make_person(style, 70, 40, 250, 400), word, rotate_half_turn(word))
            )
        if what < 0.93:  # ranks that no pack has
            style = replace(
                style,
                typeface=str(rng.choice(find_typefaces("WSXZN0123456789+?"))),
                plain=str(rng.choice(["rank", "both", "sign"])),
            )
            style = replace(style, words=tuple(str(rng.choice(odd)) for _ in range(13)))
            if rng.random() < 0.5:
                style = replace(style, suits=strange)
            return self.draw_card(style, int(rng.integers(1, 10)), int(rng.integers(4)))
        # its suits are others
        return self.draw_card(
            replace(style, suits=strange, bare=False), int(rng.integers(13)), int(rng.integers(4))
        )

    def _random_foreign_sign(self) -> Points:
        """Draw a sign that none of the four suits looks like: with one of them the card would be of
        a pack of 52, whatever its label said."""
        while True:
            sign = self.maker.random_shape()
            if (_usual_suit_masks() @ _normalise_mask(_fill_outline(sign)) < ALIKE).all():
                return sign

    def _draw_back(self) -> Card:
        """Draw a pattern that looks the same upside down, in a frame or over the whole card."""
        rng = self.rng
        paper, ink = self.maker.random_paper(), self.maker.random_ink()
        edge = float(rng.uniform(0, 30))
        things: list[Thing] = [
            Box(edge, edge, ACROSS - 2 * edge, DOWN - 2 * edge, ink, float(rng.choice([0, 3])))
        ]
        shape, size = self.maker.random_shape(), float(rng.uniform(7, 40))
        other = paper if rng.random() < 0.6 else self.maker.random_ink()
        step = size * float(rng.uniform(1.6, 2.6))
        for y in np.arange(edge + size, DOWN - edge - size, step):
            for x in np.arange(edge + size, ACROSS - edge - size, step):
                things.append(Mark(shape, float(x), float(y), size * 0.8, other, line=1))
        if rng.random() < 0.4:
            half = self.maker.random_picture(90, 110, 230, 224, int(rng.integers(3, 10)))
            things += [*half, *(rotate_half_turn(one) for one in half)]
        return Card(paper, tuple(things))


@lru_cache
def _usual_suit_masks() -> NDArray[np.float64]:
    """Return the masks of the four suits, each as a row of length 1."""
    return np.array([_normalise_mask(_fill_outline(suit)) for suit in SUITS])


def _fill_outline(points: Points) -> NDArray[np.uint8]:
    """Return an outline as a mask, 0 to 255, cropped to it."""
    low, high = points.min(axis=0), points.max(axis=0)
    mask = np.zeros((96, 96), np.uint8)
    cv2.fillPoly(mask, [np.round((points - low) / (high - low) * 95).astype(np.int32)], 255)
    return mask


def _oval_outline(wide: float, high: float) -> Points:
    t = np.linspace(0, 2 * np.pi, 33)[:-1]
    return np.stack([wide * np.cos(t), high * np.sin(t)], axis=1)
