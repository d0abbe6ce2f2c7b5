"""DTC at the real table: set-up steps, manual entries, the meaning of claims, and the places of the
cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion.games.dtc.moves import Accept, Challenge, Count, Offer, Reveal
from companion.games.dtc.state import (
    DECK,
    HAND,
    JOKER,
    PREFIX,
    SIZE,
    VALUES,
    State,
    beats_offer,
    describe_card,
    describe_offer,
)
from companion.rules.claims import (
    build_deck_step,
    doubt_foreign_cards,
    find_press,
    format_card_name,
    format_seat_zone,
    list_upturned,
)
from companion.rules.contract import (
    Choice,
    Claim,
    Doubt,
    Interpretation,
    Pick,
    Proposal,
    Request,
    SetupStep,
    Shortcut,
    Text,
    VisibleCards,
)
from companion.rules.deck_checks import find_excess_card


def list_setup_steps(state: State) -> Sequence[SetupStep]:
    """List the steps of the set-up (DTC-1, DTC-2)."""
    dealt = {"numbers": SIZE - DECK[JOKER], "jokers": DECK[JOKER], "hand": HAND}
    return (
        build_deck_step(PREFIX, DECK, "DTC-1"),
        SetupStep(Text("step.summaries"), "DTC-1"),
        SetupStep(Text("step.deal", dealt), "DTC-1"),
        SetupStep(Text("step.first", {"player": state.players[0]}), "DTC-2"),
    )


def list_choices(state: State, player: str | None) -> Sequence[Choice]:
    """List what `player`, or None the table, can enter. An offer's key: `34`, three fours."""
    if state.phase == "reveal":
        return [_build_reveal_choice(state)] if player is None else []
    if state.phase == "told":
        return _list_count_choices(state, player) if player is not None else []
    giver, challenger = state.players[state.giver], state.players[state.challenger]
    if state.phase == "offer":
        return _list_offer_choices(state) if player == giver else []
    if state.phase == "answer":
        return _list_answer_choices(state) if player == challenger else []
    return []


def _list_offer_choices(state: State) -> list[Choice]:
    name = state.players[state.giver]
    return [
        _build_offer_choice(name, count, value)
        for count in range(1, state.hands[state.giver] + 1)
        for value in VALUES
        if state.to_beat is None or beats_offer(count, value, *state.to_beat)
    ]


def _build_offer_choice(player: str, count: int, value: int) -> Choice:
    label = Text("choice.offer", {"player": player, "offer": describe_offer(count, value)})
    # Two digits of a count would begin like another offer's key.
    return Choice(label, Offer(player, count, value), f"{count}{value}" if count < 10 else "")


def list_attempts(state: State, player: str | None) -> Sequence[Choice]:
    """List what `player` may type now, whether or not DTC-3 to DTC-6 and DTC-11 allow it: any
    offer, either answer, any number of cards."""
    if player is None:
        return []
    match state.phase:
        case "offer":
            return [_build_offer_choice(player, count, value) for count in range(1, 10) for value in VALUES]
        case "answer":
            return _build_answer_choices(player)
        case "told":
            # All numbers of two digits: of 66 cards none can have more.
            return [_build_count_choice(player, count) for count in range(100)]
        case _:
            return []


def _list_answer_choices(state: State) -> list[Choice]:
    accept, challenge = _build_answer_choices(state.players[state.challenger])
    return [challenge] if state.must_challenge() else [accept, challenge]


def _build_answer_choices(player: str) -> list[Choice]:
    return [
        Choice(Text("choice.accept", {"player": player}), Accept(player), "a"),
        Choice(Text("choice.challenge", {"player": player}), Challenge(player), "c"),
    ]


def _list_count_choices(state: State, player: str) -> list[Choice]:
    """Return the entries of a number of cards (DTC-11), in two digits (`07`); for the last player
    exactly the cards that are left."""
    seat, free = state.players.index(player), state.unreported_card_count
    if seat not in state.unreported_seats:
        return []
    return [
        _build_count_choice(player, count)
        # The last number follows from the others.
        for count in range(free if state.unreported_seats == [seat] else 0, free + 1)
    ]


def _build_count_choice(player: str, count: int) -> Choice:
    return Choice(Text("choice.told", {"player": player}, count), Count(player, count), f"{count:02}")


