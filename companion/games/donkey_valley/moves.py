"""Donkey Valley by its rules: the phases of a round, the requests of players, and the events.

Everything that moves the game is here. A phase begins with a list of turns (`todo`): groups that
act one after the other, each group in any order. Every accepted request removes its player's turn
(`State.with_turn_done`); when none is left, `then` returns the next event, which usually begins the
next phase in which somebody has a turn. `PHASES` lists the phases with both functions. Requests
(`decide`) and events (`apply`, `describe`) follow after the table, in the order of a round.

    donkey -> revealed [-> removed] -> loads [-> donkey, ended: a lost donkey goes aside]
        -> favours -> peeks -> decisions [-> ended: the stubborn one refused] -> adjustments
        -> reveal -> claims -> ended -> donkey | between -> loads | game_over

Within a phase turns go clockwise from the first player (DV-23). A phase without turns is skipped.
In `revealed`, `removed`, `ended` and `pair_ranges_with_values` nobody is asked, and no view shows
them. With `hands_only` (DV-24) the game is the one phase `told`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from companion.games.donkey_valley.cards import (
    DONKEYS,
    FAVOURS,
    LIMIT_STEP,
    ROUNDS,
    SPREAD_LIMITS,
    VALUES,
    Card,
    find_removed_values,
)
from companion.games.donkey_valley.state import (
    Adjustment,
    Round,
    Stake,
    State,
    Todo,
    Turn,
    compute_limits,
    schedule_scores,
)
from companion.games.donkey_valley.words import (
    describe_awaited,
    describe_card,
    describe_cards,
    describe_donkey,
    describe_effect,
    describe_limit,
    describe_ruling,
    describe_score,
)
from companion.rules.commitments import Opening, Seal, list_openings
from companion.rules.contract import (
    GAME_OVER,
    Decision,
    Event,
    Phase,
    Refusal,
    Request,
    Text,
    rank_players,
    refuse,
)
from companion.rules.options import describe_option_value

# ---- the turns of each phase ----


def _schedule_in_turn(entries: Iterable[Turn]) -> Todo:
    return tuple((turn,) for turn in entries)


def _schedule_together(entries: Iterable[Turn]) -> Todo:
    group = tuple(entries)
    return (group,) if group else ()


def _schedule_nobody(_state: State) -> Todo:
    return ()


def _schedule_donkey(_state: State) -> Todo:
    return ((Turn("donkey", None),),)


def _schedule_loads(state: State) -> Todo:
    """Return the turns to load: all at once (DV-11), clockwise on a difficult donkey (DV-40)."""
    entries = [Turn("load", seat) for seat in state.list_seats_clockwise()]
    return (
        _schedule_in_turn(entries)
        if state.current_round.donkey == "difficult"
        else _schedule_together(entries)
    )


def _schedule_favours(state: State) -> Todo:
    """Return the turns to ask for a favour: clockwise, for players who have one left (DV-12,
    DV-13); none on a hurried donkey (DV-34)."""
    if state.current_round.donkey == "hurried":
        return ()
    return _schedule_in_turn(
        Turn("favour", seat) for seat in state.list_seats_clockwise() if state.players[seat].can_ask_favour
    )


def _schedule_peeks(state: State) -> Todo:
    """Return the turns to look at loads, in any order, until the table says that all have looked
    (DV-14)."""
    entries = [
        Turn("peek", seat) for seat in state.list_seats_clockwise() if state.count_peeks_left(seat) > 0
    ]
    return _schedule_together([*entries, Turn("peeks_done", None)]) if entries else ()


def _schedule_decisions(state: State) -> Todo:
    """Return the turns to decide: clockwise or in any order, then clockwise for the players of
    favour 2 (DV-15)."""
    # Favour 2 decides last, even with decisions in any order.
    late = [seat for seat in state.list_seats_clockwise() if state.current_round.stakes[seat].favour == 2]
    early = [Turn("decide", seat) for seat in state.list_seats_clockwise() if seat not in late]
    free = state.setup.options["decision_order"] == "free"
    return (_schedule_together if free else _schedule_in_turn)(early) + _schedule_in_turn(
        Turn("decide", seat) for seat in late
    )


def _schedule_adjustments(state: State) -> Todo:
    """Return the turns for favours 4 and 6, clockwise (DV-16)."""
    does = {4: "swap_load", 6: "adjust"}
    favours = [(seat, state.current_round.stakes[seat].favour) for seat in state.list_seats_clockwise()]
    return _schedule_in_turn(Turn(does[favour], seat) for seat, favour in favours if favour in does)


def _schedule_reveal(state: State) -> Todo:
    """Return the turns to reveal: everybody with a face-down load (DV-17)."""
    return _schedule_together(
        Turn("reveal", seat)
        for seat in state.list_seats_clockwise()
        if state.current_round.stakes[seat].face_down_count
    )


def _schedule_claims(state: State) -> Todo:
    """Return the turns of favour 8 for players who were right (DV-20), then those to draw at the
    table (DV-19)."""
    this_round = state.current_round
    do = "choose" if this_round.overloaded else "exchange"
    favoured = [
        Turn(do, seat)
        for seat in state.list_seats_clockwise()
        if this_round.stakes[seat].favour == 8
        and this_round.is_right(seat)
        and not this_round.stakes[seat].claimed
    ]
    # The program draws by itself (`_event_after_claims`), without turns.
    if favoured or state.setup.options["draws"] == "app":
        return _schedule_in_turn(favoured)
    return _schedule_in_turn(Turn("draw", seat) for seat in state.list_due_draws())


# ---- what follows when no turn is left ----


def _event_for_next_phase(state: State) -> Event:
    """Begin the next phase with turns, up to the reveal. Where no load lies face down none is left,
    and the loads are weighed at once."""
    # Up to the reveal only: then the loads are weighed, before favour 8 and the draws.
    later = ROUND[ROUND.index(state.phase) + 1 : ROUND.index("reveal") + 1]
    begun = (PhaseBegan(phase) for phase in later if PHASES[phase].todo(state))
    return next(begun, None) or _event_after_reveal(state)


def _event_for_loads(_state: State) -> Event:
    """Begin to load (DV-11)."""
    return PhaseBegan("loads")


def _event_after_donkey(state: State) -> Event:
    """Remove the last donkey of the pile if this is a double (DV-38), else begin to load."""
    return DonkeyRemoved() if state.current_round.is_doubled else PhaseBegan("loads")


def _event_after_loads(state: State) -> Event:
    """Set a lost donkey aside (DV-37), except the very last one when no other waits."""
    this_round = state.current_round
    if this_round.donkey == "lost" and not this_round.returned and (state.left or state.aside):
        return DonkeySetAside(this_round.number)
    return _event_for_next_phase(state)


def _event_after_decisions(state: State) -> Event:
    """End the round if a stubborn donkey was refused (DV-39); checked right after the last
    decision."""
    refused = sum(stake.decision is False for stake in state.current_round.stakes)
    if state.current_round.donkey == "stubborn" and 2 * refused > len(state.players):
        return DonkeyRefused(refused)
    return _event_for_next_phase(state)


def _event_after_reveal(state: State) -> Event:
    """Weigh the loads (DV-17), then continue with favour 8 and the draws."""
    this_round = state.current_round
    # The loads are weighed already: this is the second time round.
    if this_round.total is not None:
        return _event_after_claims(state)
    shown = [Card(name, value) for name, stake in state.list_stakes() for value in stake.face_up_values]
    removed = _list_removed_loads(this_round, shown)
    values = [one.value for one in shown if one not in removed]
    spread = max(values, default=0) - min(values, default=0)
    total = sum(values)
    overloaded = (
        spread > this_round.spread_limit
        if this_round.spread_limit is not None
        else total > (this_round.capacity or 0)
    )
    return LoadsWeighed(removed, total, spread, overloaded)


def _list_removed_loads(this_round: Round, face_up_loads: list[Card]) -> tuple[Card, ...]:
    """Return the loads that the donkey removes: the highest (DV-36), or those of equal value
    (DV-41)."""
    removed = find_removed_values(this_round.donkey, [one.value for one in face_up_loads])
    return tuple(one for one in face_up_loads if one.value in removed)


def _event_after_claims(state: State) -> Event:
    """Go on with favour 8 (DV-20), then the draws (DV-19), then resolve the round (DV-18)."""
    if _schedule_claims(state):
        return PhaseBegan("claims")
    this_round = state.current_round
    due, pool = state.list_due_draws(), this_round.list_pool()
    if due:
        # By the round's number: an undo, or a correction of an earlier round, draws the same again.
        return _draw_loads(
            state, state.setup.make_rng("draw", this_round.number).sample(range(len(pool)), len(due))
        )
    won = [
        (state.players[seat].name, this_round.list_won_loads(seat)) for seat in state.list_seats_clockwise()
    ]
    return RoundResolved(this_round.number, tuple(Haul(name, loads) for name, loads in won if loads))


def _list_draw_pool(state: State) -> list[Card]:
    """Return the loads from which the program draws (DV-19), by place."""
    # Sorted: the same seed must draw the same cards, whatever the order of laying was.
    return sorted(state.current_round.list_pool(), key=lambda one: (state.seat_of(one.owner), one.value))


def _draw_loads(state: State, places: Sequence[int]) -> LoadsDrawn:
    """Return the event for these places of the shuffled loads (DV-19), drawn by the seats that are
    due."""
    pool, due = _list_draw_pool(state), state.list_due_draws()
    taken = zip(due, places, strict=True)
    return LoadsDrawn(tuple(Draft(state.players[seat].name, pool[place]) for seat, place in taken))


def _event_after_round(state: State) -> Event:
    """Pass the first-player card on (DV-21)."""
    following = (state.first + 1) % len(state.players)
    return FirstPlayerMoved(state.players[following].name)


def _event_after_first_player(state: State) -> Event:
    """Return lost donkeys one by one when the pile is empty (DV-37); then end the game (DV-22)."""
    return DonkeyReturned(state.aside[0].number) if state.aside else _event_after_game(state)


def _event_after_game(state: State) -> Event:
    """End the game (DV-22)."""
    return GameEnded(tuple(rank_players(state.list_standings())["winners"]))


class RoundPhase(Phase, frozen=True):
    """A phase and its turns."""

    todo: Callable[[State], Todo] = _schedule_nobody
    """Return the turns if this phase began now; () where there are none."""


PHASES = {
    "donkey": RoundPhase("DV-10", todo=_schedule_donkey),
    "revealed": RoundPhase(None, then=_event_after_donkey),
    "removed": RoundPhase(None, then=_event_for_loads),
    "loads": RoundPhase("DV-11", todo=_schedule_loads, then=_event_after_loads),
    "favours": RoundPhase("DV-12", todo=_schedule_favours, then=_event_for_next_phase),
    "peeks": RoundPhase("DV-14", todo=_schedule_peeks, then=_event_for_next_phase),
    "decisions": RoundPhase("DV-15", todo=_schedule_decisions, then=_event_after_decisions),
    "adjustments": RoundPhase("DV-16", todo=_schedule_adjustments, then=_event_for_next_phase),
    "reveal": RoundPhase("DV-17", todo=_schedule_reveal, then=_event_after_reveal),
    "claims": RoundPhase("DV-20", todo=_schedule_claims, then=_event_after_claims),
    "ended": RoundPhase(None, then=_event_after_round),
    "between": RoundPhase(None, then=_event_after_first_player),
    "told": RoundPhase("DV-24", todo=schedule_scores, then=_event_after_game),
    "game_over": RoundPhase("DV-22"),
}
ROUND = tuple(
    name
    for name, phase in PHASES.items()
    if phase.clause is not None and name not in ("donkey", "told", GAME_OVER)
)
"""The phases of a round, in order."""


class PhaseBegan(Event):
    """A phase of the round began, since somebody has a turn in it."""

    phase: str

    def apply(self, state: State) -> State:
        return replace(state, phase=self.phase, todo=PHASES[self.phase].todo(state))


# ---- the donkey (DV-2, DV-10, DV-37, DV-38) ----


class Donkey(Request):
    """The top donkey of the pile was turned up (DV-10)."""

    phase = "donkey"
    type: str

    def decide(self, state: State) -> Decision:
        """DV-2: refuse more of a type than the deck holds; DV-38: only the last double is void."""
        if self.type not in DONKEYS:
            return refuse("unknown_card", "DV-2", message="unknown_donkey", type=self.type[:40])
        copies = state.setup.options["donkey_copies"]
        if copies is not None and state.revealed.count(self.type) >= copies.get(self.type, 0):
            words = {"donkey": Text(f"donkey.{self.type}"), "copies": copies.get(self.type, 0)}
            return refuse(
                "no_such_donkey", "DV-2", **words, ruling=describe_option_value("donkey_copies", copies)
            )
        # `left` still counts this donkey itself.
        void = self.type == "double" and state.left == 1
        capacity, spread = compute_limits(self.type, len(state.players), void)
        return DonkeyRevealed(self.type, ROUNDS - state.left + 1, capacity, spread, void)


class DrawDonkey(Request):
    """The program draws the donkey, for a table without donkey cards (DV-3)."""

    phase = "donkey"

    def decide(self, state: State) -> Decision:
        """Draw any donkey that may still come (DV-3), by the session's seed; the same again after
        an undo."""
        # Each remaining copy is one lot.
        box = [name for name, count in count_copies_left(state).items() for _ in range(count)]
        return Donkey(state.setup.make_rng("donkey", len(state.revealed)).choice(box)).decide(state)

    def for_replay(self, events: Sequence[Event]) -> Request:
        """Return a request for the donkey that was drawn: it lies on the table, so it is not drawn
        again."""
        return next(Donkey(event.donkey) for event in events if isinstance(event, DonkeyRevealed))

    def draw_key(self, state: State) -> Hashable:
        """Name the draw by the donkeys turned up before it (DV-3)."""
        return state.revealed


def count_copies_left(state: State) -> dict[str, int]:
    """Return the donkeys that may still come, by type (DV-2); one of each if the box was not
    counted."""
    copies = state.setup.options["donkey_copies"]
    box = dict.fromkeys(DONKEYS, 1) if copies is None else copies
    left = {name: box.get(name, 0) - state.revealed.count(name) for name in DONKEYS}
    return {name: count for name, count in left.items() if count > 0}


class DonkeyRevealed(Event):
    """A donkey was turned up. `void`: a double with none left in the pile counts as a normal one
    (DV-38)."""

    donkey: str
    round: int
    capacity: int | None
    spread_limit: int | None
    void: bool = False

    def apply(self, state: State) -> State:
        stakes = tuple(Stake() for _ in state.players)
        this_round = Round(self.round, self.donkey, self.capacity, self.spread_limit, stakes, void=self.void)
        seen = (*state.revealed, self.donkey)
        return replace(state, phase="revealed", todo=(), left=state.left - 1, round=this_round, revealed=seen)

    def describe(self, state: State) -> Text:
        effect = describe_effect(self.donkey, void=self.void)
        words = {
            "round": self.round,
            "donkey": describe_donkey(state.current_round),
            "limit": describe_limit(state.current_round.capacity, state.current_round.spread_limit),
        }
        return Text("event.donkey_revealed", words | {"effect": effect})


class DonkeyRemoved(Event):
    """The last donkey of the pile left the game unseen, because of a double (DV-38)."""

    def apply(self, state: State) -> State:
        return replace(state, phase="removed", left=state.left - 1)

    def describe(self, state: State) -> Text:
        return Text("event.donkey_removed")


class DonkeySetAside(Event):
    """A lost donkey went aside with its loads under it (DV-37)."""

    round: int

    def apply(self, state: State) -> State:
        this_round = state.current_round
        # DV-37: they lie under the donkey now, not before the players.
        bare = replace(this_round, stakes=tuple(Stake() for _ in this_round.stakes))
        state = replace(state, todo=(), aside=(*state.aside, this_round), round=bare)
        if state.setup.options["first_player_card"] == "resolved":  # DV-21
            return _start_next_donkey(state)
        return replace(state, phase="ended")

    def describe(self, state: State) -> Text:
        if state.setup.options["first_player_card"] == "each_end":
            return Text("event.donkey_set_aside")
        words = {
            "player": state.players[state.first].name,
            "ruling": describe_ruling(state, "first_player_card"),
        }
        return Text("event.donkey_set_aside_resolved", words)


def _start_next_donkey(state: State) -> State:
    """Go on with the next donkey of the pile (DV-37), or with those set aside when the pile is
    empty."""
    phase = "donkey" if state.left else "between"
    return replace(state, phase=phase, todo=PHASES[phase].todo(state))


class DonkeyReturned(Event):
    """A lost donkey that was set aside is played on with its loads (DV-37)."""

    round: int

    def apply(self, state: State) -> State:
        back = replace(state.aside[0], returned=True)
        return replace(state, phase="loads", todo=(), round=back, aside=state.aside[1:])

    def describe(self, state: State) -> Text:
        return Text("event.donkey_returned", {"round": self.round})


# ---- loads (DV-11, DV-38, DV-40, DV-51) ----


class Load(Request):
    """A player laid one load, or two on a double (DV-11, DV-38); `values` if it lies face up
    (DV-40).

    `sealed`: the reading of the pad at the seat, one entry for each face-down load, or nothing at
    all (DV-51).
    """

    phase = "loads"
    player: str
    count: int = 1
    values: tuple[int, ...] | None = None
    sealed: tuple[int | Seal, ...] | None = None

    def decide(self, state: State) -> Decision:
        """Check the number (DV-11, DV-38), the face (DV-40) and the reading (DV-51) of the
        loads."""
        counts = state.list_load_counts()
        if self.count not in counts:
            clause = "DV-38" if state.current_round.donkey == "double" else "DV-11"
            given = int(str(self.count)[:12])  # a number: the sentence says one load, or several
            return refuse("bad_value", clause, message="load_count", given=given, due=counts)
        if state.must_lay_face_up(state.seat_of(self.player)):
            return self._decide_face_up(state)
        if self.values is not None:
            return refuse("bad_value", "DV-40", message="face_down", player=self.player)
        seals = tuple(map(str, self.sealed or ()))
        refusal = check_load_count(len(seals), self.count, "DV-51") if seals else None
        return refusal or LoadPlayed(self.player, self.count, sealed=seals or None)

    def _decide_face_up(self, state: State) -> Decision:
        if self.values is None:
            return refuse("bad_value", "DV-40", message="value_missing", player=self.player)
        refusal = check_load_count(len(self.values), 1, "DV-40") or check_values(
            state, self.player, self.values
        )
        return refusal or LoadPlayed(self.player, 1, self.values)


class LoadPlayed(Event, omit_defaults=True):
    """A player laid loads: `values` of the face-up ones; `sealed` holds the seals of face-down ones
    that a reader read."""

    player: str
    count: int
    values: tuple[int, ...] = ()
    sealed: tuple[str, ...] | None = None

    def apply(self, state: State) -> State:
        # The hand is counted only: which cards lie face down is not known to the program.
        state = state.with_player(self.player, hand=state.player_by_name(self.player).hand - self.count)
        loads = self.values or (None,) * self.count
        return state.with_turn_done(self.player, loads=loads, seals=self.sealed or ())

    def describe(self, state: State) -> Text:
        if self.values:
            return Text("event.load_played_up", {"player": self.player, "value": self.values[0]})
        return Text("event.load_played", {"player": self.player, "count": self.count}, self.count)


# ---- favours (DV-12, DV-13, DV-34) ----


class Favour(Request):
    """A player spends a load for a favour (DV-12)."""

    phase = "favours"
    player: str
    card: int

    def check_before_phase(self, state: State) -> Refusal | None:
        """Refuse in every phase of a hurried donkey's round (DV-34), and without a favour left
        (DV-13)."""
        playing = state.phase != "donkey" and state.round is not None
        if playing and state.current_round.donkey == "hurried":
            return refuse("favours_forbidden", "DV-34")
        if state.phase == self.phase and not state.player_by_name(self.player).can_ask_favour:
            return refuse("no_favours_left", "DV-13", player=self.player)
        return None

    def decide(self, state: State) -> Decision:
        """Check that the load buys a favour and can still be spent (DV-12)."""
        refusal = check_value_range([self.card])
        if refusal is None and self.card not in FAVOURS:
            refusal = refuse("not_a_favour", "DV-12", value=self.card, favours=FAVOURS)
        return refusal or check_unspent(state, self.player, [self.card]) or FavourUsed(self.player, self.card)


class FavourUsed(Event):
    """A player spent a load for a favour (DV-12)."""

    player: str
    card: int

    def apply(self, state: State) -> State:
        player = state.player_by_name(self.player)
        # The load that buys it lies open, and cannot be shown again (DV-50).
        used, gone = player.favours_used + 1, player.gone | {self.card}
        state = state.with_player(self.player, hand=player.hand - 1, favours_used=used, gone=gone)
        return state.with_turn_done(self.player, favour=self.card)

    def describe(self, state: State) -> Text:
        favour = Text(f"favour.{self.card}")
        return Text("event.favour_used", {"player": self.player, "card": self.card, "favour": favour})


class NoFavour(Request):
    """A player uses no favour this round (DV-12)."""

    phase, takes = "favours", "favour"  # whoever may ask for one may also want none
    player: str

    def decide(self, state: State) -> Decision:
        """Decline a favour (DV-12)."""
        return FavourDeclined(self.player)


class FavourDeclined(Event):
    """A player wanted no favour."""

    player: str

    def apply(self, state: State) -> State:
        return state.with_turn_done(self.player)

    def describe(self, state: State) -> Text:
        return Text("event.favour_declined", {"player": self.player})


# ---- peeks (DV-14) ----


class Peek(Request):
    """A player looked at one load of each player named in `at` (DV-14): before the decisions, or
    when their own is due."""

    phase, in_turn = ("peeks", "decisions"), False
    clause = "DV-14"
    player: str
    at: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]

    def mentioned_players(self) -> Sequence[str]:
        return self.at

    def decide(self, state: State) -> Decision:
        """Check the number of looks, that they are at other players' loads, and at each load once
        (DV-14)."""
        seat = state.seat_of(self.player)
        due = [turn.seat for turn in state.current_turns if turn.do == "decide"]
        if state.phase == "decisions" and seat not in due:
            return refuse("not_your_turn", "DV-14", player=self.player, awaited=describe_awaited(state))
        left, given = state.count_peeks_left(seat), len(self.at)
        if given > left:
            words = {"player": self.player, "left": left, "given": given}
            return refuse("not_entitled", "DV-14", message="too_many_peeks", **words)
        looks = [*state.current_round.stakes[seat].looks, *map(state.seat_of, self.at)]
        for looked in looks:
            name = state.players[looked].name
            if looked == seat:
                return refuse("not_entitled", "DV-14", message="own_load", player=name)
            if looks.count(looked) > len(state.current_round.stakes[looked].loads):
                return refuse("not_entitled", "DV-14", message="looked_already", player=name)
        return LoadsLookedAt(self.player, self.at)


class LoadsLookedAt(Event):
    """A player looked at a load of each of these players (DV-14)."""

    player: str
    at: tuple[str, ...]

    def apply(self, state: State) -> State:
        looks = (*state.stake_of(self.player).looks, *map(state.seat_of, self.at))
        looked = state.with_stake(self.player, looks=looks)
        # The turn lasts until the last look is used; or until `PeeksDone` ends the phase for all.
        # In `decisions` it is the turn to decide, which a look does not end.
        used = not looked.count_peeks_left(state.seat_of(self.player))
        return looked.with_turn_done(self.player) if used and state.phase == "peeks" else looked

    def describe(self, state: State) -> Text:
        return Text("event.loads_looked_at", {"player": self.player, "at": self.at}, len(self.at))


class PeeksDone(Request):
    """Nobody looks at any further load before the decisions; who has looks left may still look when
    their decision is due (DV-14)."""

    phase = "peeks"

    def decide(self, state: State) -> Decision:
        """Go on to the decisions (DV-14)."""
        return PeeksEnded()


class PeeksEnded(Event):
    """Nobody looks at any further load before the decisions."""

    def apply(self, state: State) -> State:
        return replace(state, todo=())

    def describe(self, state: State) -> Text:
        return Text("event.peeks_ended")


# ---- decisions (DV-15, DV-39) ----


class Decide(Request):
    """A player accepts or refuses the contract (DV-15)."""

    phase = "decisions"
    player: str
    accept: bool

    def decide(self, state: State) -> Decision:
        """Accept or refuse (DV-15)."""
        return ContractDecided(self.player, self.accept)


class ContractDecided(Event):
    """A player accepted or refused (DV-15)."""

    player: str
    accept: bool

    def apply(self, state: State) -> State:
        return state.with_turn_done(self.player, decision=self.accept)

    def describe(self, state: State) -> Text:
        return Text("event.accepted" if self.accept else "event.refused", {"player": self.player})


class DonkeyRefused(Event):
    """The stubborn donkey was refused by more than half: all loads left the game unseen (DV-39)."""

    refused: int

    def apply(self, state: State) -> State:
        # DV-39: they leave unseen, so none of them joins `gone`: nobody knows their values.
        stakes = tuple(replace(stake, loads=(), seals=()) for stake in state.current_round.stakes)
        gone = replace(state.current_round, refused=True, stakes=stakes)
        return replace(state, phase="ended", round=gone, past=(*state.past, gone))

    def describe(self, state: State) -> Text:
        return Text("event.donkey_refused", {"refused": self.refused, "players": len(state.players)})


# ---- adjustments: favours 6 and 4 (DV-16, DV-33) ----


class Adjust(Request):
    """Favour 6: the limit moves by 2, -2 or 0 (DV-16)."""

    phase = "adjustments"
    player: str
    delta: int

    def decide(self, state: State) -> Decision:
        """Move the limit (DV-16); the precision donkey's stays within 1..9 after each change
        (DV-33)."""
        if self.delta not in (-LIMIT_STEP, 0, LIMIT_STEP):
            return refuse("bad_value", "DV-16", message="delta", delta=str(self.delta)[:12], by=LIMIT_STEP)
        this_round = state.current_round
        capacity = None if this_round.capacity is None else this_round.capacity + self.delta
        spread = this_round.spread_limit
        if spread is not None:
            # Within bounds after each change, not only at the end (DV-33).
            spread = min(max(spread + self.delta, SPREAD_LIMITS[0]), SPREAD_LIMITS[-1])
        return LimitAdjusted(self.player, self.delta, capacity, spread)


class LimitAdjusted(Event):
    """Favour 6: the capacity or the precision donkey's limit as it is now (DV-16, DV-33)."""

    player: str
    delta: int
    capacity: int | None
    spread_limit: int | None

    def apply(self, state: State) -> State:
        made = (*state.current_round.adjustments, Adjustment(self.player, self.delta))
        this_round = replace(
            state.current_round, capacity=self.capacity, spread_limit=self.spread_limit, adjustments=made
        )
        return replace(state, round=this_round).with_turn_done(self.player)

    def describe(self, state: State) -> Text:
        kind = "raised" if self.delta > 0 else "lowered" if self.delta else "kept"
        return Text(
            f"event.limit_{kind}",
            {"player": self.player, "limit": describe_limit(self.capacity, self.spread_limit)},
        )


