"""Donkey Valley's cards: loads, contracts, donkeys and summaries, and its seven colours.

A load is a piece of luggage, heavier as its value rises, in its owner's colour; the value stands on
its label and in two corners. Even values show their favour (DV-12) in the other two. The summary
cards say in the words of the game's catalogue what the twelve donkeys do on one face, the round and
the favours on the other.

Each colour has a shape and a pattern of its own, so that colour is never the only cue. The hues are
spread in lightness as well: also with protanopia, deuteranopia and tritanopia, or in grey,
neighbours differ (`tests/decks/test_palette.py` measures it); the shape tells for certain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from companion.decks.assets import colour, picture
from companion.decks.letters import fitted, numeral
from companion.decks.patterns import arcs, bars, edge, rays, rising, rows, waves
from companion.decks.svg import (
    DARK,
    PAPER,
    WHITE,
    WIDTH,
    both_ways,
    box,
    circle,
    line,
    path,
    put,
    regular,
    rgb,
    shade,
    star,
    tint,
)
from companion.texts import Translator


@dataclass(frozen=True)
class Colour:
    """One player's colour.

    `id`: its name in card ids. `shape`: a path in a ten-unit box about the origin. `pattern`: a
    path of lines over the whole card. `words`: colour and shape by language.
    """

    id: str
    ink: str
    shape: str
    pattern: str
    words: dict[str, str]

    @property
    def deep(self) -> str:
        """The ink darkened until white paper sets it off: for numerals."""
        r, g, b = rgb(self.ink)
        return shade(self.ink, 0.0 if 0.3 * r + 0.59 * g + 0.11 * b < 120 else 0.34)

    @property
    def ground(self) -> str:
        """The light tint that cards of this colour are printed on."""
        return tint(self.ink, 0.84)

    @property
    def mark(self) -> str:
        """The middle tint of the pattern on that ground."""
        return tint(self.ink, 0.62)


_CROSS = "M-1.6 -5H1.6V-1.6H5V1.6H1.6V5H-1.6V1.6H-5V-1.6H-1.6Z"
_MOON = "M1.8 -5A5.2 5.2 0 1 0 1.8 5A6.2 6.2 0 0 1 1.8 -5Z"
_DROP = "M0 -5.6C1.6 -2.4 4 -0.6 4 1.8A4 3.9 0 0 1 -4 1.8C-4 -0.6 -1.6 -2.4 0 -5.6Z"


COLOURS: dict[str, Colour] = {
    colour.id: colour
    for colour in (
        Colour(
            "red",
            "#c4161c",
            regular(3, 5.8, 0, 1),
            rising(8, 0.8),
            {"en": "red, triangle", "fr": "rouge, triangle"},
        ),
        Colour("blue", "#1f6fd0", _DROP, waves(8), {"en": "blue, drop", "fr": "bleu, goutte"}),
        Colour(
            "green",
            "#0a8f5b",
            regular(4, 6.2, turn=45),
            bars(7) + rows(7),
            {"en": "green, square", "fr": "vert, carré"},
        ),
        Colour(
            "yellow",
            "#f7de1e",
            star(5, 6, 2.6, 0, 0.5),
            rays(24),
            {"en": "yellow, star", "fr": "jaune, étoile"},
        ),
        Colour(
            "purple",
            "#6a2c91",
            regular(4, 5.8),
            rising(11, 1.5) + rising(11, -1.5),
            {"en": "purple, diamond", "fr": "violet, losange"},
        ),
        Colour("orange", "#ec6f0c", _MOON, arcs(8), {"en": "orange, moon", "fr": "orange, lune"}),
        Colour("black", "#2b2d31", _CROSS, rows(6), {"en": "black, cross", "fr": "noir, croix"}),
    )
}


def load(colour: str, value: int) -> str:
    """Draw the load of that colour and value, 1 to 10."""
    own = COLOURS[colour]
    x, height = (11.5, 14.2) if value < 10 else (13.8, 13.0)
    index = numeral(str(value), x, 12.5, height, own.deep, halo=WHITE)
    low = 28.8 if value in (6, 9) else 25
    sign = put(path(own.shape, own.ink, WHITE, 0.9), 11.5, low, 0.78)
    corner = (
        _favour(value, own) if value % 2 == 0 else put(path(own.shape, own.ink, WHITE, 0.8), 51.5, 13, 0.9)
    )
    ground = box(2, 2, 59, 84, 0, own.ground) + line(own.pattern, own.mark, 1.1) + edge()
    luggage = picture(f"donkey_valley/luggage/{value}", ink=own.ink)
    return ground + luggage + both_ways(index + sign + corner) + box(3, 3, 57, 82, 3.5, "none", own.ink, 1.2)


def _favour(value: int, own: Colour) -> str:
    plate = circle(50.5, 13.5, 8, WHITE, own.deep, 1.1)
    return plate + put(favour(value), 50.5, 13.5)


def favour(value: int) -> str:
    """Draw what the favour of an even load does, as a sign of about 12 mm: decide last, exchange,
    capacity by two, choose, look."""
    return picture(f"donkey_valley/favours/{value}")


_GREY = Colour("any", "#6f7480", regular(6, 5.6), "M8 0V88M16 0V88M24 0V88M39 0V88M47 0V88M55 0V88", {})


def contract(colour: str, accept: bool) -> str:
    """Draw one face of the contract card of that colour, or of the slip for any colour (`any`)."""
    own = COLOURS.get(colour, _GREY)
    ground = box(2, 2, 59, 84, 0, own.ground if accept else own.mark)
    ground += "" if accept else line(own.pattern, own.ground, 1.6)
    sign = put(path(own.shape, own.ink, shade(own.ink, 0.35), 0.6), 12, 13, 1.25)
    other = put(path(own.shape, own.ink, WHITE, 0.8), 51, 13, 1.25)
    return (
        ground
        + edge()
        + picture(f"donkey_valley/contract/{'accept' if accept else 'refuse'}")
        + both_ways(sign + other)
        + box(3.6, 3.6, 55.8, 80.8, 3.2, "none", own.ink, 2.4)
    )


def donkey(kind: str, say: Translator) -> str:
    """Draw the donkey card `kind` (`giant`), its name in the words of the game's catalogue."""
    return picture(f"donkey_valley/donkeys/{kind}", say(f"print.{kind}"))


