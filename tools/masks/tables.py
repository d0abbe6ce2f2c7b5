"""Tables that do not exist, seen by cameras that do not exist, and where on them cards lie.

Nothing here is a photograph. Cards are the verifier's (`tools.verifier.cards`), with frames, backs
and rounded corners; what else lies on a table is drawn from polygons, noise and OpenCV's letters.
"""

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from tools.verifier.cards import Maker
from tools.verifier.pairs import Press, lit, taken
from tools.verifier.things import ACROSS, DOWN, Box, Card, Mark, Picture
from vision.geometry import Quad, area, overlap

WIDTH, HEIGHT = 352, 256
"""Pixels of a drawn table."""

STRIDE = 4
"""Pixels of the table to one of a map."""

INNER = 0.8
"""Part of a card's sides that the second map shows, so that cards that touch part."""

POOL, RENEWED = 160, 0.35
"""Cards that are kept ready, and the chance that a table renews one of them: to draw a card takes
as long as to draw a table of them."""

Bits = NDArray[np.uint8]


@dataclass
class Tables:
    """Draws tables without end; the same generator draws the same."""

    rng: np.random.Generator
    pool: list[list[Picture]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._maker = Maker(self.rng)
        self.pool = [self._printed() for _ in range(POOL)]

    def table(self) -> tuple[Bits, Bits]:
        """A picture (HEIGHT x WIDTH x 3) and its maps (a `STRIDE`th of that, x 2, 0..255): the part
        of each place that is card, and that is the inner part of one."""
        rng = self.rng
        if rng.random() < RENEWED:
            self.pool[int(rng.integers(POOL))] = self._printed()
        seen = self._ground()
        if rng.random() < 0.35:
            self._mat(seen)
        for _ in range(int(rng.integers(0, 5)) if rng.random() < 0.6 else 0):
            self._thing(seen)
        card, inner = np.zeros((HEIGHT, WIDTH), np.uint8), np.zeros((HEIGHT, WIDTH), np.uint8)
        depth = 0.0 if rng.random() < 0.4 else float(rng.uniform(0.1, 0.6))
        rims = rng.random() < 0.3
        for quad, sheet in zip(*self._laid(), strict=True):
            self._lay(seen, quad, sheet, depth, rims)
            cv2.fillConvexPoly(card, _fixed(quad), 255, cv2.LINE_AA, 4)
            cv2.fillConvexPoly(inner, _fixed(_scaled(quad, 2 - INNER)), 0, cv2.LINE_AA, 4)
            cv2.fillConvexPoly(inner, _fixed(_scaled(quad, INNER)), 255, cv2.LINE_AA, 4)
        for _ in range(int(rng.integers(0, 3)) if rng.random() < 0.4 else 0):
            self._over(seen, card, inner)
        if rng.random() < 0.15:
            self._glare(seen)
        poor = float(rng.choice([0.1, 0.4, 0.9]))
        told = taken(lit(seen, rng, poor), rng, poor)
        size = WIDTH // STRIDE, HEIGHT // STRIDE
        maps = [cv2.resize(one, size, interpolation=cv2.INTER_AREA) for one in (card, inner)]
        return told, np.dstack(maps)

    # cards

    def _printed(self) -> list[Picture]:
        """A card (its print, with an alpha of its rounded corners) in falling sizes."""
        rng = self.rng
        what = rng.random()
        card = self._maker.pair()[0] if what < 0.88 else self._back()
        whole = Press.drawn(rng, 0.5).run(card)
        height = round(ACROSS * float(rng.choice([1.4, 1.4, 1.4, 1.55, 1.3, 1.7, 1.0, 1.2])))
        if height != DOWN:
            whole = cv2.resize(whole, (ACROSS, height), interpolation=cv2.INTER_AREA)
        if rng.random() < 0.2:
            rim, colour = int(rng.uniform(5, 26)), self._pale() if rng.random() < 0.7 else self._dark()
            cv2.rectangle(whole, (0, 0), (ACROSS - 1, height - 1), colour.tolist(), 2 * rim)
        if rng.random() < 0.15:
            cv2.rectangle(whole, (0, 0), (ACROSS - 1, height - 1), self._dark().tolist(), 2)
        alpha = np.zeros((height, ACROSS), np.uint8)
        r = int(rng.uniform(0, 30))
        cv2.rectangle(alpha, (r, 0), (ACROSS - r, height), 255, -1)
        cv2.rectangle(alpha, (0, r), (ACROSS, height - r), 255, -1)
        for x in (r, ACROSS - 1 - r):
            for y in (r, height - 1 - r):
                cv2.circle(alpha, (x, y), r, 255, -1, cv2.LINE_AA)
        one = np.dstack([whole, alpha.astype(np.float32) / 255])
        sizes = [one]
        while sizes[-1].shape[1] > 30:
            sizes.append(cv2.resize(sizes[-1], None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA))
        return sizes

    def _back(self) -> Card:
        """A back: one pattern within a frame."""
        rng, make = self.rng, self._maker
        paper, things = make.frame()
        shape, ink, ink2 = make.shape(), make.ink(), make.ink()
        edge, step = float(rng.uniform(0, 30)), float(rng.uniform(18, 60))
        things.append(Box(edge, edge, ACROSS - 2 * edge, DOWN - 2 * edge, ink))
        for x in np.arange(edge + step / 2, ACROSS - edge - step / 3, step):
            for y in np.arange(edge + step / 2, DOWN - edge - step / 3, step):
                things.append(Mark(shape, float(x), float(y), step * 0.45, ink2))
        return Card(paper, tuple(things))

    def _laid(self) -> tuple[list[Quad], list[list[Picture]]]:
        """Where the cards of one table lie, from the lowest up, and what is printed on each."""
        rng = self.rng
        sheets = [self.pool[i] for i in rng.integers(0, POOL, 40)]
        what = rng.random()
        if what < 0.04:
            return [], []
        width = float(np.exp(rng.uniform(np.log(16), np.log(95))))
        if what < 0.12:
            width = float(rng.uniform(95, 210))
        tall = sheets[0][0].shape[0] / ACROSS
        if rng.random() < 0.7:
            # one deck: all of one format
            alike = [s for s in self.pool if s[0].shape[0] == sheets[0][0].shape[0]]
            sheets = [alike[i] for i in rng.integers(0, len(alike), 40)]
        view = self._view()
        many = int(np.clip(rng.integers(1, 30), 1, 1 + 40000 / (width * width * tall)))
        quads: list[Quad] = []
        base = float(rng.uniform(0, 2 * np.pi)) if rng.random() < 0.4 else float(rng.normal(0, 0.05))
        spread = float(rng.choice([0.0, 0.03, 0.12, 3.0]))

        def add(x: float, y: float, turn: float) -> None:
            one = sheets[len(quads) % 40][0].shape[0] / ACROSS
            size = width * float(np.exp(rng.normal(0, 0.02)))
            corners = np.array([[-1, -one], [1, -one], [1, one], [-1, one]]) * (size / 2)
            c, s = np.cos(turn), np.sin(turn)
            flat = corners @ np.array([[c, s], [-s, c]]) + (x, y)
            quads.append(cv2.perspectiveTransform(flat[None].astype(np.float64), view)[0].astype(np.float32))

        kind = rng.random()
        if kind < 0.4:
            # rows, touching, apart or lying over each other
            gap = float(
                rng.choice(
                    [0.0, 0.01, 0.04, 0.15, 0.4, -0.3, -0.6], p=[0.14, 0.08, 0.16, 0.27, 0.15, 0.12, 0.08]
                )
            )
            gap2 = float(rng.choice([0.0, 0.03, 0.15, 0.4]))
            columns = max(1, int(rng.integers(1, 9)))
            c, s = np.cos(base), np.sin(base)
            for i in range(many):
                px = (i % columns - (columns - 1) / 2) * width * (1 + gap)
                py = (i // columns - (many // columns) / 2) * width * tall * (1 + gap2)
                px, py = (
                    px + rng.normal(0, 0.02 * width) * (gap > 0.02),
                    py + rng.normal(0, 0.02 * width) * (gap > 0.02),
                )
                add(
                    WIDTH / 2 + c * px - s * py,
                    HEIGHT / 2 + s * px + c * py,
                    base + rng.normal(0, spread) * (gap > 0.03),
                )
        elif kind < 0.5:
            # a fan
            x, y = rng.uniform(0.2, 0.8) * WIDTH, rng.uniform(0.2, 0.8) * HEIGHT
            step = float(rng.uniform(0.12, 0.5))
            for i in range(min(many, 9)):
                turn = base + (i - 4) * step
                add(x + np.sin(turn) * width, y - np.cos(turn) * width, turn)
        else:
            # anywhere; most of them apart
            apart = rng.random() < 0.75
            for _ in range(3 * many):
                if len(quads) >= many:
                    break
                turn = base + rng.normal(0, spread) + float(rng.choice([0, 0, 0, np.pi / 2]))
                add(rng.uniform(0, WIDTH), rng.uniform(0, HEIGHT), turn)
                if apart and any(overlap(quads[-1], q) > 0.02 * area(q) for q in quads[:-1]):
                    quads.pop()
        good = [q for q in quads if area(q) > 150 and _in_view(q)]
        return good, sheets[: len(good)] if len(good) <= 40 else (sheets + sheets)[: len(good)]

    def _view(self) -> NDArray[np.float64]:
        """How the camera sees the table: from above, or aslant."""
        rng = self.rng
        corners = np.array([[0, 0], [WIDTH, 0], [WIDTH, HEIGHT], [0, HEIGHT]], np.float32)
        moved = corners + rng.normal(0, float(rng.choice([0, 5, 20])), (4, 2))
        if rng.random() < 0.4:
            lean = float(rng.uniform(0, 0.25)) * WIDTH
            moved[0, 0], moved[1, 0] = moved[0, 0] + lean, moved[1, 0] - lean
            moved[:2, 1] += float(rng.uniform(0, 0.3)) * HEIGHT
        return np.asarray(cv2.getPerspectiveTransform(corners, moved.astype(np.float32)))

    def _lay(self, seen: Picture, quad: Quad, sizes: list[Picture], depth: float, rims: bool) -> None:
        """Draw one card, with the shadow that it casts, `depth` deep, or a thin dark line where its
        edge shows (`rims`)."""
        rng = self.rng
        across = float(np.linalg.norm(quad[1] - quad[0]))
        sheet = next((s for s in reversed(sizes) if s.shape[1] > 1.2 * across), sizes[0])
        high, wide = sheet.shape[:2]
        room = 8
        left, top = np.maximum(np.floor(quad.min(axis=0) - room), 0).astype(int)
        right, low = np.minimum(np.ceil(quad.max(axis=0) + room), (WIDTH, HEIGHT)).astype(int)
        if right - left < 3 or low - top < 3:
            return
        place = quad - (left, top)
        whole = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float32) - 0.5
        matrix = cv2.getPerspectiveTransform(whole, place.astype(np.float32))
        shown = cv2.warpPerspective(
            sheet, matrix, (int(right - left), int(low - top)), flags=cv2.INTER_LINEAR
        )
        under = seen[top:low, left:right]
        alpha = shown[:, :, 3]
        if depth > 0:
            shift = rng.normal(0, 1.5, 2)
            moved = np.array([[1, 0, shift[0]], [0, 1, shift[1]]], np.float32)
            dark = cv2.warpAffine(cv2.GaussianBlur(alpha, (0, 0), 1.2), moved, alpha.shape[::-1])
            under *= 1 - np.float32(depth) * dark[:, :, None]
        elif rims:
            under *= 1 - np.float32(0.12) * cv2.dilate(alpha, np.ones((3, 3)))[:, :, None]
        shade = np.float32(np.exp(rng.normal(0, 0.04)))
        under += alpha[:, :, None] * (shown[:, :, :3] * shade / np.maximum(alpha, 0.05)[:, :, None] - under)

    # grounds

    def _pale(self) -> NDArray[np.float64]:
        rng = self.rng
        return np.clip(rng.uniform(0.72, 1.0) + rng.normal(0, 0.03, 3), 0, 1)

    def _dark(self) -> NDArray[np.float64]:
        return np.clip(self.rng.uniform(0.02, 0.3) + self.rng.normal(0, 0.03, 3), 0, 1)

    def _colour(self) -> NDArray[np.float64]:
        """Pale, dark, wooden or of any colour."""
        what = self.rng.random()
        if what < 0.3:
            return self._pale()
        if what < 0.45:
            return self._dark()
        if what < 0.6:
            return np.clip(
                np.array([0.3, 0.5, 0.72]) * self.rng.uniform(0.4, 1.3) + self.rng.normal(0, 0.04, 3), 0, 1
            )
        return np.asarray(self._maker.ink())

    def _noise(self, sigma: float, strength: float, grey: bool = True) -> Picture:
        """Spots of about `sigma` pixels."""
        small = (max(2, int(HEIGHT / sigma)), max(2, int(WIDTH / sigma)), 1 if grey else 3)
        spots = self.rng.standard_normal(small, dtype=np.float32) * np.float32(strength)
        big = cv2.resize(spots, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC)
        return big[:, :, None] if grey else big

    def _coordinates(self) -> tuple[Picture, Picture]:
        """Two coordinates in pixels, turned at random and seen aslant."""
        rng = self.rng
        y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
        turn = float(rng.uniform(0, np.pi)) if rng.random() < 0.5 else float(rng.normal(0, 0.05))
        far = 1 + (y / HEIGHT - 0.5) * np.float32(0 if rng.random() < 0.5 else rng.uniform(-0.4, 0.4))
        x, y = (x - WIDTH / 2) * far, (y - HEIGHT / 2) * far
        return x * np.cos(turn) + y * np.sin(turn), y * np.cos(turn) - x * np.sin(turn)

    def _ground(self) -> Picture:
        """A bare table."""
        rng = self.rng
        seen = np.empty((HEIGHT, WIDTH, 3), np.float32)
        seen[:] = self._colour()
        what = rng.random()
        if what < 0.28:
            # felt, paper, a plain top
            seen += self._noise(float(rng.uniform(1, 4)), float(rng.choice([0.0, 0.02, 0.06])))
        elif what < 0.46:
            self._wooden(seen)
        elif what < 0.68:
            other = self._colour() if rng.random() < 0.5 else seen[0, 0] * rng.uniform(0.6, 1.25)
            seen += self._regular()[:, :, None] * (other.clip(0, 1).astype(np.float32) - seen)
        elif what < 0.82:
            # a carpet, marble: spots of several sizes and colours
            for size in (3, 8, 25, 70):
                wide, strength = size * float(rng.uniform(0.6, 1.5)), float(rng.uniform(0, 0.14))
                seen += self._noise(wide, strength, rng.random() < 0.4)
        elif what < 0.92:
            self._strewn(seen)
        else:
            self._written(seen)
        if rng.random() < 0.6:
            seen += self._noise(1.5, float(rng.uniform(0, 0.05)))
        if rng.random() < 0.5:
            seen += self._noise(90, float(rng.uniform(0, 0.06)))
        return np.clip(seen, 0, 1)

    def _wooden(self, seen: Picture) -> None:
        """Grain along, and half of the time planks across."""
        rng = self.rng
        _, v = self._coordinates()
        lines = cv2.GaussianBlur(
            rng.standard_normal((1, 512), dtype=np.float32), (0, 0), float(rng.uniform(0.7, 4))
        )
        bend = cv2.resize(rng.standard_normal((4, 4), dtype=np.float32), (WIDTH, HEIGHT))
        along = v + bend * np.float32(rng.uniform(0, 10)) + 256
        grain = np.interp(along, np.arange(512), lines[0]) * rng.uniform(0.2, 1)
        mix = np.clip(0.5 + grain, 0, 1).astype(np.float32)
        seen[:] = np.array([0.35, 0.55, 0.78]) * rng.uniform(0.35, 1.25) * np.exp(rng.normal(0, 0.1, 3))
        if rng.random() < 0.5:
            wide = float(rng.uniform(20, 120))
            mix = np.where(np.mod(v, wide) < rng.uniform(0.8, 2.5), np.float32(1.4), mix)
            if rng.random() < 0.4:
                mix = mix + 0.3 * np.mod(np.floor(v / wide) * 7.3, 1).astype(np.float32)
        seen += mix[:, :, None] * (seen[0, 0] * np.float32(rng.uniform(0.5, 0.95)) - seen)

    def _regular(self) -> NDArray[np.float32]:
        """Where a cloth has a second colour, 0..1: gingham, chequers, stripes, grids, dots."""
        rng = self.rng
        u, v = self._coordinates()
        pitch = float(np.exp(rng.uniform(np.log(5), np.log(80))))
        part = float(rng.uniform(0.3, 0.7))
        u, v = np.mod(u, pitch), np.mod(v, pitch)
        a, b = u < part * pitch, v < part * pitch
        line = max(1.0, pitch * float(rng.uniform(0.02, 0.1)))
        kinds = (
            0.5 * a + 0.5 * b,
            a ^ b,
            a,
            (u < line) | (v < line),
            np.hypot(u - pitch / 2, v - pitch / 2) < 0.3 * pitch,
        )
        return kinds[int(rng.choice(5, p=(0.3, 0.25, 0.15, 0.15, 0.15)))].astype(np.float32)

    def _strewn(self, seen: Picture) -> None:
        """A cloth with flowers, a board, a picture: shapes all over."""
        rng = self.rng
        many, size = int(rng.integers(10, 120)), float(rng.uniform(4, 40))
        shapes, inks = [self._maker.shape() for _ in range(3)], [self._maker.ink() for _ in range(3)]
        for _ in range(many):
            which = int(rng.integers(3))
            turn = float(rng.uniform(0, 6.3))
            way = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
            at = shapes[which] @ way * size * rng.uniform(0.5, 1.5) + rng.uniform(0, 1, 2) * (WIDTH, HEIGHT)
            cv2.fillPoly(seen, [_fixed(at)], inks[which].tolist(), cv2.LINE_AA, 4)

    def _written(self, seen: Picture) -> None:
        """A page of print: lines, columns, pictures."""
        rng = self.rng
        ink, high = self._dark().tolist(), int(rng.uniform(4, 12))
        for y in range(0, HEIGHT + high, max(3, int(high * rng.uniform(1.2, 2.5)))):
            x = int(rng.uniform(-20, 20))
            while x < WIDTH:
                text = self._maker.letters(int(rng.integers(2, 10)))
                cv2.putText(seen, text, (x, y), 0, high / 28, ink, 1, cv2.LINE_AA)
                x += int(len(text) * high * 0.8) + int(rng.uniform(3, 40))
        for _ in range(int(rng.integers(0, 4))):
            a, b = rng.uniform(0, 1, 2) * (WIDTH, HEIGHT), rng.uniform(0.05, 0.4, 2) * (WIDTH, HEIGHT)
            cv2.rectangle(
                seen,
                tuple(a.astype(int).tolist()),
                tuple((a + b).astype(int).tolist()),
                self._colour().tolist(),
                -1 if rng.random() < 0.6 else 1,
            )

    def _mat(self, seen: Picture) -> None:
        """Another ground within four straight sides: a mat, a tray, a sheet, a table's end."""
        rng = self.rng
        ground = self._ground()
        if rng.random() < 0.35:
            self._strewn(ground)
        half = rng.uniform(0.28, 0.75, 2) * (WIDTH, HEIGHT)
        turn = float(rng.normal(0, 0.15))
        way = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half @ way
        corners = corners + rng.uniform(0.3, 0.7, 2) * (WIDTH, HEIGHT) + rng.normal(0, 8, (4, 2))
        mask = np.zeros((HEIGHT, WIDTH), np.uint8)
        cv2.fillConvexPoly(mask, _fixed(corners), 255, cv2.LINE_AA, 4)
        if rng.random() < 0.4:
            soft = cv2.GaussianBlur(mask, (0, 0), 3).astype(np.float32) * np.float32(
                rng.uniform(0, 0.4) / 255
            )
            seen *= 1 - soft[:, :, None]
        part = (mask.astype(np.float32) / 255)[:, :, None]
        seen += part * (ground - seen)
        if rng.random() < 0.4:
            edge = self._colour().tolist()
            cv2.polylines(
                seen,
                [_fixed(_scaled(corners.astype(np.float32), float(rng.uniform(0.85, 1))))],
                True,
                edge,
                int(rng.uniform(1, 6)),
                cv2.LINE_AA,
                4,
            )

    def _thing(self, seen: Picture) -> None:
        """What lies on tables and is no card: a disc, a chip, a die, a phone, a note, a box."""
        rng = self.rng
        at = rng.uniform(0, 1, 2) * (WIDTH, HEIGHT)
        size = float(np.exp(rng.uniform(np.log(5), np.log(60))))
        colour, other = self._colour(), self._colour()
        what = rng.random()
        if rng.random() < 0.5:
            shadow = np.zeros((HEIGHT, WIDTH), np.uint8)
            cv2.circle(shadow, tuple((at + rng.normal(0, 2, 2)).astype(int).tolist()), int(size), 255, -1)
            seen *= 1 - cv2.GaussianBlur(shadow, (0, 0), 3)[:, :, None].astype(np.float32) * np.float32(
                0.3 / 255
            )
        if what < 0.4:
            # discs and chips: rings, a sign or a numeral
            middle = tuple(at.astype(int).tolist())
            cv2.circle(seen, middle, int(size), colour.tolist(), -1, cv2.LINE_AA)
            if rng.random() < 0.7:
                cv2.circle(
                    seen,
                    middle,
                    int(size * rng.uniform(0.4, 0.9)),
                    other.tolist(),
                    -1 if rng.random() < 0.5 else 2,
                    cv2.LINE_AA,
                )
            if rng.random() < 0.4:
                spot = self._maker.shape() * size * 0.4 + at
                cv2.fillPoly(seen, [_fixed(spot)], self._colour().tolist(), cv2.LINE_AA, 4)
            return
        if what < 0.55:
            shape = self._maker.shape() * size + at
            cv2.fillPoly(seen, [_fixed(shape)], colour.tolist(), cv2.LINE_AA, 4)
            return
        turn, long = float(rng.uniform(0, 6.3)), float(rng.choice([1.0, 1.0, 2.1, 3.0, 6.0, 10.0]))
        way = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        corners = (
            np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (size, size * long) * 0.6 @ way + at
        ).astype(np.float32)
        cv2.fillConvexPoly(seen, _fixed(corners), colour.tolist(), cv2.LINE_AA, 4)
        if long > 1.5 and rng.random() < 0.7:
            # a screen, a label
            cv2.fillConvexPoly(
                seen, _fixed(_scaled(corners, float(rng.uniform(0.7, 0.95)))), other.tolist(), cv2.LINE_AA, 4
            )
        elif rng.random() < 0.3:
            cv2.polylines(seen, [_fixed(corners)], True, other.tolist(), 1, cv2.LINE_AA, 4)

    def _over(self, seen: Picture, card: Bits, inner: Bits) -> None:
        """What lies over cards: a hand, a cable, a chip, a pen."""
        rng = self.rng
        what = rng.random()
        if what < 0.45:
            # a cable hides a thin line, under which the card goes on
            points = (rng.uniform(-0.1, 1.1, (4, 2)) * (WIDTH, HEIGHT)).astype(np.float32)
            t = np.linspace(0, 1, 40)[:, None]
            curve = (
                (1 - t) ** 3 * points[0]
                + 3 * t * (1 - t) ** 2 * points[1]
                + 3 * t * t * (1 - t) * points[2]
                + t**3 * points[3]
            )
            cv2.polylines(
                seen, [_fixed(curve)], False, self._colour().tolist(), int(rng.integers(1, 5)), cv2.LINE_AA, 4
            )
            return
        mask = np.zeros((HEIGHT, WIDTH), np.uint8)
        at, size = rng.uniform(0, 1, 2) * (WIDTH, HEIGHT), float(np.exp(rng.uniform(np.log(5), np.log(30))))
        colour = self._colour()
        if what < 0.75:
            # fingers and the arm behind them
            colour = np.array([0.5, 0.62, 0.83]) * rng.uniform(0.3, 1.15)
            away = at + (at - (WIDTH / 2, HEIGHT / 2)) * 4 + rng.normal(0, 40, 2)
            for _ in range(int(rng.integers(1, 5))):
                tip = at + rng.normal(0, 2 * size, 2)
                cv2.line(
                    mask,
                    tuple(tip.astype(int).tolist()),
                    tuple(((tip + away) / 2).astype(int).tolist()),
                    255,
                    max(3, int(size)),
                    cv2.LINE_AA,
                )
        elif what < 0.9:
            cv2.circle(mask, tuple(at.astype(int).tolist()), int(size), 255, -1, cv2.LINE_AA)
        else:
            way = rng.normal(0, 60, 2)
            cv2.line(
                mask,
                tuple(at.astype(int).tolist()),
                tuple((at + way).astype(int).tolist()),
                255,
                max(2, int(size / 3)),
                cv2.LINE_AA,
            )
        part = (mask.astype(np.float32) / 255)[:, :, None]
        textured = np.clip(colour + self._noise(3, 0.04), 0, 1)
        seen += part * (textured - seen)
        keep = 255 - mask
        cv2.min(card, keep, dst=card)
        cv2.min(inner, keep, dst=inner)

    def _glare(self, seen: Picture) -> None:
        """A lamp's reflection."""
        rng = self.rng
        y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
        at, wide = rng.uniform(0, 1, 2) * (WIDTH, HEIGHT), rng.uniform(5, 40, 2)
        seen += (
            np.float32(rng.uniform(0.2, 1.2))
            * np.exp(-(((x - at[0]) / wide[0]) ** 2) - ((y - at[1]) / wide[1]) ** 2)[:, :, None]
        )


def _in_view(quad: Quad) -> bool:
    """Whether a card's middle is to be seen."""
    x, y = quad.mean(axis=0)
    return bool(0 <= x < WIDTH and 0 <= y < HEIGHT)


def _scaled(quad: Quad, part: float) -> Quad:
    middle = quad.mean(axis=0)
    return np.asarray(middle + (quad - middle) * np.float32(part), dtype=np.float32)


def _fixed(points: NDArray[np.floating]) -> NDArray[np.int32]:
    """As OpenCV draws them, with four bits of fraction."""
    return np.round(np.asarray(points, np.float64).clip(-2000, 4000) * 16).astype(np.int32)