class SwapLoad(Request):
    """Favour 4: the load is exchanged for one of the hand, or not (DV-16); `value` if face up."""

    phase = "adjustments"
    player: str
    swap: bool
    value: int | None = None
    sealed: int | Seal | None = None

    def decide(self, state: State) -> Decision:
        """Exchange the load (DV-16): face up stays face up; with an empty hand a player can only
        decline (DV-20)."""
        player, up = self.player, bool(state.stake_of(self.player).face_up_values)
        if self.value is not None and not (up and self.swap):
            return refuse("bad_value", "DV-16", message="no_value_due", player=player)
        if not self.swap:
            return SwapDeclined(player)
        if not state.player_by_name(player).hand:
            return refuse("not_available", "DV-20", message="empty_hand", player=player)
        if not up:
            return LoadSwapped(player, sealed=None if self.sealed is None else str(self.sealed))
        if self.value is None:
            return refuse("bad_value", "DV-16", message="value_missing", player=player)
        return check_values(state, player, [self.value]) or LoadSwapped(player, self.value)


class LoadSwapped(Event, omit_defaults=True):
    """Favour 4: a load was exchanged for one from the hand (DV-16); `value` where it lies face up,
    `sealed` where a reader read it."""

    player: str
    value: int | None = None
    sealed: str | None = None

    def apply(self, state: State) -> State:
        loads = state.stake_of(self.player).loads if self.value is None else (self.value,)
        return state.with_turn_done(self.player, swapped=True, new_seal=self.sealed, loads=loads)

    def describe(self, state: State) -> Text:
        if self.value is not None:
            return Text("event.load_swapped_up", {"player": self.player, "value": self.value})
        return Text("event.load_swapped", {"player": self.player})


