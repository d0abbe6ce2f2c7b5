"""Ochs & Esel by its rules: the phases, the requests of players, and the events.

Everything that moves the game is here. `PHASES` lists the phases and the event that follows in each
without a request. A request returns what it leads to (`decide`), an event changes the state
(`apply`) and is described (`describe`). The checks of cards, which several requests share, stand at
the end; each is a function that returns a refusal or None, and a table lists them in the order in
which they are applied.

With `hands_only` (OE-12) players play without the companion and enter only the cards that are left.
Every hand then begins in the phase `hands`, and the only checks are those that follow from the
deal: no more cards than were dealt, somebody without cards, and the animals in a hand or a pile.
The last player to enter must make up for what the others left open.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from companion.games.ochs_und_esel.cards import (
    ANIMALS,
    DECK,
    DONKEY,
    JOKER,
    NUMBERS,
    OX,
    Animal,
    Kind,
    compute_hand_penalty,
    compute_pile_penalty,
    compute_set_value,
    find_animal,
    is_set,
)
from companion.games.ochs_und_esel.state import (
    MIDDLE,
    Beast,
    FinishedTrick,
    Score,
    State,
    TrickPlay,
    deal_next_hand,
)
from companion.games.ochs_und_esel.words import (
    describe_awaited,
    describe_card,
    describe_cards,
    describe_trick_end,
    describe_winners,
)
from companion.rules.contract import Decision, Event, Phase, Refusal, Request, Text, refuse, replace_at_seat
from companion.rules.deck_checks import find_excess_card, find_unknown_card

_TAKEN_FROM_MIDDLE: Mapping[int, Animal] = {1: OX, 2: DONKEY}
"""OE-20: the trick whose winner takes the animal from the middle, by its number."""


def _event_after_trick(state: State) -> Event | None:
    """Let the winner take the animal (OE-7, OE-8, OE-20); then end the hand if a player has no card
    left (OE-9)."""
    last, number = state.last_trick, state.tricks_done
    if state.plays or not number or last is None:
        return None
    winner, middle = state.players[last.winner], _TAKEN_FROM_MIDDLE.get(number)
    # Two tricks later at the earliest: the holder waits for one trick (OE-8).
    if last.kind == DONKEY and state.donkey.at is None:
        return AnimalTaken(winner, DONKEY, number + 2)
    if middle is not None and state.beast_of(middle).at == MIDDLE:
        return AnimalTaken(winner, middle, number + 2)
    # Somebody always has cards to count: the donkey is in a hand, or the ox has just been taken
    # from the middle.
    holding = tuple(name for seat, name in enumerate(state.players) if state.count_hand(seat))
    if len(holding) == len(state.players):
        return None
    return HandEnded(state.hand_number, holding, state.players[state.next_leader])


def _event_after_play(state: State) -> Event | None:
    """End the trick when everybody has acted once (OE-6)."""
    if len(state.plays) < len(state.players):
        return None
    cards = tuple(card for play in state.plays for card in play.cards)
    assert state.kind is not None, "somebody led: two animals cannot bar three players (OE-11)"
    return TrickEnded(state.trick_number, state.kind, state.players[state.trick_winner], cards)


def _event_after_count(state: State) -> Event | None:
    """Score the hand when all cards are counted (OE-9); then begin the next hand (OE-10, OE-22) or
    end the game."""
    if state.list_unreported_seats() or state.is_pile_awaited():
        return None
    if len(state.scores) < state.hand_number:
        rows = zip(state.counted, state.piles, strict=True)
        penalties = tuple(
            compute_hand_penalty(left or ()) + compute_pile_penalty(pile) for left, pile in rows
        )
        return HandScored(state.hand_number, penalties)
    if state.hand_number < state.setup.options["rounds"]:
        return HandBegan(state.hand_number + 1, state.players[state.leader])
    return GameEnded(state.points)


PHASES = {
    "lead": Phase("OE-4", then=_event_after_trick),
    "follow": Phase("OE-4", then=_event_after_play),
    "hands": Phase("OE-9", then=_event_after_count),
    "game_over": Phase("OE-9"),
}


# ---- a trick (OE-4 to OE-8, OE-11, OE-20) ----


class Play(Request):
    """OE-4, OE-7: play cards: names `1` to `13`, `joker`, `donkey`, `ox`."""

    phase = "lead", "follow"
    player: str
    cards: tuple[str, ...]

    def decide(self, state: State) -> Decision:
        """Check the cards (OE-1 to OE-8, OE-20); of several faults the first is reported."""
        refusal = _find_first_refusal(_PLAY_FAULTS, state, state.turn, self.cards)
        return refusal or CardsPlayed(
            self.player, self.cards, state.kind or find_animal(self.cards) or "normal"
        )


class CardsPlayed(Event):
    """OE-4, OE-7: cards were played. `trick_kind` is the kind of the trick they belong to."""

    player: str
    cards: tuple[str, ...]
    trick_kind: Kind

    def apply(self, state: State) -> State:
        seat, cards = state.players.index(self.player), self.cards
        plays = (*state.plays, TrickPlay(seat, cards))
        state = replace(state, phase="follow", kind=self.trick_kind, plays=plays)
        # In its own trick an animal is nobody's (`Beast()`), and does not count as one of the
        # cards.
        if cards[0] in ANIMALS:
            return replace(state, **{cards[0]: Beast()})
        hands = replace_at_seat(state.cards, seat, state.cards[seat] - len(cards))
        to_beat = (len(cards), compute_set_value(cards)) if self.trick_kind == "normal" else None
        return replace(state, cards=hands, to_beat=to_beat)

    def describe(self, state: State) -> Text:
        animal = find_animal(self.cards)
        if animal is not None:
            return Text(f"said.leads_{animal}", {"player": self.player})
        led = sum(bool(play.cards) for play in state.plays) == 1
        words = {"player": self.player, "cards": describe_cards(self.cards)}
        return Text("said.lead" if led else "said.play", words)


class Pass(Request):
    """OE-4, OE-11: play nothing in this trick."""

    phase, is_pass = ("lead", "follow"), True
    player: str

    def decide(self, state: State) -> Decision:
        """Check the pass: a leader must play (OE-4), unless they may lead nothing, in which case
        the left neighbour leads (OE-11); in an animal's trick everybody who can must play (OE-7,
        OE-21)."""
        if state.phase == "lead":
            if not state.cannot_lead():
                return refuse("must_play", "OE-4", message="must_lead", player=self.player)
            heir = state.players[(state.turn + 1) % len(state.players)]
            return PlayerPassed(self.player, heir)
        if state.kind != "normal" and not state.has_only_animals(state.turn):
            clause, say = _find_animal_clause(state.kind), f"must_play_{state.kind}"
            return refuse("must_play", clause, message=say, player=self.player)
        return PlayerPassed(self.player, None)


class PlayerPassed(Event):
    """OE-4, OE-11: the player played nothing. `leader`: the player who leads instead, if this one
    should have led."""

    player: str
    leader: str | None

    def apply(self, state: State) -> State:
        leader = state.leader if self.leader is None else state.players.index(self.leader)
        passed = TrickPlay(state.players.index(self.player), ())
        return replace(state, leader=leader, plays=(*state.plays, passed))

    def describe(self, state: State) -> Text:
        if self.leader is not None:
            return Text("said.hands_on", {"player": self.player, "leader": self.leader})
        return Text("said.pass", {"player": self.player})


class TrickEnded(Event):
    """OE-6, OE-7, OE-21: everybody has acted; `cards` are out of the hand's play.

    After a donkey trick they are in the winner's hand instead, after an ox trick in front of the
    winner.
    """

    trick: int
    trick_kind: Kind
    winner: str
    cards: tuple[str, ...]

    def apply(self, state: State) -> State:
        winner = state.players.index(self.winner)
        state = replace(
            state,
            phase="lead",
            leader=winner,
            kind=None,
            plays=(),
            to_beat=None,
            tricks_done=self.trick,
            last_trick=FinishedTrick(self.trick, self.trick_kind, winner, state.plays),
        )
        match self.trick_kind:
            case "normal":
                return replace(state, gone=(*state.gone, *self.cards))
            case "donkey":
                # The animals are kept apart from the counted cards (`Beast`).
                back = sum(card != DONKEY for card in self.cards)
                return replace(state, cards=replace_at_seat(state.cards, winner, state.cards[winner] + back))
            case "ox":
                return replace(state, piles=replace_at_seat(state.piles, winner, self.cards))

    def describe(self, state: State) -> Text:
        return describe_trick_end(state)


class AnimalTaken(Event):
    """OE-7, OE-8, OE-20: the player took the animal into their hand, and may lead it from trick
    `free_from` on."""

    player: str
    animal: Animal
    free_from: int

    def apply(self, state: State) -> State:
        beast = Beast(state.players.index(self.player), self.free_from)
        return replace(state, ox=beast) if self.animal == OX else replace(state, donkey=beast)

    def describe(self, state: State) -> Text:
        return Text(f"said.takes_{self.animal}", {"player": self.player, "free": self.free_from})


# ---- the hand is counted (OE-9, OE-12, OE-21, OE-22) ----


class HandEnded(Event):
    """OE-9: a player has no card left; the hands of `players` are laid out and counted. `leader`
    leads the next hand, if there is one."""

    hand_number: int
    players: tuple[str, ...]
    leader: str

    def apply(self, state: State) -> State:
        counted = tuple(None if name in self.players else () for name in state.players)
        return replace(state, phase="hands", leader=state.players.index(self.leader), counted=counted)

    def describe(self, state: State) -> Text:
        return Text("said.hand_ended", {"hand": self.hand_number, "players": self.players})


class Hand(Request):
    """OE-9: the cards left in a player's hand, laid out at the end of the hand."""

    phase, in_turn = "hands", False
    player: str
    cards: tuple[str, ...]

    def decide(self, state: State) -> Decision:
        """Accept one hand from everybody who has cards left (OE-9); with `hands_only` from
        everybody (OE-12)."""
        seat = state.players.index(self.player)
        # A followed hand knows who has run out; otherwise an empty hand must be entered, too.
        if state.count_hand(seat) == 0 and not state.setup.options["hands_only"]:
            return refuse("not_your_turn", "OE-9", message="nothing_to_count", player=self.player)
        if state.counted[seat] is not None:
            return refuse("already_done", "OE-9", player=self.player, awaited=describe_awaited(state))
        refusal = _find_first_refusal(
            _HAND_FAULTS[state.setup.options["hands_only"]], state, seat, self.cards
        )
        return refusal or HandCounted(self.player, self.cards)


