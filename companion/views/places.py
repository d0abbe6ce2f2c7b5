"""Real cards and their places in words, for lists of cards to move or check.

A layout names places `seat:2 won`, `middle`, `pile`, `1:13` (Partners' squares), and cards by their
ids with the owner's name in the place of a colour (`load:Ann:7`), pawns by owner and number
(`Ann 2`). What no catalogue has is shown as
it is, so that a new game's layout can be read all the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from companion.live.snapshot import CardMove
from companion.rules.claims import CardId, ZoneId
from companion.rules.contract import Text
from companion.table.zones import card_words
from companion.texts import Translator, clean

_SQUARE = re.compile(r"([1-9]):(\d+)")


def place_in_words(place: str, say: Translator, players: Sequence[str]) -> str:
    """Say where `place` is, as one says where a card lies: before whom, in the middle, on a square.

    A sentence can take these words as they are; `from` and `to` would bend them in other languages.
    """
    where, _, what = place.partition(" ")
    zone = ZoneId.of(where)
    if zone.seat is not None and zone.seat <= len(players):
        return _said(Text(f"lies.before.{what or 'seat'}", {"player": players[zone.seat - 1]}), place, say)
    square = _SQUARE.fullmatch(place)
    if square is not None:
        args = {"player": players[int(square[1]) - 1], "number": int(square[2])}
        return _said(Text("lies.square", args), place, say)
    return _said(Text(f"lies.{zone.kind}", {"number": zone.number}), place, say)


def card_in_words(card: str, say: Translator, players: Sequence[str]) -> str:
    """Name a card; a card that nobody knows (`donkey:?`) by its kind."""
    whose, _, number = card.rpartition(" ")
    if whose in players and number.isdecimal():
        return f"{say.name(whose)} {number}"
    kind, owner, name = CardId.of(card)
    if name == "?" and owner in players:
        return _said(Text(f"card.{kind}.down", {"colour": owner}), card, say)
    if owner in players:
        worth = name if name.isdecimal() else Text(f"card.{name}")
        return _said(Text(f"card.{kind}", {"colour": owner, "value": worth}), card, say)
    return _said(Text(f"card.{kind}") if (owner, name) == ("", "?") else card_words(card), card, say)


def reader_in_words(reader: str, say: Translator, *, short: bool = False) -> str:
    """Name a reader (`rfid 2`); one no catalogue names, a plug-in's, by its own name."""
    kind, _, number = reader.partition(" ")
    words = say(f"reader.name.{kind}")
    name = kind if words == f"reader.name.{kind}" else words
    return name if short or not number else f"{name} {number}"


def moves_in_words(moves: Iterable[CardMove], say: Translator, players: Sequence[str]) -> list[str]:
    """Say which real card goes where, or that it is to be checked; what reads alike, as cards that
    nobody has seen do, is said once, and of how many."""
    counted = Counter(_move(move, say, players) for move in moves)
    return [words if n == 1 else f"{words} (× {n})" for words, n in counted.items()]


def _move(move: CardMove, say: Translator, players: Sequence[str]) -> str:
    card = card_in_words(move.card, say, players)
    source, target = (place and place_in_words(place, say, players) for place in (move.source, move.target))
    if target is None:
        return say("moves.away", card=card, source=source or "")
    if source is None or source == target:
        return say("moves.check", card=card, target=target)
    return say("moves.move", card=card, source=source, target=target)


def _said(text: Text, raw: str, say: Translator) -> str:
    words = say.say(text)
    return clean(raw) if words == text.code else words