class SwapDeclined(Event):
    """Favour 4: the player kept their load."""

    player: str

    def apply(self, state: State) -> State:
        return state.with_turn_done(self.player)

    def describe(self, state: State) -> Text:
        return Text("event.swap_declined", {"player": self.player})


# ---- the reveal (DV-17, DV-33, DV-36, DV-41, DV-50, DV-51) ----


class Reveal(Request):
    """A player turned up all their face-down loads (DV-17); `overrule`: although the reader read
    others (DV-51)."""

    phase, hides_cards = "reveal", True
    player: str
    values: tuple[int, ...]
    overrule: bool = False

    def with_openings(self, openings: Sequence[Opening]) -> Request:
        return _KnownReveal(self.player, self.values, self.overrule, tuple(openings))

    def decide(self, state: State) -> Decision:
        """Check number and values (DV-17, DV-50), and compare them with the reader's (DV-51)."""
        player, stake = self.player, state.stake_of(self.player)
        refusal = check_load_count(len(self.values), stake.face_down_count, "DV-17") or check_values(
            state, player, self.values
        )
        if refusal is not None:
            return refusal
        known = list_openings(self)
        honest = fits_sealed_loads(stake, known, self.values)
        if not honest and not self.overrule:
            return refuse("sealed_mismatch", "DV-51", player=player, values=self.values)
        # Only what lies open now: a load that favour 4 brought back is in the hand, and secret.
        told = tuple(one for one in known if one.card in self.values)
        return LoadsRevealed(player, self.values, not honest, told or UNSET)


