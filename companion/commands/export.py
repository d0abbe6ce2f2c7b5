"""`companion export`: write stored sessions to a file for other programs."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from companion.commands.common import (
    add_journal_option,
    add_language_option,
    add_sheet_options,
    read_sheet_style,
    refuse_overwriting_source,
    report_missing_entries,
)
from companion.journal.database_file import StorageFault
from companion.journal.export import FORMATS, NoFinishedSession, format_bgstats, format_csv
from companion.journal.saved_session import SavedSession
from companion.journal.sidecar_files import read_notes
from companion.journal.store import Store, default_journal_path
from companion.rules.contract import Problem, Text
from companion.settings import Settings, load_settings
from companion.texts import Translator, describe_os_error
from companion.user_files import write_file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `companion export`."""
    parser.add_argument("--format", choices=sorted(FORMATS), default="csv", help="export.format")
    add_sheet_options(parser)
    parser.add_argument("--session", type=_parse_session, metavar="N", help="export.session")
    add_journal_option(parser)
    parser.add_argument("--out", metavar="FILE", type=Path, help="export.out")
    add_language_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the export; return 0. Raises `Problem` if the journal cannot be read or the file not
    written."""
    journal = arguments.journal or default_journal_path()
    out = arguments.out
    try:
        if out is not None:
            refuse_overwriting_source(out, journal)
        # Everything is made first: a session that cannot be read must not destroy an earlier
        # export.
        with tempfile.TemporaryFile() as buffer:
            with Store.open_read_only(journal) as store:
                sessions = _read_chosen_sessions(store, arguments.session)
                buffer.writelines(
                    map(
                        str.encode,
                        _choose_format(arguments, store)(sessions, arguments.lang, load_settings()),
                    )
                )
                report_missing_entries(store, Translator(arguments.lang), "export")
            buffer.seek(0)
            if out is None:
                sys.stdout.buffer.writelines(buffer)  # UTF-8, whatever the terminal shows
                sys.stdout.buffer.flush()
            else:
                write_file(out, buffer)
    except NoFinishedSession as fault:
        raise Problem("export.not_finished") from fault
    except OSError as fault:
        if out is None:  # of standard output `main` says it, once
            raise
        raise Problem("export.not_written", file=str(out), reason=describe_os_error(fault)) from fault
    return 0


def _choose_format(
    arguments: argparse.Namespace, store: Store
) -> Callable[[Iterable[SavedSession], str, Settings], Iterator[str]]:
    """Return the format's function, with what only some formats need."""
    if arguments.format == "csv":
        return partial(format_csv, style=read_sheet_style(arguments))
    if arguments.format == "bgstats":
        # Notes lie beside the file in which the evening went on, if it is read.
        return partial(
            format_bgstats, find_notes=lambda saved: read_notes(store.path, saved.number, saved.begun)
        )
    return FORMATS[arguments.format]


def _read_chosen_sessions(store: Store, session: int | str | None) -> Iterator[SavedSession]:
    if session == "all":
        thrown = load_settings().thrown_away
        yield from (
            store.read_session(row.number) for row in store.list_sessions() if row.begun not in thrown
        )
        return
    number = store.find_last_session() if session is None else session
    if number is None:
        raise StorageFault(Text("history.empty"))
    yield store.read_session(int(number))


def _parse_session(word: str) -> int | str:
    return word if word == "all" else int(word)