def _build_reveal_choice(state: State) -> Choice:
    shown, count = state.count_revealed_cards(), state.pending_offer.count
    cards = tuple((card, copies - shown[card]) for card, copies in DECK.items() if copies > shown[card])
    # The digit of a value, `j` for a joker.
    keys = tuple(card[0] for card, _ in cards)
    named = str(state.pending_offer.value)
    true = Shortcut(
        "n",
        Text("likely.named", {"offer": describe_offer(count, state.pending_offer.value)}),
        (named,) * count,
    )
    # What was named is what is usually turned up.
    likely = (true,) if dict(cards).get(named, 0) >= count else ()
    others = tuple((card, card[0]) for card in DECK if card not in dict(cards))
    # What was named can be typed also where fewer are left than were named.
    pick = Pick(cards, count, count, keys=keys, likely=likely, others=others, attempts=(true,))
    return Choice(Text("choice.reveal", {}, count), Reveal(()), "r", pick)


def interpret_claims(state: State, claims: Sequence[Claim]) -> Sequence[Interpretation]:
    """Turn claims into answers and reveals.

    The challenger's buttons answer an offer; turning its cards up is a challenge too. In `reveal`
    the upturned cards are read as soon as all that were offered lie face up. Offers are said aloud,
    so face-down cards mean nothing.
    """
    doubts: list[Interpretation] = list(doubt_foreign_cards(claims, PREFIX, DECK))
    if state.phase == "answer":
        return [*doubts, *_interpret_answer(state, claims)]
    if state.phase == "reveal":
        return [*doubts, *_interpret_reveal(state, claims)]
    return doubts


def _list_offered_cards(state: State, claims: Sequence[Claim]) -> list[Claim]:
    """List the cards of the offer that were turned up: they slide from giver to challenger, so in
    front of either, or between."""
    zones = (format_seat_zone(state.giver + 1), format_seat_zone(state.challenger + 1), "middle")
    return [claim for claim in list_upturned(claims, PREFIX, zones) if format_card_name(claim) in DECK]


def _interpret_answer(state: State, claims: Sequence[Claim]) -> list[Interpretation]:
    name, seat = state.players[state.challenger], state.challenger + 1
    requests: Mapping[str, Request] = {"accept": Accept(name), "refuse": Challenge(name)}
    # A button says it without doubt, so it comes before the cards.
    for button, request in requests.items():
        press = find_press(claims, seat, button)
        if press is not None:
            return [Proposal(request, (press.id,))]
    if _list_offered_cards(state, claims):
        # Nothing is used up: the same cards are then the ones that are revealed.
        return [Proposal(Challenge(name), ())]
    return []


def _interpret_reveal(state: State, claims: Sequence[Claim]) -> list[Interpretation]:
    # Face-down cards may be part of the offer still: they are read when all are turned.
    card_claims = _list_offered_cards(state, claims)
    cards, ids = tuple(map(format_card_name, card_claims)), tuple(claim.id for claim in card_claims)
    count = state.pending_offer.count
    if len(cards) > count:
        return [Doubt(Text("doubt.too_many_up", {"offered": count}, len(cards)), ids, "DTC-3")]
    beyond = find_excess_card(DECK, state.count_revealed_cards().elements(), cards)
    if beyond is not None:
        text = Text("doubt.card_spent", {"card": describe_card(beyond), "copies": DECK[beyond]})
        return [
            Doubt(
                text, tuple(claim.id for claim in card_claims if format_card_name(claim) == beyond), "DTC-1"
            )
        ]
    return [Proposal(Reveal(cards), ids)] if len(cards) == count else []


def layout_cards(state: State) -> Mapping[str, tuple[str, ...]]:
    """Return the penalty pile of each card ever turned up; all others are unknown."""
    piles: dict[str, list[str]] = {}
    for challenge in state.challenges:
        piles.setdefault(f"{format_seat_zone(challenge.taker + 1)} penalty", []).extend(challenge.cards)
    return {place: tuple(sorted(f"{PREFIX}{card}" for card in cards)) for place, cards in piles.items()}


def list_visible_cards(state: State) -> Sequence[VisibleCards]:
    """List the offer (DTC-3), face down."""
    offer = state.offer
    return (
        () if offer is None else (VisibleCards(state.players[offer.giver], ("",) * offer.count, leads=True),)
    )


def default_request(state: State) -> Request | None:
    """Return a challenge when an answer takes too long; an offer can only be made by its giver."""
    return Challenge(state.players[state.challenger]) if state.phase == "answer" else None
