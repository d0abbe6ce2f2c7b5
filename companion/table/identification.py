"""Translate what a reader names into what the rules name: a design into a card id, a pad into a
zone, a card into its owner's seat.

How readings are understood:

- a design of the deck that means something in the game: that card, face up;
- the deck's `back`, if the deck has its back enrolled: a card that lies face down;
- a card of no known design: face down if the deck has no back enrolled (everything that is not a
  face is taken for a back); otherwise a card of another game or one that is not enrolled, which
  gives no claim but, after a while, a hint;
- a tag that is not the deck's: always foreign, on any pad, because a tag has no back;
- a design of the deck without meaning in the game (a court card, a summary): ignored;
- any design read by a pad whose cards lie face down: a face-down card, with the design kept secret
  in the seals.
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
"""Design or card id of a card's back, for a deck that has it enrolled."""
NOWHERE = ""
"""Zone of a card outside all zones: it is seen, but means nothing."""

TrackKey = tuple[str, int]
"""Key of a track: the reader's name and the number it gave the card."""


class Pad(msgspec.Struct, frozen=True):
    """Purpose of a reader's pad: the zone of its cards, and whether they lie face down
    (`face_down`)."""

    zone: str
    face_down: bool = False

    @property
    def visible_face(self) -> Face:
        """The face of a card on this pad that is up, which its tag cannot tell."""
        return "down" if self.face_down else "up"


class CardState(msgspec.Struct, frozen=True):
    """A card in the rules' terms: its zone, its card id (None: face down), and which face is up."""

    zone: str
    card: str | None
    face: Face = "up"


class Unidentified(msgspec.Struct, frozen=True):
    """A reading that does not identify a card: `unsure`, or `foreign` (certainly a card, but of
    another deck, or a tag that is not this deck's).

    `likely`: card ids that an uncertain reading may be, most likely first; empty if nobody is to be
    asked (it looks most like a back or a card without meaning, or lies face down).
    """

    zone: str
    why: Literal["unsure", "foreign"]
    likely: tuple[str, ...] = ()


class CardIdentifier:
    """Translator of sightings into the rules' terms, for one deck, the colours in play and the pads
    in use.

    `colours`: seat number (1..N) by colour. `pads`: pads by name. `back_known`: the camera knows
    the back although the deck file has no such design.
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
        self.has_back = back_known or deck.find_design(BACK) is not None

    def find_zone(self, sighting: Sighting) -> str:
        """Return the zone of a sighting."""
        pad = self.pads.get(sighting.where)
        return sighting.where if pad is None else pad.zone

    def is_tap(self, sighting: Sighting) -> bool:
        """Check whether a card is shown to this reader instead of left lying; it then counts until
        the phase moves on."""
        return not self._is_face_down(sighting) and self._is_read_by_tag(sighting)

    def _is_read_by_tag(self, sighting: Sighting) -> bool:
        """Check whether a tag was read."""
        return sighting.where in self.pads or sighting.sense == "tag"

    def _is_face_down(self, sighting: Sighting) -> bool:
        """Check whether the card lies face down: its reader says so, or it is on a pad for such
        cards."""
        pad = self.pads.get(sighting.where)
        return sighting.face == "down" or (pad is not None and pad.face_down)

    def interpret_sighting(self, sighting: Sighting) -> tuple[CardState | Unidentified, Secret | None]:
        """Translate a sighting into the rules' terms. The secret is the card, if it lies face down
        on a pad."""
        zone, design = self.find_zone(sighting), sighting.design
        if not sighting.sure:
            return Unidentified(zone, "unsure", self._list_likely_cards(sighting)), None
        if design is None:
            # A tag has no back, and where backs are recognised, a card that is neither a face nor a
            # back is foreign.
            unknown = self._is_read_by_tag(sighting) or (sighting.face == "up" and self.has_back)
            return (Unidentified(zone, "foreign") if unknown else CardState(zone, None, "down")), None
        card = self.deck.find_card(design)
        # Before the test for face-down pads: a recognised back is not a card that could be sealed.
        if BACK in (design, card):
            return CardState(zone, None, "down"), None
        if self._is_face_down(sighting):
            return CardState(zone, None, "down"), Secret(card) if card is not None else None
        if card is None:
            known = self.deck.find_design(design) is not None
            return (CardState(NOWHERE, None) if known else Unidentified(zone, "foreign")), None
        return CardState(zone, card), None

    def _list_likely_cards(self, sighting: Sighting) -> tuple[str, ...]:
        """List the cards that an uncertain sighting may be; none if the most likely is not a card
        of the rules, or if it lies face down."""
        if self._is_face_down(sighting) or sighting.design is None:
            return ()
        cards = [self.deck.find_card(design) for design in (sighting.design, *sighting.candidates)]
        face_up_cards = [None if card == BACK else card for card in cards]
        return (
            tuple(dict.fromkeys(card for card in face_up_cards if card is not None))
            if face_up_cards[0]
            else ()
        )

    def find_owner_seat(self, state: CardState) -> int | None:
        """Return the seat that owns a card: by its colour if the deck has colours, else by its
        zone; None if nobody does."""
        if state.card is not None:
            colour = self.deck.find_owner_colour(state.card)
            if colour is not None:
                return self.colours.get(colour)
        return ZoneId.from_text(state.zone).seat
