"""Simulated players of Ochs & Esel: they shed low cards in large sets, lead an animal when they
may, and duck in its trick.

Hands of which only the end is told (OE-12) they play among themselves, trick by trick.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from companion.demo.actions import DealtHands, Gesture, HandPlayers, PlayerAction
from companion.games.ochs_und_esel import moves as ask
from companion.games.ochs_und_esel import moves as fact
from companion.games.ochs_und_esel.cards import (
    ANIMALS,
    DECK,
    DONKEY,
    JOKER,
    OX,
    PREFIX,
    animal_trick_value,
    compute_hand_size,
    sort_cards,
)
from companion.games.ochs_und_esel.game import GAME
from companion.rules.acts import Act
from companion.rules.claims import format_seat_zone
from companion.rules.contract import Refusal, Request, Setup, View
from companion.rules.session import Session


class FinishedHand(NamedTuple):
    """The end of a hand: the cards left with each player, the ox's trick by the player who took it,
    the penalties, and the leader of the next hand."""

    left: Mapping[str, tuple[str, ...]]
    piles: Mapping[str, tuple[str, ...]]
    penalties: Mapping[str, int]
    leader: str

    def build_next_report(self, view: View) -> ask.Hand | ask.Pile:
        """Return the next request that enters this end."""
        entry = view["waiting_for"][0]
        if entry["do"] == "hand":
            return ask.Hand(entry["player"], self.left[entry["player"]])
        [(player, cards)] = self.piles.items()
        return ask.Pile(player, cards)


def simulate_hand(setup: Setup, number: int, leader: str) -> FinishedHand:
    """Play hand `number` of `setup` to its end. `leader` leads it and holds the donkey, unless that
    lies in the middle (OE-3, OE-10)."""
    first = setup.players.index(leader)
    # A game of its own with the leader first: the rules begin with the first player, who has the
    # donkey.
    alone = Setup(
        setup.game,
        (*setup.players[first:], *setup.players[:first]),
        {**setup.options, "hands_only": False, "rounds": 1},
        setup.make_rng("demo", "ochs_und_esel", "hand", number).getrandbits(32),
    )
    players, session = Players(alone), Session(GAME, alone)
    while (action := players.next_action(session.list_acts(), session.view())) is not None:
        refusal = session.act(action.request)
        assert not isinstance(refusal, Refusal), refusal
    score = session.state.scores[-1]
    return FinishedHand(
        dict(zip(alone.players, score.left, strict=True)),
        {name: cards for name, cards in zip(alone.players, score.piles, strict=True) if OX in cards},
        dict(zip(alone.players, session.state.points, strict=True)),
        alone.players[session.state.leader],
    )


class RealCards(DealtHands):
    """The real cards after the acts so far."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.variant = bool(setup.options["ox"])
        self.size = setup.options["deal"] or compute_hand_size(len(setup.players))
        self.keeper: int | None = None if self.variant else 0
        self.fresh: list[Gesture] = []
        """The gestures for past events that no hand has made yet."""
        self.deal_hands(1)

    def deal_hands(self, number: int) -> None:
        """Deal hand `number`; the donkey goes to its keeper, or both animals into the middle."""
        pack = [card for card, copies in DECK.items() if card not in ANIMALS for _ in range(copies)]
        self.setup.make_rng("demo", "ochs_und_esel", number).shuffle(pack)
        seats = range(len(self.players))
        self.hands = [pack[self.size * seat : self.size * (seat + 1)] for seat in seats]
        self.fresh = [Gesture("clear", format_seat_zone(seat + 1)) for seat in seats]
        if self.variant:
            self.fresh += [Gesture("clear", "middle")]
            self.fresh += [Gesture("lay", "middle", f"{PREFIX}{animal}") for animal in ANIMALS]
        elif self.keeper is not None:
            self.hands[self.keeper].append(DONKEY)

    def _on_cards_played(self, event: fact.CardsPlayed) -> None:
        self.fresh = []
        self.remove_cards(event.player, event.cards, excluded=ANIMALS)

    def _on_trick_ended(self, event: fact.TrickEnded) -> None:
        self.fresh = [Gesture("clear", format_seat_zone(seat + 1)) for seat in range(len(self.players))]
        # They are in the winner's hand then; the donkey follows by its own event.
        if event.trick_kind == DONKEY:
            back = [card for card in event.cards if card != DONKEY]
            self.hands[self.find_seat_index(event.winner)] += back

    def _on_animal_taken(self, event: fact.AnimalTaken) -> None:
        seat = self.find_seat_index(event.player)
        self.hands[seat].append(event.animal)
        if event.animal == DONKEY:
            self.keeper = seat
        # Taken from the middle (OE-20), in the first two tricks; later from another trick's cards.
        if self.variant and event.free_from <= 4:
            self.fresh.append(Gesture("take", "middle", f"{PREFIX}{event.animal}"))

    def _on_hand_began(self, event: fact.HandBegan) -> None:
        self.deal_hands(event.hand_number)

    moves = {
        fact.CardsPlayed: _on_cards_played,
        fact.TrickEnded: _on_trick_ended,
        fact.AnimalTaken: _on_animal_taken,
        fact.HandBegan: _on_hand_began,
    }


