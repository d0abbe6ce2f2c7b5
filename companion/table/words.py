"""Zones and cards in words, for questions and hints; card names are in the game's catalogue."""

from __future__ import annotations

from companion.rules.claims import CardId, ZoneId
from companion.rules.contract import Text


def zone_words(zone: str) -> Text:
    """Name a zone: `zone.seat` with the seat's number, `zone.middle`, `zone.pile`."""
    kind, number = ZoneId.of(zone)
    return Text(f"zone.{kind}", {} if number is None else {"seat": number})


def card_words(card: str) -> Text:
    """Name a card id: `card.<name>` of the game's catalogue; `card.<kind>` with colour and value
    where the id has both."""
    kind, colour, name = CardId.of(card)
    if not colour:
        return Text(f"card.{name}")
    whose = Text("card.any") if colour == "any" else Text(f"colour.{colour}")
    return Text(
        f"card.{kind}", {"colour": whose, "value": name if name.isdecimal() else Text(f"card.{name}")}
    )
