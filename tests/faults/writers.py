"""Everything in the program that saves something, as an exploration of faults needs it: prepare a
folder, write under a fault, say what was answered, go on, and read what the next start finds.

A state is what the next start shows, as plain values. `Writer.write` returns the states that agree
with what was answered: only the new one after "saved", only the old one after "not saved", either
where the program says that it does not know.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace
from PIL import Image

import vision
from companion import settings
from companion.decks import sheets
from companion.evening.cameras import read_ink, save_ink
from companion.journal import schema
from companion.journal.backup import save_backup
from companion.journal.database_file import StorageFault
from companion.journal.journal import Journal
from companion.journal.sidecar_files import SessionNotes, read_notes, read_photo, save_notes, save_photo
from companion.journal.store import Store
from companion.league.outbox import read_progress, write_progress
from companion.referee import Referee
from companion.rules.acts import Entry
from companion.rules.contract import Problem, Setup
from companion.rules.session import Session
from companion.table.decks import Deck
from companion.user_files import SaveInDoubt, write_file, write_file_atomically
from tests.toy import TOY, Lay, Show, toy_setup
from vision.errors import LibraryError
from vision.fitting.patch import MARGIN, WIDTH
from vision.library import Reference

State = Hashable


class Writer(ABC):
    """One way in which the program saves something."""

    possible: Sequence[State]
    """The states that may be found while the answer is not there yet."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @abstractmethod
    def prepare(self) -> None:
        """Save something on a disk without faults."""

    @abstractmethod
    def write(self) -> Sequence[State]:
        """Write, on a disk that fails; return the states that agree with the answer."""

    def go_on(self) -> Sequence[State]:
        """Write once more, on a disk that has healed: it must succeed."""
        return self.write()

    @abstractmethod
    def close(self) -> None:
        """End the program."""

    @staticmethod
    @abstractmethod
    def read(folder: Path) -> State:
        """Return what the next start finds."""


FILE = "evening.sqlite3"
_Sessions = list[tuple[tuple[str, ...], list[str]]]


def read_journal(folder: Path) -> State:
    """Return the players and entries of every session that the next start finds; the words of its
    refusal, if it refuses the file."""
    try:
        with Store.open(folder / FILE) as store:
            numbers = [row.number for row in store.list_sessions()]
            return _freeze([_describe(store, number) for number in numbers])
    except StorageFault as fault:
        return fault.text.code


def _describe(store: Store, number: int) -> tuple[tuple[str, ...], list[str]]:
    saved = store.read_session(number)
    names = tuple(saved.names.get(seat, seat) for seat in saved.setup.players)
    return names, list(map(_identify, saved.entries))


def _identify(entry: Entry) -> str:
    """Return a short name of an entry."""
    return f"{entry.kind} {zlib.crc32(schema.encode_entry(entry)):08x}"


def _freeze(sessions: _Sessions) -> State:
    return tuple((players, tuple(entries)) for players, entries in sessions)


