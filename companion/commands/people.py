"""`companion people`: list the known players. `--import` takes those of BG Stats, whose ids our
exports then carry."""

from __future__ import annotations

import argparse
from pathlib import Path

from companion import settings as kept_settings
from companion.commands.common import add_json_option, add_language_option, print_json
from companion.journal.bgstats_import import read_bgstats_players
from companion.journal.database_file import StorageFault
from companion.journal.store import Store, default_journal_path, journal_exists
from companion.journal.summaries import SessionSummary, load_summaries
from companion.rules.contract import Problem
from companion.rules.start import check_names
from companion.settings import Settings
from companion.texts import Translator, clean_text, describe_os_error


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `companion people`."""
    parser.add_argument("--import", metavar="FILE", type=Path, dest="file", help="people.import")
    parser.add_argument("--call", metavar=("NAME", "NEW"), nargs=2, help="people.call")
    add_json_option(parser)
    add_language_option(parser)


def is_known_name(settings: Settings, name: str) -> bool:
    """Whether somebody has, or had, this name: in the lists, or in an evening in the journal."""
    if name in {*settings.list_known_names(), *settings.called, *settings.called.values()}:
        return True
    # Names of stand-ins, for example, are in no list.
    journal = default_journal_path()
    if not journal_exists(journal):
        return False
    try:
        with Store.open_read_only(journal) as store:
            return any(
                name in one.players
                for one in load_summaries(store, store.list_sessions(), settings.called)
                if isinstance(one, SessionSummary)
            )
    except StorageFault:  # nobody knows: a damaged journal must not forbid to put a name right
        return True


def run(arguments: argparse.Namespace) -> int:
    """List the names, rename a person, or import the names of a file; return 0. Raises `Problem` if
    a name or the file cannot be used."""
    translator = Translator(arguments.lang)
    settings = kept_settings.load_settings()
    if arguments.call is not None:
        old, new = arguments.call
        # A name that is empty or not valid text would end the command as a mistake of ours.
        refusal = check_names([old]) or check_names([new])
        if refusal is not None:
            raise Problem(refusal.text)
        if not is_known_name(settings, old):
            raise Problem("people.unknown", name=clean_text(old))
        kept_settings.change_settings(lambda before: before.with_renamed_person(old, new))
        print(translator("people.called", old=clean_text(old), new=clean_text(new)))
        return 0
    if arguments.file is None and arguments.json:
        ids = {one.name: one.uuid for one in settings.people}
        print_json([{"name": name, "bgstats": ids.get(name) or None} for name in settings.list_known_names()])
        return 0
    if arguments.file is None:
        for name in settings.list_known_names():
            print(clean_text(name))
        if not settings.list_known_names():
            print(translator("people.none"))
        return 0
    try:
        people = read_bgstats_players(arguments.file)
    except OSError as fault:
        raise Problem("people.not_read", file=str(arguments.file), reason=describe_os_error(fault)) from fault
    kept_settings.change_settings(lambda before: before.with_people(people))
    print(translator("people.taken", n=len(people)))
    return 0
