"""The twelve donkeys of Donkey Valley, each in a scene of its own: another ground, another outline, another mood."""

from __future__ import annotations

from collections.abc import Callable

from companion.decks.donkey import Pose, bags, donkey
from companion.decks.ink import (
    DARK,
    HEIGHT,
    PAPER,
    WHITE,
    WIDTH,
    box,
    circle,
    ellipse,
    line,
    n,
    path,
    put,
    shade,
    star,
    tint,
)
from companion.decks.letters import fitted, numeral, write
from companion.decks.patterns import edge
from companion.texts import Translator

_GROUND = 66.0
"""Where the scene's ground begins, in millimetres from the top."""


def scene(kind: str, say: Translator) -> str:
    """Draw the donkey card `kind` (`giant`), its name in the words of the game's catalogue."""
    ink, capacity, paint = _SCENES[kind]
    plate = box(4, 74.5, WIDTH - 8, 9.5, 2.5, PAPER, ink, 0.7)
    name = fitted(say(f"print.{kind}"), WIDTH / 2, 79.25, 4.8, WIDTH - 14, shade(ink, 0.25))
    return paint() + edge() + plate + name + _capacity(capacity, ink)


def _capacity(text: str, ink: str) -> str:
    """A weight with what the donkey bears: so many times the players, or the spread allowed."""
    if not text:
        return ""
    weight = path("M-8.6 7.6L-6.4 -6.6H6.4L8.6 7.6Z", ink, PAPER, 0.9) + circle(
        0, -8.6, 2.3, "none", PAPER, 3
    )
    weight += circle(0, -8.6, 2.3, "none", ink, 1.5)
    return put(weight + fitted(text, 0, 0.6, 9, 12.6, PAPER), 14.5, 17)


def _ground(sky: str, earth: str) -> str:
    return box(2, 2, WIDTH - 4, HEIGHT - 4, 0, sky) + path(
        f"M2 {n(_GROUND)}C20 {n(_GROUND - 2.5)} 42 {n(_GROUND + 2)} 61 {n(_GROUND - 1.5)}V86H2Z", earth
    )


def _mesa(x: float, w: float, h: float, colour: str) -> str:
    """A table mountain of the canyon."""
    top, foot = _GROUND - h, _GROUND + 2
    d = f"M{n(x)} {n(foot)}L{n(x + w * 0.14)} {n(top)}H{n(x + w * 0.8)}L{n(x + w)} {n(foot)}Z"
    band = f"M{n(x + w * 0.1)} {n(top + h * 0.3)}H{n(x + w * 0.85)}"
    return path(d, colour) + line(band, shade(colour, 0.14), 1.6)


def _cactus(x: float, size: float = 1.0) -> str:
    art = line("M0 0V-16M0 -6H-5V-11M0 -4H5V-9", "#2f7d4f", 3.2)
    return put(art, x, _GROUND + 3, size)


def _stand(pose: Pose, load: str, x: float, size: float, foot: float = 70.0, flip: bool = False) -> str:
    """Put a donkey with its middle at `x` and its hooves at `foot`; `size` millimetres for its box of 100."""
    scale = size / 100
    shadow = ellipse(x, foot, size * 0.33, size * 0.05, "#000000", opacity=0.22)
    left = x + 52 * scale if flip else x - 52 * scale
    return shadow + put(donkey(pose, load), left, foot - 96 * scale, scale, flip=flip)


def _normal() -> str:
    sun = circle(45, 18, 7, "#ffd94a")
    return (
        _ground("#bfe6f5", "#e3b36a")
        + sun
        + _mesa(30, 30, 20, "#d98b55")
        + _mesa(2, 22, 13, "#e2a06a")
        + _stand(Pose(), bags(), 30, 45)
    )


def _giant() -> str:
    hills = _mesa(1, 15, 9, "#b5502f") + _mesa(46, 16, 8, "#b5502f") + _cactus(8, 0.5) + _cactus(56, 0.45)
    pose = Pose(coat="#6b4a35", ears=(-20, 18), mouth="smile", neck=2)
    return _ground("#f6a85f", "#a8512d") + hills + _stand(pose, bags("#1f5f8b", "#3d2a1c"), 28.5, 61, 73.5)