class _KnownReveal(Reveal, tag="reveal"):
    """A reveal, with the openings of known seals (DV-51)."""

    opened: tuple[Opening, ...] = ()


class LoadsRevealed(Event):
    """A player's face-down loads were turned up. `overruled`: the reader had read others, and the
    table insisted (DV-51).

    `list_openings`: the openings of the seals of those that a reader had read.
    """

    player: str
    values: tuple[int, ...]
    overruled: bool = False
    opened: tuple[Opening, ...] | msgspec.UnsetType = UNSET

    def apply(self, state: State) -> State:
        loads = (*state.stake_of(self.player).face_up_values, *self.values)
        return state.with_turn_done(self.player, loads=loads, overruled=self.overruled)

    def describe(self, state: State) -> Text:
        code = "event.loads_overruled" if self.overruled else "event.loads_revealed"
        return Text(code, {"player": self.player, "values": self.values})


def fits_sealed_loads(stake: Stake, openings: Sequence[Opening], values: Sequence[int]) -> bool:
    """Tell whether `values` can be the loads that a reader read face down, favour 4 considered
    (DV-51).

    After favour 4 the new card must be among them, if a reader read it, and one of the loads laid
    first may be missing. A seal whose opening is lost (the program was restarted) proves nothing:
    the table checks for itself.
    """
    cards_of = {one.seal: one.card for one in openings}
    shown = set(values)
    if stake.new_seal in cards_of:
        if cards_of[stake.new_seal] not in shown:
            return False
        # It is accounted for, so it cannot stand for one of the first loads as well.
        shown = shown - {cards_of[stake.new_seal]}
    missing = [seal for seal in stake.seals if seal in cards_of and cards_of[seal] not in shown]
    return len(missing) <= (1 if stake.swapped else 0)