@dataclass(frozen=True)
class Words:
    """One line of small print: its left end and base line in millimetres, its height in points, and
    whether it is bold."""

    x: float
    y: float
    points: float
    text: str
    bold: bool = False
    colour: str = DARK


DONKEYS = (
    *("normal", "giant", "puny", "precision", "hurried", "holed"),
    *("attacked", "lost", "double", "stubborn", "difficult", "hand_picked"),
)
"""The twelve kinds of donkey, in the order of DV-2."""

_FAVOURED = (2, 4, 6, 8, 10)


def summary(face: int, say: Translator) -> tuple[str, tuple[Words, ...]]:
    """Return art and small print of the summary card: face 1 the donkeys, 2 round and favours."""
    return _donkeys(say) if face == 1 else _round(say)


def _sheet(title: str, ink: str, rows: str) -> str:
    """Draw a titled sheet about its rows, which the rounded frame cuts."""
    head = box(2, 2, WIDTH - 4, 10, 0, ink) + fitted(title, WIDTH / 2, 7.4, 4.6, 50, PAPER)
    return box(2, 2, 59, 84, 0, PAPER) + rows + head + edge() + box(3, 3, 57, 82, 3.5, "none", ink, 1)


def _donkeys(say: Translator) -> tuple[str, tuple[Words, ...]]:
    art = ""
    words: list[Words] = []
    for row, kind in enumerate(DONKEYS):
        top = 13.0 + 5.95 * row
        art += box(3.6, top, 55.8, 5.8, 0, tint(colour(f"donkey_valley/donkeys/{kind}", "ink"), 0.8)) + put(
            donkey(kind, say), 4.4, top + 0.2, 0.061
        )
        words.append(Words(9.2, top + 3.7, 5.0, say(f"print.{kind}").capitalize(), True))
        words += _lines(25.6, top, say(f"print.summary.{kind}").split("\n"), 5.8)
    return _sheet(say("print.summary.1"), "#2f6f8f", art), tuple(words)


def _lines(x: float, top: float, lines: Sequence[str], room: float, points: float = 5.0) -> list[Words]:
    """Set one or two lines in the height `room`, about its middle."""
    step = 2.25
    first = top + room / 2 + 0.75 - step * (len(lines) - 1) / 2
    return [Words(x, first + step * k, points, text) for k, text in enumerate(lines)]


def _round(say: Translator) -> tuple[str, tuple[Words, ...]]:
    art = ""
    words = [
        Words(6, 16.6 + 3.0 * k, 6.0, text) for k, text in enumerate(say("print.summary.round").split("\n"))
    ]
    for row, value in enumerate(_FAVOURED):
        top = 43.6 + 8.1 * row
        art += box(3.6, top, 55.8, 7.8, 0, "#f6e7d8" if row % 2 else "#fbf3e8")
        art += fitted(str(value), 8.6, top + 3.9, 4.8, 7, DARK) + circle(
            17, top + 3.9, 3.6, "#ffffff", DARK, 0.4
        )
        art += put(favour(value), 17, top + 3.9, 0.44)
        words += _lines(22.4, top, say(f"print.summary.favour.{value}").split("\n"), 7.8, 5.8)
    return _sheet(say("print.summary.2"), "#7a2f14", art), tuple(words)
