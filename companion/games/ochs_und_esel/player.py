"""Simulated players of Ochs & Esel: they shed low cards in large sets, lead an animal when they
may, and duck in its trick.

Hands of which only the end is told (OE-12) they play among themselves, trick by trick.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from companion.demo.actions import Gesture, HandPlayers, Hands, PlayerAction
from companion.games.ochs_und_esel import moves as ask
from companion.games.ochs_und_esel import moves as fact
from companion.games.ochs_und_esel.cards import (
    ANIMALS,
    DECK,
    DONKEY,
    JOKER,
    OX,
    PREFIX,
    cards_to_deal,
    in_order,
    value_in_animal_trick,
)
from companion.games.ochs_und_esel.game import GAME
from companion.rules.acts import Act
from companion.rules.claims import seat_zone
from companion.rules.contract import Refusal, Request, Setup, View
from companion.rules.session import Session


class Ended(NamedTuple):
    """The end of a hand: the cards left with each player, the ox's trick by the player who took it,
    the penalties, and the leader of the next hand."""

    left: Mapping[str, tuple[str, ...]]
    piles: Mapping[str, tuple[str, ...]]
    penalties: Mapping[str, int]
    leader: str

    def told(self, view: View) -> ask.Hand | ask.Pile:
        """Return the next request that enters this end."""
        entry = view["waiting_for"][0]
        if entry["do"] == "hand":
            return ask.Hand(entry["player"], self.left[entry["player"]])
        [(player, cards)] = self.piles.items()
        return ask.Pile(player, cards)


def played(setup: Setup, number: int, leader: str) -> Ended:
    """Play hand `number` of `setup` to its end. `leader` leads it and holds the donkey, unless that
    lies in the middle (OE-3, OE-10)."""
    first = setup.players.index(leader)
    # A game of its own with the leader first: the rules begin with the first player, who has the
    # donkey.
    alone = Setup(
        setup.game,
        (*setup.players[first:], *setup.players[:first]),
        {**setup.options, "hands_only": False, "rounds": 1},
        setup.rng("demo", "ochs_und_esel", "hand", number).getrandbits(32),
    )
    players, session = Players(alone), Session(GAME, alone)
    while (action := players.next(session.acts(), session.view())) is not None:
        refusal = session.act(action.request)
        assert not isinstance(refusal, Refusal), refusal
    score = session.state.scores[-1]
    return Ended(
        dict(zip(alone.players, score.left, strict=True)),
        {name: cards for name, cards in zip(alone.players, score.piles, strict=True) if OX in cards},
        dict(zip(alone.players, session.state.points, strict=True)),
        alone.players[session.state.leader],
    )


class _Table(Hands):
    """The real cards after the acts so far."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.variant = bool(setup.options["ox"])
        self.size = setup.options["deal"] or cards_to_deal(len(setup.players))
        self.keeper: int | None = None if self.variant else 0
        self.fresh: list[Gesture] = []
        """The gestures for past events that no hand has made yet."""
        self.deal(1)

    def deal(self, number: int) -> None:
        """Deal hand `number`; the donkey goes to its keeper, or both animals into the middle."""
        pack = [card for card, copies in DECK.items() if card not in ANIMALS for _ in range(copies)]
        self.setup.rng("demo", "ochs_und_esel", number).shuffle(pack)
        seats = range(len(self.players))
        self.hands = [pack[self.size * seat : self.size * (seat + 1)] for seat in seats]
        self.fresh = [Gesture("clear", seat_zone(seat + 1)) for seat in seats]
        if self.variant:
            self.fresh += [Gesture("clear", "middle")]
            self.fresh += [Gesture("lay", "middle", f"{PREFIX}{animal}") for animal in ANIMALS]
        elif self.keeper is not None:
            self.hands[self.keeper].append(DONKEY)

    def cards_played(self, event: fact.CardsPlayed) -> None:
        self.fresh = []
        self.leave(event.player, event.cards, kept=ANIMALS)

    def trick_ended(self, event: fact.TrickEnded) -> None:
        self.fresh = [Gesture("clear", seat_zone(seat + 1)) for seat in range(len(self.players))]
        # They are in the winner's hand then; the donkey follows by its own event.
        if event.trick_kind == DONKEY:
            back = [card for card in event.cards if card != DONKEY]
            self.hands[self.seat(event.winner)] += back

    def animal_taken(self, event: fact.AnimalTaken) -> None:
        seat = self.seat(event.player)
        self.hands[seat].append(event.animal)
        if event.animal == DONKEY:
            self.keeper = seat
        # Taken from the middle (OE-20), in the first two tricks; later from another trick's cards.
        if self.variant and event.free_from <= 4:
            self.fresh.append(Gesture("take", "middle", f"{PREFIX}{event.animal}"))

    def hand_began(self, event: fact.HandBegan) -> None:
        self.deal(event.hand_number)

    moves = {
        fact.CardsPlayed: cards_played,
        fact.TrickEnded: trick_ended,
        fact.AnimalTaken: animal_taken,
        fact.HandBegan: hand_began,
    }


