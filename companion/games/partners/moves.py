"""Partners by its rules: the phases, the requests of players, and the events.

Everything that moves the game is here. `PHASES` lists the phases and the event that follows in each
without a request. A request returns what it leads to (`decide`), an event changes the state
(`apply`) and is described (`describe`). `judge_play`, at the end, checks whether a play is legal,
and if not, why (PA-10 to PA-17). Places are named as on the wire (PA-3).

A deal goes from `exchange` to `play`, and then to the next deal's `exchange` or to `game_over`.
With `hands_only` (PA-19) the game is the one phase `reported`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from companion.games.partners.board import (
    BASE,
    INNER,
    LAST,
    OUTER,
    PAWNS,
    START,
    Pawns,
    find_locked_places,
    find_moving_seat,
    format_place,
    measure_progress,
    parse_place,
    pawns_of_seat,
    with_pawn,
)
from companion.games.partners.cards import BACK, DEALS, HAND, LEAVING, SPLIT, STEPS, SWAP
from companion.games.partners.movement import (
    SEVEN,
    Obstacle,
    Steps,
    can_play,
    can_swap,
    land_pawn,
    leave_base,
    list_plays,
    move_back_four,
    move_forward,
    swap_pawns,
)
from companion.games.partners.state import TEAMS, State
from companion.games.partners.words import (
    describe_awaited,
    describe_card,
    describe_named_place,
    describe_place,
)
from companion.rules.contract import (
    GAME_OVER,
    Decision,
    Event,
    Phase,
    Question,
    Reason,
    Refusal,
    Request,
    Text,
    refuse,
    replace_at_seat,
)
from companion.rules.deck_checks import find_unknown_card
from companion.rules.options import describe_option_value


def _event_after_card(state: State) -> Event | None:
    """End the game (PA-18), pass the turn to the next player with cards, or deal (PA-5)."""
    if not state.done:
        return None
    names = state.players
    if state.winning_seats:
        one, other = state.winning_seats
        return GameWon((names[one], names[other]))
    # The fourth ahead is the player again, who may be the last one with cards.
    for ahead in range(1, HAND + 1):
        seat = (state.turn + ahead) % 4
        if state.left[seat]:
            return TurnPassed(names[seat])
    if state.deal < DEALS:
        return CardsDealt(names[state.dealer], state.deal + 1, shuffled=False)
    return CardsDealt(names[(state.dealer + 1) % 4], 1, shuffled=True)


def _event_after_reports(state: State) -> Event | None:
    """End the game when all four have entered their pawns (PA-19)."""
    if None in state.told:
        return None
    one, other = state.winning_seats
    return GameWon((state.players[one], state.players[other]))


PHASES = {
    "exchange": Phase("PA-5"),
    "play": Phase("PA-7", then=_event_after_card),
    "told": Phase("PA-19", then=_event_after_reports),
    "game_over": Phase("PA-18"),
}


# ---- the exchange (PA-5) ----


class Exchanged(Request):
    """PA-5: partners have exchanged a card each, face down."""

    phase, clause = "exchange", "PA-5"

    def decide(self, state: State) -> Decision:
        """Begin to play (PA-5): the player at the dealer's left is first."""
        return CardsExchanged(state.players[state.first_seat])


class CardsExchanged(Event):
    """PA-5: partners have exchanged cards; `player` plays first."""

    player: str

    def apply(self, state: State) -> State:
        return replace(state, phase="play", turn=state.players.index(self.player))

    def describe(self, state: State) -> Text:
        return Text("event.exchanged", {"player": self.player})


# ---- a card and its moves (PA-7, PA-10 to PA-17) ----


class Move(msgspec.Struct, frozen=True):
    """A pawn's landing place: its owner's name, its number 1..4 and the place (PA-3), even where
    PA-12 then sends it home."""

    owner: str
    pawn: int
    to: str


