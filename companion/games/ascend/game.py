"""Ascend as a game of the contract: its options, what everybody may know, what is counted. The
rules are in `moves`, the real table in `table`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb
from typing import Annotated, Any, ClassVar, TypeAlias, TypedDict

import msgspec

from companion.games.ascend import moves, position, table, words
from companion.games.ascend.cards import CARDS, DECKS, RANKS, SUITS, Deck
from companion.games.ascend.combinations import (
    Bombs,
    BombSize,
    Family,
    Kind,
    find_play_fault,
    find_required_suits,
    recognise_combination,
)
from companion.games.ascend.moves import HandScored, find_promise_obstacle, find_promise_report_obstacle
from companion.games.ascend.state import Shares, State, build_first_state
from companion.rules.contract import (
    GAME_OVER,
    Chance,
    FieldDoc,
    Game,
    Named,
    Option,
    PlayerRow,
    Setup,
    TableView,
    Tally,
    Text,
    format_points,
)

Target: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]
TARGET, TARGET_WITH_BIDDING = 50, 75
"""AS-21: the default target, without and with bidding: the points at which the game ends."""


class ShownTrick(TypedDict):
    """The last play of a trick."""

    kind: Kind
    count: int
    rank: str
    player: str


class ShownPromise(TypedDict):
    """A promise that has been made and is not decided yet."""

    player: str
    worth: int


class AscendRow(PlayerRow):
    """The public information about a player."""

    hand: Annotated[int, FieldDoc(description="cards in the hand; with `hands_only` as dealt until out")]


class AscendView(TableView):
    """The public information about the table."""

    players: list[AscendRow]
    hand_number: Annotated[int, FieldDoc(description="from 1")]
    target: Annotated[int, FieldDoc(description="points that end the game")]
    dealer: Annotated[str, FieldDoc(description="who deals this hand")]
    leader: Annotated[str, FieldDoc(description="who leads or led this trick")]
    trick: Annotated[
        ShownTrick | None,
        FieldDoc(
            description="`kind` (`single`, `set`, `run`, `bomb`), `count`, `rank` and `player` of the last play, or null"
        ),
    ]
    suits: Annotated[
        list[str] | None,
        FieldDoc(
            description="the suits of which the next single must have one, the Excuse aside; null where none binds"
        ),
    ]
    before_excuse: Annotated[
        str | None, FieldDoc(description="the single that binds after an Excuse in the middle, or null")
    ]
    sequence: Annotated[
        Family | None,
        FieldDoc(description="`set` or `run`: which of the two this trick takes; null while either may come"),
    ]
    gone: Annotated[list[str], FieldDoc(description="the cards played in this hand")]
    order_out: Annotated[list[str], FieldDoc(description="names, in the order of going out")]
    promise: Annotated[ShownPromise | None, FieldDoc(description="`player` and `worth`, or null")]


class Ascend(Game[State]):
    """Ascend (D. Muilwijk): climb with singles, sets, runs, bombs; be out first. Most points."""

    id = "ascend"
    seats = range(3, 5)
    options = (
        Option(
            "deck",
            "extended",
            Deck,
            "AS-1",
            "… vous pouvez éventuellement ne jouer qu'avec le paquet de base.",
        ),
        Option("target", TARGET, Target, "AS-21", "… vous pouvez modifier cette limite arbitraire…"),
        Option(
            "bidding",
            False,
            bool,
            "AS-30",
            "… le joueur promet qu'il sera le premier à se débarrasser de toutes ses cartes.",
        ),
        Option(
            "shares",
            "exact",
            Shares,
            "AS-30",
            "… ses adversaires se partagent à part égale cette même valeur.",
        ),
        Option(
            "bombs",
            "any",
            Bombs,
            "AS-13",
            "… cartes de Personnages qui ne coïncident pas par la couleur ou par le rang. […] "
            "Certains sets ne comportant que des personnages peuvent être définis comme des bombes.",
        ),
        Option(
            "bomb_size",
            "same",
            BombSize,
            "AS-14",
            "Une bombe doit être suivie par une bombe de taille équivalente ou supérieure…",
        ),
        Option("hands_only", False, bool, "AS-22"),
    )
    cards: ClassVar = DECKS["extended"]
    moves: ClassVar = moves
    turn_clause = "AS-4"
    view_type = AscendView

    check_position = staticmethod(position.check_position)
    describe_awaited = staticmethod(words.describe_awaited)
    explain_points = staticmethod(words.explain_points)
    explain_round = staticmethod(words.explain_round)
    list_setup_steps = staticmethod(table.list_setup_steps)
    list_choices = staticmethod(table.list_choices)
    list_attempts = staticmethod(table.list_attempts)
    generate_plays = staticmethod(table.generate_plays)
    interpret_claims = staticmethod(table.interpret_claims)
    layout_cards = staticmethod(table.layout_cards)
    list_visible_cards = staticmethod(table.list_visible_cards)
    default_request = staticmethod(table.default_request)

    def compute_odds(self, state: State) -> Chance | None:
        """Return the chance that the player to answer a single holds a card that beats it (AS-10,
        AS-16); each unplayed card is equally likely to be in that hand.

        There are no odds for sets, runs and bombs.
        """
        trick = state.trick
        if state.phase != "play" or trick is None or trick.last.kind != "single":
            return None
        singles = [recognise_combination([CARDS[card]]) for card in state.list_unplayed_cards()]
        weak = [one for one in singles if one is not None and find_play_fault(trick, one) is not None]
        # Every hand of this size is equally likely; those of weak cards only do not beat it.
        held = state.hands[state.turn]
        among = comb(len(singles), held)
        return Chance("odds.beaten", among - comb(len(weak), held), among) if among else None

    def default_options(self, chosen: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the defaults; the target is 75 with bidding (AS-21)."""
        target = TARGET_WITH_BIDDING if chosen.get("bidding") else TARGET
        return {**super().default_options(chosen), "target": target}

    def list_cards_in_play(self, setup: Setup) -> Mapping[Any, int | None]:
        """Return the cards of the chosen deck (AS-1)."""
        return DECKS[setup.options["deck"]]

    def describe_card_attributes(self, card: Named) -> Mapping[str, Any]:
        """Return a card's rank, its suits, and whether it is a personality (AS-1)."""
        found = CARDS[str(card)]
        suits = [suit for suit in SUITS if suit in found.suits]
        return {"rank": RANKS[found.rank], "suits": suits, "personality": found.personality}

    def start(self, setup: Setup) -> State:
        """Return the state in which the first player leads the first hand (AS-3)."""
        return build_first_state(setup)

    def view(self, state: State) -> AscendView:
        """Return the view; its fields are described in `AscendView`."""
        names, trick, promise = state.players, state.trick, state.promise
        suits = frozenset[str]() if trick is None else find_required_suits(trick)
        return {
            "game": "ascend",
            "phase": state.phase,
            "players": [
                {"name": name, "points": format_points(state.points[seat]), "hand": state.hands[seat]}
                for seat, name in enumerate(names)
            ],
            "waiting_for": [{"do": do, "player": player} for do, player in _list_awaited_requests(state)],
            "result": self.rank_scores(
                [(name, (points,)) for name, points in zip(state.players, state.points, strict=True)]
            )
            if state.phase == GAME_OVER
            else None,
            "hand_number": state.hand_number,
            "target": state.setup.options["target"],
            "dealer": names[state.dealer],
            "leader": names[state.leader],
            "trick": None
            if trick is None
            else {
                "kind": trick.last.kind,
                "count": trick.last.count,
                "rank": trick.last.rank_name,
                "player": names[trick.seat],
            },
            "suits": [suit for suit in SUITS if suit in suits] or None,
            "before_excuse": None if trick is None or trick.before_excuse is None else trick.cards[-2],
            "sequence": None if trick is None else trick.family,
            "gone": list(state.spent),
            "order_out": [names[seat] for seat in state.order_out],
            "promise": None if promise is None else {"player": names[promise.seat], "worth": promise.worth},
        }

    def tally_event(self, before: State, event: Any, after: State) -> Sequence[Tally]:
        """Count a hand when it is scored: everybody's place with its points, and the promise."""
        if not isinstance(event, HandScored):
            return ()
        rows = zip(event.order, event.points, strict=True)
        found = [
            Tally("places", Text("figures.place", {"place": place}), player, points)
            for place, (player, points) in enumerate(rows, 1)
        ]
        if (bid := event.promise) is not None:
            word = Text("figures.promise.kept" if bid.kept else "figures.promise.broken")
            found.append(Tally("promises", word, bid.player, bid.worth if bid.kept else 0, bid.kept))
        return found


def _list_awaited_requests(state: State) -> list[tuple[str, str | None]]:
    """List the acceptable requests; a promise only while one can be made."""
    if state.phase == "exchange":
        return [("exchanged", None)]
    if state.phase == "hands":
        told = ("out",) if find_promise_report_obstacle(state) else ("out", "promised")
        return [(do, player) for player in state.players_with_cards for do in told]
    if state.phase == GAME_OVER:
        return []
    player = state.players[state.turn]
    if state.trick is None:
        return [("play", player)]
    waiting: list[tuple[str, str | None]] = [("play", player), ("pass", player)]
    last = state.players[state.trick.seat]
    if find_promise_obstacle(state, last) is None:
        # Though it is another's turn: a promise comes right after the play (AS-30).
        waiting.append(("promise", last))
    return waiting


GAME = Ascend()