class HandCounted(Event):
    """OE-9: the cards that the player had left."""

    player: str
    cards: tuple[str, ...]

    def apply(self, state: State) -> State:
        seat = state.players.index(self.player)
        state = replace(state, counted=replace_at_seat(state.counted, seat, self.cards))
        return self._apply_reported_hand(state, seat) if state.setup.options["hands_only"] else state

    def _apply_reported_hand(self, state: State, seat: int) -> State:
        """Take the entered cards as the player's hand, of which only the deal was known (OE-12)."""
        plain = sum(card not in ANIMALS for card in self.cards)
        animals = {
            animal: Beast(seat) if animal in self.cards else Beast()
            for animal in ANIMALS
            if animal in self.cards or state.beast_of(animal).at == seat
        }
        return replace(state, cards=replace_at_seat(state.cards, seat, plain), **animals)

    def describe(self, state: State) -> Text:
        cards, points = describe_cards(self.cards), compute_hand_penalty(self.cards)
        args = {"player": self.player, "cards": cards, "points": points}
        return Text("said.counted", args, points) if cards else Text("said.counted_none", args)


class Pile(Request):
    """OE-12, OE-21: the cards of the ox trick, ox included, in front of the player who took them;
    only with `hands_only`."""

    phase, in_turn = "hands", False
    player: str
    cards: tuple[str, ...]

    def decide(self, state: State) -> Decision:
        """Accept the pile once all hands are entered, if none of them holds the ox (OE-12)."""
        if not state.is_pile_awaited():
            return refuse("wrong_phase", awaited=describe_awaited(state))
        refusal = _find_first_refusal(_PILE_FAULTS, state, state.players.index(self.player), self.cards)
        return refusal or PileCounted(self.player, self.cards)