class LoadsWeighed(Event):
    """All loads lie face up: the loads that the donkey removed, the weight of the rest, and whether
    that is too much (DV-17, DV-33)."""

    removed: tuple[Card, ...]
    total: int
    spread: int
    overloaded: bool

    def apply(self, state: State) -> State:
        stakes = tuple(self._weigh_stake(state, name, stake) for name, stake in state.list_stakes())
        players = tuple(
            replace(player, gone=player.gone | frozenset(stake.face_up_values))
            for player, stake in zip(state.players, state.current_round.stakes, strict=True)
        )
        # The event's fields are named like those of `Round` that they set.
        result = {name: getattr(self, name) for name in self.__struct_fields__}
        return replace(state, players=players, round=replace(state.current_round, stakes=stakes, **result))

    def _weigh_stake(self, state: State, name: str, stake: Stake) -> Stake:
        """Return a player's stake after weighing: losing a load bars from winning (DV-36, DV-41),
        unless by option only the load is lost."""
        bars = state.current_round.donkey != "hand_picked" or state.setup.options["barred"] == "players"
        held = tuple(one for value in stake.face_up_values if (one := Card(name, value)) not in self.removed)
        lost = len(held) < len(stake.face_up_values)
        return replace(stake, held=held, removed=lost, barred=lost and bars)

    def describe(self, state: State) -> Text:
        measure = "spread" if state.current_round.spread_limit is not None else "total"
        verdict = "overloaded" if self.overloaded else "carries"
        words: dict[str, Any] = {
            "total": self.total,
            "spread": self.spread,
            "limit": describe_limit(state.current_round.capacity, state.current_round.spread_limit),
        }
        if self.removed:
            words["removed"] = describe_cards(self.removed)
            measure = "removed"
        return Text(f"event.weighed_{measure}.{verdict}", words)


