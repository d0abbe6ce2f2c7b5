"""Simulated players of Ascend: they lead their longest low combination, answer as low as they can,
and keep bombs for a short hand."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from companion.demo.actions import Gesture, HandPlayers, Hands, PlayerAction
from companion.games.ascend import moves as ask
from companion.games.ascend import moves as fact
from companion.games.ascend.cards import ACE, CARDS, CROWN, DECKS, NINE, PREFIX, RANKS, SUITS, TWO, hand_size
from companion.games.ascend.combinations import Bombs, Combination, Trick, fault, followed, led, recognise
from companion.rules.acts import Act
from companion.rules.claims import seat_zone
from companion.rules.contract import Request, Setup, View

LONG_RUN = NINE - TWO + 1


class _Table(Hands):
    """The real cards after the acts so far, and the trick as the players see it."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
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

    def exchanged(self, _event: fact.CardsExchanged) -> None:
        count = len(self.players)
        # All give at once: the gifts are chosen before any card changes hands.
        given = [gifts(tuple(hand)) for hand in self.hands]
        for seat, (to_left, to_right) in enumerate(given):
            for card, to in ((to_left, seat + 1), (to_right, seat - 1)):
                self.hands[seat].remove(card)
                self.hands[to % count].append(card)

    def played(self, event: fact.CombinationPlayed) -> None:
        seat = self.seat(event.player)
        self.leave(event.player, event.cards)
        combination = recognise([CARDS[card] for card in event.cards], self.setup.options["bombs"])
        assert combination is not None
        self.trick = (
            led(combination, seat, event.cards)
            if self.trick is None
            else followed(self.trick, combination, seat, event.cards)
        )
        self.tidy = False

    def went_out(self, event: fact.PlayerWentOut) -> None:
        """Empty the player's hand, which was played without the companion (AS-22)."""
        self.hands[self.seat(event.player)] = []

    def trick_ended(self, _event: fact.TrickEnded) -> None:
        self.trick, self.tidy = None, True

    def hand_began(self, event: fact.HandBegan) -> None:
        self.deal(event.hand_number)
        self.tidy = True

    moves = {
        fact.CardsExchanged: exchanged,
        fact.CombinationPlayed: played,
        fact.PlayerWentOut: went_out,
        fact.TrickEnded: trick_ended,
        fact.HandBegan: hand_began,
    }


@lru_cache(maxsize=64)  # the real cards are followed from the deal at every turn, the exchange with them
def gifts(hand: tuple[str, ...]) -> tuple[str, str]:
    """Choose the two cards to give away: the lowest that belong to no run or set."""
    useful = {card for play in longest(hand) for card in play}
    order = sorted(hand, key=lambda card: (card in useful, CARDS[card].rank, card))
    return order[0], order[1]


def longest(hand: Sequence[str], reading: Bombs = "any") -> list[tuple[str, ...]]:
    """List the runs and sets in `hand`, the longest first, then the lowest."""
    found = [*runs(hand), *sets(hand, reading)]
    return sorted(found, key=lambda play: (-len(play), _combination(play, reading).rank, play))


