"""`companion figures`: add up many evenings, as tables in the terminal or as a picture."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from companion import settings
from companion.commands.common import add_journal, add_language
from companion.figures.shown import KINDS, Wording, draw, in_lines
from companion.figures.tables import FiguresTable, tables
from companion.given_files import write
from companion.journal.store import Store, default_path
from companion.journal.summaries import SessionSummary, summaries
from companion.rules import registry
from companion.rules.contract import Problem, Text
from companion.texts import system_reason


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `companion figures`."""
    parser.add_argument("--game", choices=registry.game_ids(), help="figures.game")
    parser.add_argument("--player", metavar="NAME", help="figures.player")
    parser.add_argument("--chart", metavar="FILE", type=Path, help="figures.chart")
    add_journal(parser)
    add_language(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the tables or write the picture; return 0. Raises `Problem` if the journal cannot be
    read or the picture not written."""
    chart = arguments.chart
    kind = "" if chart is None else chart.suffix.lstrip(".").lower()
    if chart is not None and kind not in KINDS:
        raise Problem("figures.bad_kind", file=str(chart))
    found, left_out = figures(arguments.journal or default_path(), arguments.game, arguments.player)
    wording = Wording(arguments.lang)
    for trouble in left_out:
        print(wording.common.say(trouble))
    if not found:
        raise Problem("figures.none")
    if chart is None:
        for line in in_lines(found, wording):
            print(line)
        return 0
    try:
        write(chart, [draw(found, wording, kind)])
    except OSError as fault:
        raise Problem("export.not_written", file=str(chart), reason=system_reason(fault)) from fault
    return 0


def figures(
    journal: Path, game: str | None = None, player: str | None = None
) -> tuple[Sequence[FiguresTable], Sequence[Text]]:
    """Return the tables of a journal's sessions, and messages about what they lack: sessions that
    cannot be read, and entries that the journal has lost."""
    kept = settings.load()
    with Store.look(journal) as store:
        left_out = [] if store.notice is None else [store.notice]
        rows = [row for row in store.sessions() if row.entries and row.begun not in kept.thrown_away]
        found = list(summaries(store, [row for row in rows if game in (None, row.game)], kept.called))
    left_out += [trouble for trouble in found if isinstance(trouble, Text)]
    plays = [one for one in found if isinstance(one, SessionSummary)]
    return tables([one for one in plays if player in (None, *one.players)]), left_out
