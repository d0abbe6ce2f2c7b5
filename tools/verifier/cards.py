"""Draw random cards of decks that do not exist, and for each a twin that differs in one property.

A verifier must reject the twin: another suit, one pip more or less, another hatch, hue, shape,
letter, a part of the picture missing or changed. Nothing here is a photograph; the shapes are
polygons, curves and OpenCV's letters.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from tools.verifier.things import INKS, PLACES, SUITS, Box, Card, Mark, Points, Thing, Word, rotate_half_turn


@dataclass
class CardGenerator:
    """Draws random cards; the same generator makes the same cards."""

    rng: np.random.Generator

    def make_pair(self) -> tuple[Card, Card]:
        """Draw a card, and another that differs from it in one property."""
        rng = self.rng
        kinds = (
            self._make_pip_pair,
            self._make_sign_pair,
            self._make_scene_pair,
            self._make_court_pair,
            self._make_numeral_pair,
        )
        kind = kinds[int(rng.choice(len(kinds), p=(0.22, 0.36, 0.16, 0.14, 0.12)))]
        return kind()

    # the kinds of cards

    def _make_pip_pair(self) -> tuple[Card, Card]:
        """Draw playing cards with pips and two indices; the twin has another suit, colour or
        rank."""
        rng = self.rng
        suits = SUITS if rng.random() < 0.6 else [self.random_shape() for _ in range(4)]
        names = list("A23456789") if rng.random() < 0.7 else [self.random_letters(1) for _ in range(10)]
        rank, suit, colour = int(rng.integers(1, 11)), int(rng.integers(4)), int(rng.integers(2))
        inks = [INKS[0], INKS[1]] if rng.random() < 0.6 else [self.random_ink(), self.random_ink()]
        style = (
            float(rng.uniform(15, 30)),
            float(rng.uniform(28, 52)),
            int(rng.integers(0, 4)),
            self.random_paper(),
        )

        def draw_card(rank: int, suit: int, colour: int) -> Card:
            size, height, font, paper = style
            ink = inks[colour]
            things: list[Thing] = []
            for px, py in PLACES[rank]:
                # pips of the lower half stand on their heads
                x, y = 160 + 72 * px, 224 + 130 * py
                things.append(Mark(suits[suit], x, y, size, ink, turned=py > 0.05))
            # an ace has one large pip
            if rank == 1:
                things = [Mark(suits[suit], 160, 224, 2.2 * size, ink)]
            things += self.make_corner_indices(
                names[rank - 1] if rank < 10 else "10", suits[suit], ink, height, font
            )
            return Card(paper, tuple(things))

        what = rng.random()
        if what < 0.45:
            other = draw_card(rank, (suit + int(rng.integers(1, 4))) % 4, colour)
        elif what < 0.6:
            other = draw_card(rank, suit, 1 - colour)
        else:
            step = int(rng.choice([-2, -1, -1, 1, 1, 2]))
            other = draw_card(
                rank + step if 1 <= rank + step <= 10 else (3 if rank != 3 else 4), suit, colour
            )
        return draw_card(rank, suit, colour), other

    def _make_sign_pair(self) -> tuple[Card, Card]:
        """Draw one to three large signs; the twin has another fill, hue, shape or number of
        them."""
        rng = self.rng
        shapes = [self.random_shape(), self.random_shape()]
        inks = [self.random_ink(), self.random_ink()]
        fills = list(rng.permutation(["solid", "open", "hatched", "dotted", "tint"], axis=0)[:2])
        # mostly open or hatched, which are the hardest to tell apart
        if rng.random() < 0.75:
            fills = list(rng.permutation(["open", "hatched", "solid", "hatched", "open"])[:2])
            if fills[0] == fills[1]:
                fills[1] = "solid" if fills[0] != "solid" else "hatched"
        pitch, tilt = float(rng.uniform(4.5, 14)), float(rng.choice([0, 0, np.pi / 2, np.pi / 4, 1.0]))
        part = float(rng.uniform(0.1, 0.4))
        line, size, wide = (
            float(rng.uniform(1.5, 5)),
            float(rng.uniform(30, 60)),
            float(rng.uniform(1.0, 2.2)),
        )
        paper, across = self.random_paper(), rng.random() < 0.5
        number = int(rng.integers(1, 4))

        def draw_card(number: int, shape: int, fill: int, colour: int) -> Card:
            things = []
            outline = shapes[shape] * ([1, wide] if across else [wide, 1])
            for i in range(number):
                along = (i - (number - 1) / 2) * size * 2.25
                x, y = (160 + 0.95 * along, 224.0) if across else (160.0, 224 + along)
                mark = Mark(outline, x, y, size * 0.95, inks[colour], str(fills[fill]), pitch, tilt, line)
                things.append(replace(mark, part=part))
            return Card(paper, tuple(things))

        first = draw_card(number, 0, 0, 0)
        what = rng.random()
        if what < 0.7:
            return first, draw_card(number, 0, 1, 0)
        if what < 0.8:
            return first, draw_card(number, 0, 0, 1)
        if what < 0.9:
            return first, draw_card(number, 1, 0, 0)
        return first, draw_card(number % 3 + 1, 0, 0, 0)

    def _make_scene_pair(self) -> tuple[Card, Card]:
        """Draw a picture in a frame with a title and small print; the twin has another picture, or
        one thing in it is changed."""
        rng = self.rng
        frame = self.make_frame()
        box = (float(rng.uniform(18, 50)), float(rng.uniform(18, 80)))
        low = float(rng.uniform(220, 430))
        words = [self.random_title(box[0] + 8, box[1] - 4), *self.random_small_print(box[0] + 6, low + 22)]
        inside = self.random_picture(box[0], box[1], 320 - box[0], low, int(rng.integers(4, 30)))
        card = Card(frame[0], (*frame[1], *inside, *words))
        what = rng.random()
        if what < 0.35:
            inside = self.random_picture(box[0], box[1], 320 - box[0], low, int(rng.integers(4, 30)))
            words = [
                self.random_title(box[0] + 8, box[1] - 4),
                *self.random_small_print(box[0] + 6, low + 22),
            ]
            return card, Card(frame[0], (*frame[1], *inside, *words))
        things = list(card.things)
        marks = [i for i, t in enumerate(things) if isinstance(t, Mark) and t.size > 16]
        if not marks:
            return card, Card(frame[0], (*frame[1], *words))
        # things in front are certainly visible
        chosen = marks[-1 - int(rng.integers(min(3, len(marks))))]
        return card, Card(card.paper, tuple(self.change_one_thing(things, chosen)))

    def _make_court_pair(self) -> tuple[Card, Card]:
        """Draw a picture that looks the same upside down, with indices; the twin has another index,
        suit or picture."""
        rng = self.rng
        suits = SUITS if rng.random() < 0.6 else [self.random_shape() for _ in range(4)]
        half = self.random_picture(70, 60, 250, 224, int(rng.integers(6, 20)))
        paper, ink = (
            self.random_paper(),
            INKS[int(rng.integers(2))] if rng.random() < 0.7 else self.random_ink(),
        )
        height, font = float(rng.uniform(28, 52)), int(rng.integers(0, 4))
        edge: tuple[Thing, ...] = (Box(66, 56, 188, 336, ink, float(rng.uniform(1, 4))),)

        def draw_card(name: str, suit: int, half: list[Thing]) -> Card:
            both = [*half, *(rotate_half_turn(t) for t in half)]
            big = [Mark(suits[suit], 96, 92, 17, ink), Mark(suits[suit], 224, 356, 17, ink, turned=True)]
            return Card(
                paper, (*edge, *both, *big, *self.make_corner_indices(name, suits[suit], ink, height, font))
            )

        what, name, suit = rng.random(), str(rng.choice(list("KQJVDB"))), int(rng.integers(4))
        first = draw_card(name, suit, half)
        if what < 0.5:
            return first, draw_card(name, (suit + int(rng.integers(1, 4))) % 4, half)
        if what < 0.7:
            return first, draw_card(
                name, suit, self.random_picture(70, 60, 250, 224, int(rng.integers(6, 20)))
            )
        return first, draw_card(str(rng.choice(list("AXTW79"))), suit, half)

    def _make_numeral_pair(self) -> tuple[Card, Card]:
        """Draw a large numeral or sign, with small ones in the corners, on plain or coloured
        ground."""
        rng = self.rng
        ground, ink = self.random_paper() if rng.random() < 0.5 else self.random_ink(), self.random_ink()
        # the sign must stand out from its ground
        if np.abs(ground - ink).max() < 0.3:
            ink = np.ones(3) if ground.mean() < 0.5 else np.zeros(3)
        font, height = int(rng.integers(0, 4)), float(rng.uniform(90, 190))
        shape, edge = self.random_shape(), float(rng.uniform(0, 30))
        paper = self.random_paper()
        sign = (float(rng.uniform(20, 70)), float(rng.uniform(60, 110)))
        numbers = [str(int(n)) for n in rng.choice(np.arange(1, 20), 2, replace=False)]
        word = self.random_title(60, 420)

        def draw_card(text: str, shape: Points, ink: NDArray[np.float64], word: Word) -> Card:
            things: list[Thing] = [Box(edge, edge, 320 - 2 * edge, 448 - 2 * edge, ground)]
            things.append(Mark(shape, 160, sign[1], sign[0], ink))
            wide = cv2.getTextSize(text, font, height / 22, 1)[0][0]
            things.append(
                Word(text, 160 - wide / 2, 260 + height / 2, height, ink, font, int(height / 9) + 1)
            )
            things += self.make_corner_indices(text, shape, ink, 34, font)
            return Card(paper, (*things, word))

        first = draw_card(numbers[0], shape, ink, word)
        what = rng.random()
        if what < 0.5:
            return first, draw_card(numbers[1], shape, ink, word)
        if what < 0.75:
            return first, draw_card(numbers[0], self.random_shape(), ink, word)
        return first, draw_card(numbers[0], shape, self.random_ink(ink), word)

    # what cards are made of

    def change_one_thing(self, things: list[Thing], at: int) -> list[Thing]:
        """Return the things with one of them removed, or of another shape, colour or place."""
        mark, rng = things[at], self.rng
        assert isinstance(mark, Mark)
        what = rng.random()
        if what < 0.3:
            return things[:at] + things[at + 1 :]
        if what < 0.6:
            other = replace(mark, shape=self.random_shape())
        elif what < 0.85:
            other = replace(mark, colour=self.random_ink(mark.colour))
        else:
            other = replace(mark, x=mark.x + float(rng.choice([-1, 1])) * mark.size)
        return [*things[:at], other, *things[at + 1 :]]

    def random_shape(self) -> Points:
        """Return a random outline: a suit, a polygon, a star, or a new curve."""
        rng = self.rng
        what = rng.random()
        if what < 0.2:
            return SUITS[int(rng.integers(4))]
        corners = int(rng.integers(3, 9))
        angle = np.linspace(0, 2 * np.pi, 73)[:-1]
        if what < 0.4:
            step = np.linspace(0, 2 * np.pi, corners + 1)[:-1] + float(rng.uniform(0, 3))
            return np.stack([np.cos(step), np.sin(step)], axis=1)
        if what < 0.55:
            step = np.linspace(0, 2 * np.pi, 2 * corners + 1)[:-1] - np.pi / 2
            radius = np.where(np.arange(2 * corners) % 2, float(rng.uniform(0.35, 0.7)), 1.0)
            return radius[:, None] * np.stack([np.cos(step), np.sin(step)], axis=1)
        if what < 0.65:
            return np.stack([np.cos(angle), np.sin(angle) * float(rng.uniform(0.5, 1))], axis=1)
        radius = np.ones_like(angle)
        for wave in range(1, 6):
            radius += rng.normal(0, 0.35 / wave) * np.cos(wave * angle + rng.uniform(0, 6.3))
        radius = np.clip(radius, 0.15, None)
        points = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        return np.asarray(points / np.abs(points).max())

    def random_ink(self, other_than: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Return a random colour of ink, clearly different from `other_than`."""
        for _ in range(50):
            hsv = np.array(
                [[[self.rng.uniform(0, 360), self.rng.uniform(0.4, 1), self.rng.uniform(0.1, 0.9)]]]
            )
            bgr = cv2.cvtColor(hsv.astype(np.float32), cv2.COLOR_HSV2BGR)[0, 0].astype(np.float64)
            if self.rng.random() < 0.1:
                bgr[:] = bgr.mean() * 0.3
            if (
                other_than is None
                or np.abs((bgr - bgr.mean()) - (other_than - other_than.mean())).max() > 0.3
            ):
                break
        return np.asarray(bgr)

    def random_paper(self) -> NDArray[np.float64]:
        """Return a random paper: nearly white, sometimes cream or tinted."""
        rng = self.rng
        tint = rng.uniform(0.86, 1, 3) if rng.random() < 0.3 else np.full(3, 0.97)
        return np.asarray(tint * rng.uniform(0.9, 1))

    def random_letters(self, count: int) -> str:
        """Return some random letters and digits."""
        return "".join(self.rng.choice(list("ABCDEFGHKLMNPQRSTUVWXYZ0123456789"), count))

    def random_title(self, x: float, y: float) -> Word:
        """Return a random title."""
        rng = self.rng
        return Word(
            self.random_letters(int(rng.integers(3, 11))),
            x,
            y,
            float(rng.uniform(14, 30)),
            self.random_dark_ink(),
            0,
            2,
        )

    def random_small_print(self, x: float, y: float) -> list[Word]:
        """Return random small print."""
        ink = self.random_dark_ink()
        count = int(self.rng.integers(0, 6))
        return [
            Word(self.random_letters(18), x, y + 18 * i, 12, ink, 0, 1)
            for i in range(count)
            if y + 18 * i < 430
        ]

    def random_dark_ink(self) -> NDArray[np.float64]:
        """Return a random dark ink."""
        return np.asarray(self.rng.uniform(0, 0.35, 3))

    def make_corner_indices(
        self, text: str, shape: Points, ink: NDArray[np.float64], height: float, font: int
    ) -> list[Thing]:
        """Draw the index in two corners, with a small sign under it."""
        things: list[Thing] = []
        for turned in (False, True):
            x, y = (12.0, 16 + height) if not turned else (308.0, 432 - height)
            things.append(Word(text, x, y, height, ink, font, max(2, int(height / 9)), turned))
            sign = 0.4 * height
            x, y = (14 + sign, y + 1.4 * sign) if not turned else (306 - sign, y - 1.4 * sign)
            things.append(Mark(shape, x, y, sign, ink, turned=turned))
        return things

    def make_frame(self) -> tuple[NDArray[np.float64], list[Thing]]:
        """Draw paper, border and inner ground of a card with a picture."""
        rng = self.rng
        paper = (
            self.random_paper()
            if rng.random() < 0.5
            else self.random_dark_ink()
            if rng.random() < 0.6
            else self.random_ink()
        )
        things: list[Thing] = []
        for _ in range(int(rng.integers(0, 3))):
            edge = float(rng.uniform(6, 26))
            things.append(
                Box(
                    edge,
                    edge,
                    320 - 2 * edge,
                    448 - 2 * edge,
                    self.random_ink(),
                    float(rng.choice([0, 2, 4])),
                )
            )
        return paper, things

    def random_picture(self, left: float, top: float, right: float, low: float, count: int) -> list[Thing]:
        """Draw random shapes within a box, large ones behind."""
        rng = self.rng
        things: list[Thing] = [Box(left, top, right - left, low - top, self.random_ink())]
        room = min(right - left, low - top)
        for i in range(count):
            size = float(rng.uniform(0.08, 0.3)) * room * (1.3 - i / count)
            # too large for the box
            if right - left < 2 * size or low - top < 2 * size:
                continue
            x, y = float(rng.uniform(left + size, right - size)), float(rng.uniform(top + size, low - size))
            fill = str(rng.choice(["solid", "solid", "solid", "hatched", "tint"]))
            things.append(
                Mark(self.random_shape(), x, y, size, self.random_ink(), fill, float(rng.uniform(5, 12)), 0.8)
            )
        return things
