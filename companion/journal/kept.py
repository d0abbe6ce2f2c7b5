"""Saved sessions: the rows of a session as they are in the file, and a session decoded and replayed
once.

`Written` holds the rows of the current session in memory until it is over, so that the file can be
compared with them, and written again in another place. `Kept` is a session that was read; it is
replayed only once, however often it is used.

`prove` verifies the commitments of a session: whether each revealed card is the one that was
sealed, and each revealed seed the one that was committed to. Anyone with the file (or its JSON
export) can do the same without this program: see docs/journal.en.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias
from uuid import UUID

import msgspec
from msgspec.structs import replace

from companion.journal import schema
from companion.journal.narration import Narration
from companion.rules import registry
from companion.rules.acts import Act, Commit, Entry, Moment
from companion.rules.commitments import (
    HiddenSeed,
    Opening,
    SealedAnew,
    SeedCommitted,
    SeedTold,
    is_seal,
    opened,
)
from companion.rules.contract import Setup
from companion.rules.people import People
from companion.rules.session import Session

Row: TypeAlias = tuple[Any, ...]
"""A row of `entries`, in the order of its columns (`companion.journal.schema`)."""


class Written:
    """The rows of one session: its row of `sessions` without the number (`head`), and its rows of
    `entries`.

    Contains only verified rows: see `sound`.
    """

    def __init__(self, number: int, head: Row, rows: Iterable[Row] = ()) -> None:
        begun, game, setup, _salt, digest = head
        self.number = number
        self.head = head
        self.rows: list[Row] = []
        self._links = [schema.begun_with(game, setup, begun)]
        self._digest: int = digest
        for row in rows:
            self.add(row)

    def link(self, entries: int) -> bytes:
        """Return the link of the chain after that many rows. Links are computed on demand, because
        most sessions are only read."""
        for row in self.rows[len(self._links) - 1 : entries]:
            self._links.append(schema.linked(self._links[-1], *row[1:-1]))
        return self._links[entries]

    def next(self, entry: Entry, now: float) -> Row:
        """Return the row for `entry`; `now`: seconds since 1970."""
        acts = schema.encode_entry(entry)
        row = (self.number, len(self.rows), now, entry.kind, entry.at, schema.FORMAT, acts)
        return (*row, schema.digest(self._digest, *row))

    def add(self, row: Row) -> None:
        """Add a row that was written."""
        self.rows.append(row)
        self._digest = row[-1]

    def sound(self, rows: Iterable[Row]) -> bool:
        """Add rows that were read, up to the first that is missing or damaged; return whether all
        were intact."""
        begun, game, setup, salt, digest = self.head
        if schema.digest(0, game, setup, salt, begun) != digest:
            return False
        for row in rows:
            if row[-1] != schema.digest(self._digest, *row[:-1]) or row[1] != len(self.rows):
                return False
            self.add(row)
        return True


class SessionRow(msgspec.Struct, frozen=True):
    """One line of the list of sessions.

    `id`: see `schema.session_id`; `begun`, `last`: seconds since 1970; `entries`: number of acts,
    undos, redos and corrections; `digest`: that of the last of them.
    """

    number: int
    id: UUID
    game: str
    begun: float
    last: float
    entries: int
    digest: int


class Kept(msgspec.Struct, frozen=True):
    """One session as read from the journal. `times`: the time of each entry; `commitment`: to a
    seed that the program chose; `id`: see `schema.session_id`."""

    number: int
    setup: Setup
    begun: float
    entries: tuple[Entry, ...]
    times: tuple[float, ...]
    commitment: str = ""
    id: UUID | None = None
    written: Written | None = None
    """Its rows, needed to continue it."""
    names: Mapping[str, str] = {}
    """Names of people by seat, if the log itself has only seats (`schema.SEATS`)."""
    # A list, because the struct is frozen; filled when it is first needed.
    _replayed: list[Narration] = msgspec.field(default_factory=list)

    def narration(self) -> Narration:
        """Return the session in words; replayed only once."""
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
        """Who sat where, with everybody's correct name: the only source of the names of a
        session."""
        return self.narration().people

    def session(self, commit: Commit | None = None) -> Session:
        """Return the replayed session, with its undo and redo history. To continue it, pass a
        `commit`."""
        session = self.narration().session
        if commit is not None:
            session.commit = commit
        return session


class Proof(msgspec.Struct, frozen=True):
    """Result of the verification. `opened`: seals whose cards were revealed and match; `closed`:
    seals that were never opened.

    `seeds`: revealed seeds that match. `false`: numbers of the entries (from 1) that reveal
    something else than was committed to. `decided_anew`: acts that were decided again with a known
    seed, with the same result; `otherwise`: numbers of the entries with another result.
    """

    opened: int = 0
    closed: int = 0
    seeds: int = 0
    false: tuple[int, ...] = ()
    decided_anew: int = 0
    otherwise: tuple[int, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether nothing impossible was found."""
        return not (self.false or self.otherwise)


