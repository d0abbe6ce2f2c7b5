"""Second Best: a trick game of 24 cards in which the second highest card wins. The clauses SB-1 to
SB-5 are in the README beside this file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from msgspec.structs import replace

from companion.rules.contract import (
    GAME_OVER,
    Choice,
    Claim,
    Decision,
    Event,
    Game,
    Interpretation,
    Option,
    Phase,
    Proposal,
    Reason,
    Request,
    Setup,
    Text,
    View,
    refuse,
)

CARDS = range(1, 25)
TRICKS = 6


class State(msgspec.Struct, frozen=True):
    """The state of the table. `trick` holds (player, card) in the order of play, `won` every
    trick's (player, card, points)."""

    setup: Setup
    leader: str
    phase: str = "play"
    trick: tuple[tuple[str, int], ...] = ()
    spent: frozenset[int] = frozenset()
    won: tuple[tuple[str, int, int], ...] = ()

    @property
    def players(self) -> tuple[str, ...]:
        """The players' names, clockwise."""
        return self.setup.players

    @property
    def acting_player(self) -> str:
        """The player in turn (SB-3), clockwise from the leader."""
        seat = self.players.index(self.leader) + len(self.trick)
        return self.players[seat % len(self.players)]

    def points(self, player: str) -> int:
        """Return the points of the tricks that `player` won (SB-4)."""
        return sum(points for winner, _, points in self.won if winner == player)


def after_card(state: State) -> Event | None:
    """Decide the trick after its last card (SB-4, SB-5)."""
    # None: nothing follows by itself, and the next player must act.
    if len(state.trick) < len(state.players):
        return None
    winner, best = sorted(state.trick, key=lambda play: play[1])[-2]
    last = len(state.won) + 1 == TRICKS
    return TrickWon(winner, best, 2 if last and state.setup.options["double_last"] else 1)


# The session calls `then` after every event, until it returns None.
PHASES = {"play": Phase("SB-3", then=after_card), GAME_OVER: Phase("SB-5")}


class Play(Request):
    """SB-3: play one card."""

    phase = "play"
    player: str
    card: int

    def decide(self, state: State) -> Decision:
        """Refuse a card that does not exist or has been played (SB-1, SB-3)."""
        # Phase and turn have been checked already: only the card is left.
        if self.card not in CARDS:
            return refuse("unknown_card", "SB-1", card=self.card)
        if self.card in state.spent:
            return refuse("card_spent", "SB-3", card=self.card)
        return CardPlayed(self.player, self.card)


class CardPlayed(Event):
    """SB-3: a card lies in the trick."""

    player: str
    card: int

    def apply(self, state: State) -> State:
        """Add the card to the trick."""
        # A state is never changed: each event makes a new one.
        trick = (*state.trick, (self.player, self.card))
        return replace(state, trick=trick, spent=state.spent | {self.card})

    def describe(self, state: State) -> Text:
        """Describe the play."""
        return Text("said.play", {"player": self.player, "card": self.card})


class TrickWon(Event):
    """SB-4, SB-5: the second highest card won."""

    player: str
    card: int
    points: int

    def apply(self, state: State) -> State:
        """Count the trick; its winner leads the next one, if there is one."""
        won = (*state.won, (self.player, self.card, self.points))
        phase = GAME_OVER if len(won) == TRICKS else "play"
        return replace(state, phase=phase, leader=self.player, trick=(), won=won)

    def describe(self, state: State) -> Text:
        """Describe the winner of the trick."""
        return won_words(self.player, self.card, self.points)


def won_words(player: str, card: int, points: int) -> Text:
    """Return the words for the winner of a trick."""
    return Text("trick.double" if points == 2 else "trick.won", {"player": player, "card": card})


class SecondBest(Game[State]):
    """The rules of Second Best."""

    id = "second_best"
    seats = range(2, 5)
    options = (Option("double_last", True, bool, "SB-5"),)
    turn_clause = "SB-3"
    fields = {"trick": "`player` and `card_id` of each card that lies there"}

    def start(self, setup: Setup) -> State:
        """Return the first state, in which the first player leads (SB-1, SB-2)."""
        return State(setup, setup.players[0])

    def view(self, state: State) -> View:
        """Return all public information."""
        # Hands are not in the state: nobody at the table knows them, and the view is public.
        over = state.phase == GAME_OVER
        return {
            "game": self.id,
            "phase": state.phase,
            "trick": [{"player": player, "card": card} for player, card in state.trick],
            "players": [{"name": name, "points": state.points(name)} for name in state.players],
            "waiting_for": [] if over else [{"do": "play", "player": state.acting_player}],
            "result": self.rank_scores([(name, (state.points(name),)) for name in state.players])
            if over
            else None,
        }

    def explain_points(self, state: State, player: str) -> Sequence[Reason]:
        """Explain the points (SB-4, SB-5), one line for each trick won."""
        return [
            Reason(won_words(winner, card, points), ("SB-4", "SB-5") if points == 2 else ("SB-4",), points)
            for winner, card, points in state.won
            if winner == player
        ]

    def explain_round(self, state: State) -> Sequence[Reason]:
        """Explain the last trick."""
        return [
            Reason(won_words(winner, card, points), ("SB-4",), points)
            for winner, card, points in state.won[-1:]
        ]

    def describe_awaited(self, state: State) -> Text:
        """Describe who must act now, and how."""
        if state.phase == GAME_OVER:
            return Text("awaited.game_over")
        return Text("awaited.play", {"player": state.acting_player})

    def list_choices(self, state: State, player: str | None) -> Sequence[Choice]:
        """List the cards that have not been played; each is typed as two digits."""
        if player != state.acting_player or state.phase == GAME_OVER:
            return ()
        return [
            # Two digits for every card, so that no key is the beginning of another.
            Choice(Text("choice.play", {"card": card}), Play(player, card), f"{card:02}")
            for card in CARDS
            if card not in state.spent
        ]

    def interpret_claims(self, state: State, claims: Sequence[Claim]) -> Sequence[Interpretation]:
        """Turn a card in front of the player in turn into a play (SB-3)."""
        # Seats count from 1 on the table, from 0 in the tuple of players.
        zone = f"seat:{state.players.index(state.acting_player) + 1}"
        return [
            Proposal(Play(state.acting_player, int(claim.card_id.name)), (claim.id,))
            for claim in claims
            if claim.zone == zone and claim.what is not None and claim.what.startswith("sb:")
        ][:1]

    def layout_cards(self, state: State) -> Mapping[str, tuple[str, ...]]:
        """Return where the cards of the running trick lie."""
        return {f"seat:{state.players.index(player) + 1} up": (f"sb:{card}",) for player, card in state.trick}


# The entry point in `pyproject.toml` names this instance.
GAME = SecondBest()
