"""Secrets of a live session: cards that lie face down, and decisions made at the same moment.

What a pad read of a face-down card goes into a request's field `sealed`, and nowhere else; the
session stores only seals of it.

Players who decide at the same moment may do so secretly: each decision is sealed in memory until
all have decided, and may be taken back until then. The rules say who decides so
(`Game.simultaneous_players`). A player who decides openly, by a card or on the laptop, has decided
for all to see; an earlier sealed decision of that player is forgotten.
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


class _SealedDecision:
    """A request that nobody may read yet: not in an object's text, a traceback, or a pickle."""

    __slots__ = ("_request",)

    def __init__(self, request: Request) -> None:
        self._request: Final = request

    def reveal_request(self) -> Request:
        return self._request

    def __repr__(self) -> str:
        return HIDDEN

    def __reduce__(self) -> NoReturn:
        raise TypeError("a decision that is sealed is written nowhere")


class SealedDecisions:
    """The sealed decisions of one table."""

    def __init__(self, game: Game[Any]) -> None:
        self._game = game
        self._sealed: dict[str, _SealedDecision] = {}

    @property
    def decided_players(self) -> tuple[str, ...]:
        """Players who have decided, sorted by name so that the order of their decisions stays
        secret."""
        return tuple(sorted(self._sealed))

    def seal_decision(self, player: str, request: Request) -> None:
        """Store a decision; it replaces the player's earlier one."""
        self._sealed[player] = _SealedDecision(request)

    def withdraw_decision(self, player: str) -> None:
        """Forget a player's decision."""
        self._sealed.pop(player, None)

    def release_decision(self, player: str) -> Request | None:
        """Return one decision and forget it: time is up."""
        sealed = self._sealed.pop(player, None)
        return None if sealed is None else sealed.reveal_request()

    def release_when_complete(self, state: Any) -> Sequence[Request]:
        """Forget the decisions of players who no longer decide; once all have decided, return their
        decisions, clockwise."""
        if not self._sealed:
            return ()
        deciding = self._game.simultaneous_players(state)
        for player in [player for player in self._sealed if player not in deciding]:
            self.withdraw_decision(player)
        if not self._sealed or len(self._sealed) < len(deciding):
            return ()
        opened = [self._sealed[player].reveal_request() for player in deciding]
        self._sealed.clear()
        return opened


def fill_sealed_cards(request: Request, secrets: Sequence[Secret]) -> Request:
    """Return `request` with the face-down cards at its player's seat filled in, if it asks for them
    and all are known.

    A request for several cards (`count`) takes one of each or none; a request for one takes the
    card laid last.
    """
    # 0 for a request without that field: only an existing, empty field is filled.
    if getattr(request, "sealed", 0) is not None or not secrets:
        return request
    names = _list_card_values(secrets)
    several = names if len(names) == getattr(request, "count", 1) else None
    # Which of the two a request takes is decided by the type of its field, not here.
    for sealed in (several, names[-1]):
        filled = validate_request(msgspec.structs.replace(request, sealed=sealed))
        if filled is not None and getattr(filled, "sealed", None) is not None:
            return filled
    return request


def validate_request(request: Request) -> Request | None:
    """Check the types of a request as if it came as JSON; return None where it would be a
    `bad_request`.

    The message of msgspec is dropped: it may name a face-down card.
    """
    try:
        return msgspec.convert(msgspec.to_builtins(request), type(request), strict=True)
    except (msgspec.ValidationError, TypeError):
        return None


class LostSeals:
    """Cards that were laid face down before a restart, whose seals can no longer be opened.

    `players`: those in front of whom such cards lie. Where no pad reads them, the table shows them.
    """

    def __init__(self, session: Session, table: Table) -> None:
        self._session, self._table = session, table
        self.players = [name for name in session.setup.players if session.list_closed_seals(name)]

    def reseal_cards(self) -> None:
        """Seal again what the pads read now."""
        for name in tuple(self.players):
            lying = self._table.seals.list_for_seat(self._session.setup.players.index(name) + 1)
            # They may also have been turned up meanwhile, which needs no seal.
            if not self._session.list_closed_seals(name) or self._session.reseal_cards(
                name, _list_card_values(lying)
            ):
                self.players.remove(name)


def _list_card_values(secrets: Sequence[Secret]) -> tuple[int | str, ...]:
    """Return the rules' names of these cards, only to be sealed at once."""
    return tuple(map(_parse_card_value, secrets))


def _parse_card_value(secret: Secret) -> int | str:
    """Return the rules' name of a card: the last part of its id, as a number if it is one
    (`load:red:7` is 7)."""
    name = CardId.from_text(secret.reveal_card()).name
    return int(name) if name.isdecimal() else name