def runs(hand: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Generate the runs: for each suit one card per rank, with and without its ace, and all their
    parts."""
    for suit in SUITS:
        row: dict[int, str] = {}
        # Plain cards first: a personality is kept for a bomb where another card of its rank will
        # do.
        for card in sorted(hand, key=lambda card: (CARDS[card].personality, card)):
            if suit in CARDS[card].suits and TWO <= CARDS[card].rank <= NINE:
                row.setdefault(CARDS[card].rank, card)
        ranks = sorted(row)
        # An ace may go on top, below or into a gap: `recognise` decides where.
        aces = [card for card in hand if CARDS[card].rank == ACE and suit in CARDS[card].suits]
        for first in range(len(ranks)):
            # Two ranks at least: with an ace they may be a run.
            for last in range(first + 2, len(ranks) + 1):
                stretch = tuple(row[rank] for rank in ranks[first:last])
                for play in (stretch, (*stretch, *aces)):
                    combination = recognise([CARDS[card] for card in play]) if len(play) <= LONG_RUN else None
                    if combination is not None and combination.kind == "run":
                        yield play


def sets(hand: Sequence[str], reading: Bombs) -> Iterator[tuple[str, ...]]:
    """Generate every set."""
    for rank in range(ACE, CROWN):
        same = sorted(card for card in hand if CARDS[card].rank == rank)
        for count in range(2, len(same) + 1):
            for play in combinations(same, count):
                if _combination(play, reading).kind == "set":
                    yield play


def bombs(hand: Sequence[str], count: int, reading: Bombs) -> Iterator[tuple[str, ...]]:
    """Generate every bomb of `count` cards, and every set that personalities make instead."""
    for play in combinations(sorted(card for card in hand if CARDS[card].personality), count):
        if recognise([CARDS[card] for card in play], reading) is not None:
            yield play


def _combination(play: Sequence[str], reading: Bombs) -> Combination:
    found = recognise([CARDS[card] for card in play], reading)
    assert found is not None, play
    return found


def lead(hand: Sequence[str], reading: Bombs = "any") -> tuple[str, ...]:
    """Choose a lead: the whole hand if it is one combination, else the longest, else the lowest
    card."""
    if recognise([CARDS[card] for card in hand], reading) is not None:
        return tuple(hand)
    found = longest(hand, reading)
    return found[0] if found else (min(hand, key=lambda card: (CARDS[card].rank, card)),)


def answer(hand: Sequence[str], trick: Trick, reading: Bombs = "any") -> tuple[str, ...] | None:
    """Choose the lowest answer to a trick; a bomb only if it leaves the hand short. None: pass."""
    count = trick.last.count
    plain = [(card,) for card in sorted(hand)] if count == 1 else [*runs(hand), *sets(hand, reading)]
    # A bomb is kept until it nearly empties the hand.
    short = bombs(hand, count, reading) if count > 1 and len(hand) <= count + 4 else ()
    fits = [
        play
        for play in (*plain, *short)
        if len(play) == count and fault(trick, _combination(play, reading)) is None
    ]
    return min(
        fits,
        key=lambda play: (
            # Bombs last: any other answer comes before them.
            _combination(play, reading).kind == "bomb",
            _combination(play, reading).rank,
            play,
        ),
        default=None,
    )


class Players(HandPlayers[_Table]):
    """All players of one game of Ascend. See `companion.demo.actions.SimulatedPlayers`."""

    cards = _Table
    prefix = PREFIX

    def turn(self, table: _Table, acts: Sequence[Act], view: View) -> PlayerAction:
        """Exchange, promise, play or pass; with `hands_only` enter a random next player to go out
        (AS-22)."""
        if view["phase"] == "hands":
            return self._told(view, self.setup.rng("demo", "ascend", "out", len(acts)))
        if view["phase"] == "exchange":
            return PlayerAction(
                None, ask.Exchanged(), (*_tidy(table), Gesture("press", "seat:1", "accept")), seen=True
            )
        # Before the turn: after the next play it would be too late (AS-30).
        promise = next((wait["player"] for wait in view["waiting_for"] if wait["do"] == "promise"), None)
        # By the number of acts: asked once more (`director.retraced`), a player does the same.
        rng = self.setup.rng("demo", "ascend", "promise", len(acts))
        if promise is not None and bold(table.hand(promise), rng):
            return PlayerAction(promise, ask.Promise(promise))
        return self._turn(table, view["waiting_for"][0]["player"])

    def _told(self, view: View, rng: random.Random) -> PlayerAction:
        player = rng.choice([name for name in self.setup.players if name not in view["order_out"]])
        if any(one["do"] == "promised" for one in view["waiting_for"]) and rng.random() < 0.3:
            return PlayerAction(player, ask.Promised(player, rng.randint(1, 6)))
        place = seat_zone(self.setup.players.index(player) + 1)
        return PlayerAction(player, ask.Out(player), (Gesture("press", place, "accept"),), seen=True)

    def action(self, acts: Sequence[Act], view: View, wish: Request) -> PlayerAction:
        """Return the gestures for a person's choice."""
        table = self.table(acts)
        match wish:
            case ask.Play(player, cards):
                return _played(table, player, cards)
            case ask.Pass(player):
                return _pass(table, player)
            case _:
                return super().action(acts, view, wish)

    def _turn(self, table: _Table, player: str) -> PlayerAction:
        hand, reading = table.hand(player), self.setup.options["bombs"]
        play = lead(hand, reading) if table.trick is None else answer(hand, table.trick, reading)
        if play is None:
            return _pass(table, player)
        return _played(table, player, play)

    def in_order(self, hand: Sequence[str]) -> Sequence[str]:
        """Sort a hand by rising rank."""
        return sorted(hand, key=lambda card: (CARDS[card].rank, card))

    def dealt(self, acts: Sequence[Act]) -> int:
        """Return the number of the act that dealt this hand; earlier acts do not matter, since all
        cards were dealt again."""
        last = range(len(acts) - 1, -1, -1)
        return next((at for at in last if isinstance(acts[at].events[-1], fact.HandBegan)), 0)


def _pass(table: _Table, player: str) -> PlayerAction:
    return PlayerAction(
        player, ask.Pass(player), (Gesture("press", table.zone(player), "refuse"),), seen=True
    )


def _played(table: _Table, player: str, play: tuple[str, ...]) -> PlayerAction:
    lay = tuple(Gesture("lay", "middle", f"{PREFIX}{card}") for card in play)
    done = (Gesture("press", table.zone(player), "accept"),) if table.trick is None else ()
    return PlayerAction(player, ask.Play(player, play), (*_tidy(table), *lay, *done), seen=True)


def _tidy(table: _Table) -> tuple[Gesture, ...]:
    return (Gesture("clear", "middle"),) if table.tidy else ()


def bold(hand: Sequence[str], rng: random.Random) -> bool:
    """Tell whether to promise: with a short hand that is one combination or high, by chance."""
    if recognise([CARDS[card] for card in hand]) is not None and len(hand) > 1:
        return rng.random() < 0.8
    high = sum(CARDS[card].rank >= len(RANKS) - 3 for card in hand)
    return len(hand) <= 6 and high * 2 >= len(hand) and rng.random() < 0.5
