"""What is kept from everybody: the cards that lie face down, and decisions made apart.

What a pad read of a face-down card goes into a request's field `sealed`, and nowhere else; the
session keeps only seals of it.

Decisions of one moment are made apart: each is kept sealed in memory until all have decided, and
may be taken back until then. Who decides so, the rules say (`Game.together`). Who says their
decision aloud, by a card or the laptop's keys, has decided for all to see; what was sealed for that
player before is forgotten.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NoReturn

import msgspec

from companion.rules.claims import CardId
from companion.rules.commitments import HIDDEN
from companion.rules.contract import Game, Request
from companion.rules.session import Session
from companion.table.seals import Secret
from companion.table.table import Table


class _Decision:
    """A request nobody may read yet: not in an object's text, a traceback, or a pickle."""

    __slots__ = ("_request",)

    def __init__(self, request: Request) -> None:
        self._request: Final = request

    def open(self) -> Request:
        return self._request

    def __repr__(self) -> str:
        return HIDDEN

    def __reduce__(self) -> NoReturn:
        raise TypeError("a decision that is sealed is written nowhere")


class Together:
    """The sealed decisions of one table."""

    def __init__(self, game: Game[Any]) -> None:
        self._game = game
        self._sealed: dict[str, _Decision] = {}

    @property
    def decided(self) -> tuple[str, ...]:
        """Who has decided, by name: the order in which they did it is nobody's business."""
        return tuple(sorted(self._sealed))

    def seal(self, player: str, request: Request) -> None:
        """Keep a decision; it takes the place of an earlier one."""
        self._sealed[player] = _Decision(request)

    def take_back(self, player: str) -> None:
        """Forget a player's decision."""
        self._sealed.pop(player, None)

    def open(self, player: str) -> Request | None:
        """Hand out one decision, and forget it: time is up."""
        sealed = self._sealed.pop(player, None)
        return None if sealed is None else sealed.open()

    def follow(self, state: Any) -> Sequence[Request]:
        """Forget who decides no more; once all who decide now have done so, hand their decisions
        out, clockwise."""
        if not self._sealed:
            return ()
        deciding = self._game.together(state)
        for player in [player for player in self._sealed if player not in deciding]:
            self.take_back(player)
        if not self._sealed or len(self._sealed) < len(deciding):
            return ()
        opened = [self._sealed[player].open() for player in deciding]
        self._sealed.clear()
        return opened


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
    name = CardId.of(secret.open()).name
    return int(name) if name.isdecimal() else name