# ---- claims: favour 8, the draws, what is won (DV-18 to DV-20) ----


class Exchange(Request):
    """Favour 8, accepted and right: exchange a load with `with_`, or not (DV-20)."""

    phase = "claims"
    player: str
    with_: str | None = msgspec.field(name="with")
    give: int | None = None
    take: int | None = None

    def mentioned_players(self) -> Sequence[str]:
        return () if self.with_ is None else (self.with_,)

    def decide(self, state: State) -> Decision:
        """Check the partner and the two loads (DV-20); loads are named only where there is a
        choice."""
        player, partner = self.player, self.with_
        if partner is None:
            return ClaimDeclined(player)
        mine, theirs = state.stake_of(player).held, state.stake_of(partner).held
        if partner == player or not theirs:
            return refuse("not_available", "DV-20", message="no_partner", player=partner)
        if not mine:  # DV-41 with the option `check_before_phase` = `loads`
            return refuse("not_available", "DV-20", message="nothing_to_exchange", player=player)
        # A single load need not be named.
        given = _pick_held_load(mine, self.give, player)
        if isinstance(given, Refusal):
            return given
        taken = _pick_held_load(theirs, self.take, partner)
        return taken if isinstance(taken, Refusal) else LoadsExchanged(player, partner, given, taken)


