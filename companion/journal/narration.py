"""A session in words: the description of each step, and the log with one line for each act, struck
lines included.

A session is a tree of moments; undo, redo and corrections move to another branch. `Narration`
follows it, and updates only the lines of the acts that changed. The log is an immutable sequence
(`Lines`) that shares all but its end with the previous one, so views can keep it and compare two
logs quickly.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import overload

import msgspec

from companion.rules.acts import Entry, Kind, Moment
from companion.rules.contract import Text
from companion.rules.people import People, Seated
from companion.rules.session import Session

PIECE = 64
"""Lines in a piece. A step copies one piece and the list of pieces, so it costs about the same with
40 acts and with 4,000."""


class Line(msgspec.Struct, frozen=True):
    """One line of the session's log: the act's number (for corrections), a description, and whether
    the act still stands."""

    act: int
    text: Text
    stands: bool = True


class Lines(Sequence[Line]):
    """Lines of a log, oldest first. Immutable; `replaced` returns a new one."""

    __slots__ = ("_pieces",)

    def __init__(self, pieces: Sequence[tuple[Line, ...]] = ()) -> None:
        self._pieces = tuple(pieces)

    def replaced(self, begin: int, lines: Sequence[Line]) -> Lines:
        """Return the first `begin` of these lines, followed by `lines`."""
        whole = begin // PIECE
        rest = [*chain.from_iterable(self._pieces[whole : whole + 1])][: begin - whole * PIECE]
        rest += lines
        pieces = [tuple(rest[at : at + PIECE]) for at in range(0, len(rest), PIECE)]
        return Lines((*self._pieces[:whole], *pieces))

    def since(self, before: Lines) -> int:
        """Return how many lines at the beginning are the same in both; shared pieces are not
        examined."""
        same = 0
        for here, there in zip(self._pieces, before._pieces, strict=False):
            if here is not there:
                for one, other in zip(here, there, strict=False):
                    if one != other:
                        break
                    same += 1
                break
            same += len(here)
        return same

    def __len__(self) -> int:
        return (len(self._pieces) - 1) * PIECE + len(self._pieces[-1]) if self._pieces else 0

    def __iter__(self) -> Iterator[Line]:
        return chain.from_iterable(self._pieces)

    @overload
    def __getitem__(self, at: int) -> Line: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Line, ...]: ...
    def __getitem__(self, at: int | slice) -> Line | tuple[Line, ...]:
        if isinstance(at, slice):
            return tuple(self[place] for place in range(*at.indices(len(self))))
        place = range(len(self))[at]
        return self._pieces[place // PIECE][place % PIECE]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lines) and self._pieces == other._pieces

    def __hash__(self) -> int:
        # The last piece is enough: two logs of a session differ at their end.
        return hash(self._pieces[-1:])

    def __repr__(self) -> str:
        return f"Lines({list(self)!r})"


STRUCK = 8
"""Different versions of one act that are kept after they were undone; a table that goes back and
forth needs no more."""


class Narration:
    """Description of a session, updated from moment to moment. The cost of a step depends on how
    many acts it changes, not on how many stand. `names`: as in `People.of`."""

    def __init__(self, session: Session, names: Mapping[str, str] | None = None) -> None:
        self.session = session
        self.people = People.of(session.setup.players, names)
        self._here = session.now
        self._struck: dict[int, list[Moment]] = {}
        self.lines = Lines()
        """One line for each act, by number; undone versions come before the one that replaced them.

        If an act was undone and repeated in the same words, it is listed once.
        """

    def step(self, kind: Kind, at: int = 0) -> Text:
        """Update the log with the step that the session has just taken, and return its description.
        `at`: see `Entry`."""
        before, now = self._here, self.session.now
        self._follow(before, now)
        match kind:
            case "act":
                return told(now)
            case "undo" if now is before.before:
                # A plain undo goes back by one act; otherwise a correction, which replaced a whole
                # branch, was undone.
                return Text("live.undone", {"what": told(before)})
            case "redo" if now.before is before:
                return Text("live.redone", {"what": told(now)})
            case "undo" | "redo":
                return Text(f"live.correction_{kind}")
            case "correct":
                return _corrected(before, now, at)
        return Text("live.sealed_anew")

    def replay(self, entry: Entry) -> Text:
        """Replay one entry of a journal into the session, and return its description."""
        self.session.replay([entry])
        changes = [note for note in entry.notes if isinstance(note, Seated)]
        words = [self.seated(change) for change in changes]
        return words[-1] if words and entry.kind == "note" else self.step(entry.kind, entry.at)

    def seated(self, change: Seated) -> Text:
        """Apply a saved change of people, and return its description."""
        self.people = self.people.after(change, self.session.now.number)
        return self.people.told[-1].text

    @property
    def last(self) -> Text | None:
        """Description of the last act that stands; None before the first."""
        return None if self._here.act is None else told(self._here)

    def _follow(self, before: Moment, now: Moment) -> None:
        same = _parting(before, now)
        for number, moment in _acts_after(before, same):
            self._struck.setdefault(number, []).append(moment)
        for number, moment in _acts_after(now, same):
            others = [one for one in self._struck.get(number, ()) if one is not moment]
            # An act that was redone stands again: it is no longer struck.
            self._struck[number] = others[-STRUCK:]
        self._here = now
        self._list_from(same.number)

    def _list_from(self, number: int) -> None:
        """Update the lines from act `number` on."""
        begin = bisect_left(self.lines, number, key=lambda line: line.act)
        last = max((self._here.number - 1, self.lines[-1].act if self.lines else -1))
        standing = dict(_acts_after(self._here, self._here.back(number)))
        rows: list[Line] = []
        for place in range(number, last + 1):
            words = told(standing[place]) if place in standing else None
            struck: list[Text] = []
            for text in map(told, self._struck.get(place, ())):
                if text != words and text not in struck:
                    struck.append(text)
            rows += [Line(place, text, False) for text in struck]
            if words is not None:
                rows.append(Line(place, words))
        self.lines = self.lines.replaced(begin, rows)


def told(moment: Moment) -> Text:
    """Describe the act of one moment."""
    return _together(moment.words) if moment.words else _plain(moment)


def _together(words: Sequence[Text]) -> Text:
    return (
        words[0]
        if len(words) == 1
        else Text("live.sentences", {"first": words[0], "rest": _together(words[1:])})
    )


def _plain(moment: Moment) -> Text:
    """Describe an act for which the game has no words (a card laid face down): the player, and the
    request's name."""
    assert moment.act is not None
    request = moment.act.request
    player = getattr(request, "player", None)
    do = str(type(request).__struct_config__.tag)
    return (
        Text("live.act", {"do": do}) if player is None else Text("live.act_of", {"player": player, "do": do})
    )


def _corrected(before: Moment, now: Moment, at: int) -> Text:
    """Describe a correction of act `at`: the act as it is now, or that it was removed."""
    here, next_one = now.back(at + 1), before.back(at + 2)
    # Removed: the act now at this place is the one that followed it before.
    gone = at >= now.number or (
        before.number >= at + 2
        and here.act is not None
        and next_one.act is not None
        and here.act.request == next_one.act.request
    )
    number = {"act": at + 1}
    return Text("live.taken_out", number) if gone else Text("live.corrected", {**number, "what": told(here)})


def _parting(one: Moment, other: Moment) -> Moment:
    """Return the last moment that two branches of one session have in common."""
    while one is not other:
        later, earlier = (one, other) if one.number >= other.number else (other, one)
        assert later.before is not None
        one, other = later.before, earlier
    return one


def _acts_after(moment: Moment, first: Moment) -> list[tuple[int, Moment]]:
    """List the moments from `first` to `moment` with their acts' numbers, oldest first."""
    found = []
    while moment is not first and moment.before is not None:
        moment, latest = moment.before, moment
        found.append((moment.number, latest))
    return found[::-1]
