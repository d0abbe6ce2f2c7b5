"""What a pad read of a face-down card goes into a request's field `sealed`, and nowhere else; the
session keeps only seals of it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from companion.rules.contract import Request
from companion.rules.session import Session
from companion.table.seals import Secret
from companion.table.table import Table


def with_sealed(request: Request, secrets: Sequence[Secret]) -> Request:
    """Return `request` with the cards that lie face down at its player's seat, if it asks for them
    and they are all known.

    A request for several cards (`count`) takes one of each or none; a request for one takes the
    card laid last.
    """
    # 0 stands for a request without that field: only one that has it, and has it open, is filled.
    if getattr(request, "sealed", 0) is not None or not secrets:
        return request
    names = _cards_of(secrets)
    several = names if len(names) == getattr(request, "count", 1) else None
    for sealed in (several, names[-1]):
        filled = well_formed(msgspec.structs.replace(request, sealed=sealed))
        if filled is not None and getattr(filled, "sealed", None) is not None:
            return filled
    return request


def well_formed(request: Request) -> Request | None:
    """Check a request's types as its JSON form would be checked; None where it would be a
    `bad_request`.

    The message of msgspec is not kept: it may name what lies face down.
    """
    try:
        return msgspec.convert(msgspec.to_builtins(request), type(request), strict=True)
    except (msgspec.ValidationError, TypeError):
        return None


class LostSeals:
    """Cards that were laid face down before a restart: what opened their seals is lost. `players`:
    before whom such cards lie; where no pad reads them the table shows them."""

    def __init__(self, session: Session, table: Table) -> None:
        self._session, self._table = session, table
        self.players = [name for name in session.setup.players if session.closed(name)]

    def seal_anew(self) -> None:
        """Seal what the pads read there now."""
        for name in tuple(self.players):
            lying = self._table.seals.for_seat(self._session.setup.players.index(name) + 1)
            if not self._session.closed(name) or self._session.seal_anew(name, _cards_of(lying)):
                self.players.remove(name)


def _cards_of(secrets: Sequence[Secret]) -> tuple[int | str, ...]:
    """Return what the rules call these cards: only to be sealed at once."""
    return tuple(map(_name, secrets))


def _name(secret: Secret) -> int | str:
    """Return what the rules call a card: the last part of its id, a number where it is one
    (`load:red:7` is 7)."""
    name = secret.open().rpartition(":")[2]
    return int(name) if name.isdecimal() else name
