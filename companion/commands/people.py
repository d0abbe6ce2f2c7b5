"""`companion people`: list the known players. `--import` takes those of BG Stats, whose ids our
exports then carry."""

from __future__ import annotations

import argparse
from pathlib import Path

from companion import settings as kept_settings
from companion.commands.common import add_language
from companion.journal.export import people_of
from companion.rules.contract import Problem
from companion.rules.start import bad_names
from companion.texts import Translator, clean, system_reason


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `companion people`."""
    parser.add_argument("--import", metavar="FILE", type=Path, dest="file", help="people.import")
    parser.add_argument("--call", metavar=("NAME", "NEW"), nargs=2, help="people.call")
    add_language(parser)


def run(arguments: argparse.Namespace) -> int:
    """List the names, rename a person, or import the names of a file; return 0. Raises `Problem` if
    a name or the file cannot be used."""
    say = Translator(arguments.lang)
    settings = kept_settings.load()
    if arguments.call is not None:
        old, new = arguments.call
        # A name that is empty or not valid text would end the command as a mistake of ours.
        refusal = bad_names([old]) or bad_names([new])
        if refusal is not None:
            raise Problem(refusal.text)
        kept_settings.keep(settings.calling(old, new))
        print(say("people.called", old=clean(old), new=clean(new)))
        return 0
    if arguments.file is None:
        for name in settings.names():
            print(clean(name))
        if not settings.names():
            print(say("people.none"))
        return 0
    try:
        people = people_of(arguments.file)
    except OSError as fault:
        raise Problem("people.not_read", file=str(arguments.file), reason=system_reason(fault)) from fault
    kept_settings.keep(settings.with_people(people))
    print(say("people.taken", n=len(people)))
    return 0
