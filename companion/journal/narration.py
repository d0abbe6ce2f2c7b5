"""A session in words: the description of each step, and the log with one line for each act, struck
lines included.

A session is a tree of moments; undo, redo and corrections move to another branch. `Narration`
follows it, and updates only the lines of the acts that changed. The log is an immutable sequence
(`LogLines`) that shares all but its end with the previous one, so views can keep it and compare two
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
from companion.rules.people import People, SeatChange
from companion.rules.session import Session

PIECE = 64
"""Lines in a piece. A step copies one piece and the list of pieces, so it costs about the same with
40 acts and with 4,000."""


class LogLine(msgspec.Struct, frozen=True):
    """One line of the session's log: the act's number (for corrections), a description, and whether
    the act still stands."""

    act: int
    text: Text
    stands: bool = True


class LogLines(Sequence[LogLine]):
    """Lines of a log, oldest first. Immutable; `with_replaced_tail` returns a new one."""

    __slots__ = ("_pieces",)

    def __init__(self, pieces: Sequence[tuple[LogLine, ...]] = ()) -> None:
        self._pieces = tuple(pieces)

    def with_replaced_tail(self, begin: int, lines: Sequence[LogLine]) -> LogLines:
        """Return the first `begin` of these lines, followed by `lines`."""
        full_pieces = begin // PIECE
        rest = [*chain.from_iterable(self._pieces[full_pieces : full_pieces + 1])][
            : begin - full_pieces * PIECE
        ]
        rest += lines
        pieces = [tuple(rest[at : at + PIECE]) for at in range(0, len(rest), PIECE)]
        return LogLines((*self._pieces[:full_pieces], *pieces))

    def count_shared_lines(self, before: LogLines) -> int:
        """Return how many lines at the beginning are the same in both; shared pieces are not
        examined."""
        shared = 0
        for here, there in zip(self._pieces, before._pieces, strict=False):
            if here is not there:
                for one, other in zip(here, there, strict=False):
                    if one != other:
                        break
                    shared += 1
                break
            shared += len(here)
        return shared

    def __len__(self) -> int:
        return (len(self._pieces) - 1) * PIECE + len(self._pieces[-1]) if self._pieces else 0

    def __iter__(self) -> Iterator[LogLine]:
        return chain.from_iterable(self._pieces)

    @overload
    def __getitem__(self, at: int) -> LogLine: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[LogLine, ...]: ...
    def __getitem__(self, at: int | slice) -> LogLine | tuple[LogLine, ...]:
        if isinstance(at, slice):
            return tuple(self[place] for place in range(*at.indices(len(self))))
        place = range(len(self))[at]
        return self._pieces[place // PIECE][place % PIECE]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LogLines) and self._pieces == other._pieces

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
    many acts it changes, not on how many stand. `names`: as in `People.from_players`."""

    def __init__(self, session: Session, names: Mapping[str, str] | None = None) -> None:
        self.session = session
        self.people = People.from_players(session.setup.players, names)
        self._here = session.current_moment
        self._superseded: dict[int, list[Moment]] = {}
        self.lines = LogLines()
        """One line for each act, by number; undone versions come before the one that replaced them.

        If an act was undone and repeated in the same words, it is listed once.
        """

    def narrate_step(self, kind: Kind, at: int = 0) -> Text:
        """Update the log with the step that the session has just taken, and return its description.
        `at`: see `Entry`."""
        before, now = self._here, self.session.current_moment
        self._advance_lines(before, now)
        match kind:
            case "act":
                return describe_moment(now)
            case "undo" if now is before.before:
                # A plain undo goes back by one act; otherwise a correction, which replaced a whole
                # branch, was undone.
                return Text("live.undone", {"what": describe_moment(before)})
            case "redo" if now.before is before:
                return Text("live.redone", {"what": describe_moment(now)})
            case "undo" | "redo":
                return Text(f"live.correction_{kind}")
            case "correct":
                return _describe_correction(before, now, at)
        return Text("live.sealed_anew")

    def replay_entry(self, entry: Entry) -> Text:
        """Replay one entry of a journal into the session, and return its description."""
        self.session.replay_entries([entry])
        changes = [note for note in entry.notes if isinstance(note, SeatChange)]
        words = [self.apply_seat_change(change) for change in changes]
        return words[-1] if words and entry.kind == "note" else self.narrate_step(entry.kind, entry.at)

    def apply_seat_change(self, change: SeatChange) -> Text:
        """Apply a saved change of people, and return its description."""
        self.people = self.people.with_change(change, self.session.current_moment.number)
        return self.people.described_changes[-1].text

    @property
    def last_text(self) -> Text | None:
        """Description of the last act that stands; None before the first."""
        return None if self._here.act is None else describe_moment(self._here)

    def _advance_lines(self, before: Moment, now: Moment) -> None:
        common = _find_common_moment(before, now)
        for number, moment in _list_acts_between(before, common):
            self._superseded.setdefault(number, []).append(moment)
        for number, moment in _list_acts_between(now, common):
            others = [one for one in self._superseded.get(number, ()) if one is not moment]
            # An act that was redone stands again: it is no longer struck.
            self._superseded[number] = others[-STRUCK:]
        self._here = now
        self._rebuild_lines(common.number)

    def _rebuild_lines(self, number: int) -> None:
        """Update the lines from act `number` on."""
        begin = bisect_left(self.lines, number, key=lambda line: line.act)
        last = max((self._here.number - 1, self.lines[-1].act if self.lines else -1))
        standing = dict(_list_acts_between(self._here, self._here.moment_at(number)))
        rows: list[LogLine] = []
        for place in range(number, last + 1):
            words = describe_moment(standing[place]) if place in standing else None
            superseded: list[Text] = []
            for text in map(describe_moment, self._superseded.get(place, ())):
                if text != words and text not in superseded:
                    superseded.append(text)
            rows += [LogLine(place, text, False) for text in superseded]
            if words is not None:
                rows.append(LogLine(place, words))
        self.lines = self.lines.with_replaced_tail(begin, rows)


