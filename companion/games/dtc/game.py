"""DTC as a game of the contract: options, public view, who must act, and the reasons for points.
The rules are in `moves`, the real table in `table`."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Annotated, Any, ClassVar, TypedDict

from companion.games.dtc import moves, table
from companion.games.dtc.moves import CardsRevealed, GameEnded, OfferAccepted, judged, told_awaited, winners
from companion.games.dtc.state import (
    DECK,
    JOKER,
    VALUES,
    Challenged,
    State,
    Variant,
    first_state,
    offer_words,
)
from companion.rules.contract import (
    GAME_OVER,
    CountAndValue,
    Game,
    Odds,
    Option,
    PlayerRow,
    Reason,
    Setup,
    TableView,
    Tally,
    Text,
    Told,
    Waiting,
    ranked,
)


class ShownOffer(TypedDict):
    """The offer that lies on the table."""

    giver: str
    challenger: str
    count: int
    value: int


class DtcRow(PlayerRow):
    """The public information about a player."""

    hand: Annotated[
        int, Told(description="cards in the hand; 0 at the end; with `hands_only` as dealt, then as told")
    ]


class DtcView(TableView):
    """The public information about the table."""

    players: list[DtcRow]
    draw_pile: Annotated[int, Told(description="cards in it")]
    offer: Annotated[
        ShownOffer | None,
        Told(description="`giver`, `challenger`, `count`, `value` of the offer that lies there, or null"),
    ]
    to_beat: Annotated[
        CountAndValue | None, Told(description="`count` and `value` that the next offer must beat, or null")
    ]
    giver: Annotated[str, Told(description="who offers next, or made the offer that lies there")]
    last_challenge: Annotated[
        bool, Told(description="the pile has run out: the next challenge ends the game")
    ]
    gone: Annotated[
        list[str], Told(description="the cards that were turned up so far, and lie in penalty piles")
    ]


class Dtc(Game[State]):
    """DTC (R. Knizia, 2012): offer cards, say what they are; accept or challenge. Fewest win."""

    id = "dtc"
    seats = range(2, 7)
    options = (
        Option("variant", "off", Variant, "DTC-8", "… OU ONT TOUTES UNE VALEUR SUPÉRIEURE…"),
        Option("hands_only", False, bool, "DTC-11"),
    )
    cards: ClassVar = DECK
    moves: ClassVar = moves
    turn_clause = "DTC-3"
    shows = DtcView
    lowest_wins = True

    checklist = staticmethod(table.checklist)
    choices = staticmethod(table.choices)
    interpret = staticmethod(table.interpret)
    layout = staticmethod(table.layout)
    lying = staticmethod(table.lying)
    harmless = staticmethod(table.harmless)

    def start(self, setup: Setup) -> State:
        """Deal six cards to each player (DTC-1, DTC-2); the first player gives first."""
        return first_state(setup)

    def view(self, state: State) -> DtcView:
        """Return the view; its fields are described in `DtcView`."""
        offer, names, to_beat = state.offer, state.players, state.to_beat
        return {
            "game": "dtc",
            "phase": state.phase,
            "players": [
                {"name": name, "points": state.points(seat), "hand": state.hands[seat]}
                for seat, name in enumerate(names)
            ],
            "waiting_for": self._waiting(state),
            "result": ranked([(name, (state.points(seat),)) for seat, name in enumerate(names)], lowest=True)
            if state.phase == GAME_OVER
            else None,
            "draw_pile": state.draw_pile,
            "last_challenge": state.last_challenge,
            "giver": names[state.giver],
            "offer": None
            if offer is None
            else {
                "giver": names[offer.giver],
                "challenger": names[offer.challenger],
                "count": offer.count,
                "value": offer.value,
            },
            "to_beat": None if to_beat is None else {"count": to_beat[0], "value": to_beat[1]},
            "gone": [card for challenge in state.challenges for card in challenge.cards],
        }

    def _waiting(self, state: State) -> list[Waiting]:
        """List the acceptable requests, without an `accept` that DTC-6 forbids."""
        match state.phase:
            case "told":
                return [{"do": "count", "player": state.players[seat]} for seat in state.asked]
            case "answer":
                # An offer of sixes to an empty hand cannot be raised, so it must be challenged
                # (DTC-6).
                due = ["challenge"] if state.must_challenge() else ["accept", "challenge"]
            case _:
                due = [] if state.phase == GAME_OVER else [state.phase]
        return [{"do": do, "player": state.acting} for do in due]

    def awaited(self, state: State) -> Text:
        """Describe who must act now, and how."""
        match state.phase:
            case "offer" if state.to_beat is not None:
                return Text("awaited.raise", {"player": state.acting, "to_beat": offer_words(*state.to_beat)})
            case "offer":
                return Text("awaited.offer", {"player": state.acting})
            case "answer":
                code = "awaited.must_challenge" if state.must_challenge() else "awaited.answer"
                offer = offer_words(state.pending.count, state.pending.value)
                return Text(code, {"player": state.acting, "offer": offer})
            case "reveal":
                return Text("awaited.reveal", {}, state.pending.count)
            case "told":
                return told_awaited(state)
            case _:
                return Text("awaited.game_over")

    def explain(self, state: State, player: str) -> Sequence[Reason]:
        """Explain the points: each challenge lost (DTC-7, DTC-8), at the end the cards left
        (DTC-10), or the cards entered (DTC-11)."""
        seat = state.players.index(player)
        if state.told:
            told = Text("explain.told", {"player": player}, state.left[seat])
            untold = Text("explain.untold", {"player": player})
            # Until everybody has entered theirs, the cards do not count as points.
            over = state.phase == GAME_OVER
            return [Reason(told if over else untold, ("DTC-10", "DTC-11"), state.left[seat])]
        # Points come from lost challenges only, until the cards in hand are added at the end.
        reasons = [self._reason(state, one) for one in state.challenges if one.taker == seat]
        if not reasons:
            reasons.append(Reason(Text("explain.no_penalty", {"player": player}), ("DTC-7",)))
        if state.phase == GAME_OVER:
            left = Text("explain.left", {"player": player}, state.left[seat])
            reasons.append(Reason(left, ("DTC-10",), state.left[seat]))
        return reasons

    def report(self, state: State) -> Sequence[Reason]:
        """Explain the last challenge; at the end also the winners."""
        if not state.challenges and state.phase != GAME_OVER:
            return ()
        reasons = [self._reason(state, one) for one in state.challenges[-1:]]
        if state.phase == GAME_OVER:
            reasons.append(Reason(winners(state), ("DTC-9", "DTC-10")))
        return reasons

    def _reason(self, state: State, challenge: Challenged) -> Reason:
        clauses = ("DTC-7", "DTC-8") if challenge.verdict == "variant" else ("DTC-7",)
        return Reason(judged(state, challenge), clauses, len(challenge.cards), challenge.cards)

    def tallies(self, before: State, event: Any, after: State) -> Sequence[Tally]:
        """Count an offer when it is accepted or turned up, and at the end the cards left in
        hand."""
        names = after.players
        match event:
            case OfferAccepted():
                giver = names[before.pending.giver]
                return (
                    Tally("offers", Text("figures.offer.accepted"), giver),
                    Tally("answers", Text("figures.answer.accepted"), event.player),
                )
            case CardsRevealed(cards=cards, taker=taker):
                giver, challenger = names[before.pending.giver], names[before.pending.challenger]
                # `variant` counts as true: the option says so (DTC-8).
                true = event.verdict != "false"
                return (
                    Tally("offers", Text("figures.offer.challenged"), giver, right=true),
                    Tally("answers", Text("figures.answer.challenged"), challenger, right=not true),
                    Tally("penalties", Text("figures.penalty.challenge"), taker, len(cards)),
                )
            case GameEnded(hands=hands):
                left = Text("figures.penalty.told" if after.told else "figures.penalty.hand")
                return [Tally("penalties", left, *one) for one in zip(names, hands, strict=True)]
            case _:
                return ()

    def odds(self, state: State) -> Odds | None:
        """Return the chance that the offered cards are as named, as DTC-7 and DTC-8 judge.

        Each card that has not been turned up yet is equally likely to lie there. The giver's habits
        are not considered: the game does not know them.
        """
        if state.offer is None:
            return None
        shown = state.shown()
        # Cards turned up lie in penalty piles for good, so they cannot be offered again.
        left = {card: copies - shown[card] for card, copies in DECK.items()}
        count, value, jokers = state.offer.count, state.offer.value, left[JOKER]
        higher = sum(left[str(one)] for one in VALUES if one > value)
        # All of the cards must be of the value, or jokers.
        ways = comb(left[str(value)] + jokers, count)
        if state.variant == "all_higher":  # nothing but jokers is counted in both
            ways += comb(higher + jokers, count) - comb(jokers, count)
        elif state.variant == "at_least":
            ways = comb(left[str(value)] + higher + jokers, count)
        return Odds("odds.true", ways, comb(sum(left.values()), count))


GAME = Dtc()
