"""What each event changes in the state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from companion.rules.common import replaced
from companion.rules.contract import GAME_OVER, Event
from companion.rules.partners import events as fact
from companion.rules.partners.board import BASE, place_of, with_pawn
from companion.rules.partners.cards import HAND
from companion.rules.partners.state import State


def evolve(state: State, event: Any) -> State:
    """Return the state after `event`."""
    return _AFTER[type(event)](state, event)


def _exchanged(state: State, event: fact.CardsExchanged) -> State:
    return replace(state, phase="play", turn=state.players.index(event.player))


def _more(played: Mapping[str, int], cards: Iterable[str]) -> Mapping[str, int]:
    count = dict(played)
    for card in cards:
        count[card] = count.get(card, 0) + 1
    return count


def _card_played(state: State, event: fact.CardPlayed) -> State:
    seat = state.players.index(event.player)
    left = replaced(state.left, seat, state.left[seat] - 1)
    return replace(state, left=left, played=_more(state.played, (event.card,)), last=(event,))


def _player_folded(state: State, event: fact.PlayerFolded) -> State:
    left = replaced(state.left, state.players.index(event.player), 0)
    # PA-6: cards that were not shown do not count as played.
    return replace(state, left=left, played=_more(state.played, event.cards or ()), last=(event,))


def _put(state: State, owner: str, pawn: int, place: str | None) -> State:
    seat = state.players.index(owner)
    number = BASE if place is None else place_of(seat, place)
    assert number is not None, place
    return replace(state, pawns=with_pawn(state.pawns, 4 * seat + pawn - 1, number))


def _told(state: State, event: Event) -> State:
    return replace(state, last=(*state.last, event))


def _pawn_moved(state: State, event: fact.PawnMoved) -> State:
    return _told(_put(state, event.owner, event.pawn, event.to), event)


def _pawn_sent_home(state: State, event: fact.PawnSentHome) -> State:
    return _told(_put(state, event.owner, event.pawn, None), event)


def _pawns_swapped(state: State, event: fact.PawnsSwapped) -> State:
    first = _put(state, event.owner, event.pawn, event.to)
    return _told(_put(first, event.other_owner, event.other_pawn, event.other_to), event)


def _turn_passed(state: State, event: fact.TurnPassed) -> State:
    return replace(state, turn=state.players.index(event.player))


def _cards_dealt(state: State, event: fact.CardsDealt) -> State:
    dealer = state.players.index(event.dealer)
    return replace(
        state,
        phase="exchange",
        dealer=dealer,
        deal=event.deal,
        turn=(dealer + 1) % 4,
        left=(HAND,) * 4,
        played={} if event.shuffled else state.played,
    )


def _game_won(state: State, event: fact.GameWon) -> State:
    return replace(state, phase=GAME_OVER, last=(*state.last, event))


_AFTER: Mapping[type[Event], Callable[[State, Any], State]] = {
    fact.CardsExchanged: _exchanged,
    fact.CardPlayed: _card_played,
    fact.PawnMoved: _pawn_moved,
    fact.PawnSentHome: _pawn_sent_home,
    fact.PawnsSwapped: _pawns_swapped,
    fact.PawnLocked: _told,
    fact.PlayerFolded: _player_folded,
    fact.TurnPassed: _turn_passed,
    fact.CardsDealt: _cards_dealt,
    fact.GameWon: _game_won,
}
