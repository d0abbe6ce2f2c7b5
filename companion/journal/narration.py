"""A session in words: each step as it is taken, and one line an act, with what was undone or
replaced kept beside it; and the log of an evening for views (`Lines`), which stays as it is and
shares all but its end with the next."""

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
"""Lines a piece: a step copies one piece and the list of pieces: 4,000 acts cost it as 40 do."""


class Line(msgspec.Struct, frozen=True):
    """One line of the evening's log: the act's number (for corrections), what happened in words,
    and whether it still stands."""

    act: int
    text: Text
    stands: bool = True


class Lines(Sequence[Line]):
    """Lines of a log, oldest first. Never changes; `replaced` gives another."""

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
        """Return how many lines at the beginning are the very same in both; pieces that both share
        are not looked at."""
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
        return hash(self._pieces[-1:])

    def __repr__(self) -> str:
        return f"Lines({list(self)!r})"


STRUCK = 8
"""How many different versions of one act that no longer stand are kept beside it: a table that goes
to and fro needs no more."""


class Narration:
    """Follows a session from moment to moment. What a step costs depends on how many acts it
    changes, not on how many stand. `names`: as in `People.of`."""

    def __init__(self, session: Session, names: Mapping[str, str] | None = None) -> None:
        self.session = session
        self.people = People.of(session.setup.players, names)
        self._here = session.now
        self._struck: dict[int, list[Moment]] = {}
        self.lines = Lines()
        """One line an act, by number; what no longer stands comes before what took its place.

        What was undone and then done again in the same words is listed once.
        """

    def step(self, kind: Kind, at: int = 0) -> Text:
        """Follow the step that the session has just taken, and word it. `at`: see `Entry`."""
        before, now = self._here, self.session.now
        self._follow(before, now)
        match kind:
            case "act":
                return told(now)
            case "undo" if now is before.before:
                return Text("live.undone", {"what": told(before)})
            case "redo" if now.before is before:
                return Text("live.redone", {"what": told(now)})
            case "undo" | "redo":
                return Text(f"live.correction_{kind}")
            case "correct":
                return _corrected(before, now, at)
        return Text("live.sealed_anew")

    def replay(self, entry: Entry) -> Text:
        """Replay one entry of a journal into the session, and put it into words."""
        self.session.replay([entry])
        changes = [note for note in entry.notes if isinstance(note, Seated)]
        words = [self.seated(change) for change in changes]
        return words[-1] if words and entry.kind == "note" else self.step(entry.kind, entry.at)

    def seated(self, change: Seated) -> Text:
        """Take in a change of people that has been kept, and put it into words."""
        self.people = self.people.after(change, self.session.now.number)
        return self.people.told[-1].text

    @property
    def last(self) -> Text | None:
        """The words of the act that stands last, None before the first."""
        return None if self._here.act is None else told(self._here)

    def _follow(self, before: Moment, now: Moment) -> None:
        same = _parting(before, now)
        for number, moment in _acts_after(before, same):
            self._struck.setdefault(number, []).append(moment)
        for number, moment in _acts_after(now, same):
            others = [one for one in self._struck.get(number, ()) if one is not moment]
            self._struck[number] = others[-STRUCK:]
        self._here = now
        self._list_from(same.number)

    def _list_from(self, number: int) -> None:
        """Draw the lines anew from act `number` on."""
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
    """Put the act of one moment into words."""
    return _together(moment.words) if moment.words else _plain(moment)


def _together(words: Sequence[Text]) -> Text:
    return (
        words[0]
        if len(words) == 1
        else Text("live.sentences", {"first": words[0], "rest": _together(words[1:])})
    )


def _plain(moment: Moment) -> Text:
    """Name an act that the game has no words for (a card laid face down): who, and what the wire
    calls it."""
    assert moment.act is not None
    request = moment.act.request
    player = getattr(request, "player", None)
    do = str(type(request).__struct_config__.tag)
    return (
        Text("live.act", {"do": do}) if player is None else Text("live.act_of", {"player": player, "do": do})
    )


def _corrected(before: Moment, now: Moment, at: int) -> Text:
    """Put a correction of act `at` into words: the act as it is now, or that it was taken out."""
    here, next_one = now.back(at + 1), before.back(at + 2)
    gone = at >= now.number or (
        before.number >= at + 2
        and here.act is not None
        and next_one.act is not None
        and here.act.request == next_one.act.request
    )
    number = {"act": at + 1}
    return Text("live.taken_out", number) if gone else Text("live.corrected", {**number, "what": told(here)})


def _parting(one: Moment, other: Moment) -> Moment:
    """Return the last moment that two courses of one session have in common."""
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
