"""What the game would make of a card that no reader can name, were it this card or that one:
whether to ask, and what an entry tells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from companion.rules.contract import Claim, Game, Interpretation, Proposal, Request
from companion.table.conflicts import Dispute
from companion.table.table import Table


class Hypotheses:
    """Puts each card that an unsure one most likely is in its place. Others that are unsure then
    count as their own likeliest.

    Only likely cards: some card of the deck would be of use nearly anywhere, and an old pile would
    be asked about all evening.
    """

    def __init__(self, game: Game[Any], table: Table) -> None:
        self._game = game
        self._table = table
        self._known: tuple[object, Sequence[Dispute], Sequence[Claim]] = (None, (), ())
        self._wanted: tuple[Dispute, ...] = ()

    def wanted(self, unsure: Sequence[Dispute], state: Any, claims: Sequence[Claim]) -> tuple[Dispute, ...]:
        """Return those of the `unsure` cards that the game would act on in `state`, beside these
        `claims`, if it knew what they are.

        A doubt without answers of its own is no use: it only says that it cannot be that card.
        """
        before, *others = self._known
        # `is`: states are frozen, so one that has not changed is the same object.
        if state is not before or others != [unsure, claims]:  # asked at every tick, while little changes
            self._known = (state, unsure, claims)
            useful = {
                one.id
                for one, _, made in self._suppose(unsure, state, claims)
                if isinstance(made, Proposal) or made.choices
            }
            self._wanted = tuple(one for one in unsure if one.id in useful)
        return self._wanted

    def meant(
        self, request: Request, unsure: Sequence[Dispute], state: Any, claims: Sequence[Claim]
    ) -> tuple[Dispute, str] | None:
        """Return the one of the `unsure` cards of which `request` may speak, and which card it then
        is.

        None when there is none, and when that could be said of several.
        """
        found = [
            (one, card)
            for one, card, made in self._suppose(unsure, state, claims)
            if isinstance(made, Proposal) and made.request == request
        ]
        return found[0] if len(found) == 1 else None

    def _suppose(
        self, unsure: Sequence[Dispute], state: Any, claims: Sequence[Claim]
    ) -> Iterator[tuple[Dispute, str, Interpretation]]:
        """Give what the game makes of each unsure card, for each card that it may be."""
        for one in unsure:
            others = [self._table.supposed(other, other.cards[0]) for other in unsure if other is not one]
            for card in one.cards:
                supposed = self._table.supposed(one, card)
                for made in self._read(state, [*claims, *others, supposed]):
                    if supposed.id in (made.used if isinstance(made, Proposal) else made.about):
                        yield one, card, made

    def _read(self, state: Any, claims: Sequence[Claim]) -> Sequence[Interpretation]:
        try:
            return self._game.interpret(state, claims)
        except (
            Exception
        ):  # a game that stumbles has no use for it; if it really lies there, the listener says so
            return ()