class PileCounted(Event):
    """OE-12, OE-21: the ox trick's cards in front of the player, entered at the end of a hand of
    which nothing else is known."""

    player: str
    cards: tuple[str, ...]

    def apply(self, state: State) -> State:
        piles = replace_at_seat(state.piles, state.players.index(self.player), self.cards)
        return replace(state, piles=piles, ox=Beast())

    def describe(self, state: State) -> Text:
        points = compute_pile_penalty(self.cards)
        args = {"player": self.player, "cards": describe_cards(self.cards), "points": points}
        return Text("said.pile", args, points)


class HandScored(Event):
    """OE-9, OE-21, OE-22: the hand's penalties, by seat, are added to the points."""

    hand_number: int
    penalties: tuple[int, ...]

    def apply(self, state: State) -> State:
        score = Score(tuple(cards or () for cards in state.counted), state.piles)
        points = tuple(map(sum, zip(state.points, self.penalties, strict=True)))
        # Otherwise the leader was fixed when the hand ended, before the cards were counted.
        leader = state.next_leader if state.setup.options["hands_only"] else state.leader
        return replace(state, points=points, scores=(*state.scores, score), leader=leader)

    def describe(self, state: State) -> Text:
        rows = zip(state.players, self.penalties, strict=True)
        scores = {name: penalty for name, penalty in rows if penalty}
        return Text("said.scored", {"hand": self.hand_number, "scores": scores})


