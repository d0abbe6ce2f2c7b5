"""Check positions of Donkey Valley: players, donkeys and loads are possible, and the phase and its
turns fit what was played in the round."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from companion.games.donkey_valley.cards import (
    DONKEYS,
    FAVOURS,
    FAVOURS_A_GAME,
    LIMIT_STEP,
    ROUNDS,
    SPREAD_LIMITS,
    VALUES,
    Card,
)
from companion.games.donkey_valley.moves import PHASES, ROUND
from companion.games.donkey_valley.state import Player, Round, Stake, State, build_first_state
from companion.rules.contract import GAME_OVER, Refusal
from companion.rules.positions import (
    check_agreement,
    check_cards,
    check_length,
    check_names,
    check_range,
    find_first_fault,
)

_PHASES = {False: ("donkey", *ROUND, GAME_OVER), True: ("told", GAME_OVER)}
"""The phases of a position; True: with `hands_only` (DV-24)."""
_MOST = 1000
"""More than any sum, limit or number in a game; it bounds what a position may hold."""


def check_position(state: State) -> Refusal | None:
    """Refuse a position that cannot occur: unknown cards, or turns that do not fit the round."""
    seats, copies = len(state.setup.players), state.setup.options["donkey_copies"]
    told = state.setup.options["hands_only"]
    # Without counted copies (DV-2) any number of a type may come.
    box = dict.fromkeys(DONKEYS) if copies is None else copies
    donkeys = len(state.revealed) + state.left
    return (
        check_names("phase", [state.phase], _PHASES[told])
        or check_length("players", state.players, seats)
        or check_agreement(
            field="players", holds=[one.name for one in state.players] == list(state.setup.players)
        )
        or find_first_fault(_check_player(*one) for one in enumerate(state.players))
        or check_range("first", [state.first], 0, seats - 1)
        or check_range("left", [state.left], 1 if state.phase == "donkey" else 0, ROUNDS)
        or check_cards("revealed", state.revealed, box)
        or check_range("revealed, left", [donkeys], 0, ROUNDS)
        or find_first_fault(_check_round(state, *one) for one in _list_rounds(state))
        or check_agreement(field="round", holds=(state.round is None) == (not state.revealed))
        or check_agreement(field="round", holds=state.round is not None or state.phase == "donkey" or told)
        or check_agreement(field="aside", holds=state.phase != GAME_OVER or not state.aside)
        or check_agreement(
            field="round", holds=state.phase not in ROUND or _fits_phase(state, state.current_round)
        )
        or check_agreement(field="todo", holds=_are_turns_possible(state))
        or check_agreement(
            field="players",
            holds=_are_scores_possible(state)
            if told
            else all(_are_won_loads_possible(state, seat) for seat in range(seats)),
        )
    )


def _check_player(seat: int, player: Player) -> Refusal | None:
    where = f"players[{seat}]"
    return (
        check_range(f"{where}.hand", [player.hand], 0, len(VALUES))
        or check_range(f"{where}.favours_used", [player.favours_used], 0, FAVOURS_A_GAME)
        or check_range(f"{where}.gone", player.gone, VALUES[0], VALUES[-1])
    )


def _list_rounds(state: State) -> Iterator[tuple[str, Round]]:
    """Generate every round with its place in the position."""
    if state.round is not None:
        yield "round", state.round
    yield from ((f"aside[{number}]", one) for number, one in enumerate(state.aside))
    yield from ((f"past[{number}]", one) for number, one in enumerate(state.past))


def _check_round(state: State, where: str, one: Round) -> Refusal | None:
    """Check the donkey, its limits, and what every player has at stake."""
    names, numbers = state.setup.players, (one.capacity, one.total, one.spread)
    by_spread = one.donkey == "precision"
    return (
        check_names(f"{where}.donkey", [one.donkey], DONKEYS)
        or check_range(f"{where}.number", [one.number], 1, ROUNDS)
        or check_range(where, [number for number in numbers if number is not None], 0, _MOST)
        or check_range(f"{where}.spread_limit", [one.spread_limit or 1], SPREAD_LIMITS[0], SPREAD_LIMITS[-1])
        or check_agreement(field=f"{where}.spread_limit", holds=(one.spread_limit is not None) == by_spread)
        or check_agreement(field=f"{where}.capacity", holds=(one.capacity is None) == by_spread)
        or check_names(f"{where}.adjustments", [made.player for made in one.adjustments], names)
        or check_range(
            f"{where}.adjustments", [made.delta for made in one.adjustments], -LIMIT_STEP, LIMIT_STEP
        )
        or _check_loads(state, f"{where}.removed", one.removed)
        or check_length(f"{where}.stakes", one.stakes, len(names))
        or find_first_fault(
            _check_stake(state, f"{where}.stakes[{seat}]", one, stake)
            for seat, stake in enumerate(one.stakes)
        )
        or (check_agreement(field=where, holds=_is_finished(one)) if where.startswith("past") else None)
        or (check_agreement(field=where, holds=_is_waiting(one)) if where.startswith("aside") else None)
    )


def _check_stake(state: State, where: str, one: Round, stake: Stake) -> Refusal | None:
    cards = (*stake.held, *stake.taken, *stake.won, *([] if stake.chosen is None else [stake.chosen]))
    favours = [] if stake.favour is None else [stake.favour]
    return (
        check_range(f"{where}.loads", stake.face_up_values, VALUES[0], VALUES[-1])
        or check_range(f"{where}.loads", [len(stake.loads)], 0, 2 if one.is_doubled else 1)
        or check_cards(f"{where}.favour", favours, dict.fromkeys(FAVOURS))
        or check_range(f"{where}.looks", stake.looks, 0, len(state.setup.players) - 1)
        or _check_loads(state, where, cards)
    )


def _check_loads(state: State, where: str, cards: tuple[Card, ...]) -> Refusal | None:
    values = [card.value for card in cards]
    owners = [card.owner for card in cards]
    return check_names(where, owners, state.setup.players) or check_range(
        where, values, VALUES[0], VALUES[-1]
    )


def _is_finished(one: Round) -> bool:
    """Tell whether this round was weighed and decided, or refused (DV-39)."""
    decided = all(stake.decision is not None for stake in one.stakes)
    weighed = None not in (one.total, one.spread, one.overloaded)
    return decided and (one.refused or (weighed and all(_is_open(stake) for stake in one.stakes)))


def _is_waiting(one: Round) -> bool:
    """Tell whether this is a lost donkey with its loads, and nothing more (DV-37)."""
    laid = all(stake.loads and stake == Stake(stake.loads, stake.seals) for stake in one.stakes)
    return laid and one.donkey == "lost" and not one.returned and one.total is None


def _is_open(stake: Stake) -> bool:
    return bool(stake.loads) and not stake.face_down_count


def _fits_phase(state: State, one: Round) -> bool:
    """Tell whether the players have done in this round what comes before its phase, and nothing
    that comes after it."""
    due = {turn.seat for group in state.todo for turn in group}
    now = ROUND.index(state.phase)
    if (one.total is None) != (one.overloaded is None) or (one.spread is None) != (one.total is None):
        return False
    return (one.total is not None) == (state.phase == "claims") and all(
        bool(stake.loads) == (now > 0 or seat not in due)
        and (stake.decision is not None) == (now > _DECISIONS or (now == _DECISIONS and seat not in due))
        and (now > 0 or stake == Stake(stake.loads, stake.seals))
        and (now < _REVEAL or bool(stake.face_down_count) == (now == _REVEAL and seat in due))
        and (now > _REVEAL or not (stake.held or stake.taken or stake.won))
        for seat, stake in enumerate(one.stakes)
    )


_DECISIONS, _REVEAL = ROUND.index("decisions"), ROUND.index("reveal")


def _are_turns_possible(state: State) -> bool:
    """Tell whether the turns are the rest of those with which the phase begins (DV-11 to DV-20)."""
    if state.phase == GAME_OVER:
        return not state.todo
    # Turns are taken from the first group until it is empty; the groups after it are untouched.
    schedule, left = PHASES[state.phase].todo(state), len(state.todo)
    if not 0 < left <= len(schedule):
        return False
    begun = schedule[len(schedule) - left]
    first, *later = state.todo
    return (
        0 < len(first) == len({*first})
        and {*first} <= {*begun}
        and (*later,) == schedule[len(schedule) - left + 1 :]
    )


def _are_won_loads_possible(state: State, seat: int) -> bool:
    """Tell whether a player's loads are those won in the rounds, so that the reasons for the points
    add up (DV-22)."""
    # Loads drawn or chosen count at once (DV-19), before the round is resolved.
    rounds = [*state.past, *([state.current_round] if state.phase == "claims" else [])]
    won = [card for one in rounds for card in one.stakes[seat].won]
    return sorted(map(repr, won)) == sorted(map(repr, state.players[seat].won))


def _are_scores_possible(state: State) -> bool:
    """Tell whether nothing is known but possible loads of those who have entered theirs (DV-24)."""
    due = state.list_unreported_players()
    unplayed = build_first_state(state.setup)
    rows = [(player, replace(player, won=()), len(player.won)) for player in state.players]
    return (
        replace(state, players=unplayed.players, phase=unplayed.phase, todo=unplayed.todo) == unplayed
        and tuple(bare for _, bare, _ in rows) == unplayed.players
        and all(count <= (0 if player.name in due else ROUNDS) for player, _, count in rows)
        and all(card.owner == "" for player in state.players for card in player.won)
        and all(card.value in VALUES for player in state.players for card in player.won)
        and min(state.count_unreported_loads().values()) >= 0
    )
