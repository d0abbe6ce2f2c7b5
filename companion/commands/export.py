"""`companion export`: write stored sessions to a file for other programs."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from companion.commands.common import add_journal, add_language, spare, tell_missing
from companion.given_files import write
from companion.journal.export import FORMATS, NotFinished
from companion.journal.kept import Kept
from companion.journal.place import StorageFault
from companion.journal.store import Store, default_path
from companion.rules.contract import Problem, Text
from companion.settings import load
from companion.texts import Translator, system_reason


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `companion export`."""
    parser.add_argument("--format", choices=sorted(FORMATS), default="csv", help="export.format")
    parser.add_argument("--session", type=_session, metavar="N", help="export.session")
    add_journal(parser)
    parser.add_argument("--out", metavar="FILE", type=Path, help="export.out")
    add_language(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the export; return 0. Raises `Problem` if the journal cannot be read or the file not
    written."""
    journal = arguments.journal or default_path()
    out = arguments.out
    try:
        if out is not None:
            spare(out, journal)
        # Everything is made first: a session that cannot be read must not destroy an earlier
        # export.
        with tempfile.TemporaryFile() as whole:
            with Store.look(journal) as store:
                sessions = _chosen(store, arguments.session)
                whole.writelines(map(str.encode, FORMATS[arguments.format](sessions, arguments.lang, load())))
                tell_missing(store, Translator(arguments.lang), "export")
            whole.seek(0)
            if out is None:
                sys.stdout.buffer.writelines(whole)  # UTF-8, whatever the terminal shows
                sys.stdout.buffer.flush()
            else:
                write(out, whole)
    except NotFinished as fault:
        raise Problem("export.not_finished") from fault
    except OSError as fault:
        if out is None:  # of standard output `main` says it, once
            raise
        raise Problem("export.not_written", file=str(out), reason=system_reason(fault)) from fault
    return 0


def _chosen(store: Store, session: int | str | None) -> Iterator[Kept]:
    if session == "all":
        thrown = load().thrown_away
        yield from (store.read(row.number) for row in store.sessions() if row.begun not in thrown)
        return
    number = store.last() if session is None else session
    if number is None:
        raise StorageFault(Text("history.empty"))
    yield store.read(int(number))


def _session(word: str) -> int | str:
    return word if word == "all" else int(word)