# ---- the next hand, or the end (OE-2, OE-9, OE-10) ----


class HandBegan(Event):
    """OE-2, OE-10, OE-22: the next hand was dealt; `leader` leads it."""

    hand_number: int
    leader: str

    def apply(self, state: State) -> State:
        return deal_next_hand(replace(state, leader=state.players.index(self.leader)))

    def describe(self, state: State) -> Text:
        dealt = {"dealer": state.players[state.dealer], "deal": state.deal, "aside": state.undealt_count}
        return Text("said.hand_began", {"hand": self.hand_number, "leader": self.leader, **dealt})


class GameEnded(Event):
    """OE-9: the last hand is counted."""

    points: tuple[int, ...]

    def apply(self, state: State) -> State:
        return replace(state, phase="game_over")

    def describe(self, state: State) -> Text:
        return describe_winners(state)


# ---- what cards can be played, or be left ----


Fault: TypeAlias = "Callable[[State, int, Sequence[str]], Refusal | None]"
"""Return why these cards cannot be played by a seat, or be left in its hand; None if they can."""


def _find_first_refusal(
    faults: Sequence[Fault], state: State, seat: int, cards: Sequence[str]
) -> Refusal | None:
    return next((found for one in faults if (found := one(state, seat, cards)) is not None), None)


def _check_known_cards(_state: State, _seat: int, cards: Sequence[str]) -> Refusal | None:
    # First: the other checks look the cards up by their names.
    card = find_unknown_card(DECK, cards)
    return (
        None
        if card is None
        else refuse("unknown_card", "OE-1", card=card[:20], least=NUMBERS[0], most=NUMBERS[-1])
    )


def _check_animal_held(state: State, seat: int, cards: Sequence[str]) -> Refusal | None:
    for animal in ANIMALS:
        # An animal's holder is known to everybody.
        if animal in cards and state.beast_of(animal).at != seat:
            clause = "OE-20" if animal == OX else "OE-7"
            return refuse("not_holding", clause, message=f"not_holding_{animal}", player=state.players[seat])
    return None


def _check_animal_lead(state: State, _seat: int, cards: Sequence[str]) -> Refusal | None:
    animal = find_animal(cards)
    if animal is None:
        return None
    if state.phase != "lead":
        # An ox on either side decides: its trick keeps the donkey out (OE-21).
        clause = _find_animal_clause(OX if OX in (animal, state.kind) else animal)
        return refuse("animal_barred", clause, message=f"{animal}_follows")
    if len(cards) != 1:
        return refuse("animal_barred", _find_animal_clause(animal), message=f"{animal}_not_alone")
    if state.count_tricks_to_wait(animal):
        clause = "OE-20" if state.setup.options["ox"] else "OE-8"
        free = state.beast_of(animal).free_from
        return refuse(
            "animal_barred", clause, message=f"{animal}_too_early", free=free, now=state.trick_number
        )
    return None


