"""Simulated players of Ascend: they lead their longest low combination, answer as low as they can, and keep bombs for a short hand."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from companion.demo.deeds import Deed, Gesture
from companion.demo.wishes import with_hand
from companion.rules.ascend import events as fact
from companion.rules.ascend import requests as ask
from companion.rules.ascend.cards import ACE, CARDS, CROWN, DECKS, NINE, PREFIX, RANKS, SUITS, TWO, hand_size
from companion.rules.ascend.combinations import Combination, recognise
from companion.rules.ascend.trick import Trick, fault, followed, led
from companion.rules.contract import Choice, Event, Request, Setup, View
from companion.rules.session import Act

LONG_RUN = NINE - TWO + 1


class _Table:
    """The real cards after the acts so far, and the trick as the players see it."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.players = setup.players
        self.hands: list[list[str]] = []
        self.trick: Trick | None = None
        self.tidy = False
        self.deal(1)

    def deal(self, number: int) -> None:
        """Deal hand `number`; a card left over is set aside unseen (AS-1)."""
        pack = list(DECKS[self.setup.options["deck"]])
        self.setup.rng("demo", "ascend", number).shuffle(pack)
        size = hand_size(self.setup.options["deck"], len(self.players))
        self.hands = [pack[size * seat : size * (seat + 1)] for seat in range(len(self.players))]
        self.trick = None

    def follow(self, event: Event) -> None:
        """Move the real cards as `event` says."""
        move = _MOVES.get(type(event))
        if move is not None:
            move(self, event)

    def exchanged(self, _event: fact.CardsExchanged) -> None:
        count = len(self.players)
        given = [gifts(hand) for hand in self.hands]
        for seat, (to_left, to_right) in enumerate(given):
            for card, to in ((to_left, seat + 1), (to_right, seat - 1)):
                self.hands[seat].remove(card)
                self.hands[to % count].append(card)

    def played(self, event: fact.CombinationPlayed) -> None:
        seat = self.players.index(event.player)
        hand = self.hands[seat]
        for card in event.cards:
            # A person at this seat may have named a card that this table did not deal: another one goes.
            hand.remove(card if card in hand else hand[0])
        combination = recognise([CARDS[card] for card in event.cards])
        assert combination is not None
        self.trick = (
            led(combination, seat, event.cards)
            if self.trick is None
            else followed(self.trick, combination, seat, event.cards)
        )
        self.tidy = False

    def trick_ended(self, _event: fact.TrickEnded) -> None:
        self.trick, self.tidy = None, True

    def hand_began(self, event: fact.HandBegan) -> None:
        self.deal(event.hand_number)
        self.tidy = True


_MOVES: Mapping[type[Event], Callable[[_Table, Any], None]] = {
    fact.CardsExchanged: _Table.exchanged,
    fact.CombinationPlayed: _Table.played,
    fact.TrickEnded: _Table.trick_ended,
    fact.HandBegan: _Table.hand_began,
}


def gifts(hand: Sequence[str]) -> tuple[str, str]:
    """Choose the two cards to give away: the lowest that belong to no run or set."""
    useful = {card for play in longest(hand) for card in play}
    order = sorted(hand, key=lambda card: (card in useful, CARDS[card].rank, card))
    return order[0], order[1]


def longest(hand: Sequence[str]) -> list[tuple[str, ...]]:
    """List the runs and sets in `hand`, the longest first, then the lowest."""
    found = [*runs(hand), *sets(hand)]
    return sorted(found, key=lambda play: (-len(play), _combination(play).rank, play))


