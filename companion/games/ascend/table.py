"""Ascend at the real table: set-up steps, manual entries, the meaning of claims, and the places of
the cards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations

from msgspec.structs import replace

from companion.games.ascend.cards import (
    ACE,
    CARD_KEYS,
    CARDS,
    DECKS,
    NINE,
    PREFIX,
    RANK_KEYS,
    RANKS,
    SUITS,
    TWO,
    Deck,
)
from companion.games.ascend.combinations import find_play_fault, recognise_combination
from companion.games.ascend.moves import (
    Exchanged,
    Out,
    Pass,
    Play,
    Promise,
    Promised,
    find_promise_obstacle,
    find_promise_report_obstacle,
    list_promise_worths,
)
from companion.games.ascend.state import State
from companion.games.ascend.words import describe_card, describe_deal, describe_rank
from companion.rules.claims import (
    build_deck_step,
    doubt_foreign_cards,
    find_press,
    format_card_name,
    format_seat_zone,
    list_presses,
    list_upturned,
)
from companion.rules.contract import (
    Choice,
    Claim,
    Doubt,
    Interpretation,
    Named,
    OpenRequest,
    Pick,
    Proposal,
    Request,
    SetupStep,
    Shortcut,
    Text,
    VisibleCards,
    generate_card_subsets,
)


def list_setup_steps(state: State) -> Sequence[SetupStep]:
    """List the steps of the set-up (AS-1 to AS-3)."""
    return (
        build_deck_step(PREFIX, DECKS[state.setup.options["deck"]], "AS-1"),
        SetupStep(Text("step.deck", {"cards": len(DECKS[state.setup.options["deck"]])}), "AS-1"),
        SetupStep(
            Text("step.deal", {"player": state.players[state.dealer], "deal": describe_deal(state)}), "AS-1"
        ),
        SetupStep(Text("step.exchange"), "AS-2"),
        SetupStep(Text("step.first", {"player": state.players[state.leader]}), "AS-3"),
    )


def list_choices(state: State, player: str | None) -> Sequence[Choice]:
    """List what `player` (None: the table) can enter now; the cards of a play are picked."""
    if state.phase == "exchange":
        return [Choice(Text("choice.exchanged"), Exchanged(), "x")] if player is None else []
    if state.phase == "hands" and player in state.players_with_cards:
        return [
            _build_out_choice(player),
            *_list_promise_report_choices(state, player),
        ]
    if state.phase != "play":
        return []
    play = _build_play_choice(state, state.players[state.turn])
    own = [*_list_pass_choices(state), play, *_list_promise_choices(state)]
    return [choice for choice in own if getattr(choice.request, "player", None) == player]


def list_attempts(state: State, player: str | None) -> Sequence[Choice]:
    """List what `player` may type now, whether or not AS-4 to AS-30 allow it: a pass, any cards of
    the deck, a promise."""
    if player is None:
        return []
    if state.phase == "hands":
        return [
            _build_out_choice(player),
            *(_build_promise_report_choice(player, worth) for worth in range(100)),
        ]
    if state.phase != "play":
        return []
    return [
        _build_pass_choice(player),
        _build_play_choice(state, player),
        _build_promise_choice(state, state.players.index(player)),
    ]


def _build_out_choice(player: str) -> Choice:
    return Choice(Text("choice.out", {"player": player}), Out(player), "o")


def _list_promise_report_choices(state: State, player: str) -> list[Choice]:
    """Return the entries of a promise (AS-22, AS-30): `b` and the worth in two digits (`b07`)."""
    if find_promise_report_obstacle(state) is not None:
        return []
    return [_build_promise_report_choice(player, worth) for worth in list_promise_worths(state)]


def _build_promise_report_choice(player: str, worth: int) -> Choice:
    return Choice(Text("choice.promised", {"player": player}, worth), Promised(player, worth), f"b{worth:02}")


def _build_play_choice(state: State, name: str) -> Choice:
    least, most = state.play_sizes
    cards = tuple(state.list_unplayed_cards())
    # By the card and not by its place in the list: keys stay the same while cards are played.
    keys = tuple(CARD_KEYS[card] for card in cards)
    pick = Pick(
        tuple((card, 1) for card in cards),
        least,
        most,
        keys=keys,
        likely=_list_play_shortcuts(state),
        others=tuple(
            (card, CARD_KEYS[card]) for card in DECKS[state.setup.options["deck"]] if card not in cards
        ),
        attempts=_list_shapes(
            state.setup.options["deck"], None if state.trick is None else state.trick.last.count
        ),
    )
    text = (
        Text("choice.lead", {"player": name})
        if state.trick is None
        else Text("choice.play", {"player": name}, least)
    )
    return Choice(text, Play(name, ()), "w", pick)


def _list_play_shortcuts(state: State) -> tuple[Shortcut, ...]:
    """Return the usual plays (AS-10, AS-11) that are possible now."""
    trick, most, unplayed = state.trick, state.play_sizes[1], set(state.list_unplayed_cards())
    # A hand too short for an answer can only pass.
    if state.play_sizes[0] > state.hands[state.turn]:
        return ()

    def is_possible(cards: Sequence[str]) -> bool:
        # The rules would refuse these as well, but each would cost them a comparison.
        if len(cards) > most or not unplayed.issuperset(cards):
            return False
        combination = recognise_combination([CARDS[card] for card in cards], state.setup.options["bombs"])
        if combination is None or trick is None:
            return combination is not None
        return find_play_fault(trick, combination, state.setup.options["bomb_size"]) is None

    shapes = _list_shapes(state.setup.options["deck"], None if trick is None else trick.last.count)
    return tuple(_filter_shortcuts(shapes, is_possible))


def _filter_shortcuts(
    shortcuts: Sequence[Shortcut], is_possible: Callable[[Sequence[str]], bool]
) -> Iterator[Shortcut]:
    """Generate the part of these shortcuts that is possible; every key stays what it was."""
    for one in shortcuts:
        then = tuple(_filter_shortcuts(one.then, is_possible))
        if then or (one.cards and is_possible(one.cards)):
            yield replace(one, then=then)


@lru_cache(maxsize=16)
def _list_shapes(deck: Deck, count: int | None) -> tuple[Shortcut, ...]:
    """List one card and cards of one rank, `count` of them, None: as many as one likes.

    Their keys: the rank, the number of cards where a lead leaves that open, and which of them. They
    depend on the deck and the trick only: if a key were skipped because one card is left, the rest
    of what a player types for another card would be taken for the next entry.
    """
    found: list[Shortcut] = []
    for key, rank in zip(RANK_KEYS, RANKS, strict=True):
        named = [name for name, card in CARDS.items() if RANKS[card.rank] == rank and name in DECKS[deck]]
        rows: list[Shortcut] = []
        for number in range(1, len(named) + 1) if count is None else (count,):
            ways = _list_rank_shapes(named, number)
            several = Text("likely.count", n=number)
            # The count needs a key of its own only where the player may choose it.
            rows += ways if number == 1 or count is not None else _group_shortcuts(str(number), several, ways)
        found += _group_shortcuts(key, describe_rank(rank), rows)
    return tuple(found)


def _list_rank_shapes(rank_cards: Sequence[str], count: int) -> list[Shortcut]:
    """List the ways to choose `count` cards of one rank."""
    return [
        Shortcut(
            CARD_KEYS[cards[0]][1:] if count == 1 else _NUMBERED[number],
            Text("likely.cards", {"cards": tuple(map(describe_card, cards))}),
            cards,
        )
        for number, cards in enumerate(combinations(rank_cards, count))
    ]


def _group_shortcuts(key: str, label: Text, then: Sequence[Shortcut]) -> list[Shortcut]:
    """Put these shortcuts behind one key; a single one gets that key directly."""
    if len(then) == 1:
        return [replace(then[0], key=key)]
    return [Shortcut(key, label, then=tuple(then))] if then else []


_NUMBERED = "123456789abcdefghijk"
"""The keys of the ways to choose some cards of a rank: three of six aces can be chosen in twenty
ways."""


def generate_plays(state: State, request: OpenRequest, cards: Sequence[Named]) -> Iterable[tuple[Named, ...]]:
    """Generate the parts of these cards that may be combinations (AS-10 to AS-13): cards of one
    rank, of one suit that may be a run, and personalities."""
    least, most = state.play_sizes
    mine = [CARDS[card] for card in map(str, cards)]
    ranks = [[card for card in mine if card.rank == rank] for rank in sorted({card.rank for card in mine})]
    runs = [
        [card for card in mine if suit in card.suits and card.rank in (ACE, *range(TWO, NINE + 1))]
        for suit in SUITS
    ]
    # A play may come up in two groups (a card of one is in all): the caller removes doubles.
    for group in (*ranks, *runs, [card for card in mine if card.personality]):
        yield from generate_card_subsets([card.name for card in group], least, most)


def _list_pass_choices(state: State) -> list[Choice]:
    if state.trick is None:
        return []
    return [_build_pass_choice(state.players[state.turn])]


def _build_pass_choice(player: str) -> Choice:
    return Choice(Text("choice.pass", {"player": player}), Pass(player), "p")


def _list_promise_choices(state: State) -> list[Choice]:
    if state.trick is None:
        return []
    # The player of the last combination, whose turn it is no longer.
    name = state.players[state.trick.seat]
    if find_promise_obstacle(state, name) is not None:
        return []
    return [_build_promise_choice(state, state.trick.seat)]


def _build_promise_choice(state: State, seat: int) -> Choice:
    # The cards left now: this is what the promise will be worth.
    name, worth = state.players[seat], state.hands[seat]
    return Choice(Text("choice.promise", {"player": name}, worth), Promise(name), "b")


def interpret_claims(state: State, claims: Sequence[Claim]) -> Sequence[Interpretation]:
    """Turn claims into requests.

    Cards turned up in the middle or before the player in turn are a combination; it is complete
    when it has as many cards as the last one, when the table has been still, or when that seat's
    accept button is pressed then. The refuse button passes; out of turn that is refused at once,
    and does not wait for a turn to come. Before the first lead any accept button says that cards
    were exchanged. A promise is said aloud and typed: a button pressed twice must not make one.
    AS-22: where only a hand's end is told, a seat's accept button says that its player is out.
    """
    deck = DECKS[state.setup.options["deck"]]
    doubts: list[Interpretation] = list(doubt_foreign_cards(claims, PREFIX, deck))
    if state.phase == "exchange":
        # All presses are used up: a second one must not count for what comes next.
        used = tuple(press for _, press in list_presses(claims, state.players, "accept"))
        return [*doubts, Proposal(Exchanged(), used)] if used else doubts
    if state.phase == "hands":
        # From any seat: the order of going out is just what is to be learnt.
        accept_presses = list_presses(claims, state.players, "accept")
        return [*doubts, *(Proposal(Out(one), (press,)) for one, press in accept_presses)]
    if state.phase != "play":
        return doubts
    card_claims = [
        claim
        for claim in list_upturned(claims, PREFIX)
        if format_card_name(claim) in deck and claim.zone != "pile"
    ]
    return [*doubts, *_doubt_spent_cards(state, card_claims), *_interpret_turn(state, claims, card_claims)]


def _doubt_spent_cards(state: State, card_claims: Sequence[Claim]) -> list[Interpretation]:
    """Doubt cards of an earlier trick that are turned up again; those of this trick may lie
    there."""
    of_trick = () if state.trick is None else state.trick.cards
    return [
        Doubt(Text("doubt.card_spent", {"card": describe_card(format_card_name(claim))}), (claim.id,), "AS-1")
        for claim in card_claims
        if format_card_name(claim) in state.spent and format_card_name(claim) not in of_trick
    ]


def _interpret_turn(
    state: State, claims: Sequence[Claim], card_claims: Sequence[Claim]
) -> list[Interpretation]:
    name, seat = state.players[state.turn], state.turn + 1
    # Cards of this trick stay on the table and are no new play.
    fresh = [claim for claim in card_claims if format_card_name(claim) not in state.spent]
    mine = [claim for claim in fresh if claim.zone in ("middle", format_seat_zone(seat))]
    astray = tuple(claim.id for claim in fresh if claim not in mine)
    readings: list[Interpretation] = []
    if astray:
        readings.append(Doubt(Text("doubt.not_your_turn", {"player": name}), astray, "AS-4"))
    if mine:
        ids = tuple(claim.id for claim in mine)
        accepted = find_press(claims, seat, "accept")
        if accepted is not None and accepted.id > max(ids):  # pressed after the cards were laid
            ids = (*ids, accepted.id)
            complete = True
        else:
            complete = state.trick is not None and len(mine) >= state.play_sizes[1]
        readings.append(Proposal(Play(name, tuple(map(format_card_name, mine))), ids, growing=not complete))
        return readings
    passes = list_presses(claims, state.players, "refuse")
    return [*readings, *(Proposal(Pass(one), (press,)) for one, press in passes)]


def layout_cards(state: State) -> Mapping[str, tuple[str, ...]]:
    """Return the cards that lie in the trick or were played in this hand; all others are
    unknown."""
    trick = frozenset() if state.trick is None else frozenset(state.trick.cards)
    places = {"trick": trick, "played": {*state.spent} - trick}
    return {place: tuple(sorted(PREFIX + card for card in cards)) for place, cards in places.items() if cards}


def list_visible_cards(state: State) -> Sequence[VisibleCards]:
    """List the last combination of the trick, which the next one must beat (AS-4)."""
    trick = state.trick
    if trick is None:
        return ()
    # Only the last play: the cards below it no longer matter.
    return (VisibleCards(state.players[trick.seat], trick.cards[-trick.last.count :], leads=True),)


def default_request(state: State) -> Request | None:
    """Return a pass when a turn takes too long; only the leader can choose a lead."""
    if state.phase != "play" or state.trick is None:
        return None
    return Pass(state.players[state.turn])
