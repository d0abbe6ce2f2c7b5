"""`companion tags`: record which tag is on which card, by taps or from CSV lists."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from queue import Empty, SimpleQueue

from companion import user_files
from companion.commands.common import add_language_option, add_share_option, refuse_overwriting_source
from companion.decks.collection import choose_deck_folder, describe_deck_name, find_deck
from companion.evening.card_readers import (
    PHONE,
    load_port_claims,
    open_own_pads,
    reads_single_pads,
    resolve_reader_kind,
)
from companion.evening.first_start import build_simulated_board
from companion.evening.sharing import connect_phone
from companion.readers.nfc.tag_pads import PadDeviceReader, PhonePads
from companion.readers.rfid.board import BoardReader
from companion.readers.rfid.events import TagId
from companion.readers.rfid.ports import BoardLocator
from companion.readers.rfid.simulator import SimulatedBoard
from companion.readers.rfid.tag_enrolment import TagDialogue, TagListError, export_csv, import_csv
from companion.rules.contract import Problem, Text
from companion.table.decks import Deck
from companion.table.sightings import Health, Report
from companion.texts import Translator, describe_os_error
from companion.typed_lines import TypedLines, open_typed_lines

TOGETHER = 0.4
"""Seconds within which tags count as laid down together, as a pile of copies."""
_TAP = 0.3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands of `companion tags`."""
    todo = parser.add_subparsers(dest="todo", metavar="enrol|export|import", required=True)
    enrol = todo.add_parser("enrol", help="tags.enrol")
    enrol.add_argument("--reader", default="auto", metavar="PORT", help="tags.enrol.reader")
    enrol.add_argument("--only", default="", metavar="BEGINNING", help="tags.enrol.only")
    add_share_option(enrol)
    exporting = todo.add_parser("export", help="tags.export")
    exporting.add_argument("file", type=Path, metavar="FILE.csv")
    importing = todo.add_parser("import", help="tags.import")
    importing.add_argument("file", type=Path, metavar="FILE.csv")
    for command in (enrol, exporting, importing):
        command.add_argument("--deck", required=True, help="common.deck")
        add_language_option(command)


def run(arguments: argparse.Namespace) -> int:
    """Run the subcommand; return 0. Raises `Problem` if it cannot be done."""
    translator = Translator(arguments.lang)
    todo: dict[str, Callable[[argparse.Namespace, Translator], None]] = {
        "enrol": _run_enrol,
        "export": _run_export,
        "import": _run_import,
    }
    try:
        todo[arguments.todo](arguments, translator)
    except OSError as fault:
        raise Problem("tags.no_file", file=str(fault.filename), reason=describe_os_error(fault)) from fault
    return 0


def _make_saver(name: str, deck: Deck) -> Callable[[Deck], object]:
    """Return a function that saves the deck: in its own folder or, for one of the program's decks,
    in a folder among the user's."""
    where = choose_deck_folder(deck, name)
    return lambda changed: changed.save(where)


def _run_export(arguments: argparse.Namespace, translator: Translator) -> None:
    deck = find_deck(arguments.deck)
    if deck.path is not None:
        refuse_overwriting_source(arguments.file, deck.path)
    user_files.write_file(arguments.file, [export_csv(deck).encode()])
    print(
        translator(
            "tags.exported", count=sum(len(one.tags) for one in deck.designs), file=str(arguments.file)
        )
    )


def _run_import(arguments: argparse.Namespace, translator: Translator) -> None:
    deck = find_deck(arguments.deck)
    try:
        text = user_files.read_text(arguments.file)
    except UnicodeDecodeError:
        raise TagListError("tags.list.columns", line=1) from None
    changed, taps = import_csv(deck, text)
    _make_saver(arguments.deck, deck)(changed)
    print(translator("tags.imported", count=sum(tap.meaning == "enrolled" for tap in taps), lines=len(taps)))