def prove(kept: Kept) -> Proof:
    """Verify every opening against the commitment before it, and every draw against its seed."""
    sealed: dict[str, tuple[str, set[str]]] = {}
    seeds, told = {kept.commitment}, 0
    found: set[str] = set()
    false: list[int] = []
    for number, entry in enumerate(kept.entries, 1):
        for act in entry.acts:
            # Only the first time: a seal is bound to the player of the act that brought it in.
            sealed.update((seal, (_player(act), {seal})) for seal in _seals(act) if seal not in sealed)
            for opening in _openings(act):
                if _holds(opening, *sealed.get(opening.seal, ("", set()))):
                    found.add(opening.seal)
                else:
                    false.append(number)
        for note in entry.notes:
            match note:
                case SealedAnew(_player_of, before, now):
                    # After a restart the card is still under the old seal, but only the new one can
                    # be opened.
                    sealed[before][1].add(now)
                case SeedCommitted(commitment):
                    seeds.add(commitment)
                case SeedTold() if note.commitment in seeds:
                    told += 1
                case SeedTold():
                    false.append(number)
    anew, otherwise = _decided_anew(kept)
    return Proof(len(found), len(sealed) - len(found), told, tuple(dict.fromkeys(false)), anew, otherwise)


def _decided_anew(kept: Kept) -> tuple[int, tuple[int, ...]]:
    """Decide every act with a known seed again; return how many had the same result, and the
    entries that did not."""
    game = registry.load(kept.setup.game)
    agreed, otherwise = 0, []
    for seed, numbers in _known_seeds(kept):
        session = Session(game, replace(kept.setup, seed=seed), tells=False)
        for number, entry in enumerate(kept.entries, 1):
            moment = session.now.back(entry.at) if entry.kind == "correct" else session.now
            for act in entry.acts if number in numbers else ():
                # The cards that the act reveals were known to the program that decided it.
                session.learn(act)
                # If the seed was lost later, a draw is repeated as it was recorded.
                anew = (decide(moment, act.request) for decide in (session.by_seed, session.decided))
                same = any(isinstance(one, Moment) and one.act == act for one in anew)
                agreed += same
                otherwise += [] if same else [number]
                moment = session.grown(moment, act)
            # Replayed as recorded: the following acts were decided on that state, whatever came out
            # here.
            session.replay([entry])
    return agreed, tuple(dict.fromkeys(otherwise))


def _known_seeds(kept: Kept) -> Iterator[tuple[int | str, range]]:
    """Yield each seed that is public or was revealed, with the numbers (from 1) of the entries that
    it decided."""
    seed, first = kept.setup.seed, 1
    if not isinstance(seed, HiddenSeed):
        yield seed, range(1, len(kept.entries) + 1)
    for number, entry in enumerate(kept.entries, 1):
        for note in entry.notes:
            if isinstance(note, SeedTold):
                yield note.seed, range(first, number + 1)
            if isinstance(note, SeedTold | SeedCommitted):
                # A new seed applies from the next entry on.
                first = number + 1


def _holds(opening: Opening, player: str, seals: set[str]) -> bool:
    return any(opening.opens(seal, player) for seal in seals)


def _player(act: Act) -> str:
    return str(getattr(act.request, "player", ""))


def _seals(act: Act) -> Iterator[str]:
    value: Any = getattr(act.request, "sealed", None)
    yield from (seal for seal in (value if isinstance(value, tuple) else (value,)) if is_seal(seal))


def _openings(act: Act) -> Iterator[Opening]:
    for event in act.events:
        yield from opened(event)
