"""What a killed program left is damaged, copied in part, or replaced by what was there before; the
file is damaged under a program that plays: how many entries are missing without a word. Aim: 0."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from companion.journal.journal import EACH, Journal
from companion.journal.storage_faults import StorageFault
from companion.journal.store import Store
from companion.rules import registry
from companion.rules.contract import Setup
from companion.rules.session import Session

Rows = list[tuple[str, str, str, str]]
PLAYERS = ("Ann", "Ben", "Cleo", "Dan")
ENTRIES = 60
_BESIDE = ("", "-journal", "-wal", "-shm", ".mark")


def play(file: Path, entries: int) -> tuple[Journal, Session]:
    """Begin a session, or go on with the last, until it has so many entries; the journal stays
    open."""
    journal = Journal.open(file)
    kept = journal.read(1) if journal.sessions() else None
    game = registry.load("dtc")
    if kept is None:
        setup = Setup("dtc", PLAYERS, dict(game.defaults({})), 1)
        journal.begin(setup)
        session = Session(game, setup, journal.append)
    else:
        journal.go_on(kept)
        session = kept.session(journal.append)
    act_some(session, entries - (len(kept.entries) if kept else 0))
    return journal, session


def act_some(session: Session, count: int) -> None:
    """Do and take back what a menu offers first: as many entries as one wants."""
    for _ in range(count):
        if session.can_undo:
            session.undo()
        else:
            player = session.view()["waiting_for"][0]["player"]
            choice = next(iter(session.game.choices(session.state, player)))
            cards = [card for card, copies in choice.pick.cards for _ in range(copies)] if choice.pick else []
            session.act(choice.with_cards(cards[: max(choice.pick.least, 1)] if choice.pick else ()))


def run_with(count: int) -> Rows:
    """Return the rows; `count` damages of each kind."""
    with tempfile.TemporaryDirectory() as folder:
        left = Path(folder) / "left"
        older = _killed(left / "older.sqlite3", 23)
        whole = _killed(left / "older.sqlite3", ENTRIES)
        chance = random.Random(1)
        after = [
            _found_after(Path(folder) / f"{n}", _harmed(dict(whole), older, chance)) for n in range(count)
        ]
        alone = _found_after(Path(folder) / "alone", {"": whole[""]})
        playing = [_found_while_playing(Path(folder) / f"p{n}", random.Random(n)) for n in range(count)]
    what = f"{count} damages to files of killed programs (changed, cut, deleted, older), {ENTRIES} entries"
    while_playing = f"{count} damages to the file of a program that plays, {ENTRIES} entries"
    return [
        (
            "kept: entries missing, copy of the one file",
            str(ENTRIES - alone[0]),
            "after a kill, file alone",
            "0",
        ),
        (
            "kept: losses without a word",
            str(sum(found < ENTRIES and not said for found, said in after)),
            what,
            "0",
        ),
        ("kept: losses, all of them said", str(sum(found < ENTRIES for found, _said in after)), what, "-"),
        ("kept: damage while playing, unseen", str(sum(not seen for seen, _ in playing)), while_playing, "0"),
        (
            "kept: damage while playing, entries lost",
            str(sum(lost for _, lost in playing)),
            while_playing,
            "0",
        ),
    ]


def _killed(file: Path, entries: int) -> dict[str, bytes]:
    """Play in a program that is killed; return what it left, by what is added to the name."""
    file.parent.mkdir(exist_ok=True)
    program = (
        "import os, signal, sys; from pathlib import Path; from bench.reliability_kept import play;"
        "kept = play(Path(sys.argv[1]), int(sys.argv[2])); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", program, str(file), str(entries)], check=False)
    names = {end: file.with_name(file.name + end) for end in _BESIDE}
    return {end: path.read_bytes() for end, path in names.items() if path.exists()}


def _harmed(files: dict[str, bytes], older: dict[str, bytes], chance: random.Random) -> dict[str, bytes]:
    """Harm one of the files."""
    end = chance.choice(sorted(files))
    data = files[end]
    way = chance.choice(("flip", "cut", "delete", "older"))
    at = chance.randrange(len(data))
    if way == "delete":
        del files[end]
    elif way == "older" and end in older:
        files[end] = older[end]
    else:
        files[end] = data[:at] if way == "cut" else data[:at] + bytes([data[at] ^ 0x40]) + data[at + 1 :]
    return files


def _found_after(folder: Path, files: dict[str, bytes]) -> tuple[int, bool]:
    """Open what is left: how many entries are there, and whether something was said."""
    folder.mkdir()
    file = folder / "hurt.sqlite3"
    for end, data in files.items():
        file.with_name(file.name + end).write_bytes(data)
    try:
        with Store.open(file) as store:
            found = len(store.read(1).entries) if store.last() else 0
            return found, store.notice is not None
    except StorageFault:
        return 0, True
    finally:
        shutil.rmtree(folder)


def _found_while_playing(folder: Path, chance: random.Random) -> tuple[bool, int]:
    """Damage the file of an open journal: whether it is seen within one look, and how many entries
    are in no file after the next act."""
    folder.mkdir()
    file = folder / "hurt.sqlite3"
    journal, session = play(file, ENTRIES)
    size = file.stat().st_size
    harms: tuple[Callable[[], object], ...] = (
        lambda: os.truncate(file, chance.randrange(size)),
        file.unlink,
        lambda: _overwrite(file, chance.randrange(size), bytes(chance.randrange(1, 5000))),
        lambda: shutil.copyfile(Path(__file__), file),
    )
    before = file.read_bytes()
    chance.choice(harms)()
    same = file.exists() and file.read_bytes() == before
    journal.look_after(EACH)
    seen = same or journal.trouble is not None or journal.path != file or _sound(file)
    act_some(session, 1)
    kept = journal.evening()
    lost = ENTRIES + 1 - (len(kept.entries) if kept is not None else 0)
    journal.close()
    shutil.rmtree(folder)
    return seen, lost


def _sound(file: Path) -> bool:
    """Tell whether every entry is there: the damage hit what means nothing."""
    try:
        with Store.look(file) as look:
            return len(look.read(1).entries) == ENTRIES and look.notice is None
    except StorageFault:
        return False


def _overwrite(file: Path, at: int, data: bytes) -> None:
    with file.open("r+b") as opened:
        opened.seek(at)
        opened.write(data)
