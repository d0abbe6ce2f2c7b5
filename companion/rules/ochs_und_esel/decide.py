"""What a request leads to: events, or the reason why not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from companion.rules.common import beyond_deck, not_your_turn, stranger, wrong_phase
from companion.rules.contract import Event, Refusal, Request, refuse
from companion.rules.ochs_und_esel import requests as ask
from companion.rules.ochs_und_esel.cards import ANIMALS, DECK, OX, Animal, Kind, is_set, set_value
from companion.rules.ochs_und_esel.events import CardsPlayed, HandCounted, PileCounted, PlayerPassed
from companion.rules.ochs_und_esel.hands_only import hand_fault, pile_fault
from companion.rules.ochs_und_esel.outcome import after_act, after_count
from companion.rules.ochs_und_esel.state import Phase, State
from companion.rules.ochs_und_esel.words import awaited, card_word, card_words

Decision = Sequence[Event] | Refusal

_TRICK: tuple[Phase, ...] = ("lead", "follow")


def decide(state: State, request: Any) -> Decision:
    """Check the phase and the turn, then the request's own rule."""
    return _RULES[type(request)](state, request)


def _play(state: State, request: ask.Play) -> Decision:
    wrong = _not_in_trick(state, request.player)
    if wrong is not None:
        return wrong
    cards, seat = request.cards, state.turn
    for fault in _FAULTS:
        refusal = fault(state, seat, cards)
        if refusal is not None:
            return refusal
    animal: Kind | None = next((one for one in ANIMALS if one in cards), None)
    played = CardsPlayed(request.player, cards, state.kind or animal or "normal")
    return after_act(state, played)


def _pass(state: State, request: ask.Pass) -> Decision:
    wrong = _not_in_trick(state, request.player)
    if wrong is not None:
        return wrong
    if state.phase == "lead":
        if not state.cannot_lead():
            return refuse("must_play", "OE-4", say="must_lead", player=request.player)
        heir = state.players[(state.turn + 1) % len(state.players)]
        return after_act(state, PlayerPassed(request.player, heir))
    if state.kind != "normal" and not state.only_animals(state.turn):
        return refuse(
            "must_play", _animal_clause(state.kind), say=f"must_play_{state.kind}", player=request.player
        )
    return after_act(state, PlayerPassed(request.player, None))


def _hand(state: State, request: ask.Hand) -> Decision:
    if state.phase != "hands":
        return wrong_phase(awaited(state))
    seat, cards = state.players.index(request.player), request.cards
    if state.hand(seat) == 0 and not state.hands_only:
        return refuse("not_your_turn", "OE-9", say="nothing_to_count", player=request.player)
    if state.counted[seat] is not None:
        return refuse("already_done", "OE-9", player=request.player, awaited=awaited(state))
    for fault in _HAND_FAULTS[state.hands_only]:
        refusal = fault(state, seat, cards)
        if refusal is not None:
            return refusal
    return after_count(state, HandCounted(request.player, cards))


def _pile(state: State, request: ask.Pile) -> Decision:
    if not state.pile_awaited():
        return wrong_phase(awaited(state))
    seat, cards = state.players.index(request.player), request.cards
    refusal = (
        _unknown(state, seat, cards)
        or pile_fault(state, request.player, cards)
        or _impossible(state, seat, cards)
    )
    return refusal or after_count(state, PileCounted(request.player, cards))


def _not_in_trick(state: State, player: str) -> Refusal | None:
    if state.phase not in _TRICK:
        return wrong_phase(awaited(state))
    if player != state.players[state.turn]:
        return not_your_turn(player, awaited(state), "OE-4")
    return None


Fault = Callable[[State, int, Sequence[str]], "Refusal | None"]


def _unknown(_state: State, _seat: int, cards: Sequence[str]) -> Refusal | None:
    card = stranger(DECK, cards)
    return None if card is None else refuse("unknown_card", "OE-1", card=card[:20])


def _not_holding(state: State, seat: int, cards: Sequence[str]) -> Refusal | None:
    for animal in ANIMALS:
        if animal in cards and state.beast(animal).at != seat:
            clause = "OE-20" if animal == OX else "OE-7"
            return refuse("not_holding", clause, say=f"not_holding_{animal}", player=state.players[seat])
    return None


