"""`companion cards`: print our own cards, list the decks, check a deck file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from companion.commands.common import add_language_option
from companion.decks import sheets
from companion.decks.collection import describe_deck_name, find_deck, list_deck_files
from companion.decks.drawings import OnProgress, ignore_progress
from companion.decks.references import (
    list_designs_without_views,
    measure_separation,
    verify_views,
    write_printed_deck,
)
from companion.folders import user_decks_folder
from companion.rules import registry
from companion.rules.claims import CardId
from companion.rules.contract import Text
from companion.table.decks import Deck, DeckError
from companion.table.zones import describe_design
from companion.texts import Translator

if TYPE_CHECKING:
    from vision.decks.separation import Separation

_MOST_NAMES = 12
"""Most names that a message lists before it only counts the rest."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands of `companion cards`."""
    todo = parser.add_subparsers(dest="todo", metavar="print|list|check", required=True)
    printing = todo.add_parser("print", help="cards.print")
    printing.add_argument("--game", "--deck", required=True, metavar="DECK", help="cards.print.game")
    printing.add_argument("--paper", choices=sorted(sheets.PAPERS), default="a4")
    printing.add_argument("--backs", action="store_true", help="cards.print.backs")
    printing.add_argument("--markers", action="store_true", help="cards.print.markers")
    printing.add_argument("--out", type=Path, metavar="DIR", help="cards.print.out")
    listing = todo.add_parser("list", help="cards.list")
    listing.add_argument("deck", nargs="?", metavar="DECK")
    checking = todo.add_parser("check", help="cards.check")
    checking.add_argument("deck", metavar="DECK", help="cards.check.deck")
    for command in (printing, listing, checking):
        add_language_option(command)


def run(arguments: argparse.Namespace) -> int:
    """Run the subcommand; return 0. Raises `Problem` if a deck or folder cannot be used."""
    translate = Translator(arguments.lang)
    {"print": _run_print, "list": _run_list, "check": _run_check}[arguments.todo](arguments, translate)
    return 0


def _run_print(arguments: argparse.Namespace, translate: Translator) -> None:
    deck = find_deck(arguments.game)
    folder = arguments.out or user_decks_folder() / Path(arguments.game).stem
    sentences = print_deck(
        deck,
        folder,
        translate,
        done=_make_progress_reporter(translate),
        paper=arguments.paper,
        backs=arguments.backs,
        markers=arguments.markers,
    )
    for sentence in sentences:
        print(sentence)


