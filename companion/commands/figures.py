"""`companion figures`: add up many evenings, as tables in the terminal or as a picture."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from companion import settings
from companion.commands.common import add_journal_option, add_language_option
from companion.figures.rendering import KINDS, FiguresWording, draw_chart, format_tables
from companion.figures.tables import FiguresTable, build_tables
from companion.journal.store import Store, default_journal_path
from companion.journal.summaries import SessionSummary, load_summaries
from companion.rules import registry
from companion.rules.contract import Problem, Text
from companion.texts import describe_os_error
from companion.user_files import write_file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `companion figures`."""
    parser.add_argument("--game", choices=registry.list_game_ids(), help="figures.game")
    parser.add_argument("--player", metavar="NAME", help="figures.player")
    parser.add_argument("--chart", metavar="FILE", type=Path, help="figures.chart")
    add_journal_option(parser)
    add_language_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the tables or write the picture; return 0. Raises `Problem` if the journal cannot be
    read or the picture not written."""
    chart = arguments.chart
    kind = "" if chart is None else chart.suffix.lstrip(".").lower()
    if chart is not None and kind not in KINDS:
        raise Problem("figures.bad_kind", file=str(chart))
    found, left_out = load_figures(
        arguments.journal or default_journal_path(), arguments.game, arguments.player
    )
    wording = FiguresWording(arguments.lang)
    for trouble in left_out:
        print(wording.common.translate(trouble))
    if not found:
        raise Problem("figures.none")
    if chart is None:
        for line in format_tables(found, wording):
            print(line)
        return 0
    try:
        write_file(chart, [draw_chart(found, wording, kind)])
    except OSError as fault:
        raise Problem("export.not_written", file=str(chart), reason=describe_os_error(fault)) from fault
    return 0


def load_figures(
    journal: Path, game: str | None = None, player: str | None = None
) -> tuple[Sequence[FiguresTable], Sequence[Text]]:
    """Return the tables of a journal's sessions, and messages about what they lack: sessions that
    cannot be read, and entries that the journal has lost."""
    known = settings.load_settings()
    with Store.open_read_only(journal) as store:
        omissions = [] if store.notice is None else [store.notice]
        rows = [row for row in store.list_sessions() if row.entries and row.begun not in known.thrown_away]
        found = list(load_summaries(store, [row for row in rows if game in (None, row.game)], known.called))
    omissions += [trouble for trouble in found if isinstance(trouble, Text)]
    plays = [one for one in found if isinstance(one, SessionSummary)]
    return build_tables([one for one in plays if player in (None, *one.players)]), omissions