def _check_set(_state: State, _seat: int, cards: Sequence[str]) -> Refusal | None:
    if _is_animal_lead(cards) or is_set(cards):
        return None
    if not cards:
        return refuse("not_a_set", "OE-4", message="no_cards")
    return refuse("not_a_set", "OE-4", cards=describe_cards(set(cards)))


def _check_card_count(state: State, _seat: int, cards: Sequence[str]) -> Refusal | None:
    if state.kind in ANIMALS and len(cards) != 1:
        return refuse("wrong_count", _find_animal_clause(state.kind), message="one_card", count=len(cards))
    if state.to_beat is not None and len(cards) != state.to_beat[0]:
        return refuse("wrong_count", "OE-4", count=len(cards), wanted=state.to_beat[0])
    return None


def _check_beats_trick(state: State, _seat: int, cards: Sequence[str]) -> Refusal | None:
    if state.to_beat is None or compute_set_value(cards) > state.to_beat[1]:
        return None
    value, beaten = compute_set_value(cards), state.to_beat[1]
    # Jokers alone: no play at all would do (OE-5).
    if beaten == 14:
        return refuse("too_low", "OE-5", message="jokers_alone")
    return refuse("too_low", "OE-4", value=value, to_beat=beaten)


def _check_hand_size(state: State, seat: int, cards: Sequence[str]) -> Refusal | None:
    if _is_animal_lead(cards) or len(cards) <= state.cards[seat]:
        return None
    player = state.players[seat]
    return refuse("not_enough_cards", "OE-4", player=player, count=len(cards), hand=state.cards[seat])


def _check_copies(state: State, _seat: int, cards: Sequence[str]) -> Refusal | None:
    card = find_excess_card(DECK, cards, *state.list_open_cards())
    if card is None:
        return None
    shown = sum(row.count(card) for row in state.list_open_cards())
    word, copies = describe_card(card), DECK[card]
    return refuse(
        "impossible_cards", "OE-1", card=word, copies=copies, shown=shown, count=list(cards).count(card)
    )


def _check_counted_hand(state: State, seat: int, cards: Sequence[str]) -> Refusal | None:
    if len(cards) == state.count_hand(seat):
        return None
    return refuse(
        "bad_count", "OE-9", player=state.players[seat], count=len(cards), hand=state.count_hand(seat)
    )


def _check_counted_animals(state: State, seat: int, cards: Sequence[str]) -> Refusal | None:
    for animal in ANIMALS:
        shown, held = cards.count(animal), int(state.beast_of(animal).at == seat)
        if shown != held:
            say = f"not_holding_{animal}" if shown > held else f"{animal}_missing"
            return refuse("not_holding", "OE-9", message=say, player=state.players[seat])
    return None


def _find_animal_clause(kind: Kind | None) -> str:
    """Return the clause of the donkey's trick (OE-7), or of the ox's (OE-21), which keeps the
    donkey out as well."""
    return "OE-21" if kind == OX else "OE-7"


def _is_animal_lead(cards: Sequence[str]) -> bool:
    """Tell whether these cards are an animal alone; `_check_animal_lead` has checked that it may be
    led."""
    return len(cards) == 1 and cards[0] in ANIMALS


# ---- what can be left where a hand's end is all that is heard (OE-12): then it is all that can be
# checked ----


MOST_OF_ONE_VALUE = DECK[NUMBERS[0]] + DECK[JOKER]
"""The size of the largest possible play (OE-4, OE-5). Only with a deal no larger can a hand be over
after one trick, with the donkey still in the middle (OE-20)."""


def check_reported_hand(state: State, seat: int, cards: Sequence[str]) -> Refusal | None:
    """Return why `cards` cannot be left at `seat`, given the hands entered so far; None if they
    can."""
    return (
        _check_ox_in_play(state, cards)
        or _check_within_deal(state, seat, cards)
        or _check_hand_finished(state, seat, cards)
    )


