"""`companion tags`: record which tag is on which card, by taps or from CSV lists."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from queue import Empty, SimpleQueue

from companion import given_files
from companion.commands.common import add_language, add_share, spare
from companion.decks.collection import find_deck, own_folder
from companion.evening.card_readers import PHONE, has_own_pads, meant, open_own_pads
from companion.evening.first_start import build_board
from companion.evening.sharing import joined
from companion.readers.nfc.pads import OwnPads, PhonePads
from companion.readers.rfid.board import BoardReader
from companion.readers.rfid.events import TagId
from companion.readers.rfid.ports import Follow
from companion.readers.rfid.simulator import SimulatedBoard
from companion.readers.rfid.tags import BadList, TagTable, export_csv, import_csv
from companion.rules.contract import Problem, Text
from companion.table.decks import Deck
from companion.table.sightings import Health, Report
from companion.texts import Translator, system_reason
from companion.typed_lines import TypedLines, listening

TOGETHER = 0.4
"""Seconds within which tags count as laid down together, as a pile of copies."""
_TAP = 0.3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands of `companion tags`."""
    todo = parser.add_subparsers(dest="todo", metavar="enrol|export|import", required=True)
    enrol = todo.add_parser("enrol", help="tags.enrol")
    enrol.add_argument("--reader", default="auto", metavar="PORT", help="tags.enrol.reader")
    enrol.add_argument("--only", default="", metavar="BEGINNING", help="tags.enrol.only")
    add_share(enrol)
    exporting = todo.add_parser("export", help="tags.export")
    exporting.add_argument("file", type=Path, metavar="FILE.csv")
    importing = todo.add_parser("import", help="tags.import")
    importing.add_argument("file", type=Path, metavar="FILE.csv")
    for command in (enrol, exporting, importing):
        command.add_argument("--deck", required=True, help="common.deck")
        add_language(command)


def run(arguments: argparse.Namespace) -> int:
    """Run the subcommand; return 0. Raises `Problem` if it cannot be done."""
    say = Translator(arguments.lang)
    todo: dict[str, Callable[[argparse.Namespace, Translator], None]] = {
        "enrol": _enrol,
        "export": _export,
        "import": _import,
    }
    try:
        todo[arguments.todo](arguments, say)
    except OSError as fault:
        raise Problem("tags.no_file", file=str(fault.filename), reason=system_reason(fault)) from fault
    return 0


def _saver(name: str, deck: Deck) -> Callable[[Deck], object]:
    """Return a function that saves the deck: in its own folder or, for one of the program's decks,
    in a folder among the user's."""
    where = own_folder(deck, name)
    return lambda changed: changed.save(where)


def _export(arguments: argparse.Namespace, say: Translator) -> None:
    deck = find_deck(arguments.deck)
    if deck.path is not None:
        spare(arguments.file, deck.path)
    given_files.write(arguments.file, [export_csv(deck).encode()])
    print(say("tags.exported", count=sum(len(one.tags) for one in deck.designs), file=str(arguments.file)))


def _import(arguments: argparse.Namespace, say: Translator) -> None:
    deck = find_deck(arguments.deck)
    try:
        text = given_files.text_of(arguments.file)
    except UnicodeDecodeError:
        raise BadList("tags.list.columns", line=1) from None
    changed, taps = import_csv(deck, text)
    _saver(arguments.deck, deck)(changed)
    print(say("tags.imported", count=sum(tap.meaning == "enrolled" for tap in taps), lines=len(taps)))


def _enrol(arguments: argparse.Namespace, say: Translator) -> None:
    deck = find_deck(arguments.deck)
    # Otherwise there would be nothing to enrol, and the command would end without a word.
    if not any(one.name.startswith(arguments.only) for one in deck.designs):
        raise Problem("tags.only.none", only=arguments.only, deck=deck.name)
    table = TagTable(deck, _saver(arguments.deck, deck), arguments.only)
    board = SimulatedBoard() if arguments.reader == "simulated" else None
    if board is not None:
        build_board(say)
    tags: SimpleQueue[TagId] = SimpleQueue()
    with board or nullcontext():
        reader = _reader(arguments.reader if board is None else board.port, table, tags.put, say)
        phones = reader if isinstance(reader, PhonePads) else None
        try:
            with joined(None, say, arguments.share, pads=phones), listening() as lines, suppress(EOFError):
                _converse(table, tags, lines, say, None if board is None else _Stickers(board))
        finally:
            reader.close()


def _reader(
    what: str, table: TagTable, put: Callable[[TagId], None], say: Translator
) -> BoardReader | OwnPads:
    """Start the named reader. A keyboard-like reader writes ids in its own way, so its cards must
    be enrolled with it."""
    what = meant(what)
    if what == PHONE or has_own_pads(what):
        design_of = table.deck.design_of_tag
        own = PhonePads(design_of) if what == PHONE else open_own_pads(what, design_of, {})
        own.pads.on_tag = lambda _device, tag: put(tag)
        own.start(lambda report: _tell(report, say))
        return own
    reader = BoardReader(Follow(None) if what == "auto" else what, table.deck.design_of_tag)
    reader.on_tag = lambda _pad, tag: put(tag)
    reader.start(lambda report: _tell(report, say))
    return reader


def _tell(report: Report, say: Translator) -> None:
    """Print the state of the reader, so that nobody taps at one that is not there."""
    if isinstance(report, Health) and report.state in ("ok", "lost"):
        print(say.say(report.text), flush=True)


class _Stickers:
    """Roll of new stickers for the simulated board: each tap lays the next one on the middle pad
    for a moment."""

    def __init__(self, board: SimulatedBoard) -> None:
        self._board = board
        # By the time: a second roll has other stickers than the first.
        self._next = int(time.time()) & 0xFFFFFF

    def tap(self) -> None:
        self._next += 1
        tag = TagId.from_hex(f"04{self._next & 0xFFFF:04x}{self._next >> 16 & 0xFF:02x}5a5a5a")
        self._board.put("middle", tag)
        time.sleep(_TAP)
        self._board.take("middle", tag)


def _converse(
    table: TagTable,
    tags: SimpleQueue[TagId],
    lines: TypedLines,
    say: Translator,
    stickers: _Stickers | None,
) -> None:
    """Ask for one card after the other until all have tags, or until `q` or the end of the
    input."""
    print(say("tags.commands") + ("" if stickers is None else " " + say("tags.simulated")))
    prompt: Text | None = None
    while not table.done:
        if table.prompt() != prompt:
            prompt = table.prompt()
            print(say.say(prompt), flush=True)
        # A pile of copies is several tags for one card.
        together = list(_together(tags))
        for text in table.tapped(together):
            print("  " + say.say(text), flush=True)
        if not together and (line := lines.next(0.05)) is not None:
            if line.strip() == "q":
                return
            if not line.strip() and stickers is not None:
                stickers.tap()
                continue
            for text in table.typed(line):
                print("  " + say.say(text), flush=True)
    print(say.say(table.prompt()))


def _together(tags: SimpleQueue[TagId]) -> Iterator[TagId]:
    """Yield the tags that have arrived, and those that follow within `TOGETHER` seconds."""
    # Waiting longer for a first tag would hold up typed lines.
    wait = 0.05
    while True:
        try:
            yield tags.get(timeout=wait)
        except Empty:
            return
        wait = TOGETHER
