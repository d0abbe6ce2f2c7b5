"""Judges a session as it grows: each act is decided anew by the rules that are installed here.

To replay a log is not to judge it: that folds what the table claims to have happened. Of 224 forged
numbers 88 led to another state unnoticed, and none passed deciding. Draws by a seed that is not
told yet are taken as the table tells them until it is; then they are checked, as the journal's own
proof does it.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, cast

from companion.journal import schema
from companion.journal.kept import Kept
from companion.journal.proof import prove
from companion.rules import registry
from companion.rules.acts import Entry, Kind
from companion.rules.commitments import HiddenSeed, SeedCommitted, SeedTold
from companion.rules.contract import View
from companion.rules.session import Session

Checked: TypeAlias = Literal["checked", "pending", "public", "otherwise"]
"""`checked`: every act came out as it stands. `pending`: so did all but draws by a seed that was
not told, yet or ever. `public`: all did, but draws were made by a seed that everybody could
compute them from. `otherwise`: an act did not, or a seal or a seed is not what was committed to; by
other rules (of another version) that may be right, so it is marked and not thrown away."""


class Malformed(ValueError):
    """No table of this program wrote such a log."""


class Judge:
    """One session, from its set-up on (the journal's bytes). Raises `GameUnavailable` where nobody
    here knows the game, and `Malformed`, as `take` does: nothing is asked of it then any more.

    `taken`: how many entries it has.
    """

    def __init__(self, setup: bytes) -> None:
        try:
            self._setup, self._commitment = schema.decode_setup(setup)
        except (schema.Unreadable, RecursionError) as fault:
            raise Malformed(str(fault)) from None
        self.game = registry.load(self._setup.game)
        try:
            self.session = Session(self.game, self._setup, tells=False)
        except Exception as fault:  # options that are none: a game may raise anything for them
            raise Malformed(f"no such set-up ({type(fault).__name__})") from None
        self._entries: list[Entry] = []
        self._otherwise = False
        self._undecided = self._drawn = self._lost = False

    @property
    def taken(self) -> int:
        """How many entries it has."""
        return len(self._entries)

    def take(self, kind: str, at: int, acts_format: int, acts: bytes) -> None:
        """Judge the next entry, a row of the log."""
        if acts_format > schema.FORMAT:
            raise Malformed(f"format {acts_format}")
        try:
            entry = schema.decode_entry(self.game, cast(Kind, kind), at, acts, acts_format)
            self._judge(entry)
            self.session.replay([entry])
        except schema.Unreadable as fault:
            raise Malformed(str(fault)) from None
        except Exception as fault:  # it was decided nowhere: there is nothing that it may not do
            raise Malformed(f"entry {self.taken}: {type(fault).__name__}") from None
        self._entries.append(entry)

    def _judge(self, entry: Entry) -> None:
        session = self.session
        moment = session.now.back(entry.at) if entry.kind == "correct" else session.now
        for act in entry.acts:
            self._undecided = self._undecided or session.draws(moment, act)
            self._otherwise = self._otherwise or not session.agrees(moment, act)
            moment = session.grown(moment, act)
        for note in entry.notes:
            if isinstance(note, SeedTold | SeedCommitted):
                # A seed whose place another took was never told: no draw by it can be checked.
                self._lost = self._lost or (self._undecided and isinstance(note, SeedCommitted))
                self._drawn, self._undecided = self._drawn or self._undecided, False

    @property
    def view(self) -> View:
        """What everybody may know of how it stands, `result` at the end. It may raise anything of a
        log that nobody decided."""
        return self.session.view()

    @property
    def checked(self) -> Checked:
        """What is to be thought of it."""
        if self._otherwise:
            return "otherwise"
        hidden = isinstance(self._setup.seed, HiddenSeed)
        if not self._proved():
            return "otherwise"
        if not hidden and (self._undecided or self._drawn):
            return "public"
        return "pending" if self._undecided or self._lost else "checked"

    def _proved(self) -> bool:
        times = (0.0,) * len(self._entries)
        kept = Kept(0, self._setup, 0.0, tuple(self._entries), times, self._commitment)
        try:
            return prove(kept).holds
        except Exception:  # notes that do not belong together
            return False
