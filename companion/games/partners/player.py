"""Simulated players of Partners: they play the card that brings their team furthest, and give their
partner what the partner needs most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.demo.actions import DealtHands, Gesture, HandPlayers, PlayerAction
from companion.games.partners import moves as ask
from companion.games.partners import moves as fact
from companion.games.partners.board import (
    INNER,
    OUTER,
    PAWNS,
    START,
    Pawns,
    find_locked_places,
    format_place,
    parse_place,
    pawns_of_seat,
)
from companion.games.partners.cards import HAND, LEAVING, PREFIX, build_deck
from companion.games.partners.movement import Steps, apply_play, list_plays
from companion.rules.acts import Act
from companion.rules.contract import Request, Setup, View

_WORTH: Mapping[str, int] = {"heart": 9, "13": 8, "8": 7, "7": 6, "-4": 5, "1/14": 4, "swap": 0}
"""How desirable a card is in hand; others have the value 1."""


class RealCards(DealtHands):
    """The real cards after the acts so far."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.shuffles = 0
        self.pile: list[str] = []
        self.middle = False
        self.shuffle_pile()
        self.deal_hands()

    def shuffle_pile(self) -> None:
        """Shuffle all cards; done when the dealer changes (PA-5)."""
        self.pile = [
            card for card, copies in build_deck(self.setup.options["copies"]).items() for _ in range(copies)
        ]
        # By its number: the same shuffle gives the same cards, also after an undo.
        self.setup.make_rng("demo", "partners", self.shuffles).shuffle(self.pile)
        self.shuffles += 1

    def deal_hands(self) -> None:
        """Deal four cards to each player."""
        self.hands = [self.pile[HAND * seat : HAND * (seat + 1)] for seat in range(4)]
        del self.pile[: 4 * HAND]

    def _on_cards_exchanged(self, _event: fact.CardsExchanged) -> None:
        # All choose before any card changes hands.
        given = [choose_gift(hand) for hand in self.hands]
        for seat, card in enumerate(given):
            self.hands[seat].remove(card)
            self.hands[(seat + 2) % 4].append(card)

    def _on_card_played(self, event: fact.CardPlayed) -> None:
        self.remove_cards(event.player, [event.card])
        self.middle = True

    def _on_player_folded(self, event: fact.PlayerFolded) -> None:
        self.hands[self.find_seat_index(event.player)] = []
        self.middle = True

    def _on_cards_dealt(self, event: fact.CardsDealt) -> None:
        if event.shuffled:
            self.shuffle_pile()
        self.deal_hands()

    moves = {
        fact.CardsExchanged: _on_cards_exchanged,
        fact.CardPlayed: _on_card_played,
        fact.PlayerFolded: _on_player_folded,
        fact.CardsDealt: _on_cards_dealt,
    }


def choose_gift(hand: Sequence[str]) -> str:
    """Choose the card for the partner: a spare one that leaves the base, else the one worth
    least."""
    leaving = sorted(card for card in hand if card in LEAVING)
    return leaving[0] if len(leaving) > 1 else min(hand, key=lambda card: (_WORTH.get(card, 1), card))


class Players(HandPlayers[RealCards]):
    """All players of one game of Partners. See `companion.demo.actions.SimulatedPlayers`."""

    cards = RealCards
    prefix = PREFIX

    def choose_action(self, table: RealCards, acts: Sequence[Act], view: View) -> PlayerAction:
        """Exchange, or play the best card."""
        if view["phase"] == "told":
            return self._report_pawns_home(view["waiting_for"][0]["player"])
        if view["phase"] == "exchange":
            # Before the first card there is nothing to clear.
            clear = (Gesture("clear", "middle"),) if table.middle else ()
            return PlayerAction(
                None, ask.Exchanged(), (*clear, Gesture("press", "seat:1", "accept")), seen_by_readers=True
            )
        player = view["waiting_for"][0]["player"]
        return self._play_turn(table, view, player)

    def _report_pawns_home(self, player: str) -> PlayerAction:
        """Enter a random result (PA-19): the winners, and how far the others came."""
        # The same generator for every player, so that their numbers fit together.
        rng, seat = self.setup.make_rng("demo", "partners", "told"), self.setup.players.index(player)
        won, behind = rng.randrange(2), [rng.randint(0, PAWNS) for _ in self.setup.players]
        behind[1 - won] = min(behind[1 - won], PAWNS - 1)  # one of them at least has a pawn out
        return PlayerAction(player, ask.Home(player, PAWNS if seat % 2 == won else behind[seat]))

    def plan_action(self, acts: Sequence[Act], view: View, wish: Request) -> PlayerAction:
        """Return the gestures for a person's choice."""
        match wish:
            case ask.Play():
                return _build_play_action(wish)
            case ask.Fold(player):
                return _build_fold_action(player, self.rebuild_table(acts).find_hand(player))
            case _:
                return super().plan_action(acts, view, wish)

    def _play_turn(self, table: RealCards, view: View, player: str) -> PlayerAction:
        seat = table.find_seat_index(player)
        pawns = read_pawns(view)
        hand, options = table.hands[seat], self.setup.options
        best = choose_best_play(pawns, seat, hand, options)
        if best is None:
            return _build_fold_action(player, hand)
        card, play = best
        moves = tuple(
            ask.Move(self.setup.players[at // 4], at % 4 + 1, format_place(at // 4, to)) for at, to in play
        )
        return _build_play_action(ask.Play(player, card, moves))


def _build_play_action(play: ask.Play) -> PlayerAction:
    lay = Gesture("lay", "middle", f"{PREFIX}{play.card}")
    return PlayerAction(play.player, play, (Gesture("clear", "middle"), lay), seen_by_readers=True)


def _build_fold_action(player: str, hand: Sequence[str]) -> PlayerAction:
    lay = (Gesture("lay", "middle", f"{PREFIX}{card}") for card in hand)
    return PlayerAction(
        player, ask.Fold(player, tuple(hand)), (Gesture("clear", "middle"), *lay), seen_by_readers=True
    )


def read_pawns(view: View) -> Pawns:
    """Return the pawns of a view."""
    places = [parse_place(seat, name) for seat, row in enumerate(view["players"]) for name in row["pawns"]]
    return tuple(place for place in places if place is not None)


def choose_best_play(
    pawns: Pawns, seat: int, hand: Sequence[str], options: Mapping[str, Any]
) -> tuple[str, Steps] | None:
    """Choose a card and its play: the one with the best position for the team, of equal ones the
    card worth least; None: fold."""
    found = [
        (evaluate_board(apply_play(pawns, play, card, options), seat), -_WORTH.get(card, 1), card, play)
        # Equal cards have the same plays: one of each is enough, and a seven is costly.
        for card in dict.fromkeys(hand)
        for play in list_plays(pawns, seat, card, options)
    ]
    if not found:
        return None
    _, _, card, play = max(found)
    return card, play


def evaluate_board(pawns: Pawns, seat: int) -> int:
    """Return the value of the board for the team of `find_seat_index`: how far its pawns are, minus
    the opponents'."""
    return sum(
        _measure_progress(pawns, one) if one % 2 == seat % 2 else -_measure_progress(pawns, one)
        for one in range(4)
    )


def _measure_progress(pawns: Pawns, seat: int) -> int:
    fixed = find_locked_places(pawns, seat)
    total = 0
    for place in pawns_of_seat(pawns, seat):
        if place in fixed:
            # More than any pawn on its way: a locked pawn cannot be lost.
            total += 150
        elif place >= OUTER:
            total += 90 + place - INNER
        elif place >= START:
            total += 15 + place
    return total
