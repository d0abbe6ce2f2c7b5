"""Words for real cards and their places, for lists of cards to move or check.

A layout calls places `seat:2 won`, `middle`, `pile`, `1:13` (Partners' squares). It calls cards by
their ids with the owner's name in place of a colour (`load:Ann:7`), and pawns by owner and number
(`Ann 2`). What no catalogue translates is shown as it is, so that a new game's layout can be read
all the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from companion.live.snapshot import CardMove
from companion.rules.claims import CardId, ZoneId
from companion.rules.contract import Text
from companion.table.zones import describe_card_id
from companion.texts import Translator, clean_text

_SQUARE = re.compile(r"([1-9]):(\d+)")


def format_place(place: str, translator: Translator, players: Sequence[str]) -> str:
    """Describe where `place` is: in front of a player, in the middle, on a square.

    The words fit into a sentence unchanged; "from" and "to" would inflect them in other languages.
    """
    where, _, what = place.partition(" ")
    zone = ZoneId.from_text(where)
    if zone.seat is not None and zone.seat <= len(players):
        return _translate_or_raw(
            Text(f"lies.before.{what or 'seat'}", {"player": players[zone.seat - 1]}), place, translator
        )
    square = _SQUARE.fullmatch(place)
    if square is not None:
        args = {"player": players[int(square[1]) - 1], "number": int(square[2])}
        return _translate_or_raw(Text("lies.square", args), place, translator)
    return _translate_or_raw(Text(f"lies.{zone.kind}", {"number": zone.number}), place, translator)


def format_card(card: str, translator: Translator, players: Sequence[str]) -> str:
    """Return a card's name; an unknown card (`donkey:?`) is named by its kind."""
    whose, _, number = card.rpartition(" ")
    if whose in players and number.isdecimal():
        return f"{translator.display_name(whose)} {number}"
    kind, owner, name = CardId.from_text(card)
    if name == "?" and owner in players:
        return _translate_or_raw(Text(f"card.{kind}.down", {"colour": owner}), card, translator)
    if owner in players:
        worth = name if name.isdecimal() else Text(f"card.{name}")
        return _translate_or_raw(Text(f"card.{kind}", {"colour": owner, "value": worth}), card, translator)
    return _translate_or_raw(
        Text(f"card.{kind}") if (owner, name) == ("", "?") else describe_card_id(card), card, translator
    )


def format_reader(reader: str, translator: Translator, *, short: bool = False) -> str:
    """Return a reader's name (`rfid 2`); readers of plug-ins that no catalogue knows keep their
    own."""
    kind, _, number = reader.partition(" ")
    # A message that no catalogue has comes back as its code.
    words = translator(f"reader.name.{kind}")
    name = kind if words == f"reader.name.{kind}" else words
    return name if short or not number else f"{name} {number}"


def format_moves(moves: Iterable[CardMove], translator: Translator, players: Sequence[str]) -> list[str]:
    """Describe which real card goes where, or must be checked; equal lines, as of cards that nobody
    has seen, are counted."""
    # Seven unseen donkeys are one line: at 80x24 seven would push out what must be put right.
    counted = Counter(_format_move(move, translator, players) for move in moves)
    return [words if n == 1 else f"{words} (× {n})" for words, n in counted.items()]


def _format_move(move: CardMove, translator: Translator, players: Sequence[str]) -> str:
    card = format_card(move.card, translator, players)
    source, target = (
        place and format_place(place, translator, players) for place in (move.source, move.target)
    )
    if target is None:
        return translator("moves.away", card=card, source=source)
    if source is None or source == target:
        return translator("moves.check", card=card, target=target)
    return translator("moves.move", card=card, source=source, target=target)


def _translate_or_raw(text: Text, raw: str, translator: Translator) -> str:
    return translator.find_words(text) or clean_text(raw)
