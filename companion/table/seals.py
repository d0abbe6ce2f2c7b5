"""Face-down cards that a pad has read: kept in memory, shown to nobody.

Nothing here reveals a card by accident: not an object's `repr`, a pickle, an exception's message,
or a traceback that lists local variables. The only access is `Secret.reveal_card`, which the live
session calls to fill a request's field `sealed`; the session stores only a commitment to it
(`companion.rules.commitments`).
"""

from __future__ import annotations

from typing import Final, NoReturn

from companion.rules.claims import format_seat_zone
from companion.table.sightings import SEALED


class Secret:
    """One face-down card. Compare it with `matches`; its `repr` is always the same."""

    __slots__ = ("_card",)

    def __init__(self, card: str) -> None:
        self._card: Final = card

    def reveal_card(self) -> str:
        """Return the card id. Only for a request's field `sealed`, and for the reveal."""
        return self._card

    def matches(self, card: str | None) -> bool:
        """Check whether it is `card`, a card id that everybody can see."""
        return self._card == card

    def __repr__(self) -> str:
        return SEALED

    def __reduce__(self) -> NoReturn:
        raise TypeError("a card that lies face down is not written anywhere")


class Seals:
    """The face-down cards at each zone. Keys are the readers' tracks (reader name, track
    number)."""

    def __init__(self) -> None:
        self._lying: dict[tuple[str, int], tuple[str, Secret]] = {}

    def add_secret(self, key: tuple[str, int], zone: str, secret: Secret) -> None:
        """Note that the card of this track lies face down in `zone`."""
        # Repeated at every look: a dictionary keeps the place of a key, and so the order of laying.
        self._lying[key] = (zone, secret)

    def remove_secret(self, key: tuple[str, int]) -> None:
        """Forget the card of this track, because it was taken away or turned up."""
        self._lying.pop(key, None)

    def list_in_zone(self, zone: str) -> tuple[Secret, ...]:
        """Return the face-down cards in `zone`, in the order in which they were laid."""
        return tuple(secret for there, secret in self._lying.values() if there == zone)

    def list_for_seat(self, seat: int) -> tuple[Secret, ...]:
        """Return the face-down cards at seat `seat` (1..N), in the order in which they were
        laid."""
        return self.list_in_zone(format_seat_zone(seat))

    def __len__(self) -> int:
        return len(self._lying)

    def __repr__(self) -> str:
        return f"Seals({len(self)} {SEALED})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("cards that lie face down are not written anywhere")
