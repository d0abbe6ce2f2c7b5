"""From a design's name to its face: which part of the program's art shows which card."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from companion.decks import ascend, donkey_valley, dtc, ochs_und_esel, partners
from companion.decks.assets import picture
from companion.decks.backs import back_art
from companion.decks.ink import document
from companion.decks.markers import marker_art
from companion.decks.summary import Words, summary
from companion.table.decks import Deck, Design
from companion.texts import Translator


@dataclass(frozen=True)
class Face:
    """One printed side of a card: the art (a whole SVG of 63 x 88 mm) and its small print."""

    svg: str
    words: tuple[Words, ...] = ()


def _load(rest: str, _say: Translator) -> str:
    colour, _, value = rest.partition(":")
    return donkey_valley.load(colour, int(value))


def _contract(rest: str, _say: Translator) -> str:
    colour, _, answer = rest.partition(":")
    return donkey_valley.contract(colour, {"accept": True, "refuse": False}[answer])


_ART: dict[str, Callable[[str, Translator], str]] = {
    "load": _load,
    "contract": _contract,
    "donkey": donkey_valley.donkey,
    "first_player": lambda _rest, _say: picture("donkey_valley/first_player"),
    "dtc": lambda rest, _say: dtc.card(rest),
    "oe": lambda rest, _say: ochs_und_esel.card(rest),
    "pa": lambda rest, _say: partners.card(rest),
    "decktet": ascend.card,
}
"""For each kind of card id who draws it, from the rest of the id and the words of its game."""

_GAMES = {"donkey": "donkey_valley", "summary": "donkey_valley", "decktet": "ascend"}
"""The game whose catalogue has the words that are printed on a kind of card."""


def face(design: Design, lang: str = "en") -> Face | None:
    """Return the printed side of a design, with its marker if it has one; None for a card that the
    program does not draw.

    A word that the language lacks is printed in English: a card is never lost for a word.
    """
    kind, _, rest = design.name.partition(":")
    say = Translator.of(lang, _GAMES.get(kind))
    words: tuple[Words, ...] = ()
    try:
        if kind == "summary":
            art, words = summary({"1": 1, "2": 2}[rest], say)
        else:
            art = _ART[kind](rest, say)
    except (KeyError, IndexError, ValueError):
        return None  # a name of the owner's own, such as "7S": a card that exists already
    return Face(document(art + (marker_art(design.marker) if design.marker is not None else "")), words)


def faces(deck: Deck, lang: str = "en") -> dict[str, Face]:
    """Return the printed sides of every design of `deck` that the program draws, by its name."""
    drawn = {design.name: face(design, lang) for design in deck.designs}
    return {name: one for name, one in drawn.items() if one is not None}


def back(game: str) -> Face:
    """Return the back of the cards of `game`."""
    return Face(document(back_art(game)))


def other_side(design: str) -> str | None:
    """Return the design on the other side of the same card, where it is no back: a contract's, a
    summary's; else None."""
    for one, other in (
        (":accept", ":refuse"),
        (":refuse", ":accept"),
        ("summary:1", "summary:2"),
        ("summary:2", "summary:1"),
    ):
        if design.endswith(one):
            return design.removesuffix(one) + other
    return None
