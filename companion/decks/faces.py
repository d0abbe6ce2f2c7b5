"""The printed sides of every card: from a design's name to its face, which part of the program's
art shows it; and the back of each game's cards, one for all, alike either way up, so that it tells
nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from companion.decks import ascend, donkey_valley, dtc, ochs_und_esel, partners
from companion.decks.assets import picture
from companion.decks.donkey_valley import Words, summary
from companion.decks.markers import marker_art
from companion.decks.patterns import PATTERNS, edge
from companion.decks.svg import HEIGHT, PAPER, WIDTH, both_ways, box, document, line, path, star
from companion.rules.claims import CardId
from companion.table.decks import Deck, Design
from companion.texts import Translator

_PANELS: dict[str, tuple[str, str, int]] = {
    "donkey_valley": ("#14406b", "#1b5288", 9),
    "dtc": ("#2a1038", "#421c57", 0),
    "ochs_und_esel": ("#8f1d1d", "#a52a2a", 6),
    "partners": ("#1d3b2a", "#265038", 4),
    "ascend": ("#2b2348", "#3a3060", 11),
}
"""For each game the ground, the colour of the pattern on it, and which of `PATTERNS`."""

_STARS: dict[str, str] = {
    "donkey_valley": path(star(8, 4, 1.6, WIDTH / 2, HEIGHT / 2), "#f2c500"),
    "dtc": path(star(5, 4, 1.7, WIDTH / 2, HEIGHT / 2), "#e39a00"),
}
"""What stands in the middle of a back, drawn once."""


def back_art(game: str) -> str:
    """Draw the back of the cards of `game`; a game without one of its own has Donkey Valley's."""
    own = game if game in _PANELS else "donkey_valley"
    ground, mark, pattern = _PANELS[own]
    d, thick = PATTERNS[pattern]
    panel = box(2, 2, WIDTH - 4, HEIGHT - 4, 0, ground) + both_ways(line(d, mark, thick)) + edge()
    frame = box(6.5, 6.5, WIDTH - 13, HEIGHT - 13, 2.5, "none", PAPER, 0.9)
    return panel + frame + both_ways(picture(f"{own}/back")) + _STARS.get(own, "")


@dataclass(frozen=True)
class CardSide:
    """One printed side of a card: the art (a whole SVG of 63 x 88 mm) and its small print."""

    svg: str
    words: tuple[Words, ...] = ()


def _contract(card: CardId, _say: Translator) -> str:
    return donkey_valley.contract(card.colour, {"accept": True, "refuse": False}[card.name])


_ART: dict[str, Callable[[CardId, Translator], str]] = {
    "load": lambda card, _say: donkey_valley.load(card.colour, int(card.name)),
    "contract": _contract,
    "donkey": lambda card, say: donkey_valley.donkey(card.name, say),
    "first_player": lambda _card, _say: picture("donkey_valley/first_player"),
    "dtc": lambda card, _say: dtc.card(card.name),
    "oe": lambda card, _say: ochs_und_esel.card(card.name),
    "pa": lambda card, _say: partners.card(card.name),
    "decktet": lambda card, say: ascend.card(card.name, say),
}
"""For each kind of card who draws it, from its id and the words of its game."""

_GAMES = {"donkey": "donkey_valley", "summary": "donkey_valley", "decktet": "ascend"}
"""The game whose catalogue has the words that are printed on a kind of card."""


def face(design: Design, lang: str = "en") -> CardSide | None:
    """Return the printed side of a design, with its marker if it has one; None for a card that the
    program does not draw.

    A word that the language lacks is printed in English: a card is never lost for a word.
    """
    card = CardId.of(design.name)
    say = Translator.of(lang, _GAMES.get(card.kind))
    words: tuple[Words, ...] = ()
    try:
        if card.kind == "summary":
            art, words = summary({"1": 1, "2": 2}[card.name], say)
        else:
            art = _ART[card.kind](card, say)
    except (KeyError, IndexError, ValueError):
        return None  # a name of the owner's own, such as "7S": a card that exists already
    return CardSide(document(art + (marker_art(design.marker) if design.marker is not None else "")), words)


def faces(deck: Deck, lang: str = "en") -> dict[str, CardSide]:
    """Return the printed sides of every design of `deck` that the program draws, by its name."""
    drawn = {design.name: face(design, lang) for design in deck.designs}
    return {name: one for name, one in drawn.items() if one is not None}


def back(game: str) -> CardSide:
    """Return the back of the cards of `game`."""
    return CardSide(document(back_art(game)))


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