class _ModelLog:
    """The log of a referee, which notes what was tried, and what was acknowledged."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.saved: _Sessions = []
        self.tried: _Sessions = []

    def start_session(self, setup: Setup) -> None:
        self.tried = [*self._copy(), (setup.players, [])]
        self.store.start_session(setup)
        self.saved = self.tried

    def append(self, entry: Entry) -> None:
        self.tried = self._copy()
        self.tried[-1][1].append(_identify(entry))
        self.store.append(entry)
        self.saved = self.tried

    def _copy(self) -> _Sessions:
        return [(players, [*entries]) for players, entries in self.saved]


START = {"do": "start", "game": "toy", "players": ["Ann", "Ben"], "seed": 5}
LAY = {"do": "lay", "player": "Ann"}


class RefereeWriter(Writer):
    """The referee for programs, which promises the most: what was refused has not happened."""

    requests: tuple[dict[str, Any], ...] = (LAY, {"do": "lay", "player": "Ben"})
    before: tuple[dict[str, Any], ...] = ()

    def prepare(self) -> None:
        self._store = Store.open(self.folder / FILE)
        self._log = _ModelLog(self._store)
        self._referee = Referee(log=self._log)  # type: ignore[arg-type]
        for request in (START, *self.before):
            assert self._ask(request)["ok"]
        self._left = [*self.requests]
        self.possible = [_freeze(self._log.saved)]

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self._referee.answer_line(json.dumps(request).encode()))
        return answer

    def write(self) -> Sequence[State]:
        request = self._left[0]
        self._log.tried = self._log.saved
        answer = self._ask(request)
        before, after = _freeze(self._log.saved), _freeze(self._log.tried)
        self.possible = [*self.possible, after]
        if answer["ok"]:
            self._left.pop(0)
            return [after]
        if answer["error"]["code"] == "in_doubt":
            return [before, after]
        assert answer["error"]["code"] == "not_kept", answer
        return [before]

    def go_on(self) -> Sequence[State]:
        allowed = self.write()
        assert allowed == [_freeze(self._log.tried)], "refused on a disk that has healed"
        return allowed

    def close(self) -> None:
        self._store.close()

    read = staticmethod(read_journal)


class RefereeAct(RefereeWriter):
    """An act."""


class RefereeOther(RefereeWriter):
    """An act; when it was not saved, another one is sent in its place."""

    def go_on(self) -> Sequence[State]:
        self._left = [{"do": "start", "game": "toy", "players": ["Cleo", "Dan"], "seed": 6}]
        return super().go_on()


class RefereeBegin(RefereeWriter):
    """The beginning of a session."""

    requests = ({**START, "players": ["Cleo", "Dan"]}, LAY | {"player": "Cleo"})


class RefereeUndo(RefereeWriter):
    """An undo, and a redo."""

    before = (LAY,)
    requests = ({"do": "undo"}, {"do": "redo"})


class RefereeCorrection(RefereeWriter):
    """A correction."""

    before = (LAY, {"do": "lay", "player": "Ben"}, {"do": "show", "player": "Ann", "value": 3})
    requests = (
        {"do": "correct", "at": 2, "request": {"do": "show", "player": "Ann", "value": 4}},
        {"do": "show", "player": "Ben", "value": 9},
    )


class LiveWriter(Writer):
    """A table at which the game goes on, whatever the disk does. What waits in memory is on no
    disk, or is already: the screen says how many entries wait."""

    def prepare(self) -> None:
        self._journal = Journal.open(self.folder / FILE)
        self._states: list[_Sessions] = []
        self._now = 0.0
        self._start("Ann", "Ben")
        self._session.act(Lay("Ann"))
        self.possible = [_freeze(self._states[-1])]

    def _start(self, *players: str) -> None:
        setup = toy_setup(*players)
        self._note(lambda sessions: sessions.append((players, [])))
        self._journal.start_session(setup)
        self._session = Session(TOY, setup, self._append)

    def _append(self, entry: Entry) -> None:
        self._note(lambda sessions: sessions[-1][1].append(_identify(entry)))
        self._journal.append(entry)

    def _note(self, change: Callable[[_Sessions], object]) -> None:
        sessions = [(players, [*entries]) for players, entries in (self._states or [[]])[-1]]
        change(sessions)
        self._states.append(sessions)

    def _list_allowed(self) -> Sequence[State]:
        self.possible = [*self.possible, *map(_freeze, self._states)]
        return list(map(_freeze, self._states[-1 - self._journal.pending_count :]))

    def write(self) -> Sequence[State]:
        self._session.act(Lay("Ben"))
        self._session.act(Show("Ann", 3))
        return self._list_allowed()

    def go_on(self) -> Sequence[State]:
        self._now += 100
        self._journal.run_maintenance(self._now)
        assert (self._journal.pending_count, self._journal.trouble) == (0, None)
        self._session.undo()
        return self._list_allowed()

    def close(self) -> None:
        self._journal.close()

    read = staticmethod(read_journal)


class LiveAct(LiveWriter):
    """Two acts."""


class LiveBegin(LiveWriter):
    """Another session of the evening, and its first act."""

    def write(self) -> Sequence[State]:
        self._start("Cleo", "Dan")
        self._session.act(Lay("Cleo"))
        return self._list_allowed()


class LiveMoved(LiveWriter):
    """An act after the file was deleted: the evening goes on in a file beside."""

    def prepare(self) -> None:
        super().prepare()
        (self.folder / FILE).unlink()
        self.possible = [*self.possible, ()]

    def write(self) -> Sequence[State]:
        allowed = super().write()
        # Until the evening is in another file it is on no disk: somebody deleted it.
        is_moved = self._journal.path is not None and self._journal.path.name != FILE
        return allowed if is_moved else [*allowed, ()]


JOURNAL_WRITERS = (
    RefereeAct,
    RefereeOther,
    RefereeBegin,
    RefereeUndo,
    RefereeCorrection,
    LiveAct,
    LiveBegin,
    LiveMoved,
)


class FileWriter(Writer):
    """Something that is saved in a small file of its own, which is replaced."""

    def prepare(self) -> None:
        self._count = 0
        self.save(0)
        self.possible = [0]

    def write(self) -> Sequence[State]:
        before, after = self._count, self._count + 1
        self.possible = [*self.possible, after]
        try:
            self.save(after)
        except (OSError, Problem) as fault:
            if not any(isinstance(one, SaveInDoubt) for one in (fault, fault.__cause__)):
                return [before]
            # What people read says that it is uncertain (`describe_os_error`).
            self._count = after
            return [before, after]
        self._count = after
        return [after]

    def go_on(self) -> Sequence[State]:
        allowed = self.write()
        assert len(allowed) == 1
        return allowed

    def close(self) -> None:
        pass

    @abstractmethod
    def save(self, number: int) -> None:
        """Save that number."""


class SettingsWriter(FileWriter):
    """The settings, changed under a lock."""

    def save(self, number: int) -> None:
        settings.user_settings_file = lambda: self.folder / "settings.json"
        settings.change_settings(lambda before: replace(before, camera=str(number)))

    @staticmethod
    def read(folder: Path) -> State:
        settings.user_settings_file = lambda: folder / "settings.json"
        found = settings.load_settings().camera
        notice = settings.take_damage_notice()
        return int(found) if found and notice is None else f"{found} {notice}"


class NotesWriter(FileWriter):
    """The notes about a session."""

    def save(self, number: int) -> None:
        save_notes(self.folder / FILE, 1, 0.0, SessionNotes(str(number)))

    @staticmethod
    def read(folder: Path) -> State:
        return int(read_notes(folder / FILE, 1, 0.0).place or -1)


class LayoutWriter(FileWriter):
    """Layouts, deck files and pads, which are written by the same function."""

    def save(self, number: int) -> None:
        write_file_atomically(self.folder / "table.toml", f"number = {number}\n")

    @staticmethod
    def read(folder: Path) -> State:
        return int((folder / "table.toml").read_text().removeprefix("number = "))


class PhotoWriter(FileWriter):
    """The photo of an evening, which is as grey as its number says. Pictures of reveals are written
    by the same function."""

    def save(self, number: int) -> None:
        picture = io.BytesIO()
        Image.new("L", (16, 16), 50 * number).save(picture, "PNG")
        save_photo(self.folder / FILE, 1, 0.0, picture.getvalue())

    @staticmethod
    def read(folder: Path) -> State:
        with Image.open(io.BytesIO(read_photo(folder / FILE, 1, 0.0))) as picture:
            return round(picture.convert("L").getpixel((8, 8)) / 50)


class InkWriter(FileWriter):
    """How the camera sees the deck's ink."""

    def save(self, number: int) -> None:
        save_ink(self.folder / "ink" / "1.json", {str(number): ()})

    @staticmethod
    def read(folder: Path) -> State:
        return int(*read_ink(folder / "ink" / "1.json"))