def _run_enrol(arguments: argparse.Namespace, translator: Translator) -> None:
    deck = find_deck(arguments.deck)
    # Otherwise there would be nothing to enrol, and the command would end without a word.
    if not any(one.name.startswith(arguments.only) for one in deck.designs):
        raise Problem("tags.only.none", only=arguments.only, deck=describe_deck_name(deck))
    table = TagDialogue(deck, _make_saver(arguments.deck, deck), arguments.only)
    board = SimulatedBoard() if arguments.reader == "simulated" else None
    if board is not None:
        build_simulated_board(translator)
    tags: SimpleQueue[TagId] = SimpleQueue()
    with board or nullcontext():
        reader = _start_reader(arguments.reader if board is None else board.port, table, tags.put, translator)
        phones = reader if isinstance(reader, PhonePads) else None
        try:
            with (
                connect_phone(None, translator, arguments.share, pads=phones),
                open_typed_lines() as lines,
                suppress(EOFError),
            ):
                _assign_tags(table, tags, lines, translator, None if board is None else _StickerRoll(board))
        finally:
            reader.close()


def _start_reader(
    name: str, table: TagDialogue, on_tag: Callable[[TagId], None], translator: Translator
) -> BoardReader | PadDeviceReader:
    """Start the named reader. A keyboard-like reader writes ids in its own way, so its cards must
    be enrolled with it."""
    name = resolve_reader_kind(name)
    if name == PHONE or reads_single_pads(name):
        design_of = table.deck.find_design_by_tag
        own = PhonePads(design_of) if name == PHONE else open_own_pads(name, design_of, {})
        own.pads.on_tag = lambda _device, tag: on_tag(tag)
        own.start(lambda report: _print_health(report, translator))
        return own
    reader = BoardReader(
        BoardLocator(None, load_port_claims()) if name == "auto" else name, table.deck.find_design_by_tag
    )
    reader.on_tag = lambda _pad, tag: on_tag(tag)
    reader.start(lambda report: _print_health(report, translator))
    return reader


def _print_health(report: Report, translator: Translator) -> None:
    """Print the state of the reader, so that nobody taps at one that is not there."""
    if isinstance(report, Health) and report.state in ("ok", "lost"):
        print(translator.translate(report.text), flush=True)


class _StickerRoll:
    """Roll of new stickers for the simulated tray: each tap lays the next one on it briefly."""

    def __init__(self, board: SimulatedBoard) -> None:
        self._board = board
        # By the time: a second roll has other stickers than the first.
        self._next = int(time.time()) & 0xFFFFFF

    def tap_next(self) -> None:
        self._next += 1
        tag = TagId.from_hex(f"04{self._next & 0xFFFF:04x}{self._next >> 16 & 0xFF:02x}5a5a5a")
        self._board.put_tags(0, tag)
        time.sleep(_TAP)
        self._board.take_tags(0, tag)


def _assign_tags(
    table: TagDialogue,
    tags: SimpleQueue[TagId],
    lines: TypedLines,
    translator: Translator,
    stickers: _StickerRoll | None,
) -> None:
    """Ask for one card after the other until all have tags, or until `q` or the end of the
    input."""
    print(translator("tags.commands") + ("" if stickers is None else " " + translator("tags.simulated")))
    prompt: Text | None = None
    while not table.is_done:
        if table.describe_next_tap() != prompt:
            prompt = table.describe_next_tap()
            print(translator.translate(prompt), flush=True)
        # A pile of copies is several tags for one card.
        collected = list(_collect_tags(tags))
        for text in table.handle_tags(collected):
            print("  " + translator.translate(text), flush=True)
        if not collected and (line := lines.next_line(0.05)) is not None:
            if line.strip() == "q":
                return
            if not line.strip() and stickers is not None:
                stickers.tap_next()
                continue
            for text in table.handle_command(line):
                print("  " + translator.translate(text), flush=True)
    print(translator.translate(table.describe_next_tap()))


def _collect_tags(tags: SimpleQueue[TagId]) -> Iterator[TagId]:
    """Yield the tags that have arrived, and those that follow within `TOGETHER` seconds."""
    # Waiting longer for a first tag would hold up typed lines.
    wait = 0.05
    while True:
        try:
            yield tags.get(timeout=wait)
        except Empty:
            return
        wait = TOGETHER
