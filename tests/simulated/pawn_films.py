"""Our printed board under a camera, drawn: pawns or coins with stickers on it, cards, light, slant,
sway and hands; the truth is known."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import cv2
import numpy as np
import pypdfium2
from numpy.typing import NDArray

from companion.decks.sheets import build_board_pdf
from companion.demo.actions import make_players
from companion.games.partners.board import CELLS, COLOURS, SIDE, SIZE, Pawns, list_base_spots, map_occupants
from companion.games.partners.drawing import PLAYERS, build_printed_board
from companion.games.partners.movement import list_plays
from companion.games.partners.moves import Play
from companion.games.partners.state import State
from companion.rules.contract import Refusal
from companion.rules.session import Session
from companion.rules.start import Start, prepare_game

Picture = NDArray[np.uint8]
WIDTH, HEIGHT = 1280, 720
_PRINT = 32
"""Pixels of a cell in the print that is laid under the camera."""


class Setting(NamedTuple):
    """How the board is filmed. `slant`: degrees from above; `around`: from which side, degrees;
    `light`: 1 a lit room; `tint`: of the light, blue, green, red; `high`: of a pawn, in cells (0: a
    coin with a sticker); `sway`: degrees by which the camera turns from picture to picture."""

    name: str
    slant: float = 8.0
    around: float = 90.0
    light: float = 1.0
    tint: tuple[float, float, float] = (1.0, 1.0, 1.0)
    noise: float = 2.0
    high: float = 1.3
    sway: float = 0.0
    far: float = 36.0
    shadow: bool = False


SETTINGS = (
    Setting("from above"),
    Setting("coins with stickers", high=0.0),
    Setting("by a lamp", light=0.55, tint=(0.72, 0.9, 1.0), shadow=True),
    Setting("dim", light=0.24, noise=4.5),
    Setting("slanted", slant=28, around=60),
    Setting("slanted, coins", slant=38, around=110, high=0.0),
    Setting("the camera sways", sway=1.2, slant=14),
)


@cache
def printed() -> Picture:
    """The board as printed, its whole sheet of paper."""
    document = pypdfium2.PdfDocument(build_board_pdf(build_printed_board(), "a3", "partners"))
    scale = _PRINT * SIZE[0] / (SIZE[0] * 17.53 / 25.4 * 72)
    sheet = document[0].render(scale=scale).to_numpy()[:, :, :3]
    document.close()
    return np.ascontiguousarray(sheet)


class View(NamedTuple):
    """A camera: places on the board, in cells, and heights over it, to pixels."""

    matrix: NDArray[np.float64]

    def project(self, points: Sequence[tuple[float, float]], height: float = 0.0) -> NDArray[np.float64]:
        """Return where points at this height lie in the picture, shape (n, 2)."""
        ends = np.array([(x, y, -height, 1.0) for x, y in points]) @ self.matrix.T
        return np.asarray(ends[:, :2] / ends[:, 2:])

    @property
    def plane(self) -> NDArray[np.float64]:
        """The homography of the board."""
        return self.matrix[:, [0, 1, 3]]


def view(setting: Setting, rng: np.random.Generator) -> View:
    """Hang up the camera: it looks at the board's middle, about."""
    swayed = rng.normal(0, setting.sway, 3)
    slant, around = math.radians(setting.slant + swayed[0]), math.radians(setting.around + swayed[1])
    middle = np.array([SIZE[0] / 2, SIZE[1] / 2, 0.0])
    ahead = -np.array(
        [math.sin(slant) * math.cos(around), math.sin(slant) * math.sin(around), -math.cos(slant)]
    )
    eye = middle - (setting.far + 0.3 * swayed[2]) * ahead
    right = np.cross([0.0, 1.0, 0.0], ahead)
    right /= np.linalg.norm(right)
    turn = np.stack([right, np.cross(ahead, right), ahead])
    lens = np.array([[0.95 * WIDTH, 0, WIDTH / 2], [0, 0.95 * WIDTH, HEIGHT / 2], [0, 0, 1]])
    return View(lens @ np.hstack([turn, (-turn @ eye)[:, None]]))


