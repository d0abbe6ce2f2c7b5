"""From what a reader names to what the rules name: a design to a card id, a pad to a zone, a card
to its owner's seat.

What a reading means (the rulings of this module):

* a design of the deck that means something in the game: that card, face up;
* the deck's `back`, where the deck has its back enrolled: a card that lies face down;
* a card of no design: where the deck has no back enrolled, a card that lies face down (its back is
  all that is not a face); with a back enrolled, a card of another game, or one that is not
  enrolled: no claim, but a hint after a while;
* a tag that is not the deck's: the same, on whatever pad, for a tag has no back;
* a design of the deck that means nothing in the game (a court card, a summary): a card that nobody
  needs to hear about;
* any design read by a pad whose cards lie face down: such a card, and the design goes into the
  seals.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from companion.rules.claims import ZoneId
from companion.table.decks import Deck
from companion.table.seals import Secret
from companion.table.sightings import Face, Sighting

BACK = "back"
"""The design or card id of a card's back, where a deck has it enrolled."""
NOWHERE = ""
"""The zone of what lies in no zone: it is seen, and means nothing."""

Key = tuple[str, int]
"""A track: the reader's name and the number that it gave."""


class Pad(msgspec.Struct, frozen=True):
    """What a reader's pad is for: the zone that its cards belong to; `face_down`: what lies on it
    lies face down."""

    zone: str
    face_down: bool = False

    @property
    def face(self) -> Face:
        """Which face of a card on this pad is up: a tag does not know."""
        return "down" if self.face_down else "up"


class CardState(msgspec.Struct, frozen=True):
    """What lies somewhere, in the rules' words: a zone, a card id (None: face down), the face."""

    zone: str
    card: str | None
    face: Face = "up"


class Unidentified(msgspec.Struct, frozen=True):
    """A reading that nothing can be made of: `unsure`, `foreign` (surely a card, of another deck,
    or a tag that is not this deck's).

    `likely`: the card ids that an unsure reading may be, likeliest first; empty when nobody is to
    be asked about it (it looks most like a back or like a card of no meaning, or lies face down).
    """

    zone: str
    why: Literal["unsure", "foreign"]
    likely: tuple[str, ...] = ()


class Identifier:
    """How sightings are understood, for one deck, the colours that are played and the pads that are
    there.

    `colours`: colour to seat number (1..N). `pads`: pad name to its zone. `back_known`: the camera
    knows the back although the deck file has no such design.
    """

    def __init__(
        self,
        deck: Deck,
        colours: Mapping[str, int],
        pads: Mapping[str, Pad],
        back_known: bool = False,
    ) -> None:
        self.deck = deck
        self.colours = dict(colours)
        self.pads = dict(pads)
        self.has_back = back_known or deck.design(BACK) is not None

    def zone(self, sighting: Sighting) -> str:
        """Return the zone that the reading is in."""
        pad = self.pads.get(sighting.where)
        return sighting.where if pad is None else pad.zone

    def taps(self, sighting: Sighting) -> bool:
        """Tell whether a card is shown to this reader rather than left lying: it then counts until
        the phase moves on."""
        return not self._hidden(sighting) and self._by_tag(sighting)

    def _by_tag(self, sighting: Sighting) -> bool:
        """Tell whether a tag was read."""
        return sighting.where in self.pads or sighting.sense == "tag"

    def _hidden(self, sighting: Sighting) -> bool:
        """Tell whether the card lies face down: its reader says so, or it lies on a pad for such
        cards."""
        pad = self.pads.get(sighting.where)
        return sighting.face == "down" or (pad is not None and pad.face_down)

    def read(self, sighting: Sighting) -> tuple[CardState | Unidentified, Secret | None]:
        """Put a sighting into the rules' words; the secret is a card face down on a pad."""
        zone, design = self.zone(sighting), sighting.design
        if not sighting.sure:
            return Unidentified(zone, "unsure", self._likely(sighting)), None
        if design is None:
            unknown = self._by_tag(sighting) or (sighting.face == "up" and self.has_back)
            return (Unidentified(zone, "foreign") if unknown else CardState(zone, None, "down")), None
        card = self.deck.card(design)
        # Before what pads hide: a back that was recognised names no card that could be sealed.
        if BACK in (design, card):
            return CardState(zone, None, "down"), None
        if self._hidden(sighting):
            return CardState(zone, None, "down"), Secret(card) if card is not None else None
        if card is None:
            known = self.deck.design(design) is not None
            return (CardState(NOWHERE, None) if known else Unidentified(zone, "foreign")), None
        return CardState(zone, card), None

    def _likely(self, sighting: Sighting) -> tuple[str, ...]:
        """List the cards that an unsure sighting may be; none where the likeliest is no card that
        the rules know, or lies face down."""
        if self._hidden(sighting) or sighting.design is None:
            return ()
        cards = [self.deck.card(design) for design in (sighting.design, *sighting.candidates)]
        named = [None if card == BACK else card for card in cards]
        return tuple(dict.fromkeys(card for card in named if card is not None)) if named[0] else ()

    def owner(self, reading: CardState) -> int | None:
        """Return the seat whose card it is: by its colour where the deck has one, else by where it
        lies; None when nobody's."""
        if reading.card is not None:
            colour = self.deck.colour(reading.card)
            if colour is not None:
                return self.colours.get(colour)
        return ZoneId.of(reading.zone).seat
