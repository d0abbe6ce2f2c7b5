"""DTC as a game of the contract: options, public view, who must act, and the reasons for points.
The rules are in `moves`, the real table in `table`."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Annotated, Any, ClassVar, TypedDict

from companion.games.dtc import moves, position, table
from companion.games.dtc.moves import (
    CardsRevealed,
    GameEnded,
    OfferAccepted,
    describe_awaited_reports,
    describe_verdict,
    describe_winners,
)
from companion.games.dtc.state import (
    DECK,
    JOKER,
    VALUES,
    ResolvedChallenge,
    State,
    Variant,
    build_first_state,
    describe_offer,
)
from companion.rules.contract import (
    GAME_OVER,
    Chance,
    CountAndValue,
    FieldDoc,
    Game,
    Option,
    PlayerRow,
    Reason,
    Setup,
    TableView,
    Tally,
    Text,
    Waiting,
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
        int, FieldDoc(description="cards in the hand; 0 at the end; with `hands_only` as dealt, then as told")
    ]


class DtcView(TableView):
    """The public information about the table."""

    players: list[DtcRow]
    draw_pile: Annotated[int, FieldDoc(description="cards in it")]
    offer: Annotated[
        ShownOffer | None,
        FieldDoc(description="`giver`, `challenger`, `count`, `value` of the offer that lies there, or null"),
    ]
    to_beat: Annotated[
        CountAndValue | None,
        FieldDoc(description="`count` and `value` that the next offer must beat, or null"),
    ]
    giver: Annotated[str, FieldDoc(description="who offers next, or made the offer that lies there")]
    last_challenge: Annotated[
        bool, FieldDoc(description="the pile has run out: the next challenge ends the game")
    ]
    gone: Annotated[
        list[str], FieldDoc(description="the cards that were turned up so far, and lie in penalty piles")
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
    view_type = DtcView
    lowest_wins = True

    check_position = staticmethod(position.check_position)
    list_setup_steps = staticmethod(table.list_setup_steps)
    list_choices = staticmethod(table.list_choices)
    list_attempts = staticmethod(table.list_attempts)
    interpret_claims = staticmethod(table.interpret_claims)
    layout_cards = staticmethod(table.layout_cards)
    list_visible_cards = staticmethod(table.list_visible_cards)
    default_request = staticmethod(table.default_request)

    def start(self, setup: Setup) -> State:
        """Deal a full hand to each player (DTC-1, DTC-2); the first player gives first."""
        return build_first_state(setup)

    def view(self, state: State) -> DtcView:
        """Return the view; its fields are described in `DtcView`."""
        offer, names, to_beat = state.offer, state.players, state.to_beat
        return {
            "game": "dtc",
            "phase": state.phase,
            "players": [
                {"name": name, "points": state.count_points(seat), "hand": state.hands[seat]}
                for seat, name in enumerate(names)
            ],
            "waiting_for": self._list_awaited_requests(state),
            "result": self.rank_scores(
                [(name, (state.count_points(seat),)) for seat, name in enumerate(names)]
            )
            if state.phase == GAME_OVER
            else None,
            "draw_pile": state.draw_pile,
            "last_challenge": state.is_last_challenge,
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

    def _list_awaited_requests(self, state: State) -> list[Waiting]:
        """List the acceptable requests, without an `accept` that DTC-6 forbids."""
        match state.phase:
            case "told":
                return [{"do": "count", "player": state.players[seat]} for seat in state.unreported_seats]
            case "answer":
                # An offer of sixes to an empty hand cannot be raised, so it must be challenged
                # (DTC-6).
                due = ["challenge"] if state.must_challenge() else ["accept", "challenge"]
            case _:
                due = [] if state.phase == GAME_OVER else [state.phase]
        return [{"do": do, "player": state.acting_player} for do in due]

    def describe_awaited(self, state: State) -> Text:
        """Describe who must act now, and how."""
        match state.phase:
            case "offer" if state.to_beat is not None:
                return Text(
                    "awaited.raise",
                    {"player": state.acting_player, "to_beat": describe_offer(*state.to_beat)},
                )
            case "offer":
                return Text("awaited.offer", {"player": state.acting_player})
            case "answer":
                code = "awaited.must_challenge" if state.must_challenge() else "awaited.answer"
                offer = describe_offer(state.pending_offer.count, state.pending_offer.value)
                return Text(code, {"player": state.acting_player, "offer": offer})
            case "reveal":
                return Text("awaited.reveal", {}, state.pending_offer.count)
            case "told":
                return describe_awaited_reports(state)
            case _:
                return Text("awaited.game_over")

    def explain_points(self, state: State, player: str) -> Sequence[Reason]:
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
        reasons = [self._explain_challenge(state, one) for one in state.challenges if one.taker == seat]
        if not reasons:
            reasons.append(Reason(Text("explain.no_penalty", {"player": player}), ("DTC-7",)))
        if state.phase == GAME_OVER:
            left = Text("explain.left", {"player": player}, state.left[seat])
            reasons.append(Reason(left, ("DTC-10",), state.left[seat]))
        return reasons

    def explain_round(self, state: State) -> Sequence[Reason]:
        """Explain the last challenge; at the end also the winners."""
        if not state.challenges and state.phase != GAME_OVER:
            return ()
        reasons = [self._explain_challenge(state, one) for one in state.challenges[-1:]]
        if state.phase == GAME_OVER:
            reasons.append(Reason(describe_winners(state), ("DTC-9", "DTC-10")))
        return reasons

    def _explain_challenge(self, state: State, challenge: ResolvedChallenge) -> Reason:
        clauses = ("DTC-7", "DTC-8") if challenge.verdict == "variant" else ("DTC-7",)
        return Reason(describe_verdict(state, challenge), clauses, len(challenge.cards), challenge.cards)

    def tally_event(self, before: State, event: Any, after: State) -> Sequence[Tally]:
        """Count an offer when it is accepted or turned up, and at the end the cards left in
        hand."""
        names = after.players
        match event:
            case OfferAccepted():
                giver = names[before.pending_offer.giver]
                return (
                    Tally("offers", Text("figures.offer.accepted"), giver),
                    Tally("answers", Text("figures.answer.accepted"), event.player),
                )
            case CardsRevealed(cards=cards, taker=taker):
                giver, challenger = names[before.pending_offer.giver], names[before.pending_offer.challenger]
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

    def compute_odds(self, state: State) -> Chance | None:
        """Return the chance that the offered cards are as named, as DTC-7 and DTC-8 judge.

        Each card that has not been turned up yet is equally likely to lie there. The giver's habits
        are not considered: the game does not know them.
        """
        if state.offer is None:
            return None
        shown = state.count_revealed_cards()
        # Cards turned up lie in penalty piles for good, so they cannot be offered again.
        left = {card: copies - shown[card] for card, copies in DECK.items()}
        count, value, jokers = state.offer.count, state.offer.value, left[JOKER]
        higher = sum(left[str(one)] for one in VALUES if one > value)
        # All of the cards must be of the value, or jokers.
        ways = comb(left[str(value)] + jokers, count)
        if state.setup.options["variant"] == "all_higher":  # nothing but jokers is counted in both
            ways += comb(higher + jokers, count) - comb(jokers, count)
        elif state.setup.options["variant"] == "at_least":
            ways = comb(left[str(value)] + higher + jokers, count)
        return Chance("odds.true", ways, comb(sum(left.values()), count))


GAME = Dtc()