def _puny() -> str:
    flower = line("M0 0C-1 -10 1 -20 0 -30M0 -10C4 -14 7 -14 9 -12M0 -6C-4 -10 -7 -10 -9 -8", "#3f8f3a", 1.8)
    petals = "".join(put(ellipse(0, -5.6, 3.2, 5, "#e84d8a", "#a82a60", 0.4), turn=60 * k) for k in range(6))
    flower += put(petals + circle(0, 0, 3.4, "#ffd94a"), 0, -32)
    pose = Pose(coat="#b9a58f", eye="up", mouth="flat", ears=(-30, 34))
    return (
        _ground("#e3f5c8", "#9bcb6b")
        + put(flower, 48, 69, 1.15)
        + line("M6 70C7 66 7 64 9 62M10 71C10 67 12 65 13 64M36 71C36 68 38 66 39 65", "#5fa244", 1.4)
        + _stand(pose, "", 23, 27)
    )


def _precision() -> str:
    beam = path("M7 62.6L56 62.6V65.4H7Z", "#5b5f6b") + path("M31.5 65L40 74H23Z", "#3d4049")
    ticks = "".join(line(f"M{n(9 + 5 * k)} 63V65", PAPER, 0.5) for k in range(10))
    weights = box(46, 50.6, 10, 12, 1, "#c99a2e", "#7a5a12", 0.6) + box(
        48.5, 47.6, 5, 3, 1, "#c99a2e", "#7a5a12", 0.6
    )
    dial = circle(42, 21, 13, PAPER, "#3b4c9b", 1.6) + line("M42 21L48.6 13", "#c4161c", 1.4)
    dial += "".join(put(line("M0 -10.6V-12", "#3b4c9b", 0.9), 42, 21, turn=-90 + 30 * k) for k in range(7))
    grid = "".join(line(f"M2 {n(6 + 8 * k)}H61M{n(5 + 8 * k)} 2V86", "#c8d2ee", 0.35) for k in range(10))
    pose = Pose(coat="#7f8796", eye="up", mouth="flat", legs=(3, -3, 0, 0), ears=(-4, 4))
    return (
        box(2, 2, 59, 84, 0, "#dfe6f8")
        + grid
        + dial
        + circle(42, 21, 1.4, DARK)
        + beam
        + ticks
        + weights
        + _stand(pose, "", 23, 36, 62.6)
    )


def _hurried() -> str:
    wind = line("M4 34H17M4 41H12M4 48H15M4 55H10M4 62H16", WHITE, 1.8)
    dust = "".join(
        circle(x, y, r, "#fff3d0") for x, y, r in [(7, 70, 4), (13, 72, 3), (18, 70, 2.4), (4, 74, 3)]
    )
    pose = Pose(
        coat="#8a6f52",
        legs=(-42, 52, -58, 40),
        neck=22,
        head=-12,
        ears=(72, 80),
        tail=70,
        eye="wide",
        mouth="open",
    )
    no_favour = circle(48, 17, 9, PAPER, "#c4161c", 1.8) + path(star(5, 6, 2.6, 48, 17.4), "#f2c500")
    no_favour += line("M41.8 23.2L54.2 10.8", "#c4161c", 1.8)
    return (
        _ground("#ffd23f", "#d98e2b")
        + wind
        + dust
        + put(_stand(pose, put(bags("#2b6cb0"), 2, -2), 0, 44, 0), 33, 66.5, turn=-6)
        + no_favour
    )


def _holed() -> str:
    holes = circle(44, 57, 3, "#1c120a") + circle(52.6, 59, 2.2, "#1c120a")
    big = put(bags("#7b4aa0", "#a8793f", holes), -22, -18, 1.42)
    things = "".join(
        put(art, x, y)
        for x, y, art in [
            (25, 58, path(star(4, 2.2, 0.9), "#ffd94a")),
            (29, 63, circle(0, 0, 1.9, "#e2574c")),
            (33, 67.5, path(star(4, 2.2, 0.9), "#ffd94a")),
            (22, 66, circle(0, 0, 1.9, "#52b788")),
            (27, 71, circle(0, 0, 2.1, "#ffd94a")),
            (36, 72, circle(0, 0, 1.9, "#e2574c")),
        ]
    )
    eye = (
        path("M-10 0C-6 -7 6 -7 10 0C6 7 -6 7 -10 0Z", PAPER, DARK, 1.1)
        + circle(0, 0, 4, "#2b6cb0")
        + circle(0, 0, 1.8, DARK)
    )
    pose = Pose(coat="#8d8378", eye="wide", mouth="flat", head=14)
    return _ground("#d9c2ee", "#8f78a8") + put(eye, 48, 13, 0.9) + _stand(pose, big, 29, 43, 69) + things


