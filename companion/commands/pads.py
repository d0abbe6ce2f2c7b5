"""`companion pads`: assign readers that are one pad each to seats. Tap the reader in front of Ann,
then Ben's, ..."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from queue import Empty, SimpleQueue

from companion.commands.common import add_language, not_over, usual_pads, usually
from companion.evening.card_readers import (
    FOUND_BY_THEMSELVES,
    PHONE,
    TRAYS,
    has_own_pads,
    meant,
    open_own_pads,
)
from companion.given_files import write_whole
from companion.readers.nfc.pads import OwnPads, SeatAssignment, as_toml
from companion.readers.rfid.board import plugged_in
from companion.readers.rfid.events import ReaderProblem
from companion.rules.contract import Problem
from companion.table.sightings import Health, Report
from companion.texts import Translator, system_reason
from companion.typed_lines import TypedLines, listening

SEATS = 4
"""Number of seats if none is given."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `companion pads`."""
    add = parser.add_argument
    add("--reader", action="append", default=[], metavar="READER", help="pads.reader")
    add("--players", default=str(SEATS), help="pads.players")
    usually(add("--file", type=Path, default=None, help="pads.file"), usual_pads())
    add_language(parser)


def run(arguments: argparse.Namespace) -> int:
    """Ask for each seat and save the result; return 0. Raises `Problem` if it cannot be done."""
    say = Translator(arguments.lang)
    file = not_over(arguments.file, usual_pads())
    words = arguments.players
    players = (
        # Three digits are enough: `int` refuses numbers of thousands of digits.
        [""] * min(int(words[:3]), 12) if words.isdecimal() else [name.strip() for name in words.split(",")]
    )
    # Readers tell from threads of their own; what two printed at once ran together.
    news: SimpleQueue[str | Health] = SimpleQueue()
    with ExitStack() as open_readers:
        for reader in _readers(arguments.reader):
            reader.pads.on_tag = lambda device, _tag: news.put(device)
            open_readers.enter_context(closing(reader))
            reader.start(lambda report: _pass_on(report, news))
        placing = SeatAssignment(players)
        with listening() as lines, suppress(EOFError):
            _ask(placing, news, lines, say)
    # Leaving at once must not replace the places of before by none.
    if not placing.rows:
        print(say("pads.nothing"))
        return 0
    try:
        write_whole(file, as_toml(placing.rows))
    except OSError as fault:
        raise Problem("tags.no_file", file=str(file), reason=system_reason(fault)) from fault
    print(say("pads.kept", file=str(file)))
    return 0


def _readers(named: Sequence[str]) -> Iterator[OwnPads]:
    """Make the named readers, or all that are available here.

    Raises `ReaderProblem` for a named one that fails, or if none is available; `Problem` for one
    whose pads need no assignment.
    """
    for what in named:
        if not has_own_pads(meant(what)):
            raise Problem("pads.phone" if what == PHONE else "pads.board", reader=what)
    problem = None
    made = 0
    trays = [TRAYS] if plugged_in() else []
    for what in map(meant, named or [*FOUND_BY_THEMSELVES, *trays]):
        try:
            reader = open_own_pads(what, lambda _tag: None, {})
        except ReaderProblem as fault:
            if named:
                raise
            problem = problem or fault
            continue
        made += 1
        yield reader
    if not made and problem is not None:
        raise problem


def _ask(
    placing: SeatAssignment, news: SimpleQueue[str | Health], lines: TypedLines, say: Translator
) -> None:
    """Ask seat by seat. `news`: the devices that were tapped, and the states of the readers."""
    print(say("pads.commands"))
    asked = None
    while not placing.done:
        if placing.prompt() != asked:
            asked = placing.prompt()
            print(say.say(asked), flush=True)
        try:
            heard = news.get(timeout=0.05)
        except Empty:
            line = lines.next(0.0)
            if line is None:
                continue
            if line.strip() == "q":
                return
            {"s": placing.skip, "b": placing.back}.get(line.strip(), lambda: print(say("pads.commands")))()
        else:
            told = "  " + say.say(placing.tapped(heard)) if isinstance(heard, str) else say.say(heard.text)
            print(told, flush=True)
    print(say.say(placing.prompt()))


def _pass_on(report: Report, news: SimpleQueue[str | Health]) -> None:
    """Queue the state of a reader, so that nobody taps at one that is not there; that it has no
    place yet is expected. Readers have threads of their own, and only one may print."""
    if isinstance(report, Health) and report.text.code != "reader.pad.unplaced":
        news.put(report)
