"""Ochs & Esel as a game of the contract: options, public view, statistics and odds. The rules are
in `moves`, the real table in `table`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from math import comb
from typing import Annotated, Any, ClassVar, TypedDict

import msgspec

from companion.games.ochs_und_esel import moves, position, table, words
from companion.games.ochs_und_esel.cards import DEALABLE, DECK, JOKER, JOKERS_ALONE, NUMBERS, OX, Animal, Kind
from companion.games.ochs_und_esel.state import State, build_first_state
from companion.rules.contract import (
    GAME_OVER,
    Chance,
    CountAndValue,
    FieldDoc,
    Game,
    Option,
    PlayerRow,
    Refusal,
    Setup,
    TableView,
    Tally,
    Text,
    refuse,
)

_AtLeastOne = Annotated[int, msgspec.Meta(ge=1)]


class ShownPlay(TypedDict):
    """A player's play in a trick."""

    player: str
    cards: tuple[str, ...]


class OchsRow(PlayerRow):
    """The public information about a player."""

    hand: Annotated[
        int,
        FieldDoc(description="cards in the hand, animals included; with `hands_only` as dealt, then as told"),
    ]
    pile: Annotated[int, FieldDoc(description="cards in front from an ox trick")]


class OchsView(TableView):
    """The public information about the table."""

    players: list[OchsRow]
    hand_number: Annotated[int, FieldDoc(description="from 1")]
    hands: Annotated[int, FieldDoc(description="how many are played")]
    trick: Annotated[
        int,
        FieldDoc(description="its number in the hand; 0 with `hands_only`, where tricks are not heard of"),
    ]
    trick_kind: Annotated[Kind | None, FieldDoc(description="`normal`, `donkey`, `ox` or null")]
    leader: Annotated[str, FieldDoc(description="who leads or led this trick")]
    to_beat: Annotated[
        CountAndValue | None,
        FieldDoc(description="`count` and `value` of the last play, or null; null in animal tricks"),
    ]
    plays: Annotated[
        list[ShownPlay],
        FieldDoc(description="`player` and `cards` of each act of this trick; no cards: a pass"),
    ]
    donkey: Annotated[str | None, FieldDoc(description="its holder's name, `middle`, or null")]
    donkey_free_in: Annotated[
        int | None,
        FieldDoc(
            description="tricks until its holder may lead it, 0: in this one; null while nobody holds it"
        ),
    ]
    ox: Annotated[str | None, FieldDoc(description="as `donkey`")]
    ox_free_in: Annotated[int | None, FieldDoc(description="as `donkey_free_in`")]
    dealer: Annotated[
        str, FieldDoc(description="who deals this hand: the right neighbour of its first player")
    ]
    deal: Annotated[int, FieldDoc(description="cards dealt to each")]
    put_aside: Annotated[int, FieldDoc(description="cards of the deck that are not dealt")]
    gone: Annotated[
        list[str],
        FieldDoc(
            description="cards of this hand that are out of all hands: shed, in this trick, in front from an ox trick, laid out and counted"
        ),
    ]