def _attacked() -> str:
    wing = "M0 0C-6 -12 -20 -16 -27 -9C-22 -9 -21 -6 -22 -4C-18 -5 -16 -2 -16.6 0C-12 -2 -9 1 -9 4C-6 2 -3 4 0 7Z"
    bird = path(wing, "#20242c") + put(path(wing, "#20242c"), flip=True)
    bird += ellipse(0, 5, 5, 8, "#2d333f") + circle(0, -3, 4.2, "#d8c9b4")
    bird += path("M-2.2 -2.2L0 5L2.2 -2.2Z", "#f0a020") + line(
        "M-3.4 -5.2L-0.8 -4M3.4 -5.2L0.8 -4", DARK, 0.9
    )
    bird += circle(-1.8, -3.4, 0.8, "#c4161c") + circle(1.8, -3.4, 0.8, "#c4161c")
    bird += line("M-2.6 12.4V16M2.6 12.4V16M-4.4 17L-2.6 15.4L-0.8 17M0.8 17L2.6 15.4L4.4 17", "#f0a020", 1.2)
    pose = Pose(
        coat="#9a8a7c",
        eye="wide",
        mouth="open",
        legs=(20, -24, -14, 16),
        ears=(64, 74),
        neck=14,
        head=-8,
        tail=30,
    )
    return (
        _ground("#e2574c", "#7f2b27")
        + path("M2 50L14 30L22 44L30 26L40 46L52 28L61 44V68H2Z", "#c24038")
        + _stand(pose, bags("#f2c500", "#7a4a26"), 28, 44, 72)
        + put(bird, 37, 23, 0.85)
    )


def _lost() -> str:
    stars = "".join(
        path(star(4, r, r * 0.35, x, y), "#fff4b8")
        for x, y, r in [(30, 10, 1.6), (56, 34, 1.8), (8, 38, 1.5), (24, 30, 1.2)]
    )
    moon = put(path("M1.8 -5A5.2 5.2 0 1 0 1.8 5A6.2 6.2 0 0 1 1.8 -5Z", "#fff4b8"), 38, 12, 0.8)
    post = box(50.4, 34, 2.8, 38, 1, "#8a5a33") + path("M39 36H57L60 39L57 42H39Z", "#c98f55", "#5f3d20", 0.6)
    post += path("M59 45H46L43 48L46 51H59Z", "#c98f55", "#5f3d20", 0.6)
    ask = write("?", 51, 18.5, 20, "#ffd94a")
    pose = Pose(coat="#7d87a0", eye="up", mouth="flat", ears=(-40, 60), head=-16)
    return (
        _ground("#1d2b55", "#2e3f3a")
        + stars
        + moon
        + post
        + ask
        + _stand(pose, bags("#3a7d6b", "#5b4632"), 24, 42)
    )


def _double() -> str:
    one = Pose(coat="#a8764a", ears=(-14, 12))
    two = Pose(coat="#5d6673", ears=(-20, 6), mouth="flat")
    return (
        _ground("#9fd8d0", "#d8c38a")
        + _mesa(22, 34, 26, "#5fa8a0")
        + _stand(two, bags("#f2c500", "#4c5a2a"), 37, 40, 56)
        + _stand(one, bags("#c4161c", "#5d3a1c"), 26, 42, 71.5, flip=True)
    )