def describe_moment(moment: Moment) -> Text:
    """Describe the act of one moment."""
    return _join_sentences(moment.words) if moment.words else _describe_unworded_act(moment)


def _join_sentences(words: Sequence[Text]) -> Text:
    return (
        words[0]
        if len(words) == 1
        else Text("live.sentences", {"first": words[0], "rest": _join_sentences(words[1:])})
    )


def _describe_unworded_act(moment: Moment) -> Text:
    """Describe an act for which the game has no words (a card laid face down): the player, and the
    request's name."""
    assert moment.act is not None
    request = moment.act.request
    player = getattr(request, "player", None)
    do = str(type(request).__struct_config__.tag)
    return (
        Text("live.act", {"do": do}) if player is None else Text("live.act_of", {"player": player, "do": do})
    )


def _describe_correction(before: Moment, now: Moment, at: int) -> Text:
    """Describe a correction of act `at`: the act as it is now, or that it was removed."""
    here, next_one = now.moment_at(at + 1), before.moment_at(at + 2)
    # Removed: the act now at this place is the one that followed it before.
    is_removed = at >= now.number or (
        before.number >= at + 2
        and here.act is not None
        and next_one.act is not None
        and here.act.request == next_one.act.request
    )
    number = {"act": at + 1}
    return (
        Text("live.taken_out", number)
        if is_removed
        else Text("live.corrected", {**number, "what": describe_moment(here)})
    )


def _find_common_moment(one: Moment, other: Moment) -> Moment:
    """Return the last moment that two branches of one session have in common."""
    while one is not other:
        later, earlier = (one, other) if one.number >= other.number else (other, one)
        assert later.before is not None
        one, other = later.before, earlier
    return one


def _list_acts_between(moment: Moment, first: Moment) -> list[tuple[int, Moment]]:
    """List the moments from `first` to `moment` with their acts' numbers, oldest first."""
    found = []
    while moment is not first and moment.before is not None:
        moment, latest = moment.before, moment
        found.append((moment.number, latest))
    return found[::-1]