class OchsUndEsel(Game[State]):
    """Ochs & Esel (W. Kramer, 2008): shed cards, do not keep the donkey. Fewest penalties win."""

    id = "ochs_und_esel"
    seats = range(3, 13)
    options = (
        Option("deal", None, _AtLeastOne | None, "OE-2"),
        Option(
            "rounds",
            5,
            _AtLeastOne,
            "OE-9",
            "Les joueurs peuvent convenir d'un autre nombre pour modifier la durée de la partie.",
        ),
        Option("ox", False, bool, "OE-20", "Dans cette variante intervient le bœuf."),
        Option("hands_only", False, bool, "OE-12"),
    )
    cards: ClassVar = DECK
    moves: ClassVar = moves
    turn_clause = "OE-4"
    view_type = OchsView
    lowest_wins = True

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
        """Return the chance that the player to follow in a normal trick holds a set that beats it
        (OE-5).

        Each card that nobody has seen go is as likely as any to be in that hand, those too that an
        animal's trick brought to somebody.
        """
        if state.phase != "follow" or state.kind != "normal" or state.to_beat is None:
            return None
        # Animals cannot be part of a set, so only numbers and jokers count.
        left = dict(table.list_unseen_cards(state))
        count, value, held, jokers = *state.to_beat, state.cards[state.turn], left.pop(JOKER, 0)
        among = comb(sum(left.values()) + jokers, held)
        beaten = 0
        # By the number of jokers in the hand: it decides how many equal cards are enough.
        for helping in range(min(jokers, held) + 1):
            # As many jokers as cards asked for beat the set by themselves, unless it is jokers,
            # too.
            if helping < count or value >= JOKERS_ALONE:
                enough = {one: count - helping for one in NUMBERS if int(one) > value}
                beaten += comb(jokers, helping) * _count_hands_without(left, enough, held - helping)
        # Counted are the hands without an answer; the others beat the set.
        return Chance("odds.beaten", among - beaten, among) if among else None

    def check_options(self, setup: Setup) -> Refusal | None:
        """Refuse a deal that needs more cards than there are (OE-2)."""
        deal, players = setup.options["deal"], len(setup.players)
        if deal is None or deal * players <= DEALABLE:
            return None
        return refuse(
            "bad_option", "OE-2", message="deal_too_large", deal=deal, players=players, cards=DEALABLE
        )

    def list_cards_in_play(self, setup: Setup) -> Mapping[Any, int | None]:
        """Return the cards, without the ox unless it is played (OE-1, OE-20)."""
        return {card: copies for card, copies in DECK.items() if card != OX or setup.options["ox"]}

    def start(self, setup: Setup) -> State:
        """Return the state in which the first player leads (OE-2, OE-3, OE-20)."""
        return build_first_state(setup)

    def view(self, state: State) -> OchsView:
        """Return the view; its fields are described in `OchsView`."""
        names = state.players
        return {
            "game": "ochs_und_esel",
            "phase": state.phase,
            "players": [
                {
                    "name": name,
                    "points": state.points[seat],
                    "hand": state.count_hand(seat),
                    "pile": len(state.piles[seat]),
                }
                for seat, name in enumerate(names)
            ],
            "waiting_for": [{"do": do, "player": player} for do, player in _list_awaited_requests(state)],
            # Fewest points win, ties are shared (OE-9).
            "result": self.rank_scores(
                [(name, (points,)) for name, points in zip(state.players, state.points, strict=True)]
            )
            if state.phase == GAME_OVER
            else None,
            "hand_number": state.hand_number,
            "hands": state.setup.options["rounds"],
            "trick": state.trick_number,
            "trick_kind": state.kind,
            "leader": names[state.leader],
            "dealer": names[state.dealer],
            "deal": state.deal,
            "put_aside": state.undealt_count,
            "to_beat": None
            if state.to_beat is None
            else {"count": state.to_beat[0], "value": state.to_beat[1]},
            "plays": [{"player": names[play.seat], "cards": play.cards} for play in state.plays],
            "donkey": _locate_animal(state, "donkey"),
            "donkey_free_in": _count_tricks_to_wait(state, "donkey"),
            "ox": _locate_animal(state, "ox"),
            "ox_free_in": _count_tricks_to_wait(state, "ox"),
            "gone": [*chain.from_iterable(state.list_open_cards())],
        }

    def tally_event(self, before: State, event: Any, after: State) -> Sequence[Tally]:
        """Count a trick for its winner, an animal for the player who takes it, a hand for
        everybody."""
        match event:
            case moves.TrickEnded():
                return (Tally("tricks", Text(f"figures.trick.{event.trick_kind}"), event.winner),)
            case moves.AnimalTaken():
                return (Tally("animals", Text(f"card.{event.animal}"), event.player),)
            case moves.HandScored(penalties=penalties):
                rows = zip(after.players, penalties, strict=True)
                return [Tally("hands", Text("figures.hand"), name, points) for name, points in rows]
            case _:
                return ()


def _locate_animal(state: State, animal: Animal) -> str | None:
    """Return the name of the animal's holder, `middle`, or None."""
    at = state.beast_of(animal).at
    return state.players[at] if isinstance(at, int) else at


def _count_tricks_to_wait(state: State, animal: Animal) -> int | None:
    """Return the number of tricks that the holder still has to wait (OE-8, OE-20); None if no
    player holds the animal in a running hand."""
    # Between the hands nobody leads: the number would be that of the last hand.
    held = isinstance(state.beast_of(animal).at, int) and state.phase in ("lead", "follow")
    return state.count_tricks_to_wait(animal) if held else None


def _list_awaited_requests(state: State) -> list[tuple[str, str | None]]:
    """List the acceptable requests, each with its player."""
    name = state.players[state.turn]
    match state.phase:
        case "lead":
            return [("pass" if state.cannot_lead() else "play", name)]
        case "follow" if state.has_only_animals(state.turn):
            return [("pass", name)]
        case "follow":
            # In an animal trick everybody who can must play (OE-7, OE-21).
            return [("play", name), ("pass", name)] if state.kind == "normal" else [("play", name)]
        case "hands" if state.is_pile_awaited():
            # Anybody may have taken the ox: nothing is known of the tricks.
            return [("pile", name) for name in state.players]
        case "hands":
            return [("hand", state.players[seat]) for seat in state.list_unreported_seats()]
        case _:
            return []


def _count_hands_without(left: Mapping[str, int], enough: Mapping[str, int], held: int) -> int:
    """Count the ways to hold `held` of the cards `left` with fewer than `enough` of each named
    value."""
    ways = [1]
    for value, copies in left.items():
        # Values that are not named may be held in any number.
        most = min(copies, enough.get(value, copies + 1) - 1)
        ways = [
            sum(
                ways[size - own] * comb(copies, own)
                for own in range(min(most, size) + 1)
                if size - own < len(ways)
            )
            for size in range(held + 1)
        ]
    return ways[held]


GAME = OchsUndEsel()
