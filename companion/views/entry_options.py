"""Manual entry: what can be entered now, at once or part by part, and by which keys.

Each choice has a key of one or a few characters, the same in every view. Nothing is drawn here.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import NamedTuple

import msgspec

from companion.live.live_session import LiveSession
from companion.live.snapshot import Snapshot
from companion.rules.contract import Choice, ChoicePart, ChoiceParts, Pick, Refusal, Request, Spots, Text
from companion.views.table_session import NO_BACKSTAGE, Backstage

TABLE_KEYS = "um% ?"
"""Keys that mean the same to the table whether or not something is being entered; no row begins
with one of them."""
_KEYS = "1234567890" + "".join(one for one in string.ascii_lowercase if one not in TABLE_KEYS)


def assign_keys(keys: Sequence[str], reserved: Collection[str] = ()) -> list[str]:
    """Give every choice a key: its own if it has one, else a free character, or two characters
    where these run out.

    No key is the beginning of another, so a choice is complete the moment its last character is
    typed. None begins like one of the keys that are `reserved`.
    """
    own = {key for key in (*keys, *reserved) if key}
    starts = {key[0] for key in own}
    bare = sum(not key for key in keys)
    # A key that begins another would be taken before that one is typed.
    single = [key for key in _KEYS if key not in starts]
    if bare > len(single):  # two characters for all that have no key of their own: the same rhythm for each
        single = [first + second for first in single for second in _KEYS]
    free = iter(single)
    used: set[str] = set()
    given = []
    for key in keys:
        given.append(key if key and key not in used else next(free, ""))
        used.add(key)
    return given


class KeyMatch(NamedTuple):
    """What typed characters mean among the keys of some rows: the row that they name (None: none),
    and whether another key goes on with further characters."""

    row: int | None
    may_continue: bool


def match_key(typed: str, keys: Sequence[tuple[str, ...]]) -> KeyMatch:
    """Find the row that `typed` names. `keys`: each row's own key, then other keys that people type
    for it; a row's own key comes before another row's alias.

    >>> rows = [("1",), ("0", "10"), ("34",)]
    >>> [match_key(typed, rows) for typed in ("1", "10", "3", "8")] == [
    ...     KeyMatch(0, True), KeyMatch(1, False), KeyMatch(None, True), KeyMatch(None, False)
    ... ]
    True
    """
    own = (row for row, (key, *_) in enumerate(keys) if key == typed)
    alias = (row for row, (_, *others) in enumerate(keys) if typed in others)
    # Also beyond an exact match: what a player types for a ten may begin with the key of a one.
    goes_on = any(key != typed and key.startswith(typed) for row in keys for key in row)
    return KeyMatch(next(own, next(alias, None)), goes_on)


def list_card_keys(pick: Pick) -> list[str]:
    """Return the key of each card of a pick: the game's, which stay the same all evening, else
    those of `assign_keys`."""
    return list(pick.keys) or assign_keys([name if len(name) == 1 else "" for name, _ in pick.cards])


FOR_ALL_KEY = "*"
"""The key that makes the same entry for all players at once; a choice with a letter uses its
capital instead."""


class Way(msgspec.Struct, frozen=True):
    """One possible entry: its key, whose act it is (None: the table's), and the choice; `for_all`:
    everybody's at once."""

    key: str
    player: str | None
    choice: Choice
    for_all: bool = False

    @property
    def spots(self) -> Spots:
        """Places on the board that stand for it."""
        return self.choice.spots

    def with_cards(self, cards: Sequence[str]) -> Way:
        """Return the entry with these cards."""
        request = self.choice.with_cards(cards)
        return msgspec.structs.replace(self, choice=msgspec.structs.replace(self.choice, request=request))


class Enterable(msgspec.Struct, frozen=True):
    """The possible entries: `ways` for `player` (None: the table), and who else is awaited."""

    player: str | None
    ways: tuple[Way, ...]
    others: tuple[str, ...] = ()
    attempts: Callable[[], Sequence[Way]] = tuple
    """Return what may be typed as well, of `player` and of the table: see `Game.list_attempts`."""


def list_awaited_players(snapshot: Snapshot) -> list[str]:
    """List the players who are awaited, in the order in which the game names them."""
    return list(dict.fromkeys(row["player"] for row in snapshot.view["waiting_for"] if row["player"]))


def find_enterable(
    live: LiveSession, backstage: Backstage = NO_BACKSTAGE, player: str | None = None
) -> Enterable:
    """Return the possible entries of `player`, or, with None, of the first awaited player.

    What everybody may do alike comes first, then what belongs to the table, then the player's own.
    """
    snapshot = live.snapshot()
    waiting = list_awaited_players(snapshot)
    # A seat that a person took over at the demo table comes first: nobody else acts for it.
    taken = [name for name in waiting if name in backstage.people]
    first = player or next(iter(taken), None) or next(iter(waiting), None)
    mine = () if first is None else list_player_choices(live, backstage, first)
    common = _list_shared_choices(live, mine) if first in waiting and not taken else []
    table = list(live.list_choices(None))
    rows: list[tuple[str, str | None, Choice, bool]] = [
        (_make_key_for_all(one, common), None, one, True) for one in common
    ]
    rows += [(one.key, None, one, False) for one in table]
    rows += [(one.key, first, one, False) for one in mine]
    attempts = partial(list_attempt_ways, live, () if taken else (None, first))
    # What is typed for an entry that is not possible must not begin like another row's key.
    bare = any(not key for key, *_ in rows)
    keys = assign_keys([key for key, *_ in rows], [way.key for way in attempts()] if bare else ())
    ways = tuple(Way(key, who, one, alike) for key, (_, who, one, alike) in zip(keys, rows, strict=True))
    # Where only the table can enter something, the menu is the table's although a player is
    # awaited.
    return Enterable(
        first if mine or not table else None,
        ways,
        tuple(name for name in waiting if name != first),
        attempts,
    )


def list_attempt_ways(live: LiveSession, players: Sequence[str | None]) -> list[Way]:
    """List what may be typed for these players (None: the table), possible or not."""
    return [
        Way(one.key, player, one)
        for player in dict.fromkeys(players)
        for one in live.list_attempts(player)
        if one.key
    ]


def make_ways(player: str | None, choices: Sequence[Choice]) -> list[Way]:
    """Return the choices as ways, each with its key."""
    keys = assign_keys([one.key for one in choices])
    return [Way(key, player, one) for key, one in zip(keys, choices, strict=True)]


def list_player_choices(live: LiveSession, backstage: Backstage, player: str) -> Sequence[Choice]:
    """List one player's choices; for a seat taken over at the demo table, those with its cards."""
    if player in backstage.people:
        return backstage.list_playable_choices(player)
    return live.list_choices(player)


def enter_way(live: LiveSession, backstage: Backstage, way: Way) -> Refusal | Text | None:
    """Make an entry; return a refusal, or a message for this person only.

    For a seat that was taken over, the demo table's players move the cards; the message is what
    only this person sees by it.
    """
    request = way.choice.request
    if way.for_all:
        return _enter_for_everybody(live, request)
    if getattr(request, "player", None) in backstage.people:
        return backstage.perform_request(request)
    return live.submit_request(request)


def _enter_for_everybody(live: LiveSession, request: Request) -> Refusal | None:
    """Make the same request for every awaited player who may, one after the other, while the phase
    lasts."""
    phase = live.snapshot().view["phase"]
    done: set[str] = set()
    # Asked again after each act, which may end the phase or change who is awaited.
    while live.snapshot().view["phase"] == phase:
        alike = [
            (name, choice.request)
            for name in list_awaited_players(live.snapshot())
            if name not in done
            for choice in live.list_choices(name)
            if _are_equivalent(choice.request, request)
        ]
        if not alike:
            return None
        name, wanted = alike[0]
        done.add(name)
        refusal = live.submit_request(wanted)
        if refusal is not None:
            return refusal
    return None


class PartByPart(NamedTuple):
    """The ways made of parts of one kind, and the parts named so far."""

    ways: tuple[Way, ...]
    taken: tuple[ChoicePart, ...] = ()

    @property
    def kind(self) -> ChoiceParts:
        """What all these ways have in common: label, key and size."""
        found = self.ways[0].choice.parts
        assert found is not None
        return found

    @property
    def key(self) -> str:
        """The key that opens them."""
        return self.kind.key

    @property
    def player(self) -> str | None:
        """Whose act it is."""
        return self.ways[0].player

    @property
    def used_size(self) -> int:
        """How much of the size is used up."""
        return sum(part.size for part in self.taken)

    @property
    def spots(self) -> Spots:
        """Places on the board for the part named last; before the first part, those for any of
        them."""
        if self.taken:
            return self.taken[-1].spots
        return tuple(dict.fromkeys(pair for way in self.ways for pair in way.choice.spots))

    @property
    def next_parts(self) -> list[ChoicePart]:
        """The parts that can be named next, each once, ordered by key."""
        found: list[ChoicePart] = []
        for way in self.ways:
            found += [part for part in _find_remaining_parts(way, self.taken) or () if part not in found]
        # So that a part keeps its place whatever was named before.
        return sorted(found, key=lambda part: part.key)

    @property
    def complete_ways(self) -> list[Way]:
        """The ways that are completely named: one, or several if the order of the parts matters."""
        return [way for way in self.ways if _find_remaining_parts(way, self.taken) == []]

    def find_way(self, request: Request | None) -> Way | None:
        """Return the way that makes `request`, if there is one."""
        return next((way for way in self.ways if way.choice.request == request), None)

    def add_part(self, part: ChoicePart) -> PartByPart:
        """Return it with one more part named."""
        return self._replace(taken=(*self.taken, part))


def group_by_parts(ways: Sequence[Way]) -> list[Way | PartByPart]:
    """Group the ways made of parts, one entry for each kind; a kind with a single way stays that
    way."""
    kinds: dict[str, list[Way]] = {}
    for way in ways:
        if way.choice.parts is not None:
            kinds.setdefault(way.choice.parts.key, []).append(way)
    found: list[Way | PartByPart] = []
    for way in ways:
        # One entry for the whole kind, where its first way stands.
        alike = kinds.get(way.choice.parts.key, []) if way.choice.parts is not None else []
        if len(alike) < 2:
            found.append(way)
        elif way is alike[0]:
            found.append(PartByPart(tuple(alike)))
    return found


def is_part_attempt(way: Way) -> bool:
    """Return whether this is only a part of a choice, which makes no entry of its own."""
    parts = way.choice.parts
    return parts is not None and sum(part.size for part in parts.parts) < parts.size


def _list_shared_choices(live: LiveSession, mine: Sequence[Choice]) -> list[Choice]:
    """List the choices of the first awaited player that make sense for all: those without cards."""
    return [
        choice
        for choice in mine
        # A card cannot be played for everybody at once.
        if isinstance(choice.request, live.game.repeatable_requests)
        and not getattr(choice.request, "values", None)
    ]


def _make_key_for_all(choice: Choice, common: Sequence[Choice]) -> str:
    if not choice.key.isdigit():
        return choice.key.upper()
    return FOR_ALL_KEY if len(common) == 1 else FOR_ALL_KEY + choice.key


def _are_equivalent(one: Request, other: Request) -> bool:
    """Return whether two requests differ only in the player."""
    if type(one) is not type(other):
        return False
    return msgspec.structs.replace(one, player=getattr(other, "player", None)) == other


def _find_remaining_parts(way: Way, named_parts: Sequence[ChoicePart]) -> list[ChoicePart] | None:
    """Return the parts of a way not named yet; None if a named part is not one of its parts."""
    left = [] if way.choice.parts is None else list(way.choice.parts.parts)
    for part in named_parts:
        if part not in left:
            return None
        left.remove(part)
    return left
