"""Which play the camera sees on the board, or what cannot be.

A position is compared with what is seen spot by spot; spots that the camera cannot tell, and pawns
that are on no spot (in a hand, taken off the board), contradict nothing. Only what is on the track
and in the goals is compared by its place; of a base it counts how many stand there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from companion.games.partners.board import (
    CELLS,
    COLOURS,
    SEATS,
    Pawns,
    base_spots,
    names_of,
    occupants,
    place_of,
    with_pawn,
)
from companion.games.partners.cards import SPLIT
from companion.games.partners.moves import PawnMoved, PawnSentHome, PawnsSwapped
from companion.games.partners.plays import Steps, plays, result
from companion.games.partners.state import State
from companion.games.partners.walk import swapped
from companion.games.partners.words import place_word
from companion.rules.contract import BoardSeen, Text

_PLACES = tuple(name for name in CELLS if not name.startswith("base"))
"""The spots that are compared by their place."""
_BASES = tuple(base_spots(seat + 1) for seat in SEATS)


class Position(NamedTuple):
    """A position as a camera could see it: whose pawns (seats from 0) are on each spot, and how
    many in each base."""

    held: Mapping[str, frozenset[int]]
    home: tuple[int, ...]


@lru_cache(maxsize=512)
def position(pawns: Pawns) -> Position:
    """Return the position that these pawns make."""
    standing = occupants([names_of(seat, pawns) for seat in SEATS])
    held = {name: frozenset(number - 1 for number, _ in there) for name, there in standing.items()}
    return Position(held, tuple(len(standing.get(f"base {seat + 1}", ())) for seat in SEATS))


class Sight(NamedTuple):
    """What is seen, read once: whose pawn is on each spot, what is hidden, how many pawns are at
    least and at most in each base."""

    held: Mapping[str, int]
    hidden: frozenset[str]
    home: tuple[tuple[int, int], ...]


@lru_cache(maxsize=64)
def sight(board: BoardSeen) -> Sight:
    """Read what a camera reports."""
    held = {name: COLOURS.index(colour) for name, colour in board.pawns if colour in COLOURS}
    hidden = frozenset(board.hidden)
    home = []
    for seat, spots in enumerate(_BASES):
        sure = sum(held.get(name) == seat for name in spots)
        home.append((sure, sure + sum(name in hidden for name in spots)))
    return Sight(held, hidden, tuple(home))


def lacking(seen: Sight, pawns: Pawns) -> int | None:
    """Return how many pawns that should be in their base are not seen there, if nothing else speaks
    against this position; None if something does."""
    there = position(pawns)
    for name in _PLACES:
        if name in seen.hidden:
            continue
        seat, owners = seen.held.get(name), there.held.get(name, frozenset())
        if bool(owners) != (seat is not None) or (seat is not None and seat not in owners):
            return None
    lack = 0
    for (least, most), count in zip(seen.home, there.home, strict=True):
        if least > count:
            return None
        lack += max(0, count - most)
    return lack


def made(state: State, board: BoardSeen, card: str) -> tuple[Steps, ...]:
    """Return the plays of `card` that explain what is seen: one, several that look alike, or none
    while none has been made."""
    seen = sight(board)
    before = lacking(seen, state.pawns)
    found: dict[Pawns, tuple[int, Steps]] = {}
    for play in sorted(plays(state.pawns, state.turn, card, state.rulings)):
        after = result(state.pawns, play, card, state.rulings)
        lack = lacking(seen, after)
        if lack is not None and _arrived(seen, state.pawns, after):
            found.setdefault(after, (lack, play))
    least = min((lack for lack, _ in found.values()), default=0)
    if before is not None and before <= least:
        return ()
    return tuple(play for lack, play in found.values() if lack == least)


def _arrived(seen: Sight, before: Pawns, after: Pawns) -> bool:
    """Tell whether a pawn is seen where this play brings one, or none is brought anywhere but home:
    one that has only left its place may still be in a hand."""
    one, other = position(before).held, position(after).held
    comes = [name for name in _PLACES if other.get(name, frozenset()) - one.get(name, frozenset())]
    return not comes or any(name not in seen.hidden for name in comes)


def strange(state: State, board: BoardSeen, cards: Sequence[str]) -> Text | None:
    """Say what cannot be: what is seen is neither how the pawns should stand, nor how they stood
    before the last card, nor what a play of these cards makes of it, whole or in part."""
    seen = sight(board)
    stands = (state.pawns, _before(state))
    if any(lacking(seen, pawns) is not None for pawns in stands):
        return None
    kinds = tuple(card for card in cards if state.unplayed(card) > 0)
    if any(lacking(seen, pawns) is not None for pawns in _reachable(state, kinds)):
        return None
    return _difference(state, seen)


def _reachable(state: State, kinds: Sequence[str]) -> Iterator[Pawns]:
    for card in kinds:
        for play in plays(state.pawns, state.turn, card, state.rulings):
            # Of a seven each pawn by itself too: it is moved pawn by pawn.
            for part in range(1 if card == SPLIT else len(play), len(play) + 1):
                yield result(state.pawns, play[:part], card, state.rulings)


def _before(state: State) -> Pawns:
    """Return where the pawns stood before the last card: hands may be late."""
    pawns = state.pawns
    for event in reversed(state.last):
        match event:
            case (
                PawnMoved(owner=owner, pawn=pawn, source=source)
                | PawnSentHome(owner=owner, pawn=pawn, source=source)
            ):
                seat = state.players.index(owner)
                place = place_of(seat, source)
                assert place is not None, source
                pawns = with_pawn(pawns, 4 * seat + pawn - 1, place)
            case PawnsSwapped():
                one, other = (
                    4 * state.players.index(owner) + pawn - 1
                    for owner, pawn in ((event.owner, event.pawn), (event.other_owner, event.other_pawn))
                )
                pawns = swapped(pawns, one, other)
    return pawns


def _difference(state: State, seen: Sight) -> Text | None:
    """Name the first pawn that is where it cannot be, and where it should be; none where pawns are
    only missing: a hand has them."""
    there = position(state.pawns)
    extra = [
        (name, seat)
        for name, seat in seen.held.items()
        if name in _PLACES and seat not in there.held.get(name, ())
    ]
    gone = [
        (name, seat)
        for name, owners in there.held.items()
        if name in _PLACES and name not in seen.hidden and name not in seen.held
        for seat in owners
    ]
    for name, seat in extra:
        was = next((place for place, owner in gone if owner == seat), None)
        args = {"player": state.players[seat], "to": _said(state, seat, name)}
        if was is None:
            return Text("doubt.pawn_strange", args)
        return Text("doubt.pawn_moved", args | {"source": _said(state, seat, was)})
    return next(
        (
            Text("doubt.pawn_home", {"player": state.players[seat]})
            for seat, (least, _) in enumerate(seen.home)
            if least > there.home[seat]
        ),
        None,
    )


def _said(state: State, seat: int, name: str) -> Text:
    """Say a spot, for a pawn of that seat."""
    kind, _, number = name.rpartition(" ")
    own = number.partition(":")[0] == str(seat + 1)
    if kind == "start":
        place = place_of(seat, "start" if own else f"{number}:0")
    elif kind == "goal":
        if not own:
            owner = state.players[int(number[0]) - 1]
            return Text("place.other_goal", {"number": int(number[2:]), "player": owner})
        place = place_of(seat, f"goal:{number[2:]}")
    else:
        place = place_of(seat, number)
    assert place is not None, name
    return place_word(state, seat, place)
