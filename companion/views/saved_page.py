"""The page of the evening that is being played, written while its table is open: one key on the
dashboard, one word in the plain view."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from companion.folders import user_data
from companion.given_files import write
from companion.journal.beside import notes_of, photo_of, pictures_of
from companion.journal.journal import Journal
from companion.journal.kept import Kept
from companion.rules.contract import Problem, Text
from companion.texts import system_reason
from companion.views.evening_page import evening_page


def write_page(kept: Kept, journal: Path, file: Path, language: str) -> Text:
    """Write the page of the evening, with notes, photo and pictures that lie beside the journal;
    say where it is.

    Raises `Problem` when it cannot be written there.
    """
    at = (journal, kept.number, kept.begun)
    page = evening_page(kept, language, pictures_of(journal, kept), notes_of(*at), photo_of(*at))
    try:
        write(file, [page.encode()])
    except OSError as fault:
        raise Problem("page.unwritable", file=str(file), reason=system_reason(fault)) from fault
    return Text("page.kept", {"file": str(file)})


def keep_page(journal: Journal, language: str) -> Text:
    """Write the page of the evening that `journal` is keeping; say where it is, or why there is
    none.

    It goes into the folder where the program was started or, where nothing can be written, beside
    the user's journal. The same evening has the same name: it is written anew.
    """
    kept, path = journal.evening(), journal.path
    if kept is None or path is None:
        return journal.trouble or Text("page.no_journal")
    name = f"{kept.setup.game}-{datetime.fromtimestamp(kept.begun):%Y-%m-%d-%H%M}.html"
    told = Text("page.no_journal")
    for folder in (Path.cwd(), user_data()):
        try:
            return write_page(kept, path, folder / name, language)
        except Problem as fault:
            told = fault.text
    return told
