"""Donkey Valley's cards: loads, contracts and donkeys.

A load is a piece of luggage, heavier as its value rises, in its owner's colour; the value stands on
its label and in two corners. Even values show their favour (DV-12) in the other two.
"""

from __future__ import annotations

from companion.decks.assets import picture
from companion.decks.ink import WHITE, both_ways, box, circle, line, path, put, regular, shade
from companion.decks.letters import numeral
from companion.decks.palette import COLOURS, Colour
from companion.decks.patterns import edge
from companion.texts import Translator


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
