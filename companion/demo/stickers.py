"""Stickers for cards that have none: the simulated reader needs a tag on each physical card."""

from __future__ import annotations

from companion.table.decks import Deck

_MAKER = 0x04
"""First byte of a tag's id: the chip's maker (ISO/IEC 7816-6), as NTAG213 have it."""


SPARE = 7
"""Further tags of each design, one for each seat where a card may lie face down: see
`VirtualBoard.lay`."""


def stickered(deck: Deck, spare: int = 0) -> Deck:
    """Return the deck in which every physical card has a tag, and `spare` more; those that have one
    keep it.

    Made-up ids are the same each time.
    """
    number = 0
    for design in deck.designs:
        for copy in range(len(design.tags), design.copies + spare):
            # Counted without the spares, so that these change no other card's id.
            number += copy < design.copies
            deck = deck.with_tag(design.name, f"{_MAKER:02x}{number:04x}{copy:02x}c0ffee")
    return deck
