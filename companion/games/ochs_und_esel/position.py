"""Check positions of Ochs & Esel: the cards add up, and the trick, the animals and the counted
hands agree."""

from __future__ import annotations

from companion.games.ochs_und_esel.cards import (
    ANIMALS,
    DEALABLE,
    DECK,
    OX,
    compute_hand_penalty,
    compute_pile_penalty,
    compute_set_value,
    find_animal,
    is_set,
)
from companion.games.ochs_und_esel.state import MIDDLE, FinishedTrick, State
from companion.rules.contract import GAME_OVER, Refusal
from companion.rules.positions import (
    check_agreement,
    check_cards,
    check_length,
    check_names,
    check_range,
    check_row,
)

_PHASES = {False: ("lead", "follow", "hands", GAME_OVER), True: ("hands", GAME_OVER)}
"""The phases of a position; True: with `hands_only` (OE-12)."""


def check_position(state: State) -> Refusal | None:
    """Refuse a position that cannot occur: wrong cards, a trick that is none, or wrong points."""
    seats, rounds = len(state.players), state.setup.options["rounds"]
    open_cards = [card for row in state.list_open_cards() for card in row]
    in_play = {card: copies for card, copies in DECK.items() if card != OX or state.setup.options["ox"]}
    return (
        check_names("phase", [state.phase], _PHASES[state.setup.options["hands_only"]])
        or check_range("hand_number", [state.hand_number], 1, rounds)
        or check_range("leader", [state.leader], 0, seats - 1)
        or check_range("first", [state.first], 0, seats - 1)
        or check_row("cards", state.cards, seats, DEALABLE)
        or _check_animals(state)
        or check_length("piles", state.piles, seats)
        or check_length("counted", state.counted, seats)
        or check_length("points", state.points, seats)
        or check_range("tricks_done", [state.tricks_done], 0, DEALABLE)
        or check_cards("plays, gone, piles, counted", open_cards, in_play)
        or check_agreement(field="plays", holds=_is_trick_possible(state))
        or check_agreement(field="kind", holds=_is_kind_possible(state))
        or check_agreement(field="to_beat", holds=state.to_beat == _find_set_to_beat(state))
        or check_agreement(field="last_trick", holds=_is_last_trick_possible(state, state.last_trick))
        or check_agreement(field="counted", holds=_are_counts_possible(state))
        or check_agreement(field="scores", holds=_are_scores_possible(state))
        or check_agreement(field="points", holds=_add_penalties(state) == list(state.points))
    )


def _check_animals(state: State) -> Refusal | None:
    """Check where the animals are, and from when on they may lead (OE-8, OE-20)."""
    held = [one.at for one in (state.donkey, state.ox) if isinstance(one.at, int)]
    free = [one.free_from for one in (state.donkey, state.ox)]
    with_ox = state.setup.options["ox"]
    return (
        check_range("donkey, ox", held, 0, len(state.players) - 1)
        or check_range("donkey, ox", free, 1, DEALABLE)
        or check_agreement(field="donkey", holds=with_ox or state.donkey.at != MIDDLE)
        or check_agreement(field="ox", holds=with_ox or state.ox.at is None)
    )


def _is_trick_possible(state: State) -> bool:
    """Tell whether the plays are those of one trick in turn (OE-4 to OE-7, OE-11, OE-21)."""
    plays, seats = state.plays, len(state.players)
    first = plays[0].seat if plays else state.leader
    # In turn from the first; the last play of all would have ended the trick.
    if len(plays) >= seats or [one.seat for one in plays] != [(first + n) % seats for n in range(len(plays))]:
        return False
    sets = [play.cards for play in plays if play.cards]
    if state.phase != "follow":
        # Those who may lead nothing have passed (OE-11), and two animals bar two players at most.
        may_lead = state.phase == "lead" and state.leader == (first + len(plays)) % seats
        return not sets and (may_lead or not plays) and (state.phase != "lead" or _can_lead(state))
    if state.leader != next((one.seat for one in plays if one.cards), None):
        return False
    (led, *rest), animal = sets, find_animal(sets[0])
    # In an animal's trick everybody else plays one card, which is no animal.
    followed = all((len(one) == 1 if animal else is_set(one)) and not find_animal(one) for one in rest)
    return followed and (len(led) == 1 if animal else is_set(led))


def _can_lead(state: State) -> bool:
    return all(state.count_hand(seat) > 0 for seat in range(len(state.players)))


def _is_kind_possible(state: State) -> bool:
    """Tell whether the trick's kind is that of its first cards; a led animal is in no hand."""
    led = next((play.cards for play in state.plays if play.cards), None)
    if led is None:
        return state.kind is None
    animal = find_animal(led)
    return state.kind == (animal or "normal") and (animal is None or state.beast_of(animal).at is None)


def _find_set_to_beat(state: State) -> tuple[int, int] | None:
    sets = [play.cards for play in state.plays if play.cards]
    return (len(sets[-1]), compute_set_value(sets[-1])) if state.kind == "normal" else None


def _is_last_trick_possible(state: State, trick: FinishedTrick | None) -> bool:
    """Tell whether the last trick was won by somebody who played in it; there is one after the
    first of a hand."""
    if trick is None:
        return state.tricks_done == 0
    seats, plays = range(len(state.players)), trick.plays
    return (
        1 <= trick.number <= DEALABLE
        and all(play.seat in seats and set(play.cards) <= set(DECK) for play in plays)
        and any(play.seat == trick.winner and play.cards for play in plays)
        and (trick.kind == "normal" or all(len(play.cards) <= 1 for play in plays))
    )


def _are_counts_possible(state: State) -> bool:
    """Tell whether the cards laid out, shed and held are those dealt (OE-2, OE-9, OE-12)."""
    dealt, told = state.deal * len(state.players), state.setup.options["hands_only"]
    if told:
        return sum(card not in ANIMALS for row in state.list_open_cards() for card in row) <= dealt
    played = (state.gone, *[play.cards for play in state.plays], *state.piles)
    shed = sum(card not in ANIMALS for row in played for card in row)
    rows = [(seat, row) for seat, row in enumerate(state.counted) if row]
    if state.phase in ("lead", "follow") and (rows or None in state.counted):
        return False
    return shed + sum(state.cards) == dealt and all(len(row) == state.count_hand(seat) for seat, row in rows)


def _are_scores_possible(state: State) -> bool:
    seats, done = len(state.players), state.hand_number - (state.phase != GAME_OVER)
    return len(state.scores) == done and all(
        len(rows) == seats and all(set(row) <= set(DECK) for row in rows)
        for score in state.scores
        for rows in (score.left, score.piles)
    )


def _add_penalties(state: State) -> list[int]:
    """Return each player's points, added up from the counted hands (OE-9, OE-21)."""
    return [
        sum(
            compute_hand_penalty(one.left[seat]) + compute_pile_penalty(one.piles[seat])
            for one in state.scores
        )
        for seat in range(len(state.players))
    ]
