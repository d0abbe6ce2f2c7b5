"""Ascend by its rules: the phases, the requests of players, and the events.

Everything that moves the game is here. `PHASES` lists the phases and the event that follows in each
without a request. A request returns what it leads to (`decide`), an event changes the state
(`apply`) and is described (`describe`). Points are whole numbers, or strings such as `7/3`: JSON
has no fractions.

The hand goes from `exchange` to `play`, and after it to the next hand's `exchange` or to
`game_over`. With `hands_only` (AS-22) every hand is the one phase `hands`.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from msgspec.structs import replace

from companion.games.ascend.cards import CARDS, DECKS, MOUNTAIN, RANKS, compute_hand_size
from companion.games.ascend.combinations import (
    LEAST_RUN,
    Combination,
    Fault,
    Kind,
    Trick,
    extend_trick,
    find_play_fault,
    recognise_combination,
    start_trick,
)
from companion.games.ascend.state import (
    PLACES,
    Bid,
    ScoredHand,
    StandingPromise,
    State,
    choose_first_phase,
    compute_hand_points,
    compute_promise_points,
    list_dealt_hand_sizes,
)
from companion.games.ascend.words import (
    describe_awaited,
    describe_card,
    describe_combination,
    describe_deal,
    describe_needed_play,
    describe_played_cards,
    describe_trick_end,
)
from companion.rules.contract import (
    GAME_OVER,
    Decision,
    Event,
    Phase,
    Refusal,
    Request,
    Text,
    format_points,
    refuse,
    replace_at_seat,
)
from companion.rules.deck_checks import find_unknown_card
from companion.rules.options import describe_option_value


def _event_after_play(state: State) -> Event | None:
    """Continue after a play or a pass (AS-4, AS-20): a player without cards is out; then the hand
    is scored, the trick ends, or the turn passes on."""
    trick, names = state.trick, state.players
    if trick is None:
        return None
    # Scored already: this is the second time round, after `HandScored`.
    if len(state.hands_scored) == state.hand_number:
        return _event_after_hand(state)
    if not state.hands[trick.seat] and trick.seat not in state.order_out:
        return PlayerWentOut(names[trick.seat], len(state.order_out) + 1)
    # In the order of their turns; the last player, who comes last, may hold no card any more.
    seats = (*range(trick.seat + 1, len(names)), *range(trick.seat + 1))
    playing = [seat for seat in seats if state.hands[seat]]
    if len(playing) == 1:
        return _score_hand(state)
    # All others who have cards passed; the player of the last combination may be out, and is no
    # other.
    if state.passes == len(playing) - (playing[-1] == trick.seat):
        leader = trick.seat if playing[-1] == trick.seat else playing[0]
        return TrickEnded(names[trick.seat], names[leader])
    due = playing[state.passes]
    return TurnPassed(names[due]) if state.turn != due else None


def _event_after_going_out(state: State) -> Event | None:
    """Score the hand once only one player is left (AS-22)."""
    if len(state.hands_scored) == state.hand_number:
        return _event_after_hand(state)
    return _score_hand(state) if len(state.seats_with_cards) == 1 else None


def _score_hand(state: State) -> Event:
    """Score the hand (AS-20, AS-30): the worth of each place, and the promise."""
    names, promise = state.players, state.promise
    # Whoever still holds cards comes last.
    order = (*state.order_out, *state.seats_with_cards)
    bid = None
    if promise is not None:
        share = format_points(compute_promise_points(order, promise, state.setup.options["shares"]))
        bid = Bid(names[promise.seat], promise.worth, order[0] == promise.seat, share)
    won = tuple(map(format_points, compute_hand_points(order, promise, state.setup.options["shares"])))
    places = PLACES[len(names), bid is not None]
    return HandScored(state.hand_number, tuple(names[seat] for seat in order), places, won, bid)


def _event_after_hand(state: State) -> Event:
    """End the game if somebody has won (AS-21), else begin the next hand; a tie for the lead is
    played off."""
    best, names = max(state.points), state.players
    if best >= state.setup.options["target"] and state.points.count(best) == 1:
        return GameWon(names[state.points.index(best)], format_points(best))
    return HandBegan(state.hand_number + 1, names[state.hand_number % len(names)])


PHASES = {
    "exchange": Phase("AS-2"),
    "play": Phase("AS-4", then=_event_after_play),
    "hands": Phase("AS-22", then=_event_after_going_out),
    "game_over": Phase("AS-21"),
}


# ---- the exchange (AS-2) ----


class Exchanged(Request):
    """AS-2: each player has given one card to each neighbour, face down."""

    phase, clause = "exchange", "AS-2"

    def decide(self, state: State) -> Decision:
        """Begin to play (AS-2, AS-3)."""
        return CardsExchanged(state.players[state.leader])


class CardsExchanged(Event):
    """AS-2: the neighbours have exchanged cards; `leader` leads."""

    leader: str

    def apply(self, state: State) -> State:
        return replace(state, phase="play")

    def describe(self, state: State) -> Text:
        return Text("event.exchanged", {"player": self.leader})


# ---- a combination (AS-4, AS-10 to AS-16, AS-20) ----


class Play(Request):
    """AS-4: play a combination; `cards` are names of the wire, as `castle`."""

    phase, clause = "play", "AS-2"
    player: str
    cards: tuple[str, ...]

    def decide(self, state: State) -> Decision:
        """Check the cards (AS-1, AS-4), their combination (AS-10 to AS-13), and that it beats the
        last one (AS-10 to AS-16)."""
        refusal = _check_cards(state, self)
        if refusal is not None:
            return refusal
        options = state.setup.options
        combination = recognise_combination([CARDS[name] for name in self.cards], options["bombs"])
        if combination is None:
            words = tuple(describe_card(name) for name in self.cards)
            args: dict[str, Any] = {"cards": words, "needed": describe_needed_play(state)}
            if all(CARDS[name].personality for name in self.cards):  # the option alone decides
                ruling = describe_option_value("bombs", options["bombs"])
                why = f"no_bomb_{options['bombs']}"
                return refuse("not_a_combination", "AS-13", message=why, ruling=ruling, **args)
            clause = "AS-12" if len({CARDS[name].rank for name in self.cards}) >= LEAST_RUN else "AS-11"
            return refuse("not_a_combination", clause, **args)
        trick = state.trick
        fault = None if trick is None else find_play_fault(trick, combination, options["bomb_size"])
        if trick is not None and fault is not None:
            return _refuse_weak_play(state, trick, self.cards, combination, fault)
        played = CombinationPlayed(
            self.player, self.cards, combination.kind, combination.rank_name, trick is None
        )
        announced = options["bidding"] and MOUNTAIN in self.cards  # AS-30
        return (played, MountainPlayed(self.player)) if announced else played


def _check_cards(state: State, request: Play) -> Refusal | None:
    cards, hand = request.cards, state.hands[state.turn]
    unknown = find_unknown_card(DECKS[state.setup.options["deck"]], cards)
    if unknown is not None:
        return refuse("unknown_card", "AS-1", card=repr(unknown[:30]), deck=state.setup.options["deck"])
    if not cards:
        return refuse("not_a_combination", "AS-4", message="no_cards", needed=describe_needed_play(state))
    twice = next((name for name in cards if cards.count(name) > 1), None)
    if twice is not None:
        return refuse("not_a_combination", "AS-1", message="card_twice", card=describe_card(twice))
    spent = next((name for name in cards if name in state.spent), None)
    if spent is not None:
        return refuse("card_spent", "AS-1", card=describe_card(spent))
    if len(cards) > hand:
        return refuse("not_enough_cards", "AS-4", player=request.player, count=len(cards), hand=hand)
    return None


_FAULT_CLAUSE: Mapping[Fault, str] = {"wrong_count": "AS-4", "sets_and_runs": "AS-14", "wrong_suit": "AS-10"}
_KIND_CLAUSE: Mapping[str, str] = {"single": "AS-10", "set": "AS-11", "run": "AS-12", "bomb": "AS-14"}


def _refuse_weak_play(
    state: State, trick: Trick, cards: tuple[str, ...], combination: Combination, fault: Fault
) -> Refusal:
    """Refuse a play that does not beat the trick, with the reason and what would beat it."""
    kinds, options = {trick.last.kind, combination.kind}, state.setup.options
    args: dict[str, Any] = {
        "played": describe_played_cards(combination.kind, cards, combination.rank_name, options["bombs"]),
        "last": describe_combination(trick.last),
        "needed": describe_needed_play(state),
    }
    if fault == "wrong_count" and kinds == {"bomb"}:  # AS-14: the option alone decides
        say = "bomb_size" if options["bomb_size"] == "same" else None
        ruling = describe_option_value("bomb_size", options["bomb_size"])
        return refuse(fault, "AS-14", message=say, ruling=ruling, **args)
    if fault == "does_not_beat":
        clause = _KIND_CLAUSE["bomb" if "bomb" in kinds else combination.kind]
    elif fault == "wrong_suit" and trick.before_excuse is not None:
        clause = "AS-16"
    else:
        clause = _FAULT_CLAUSE[fault]
    return refuse(fault, clause, **args)


class CombinationPlayed(Event):
    """AS-4: a combination was played, as a lead or on the last one."""

    player: str
    cards: tuple[str, ...]
    kind: Kind
    rank: str
    led: bool

    def apply(self, state: State) -> State:
        seat, cards, trick = state.players.index(self.player), self.cards, state.trick
        # Only a single's suits bind the next card (AS-10).
        suits = CARDS[cards[0]].suits if self.kind == "single" else frozenset[str]()
        combination = Combination(self.kind, len(cards), RANKS.index(self.rank), suits)
        return replace(
            state,
            hands=replace_at_seat(state.hands, seat, state.hands[seat] - len(cards)),
            trick=start_trick(combination, seat, cards)
            if trick is None
            else extend_trick(trick, combination, seat, cards),
            passes=0,
            fresh=True,
            spent=tuple(sorted((*state.spent, *cards))),
        )

    def describe(self, state: State) -> Text:
        cards = tuple(describe_card(name) for name in self.cards)
        code = "event.led" if self.led else "event.played"
        if self.kind == "single":
            return Text(f"{code}_single", {"player": self.player, "card": cards[0]})
        combination = describe_played_cards(self.kind, self.cards, self.rank, state.setup.options["bombs"])
        return Text(code, {"player": self.player, "combination": combination, "cards": cards})


class MountainPlayed(Event):
    """AS-30: the mountain was played in a game with bidding; this hand has no more promises."""

    player: str

    def apply(self, state: State) -> State:
        return state  # `spent` tells

    def describe(self, state: State) -> Text:
        return Text("event.mountain", {"player": self.player})


class PlayerWentOut(Event):
    """AS-20: a player has no cards left, as number `place` of this hand."""

    player: str
    place: int

    def apply(self, state: State) -> State:
        seat = state.players.index(self.player)
        return replace(
            state,
            hands=replace_at_seat(state.hands, seat, 0),
            order_out=(*state.order_out, seat),
            fresh=False,
        )

    def describe(self, state: State) -> Text:
        return Text("event.went_out", {"player": self.player, "place": Text(f"place.{self.place}")})


# ---- a pass, and the end of a trick (AS-4) ----


class Pass(Request):
    """AS-4: play nothing now."""

    phase, clause, is_pass = "play", "AS-2", True
    player: str

    def decide(self, state: State) -> Decision:
        """Refuse a pass by the leader, who must play (AS-4)."""
        if state.trick is None:
            return refuse("must_lead", "AS-4", player=self.player)
        return PlayerPassed(self.player)


class PlayerPassed(Event):
    """AS-4: a player passed, for now."""

    player: str

    def apply(self, state: State) -> State:
        return replace(state, passes=state.passes + 1, fresh=False)

    def describe(self, state: State) -> Text:
        return Text("event.passed", {"player": self.player})


class TurnPassed(Event):
    """AS-4: `player` is to play or pass now."""

    player: str

    def apply(self, state: State) -> State:
        return replace(state, turn=state.players.index(self.player))


class TrickEnded(Event):
    """AS-4: all others have passed; `player` played last, `leader` leads the next trick."""

    player: str
    leader: str

    def apply(self, state: State) -> State:
        leader, last = state.players.index(self.leader), (self.player, self.leader)
        return replace(state, leader=leader, turn=leader, trick=None, passes=0, last_trick=last)

    def describe(self, state: State) -> Text:
        return describe_trick_end(self.player, self.leader)


# ---- a promise (AS-30) ----


class Promise(Request):
    """AS-30: promise, right after playing, to go out first."""

    phase, clause, in_turn = "play", "AS-2", False
    player: str

    def decide(self, state: State) -> Decision:
        """Make a promise worth the cards left in hand (AS-30)."""
        reason = find_promise_obstacle(state, self.player)
        if reason is not None:
            return refuse("no_promise", "AS-30", message=f"no_promise.{reason}", player=self.player)
        return PromiseMade(self.player, state.hands[state.players.index(self.player)])


def find_promise_obstacle(state: State, player: str) -> str | None:
    """Return why `player` cannot promise now in the phase `play` (AS-30), as the end of a message
    code; None if they can."""
    trick = state.trick
    if not state.setup.options["bidding"]:
        return "off"
    if trick is None or not state.fresh or state.players[trick.seat] != player:
        return "not_after_play"
    if state.promise is not None:
        return "stands"
    if state.is_mountain_played:
        return "mountain"
    return "player_out" if state.order_out else None


class PromiseMade(Event):
    """AS-30: a player promised to go out first."""

    player: str
    worth: int

    def apply(self, state: State) -> State:
        return replace(state, promise=StandingPromise(state.players.index(self.player), self.worth))

    def describe(self, state: State) -> Text:
        return Text("event.promised", {"player": self.player}, self.worth)


# ---- a hand of which only the end is told (AS-22) ----


class Out(Request):
    """AS-22: `player` was the next to go out, in a hand that the companion did not see."""

    phase, clause, in_turn = "hands", "AS-22", False
    player: str

    def decide(self, state: State) -> Decision:
        """Accept each player once (AS-22); the last one follows from the others."""
        if state.players.index(self.player) in state.order_out:
            return refuse("already_done", "AS-22", player=self.player, awaited=describe_awaited(state))
        return PlayerWentOut(self.player, len(state.order_out) + 1)


class Promised(Request):
    """AS-22, AS-30: `player` promised to go out first, with `worth` cards left in hand; entered
    before anybody is out."""

    phase, clause, in_turn = "hands", "AS-22", False
    player: str
    worth: int

    def decide(self, state: State) -> Decision:
        """Check the worth (AS-30): at least one card was played and one is left."""
        reason = find_promise_report_obstacle(state)
        if reason is not None:
            return refuse("no_promise", "AS-30", message=f"no_promise.{reason}", player=self.player)
        if self.worth not in list_promise_worths(state):
            args = {"player": self.player, "count": self.worth, "most": list_promise_worths(state)[-1]}
            return refuse("bad_count", "AS-30", message="bad_worth", **args)
        return PromiseMade(self.player, self.worth)


def find_promise_report_obstacle(state: State) -> str | None:
    """Return why no promise can be entered in the phase `hands` (AS-30), as the end of a message
    code; None if one can."""
    if not state.setup.options["bidding"]:
        return "off"
    if state.promise is not None:
        return "stands"
    return "player_out" if state.order_out else None


def list_promise_worths(state: State) -> range:
    """Return the possible worths of a promise before anybody is out (AS-30)."""
    return range(1, compute_hand_size(state.setup.options["deck"], len(state.players)))


# ---- the end of a hand and of the game (AS-3, AS-20, AS-21) ----


class HandScored(Event):
    """AS-20, AS-30: `order` of going out, the last player included; `places` and `points` (with the
    promise) in that order."""

    hand_number: int
    order: tuple[str, ...]
    places: tuple[int, ...]
    points: tuple[int | str, ...]
    promise: Bid | None

    def apply(self, state: State) -> State:
        points = list(state.points)
        for player, gain in zip(self.order, self.points, strict=True):
            points[state.players.index(player)] += Fraction(gain)
        hand = ScoredHand(self.hand_number, self.order, self.places, self.points, self.promise)
        return replace(
            state,
            points=tuple(points),
            hands_scored=(*state.hands_scored, hand),
            fresh=False,
            last_trick=None,
        )

    def describe(self, state: State) -> Text:
        scores = tuple(
            Text("event.score", {"player": player, "points": str(points)})
            for player, points in zip(self.order, self.points, strict=True)
        )
        return Text("event.hand_scored", {"hand": self.hand_number, "scores": scores})


class HandBegan(Event):
    """AS-3: the next hand was dealt; `leader` will lead it."""

    hand_number: int
    leader: str

    def apply(self, state: State) -> State:
        leader = state.players.index(self.leader)
        return replace(
            state,
            phase=choose_first_phase(state.setup.options["hands_only"]),
            hand_number=self.hand_number,
            leader=leader,
            turn=leader,
            hands=list_dealt_hand_sizes(state.setup.options["deck"], len(state.players)),
            trick=None,
            order_out=(),
            spent=(),
            promise=None,
        )

    def describe(self, state: State) -> Text:
        dealt = {"dealer": state.players[state.dealer], "deal": describe_deal(state)}
        return Text("event.hand_began", {"player": self.leader, "hand": self.hand_number, **dealt})


class GameWon(Event):
    """AS-21: a player leads alone at or above the target."""

    player: str
    points: int | str

    def apply(self, state: State) -> State:
        return replace(state, phase=GAME_OVER)

    def describe(self, state: State) -> Text:
        return Text("event.game_won", {"player": self.player, "points": str(self.points)})