_PROFILE = (
    (0.0, 0.34),
    (0.1, 0.34),
    (0.2, 0.27),
    (0.4, 0.17),
    (0.62, 0.13),
    (0.68, 0.2),
    (0.8, 0.24),
    (0.9, 0.2),
    (0.99, 0.07),
)
"""A pawn's radius in cells by parts of its height."""
_ROUND = [(math.cos(k * math.pi / 12), math.sin(k * math.pi / 12)) for k in range(24)]
_METAL = (105, 170, 190)


_CARD = (63 / 17.53, 88 / 17.53)
"""Width and height of a card, in cells."""


def shot(
    setting: Setting,
    pawns: Sequence[Sequence[str]],
    rng: np.random.Generator,
    *,
    arm: bool = False,
    cards: Sequence[Picture] = (),
) -> Picture:
    """Return one picture of the board with these pawns (the four lists of places of a view), and
    cards on its middle, one upon the other."""
    seen = view(setting, rng)
    picture = np.full((HEIGHT, WIDTH, 3), (70, 100, 140), np.uint8)
    cell = np.diag([1 / _PRINT, 1 / _PRINT, 1.0])
    sheet = printed()
    # The print's own margins: the board lies in the middle of the sheet.
    cell[:2, 2] = (SIZE[0] - sheet.shape[1] / _PRINT) / 2, (SIZE[1] - sheet.shape[0] / _PRINT) / 2
    warp = seen.plane @ cell
    cv2.warpPerspective(
        sheet, warp, (WIDTH, HEIGHT), dst=picture, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_TRANSPARENT
    )
    for turn, card in enumerate(cards):
        _lay(picture, seen, card, 0.1 * (turn % 3))
    standing = [(*_middle(name, place, len(there), rng), number) for name, there in map_occupants(pawns).items()
                for place, (number, _) in enumerate(there)]  # fmt: skip
    for x, y, number in sorted(standing, key=lambda one: seen.project([one[:2]])[0][1]):
        _stand(picture, seen, x, y, PLAYERS[number - 1].ink, setting.high)
    if arm:
        _arm(picture, seen, rng)
    return _lit(picture, setting, rng)


def _lay(picture: Picture, seen: View, card: Picture, turn: float) -> None:
    """Lay a card on the board's middle, turned by so much."""
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * _CARD / 2
    spin = np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
    corners = seen.project([(x + SIZE[0] / 2, y + SIZE[1] / 2) for x, y in half @ spin])
    own = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32) * (card.shape[1], card.shape[0])
    warp = cv2.getPerspectiveTransform(own.astype(np.float32), corners.astype(np.float32))
    cv2.warpPerspective(
        card, warp, (WIDTH, HEIGHT), dst=picture, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_TRANSPARENT
    )


def _middle(name: str, place: int, count: int, rng: np.random.Generator) -> tuple[float, float]:
    """Put a pawn about the middle of its spot, as people do; several beside one another."""
    if name.startswith("base"):
        name = list_base_spots(int(name[5:]))[place]
    column, row = CELLS[name]
    turn = 2 * math.pi * place / count
    away = 0.2 if count > 1 and not name.startswith("base") else 0.0
    x, y = rng.normal(0, 0.06, 2).clip(-0.13, 0.13)
    left, top = (SIZE[0] - SIDE) / 2 + 0.5, (SIZE[1] - SIDE) / 2 + 0.5
    return left + column + x + away * math.cos(turn), top + row + y + away * math.sin(turn)


def _stand(picture: Picture, seen: View, x: float, y: float, ink: str, high: float) -> None:
    blue, green, red = (int(ink[at : at + 2], 16) for at in (5, 3, 1))
    colour = np.array([blue, green, red], float)
    slices = [(at * high, radius, 0.72 + 0.3 * at) for at, radius in _PROFILE]
    if high == 0.0:
        slices = [(0.0, 0.4, 0.0), (0.1, 0.4, 0.0), (0.1, 0.3, 1.0)]
    for height, radius, shade in slices:
        ring = seen.project([(x + radius * a, y + radius * b) for a, b in _ROUND], height)
        tone = np.clip(colour * shade, 0, 255) if shade else np.array(_METAL)
        cv2.fillConvexPoly(picture, (ring * 16).astype(np.int32), tone.tolist(), cv2.LINE_AA, 4)
    if high:
        spark = seen.project([(x - 0.06, y - 0.06)], 0.86 * high)[0]
        cv2.circle(picture, (round(spark[0]), round(spark[1])), 1, (235, 235, 235), -1, cv2.LINE_AA)