def _stubborn() -> str:
    coat = "#7a6a5c"
    pose = Pose(
        coat=coat,
        legs=(42, -22, 50, -14),
        eye="shut",
        mouth="frown",
        ears=(52, 58),
        neck=30,
        head=0,
        tail=-70,
    )
    rope = line("M44.6 37.4C51 36.6 57 33 64 30", "#f0dcae", 1.5)
    heels = line("M47 71.4H56M49 73H58", "#5a7d3c", 1.2)
    seated = put(put(donkey(pose), -28, -66), 20, 69, 0.5, turn=-36)
    no = circle(47, 17, 9, "#c4161c") + box(41, 15, 12, 4, 0.6, WHITE)
    return _ground("#b8d89a", "#6f9a4a") + ellipse(30, 71, 19, 2.6, "#557a38") + seated + rope + heels + no


def _difficult() -> str:
    pose = Pose(
        coat="#a05a3a",
        legs=(-70, 10, -58, 16),
        ears=(40, 56),
        eye="cross",
        mouth="open",
        tail=80,
        neck=20,
        head=10,
    )
    card = box(-5, -7, 10, 14, 1.2, PAPER, "#0e5a63", 0.9)
    left = card + numeral("3", 0, 0, 8.2, "#0e5a63")
    right = card + numeral("8", 0, 0, 8.2, "#c4161c")
    bucking = put(put(donkey(pose), -60, -60), 34, 57, 0.44, turn=24)
    burst = line("M6 30L11 34M4 40H10M6 50L11 47M14 26L16 31", WHITE, 1.6)
    return (
        _ground("#2aa6b2", "#e0c08a")
        + ellipse(40, 72, 14, 2.2, "#b8955c")
        + burst
        + bucking
        + put(left, 33, 17, turn=-14)
        + put(right, 49, 19, turn=16)
    )


def _hand_picked() -> str:
    skin, rim = "#f0c39a", "#9a6238"
    arm = path("M26 -4H46V12H26Z", "#3c5fa8") + box(24.5, 9, 23, 5, 2, WHITE, "#3c5fa8", 0.7)
    hand = path(
        "M27 13H45C47 18 46.6 22 44 26L41.6 33C41 35.4 37.8 35 38 32.4L38.6 28H35.6L34.6 33.4C34 36 30.6 35.6 30.8 33"
        "L31 28C28.6 27.6 27 26 26.6 23C26 19 26 16 27 13Z",
        skin,
        rim,
        0.9,
    )
    fingers = line("M35.4 28.2L36 22M31 28L31.6 22.6", rim, 0.8)
    pose = Pose(coat="#b08a6a", legs=(22, 4, 14, -10), eye="wide", mouth="flat", ears=(-10, 20), tail=-20)
    twin = box(-4, -5.6, 8, 11.2, 1, PAPER, "#8a2d63", 0.8) + numeral("5", 0, 0, 6.4, "#8a2d63")
    cross = line("M-4 -4L4 4M4 -4L-4 4", "#c4161c", 2)
    pair = put(twin, -5, 0, turn=-8) + put(twin, 5, 0, turn=8) + put(cross, 0, 0)
    return (
        _ground("#f3b6d0", "#c9709c")
        + ellipse(33, 71.5, 12, 1.8, "#a8527d")
        + put(_stand(pose, bags("#5a9a4a", "#6b4326"), 0, 44, 0), 31, 66)
        + put(arm + hand + fingers, -4, 0)
        + put(pair, 52, 12, 0.72)
    )


_SCENES: dict[str, tuple[str, str, Callable[[], str]]] = {
    "normal": ("#2f6f8f", "×5", _normal),
    "giant": ("#7a2f14", "×6", _giant),
    "puny": ("#3f7d2f", "×4", _puny),
    "precision": ("#3b4c9b", "≤5", _precision),
    "hurried": ("#9a5a00", "×5", _hurried),
    "holed": ("#5a3a7d", "×5", _holed),
    "attacked": ("#7f1d1a", "×5", _attacked),
    "lost": ("#1d2b55", "×5", _lost),
    "double": ("#1f6f66", "×10", _double),
    "stubborn": ("#4a6f2a", "×5", _stubborn),
    "difficult": ("#0e5a63", "×5", _difficult),
    "hand_picked": ("#8a2d63", "×5", _hand_picked),
}
"""Each donkey's ink, what stands on its weight, and its scene."""

KINDS = tuple(_SCENES)
"""The twelve kinds of donkey (DV-2)."""


def tinted(kind: str) -> str:
    """Return a light tint of the donkey's ink, for lists."""
    return tint(_SCENES[kind][0], 0.8)
