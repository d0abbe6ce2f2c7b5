"""Ascend at the real table: set-up steps, manual entries, the meaning of claims, and the places of
the cards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
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
)
from companion.games.ascend.combinations import fault, recognise
from companion.games.ascend.moves import (
    Exchanged,
    Out,
    Pass,
    Play,
    Promise,
    Promised,
    no_promise,
    untold,
    worths,
)
from companion.games.ascend.state import State
from companion.games.ascend.words import card_word, deal_word, rank_word
from companion.rules.claims import seat_zone
from companion.rules.common import deck_step, pressed, presses, short, strangers, upturned
from companion.rules.contract import (
    Choice,
    Claim,
    Doubt,
    Interpretation,
    Laid,
    Named,
    Open,
    Pick,
    Proposal,
    Request,
    Shortcut,
    Step,
    Text,
    parts,
)


def checklist(state: State) -> Sequence[Step]:
    """List the steps of the set-up (AS-1 to AS-3)."""
    return (
        deck_step(PREFIX, DECKS[state.deck], "AS-1"),
        Step(Text("step.deck", {"cards": len(DECKS[state.deck])}), "AS-1"),
        Step(Text("step.deal", {"player": state.players[state.dealer], "deal": deal_word(state)}), "AS-1"),
        Step(Text("step.exchange"), "AS-2"),
        Step(Text("step.first", {"player": state.players[state.leader]}), "AS-3"),
    )


def choices(state: State, player: str | None) -> Sequence[Choice]:
    """List what `player` (None: the table) can enter now; the cards of a play are picked."""
    if state.phase == "exchange":
        return [Choice(Text("choice.exchanged"), Exchanged(), "x")] if player is None else []
    if state.phase == "hands" and player in state.still_in:
        return [Choice(Text("choice.out", {"player": player}), Out(player), "o"), *_promised(state, player)]
    if state.phase != "play":
        return []
    own = [*_pass(state), _play(state), *_promise(state)]
    return [choice for choice in own if getattr(choice.request, "player", None) == player]


def _promised(state: State, player: str) -> list[Choice]:
    """Return the entries of a promise (AS-22, AS-30): `b` and the worth in two digits (`b07`)."""
    if untold(state) is not None:
        return []
    return [
        Choice(Text("choice.promised", {"player": player}, worth), Promised(player, worth), f"b{worth:02}")
        for worth in worths(state)
    ]


def _play(state: State) -> Choice:
    name = state.players[state.turn]
    least, most = state.sizes
    cards = tuple(state.unplayed())
    # By the card and not by its place in the list: keys stay the same while cards are played.
    keys = tuple(CARD_KEYS[card] for card in cards)
    pick = Pick(tuple((card, 1) for card in cards), least, most, keys=keys, likely=_likely(state))
    text = (
        Text("choice.lead", {"player": name})
        if state.trick is None
        else Text("choice.play", {"player": name}, least)
    )
    return Choice(text, Play(name, ()), "w", pick)


def _likely(state: State) -> tuple[Shortcut, ...]:
    """Return the usual plays (AS-10, AS-11), one card or cards of one rank. Their keys: the rank,
    the number of cards where a lead leaves that open, and which of them; keys that leave no choice
    are skipped."""
    trick, most, unplayed = state.trick, state.sizes[1], set(state.unplayed())
    found: list[Shortcut] = []
    # A hand too short for an answer can only pass.
    if state.sizes[0] > state.hands[state.turn]:
        return ()
    for key, rank in zip(RANK_KEYS, RANKS, strict=True):
        named = [card.name for card in CARDS.values() if RANKS[card.rank] == rank]
        counts = range(1, min(most, len(named)) + 1) if trick is None else (trick.last.count,)
        kinds = [(count, _alike(state, named, count, unplayed)) for count in counts]
        rows: list[Shortcut] = []
        for count, ways in kinds:
            several = Text("likely.count", n=count)
            # The count needs a key of its own only where the player may choose it.
            rows += ways if count == 1 or trick is not None else _shortest(str(count), several, ways)
        found += _shortest(key, rank_word(rank), rows)
    return tuple(found)


def _alike(state: State, named: Sequence[str], count: int, unplayed: Set[str]) -> list[Shortcut]:
    """List the ways to play `count` cards of one rank. Several cards get the key of that choice
    among all cards of the rank, which stays the same during the hand."""
    found: list[Shortcut] = []
    for number, cards in enumerate(combinations(named, count)):
        # Counted all the same (`number`), so that the other ways keep their keys.
        if not unplayed >= set(cards):
            continue
        combination = recognise([CARDS[card] for card in cards], state.bombs)
        if combination is None:
            continue
        if state.trick is None or fault(state.trick, combination, state.bomb_size) is None:
            key = CARD_KEYS[cards[0]][1:] if count == 1 else _NUMBERED[number]
            label = Text("likely.cards", {"cards": tuple(map(card_word, cards))})
            found.append(Shortcut(key, label, cards))
    return found


def _shortest(key: str, label: Text, then: Sequence[Shortcut]) -> list[Shortcut]:
    """Put these shortcuts behind one key; a single one gets that key directly."""
    if len(then) == 1:
        return [replace(then[0], key=key)]
    return [Shortcut(key, label, then=tuple(then))] if then else []


_NUMBERED = "123456789abcdefghijk"
"""The keys of the ways to choose some cards of a rank: three of six aces can be chosen in twenty
ways."""


def plays(state: State, request: Open, cards: Sequence[Named]) -> Iterable[tuple[Named, ...]]:
    """Generate the parts of these cards that may be combinations (AS-10 to AS-13): cards of one
    rank, of one suit that may be a run, and personalities."""
    least, most = state.sizes
    mine = [CARDS[card] for card in map(str, cards)]
    ranks = [[card for card in mine if card.rank == rank] for rank in sorted({card.rank for card in mine})]
    runs = [
        [card for card in mine if suit in card.suits and card.rank in (ACE, *range(TWO, NINE + 1))]
        for suit in SUITS
    ]
    # A play may come up in two groups (a card of one is in all): the caller removes doubles.
    for group in (*ranks, *runs, [card for card in mine if card.personality]):
        yield from parts([card.name for card in group], least, most)


def _pass(state: State) -> list[Choice]:
    if state.trick is None:
        return []
    name = state.players[state.turn]
    return [Choice(Text("choice.pass", {"player": name}), Pass(name), "p")]


def _promise(state: State) -> list[Choice]:
    if state.trick is None:
        return []
    # The player of the last combination, whose turn it is no longer.
    name = state.players[state.trick.seat]
    if no_promise(state, name) is not None:
        return []
    # The cards left now: this is what the promise will be worth.
    worth = state.hands[state.trick.seat]
    return [Choice(Text("choice.promise", {"player": name}, worth), Promise(name), "b")]


def interpret(state: State, claims: Sequence[Claim]) -> Sequence[Interpretation]:
    """Turn claims into requests.

    Cards turned up in the middle or before the player in turn are a combination; it is complete
    when it has as many cards as the last one, when the table has been still, or when that seat's
    accept button is pressed then. The refuse button passes; out of turn that is refused at once,
    and does not wait for a turn to come. Before the first lead any accept button says that cards
    were exchanged. A promise is said aloud and typed: a button pressed twice must not make one.
    AS-22: where only a hand's end is told, a seat's accept button says that its player is out.
    """
    deck = DECKS[state.deck]
    doubts: list[Interpretation] = list(strangers(claims, PREFIX, deck))
    if state.phase == "exchange":
        # All presses are used up: a second one must not count for what comes next.
        used = tuple(press for _, press in presses(claims, state.players, "accept"))
        return [*doubts, Proposal(Exchanged(), used)] if used else doubts
    if state.phase == "hands":
        # From any seat: the order of going out is just what is to be learnt.
        told = presses(claims, state.players, "accept")
        return [*doubts, *(Proposal(Out(one), (press,)) for one, press in told)]
    if state.phase != "play":
        return doubts
    lying = [claim for claim in upturned(claims, PREFIX) if short(claim) in deck and claim.zone != "pile"]
    return [*doubts, *_spent(state, lying), *_turn(state, claims, lying)]


def _spent(state: State, lying: Sequence[Claim]) -> list[Interpretation]:
    """Doubt cards of an earlier trick that are turned up again; those of this trick may lie
    there."""
    of_trick = () if state.trick is None else state.trick.cards
    return [
        Doubt(Text("doubt.card_spent", {"card": card_word(short(claim))}), (claim.id,), "AS-1")
        for claim in lying
        if short(claim) in state.spent and short(claim) not in of_trick
    ]


def _turn(state: State, claims: Sequence[Claim], lying: Sequence[Claim]) -> list[Interpretation]:
    name, seat = state.players[state.turn], state.turn + 1
    # Cards of this trick stay on the table and are no new play.
    fresh = [claim for claim in lying if short(claim) not in state.spent]
    mine = [claim for claim in fresh if claim.zone in ("middle", seat_zone(seat))]
    astray = tuple(claim.id for claim in fresh if claim not in mine)
    readings: list[Interpretation] = []
    if astray:
        readings.append(Doubt(Text("doubt.not_your_turn", {"player": name}), astray, "AS-4"))
    if mine:
        ids = tuple(claim.id for claim in mine)
        accepted = pressed(claims, seat, "accept")
        if accepted is not None and accepted.id > max(ids):  # pressed after the cards were laid
            ids = (*ids, accepted.id)
            complete = True
        else:
            complete = state.trick is not None and len(mine) >= state.sizes[1]
        readings.append(Proposal(Play(name, tuple(map(short, mine))), ids, growing=not complete))
        return readings
    passes = presses(claims, state.players, "refuse")
    return [*readings, *(Proposal(Pass(one), (press,)) for one, press in passes)]


def layout(state: State) -> Mapping[str, tuple[str, ...]]:
    """Return the cards that lie in the trick or were played in this hand; all others are
    unknown."""
    trick = frozenset() if state.trick is None else frozenset(state.trick.cards)
    places = {"trick": trick, "played": {*state.spent} - trick}
    return {place: tuple(sorted(PREFIX + card for card in cards)) for place, cards in places.items() if cards}


def lying(state: State) -> Sequence[Laid]:
    """List the last combination of the trick, which the next one must beat (AS-4)."""
    trick = state.trick
    if trick is None:
        return ()
    # Only the last play: the cards below it no longer matter.
    return (Laid(state.players[trick.seat], trick.cards[-trick.last.count :], leads=True),)


def harmless(state: State) -> Request | None:
    """Return a pass when a turn takes too long; only the leader can choose a lead."""
    if state.phase != "play" or state.trick is None:
        return None
    return Pass(state.players[state.turn])