def _arm(picture: Picture, seen: View, rng: np.random.Generator) -> None:
    """Lay a hand with a sleeve over the board, from one of its sides."""
    side = int(rng.integers(4))
    at = rng.uniform(0.25, 0.75)
    ends = (
        ((at, 1.3), (at, 0.72)),
        ((-0.3, at), (0.3, at)),
        ((at, -0.3), (at, 0.28)),
        ((1.3, at), (0.7, at)),
    )[side]
    start, tip = (np.array(end) * SIZE for end in ends)
    wrist = start + 0.62 * (tip - start)
    across = np.array([-(tip - start)[1], (tip - start)[0]]) / np.linalg.norm(tip - start)
    sleeve = tuple(int(one) for one in rng.integers(30, 220, 3))
    for one, other, wide, tone in ((start, wrist, 1.7, sleeve), (wrist, tip, 1.4, (120, 150, 205))):
        corners = [
            tuple(one + across * wide),
            tuple(other + across * wide),
            tuple(other - across * wide),
            tuple(one - across * wide),
        ]
        ring = seen.project(corners, 1.6)
        cv2.fillConvexPoly(picture, (ring * 16).astype(np.int32), tone, cv2.LINE_AA, 4)
    for spread in (-1.0, -0.35, 0.35, 1.0):
        finger = seen.project(
            [tuple(tip + across * spread), tuple(tip + (tip - wrist) * 0.35 + across * spread * 1.2)], 1.2
        )
        knuckle, end = finger.round().astype(int).tolist()
        cv2.line(picture, knuckle, end, (112, 145, 200), 18, cv2.LINE_AA)


@cache
def _grain() -> NDArray[np.float32]:
    return np.random.default_rng(3).normal(0, 1, (HEIGHT, WIDTH, 3)).astype(np.float32)


def _lit(picture: Picture, setting: Setting, rng: np.random.Generator) -> Picture:
    shown = picture.astype(np.float32) * setting.light * np.array(setting.tint, np.float32)
    if setting.shadow:
        fall = np.linspace(1.15, 0.55, WIDTH, dtype=np.float32)
        shown *= fall[None, :, None]
    shown = np.asarray(cv2.GaussianBlur(shown, (0, 0), 0.8), np.float32)
    shown += setting.noise * np.roll(_grain(), int(rng.integers(WIDTH)), axis=1)
    _, packed = cv2.imencode(".jpg", np.clip(shown, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 88])
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), dtype=np.uint8)


def truth(pawns: Sequence[Sequence[str]]) -> Mapping[str, str]:
    """Return the colour on each spot that holds one; of a base its places from the first."""
    held: dict[str, str] = {}
    for name, there in map_occupants(pawns).items():
        if name.startswith("base"):
            held |= dict.fromkeys(list_base_spots(int(name[5:]))[: len(there)], COLOURS[there[0][0] - 1])
        else:
            held[name] = COLOURS[there[0][0] - 1]
    return held


class Turn(NamedTuple):
    """A card of which there are several plays, the play that was made, and the pawns after it."""

    state: State
    card: str
    after: Pawns


def turns(seed: int) -> Iterator[Turn]:
    """Play whole games for ever and give their turns at which the camera must decide."""
    while True:
        begun = prepare_game(Start("partners", ["Ann", "Bob", "Cid", "Dot"], {}, seed))
        assert not isinstance(begun, Refusal)
        session, hands = Session(*begun), make_players(begun[1])
        while (action := hands.next_action(session.list_acts(), session.view())) is not None:
            state, request = session.state, action.request
            done = session.act(request)
            assert not isinstance(done, Refusal), done
            if isinstance(request, Play):
                ways = list_plays(state.pawns, state.turn, request.card, state.setup.options)
                if len(ways) > 1:
                    yield Turn(state, request.card, session.state.pawns)
        seed += 1