def _pick_held_load(held: Sequence[Card], value: int | None, holder: str) -> Card | Refusal:
    """Return `holder`'s load of this value; their only one when no value is given."""
    if value is None:
        if len(held) > 1:
            return refuse("bad_value", "DV-20", message="which_load", player=holder)
        return held[0]
    refusal = check_value_range([value])
    if refusal is not None:
        return refusal
    found = next((one for one in held if one.value == value), None)
    return found or refuse("not_available", "DV-20", message="not_held", player=holder, value=value)


class LoadsExchanged(Event):
    """Favour 8: two players exchanged a load (DV-20)."""

    player: str
    partner: str
    given: Card
    taken: Card

    def apply(self, state: State) -> State:
        theirs = _replace_card(state.stake_of(self.partner).held, self.taken, self.given)
        mine = _replace_card(state.stake_of(self.player).held, self.given, self.taken)
        return state.with_stake(self.partner, held=theirs).with_turn_done(
            self.player, held=mine, claimed=True
        )

    def describe(self, state: State) -> Text:
        given, taken = describe_card(self.given, self.player), describe_card(self.taken, self.player)
        words = {"player": self.player, "partner": self.partner, "given": given, "taken": taken}
        return Text("event.loads_exchanged", words)


def _replace_card(held: tuple[Card, ...], old: Card, new: Card) -> tuple[Card, ...]:
    return tuple(new if one == old else one for one in held)


class Choose(Request):
    """Favour 8, refused and right: choose a load before anybody draws, or not (DV-20)."""

    phase = "claims"
    player: str
    card: Card | None

    def mentioned_players(self) -> Sequence[str]:
        return () if self.card is None else (self.card.owner,)

    def decide(self, state: State) -> Decision:
        """Check that the load can be chosen (DV-20)."""
        if self.card is None:
            return ClaimDeclined(self.player)
        return _check_in_pool(state, self.card, "DV-20") or LoadChosen(self.player, self.card)


class LoadChosen(Event):
    """Favour 8: a player chose a load before anybody drew (DV-20)."""

    player: str
    card: Card

    def apply(self, state: State) -> State:
        return _award_load(state, self.player, self.card).with_turn_done(
            self.player, claimed=True, chosen=self.card
        )

    def describe(self, state: State) -> Text:
        return Text(
            "event.load_chosen", {"player": self.player, "card": describe_card(self.card, self.player)}
        )


def _award_load(state: State, name: str, one: Card) -> State:
    """Give a load that is drawn or chosen to its taker at once, before the round is resolved
    (DV-19)."""
    stake = state.stake_of(name)
    state = state.with_player(name, won=(*state.player_by_name(name).won, one))
    return state.with_stake(name, taken=(*stake.taken, one), won=(*stake.won, one))


class ClaimDeclined(Event):
    """Favour 8: a player exchanged or chose nothing."""

    player: str

    def apply(self, state: State) -> State:
        return state.with_turn_done(self.player, claimed=True)

    def describe(self, state: State) -> Text:
        return Text("event.claim_declined", {"player": self.player})


class Draw(Request):
    """A player drew this load from the shuffled ones (DV-19, option `draws` = `table`)."""

    phase, clause = "claims", "DV-19"
    player: str
    card: Card

    def mentioned_players(self) -> Sequence[str]:
        return (self.card.owner,)

    def check_before_phase(self, state: State) -> Refusal | None:
        """Refuse if the program draws: then it is never the time for a player's draw
        (`wrong_phase`)."""
        app = state.setup.options["draws"] == "app"
        return refuse("wrong_phase", self.clause, awaited=describe_awaited(state)) if app else None

    def decide(self, state: State) -> Decision:
        """Check that the load can be drawn (DV-19 with the option `draws` = `table`)."""
        return _check_in_pool(state, self.card, "DV-19") or LoadsDrawn((Draft(self.player, self.card),))


def _check_in_pool(state: State, one: Card, clause: str) -> Refusal | None:
    refusal = check_value_range([one.value])
    if refusal is None and one not in state.current_round.list_pool():
        refusal = refuse("not_available", clause, player=one.owner, value=one.value)
    return refusal


class Draft(msgspec.Struct, frozen=True):
    """One drawn load: the player and the card."""

    player: str
    card: Card