class Players(HandPlayers[RealCards]):
    """All players of one game of Ochs & Esel. See `companion.demo.actions.SimulatedPlayers`."""

    cards = RealCards
    prefix = PREFIX

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self._unheard: dict[tuple[int, str], FinishedHand] = {}
        """The hands played so far without the companion (OE-12), by number and leader."""

    def finish_unseen_hand(self, number: int, leader: str) -> FinishedHand:
        """Play hand `number` among the players, without the companion (OE-12)."""
        key = (number, leader)
        # Remembered: the same hand is asked for at each of its players' turns.
        if key not in self._unheard:
            self._unheard[key] = simulate_hand(self.setup, number, leader)
        return self._unheard[key]

    def choose_action(self, table: RealCards, acts: Sequence[Act], view: View) -> PlayerAction:
        """Lay out the hand at its end, play, or pass; or enter what is left."""
        if self.setup.options["hands_only"]:
            request = self.finish_unseen_hand(view["hand_number"], view["leader"]).build_next_report(view)
            return PlayerAction(request.player, request)
        # By the number of acts: asked once more (`director.retrace_gestures`), a player does the
        # same.
        rng = self.setup.make_rng("demo", "ochs_und_esel", "act", len(acts))
        entry = view["waiting_for"][0]
        player = entry["player"]
        hand = table.find_hand(player)
        if entry["do"] == "hand":
            return self._build_action(table, ask.Hand(player, sort_cards(hand)))
        cards = () if entry["do"] == "pass" else choose_play(hand, view, player, rng)
        return self._build_action(table, ask.Play(player, cards) if cards else ask.Pass(player))

    def _build_action(self, table: RealCards, request: ask.Hand | ask.Play | ask.Pass) -> PlayerAction:
        if isinstance(request, ask.Pass):
            return PlayerAction(request.player, request, tuple(table.fresh))
        zone = table.find_zone(request.player)
        # A hand is laid out in place of the cards of the last trick, unless these are cleared
        # anyway.
        shown = isinstance(request, ask.Hand) and not table.fresh
        tidy = [Gesture("clear", zone)] if shown else table.fresh
        laid = [Gesture("lay", zone, f"{PREFIX}{card}") for card in request.cards]
        return PlayerAction(request.player, request, (*tidy, *laid), seen_by_readers=True)

    def sort_hand(self, hand: Sequence[str]) -> Sequence[str]:
        """Sort a hand in the order of the rules: rising values, then jokers and animals."""
        return sort_cards(hand)

    def plan_action(self, acts: Sequence[Act], view: View, wish: Request) -> PlayerAction:
        """Return the gestures for a person's choice."""
        assert isinstance(wish, ask.Hand | ask.Play | ask.Pass)
        return self._build_action(self.rebuild_table(acts), wish)


def choose_play(hand: Sequence[str], view: View, player: str, rng: random.Random) -> tuple[str, ...]:
    """Choose the cards to play; () for a pass."""
    plain = sort_cards(card for card in hand if card not in ANIMALS)
    if view["phase"] == "lead":
        return _choose_lead(plain, view, player)
    if view["trick_kind"] in ANIMALS:
        return (_choose_duck(plain, view),)
    return _choose_answer(plain, view["to_beat"], rng)


def _choose_lead(plain: Sequence[str], view: View, player: str) -> tuple[str, ...]:
    """Lead an animal if it may be led, else the largest set; of equal ones the lowest."""
    for animal in (OX, DONKEY):
        if view[animal] == player and view[f"{animal}_free_in"] == 0:
            return (animal,)
    sets = Counter(card for card in plain if card != JOKER)
    if not sets:
        return tuple(plain)
    card, count = max(sets.items(), key=lambda entry: (entry[1], -int(entry[0])))
    jokers = plain.count(JOKER) if len(sets) == 1 else 0
    return (card,) * count + (JOKER,) * jokers


def _choose_duck(plain: Sequence[str], view: View) -> str:
    """Play the highest card that does not take the animal, or the lowest of all."""
    highest = max(animal_trick_value(card) for play in view["plays"] for card in play["cards"])
    by_value = sorted(plain, key=animal_trick_value)
    below = [card for card in by_value if animal_trick_value(card) < highest]
    return below[-1] if below else by_value[0]


def _choose_answer(plain: Sequence[str], to_beat: View, rng: random.Random) -> tuple[str, ...]:
    """Beat the trick with the lowest set, replacing at most one card by a joker; sometimes keep the
    cards."""
    count: int = to_beat["count"]
    value: int = to_beat["value"]
    jokers = plain.count(JOKER)
    for spare in range(min(jokers, 1) + 1):
        for card in dict.fromkeys(plain):
            if card == JOKER or int(card) <= value or plain.count(card) < count - spare:
                continue
            if rng.random() < 0.9 and count > spare:
                return (card,) * (count - spare) + (JOKER,) * spare
    few = len(plain) <= 2 * count
    return (JOKER,) * count if few and value < 14 and jokers >= count else ()