def print_deck(
    deck: Deck,
    folder: Path,
    translator: Translator,
    *,
    done: OnProgress = ignore_progress,
    paper: str = "a4",
    backs: bool = False,
    markers: bool = False,
) -> list[str]:
    """Write a deck's PDF sheets and the camera's views into `folder`; return messages about them.
    The sheets need no OpenCV; without it there are no views.

    Raises `DeckError` for a deck without drawings, or a folder that cannot be written.
    """
    faces = sheets.list_printed_cards(deck, translator.language, both_sides=backs)
    # Raises the `DeckError` that explains why there are no drawings.
    if not faces:
        sheets.build_deck_pdf(deck)  # says why
    printed_deck = write_printed_deck(deck, folder, translator.language, markers=markers, on_progress=done)
    file = sheets.write_deck_pdf(
        printed_deck.deck, folder, paper, translator.language, backs=backs, on_progress=done
    )
    pages = -(-len(faces) // (sheets.COLUMNS * sheets.ROWS))
    sentences = [translator("cards.printed", file=str(file), count=len(faces), sheets=pages)]
    if backs:
        sentences.append(translator("cards.turn_over"))
    board: Callable[[], sheets.BoardDrawing] | None = registry.load_part(
        deck.game, "drawing:build_printed_board"
    )
    if board is not None:
        one, four = sheets.write_board_pdfs(board(), folder, paper, deck.game, translator.language)
        sentences.append(translator("cards.board", one=str(one), four=str(four)))
    if printed_deck.lacking is not None:
        return [
            *sentences,
            translator("cards.deck_saved", folder=str(folder)),
            translator("cards.no_opencv", why=printed_deck.lacking),
        ]
    return [
        *sentences,
        translator("cards.enrolled", folder=str(folder)),
        *_describe_look_alikes(printed_deck.deck, printed_deck.test, translator),
    ]


def _make_progress_reporter(translate: Translator) -> OnProgress:
    """Return a callback that shows the progress of drawing in one line of the terminal; it prints
    nothing if the output is not a terminal."""
    if not sys.stderr.isatty():
        return ignore_progress

    def show_progress(number: int, count: int) -> None:
        end = "\r\x1b[K" if number == count else ""
        print(
            "\r\x1b[K" + translate("cards.progress", done=number, count=count) + end,
            end="",
            file=sys.stderr,
            flush=True,
        )

    return show_progress


def _run_list(arguments: argparse.Namespace, translate: Translator) -> None:
    if arguments.deck:
        for design in find_deck(arguments.deck).designs:
            print(
                f"{design.copies:3d} × {design.name}"
                + ("" if design.card == design.name else f" = {design.card or '-'}")
            )
        return
    for name, path in list_deck_files().items():
        try:
            deck = Deck.load(path)
        except DeckError as error:  # one bad file does not hide the others
            print(error.describe(translate.translate).split("\n")[0], file=sys.stderr)
            continue
        size = {"designs": len(deck.designs), "cards": _count_cards(deck)}
        print(
            translate.translate(
                Text(
                    "cards.deck_line",
                    {"id": name, "name": describe_deck_name(deck), "game": deck.game, **size},
                )
            )
        )


def _run_check(arguments: argparse.Namespace, translate: Translator) -> None:
    deck = find_deck(arguments.deck)
    unknown, missing = _compare_with_game(deck)
    _print_names("unknown_cards", unknown, translate)
    _print_names("missing_cards", missing, translate)
    # After this: views are read by OpenCV, and where that does not load the rest has been said.
    verify_views(deck)
    print(translate("cards.fine", file=str(deck.path), designs=len(deck.designs), cards=_count_cards(deck)))
    _print_names("no_references", [] if deck.folder is None else list_designs_without_views(deck), translate)
    for sentence in _describe_look_alikes(deck, measure_separation(deck), translate):
        print(sentence)


def _print_names(code: str, names: list[str], translate: Translator) -> None:
    if names:
        print(translate(f"cards.{code}", names=_format_names(names), count=len(names)))


def _describe_look_alikes(deck: Deck, test: Separation | None, translator: Translator) -> Iterator[str]:
    """Say which designs the camera may confuse, and which it is not sure of."""
    if test is None:
        return
    in_words = Translator.for_game(translator.language, deck.game)

    def describe(name: str) -> str:
        return in_words.translate(describe_design(deck, name))

    for one, other, _ in test.look_alikes[:_MOST_NAMES]:
        yield translator("cards.look_alike", one=describe(one), other=describe(other))
    if test.unsure:
        yield translator("cards.unsure", names=_format_names(list(map(describe, test.unsure))))


def _count_cards(deck: Deck) -> int:
    return sum(design.copies for design in deck.designs)


def _compare_with_game(deck: Deck) -> tuple[list[str], list[str]]:
    """List the cards that the game's own deck lacks, and those that only it has; colours are
    ignored."""
    # A plug-in's game may have no deck of its own to compare with.
    if deck.game not in list_deck_files():
        return [], []
    deck_cards, builtin_cards = (
        set(map(_strip_colour, deck.card_counts)),
        set(map(_strip_colour, Deck.load_builtin(deck.game).card_counts)),
    )
    return sorted(deck_cards - builtin_cards), sorted(builtin_cards - deck_cards)


def _strip_colour(card: str) -> str:
    kind, colour, name = CardId.from_text(card)
    return f"{kind}:*:{name}" if colour else card


def _format_names(names: list[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f", … (+{more})" if more > 0 else "")