class LoadsDrawn(Event):
    """Loads were drawn, in this order (DV-19)."""

    draws: tuple[Draft, ...]

    def apply(self, state: State) -> State:
        for draft in self.draws:
            state = _award_load(state, draft.player, draft.card)
        # The turns to draw stand one by one, and draws by the program have none.
        return replace(state, todo=state.todo[len(self.draws) :])

    def recorded_draw(self, state: State) -> tuple[Hashable, tuple[int, ...]] | None:
        """Name a draw by the program (DV-19, option `draws` = `app`) by round and numbers of
        cards."""
        if state.setup.options["draws"] != "app":
            return None
        pool = _list_draw_pool(state)
        places = tuple(pool.index(one.card) for one in self.draws)
        return (state.current_round.number, len(pool), len(places)), places

    def with_draw(self, state: State, places: Sequence[int]) -> LoadsDrawn:
        return _draw_loads(state, places)

    def describe(self, state: State) -> Text:
        words = [{"player": one.player, "card": describe_card(one.card, one.player)} for one in self.draws]
        return Text("event.loads_drawn", {"draws": tuple(Text("event.draft", one) for one in words)})


class Haul(msgspec.Struct, frozen=True):
    """The loads that one player won in a round."""

    player: str
    cards: tuple[Card, ...]


class RoundResolved(Event):
    """The round is over: the players who won, and their loads (DV-18, DV-19). Players who won
    nothing are not listed."""

    round: int
    won: tuple[Haul, ...]

    def apply(self, state: State) -> State:
        for haul in self.won:
            # What was drawn or chosen is in `won` already; counted twice the points would be wrong.
            late = tuple(one for one in haul.cards if one not in state.stake_of(haul.player).taken)
            state = state.with_player(haul.player, won=(*state.player_by_name(haul.player).won, *late))
            state = state.with_stake(haul.player, won=haul.cards)
        return replace(state, phase="ended", past=(*state.past, state.current_round))

    def describe(self, state: State) -> Text:
        words = [{"player": one.player, "cards": describe_cards(one.cards, one.player)} for one in self.won]
        if not words:
            return Text("event.nobody_won", {"round": self.round})
        hauls = tuple(Text("event.haul", one) for one in words)
        return Text("event.round_resolved", {"round": self.round, "hauls": hauls})


# ---- the end of a round (DV-21) ----


class FirstPlayerMoved(Event):
    """The first-player card went to the next player clockwise (DV-21)."""

    player: str

    def apply(self, state: State) -> State:
        # The card moves first: the next donkey begins with the new first player.
        return _start_next_donkey(replace(state, first=state.seat_of(self.player)))

    def describe(self, state: State) -> Text:
        return Text("event.first_player_moved", {"player": self.player})


# ---- a game of which only the loads won are entered (DV-24) ----


class ScoreLoads(Request, tag="score"):
    """DV-24: the values of the loads that `player` has won, at the end of the game."""

    phase = "told"
    player: str
    loads: tuple[int, ...]

    def decide(self, state: State) -> Decision:
        """Check number and values (DV-1, DV-3): a donkey gives nobody more loads than it takes
        rounds, and every colour has one load of a value."""
        refusal = check_value_range(self.loads)
        if refusal is not None:
            return refusal
        if len(self.loads) > ROUNDS:
            words: dict[str, Any] = {"player": self.player, "count": len(self.loads), "most": ROUNDS}
            return refuse("bad_value", "DV-3", message="too_many_won", **words)
        left = state.count_unreported_loads()
        excess = next((value for value in self.loads if self.loads.count(value) > left[value]), None)
        if excess is None:
            return LoadsScored(self.player, tuple(sorted(self.loads)))
        count, copies = self.loads.count(excess), len(state.players)
        words = {"value": excess, "copies": copies, "shown": copies - left[excess], "count": count}
        return refuse("impossible_cards", "DV-1", message="too_many_of_value", **words)


class LoadsScored(Event):
    """DV-24: the values of the loads that the player has won in the game, in ascending order."""

    player: str
    loads: tuple[int, ...]

    def apply(self, state: State) -> State:
        # Nobody says whose colour they are: points and ties need the values only (DV-22).
        won = tuple(Card("", value) for value in self.loads)
        return state.with_player(self.player, won=won).with_turn_done(self.player)

    def describe(self, state: State) -> Text:
        return describe_score(self.player, self.loads)


# ---- the end of the game (DV-22) ----


class GameEnded(Event):
    """The last donkey was played (DV-22)."""

    winners: tuple[str, ...]

    def apply(self, state: State) -> State:
        return replace(state, phase=GAME_OVER)

    def describe(self, state: State) -> Text:
        best = max(player.points for player in state.players)
        tied = sum(player.points == best for player in state.players) > len(self.winners)
        code = "event.game_ended_by_loads" if tied else "event.game_ended"
        return Text(code, {"winners": self.winners}, len(self.winners))


# ---- checks that several requests share ----


def check_value_range(values: Sequence[int]) -> Refusal | None:
    """Refuse a number that does not occur as a load (DV-1)."""
    wrong = next((value for value in values if value not in VALUES), None)
    if wrong is None:
        return None
    value, least, most = str(wrong)[:12], VALUES[0], VALUES[-1]
    return refuse("bad_value", "DV-1", message="value_range", value=value, least=least, most=most)


def check_load_count(given: int, due: int, clause: str) -> Refusal | None:
    """Refuse a wrong number of loads."""
    words = {"given": str(given)[:12], "due": due}
    return None if given == due else refuse("bad_value", clause, message="value_count", **words)


def check_values(state: State, player: str, values: Sequence[int]) -> Refusal | None:
    """Refuse a value that does not occur, or that this player cannot show."""
    return check_value_range(values) or check_unspent(state, player, values)


def check_unspent(state: State, player: str, values: Sequence[int]) -> Refusal | None:
    """Refuse a value that this player cannot show any more, shows already, or shows twice
    (DV-50)."""
    known = state.list_unshowable_values(player)
    for number, value in enumerate(values):
        if value in known:
            shown = state.find_round_showing(player, value)
            say = None if shown is None else "card_spent_in"
            return refuse("card_spent", "DV-50", message=say, player=player, value=value, round=shown or 0)
        if value in values[:number]:
            return refuse("card_spent", "DV-50", message="value_twice", player=player, value=value)
    return None