class Play(Request):
    """PA-7: play a card and move by it: one entry per pawn, several for a `7`, the two pawns with
    their new places for `swap`."""

    phase, clause = "play", "PA-5"
    player: str
    card: str
    moves: tuple[Move, ...]

    def mentioned_players(self) -> Sequence[str]:
        return [move.owner for move in self.moves]

    def decide(self, state: State) -> Decision:
        """Check that the card is there (PA-4, PA-5) and that the moves are legal (PA-10 to
        PA-17)."""
        refusal = _check_cards_left(state, self.card)
        if refusal is not None:
            return refusal
        effect = judge_play(state, self.card, self.moves)
        return effect if isinstance(effect, Refusal) else (CardPlayed(self.player, self.card), *effect)


class Moves(Question):
    """A question for every legal play of a card, each as the list that `play` takes."""

    phase, clause = "play", "PA-5"
    player: str
    card: str

    def answer(self, state: State) -> Mapping[str, Any] | Refusal:
        """List the plays of the player in turn (PA-10 to PA-17)."""
        refusal = _check_cards_left(state, self.card)
        if refusal is not None:
            return refusal
        found = list_plays(state.pawns, state.turn, self.card, state.setup.options)
        return {"moves": [build_moves(state, play) for play in found]}


def build_moves(state: State, play: Steps) -> tuple[Move, ...]:
    """Return a play as the entries of a request."""
    return tuple(Move(state.players[at // 4], at % 4 + 1, format_place(at // 4, to)) for at, to in play)


def _check_cards_left(state: State, *cards: str) -> Refusal | None:
    """Refuse a card that is not in the game, or of which every copy has been played since the last
    shuffle (PA-5)."""
    deck, played = state.deck, state.played
    unknown = find_unknown_card(deck, cards)
    if unknown is not None:
        return refuse("unknown_card", "PA-4", card=repr(unknown[:20]))
    for card in cards:
        copies = deck[card]
        if cards.count(card) <= copies - played.get(card, 0):
            continue
        if not copies:
            return refuse("no_such_card", "PA-5", message="card_taken_out", card=describe_card(card))
        return refuse("no_such_card", "PA-5", card=describe_card(card), copies=copies)
    return None


class _Reported(Event):
    """The effect of a card or a fold: kept in the state until the next one, for the report."""

    cites: ClassVar[tuple[str, ...]]

    def apply(self, state: State) -> State:
        return replace(state, last=(*state.last, self))

    def describe(self, state: State) -> Text:
        raise NotImplementedError(type(self).__name__)

    def explain_effect(self, state: State, card: str) -> Reason:
        """Describe it in the report of `card`, with the clauses that allow it."""
        return Reason(self.describe(state), self.cites)


class CardPlayed(_Reported):
    """PA-7: a card was played."""

    cites = ("PA-7",)
    player: str
    card: str

    def apply(self, state: State) -> State:
        seat = state.players.index(self.player)
        left = replace_at_seat(state.left, seat, state.left[seat] - 1)
        return replace(
            state, left=left, played=_add_counts(state.played, (self.card,)), last=(self,), done=True
        )

    def describe(self, state: State) -> Text:
        return Text("event.card_played", {"player": self.player, "card": describe_card(self.card)})


def _add_counts(counts: Mapping[str, int], cards: Iterable[str]) -> Mapping[str, int]:
    count = dict(counts)
    for card in cards:
        count[card] = count.get(card, 0) + 1
    return count


def _place_pawn(state: State, pawns: Pawns, owner: str, pawn: int, place: str) -> Pawns:
    seat = state.players.index(owner)
    number = parse_place(seat, place)
    assert number is not None, place
    return with_pawn(pawns, 4 * seat + pawn - 1, number)


class PawnMoved(_Reported):
    """PA-10 to PA-15: a pawn went from one place to another, perhaps the same."""

    owner: str
    pawn: int
    source: str
    to: str

    def apply(self, state: State) -> State:
        pawns = _place_pawn(state, state.pawns, self.owner, self.pawn, self.to)
        return replace(state, pawns=pawns, last=(*state.last, self))

    def describe(self, state: State) -> Text:
        source, to = (describe_named_place(state, self.owner, name) for name in (self.source, self.to))
        args = {"owner": self.owner, "pawn": self.pawn, "source": source, "to": to}
        return Text("event.pawn_stays" if self.source == self.to else "event.pawn_moved", args)

    def explain_effect(self, state: State, card: str) -> Reason:
        """Cite the clause that allows the distance, and the goal's clauses when it went into or out
        of the goal."""
        way = "PA-10" if self.source == "base" else {BACK: "PA-14", SPLIT: "PA-15"}.get(card, "PA-4")
        goal = self.source != "base" and any(one.startswith("goal") for one in (self.source, self.to))
        said = self.describe(state)
        if card == BACK and goal:  # only one reading lets it
            ruling = describe_option_value("back_from_goal", "unlocked")
            said = Text("report.back_from_goal", {**said.args, "ruling": ruling})
        return Reason(said, (way, "PA-13") if goal else (way,))

    def describe_step(self, state: State) -> Text:
        """Describe it briefly, for the menu of the player in turn; a partner's pawn is marked
        (PA-17)."""
        code = "step.stays" if self.source == self.to else "step.moved"
        whose = "" if self.owner == state.players[state.turn] else "_partner"
        args = {
            "owner": self.owner,
            "pawn": self.pawn,
            "to": describe_named_place(state, self.owner, self.to),
        }
        return Text(code + whose, args)


class PawnSentHome(_Reported):
    """PA-12: a pawn went back to its base: `captured` by a pawn of `by` that landed on it, or
    because it landed on a `stack` of `by`."""

    cites = ("PA-12",)
    owner: str
    pawn: int
    source: str
    reason: Literal["captured", "stack"]
    by: str

    def apply(self, state: State) -> State:
        pawns = _place_pawn(state, state.pawns, self.owner, self.pawn, "base")
        return replace(state, pawns=pawns, last=(*state.last, self))

    def describe(self, state: State) -> Text:
        args = {"owner": self.owner, "pawn": self.pawn, "by": self.by}
        return Text(f"event.sent_home.{self.reason}", args)

    def explain_effect(self, state: State, card: str) -> Reason:
        """Cite this table's option where a pawn captured one of its own colour."""
        if self.reason == "stack" or self.by != self.owner:
            return super().explain_effect(state, card)
        args = {
            "owner": self.owner,
            "pawn": self.pawn,
            "ruling": describe_option_value("own_pawn", "capture"),
        }
        return Reason(Text("report.own_captured", args), self.cites)

    def describe_step(self, state: State) -> Text:
        return Text(f"step.{self.reason}", {"owner": self.owner, "pawn": self.pawn, "by": self.by})


class PawnsSwapped(_Reported):
    """PA-16: two pawns exchanged places; `to` is the new place of the first, `other_to` of the
    second."""

    cites = ("PA-16",)
    owner: str
    pawn: int
    to: str
    other_owner: str
    other_pawn: int
    other_to: str

    def apply(self, state: State) -> State:
        first = _place_pawn(state, state.pawns, self.owner, self.pawn, self.to)
        pawns = _place_pawn(state, first, self.other_owner, self.other_pawn, self.other_to)
        return replace(state, pawns=pawns, last=(*state.last, self))

    def describe(self, state: State) -> Text:
        places = {
            "to": describe_named_place(state, self.owner, self.to),
            "other_to": describe_named_place(state, self.other_owner, self.other_to),
        }
        return Text("event.pawns_swapped", self._build_pawn_args() | places)

    def describe_step(self, state: State) -> Text:
        return Text("step.swapped", self._build_pawn_args())

    def _build_pawn_args(self) -> dict[str, Any]:
        return {
            "owner": self.owner,
            "pawn": self.pawn,
            "other_owner": self.other_owner,
            "other_pawn": self.other_pawn,
        }


class PawnLocked(_Reported):
    """PA-13: a pawn can never move again."""

    cites = ("PA-13",)
    owner: str
    pawn: int
    place: str

    def describe(self, state: State) -> Text:
        place = describe_named_place(state, self.owner, self.place)
        return Text("event.pawn_locked", {"owner": self.owner, "pawn": self.pawn, "place": place})

    def describe_step(self, state: State) -> Text:
        return Text("step.locked")


Effect: TypeAlias = PawnMoved | PawnSentHome | PawnsSwapped | PawnLocked
"""The effects of a card on pawns; each describes itself in a menu (`describe_step`)."""


# ---- a fold (PA-6) ----


class Fold(Request):
    """PA-6: no card can be used, all are discarded; `cards` when they are shown."""

    phase, clause, is_pass = "play", "PA-5", True
    player: str
    cards: tuple[str, ...] | None = None

    def decide(self, state: State) -> Decision:
        """Check the cards if they were shown (PA-6)."""
        count = state.left[state.turn]
        # The referee knows no hand: cards that are not shown have to be believed.
        refusal = None if self.cards is None else _check_fold(state, self.cards, count)
        return refusal or PlayerFolded(self.player, count, self.cards)


def _check_fold(state: State, cards: tuple[str, ...], count: int) -> Refusal | None:
    unknown = find_unknown_card(state.deck, cards)
    if unknown is not None:
        return refuse("unknown_card", "PA-4", card=repr(unknown[:20]))
    if len(cards) != count:
        return refuse("bad_count", "PA-6", shown=len(cards), count=count)
    refusal = _check_cards_left(state, *cards)
    if refusal is not None:
        return refusal
    for card in cards:
        if can_play(state.pawns, state.turn, card, state.setup.options):
            return refuse("could_play", "PA-7" if card == "swap" else "PA-6", card=describe_card(card))
    return None


class PlayerFolded(_Reported):
    """PA-6: a player discarded the whole hand, `count` cards; `cards` if shown, else null."""

    cites = ("PA-6",)
    player: str
    count: int
    cards: tuple[str, ...] | None

    def apply(self, state: State) -> State:
        left = replace_at_seat(state.left, state.players.index(self.player), 0)
        # PA-6: cards that were not shown do not count as played.
        return replace(
            state, left=left, played=_add_counts(state.played, self.cards or ()), last=(self,), done=True
        )

    def describe(self, state: State) -> Text:
        if self.cards is None:
            return Text("event.folded", {"player": self.player}, self.count)
        cards = tuple(describe_card(card) for card in self.cards)
        return Text("event.folded_shown", {"player": self.player, "cards": cards})


# ---- a game of which only the end is told (PA-19) ----


class Home(Request):
    """PA-19: how many pawns of `player` are locked in the goal at the end."""

    phase, clause, in_turn = "told", "PA-19", False
    player: str
    pawns: int

    def decide(self, state: State) -> Decision:
        """Accept each player once (PA-18, PA-19); exactly one team has all its eight pawns home."""
        seat = state.players.index(self.player)
        if state.told[seat] is not None:
            return refuse("already_done", "PA-19", player=self.player, awaited=describe_awaited(state))
        if not 0 <= self.pawns <= PAWNS:
            return refuse("bad_count", "PA-2", message="no_such_number", count=self.pawns)
        # With this number in its place: the rest must still allow exactly one winner.
        wins = [_judge_team(replace_at_seat(state.told, seat, self.pawns), team) for team in TEAMS]
        if wins == [False, False]:
            return refuse("bad_count", "PA-18", message="nobody_won", player=self.player)
        if wins == [True, True]:
            return refuse("bad_count", "PA-18", message="both_won", player=self.player)
        return PawnsTold(self.player, self.pawns)


def _judge_team(reported: Sequence[int | None], team: Sequence[int]) -> bool | None:
    """Tell whether this team has all its pawns home (PA-18); None while that is open."""
    home = [reported[seat] for seat in team]
    if all(one == PAWNS for one in home):
        return True
    return None if all(one in (None, PAWNS) for one in home) else False


class PawnsTold(_Reported):
    """PA-19: the number of the player's pawns that are locked at the end; they fill the goal from
    inside (PA-13), and the places of the others are unknown."""

    cites = ("PA-18", "PA-19")
    player: str
    pawns: int

    def apply(self, state: State) -> State:
        seat = state.players.index(self.player)
        # Innermost first: locked pawns fill the goal without a gap (PA-13).
        for pawn in range(self.pawns):
            state = replace(state, pawns=with_pawn(state.pawns, 4 * seat + pawn, INNER - pawn))
        return super().apply(replace(state, told=replace_at_seat(state.told, seat, self.pawns)))

    def describe(self, state: State) -> Text:
        return Text("event.told", {"player": self.player}, self.pawns)


# ---- whose turn is next, the next deal, the end (PA-5, PA-18) ----


class TurnPassed(Event):
    """PA-5: `player` is to play now."""

    player: str

    def apply(self, state: State) -> State:
        return replace(state, turn=state.players.index(self.player), done=False)

    def describe(self, state: State) -> Text:
        return Text("event.turn_passed", {"player": self.player})


class CardsDealt(Event):
    """PA-5: the next cards were dealt, after shuffling when `shuffled`."""

    dealer: str
    deal: int
    shuffled: bool

    def apply(self, state: State) -> State:
        dealer = state.players.index(self.dealer)
        return replace(
            state,
            phase="exchange",
            dealer=dealer,
            deal=self.deal,
            turn=(dealer + 1) % 4,
            left=(HAND,) * 4,
            played={} if self.shuffled else state.played,
            done=False,
        )

    def describe(self, state: State) -> Text:
        code = "event.shuffled" if self.shuffled else "event.dealt"
        return Text(code, {"dealer": self.dealer, "deal": self.deal, "deals": DEALS, "hand": HAND})


class GameWon(_Reported):
    """PA-18: all eight pawns of a team are locked."""

    cites = ("PA-18",)
    winners: tuple[str, str]

    def apply(self, state: State) -> State:
        return replace(super().apply(state), phase=GAME_OVER)

    def describe(self, state: State) -> Text:
        return Text("event.game_won", {"winners": self.winners})


# ---- whether a play is legal, and what it does (PA-10 to PA-17) ----


def judge_play(state: State, card: str, moves: Sequence[Move]) -> tuple[Effect, ...] | Refusal:
    """Check a `play` of `card` by the player in turn; return its effects, or `illegal_move` with
    the reason."""
    steps = []
    for move in moves:
        entry = _parse_move(state, move)
        if isinstance(entry, Refusal):
            return entry
        steps.append(entry)
    if not steps:
        return _refuse_illegal_move("PA-7", "no_moves", card=describe_card(card))
    if card == SWAP:
        return _judge_swap(state, steps)
    if card == SPLIT:
        return _judge_split(state, steps)
    return _judge_single_move(state, card, steps)


def _refuse_illegal_move(clause: str, reason: str, **args: object) -> Refusal:
    return refuse("illegal_move", clause, message=f"illegal.{reason}", **args)


def _parse_move(state: State, move: Move) -> tuple[int, int] | Refusal:
    seat = state.players.index(move.owner)
    if not 1 <= move.pawn <= PAWNS:
        return _refuse_illegal_move("PA-2", "no_such_pawn", pawn=move.pawn)
    place = parse_place(seat, move.to)
    if place is None:
        return _refuse_illegal_move("PA-3", "no_such_place", to=repr(move.to[:20]))
    return 4 * seat + move.pawn - 1, place


def _build_pawn_args(state: State, at: int) -> dict[str, object]:
    return {"owner": state.players[at // 4], "pawn": at % 4 + 1}


def _check_movable(state: State, pawns: Pawns, at: int) -> Refusal | None:
    """Refuse pawns other than the player's own, or the partner's once the player's four are locked
    (PA-15, PA-17)."""
    whose = find_moving_seat(pawns, state.turn)
    if at // 4 == whose:
        return None
    player, owner = state.players[state.turn], state.players[at // 4]
    # With its own four locked the player moves the partner's pawns.
    if whose != state.turn:
        return _refuse_illegal_move("PA-17", "move_partner", player=player, partner=state.players[whose])
    if at // 4 == (state.turn + 2) % 4:
        return _refuse_illegal_move("PA-17", "not_yet_partner", player=player, partner=owner)
    return _refuse_illegal_move("PA-17", "not_your_pawn", player=player, owner=owner)


_OBSTACLES: Mapping[str, tuple[str, ...]] = {
    "wall": ("PA-11",),
    "own_wall": ("PA-11", "own_wall", "bars"),
    "own_pawn_in_goal": ("PA-13",),
    "locked": ("PA-13",),
    "in_base": ("PA-10",),
    "not_in_base": ("PA-10",),
    "no_way_back": ("PA-14", "back_from_goal", "never"),
    "pawn_behind": ("PA-14",),
    "bounce": ("PA-15", "seven_bounce", "never"),
}
"""The clause that is cited for each obstacle, with the option and its value that make it one."""


def _refuse_blocked_move(state: State, at: int, obstacle: Obstacle) -> Refusal:
    clause, *option = _OBSTACLES[obstacle.what]
    args = _build_pawn_args(state, at)
    if option:
        args["ruling"] = describe_option_value(*option)
    elif obstacle.what == "wall":
        args["wall"] = state.players[obstacle.seat]
    return _refuse_illegal_move(clause, obstacle.what, **args)


def _judge_single_move(
    state: State, card: str, entries: list[tuple[int, int]]
) -> tuple[Effect, ...] | Refusal:
    at, to = entries[0]
    if len(entries) > 1:
        return _refuse_illegal_move("PA-4", "one_pawn", card=describe_card(card))
    refusal = _check_movable(state, state.pawns, at)
    if refusal is not None:
        return refusal
    # Such a card may also move a pawn on the track: only a pawn in its base, or a move to the
    # start, is meant as leaving.
    if card in LEAVING and (to == START or state.pawns[at] == BASE or card == "heart"):
        ways = [leave_base(state.pawns, at)]
    elif card == BACK:
        ways = [move_back_four(state.pawns, at, state.setup.options)]
    else:
        ways = [move_forward(state.pawns, at, steps, state.setup.options) for steps in STEPS[card]]
    if to in ways:
        return _build_move_events(state, ((at, to),))
    for way in ways:
        if isinstance(way, Obstacle):
            return _refuse_blocked_move(state, at, way)
    ends = [way for way in ways if isinstance(way, int)]
    return _refuse_illegal_move(
        "PA-14" if card == BACK else "PA-13" if to >= OUTER or ends[0] >= OUTER else "PA-4",
        "other_place",
        card=describe_card(card),
        **_build_pawn_args(state, at),
        to=describe_place(state, at // 4, to),
        ends=tuple(describe_place(state, at // 4, end) for end in ends),
    )


def _judge_split(state: State, entries: list[tuple[int, int]]) -> tuple[Effect, ...] | Refusal:
    """Check a split (PA-15): walk the entries in order, and keep every sum of steps that may have
    been taken."""
    pawns, moved, sums = state.pawns, 0, {0}
    walked: list[tuple[int, int]] = []
    for at, to in entries:
        refusal = _check_movable(state, pawns, at)
        if refusal is not None:
            return refusal
        fresh = _find_unmoved_pawn(pawns, moved, at)
        if fresh is None:
            return _refuse_illegal_move("PA-15", "moved_twice", **_build_pawn_args(state, at))
        options = state.setup.options
        tried = _list_split_steps(pawns, at, to)
        fitting = [steps for steps in tried if move_forward(pawns, at, steps, options, split=True) == to]
        if not fitting:
            ways = [move_forward(pawns, at, steps, options, split=True) for steps in range(1, SEVEN + 1)]
            return _refuse_out_of_reach(state, at, to, ways)
        # An end may be reached by several numbers of steps (there and back): any of them may be
        # meant.
        sums = {before + steps for before in sums for steps in fitting}
        # The pawn named goes; if it had moved, the fresh one stays in its stead.
        moved |= 1 << fresh | 1 << at
        walked.append((at, to))
        pawns = land_pawn(pawns, at, to, options).pawns
    if SEVEN not in sums:
        return _refuse_illegal_move("PA-15", "not_seven", sums=tuple(sorted(sums)))
    return _build_move_events(state, tuple(walked))


def _list_split_steps(pawns: Pawns, at: int, to: int) -> Iterable[int]:
    """Return the numbers of steps of a split that may lead to `to`."""
    place = measure_progress(pawns[at])
    # Several numbers may lead to a place where a pawn bounces, and only one before that.
    return (to - place,) if place + SEVEN <= LAST and 0 < to - place <= SEVEN else range(1, SEVEN + 1)


def _find_unmoved_pawn(pawns: Pawns, moved: int, at: int) -> int | None:
    """Return the named pawn, or another of its colour there that has not moved (PA-15); None if
    there is none."""
    first = 4 * (at // 4)
    same = [at, *(other for other in range(first, first + PAWNS) if pawns[other] == pawns[at])]
    return next((one for one in same if not moved >> one & 1), None)


def _refuse_out_of_reach(state: State, at: int, to: int, ways: list[int | Obstacle]) -> Refusal:
    ends = [way for way in ways if isinstance(way, int)]
    obstacles = [way for way in ways if isinstance(way, Obstacle)]
    # With no way free, or none to the goal in question, the obstacle is the reason.
    if obstacles and (not ends or to < OUTER):
        return _refuse_blocked_move(state, at, obstacles[0])
    return _refuse_illegal_move(
        "PA-15",
        "out_of_reach",
        **_build_pawn_args(state, at),
        to=describe_place(state, at // 4, to),
        ends=tuple(describe_place(state, at // 4, end) for end in dict.fromkeys(ends)),
    )


def _build_move_events(state: State, play: tuple[tuple[int, int], ...]) -> tuple[Effect, ...]:
    """Carry out legal steps, with the pawns that each sends home and locks."""
    pawns = state.pawns
    events: list[Effect] = []
    for at, to in play:
        seat = at // 4
        owner = state.players[seat]
        events.append(PawnMoved(owner, at % 4 + 1, format_place(seat, pawns[at]), format_place(seat, to)))
        before = pawns
        landing = land_pawn(pawns, at, to, state.setup.options)
        pawns = landing.pawns
        for one, place, by in landing.sent:
            events.append(
                PawnSentHome(
                    state.players[one // 4],
                    one % 4 + 1,
                    format_place(one // 4, place),
                    # The pawn that moved is sent home only by a stack it landed on.
                    "stack" if one == at else "captured",
                    state.players[by],
                )
            )
        # Only a pawn that comes to stand in the goal locks any: most moves do not.
        if to < OUTER:
            continue
        fresh = find_locked_places(pawns, seat) - find_locked_places(before, seat)
        # From the innermost: a pawn is locked once all squares below its own are filled (PA-13).
        for place in sorted(fresh, reverse=True):
            pawn = pawns.index(place, 4 * seat, 4 * seat + PAWNS) % 4 + 1
            events.append(PawnLocked(owner, pawn, format_place(seat, place)))
    return tuple(events)


def _judge_swap(state: State, entries: list[tuple[int, int]]) -> tuple[Effect, ...] | Refusal:
    # Whose pawns they are does not matter here (PA-16), so `_check_movable` is not asked.
    if len(entries) != 2 or entries[0][0] == entries[1][0]:
        return _refuse_illegal_move("PA-16", "two_pawns")
    (one, to), (two, other_to) = entries
    for at in (one, two):
        if not can_swap(state.pawns, at, state.setup.options):
            ruling = describe_option_value("swap_start", state.setup.options["swap_start"])
            return _refuse_illegal_move(
                "PA-16", _find_swap_obstacle(state, at), ruling=ruling, **_build_pawn_args(state, at)
            )
    after = swap_pawns(state.pawns, one, two)
    if (after[one], after[two]) != (to, other_to):
        places = (describe_place(state, one // 4, after[one]), describe_place(state, two // 4, after[two]))
        return _refuse_illegal_move("PA-16", "not_exchanged", places=places)
    first, second = state.players[one // 4], state.players[two // 4]
    event = PawnsSwapped(
        first, one % 4 + 1, format_place(one // 4, to), second, two % 4 + 1, format_place(two // 4, other_to)
    )
    return (event,)


def _find_swap_obstacle(state: State, at: int) -> str:
    place = state.pawns[at]
    if place == BASE:
        return "swap_base"
    if OUTER <= place <= INNER:
        return "swap_goal"
    return "swap_shared" if pawns_of_seat(state.pawns, at // 4).count(place) > 1 else "swap_start"