class Players(HandPlayers[_Table]):
    """All players of one game of Ochs & Esel. See `companion.demo.actions.SimulatedPlayers`."""

    cards = _Table
    prefix = PREFIX

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self._unheard: dict[tuple[int, str], Ended] = {}
        """The hands played so far without the companion (OE-12), by number and leader."""

    def ended(self, number: int, leader: str) -> Ended:
        """Play hand `number` among the players, without the companion (OE-12)."""
        key = (number, leader)
        # Remembered: the same hand is asked for at each of its players' turns.
        if key not in self._unheard:
            self._unheard[key] = played(self.setup, number, leader)
        return self._unheard[key]

    def turn(self, table: _Table, acts: Sequence[Act], view: View) -> PlayerAction:
        """Lay out the hand at its end, play, or pass; or enter what is left."""
        if self.setup.options["hands_only"]:
            request = self.ended(view["hand_number"], view["leader"]).told(view)
            return PlayerAction(request.player, request)
        # By the number of acts: asked once more (`director.retraced`), a player does the same.
        rng = self.setup.rng("demo", "ochs_und_esel", "act", len(acts))
        entry = view["waiting_for"][0]
        player = entry["player"]
        hand = table.hand(player)
        if entry["do"] == "hand":
            return self._action(table, ask.Hand(player, in_order(hand)))
        cards = () if entry["do"] == "pass" else choose(hand, view, player, rng)
        return self._action(table, ask.Play(player, cards) if cards else ask.Pass(player))

    def _action(self, table: _Table, request: ask.Hand | ask.Play | ask.Pass) -> PlayerAction:
        if isinstance(request, ask.Pass):
            return PlayerAction(request.player, request, tuple(table.fresh))
        zone = table.zone(request.player)
        # A hand is laid out in place of the cards of the last trick, unless these are cleared
        # anyway.
        shown = isinstance(request, ask.Hand) and not table.fresh
        tidy = [Gesture("clear", zone)] if shown else table.fresh
        laid = [Gesture("lay", zone, f"{PREFIX}{card}") for card in request.cards]
        return PlayerAction(request.player, request, (*tidy, *laid), seen=True)

    def in_order(self, hand: Sequence[str]) -> Sequence[str]:
        """Sort a hand in the order of the rules: rising values, then jokers and animals."""
        return in_order(hand)

    def action(self, acts: Sequence[Act], view: View, wish: Request) -> PlayerAction:
        """Return the gestures for a person's choice."""
        assert isinstance(wish, ask.Hand | ask.Play | ask.Pass)
        return self._action(self.table(acts), wish)


def choose(hand: Sequence[str], view: View, player: str, rng: random.Random) -> tuple[str, ...]:
    """Choose the cards to play; () for a pass."""
    plain = in_order(card for card in hand if card not in ANIMALS)
    if view["phase"] == "lead":
        return _lead(plain, view, player)
    if view["trick_kind"] in ANIMALS:
        return (_duck(plain, view),)
    return _beat(plain, view["to_beat"], rng)


def _lead(plain: Sequence[str], view: View, player: str) -> tuple[str, ...]:
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


def _duck(plain: Sequence[str], view: View) -> str:
    """Play the highest card that does not take the animal, or the lowest of all."""
    highest = max(value_in_animal_trick(card) for play in view["plays"] for card in play["cards"])
    by_value = sorted(plain, key=value_in_animal_trick)
    below = [card for card in by_value if value_in_animal_trick(card) < highest]
    return below[-1] if below else by_value[0]


def _beat(plain: Sequence[str], to_beat: View, rng: random.Random) -> tuple[str, ...]:
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
