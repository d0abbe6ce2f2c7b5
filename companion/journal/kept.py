"""A session as the journal holds it: read once, and replayed once, however many ask for it."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

import msgspec

from companion.journal.narration import Narration
from companion.journal.written import Written
from companion.rules import registry
from companion.rules.acts import Commit, Entry
from companion.rules.contract import Setup
from companion.rules.people import People
from companion.rules.session import Session


class SessionRow(msgspec.Struct, frozen=True):
    """One line of the list of sessions.

    `id`: see `schema.session_id`; `begun`, `last`: seconds since 1970; `entries`: acts, undos,
    redos and corrections; `digest`: that of the last of them.
    """

    number: int
    id: UUID
    game: str
    begun: float
    last: float
    entries: int
    digest: int


class Kept(msgspec.Struct, frozen=True):
    """One session as the journal holds it; `times` has one entry's time each, `commitment` that to
    a seed that the program chose, `id` its id (`schema.session_id`)."""

    number: int
    setup: Setup
    begun: float
    entries: tuple[Entry, ...]
    times: tuple[float, ...]
    commitment: str = ""
    id: UUID | None = None
    written: Written | None = None
    """Its rows, for who goes on with it."""
    names: Mapping[str, str] = {}
    """What people are called by seat, where the log says seats only (`schema.SEATS`)."""
    _replayed: list[Narration] = msgspec.field(default_factory=list)

    def narration(self) -> Narration:
        """Return the session in words, replayed once, however often it is asked for."""
        if not self._replayed:
            narration = Narration(Session(registry.load(self.setup.game), self.setup), self.names)
            for entry in self.entries:
                narration.replay(entry)
            self._replayed.append(narration)
        return self._replayed[0]

    @property
    def over(self) -> bool:
        """Whether it was played to its end."""
        return self.session().over

    @property
    def people(self) -> People:
        """Who sat where, and what everybody is called after all that was put right: the one place
        that says which names an evening has."""
        return self.narration().people

    def session(self, commit: Commit | None = None) -> Session:
        """Return the same session, with what can be undone and redone. Whoever goes on with it
        gives a `commit`."""
        session = self.narration().session
        if commit is not None:
            session.commit = commit
        return session