def must_be_out(state: State, seat: int) -> bool:
    """Tell whether `seat` is the last to enter a hand, and all others have cards left (OE-9)."""
    return state.list_unreported_seats() == [seat] and () not in state.counted


def count_unreported_cards(state: State) -> int:
    """Return how many of the dealt numbers and jokers have not been entered yet (OE-2)."""
    told = sum(card not in ANIMALS for cards in state.list_open_cards() for card in cards)
    return state.deal * len(state.players) - told


def compute_pile_sizes(state: State) -> tuple[int, int]:
    """Return the fewest and the most cards of an ox trick (OE-21, OE-11): the ox and one from
    everybody else, except a player who holds only the donkey."""
    return len(state.players) - 1, len(state.players)


def check_reported_pile(state: State, seat: int, cards: Sequence[str]) -> Refusal | None:
    """Return why `cards` cannot be the ox's trick in front of `seat` (OE-21); None if they can."""
    player, (least, most) = state.players[seat], compute_pile_sizes(state)
    if OX not in cards:
        return refuse("not_holding", "OE-21", message="pile_without_ox", player=player)
    # The ox itself is not one of the dealt cards.
    if not least <= len(cards) <= most or len(cards) - 1 > count_unreported_cards(state):
        args = {"player": player, "count": len(cards), "least": least, "most": most}
        return refuse("bad_count", "OE-21", message="bad_pile", **args)
    return None


def _check_ox_in_play(state: State, cards: Sequence[str]) -> Refusal | None:
    if OX in cards and not state.setup.options["ox"]:
        return refuse("not_holding", "OE-20", message="ox_not_played")
    return None


def _check_within_deal(state: State, seat: int, cards: Sequence[str]) -> Refusal | None:
    """Refuse more cards than were dealt (OE-2), leaving room for an ox trick still to be entered
    (OE-21)."""
    # With this hand in its seat's place, as if it had been entered.
    told = [*(state.counted[:seat]), tuple(cards), *(state.counted[seat + 1 :])]
    pile = state.setup.options["ox"] and None not in told and not any(OX in row for row in told if row)
    free = count_unreported_cards(state) - (compute_pile_sizes(state)[0] - 1 if pile else 0)
    count = sum(card not in ANIMALS for card in cards)
    if count <= free:
        return None
    player = state.players[seat]
    return refuse("bad_count", "OE-2", message="beyond_deal", player=player, count=count, free=max(free, 0))


def _check_hand_finished(state: State, seat: int, cards: Sequence[str]) -> Refusal | None:
    """Refuse a hand after which the result would be impossible (OE-9): somebody must be out of
    cards, and an animal in a hand. Each can still come from a player who has not entered a hand."""
    told = [*(row for row in state.counted if row is not None), tuple(cards)]
    # Two things may be missing; every player still to enter can bring one of them.
    nobody_out = () not in told
    needed = ANIMALS if state.setup.options["ox"] and state.deal <= MOST_OF_ONE_VALUE else (DONKEY,)
    no_animal = not any(animal in row for animal in needed for row in told)
    others = len(state.list_unreported_seats()) - 1
    if nobody_out + no_animal <= others:
        return None
    player = state.players[seat]
    if no_animal:
        return refuse("not_holding", "OE-9", message=f"no_{'_or_'.join(needed)}", player=player)
    return refuse("bad_count", "OE-9", message="nobody_out", player=player)


_PLAY_FAULTS: tuple[Fault, ...] = (
    _check_known_cards,
    _check_animal_held,
    _check_animal_lead,
    _check_set,
    _check_card_count,
    _check_beats_trick,
    _check_hand_size,
    _check_copies,
)
"""The checks of a play, in order; the first fault is reported."""

_HAND_FAULTS: Mapping[bool, tuple[Fault, ...]] = {
    False: (_check_known_cards, _check_counted_hand, _check_counted_animals, _check_copies),
    True: (_check_known_cards, _check_copies, check_reported_hand),
}
"""The checks of a hand that is left, in order; True: with `hands_only` (OE-12)."""

_PILE_FAULTS: tuple[Fault, ...] = (_check_known_cards, check_reported_pile, _check_copies)
"""The checks of an ox trick entered at the end of a hand, in order (OE-12)."""
