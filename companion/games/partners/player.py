"""Simulated players of Partners: they play the card that brings their team furthest, and give their
partner what the partner needs most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion.demo.actions import Gesture, HandPlayers, Hands, PlayerAction
from companion.games.partners import moves as ask
from companion.games.partners import moves as fact
from companion.games.partners.board import INNER, OUTER, PAWNS, START, Pawns, locked, name_of, own, place_of
from companion.games.partners.cards import HAND, LEAVING, PREFIX, Rulings, deck, rulings_of
from companion.games.partners.walk import Steps, plays, result
from companion.rules.acts import Act
from companion.rules.contract import Request, Setup, View

_WORTH: Mapping[str, int] = {"heart": 9, "13": 8, "8": 7, "7": 6, "-4": 5, "1/14": 4, "swap": 0}
"""How desirable a card is in hand; others have the value 1."""


class _Table(Hands):
    """The real cards after the acts so far."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.shuffles = 0
        self.pile: list[str] = []
        self.middle = False
        self.shuffle()
        self.deal()

    def shuffle(self) -> None:
        """Shuffle all cards; done when the dealer changes (PA-5)."""
        self.pile = [
            card for card, copies in deck(self.setup.options["copies"]).items() for _ in range(copies)
        ]
        # By its number: the same shuffle gives the same cards, also after an undo.
        self.setup.rng("demo", "partners", self.shuffles).shuffle(self.pile)
        self.shuffles += 1

    def deal(self) -> None:
        """Deal four cards to each player."""
        self.hands = [self.pile[HAND * seat : HAND * (seat + 1)] for seat in range(4)]
        del self.pile[: 4 * HAND]

    def exchanged(self, _event: fact.CardsExchanged) -> None:
        # All choose before any card changes hands.
        given = [gift(hand) for hand in self.hands]
        for seat, card in enumerate(given):
            self.hands[seat].remove(card)
            self.hands[(seat + 2) % 4].append(card)

    def played(self, event: fact.CardPlayed) -> None:
        self.leave(event.player, [event.card])
        self.middle = True

    def folded(self, event: fact.PlayerFolded) -> None:
        self.hands[self.seat(event.player)] = []
        self.middle = True

    def dealt(self, event: fact.CardsDealt) -> None:
        if event.shuffled:
            self.shuffle()
        self.deal()

    moves = {
        fact.CardsExchanged: exchanged,
        fact.CardPlayed: played,
        fact.PlayerFolded: folded,
        fact.CardsDealt: dealt,
    }


def gift(hand: Sequence[str]) -> str:
    """Choose the card for the partner: a spare one that leaves the base, else the one worth
    least."""
    leaving = sorted(card for card in hand if card in LEAVING)
    return leaving[0] if len(leaving) > 1 else min(hand, key=lambda card: (_WORTH.get(card, 1), card))


class Players(HandPlayers[_Table]):
    """All players of one game of Partners. See `companion.demo.actions.SimulatedPlayers`."""

    cards = _Table
    prefix = PREFIX

    def turn(self, table: _Table, acts: Sequence[Act], view: View) -> PlayerAction:
        """Exchange, or play the best card."""
        if view["phase"] == "told":
            return self._told(view["waiting_for"][0]["player"])
        if view["phase"] == "exchange":
            # Before the first card there is nothing to clear.
            clear = (Gesture("clear", "middle"),) if table.middle else ()
            return PlayerAction(
                None, ask.Exchanged(), (*clear, Gesture("press", "seat:1", "accept")), seen=True
            )
        player = view["waiting_for"][0]["player"]
        return self._play(table, view, player)

    def _told(self, player: str) -> PlayerAction:
        """Enter a random result (PA-19): the winners, and how far the others came."""
        # The same generator for every player, so that their numbers fit together.
        rng, seat = self.setup.rng("demo", "partners", "told"), self.setup.players.index(player)
        won, behind = rng.randrange(2), [rng.randint(0, PAWNS) for _ in self.setup.players]
        behind[1 - won] = min(behind[1 - won], PAWNS - 1)  # one of them at least has a pawn out
        return PlayerAction(player, ask.Home(player, PAWNS if seat % 2 == won else behind[seat]))

    def action(self, acts: Sequence[Act], view: View, wish: Request) -> PlayerAction:
        """Return the gestures for a person's choice."""
        match wish:
            case ask.Play():
                return _played(wish)
            case ask.Fold(player):
                return _folded(player, self.table(acts).hand(player))
            case _:
                return super().action(acts, view, wish)

    def _play(self, table: _Table, view: View, player: str) -> PlayerAction:
        seat = table.seat(player)
        pawns = board_of(view)
        hand, rulings = table.hands[seat], rulings_of(self.setup.options)
        best = best_play(pawns, seat, hand, rulings)
        if best is None:
            return _folded(player, hand)
        card, play = best
        moves = tuple(
            ask.Move(self.setup.players[at // 4], at % 4 + 1, name_of(at // 4, to)) for at, to in play
        )
        return _played(ask.Play(player, card, moves))


def _played(play: ask.Play) -> PlayerAction:
    lay = Gesture("lay", "middle", f"{PREFIX}{play.card}")
    return PlayerAction(play.player, play, (Gesture("clear", "middle"), lay), seen=True)


def _folded(player: str, hand: Sequence[str]) -> PlayerAction:
    lay = (Gesture("lay", "middle", f"{PREFIX}{card}") for card in hand)
    return PlayerAction(player, ask.Fold(player, tuple(hand)), (Gesture("clear", "middle"), *lay), seen=True)


def board_of(view: View) -> Pawns:
    """Return the pawns of a view."""
    places = [place_of(seat, name) for seat, row in enumerate(view["players"]) for name in row["pawns"]]
    return tuple(place for place in places if place is not None)


def best_play(pawns: Pawns, seat: int, hand: Sequence[str], rulings: Rulings) -> tuple[str, Steps] | None:
    """Choose a card and its play: the one with the best position for the team, of equal ones the
    card worth least; None: fold."""
    found = [
        (standing(result(pawns, play, card, rulings), seat), -_WORTH.get(card, 1), card, play)
        # Equal cards have the same plays: one of each is enough, and a seven is costly.
        for card in dict.fromkeys(hand)
        for play in plays(pawns, seat, card, rulings)
    ]
    if not found:
        return None
    _, _, card, play = max(found)
    return card, play


def standing(pawns: Pawns, seat: int) -> int:
    """Return the value of the board for the team of `seat`: how far its pawns are, minus the
    opponents'."""
    return sum(_far(pawns, one) if one % 2 == seat % 2 else -_far(pawns, one) for one in range(4))


def _far(pawns: Pawns, seat: int) -> int:
    fixed = locked(pawns, seat)
    total = 0
    for place in own(pawns, seat):
        if place in fixed:
            # More than any pawn on its way: a locked pawn cannot be lost.
            total += 150
        elif place >= OUTER:
            total += 90 + place - INNER
        elif place >= START:
            total += 15 + place
    return total
