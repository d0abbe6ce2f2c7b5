"""Saved sessions: the rows of a session as they are in the file, and a session decoded and replayed
once.

`StoredRows` holds the rows of the current session in memory until it is over, so that the file can
be compared with them, and written again in another place. `SavedSession` is a session that was
read; it is replayed only once, however often it is used.

`verify_commitments` verifies the commitments of a session: whether each revealed card is the one
that was sealed, and each revealed seed the one that was committed to. Anyone with the file (or its
JSON export) can do the same without this program: see docs/journal.en.md.
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
    CardResealed,
    HiddenSeed,
    Opening,
    SeedCommitted,
    SeedRevealed,
    is_seal,
    list_openings,
)
from companion.rules.contract import Setup
from companion.rules.people import People
from companion.rules.session import Session

Row: TypeAlias = tuple[Any, ...]
"""A row of `entries`, in the order of its columns (`companion.journal.build_schema`)."""


class StoredRows:
    """The rows of one session: its row of `list_sessions` without the number (`head`), and its rows
    of `entries`.

    Contains only verified rows: see `add_verified_rows`.
    """

    def __init__(self, number: int, head: Row, rows: Iterable[Row] = ()) -> None:
        begun, game, setup, _salt, digest = head
        self.number = number
        self.head = head
        self.rows: list[Row] = []
        self._links = [schema.compute_first_link(game, setup, begun)]
        self._digest: int = digest
        for row in rows:
            self.add_row(row)

    def compute_link(self, entries: int) -> bytes:
        """Return the link of the chain after that many rows. Links are computed on demand, because
        most sessions are only read."""
        for row in self.rows[len(self._links) - 1 : entries]:
            self._links.append(schema.compute_next_link(self._links[-1], *row[1:-1]))
        return self._links[entries]

    def compute_head(self, next_row: Row | None = None) -> Row:
        """Return the number of rows and the last link, with `next_row` if it is to be added."""
        link = self.compute_link(len(self.rows))
        if next_row is None:
            return len(self.rows), link
        return len(self.rows) + 1, schema.compute_next_link(link, *next_row[1:-1])

    def build_row(self, entry: Entry, now: float) -> Row:
        """Return the row for `entry`; `current_moment`: seconds since 1970."""
        acts = schema.encode_entry(entry)
        row = (self.number, len(self.rows), now, entry.kind, entry.at, schema.FORMAT, acts)
        return (*row, schema.compute_row_digest(self._digest, *row))

    def renumber_row(self, row: Row) -> Row:
        """Return the next row of the same session in another file as it is to be in this one."""
        renumbered = (self.number, *row[1:-1])
        return (*renumbered, schema.compute_row_digest(self._digest, *renumbered))

    def add_row(self, row: Row, link: bytes | None = None) -> None:
        """Add a row that was written; `link`: its link, if it was computed already."""
        if link is not None and len(self._links) == len(self.rows) + 1:
            self._links.append(link)
        self.rows.append(row)
        self._digest = row[-1]

    def add_verified_rows(self, rows: Iterable[Row]) -> bool:
        """Add rows that were read, up to the first that is missing or damaged; return whether all
        were intact."""
        begun, game, setup, salt, digest = self.head
        if schema.compute_row_digest(0, game, setup, salt, begun) != digest:
            return False
        for row in rows:
            if row[-1] != schema.compute_row_digest(self._digest, *row[:-1]) or row[1] != len(self.rows):
                return False
            self.add_row(row)
        return True


class SessionRow(msgspec.Struct, frozen=True):
    """One line of the list of sessions.

    `id`: see `build_schema.compute_session_id`; `begun`, `last`: seconds since 1970; `entries`:
    number of acts, undos, redos and corrections; `compute_row_digest`: that of the last of them.
    """

    number: int
    id: UUID
    game: str
    begun: float
    last: float
    entries: int
    digest: int


class SavedSession(msgspec.Struct, frozen=True):
    """One session as read from the journal. `times`: the time of each entry; `commitment`: to a
    seed that the program chose; `id`: see `build_schema.compute_session_id`."""

    number: int
    setup: Setup
    begun: float
    entries: tuple[Entry, ...]
    times: tuple[float, ...]
    commitment: str = ""
    id: UUID | None = None
    written: StoredRows | None = None
    """Its rows, needed to continue it."""
    names: Mapping[str, str] = {}
    """Names of people by seat, if the log itself has only seats (`build_schema.SEATS`)."""
    # A list, because the struct is frozen; filled when it is first needed.
    _replayed: list[Narration] = msgspec.field(default_factory=list)

    def replay_narration(self) -> Narration:
        """Return the session in words; replayed only once."""
        if not self._replayed:
            narration = Narration(Session(registry.load_game(self.setup.game), self.setup), self.names)
            for entry in self.entries:
                narration.replay_entry(entry)
            self._replayed.append(narration)
        return self._replayed[0]

    @property
    def is_over(self) -> bool:
        """Whether it was played to its end."""
        return self.restore_session().is_over

    @property
    def people(self) -> People:
        """Who sat where, with everybody's correct name: the only source of the names of a
        session."""
        return self.replay_narration().people

    def restore_session(self, commit: Commit | None = None) -> Session:
        """Return the replayed session, with its undo and redo history. To continue it, pass a
        `commit`."""
        session = self.replay_narration().session
        if commit is not None:
            session.commit = commit
        return session


class Proof(msgspec.Struct, frozen=True):
    """Result of the verification. `list_openings`: seals whose cards were revealed and match;
    `closed`: seals that were never opened.

    `seeds`: revealed seeds that match. `false`: numbers of the entries (from 1) that reveal
    something else than was committed to. `decided_anew`: acts that were decided again with a known
    seed, with the same result; `mismatched`: numbers of the entries with another result.
    """

    opened: int = 0
    closed: int = 0
    seeds: int = 0
    false: tuple[int, ...] = ()
    decided_anew: int = 0
    otherwise: tuple[int, ...] = ()

    @property
    def is_valid(self) -> bool:
        """Whether nothing impossible was found."""
        return not (self.false or self.otherwise)


def verify_commitments(saved: SavedSession) -> Proof:
    """Verify every opening against the commitment before it, and every draw against its seed."""
    seals_by_origin: dict[str, tuple[str, set[str]]] = {}
    seeds, valid_seeds = {saved.commitment}, 0
    opened_seals: set[str] = set()
    false: list[int] = []
    for number, entry in enumerate(saved.entries, 1):
        for act in entry.acts:
            # Only the first time: a seal is bound to the player of the act that brought it in.
            seals_by_origin.update(
                (seal, (_find_acting_player(act), {seal}))
                for seal in _iter_seals(act)
                if seal not in seals_by_origin
            )
            for opening in _iter_openings(act):
                if _opens_any_seal(opening, *seals_by_origin.get(opening.seal, ("", set()))):
                    opened_seals.add(opening.seal)
                else:
                    false.append(number)
        for note in entry.notes:
            match note:
                case CardResealed(_player_of, before, now):
                    # After a restart the card is still under the old seal, but only the new one can
                    # be opened.
                    seals_by_origin[before][1].add(now)
                case SeedCommitted(commitment):
                    seeds.add(commitment)
                case SeedRevealed() if note.commitment in seeds:
                    valid_seeds += 1
                case SeedRevealed():
                    false.append(number)
    redecided, mismatched = _redecide_acts(saved)
    return Proof(
        len(opened_seals),
        len(seals_by_origin) - len(opened_seals),
        valid_seeds,
        tuple(dict.fromkeys(false)),
        redecided,
        mismatched,
    )


def _redecide_acts(saved: SavedSession) -> tuple[int, tuple[int, ...]]:
    """Decide every act with a known seed again; return how many had the same result, and the
    entries that did not."""
    game = registry.load_game(saved.setup.game)
    agreed, mismatched = 0, []
    for seed, numbers in _iter_known_seeds(saved):
        session = Session(game, replace(saved.setup, seed=seed), with_descriptions=False)
        for number, entry in enumerate(saved.entries, 1):
            moment = (
                session.current_moment.moment_at(entry.at)
                if entry.kind == "correct"
                else session.current_moment
            )
            for act in entry.acts if number in numbers else ():
                # The cards that the act reveals were known to the program that decided it.
                session.learn_openings(act)
                # If the seed was lost later, a draw is repeated as it was recorded.
                redecided = (
                    decide(moment, act.request)
                    for decide in (session.decide_with_current_seed, session.decide_request)
                )
                is_same = any(isinstance(one, Moment) and one.act == act for one in redecided)
                agreed += is_same
                mismatched += [] if is_same else [number]
                moment = session.apply_act(moment, act)
            # Replayed as recorded: the following acts were decided on that state, whatever came out
            # here.
            session.replay_entries([entry])
    return agreed, tuple(dict.fromkeys(mismatched))


def _iter_known_seeds(saved: SavedSession) -> Iterator[tuple[int | str, range]]:
    """Yield each seed that is public or was revealed, with the numbers (from 1) of the entries that
    it decided."""
    seed, first = saved.setup.seed, 1
    if not isinstance(seed, HiddenSeed):
        yield seed, range(1, len(saved.entries) + 1)
    for number, entry in enumerate(saved.entries, 1):
        for note in entry.notes:
            if isinstance(note, SeedRevealed):
                yield note.seed, range(first, number + 1)
            if isinstance(note, SeedRevealed | SeedCommitted):
                # A new seed applies from the next entry on.
                first = number + 1


def _opens_any_seal(opening: Opening, player: str, seals: set[str]) -> bool:
    return any(opening.matches_seal(seal, player) for seal in seals)


def _find_acting_player(act: Act) -> str:
    return str(getattr(act.request, "player", ""))


def _iter_seals(act: Act) -> Iterator[str]:
    value: Any = getattr(act.request, "sealed", None)
    yield from (seal for seal in (value if isinstance(value, tuple) else (value,)) if is_seal(seal))


def _iter_openings(act: Act) -> Iterator[Opening]:
    for event in act.events:
        yield from list_openings(event)
