"""Donkey Valley's summary cards, in the words of its catalogue: the twelve donkeys on one face, the
round and the favours on the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from companion.decks.assets import colour
from companion.decks.donkey_valley import donkey, favour
from companion.decks.ink import DARK, PAPER, WIDTH, box, circle, put, tint
from companion.decks.letters import fitted
from companion.decks.patterns import edge
from companion.texts import Translator


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