def _animal_barred(state: State, _seat: int, cards: Sequence[str]) -> Refusal | None:
    animal: Animal | None = next((one for one in ANIMALS if one in cards), None)
    if animal is None:
        return None
    if state.phase != "lead":
        clause = _animal_clause(OX if OX in (animal, state.kind) else animal)
        return refuse("animal_barred", clause, say=f"{animal}_follows")
    if len(cards) != 1:
        return refuse("animal_barred", _animal_clause(animal), say=f"{animal}_not_alone")
    if state.tricks_to_wait(animal):
        clause = "OE-20" if state.ox_variant else "OE-8"
        free = state.beast(animal).free_from
        return refuse("animal_barred", clause, say=f"{animal}_too_early", free=free, now=state.trick)
    return None


def _not_a_set(_state: State, _seat: int, cards: Sequence[str]) -> Refusal | None:
    if _is_animal_lead(cards) or is_set(cards):
        return None
    if not cards:
        return refuse("not_a_set", "OE-4", say="no_cards")
    return refuse("not_a_set", "OE-4", cards=card_words(set(cards)))


def _wrong_count(state: State, _seat: int, cards: Sequence[str]) -> Refusal | None:
    if state.kind in ANIMALS and len(cards) != 1:
        return refuse("wrong_count", _animal_clause(state.kind), say="one_card", count=len(cards))
    if state.to_beat is not None and len(cards) != state.to_beat[0]:
        return refuse("wrong_count", "OE-4", count=len(cards), wanted=state.to_beat[0])
    return None


def _too_low(state: State, _seat: int, cards: Sequence[str]) -> Refusal | None:
    if state.to_beat is None or set_value(cards) > state.to_beat[1]:
        return None
    value, beaten = set_value(cards), state.to_beat[1]
    if beaten == 14:
        return refuse("too_low", "OE-5", say="jokers_alone")
    return refuse("too_low", "OE-4", value=value, to_beat=beaten)


def _not_enough(state: State, seat: int, cards: Sequence[str]) -> Refusal | None:
    if _is_animal_lead(cards) or len(cards) <= state.cards[seat]:
        return None
    player = state.players[seat]
    return refuse("not_enough_cards", "OE-4", player=player, count=len(cards), hand=state.cards[seat])


def _impossible(state: State, _seat: int, cards: Sequence[str]) -> Refusal | None:
    card = beyond_deck(DECK, cards, *state.open_cards())
    if card is None:
        return None
    shown = sum(row.count(card) for row in state.open_cards())
    word, copies = card_word(card), DECK[card]
    return refuse(
        "impossible_cards", "OE-1", card=word, copies=copies, shown=shown, count=list(cards).count(card)
    )


def _miscounted(state: State, seat: int, cards: Sequence[str]) -> Refusal | None:
    if len(cards) == state.hand(seat):
        return None
    return refuse("bad_count", "OE-9", player=state.players[seat], count=len(cards), hand=state.hand(seat))


def _animals_differ(state: State, seat: int, cards: Sequence[str]) -> Refusal | None:
    for animal in ANIMALS:
        shown, held = cards.count(animal), int(state.beast(animal).at == seat)
        if shown != held:
            say = f"not_holding_{animal}" if shown > held else f"{animal}_missing"
            return refuse("not_holding", "OE-9", say=say, player=state.players[seat])
    return None


def _animal_clause(kind: Kind | None) -> str:
    """OE-7 is the donkey's trick, OE-21 the ox's, which keeps the donkey out as well."""
    return "OE-21" if kind == OX else "OE-7"


def _is_animal_lead(cards: Sequence[str]) -> bool:
    """Tell whether these are an animal alone; `_animal_barred` has found nothing against it."""
    return len(cards) == 1 and cards[0] in ANIMALS


_FAULTS: tuple[Fault, ...] = (
    _unknown,
    _not_holding,
    _animal_barred,
    _not_a_set,
    _wrong_count,
    _too_low,
    _not_enough,
    _impossible,
)
"""The order in which a play is checked: of several faults the first is named."""

_HAND_FAULTS: Mapping[bool, tuple[Fault, ...]] = {
    False: (_unknown, _miscounted, _animals_differ, _impossible),
    True: (_unknown, _impossible, hand_fault),
}
"""The order in which a hand that is left is checked; True: with `hands_only` (OE-12)."""

_RULES: Mapping[type[Request], Callable[[State, Any], Decision]] = {
    ask.Play: _play,
    ask.Pass: _pass,
    ask.Hand: _hand,
    ask.Pile: _pile,
}
