"""Zones and cards in words, for questions and hints; card names are in the game's catalogue."""

from __future__ import annotations

from companion.rules.contract import Text


def zone_words(zone: str) -> Text:
    """Name a zone: `zone.seat` with the seat's number, `zone.middle`, `zone.pile`."""
    kind, _, number = zone.partition(":")
    return Text(f"zone.{kind}", {"seat": number} if number else {})


def card_words(card: str) -> Text:
    """Name a card id: `card.<name>` of the game's catalogue; `card.<kind>` with colour and value
    where the id has both."""
    kind, _, name = card.partition(":")
    colour, _, value = name.partition(":")
    if not value:
        return Text(f"card.{name or kind}")
    whose = Text("card.any") if colour == "any" else Text(f"colour.{colour}")
    return Text(
        f"card.{kind}", {"colour": whose, "value": value if value.isdecimal() else Text(f"card.{value}")}
    )