def runs(hand: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Find runs: of each suit the first card of each rank, with and without its ace, every stretch that is a run."""
    for suit in SUITS:
        row: dict[int, str] = {}
        for card in sorted(hand, key=lambda card: (CARDS[card].personality, card)):
            if suit in CARDS[card].suits and TWO <= CARDS[card].rank <= NINE:
                row.setdefault(CARDS[card].rank, card)
        ranks = sorted(row)
        aces = [card for card in hand if CARDS[card].rank == ACE and suit in CARDS[card].suits]
        for first in range(len(ranks)):
            for last in range(first + 2, len(ranks) + 1):
                stretch = tuple(row[rank] for rank in ranks[first:last])
                for play in (stretch, (*stretch, *aces)):
                    combination = recognise([CARDS[card] for card in play]) if len(play) <= LONG_RUN else None
                    if combination is not None and combination.kind == "run":
                        yield play


def sets(hand: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Find every set."""
    for rank in range(ACE, CROWN):
        same = sorted(card for card in hand if CARDS[card].rank == rank)
        for count in range(2, len(same) + 1):
            for play in combinations(same, count):
                if _combination(play).kind == "set":
                    yield play


def bombs(hand: Sequence[str], count: int) -> Iterator[tuple[str, ...]]:
    """Find every bomb of so many cards."""
    yield from combinations(sorted(card for card in hand if CARDS[card].personality), count)


def _combination(play: Sequence[str]) -> Combination:
    found = recognise([CARDS[card] for card in play])
    assert found is not None, play
    return found


def lead(hand: Sequence[str]) -> tuple[str, ...]:
    """Choose a lead: the whole hand if it is one combination, else the longest and lowest, else the lowest card."""
    if recognise([CARDS[card] for card in hand]) is not None:
        return tuple(hand)
    found = longest(hand)
    return found[0] if found else (min(hand, key=lambda card: (CARDS[card].rank, card)),)


def answer(hand: Sequence[str], trick: Trick) -> tuple[str, ...] | None:
    """Choose the lowest answer to a trick; a bomb only from a hand that it leaves short. None: pass."""
    count = trick.last.count
    plain = [(card,) for card in sorted(hand)] if count == 1 else [*runs(hand), *sets(hand)]
    short = bombs(hand, count) if count > 1 and len(hand) <= count + 4 else ()
    fits = [
        play for play in (*plain, *short) if len(play) == count and fault(trick, _combination(play)) is None
    ]
    return min(
        fits,
        key=lambda play: (_combination(play).kind == "bomb", _combination(play).rank, play),
        default=None,
    )


class Players:
    """All players of one game of Ascend. See `companion.demo.deeds.Players`."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.chosen: dict[int, Request] = {}

    def next(self, acts: Sequence[Act], view: View) -> Deed | None:
        """Return the next deed, or None when the game is over."""
        if not view["waiting_for"]:
            return None
        table = self._table(acts)
        tidy = (Gesture("clear", "middle"),) if table.tidy else ()
        if view["phase"] == "exchange":
            return Deed(None, ask.Exchanged(), (*tidy, Gesture("press", "seat:1", "accept")), seen=True)
        promise = next((wait["player"] for wait in view["waiting_for"] if wait["do"] == "promise"), None)
        rng = self.setup.rng("demo", "ascend", "promise", len(acts))
        if promise is not None and bold(table.hands[self.setup.players.index(promise)], rng):
            return Deed(promise, ask.Promise(promise))
        return self._turn(table, view["waiting_for"][0]["player"], tidy)

    def hand(self, acts: Sequence[Act], player: str) -> tuple[str, ...]:
        """Return the card ids in `player`'s hand, ranks rising."""
        hand = self._table(acts).hands[self.setup.players.index(player)]
        return tuple(f"{PREFIX}{card}" for card in sorted(hand, key=lambda card: (CARDS[card].rank, card)))

    def wishes(
        self, acts: Sequence[Act], view: View, player: str, choices: Sequence[Choice]
    ) -> Sequence[Choice]:
        """Offer the menu, less what this hand cannot do. See `companion.demo.deeds.Players`."""
        return with_hand(choices, [card.removeprefix(PREFIX) for card in self.hand(acts, player)])

    def deed(self, acts: Sequence[Act], view: View, wish: Request) -> Deed:
        """Return what the hand does for a person's wish. See `companion.demo.deeds.Players`."""
        table = self._table(acts)
        match wish:
            case ask.Play(player, cards):
                return self._played(table, player, cards, (Gesture("clear", "middle"),) if table.tidy else ())
            case ask.Pass(player):
                return self._pass(player)
            case _:
                return Deed(getattr(wish, "player", None), wish)

    def _table(self, acts: Sequence[Act]) -> _Table:
        """Follow the acts of this hand: a hand is dealt anew, whatever came before."""
        dealt = (at for at in range(len(acts) - 1, -1, -1) if isinstance(acts[at].events[-1], fact.HandBegan))
        table = _Table(self.setup)
        for act in acts[next(dealt, 0) :]:
            for event in act.events:
                table.follow(event)
        return table

    def _turn(self, table: _Table, player: str, tidy: tuple[Gesture, ...]) -> Deed:
        seat = self.setup.players.index(player)
        hand = table.hands[seat]
        play = lead(hand) if table.trick is None else answer(hand, table.trick)
        if play is None:
            return self._pass(player)
        return self._played(table, player, play, tidy)

    def _pass(self, player: str) -> Deed:
        seat = self.setup.players.index(player)
        return Deed(player, ask.Pass(player), (Gesture("press", f"seat:{seat + 1}", "refuse"),), seen=True)

    def _played(self, table: _Table, player: str, play: tuple[str, ...], tidy: tuple[Gesture, ...]) -> Deed:
        seat = self.setup.players.index(player)
        lay = tuple(Gesture("lay", "middle", f"{PREFIX}{card}") for card in play)
        done = (Gesture("press", f"seat:{seat + 1}", "accept"),) if table.trick is None else ()
        return Deed(player, ask.Play(player, play), (*tidy, *lay, *done), seen=True)


def bold(hand: Sequence[str], rng: random.Random) -> bool:
    """Tell whether to promise: a short hand that is one combination, or high; now and then on a whim."""
    if recognise([CARDS[card] for card in hand]) is not None and len(hand) > 1:
        return rng.random() < 0.8
    high = sum(CARDS[card].rank >= len(RANKS) - 3 for card in hand)
    return len(hand) <= 6 and high * 2 >= len(hand) and rng.random() < 0.5