class SheetWriter(FileWriter):
    """A sheet to print."""

    def save(self, number: int) -> None:
        sheets.build_deck_pdf = lambda *_arguments, **_options: str(number).encode()
        sheets.write_deck_pdf(Deck.load_builtin("dtc"), self.folder)

    @staticmethod
    def read(folder: Path) -> State:
        return int((folder / "dtc-a4-en.pdf").read_bytes())


class ExportWriter(FileWriter):
    """An export, in pieces, over an earlier one. The page of an evening, statistics and tags are
    written by the same function."""

    def save(self, number: int) -> None:
        write_file(self.folder / "evenings.csv", [b"number,", str(number).encode(), b",end"])

    @staticmethod
    def read(folder: Path) -> State:
        return int(re.fullmatch("number,(.),end", (folder / "evenings.csv").read_text())[1])


class OutboxWriter(FileWriter):
    """How much of an evening was sent to the league."""

    def save(self, number: int) -> None:
        write_progress(self.folder / FILE, {"session": number})

    @staticmethod
    def read(folder: Path) -> State:
        return read_progress(folder / FILE).get("session", -1)


class ViewsWriter(FileWriter):
    """What the camera knows of a pack: a file for each view, and an index."""

    def save(self, number: int) -> None:
        picture = np.full((300, WIDTH + 2 * MARGIN, 3), 50 * number, np.uint8)
        try:
            vision.Library([Reference("dtc:4", picture)]).save(self.folder)
        except LibraryError as fault:
            # The views are written one after the other: those that could be written are there.
            raise SaveInDoubt from fault

    @staticmethod
    def read(folder: Path) -> State:
        (view,) = vision.Library.load(folder).references
        return int(view.picture[0, 0, 0]) // 50


class BackupWriter(FileWriter):
    """A backup of a journal, in a new file each time."""

    def prepare(self) -> None:
        with Store.open(self.folder / FILE) as store:
            setup = toy_setup("Ann", "Ben")
            store.start_session(setup)
            Session(TOY, setup, store.append).act(Lay("Ann"))
        super().prepare()

    def save(self, number: int) -> None:
        with Store.open_read_only(self.folder / FILE) as store:
            damaged = save_backup(store, self.folder / f"copy-{number}.sqlite3")
        assert damaged == []

    @staticmethod
    def read(folder: Path) -> State:
        newest = max(folder.glob("copy-?.sqlite3"))
        with Store.open_read_only(newest) as store:
            assert [row.entries for row in store.list_sessions()] == [1]
            assert store.list_damaged_sessions() == []
        return int(newest.stem[-1])


FILE_WRITERS = (
    SettingsWriter,
    NotesWriter,
    PhotoWriter,
    InkWriter,
    LayoutWriter,
    SheetWriter,
    ExportWriter,
    OutboxWriter,
    ViewsWriter,
    BackupWriter,
)
WRITERS = (*JOURNAL_WRITERS, *FILE_WRITERS)


def remove_folder(folder: Path) -> None:
    """Delete a folder."""
    shutil.rmtree(folder, ignore_errors=True)
