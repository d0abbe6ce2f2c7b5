"""Donkey Valley's cards: loads, contracts, donkeys and summaries.

A load is a piece of luggage, heavier as its value rises, in its owner's colour; the value stands on
its label and in two corners. Those that buy a favour (DV-12) show it in the other two. The summary
cards say in the words of the game's catalogue what the twelve donkeys do on one face, the round and
the favours on the other.
"""

from __future__ import annotations

from collections.abc import Sequence

from companion.decks.assets import Art
from companion.decks.faces import CardSide, Words
from companion.decks.patterns import COLOURS, Colour, card_back, edge
from companion.decks.svg import (
    DARK,
    HEIGHT,
    PAPER,
    WHITE,
    WIDTH,
    both_ways,
    box,
    circle,
    fitted,
    line,
    numeral,
    path,
    put,
    regular,
    shade,
    star,
    tint,
)
from companion.games.donkey_valley.cards import DONKEYS, FAVOURS
from companion.rules.claims import CardId
from companion.texts import Translator

ART = Art(__file__)


def back() -> str:
    """Draw the back that all cards have."""
    middle = path(star(8, 4, 1.6, WIDTH / 2, HEIGHT / 2), "#f2c500")
    return card_back("#14406b", "#1b5288", 9, ART("back"), middle)


def face(card: CardId, say: Translator) -> CardSide:
    """Draw a face of a card; raise `KeyError` or `ValueError` for one that is not of ours."""
    kind, colour, name = card
    match kind:
        case "load":
            return CardSide(load(colour, int(name)))
        case "contract":
            other = {"accept": "refuse", "refuse": "accept"}[name]
            return CardSide(contract(colour, name == "accept"), other_side=f"{card.stem}:{other}")
        case "donkey":
            return CardSide(donkey(name, say))
        case "summary":
            return {"1": _donkeys, "2": _round}[name](say)
    return CardSide(ART({"first_player": kind}[kind]))


def load(colour: str, value: int) -> str:
    """Draw the load of that colour and value, 1 to 10."""
    own = COLOURS[colour]
    # Ten has two digits: smaller, and further from the edge.
    x, height = (11.5, 14.2) if value < 10 else (13.8, 13.0)
    index = numeral(str(value), x, 12.5, height, own.deep, halo=WHITE)
    # Below the line that tells 6 from 9.
    low = 28.8 if value in (6, 9) else 25
    sign = put(path(own.shape, own.ink, WHITE, 0.9), 11.5, low, 0.78)
    corner = (
        _favour(value, own) if value in FAVOURS else put(path(own.shape, own.ink, WHITE, 0.8), 51.5, 13, 0.9)
    )
    ground = box(2, 2, 59, 84, 0, own.ground) + line(own.pattern, own.mark, 1.1) + edge()
    luggage = ART(f"luggage/{value}", ink=own.ink)
    return ground + luggage + both_ways(index + sign + corner) + box(3, 3, 57, 82, 3.5, "none", own.ink, 1.2)


def _favour(value: int, own: Colour) -> str:
    plate = circle(50.5, 13.5, 8, WHITE, own.deep, 1.1)
    return plate + put(favour(value), 50.5, 13.5)


def favour(value: int) -> str:
    """Draw the sign of a load's favour, about 12 mm wide: decide last, exchange, capacity by two,
    choose, look."""
    return ART(f"favours/{value}")


# For the slips that a player of any colour may use.
_GREY = Colour("any", "#6f7480", regular(6, 5.6), "M8 0V88M16 0V88M24 0V88M39 0V88M47 0V88M55 0V88", {})


def contract(colour: str, accept: bool) -> str:
    """Draw one face of the contract card of that colour, or of the slip for any colour (`any`)."""
    # `any` is a slip without a colour.
    own = COLOURS.get(colour, _GREY)
    ground = box(2, 2, 59, 84, 0, own.ground if accept else own.mark)
    ground += "" if accept else line(own.pattern, own.ground, 1.6)
    sign = put(path(own.shape, own.ink, shade(own.ink, 0.35), 0.6), 12, 13, 1.25)
    other = put(path(own.shape, own.ink, WHITE, 0.8), 51, 13, 1.25)
    return (
        ground
        + edge()
        + ART(f"contract/{'accept' if accept else 'refuse'}")
        + both_ways(sign + other)
        + box(3.6, 3.6, 55.8, 80.8, 3.2, "none", own.ink, 2.4)
    )


def donkey(kind: str, say: Translator) -> str:
    """Draw the donkey card `kind` (`giant`), named in the words of the game's catalogue."""
    return ART(f"donkeys/{kind}", say(f"print.{kind}"))


def _sheet(title: str, ink: str, rows: str) -> str:
    """Draw a titled sheet around its rows, which the rounded frame clips."""
    head = box(2, 2, WIDTH - 4, 10, 0, ink) + fitted(title, WIDTH / 2, 7.4, 4.6, 50, PAPER)
    return box(2, 2, 59, 84, 0, PAPER) + rows + head + edge() + box(3, 3, 57, 82, 3.5, "none", ink, 1)


def _donkeys(say: Translator) -> CardSide:
    art = ""
    words: list[Words] = []
    for row, kind in enumerate(DONKEYS):
        top = 13.0 + 5.95 * row
        art += box(3.6, top, 55.8, 5.8, 0, tint(ART.colour(f"donkeys/{kind}", "ink"), 0.8)) + put(
            donkey(kind, say), 4.4, top + 0.2, 0.061
        )
        words.append(Words(9.2, top + 3.7, 5.0, say(f"print.{kind}").capitalize(), True))
        words += _lines(25.6, top, say(f"print.summary.{kind}").split("\n"), 5.8)
    return CardSide(_sheet(say("print.summary.1"), "#2f6f8f", art), tuple(words), "summary:2")


def _lines(x: float, top: float, lines: Sequence[str], room: float, points: float = 5.0) -> list[Words]:
    """Place one or two lines, vertically centred in the height `room`."""
    step = 2.25
    first = top + room / 2 + 0.75 - step * (len(lines) - 1) / 2
    return [Words(x, first + step * k, points, text) for k, text in enumerate(lines)]


def _round(say: Translator) -> CardSide:
    art = ""
    words = [
        Words(6, 16.6 + 3.0 * k, 6.0, text) for k, text in enumerate(say("print.summary.round").split("\n"))
    ]
    # The rows share the height that the text of the round leaves.
    step = 40.5 / len(FAVOURS)
    for row, value in enumerate(FAVOURS):
        top, room = 43.6 + step * row, step - 0.3
        art += box(3.6, top, 55.8, room, 0, "#f6e7d8" if row % 2 else "#fbf3e8")
        art += fitted(str(value), 8.6, top + room / 2, 4.8, 7, DARK) + circle(
            17, top + room / 2, 3.6, "#ffffff", DARK, 0.4
        )
        art += put(favour(value), 17, top + room / 2, 0.44)
        words += _lines(22.4, top, say(f"print.summary.favour.{value}").split("\n"), room, 5.8)
    return CardSide(_sheet(say("print.summary.2"), "#7a2f14", art), tuple(words), "summary:1")
