"""Check positions of Partners: pawns stand where pawns can stand, and the cards add up."""

from __future__ import annotations

from collections import defaultdict

from companion.games.partners.board import (
    BASE,
    FOREIGN_START,
    INNER,
    OUTER,
    PAWNS,
    SEATS,
    START,
    find_start_owner,
    square_for_place,
)
from companion.games.partners.cards import DEALS, HAND
from companion.games.partners.state import State
from companion.rules.contract import GAME_OVER, Refusal
from companion.rules.positions import (
    check_agreement,
    check_cards,
    check_length,
    check_names,
    check_range,
    check_row,
)

_PHASES = {False: ("exchange", "play", GAME_OVER), True: ("told", GAME_OVER)}
"""The phases of a position; True: with `hands_only` (PA-19)."""


def check_position(state: State) -> Refusal | None:
    """Refuse a position that cannot occur: pawns on top of each other, or too many cards."""
    told = state.setup.options["hands_only"]
    shown = [
        card for card, copies in state.played.items() for _ in range(min(copies, HAND * len(SEATS) * DEALS))
    ]
    return (
        check_names("phase", [state.phase], _PHASES[told])
        or check_range("dealer", [state.dealer], 0, SEATS[-1])
        or check_range("deal", [state.deal], 1, DEALS)
        or check_range("turn", [state.turn], 0, SEATS[-1])
        or check_row("left", state.left, len(SEATS), HAND)
        or check_length("pawns", state.pawns, PAWNS * len(SEATS))
        or check_range("pawns", state.pawns, FOREIGN_START - len(SEATS) + 2, INNER)
        or check_agreement(field="pawns", holds=_is_board_possible(state))
        or check_range("played", state.played.values(), 1, HAND * len(SEATS) * DEALS)
        or check_cards("played", shown, state.deck)
        or check_agreement(field="left", holds=told or _are_hands_possible(state, len(shown)))
        or check_length("told", state.told, len(SEATS) if told else 0)
        or check_range("told", [one for one in state.told if one is not None], 0, PAWNS)
        or check_agreement(field="told", holds=not told or _are_reports_possible(state))
        or check_agreement(
            field="pawns", holds=told or bool(state.winning_seats) == (state.phase == GAME_OVER)
        )
    )


def _is_board_possible(state: State) -> bool:
    """Tell whether no two players' pawns share a place, and no two pawns one in the goal (PA-2,
    PA-10 to PA-12)."""
    there: dict[object, list[int]] = defaultdict(list)
    for index, place in enumerate(state.pawns):
        seat = index // PAWNS
        # Goals are the owner's alone, and hold one pawn each, which its index tells apart.
        if place >= OUTER:
            there[seat, place].append(index)
        elif place > START:
            there[square_for_place(seat, place)].append(seat)
        elif place != BASE:
            there["start", find_start_owner(seat, place)].append(seat)
    return all(len(set(seats)) == 1 for seats in there.values())


def _are_hands_possible(state: State, shown: int) -> bool:
    """Tell whether no more cards were shown and are in hand than were dealt (PA-5); a fold need not
    be shown."""
    dealt = HAND * len(SEATS) * state.deal
    full = set(state.left) == {HAND}
    return shown + sum(state.left) <= dealt and (
        state.phase == GAME_OVER or (full if state.phase == "exchange" else state.left[state.turn] > 0)
    )


def _are_reports_possible(state: State) -> bool:
    """Tell whether the pawns are those told to be home, and a team has won once all are (PA-19)."""
    home = [state.count_locked_pawns(seat) for seat in SEATS]
    complete = None not in state.told
    return home == [one or 0 for one in state.told] and (
        complete == (state.phase == GAME_OVER) == bool(complete and state.winning_seats)
    )
