"""`companion pads`: assign readers that are one pad each to seats. Tap the reader in front of Ann,
then Ben's, ..."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from queue import Empty, SimpleQueue

from companion.commands.common import (
    add_language_option,
    choose_output_file,
    default_pads_path,
    set_help_default,
)
from companion.evening.card_readers import (
    FOUND_BY_THEMSELVES,
    PHONE,
    TRAYS,
    open_own_pads,
    reads_single_pads,
    resolve_reader_kind,
)
from companion.readers.nfc.tag_pads import PadDeviceReader, SeatAssignment, format_pads_toml
from companion.readers.rfid.board import list_trays
from companion.readers.rfid.events import ReaderProblem
from companion.rules.contract import Problem
from companion.table.sightings import Health, Report
from companion.texts import Translator, describe_os_error
from companion.typed_lines import TypedLines, open_typed_lines
from companion.user_files import write_file_atomically

SEATS = 4
"""Number of seats if none is given."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `companion pads`."""
    add = parser.add_argument
    add("--reader", action="append", default=[], metavar="READER", help="pads.reader")
    add("--players", default=str(SEATS), help="pads.players")
    set_help_default(add("--file", type=Path, default=None, help="pads.file"), default_pads_path())
    add_language_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Ask for each seat and save the result; return 0. Raises `Problem` if it cannot be done."""
    translator = Translator(arguments.lang)
    file = choose_output_file(arguments.file, default_pads_path())
    words = arguments.players
    players = (
        # Three digits are enough: `int` refuses numbers of thousands of digits.
        [""] * min(int(words[:3]), 12) if words.isdecimal() else [name.strip() for name in words.split(",")]
    )
    # Readers tell from threads of their own; what two printed at once ran together.
    news: SimpleQueue[str | Health] = SimpleQueue()
    with ExitStack() as open_readers:
        for reader in _open_readers(arguments.reader):
            reader.pads.on_tag = lambda device, _tag: news.put(device)
            open_readers.enter_context(closing(reader))
            reader.start(lambda report: _forward_health(report, news))
        placing = SeatAssignment(players)
        with open_typed_lines() as lines, suppress(EOFError):
            _assign_seats(placing, news, lines, translator)
    # Leaving at once must not replace the places of before by none.
    if not placing.rows:
        print(translator("pads.nothing"))
        return 0
    try:
        write_file_atomically(file, format_pads_toml(placing.rows))
    except OSError as fault:
        raise Problem("tags.no_file", file=str(file), reason=describe_os_error(fault)) from fault
    print(translator("pads.kept", file=str(file)))
    return 0


def _open_readers(requested: Sequence[str]) -> Iterator[PadDeviceReader]:
    """Make the named readers, or all that are available here.

    Raises `ReaderProblem` for a named one that fails, or if none is available; `Problem` for one
    whose pads need no assignment.
    """
    for name in requested:
        if not reads_single_pads(resolve_reader_kind(name)):
            raise Problem("pads.phone" if name == PHONE else "pads.board", reader=name)
    problem = None
    count = 0
    trays = [TRAYS] if list_trays() else []
    for name in map(resolve_reader_kind, requested or [*FOUND_BY_THEMSELVES, *trays]):
        try:
            reader = open_own_pads(name, lambda _tag: None, {})
        except ReaderProblem as fault:
            if requested:
                raise
            problem = problem or fault
            continue
        count += 1
        yield reader
    if not count and problem is not None:
        raise problem


def _assign_seats(
    placing: SeatAssignment, news: SimpleQueue[str | Health], lines: TypedLines, translator: Translator
) -> None:
    """Ask seat by seat. `news`: the devices that were tapped, and the states of the readers."""
    print(translator("pads.commands"))
    last_prompt = None
    while not placing.is_done:
        if placing.describe_next_tap() != last_prompt:
            last_prompt = placing.describe_next_tap()
            print(translator.translate(last_prompt), flush=True)
        try:
            report = news.get(timeout=0.05)
        except Empty:
            line = lines.next_line(0.0)
            if line is None:
                continue
            if line.strip() == "q":
                return
            {"s": placing.skip, "b": placing.step_back}.get(
                line.strip(), lambda: print(translator("pads.commands"))
            )()
        else:
            line_out = (
                "  " + translator.translate(placing.record_tap(report))
                if isinstance(report, str)
                else translator.translate(report.text)
            )
            print(line_out, flush=True)
    print(translator.translate(placing.describe_next_tap()))


def _forward_health(report: Report, news: SimpleQueue[str | Health]) -> None:
    """Queue the state of a reader, so that nobody taps at one that is not there; that it has no
    place yet is expected. Readers have threads of their own, and only one may print."""
    if isinstance(report, Health) and report.text.code != "reader.pad.unplaced":
        news.put(report)
