"""`companion figures`: add up many evenings, as tables in the terminal or as a picture."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from companion import settings
from companion.commands.common import add_journal_option, add_json_option, add_language_option, print_json
from companion.figures.rendering import KINDS, FiguresWording, draw_chart, format_tables
from companion.figures.tables import Cell, FiguresTable, Title, build_tables
from companion.journal.bgstats_import import ImportedPlays, list_own_plays, read_bgstats_plays
from companion.journal.store import Store, default_journal_path
from companion.journal.summaries import SessionSummary, load_summaries
from companion.rules import registry
from companion.rules.contract import Problem, Text
from companion.settings import Person
from companion.texts import describe_os_error
from companion.user_files import write_file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `companion figures`."""
    parser.add_argument("--game", choices=registry.list_game_ids(), help="figures.game")
    parser.add_argument("--player", metavar="NAME", help="figures.player")
    parser.add_argument("--chart", metavar="FILE", type=Path, help="figures.chart")
    parser.add_argument(
        "--plays", metavar="FILE", type=Path, action="append", default=[], help="figures.plays"
    )
    add_json_option(parser)
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
        arguments.journal or default_journal_path(), arguments.game, arguments.player, arguments.plays
    )
    wording = FiguresWording(arguments.lang)
    for trouble in left_out:
        # For programs the figures alone are on standard output.
        print(wording.common.translate(trouble), file=sys.stderr if arguments.json else sys.stdout)
    if not found:
        raise Problem("figures.none")
    if arguments.json:
        print_json([build_table_record(table, wording) for table in found])
        return 0
    if chart is None:
        for line in format_tables(found, wording):
            print(line)
        return 0
    try:
        write_file(chart, [draw_chart(found, wording, kind)])
    except OSError as fault:
        raise Problem("export.not_written", file=str(chart), reason=describe_os_error(fault)) from fault
    return 0


def build_table_record(table: FiguresTable, wording: FiguresWording) -> dict[str, Any]:
    """Return a table for programs: words in the language, numbers as they are (shares from 0 to
    1)."""

    def convert_cell(value: Cell) -> str | int | float | None:
        match value:
            case Title(game=game):
                return game
            case Text():
                return wording.format_heading(value, table)
        return value

    columns = [wording.format_heading(one.heading, table) for one in table.columns]
    return {
        # The same in every language, unlike the title.
        "table": table.title.code.removeprefix("figures."),
        "title": wording.format_title(table),
        "game": table.game,
        "columns": [
            {"heading": heading, "kind": one.kind}
            for heading, one in zip(columns, table.columns, strict=True)
        ],
        "rows": [[convert_cell(cell) for cell in row] for row in table.rows],
    }


def load_figures(
    journal: Path, game: str | None = None, player: str | None = None, imports: Sequence[Path] = ()
) -> tuple[Sequence[FiguresTable], Sequence[Text]]:
    """Return the tables of a journal's sessions and of plays from BG Stats (`imports`: files), and
    messages about what they lack: sessions that cannot be read, entries that the journal has lost,
    plays that cannot be counted. A play that the journal has is counted once. Raises `Problem` if a
    file isn't an export."""
    known = settings.load_settings()
    with Store.open_read_only(journal) as store:
        omissions = [] if store.notice is None else [store.notice]
        rows = [row for row in store.list_sessions() if row.entries and row.begun not in known.thrown_away]
        found = list(load_summaries(store, [row for row in rows if game in (None, row.game)], known.called))
    # Plays that were exported from here and come back with those of other games.
    own = list_own_plays(one for one in found if isinstance(one, SessionSummary))
    for file in imports:
        imported = _read_plays(file, known.people, own)
        found += [one for one in imported.plays if game in (None, one.game)]
        if imported.left_out:
            omissions.append(Text("figures.plays_left_out", {"file": str(file)}, imported.left_out))
    omissions += [trouble for trouble in found if isinstance(trouble, Text)]
    plays = [one for one in found if isinstance(one, SessionSummary)]
    return build_tables([one for one in plays if player in (None, *one.players)]), omissions


def _read_plays(file: Path, people: Sequence[Person], own: Collection[str]) -> ImportedPlays:
    try:
        return read_bgstats_plays(file, people, own)
    except OSError as fault:
        raise Problem("people.not_read", file=str(file), reason=describe_os_error(fault)) from fault
