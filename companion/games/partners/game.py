"""Partners as a game of the contract: options, public view and statistics. The rules are in
`moves`, the real table in `table`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, repeat
from typing import Annotated, Any, ClassVar

from companion.games.partners import moves, position, table, words
from companion.games.partners.board import SEATS, count_locked_pawns, format_places
from companion.games.partners.cards import COPIES, DEALS, LEAST, OPTIONS, Copies, build_deck
from companion.games.partners.state import TEAMS, State, build_first_state
from companion.rules.contract import (
    GAME_OVER,
    FieldDoc,
    Game,
    Option,
    PlayerRow,
    Reason,
    Refusal,
    Setup,
    TableView,
    Tally,
    Text,
    Waiting,
    refuse,
)


class PartnersRow(PlayerRow):
    """The public information about a player."""

    cards_left: Annotated[int, FieldDoc(description="cards in the hand")]
    pawns: Annotated[
        list[str],
        FieldDoc(
            description="the places of pawns 1 to 4: `base`, `start`, `goal:1` to `goal:4`, `K:S`, or `K:0` "
            "(option `swap_start`); with `hands_only` those not told to be locked are in the base"
        ),
    ]
    locked: Annotated[int, FieldDoc(description="pawns that never move again")]


class PartnersView(TableView):
    """The public information about the table."""

    players: list[PartnersRow]
    deal: Annotated[int, FieldDoc(description="1 to 3, of this dealer")]
    dealer: Annotated[str, FieldDoc(description="name")]
    gone: Annotated[list[str], FieldDoc(description="the cards that were shown since the last shuffle")]


class Partners(Game[State]):
    """Partners (T. Bisgaard): 1 and 3 against 2 and 4 bring all their pawns home by cards."""

    id = "partners"
    seats = range(4, 5)
    options = (Option("copies", COPIES, Copies, "PA-4"), *OPTIONS, Option("hands_only", False, bool, "PA-19"))
    cards: ClassVar = build_deck(COPIES)
    moves: ClassVar = moves
    turn_clause = "PA-5"
    view_type = PartnersView
    fields_left_out = frozenset({"last"})

    check_position = staticmethod(position.check_position)
    describe_awaited = staticmethod(words.describe_awaited)
    explain_points = staticmethod(words.explain_points)
    list_setup_steps = staticmethod(table.list_setup_steps)
    list_choices = staticmethod(table.list_choices)
    list_attempts = staticmethod(table.list_attempts)
    list_legal = staticmethod(table.list_legal)
    interpret_claims = staticmethod(table.interpret_claims)
    layout_cards = staticmethod(table.layout_cards)
    list_visible_cards = staticmethod(table.list_visible_cards)

    def list_sides(self, players: int) -> Sequence[Sequence[int]]:
        """Partners sit opposite (PA-18)."""
        return TEAMS

    # Nothing is harmless: to fold throws a whole hand away, and nobody can play for another.

    def check_options(self, setup: Setup) -> Refusal | None:
        """Refuse a deck that is too small for a dealer's three deals (PA-4)."""
        # The cards are dealt three times before they are shuffled again (PA-5).
        total = sum(build_deck(setup.options["copies"]).values())
        if total >= LEAST:
            return None
        return refuse("bad_option", "PA-4", message="too_few_cards", total=total, deals=DEALS, least=LEAST)

    def list_cards_in_play(self, setup: Setup) -> Mapping[Any, int | None]:
        """Return the kinds of cards of which there are copies (PA-4)."""
        return {kind: copies for kind, copies in build_deck(setup.options["copies"]).items() if copies}

    def start(self, setup: Setup) -> State:
        """Return the state in which the fourth player deals first (PA-5)."""
        return build_first_state(setup)

    def view(self, state: State) -> PartnersView:
        """Return the view; its fields are described in `PartnersView`."""
        names, pawns = state.players, state.pawns
        locked = count_locked_pawns(pawns)
        return {
            "game": "partners",
            "phase": state.phase,
            "players": [
                {
                    "name": name,
                    "points": points,
                    "cards_left": left,
                    "pawns": format_places(seat, pawns),
                    "locked": points,
                }
                for seat, name, points, left in zip(SEATS, names, locked, state.left, strict=True)
            ],
            "waiting_for": _list_awaited_requests(state),
            # The team with eight locked pawns has more than the other (PA-18).
            "result": self.rank_scores([(name, (locked[seat],)) for seat, name in enumerate(names)])
            if state.phase == GAME_OVER
            else None,
            "deal": state.deal,
            "dealer": names[state.dealer],
            "gone": [*chain.from_iterable(map(repeat, state.played, state.played.values()))],
        }

    def explain_round(self, state: State) -> Sequence[Reason]:
        """Explain the last card, pawn by pawn, with the clauses; empty before the first."""
        # The first event names the card; a fold has none.
        card = getattr(state.last[0], "card", "") if state.last else ""
        return [event.explain_effect(state, card) for event in state.last]

    def tally_event(self, before: State, event: Any, after: State) -> Sequence[Tally]:
        """Count a move for its player, and a pawn sent home for its owner too."""
        match event:
            case moves.CardPlayed():
                return (Tally("cards", Text(f"card.{event.card}"), event.player),)
            case moves.PawnSentHome(reason="captured"):
                return (
                    Tally("pawns", Text("figures.pawn.captured"), event.by),
                    Tally("pawns", Text("figures.pawn.lost"), event.owner),
                )
            case moves.PawnSentHome():
                return (Tally("pawns", Text("figures.pawn.lost"), event.owner),)
            case moves.PawnLocked():
                return (Tally("pawns", Text("figures.pawn.locked"), event.owner),)
            case moves.PawnsTold():
                return (Tally("pawns", Text("figures.pawn.locked"), event.player),) * event.pawns
            case moves.PlayerFolded():
                return (Tally("pawns", Text("figures.pawn.folded"), event.player),)
            case _:
                return ()


def _list_awaited_requests(state: State) -> list[Waiting]:
    if state.phase == "exchange":
        return [{"do": "exchanged", "player": None}]
    if state.phase == GAME_OVER:
        return []
    if state.phase == "told":
        rows = zip(state.players, state.told, strict=True)
        return [{"do": "home", "player": name} for name, told in rows if told is None]
    name = state.players[state.turn]
    return [{"do": "play", "player": name}, {"do": "fold", "player": name}]


GAME = Partners()
