"""`companion cards`: print our own cards, list the decks, check a deck file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from companion.commands.common import add_language
from companion.decks import sheets
from companion.decks.collection import available, find_deck
from companion.decks.drawings import Done, nobody
from companion.decks.references import look_alikes, printed, without_views
from companion.folders import user_decks
from companion.rules import registry
from companion.rules.claims import CardId
from companion.rules.contract import Text
from companion.table.decks import Deck, DeckError
from companion.texts import Translator

if TYPE_CHECKING:
    from vision.decks.separation import Separation

_SHOWN = 12
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
        add_language(command)


def run(arguments: argparse.Namespace) -> int:
    """Run the subcommand; return 0. Raises `Problem` if a deck or folder cannot be used."""
    translate = Translator(arguments.lang)
    {"print": _print, "list": _list, "check": _check}[arguments.todo](arguments, translate)
    return 0


def _print(arguments: argparse.Namespace, translate: Translator) -> None:
    deck = find_deck(arguments.game)
    folder = arguments.out or user_decks() / Path(arguments.game).stem
    made = print_deck(
        deck,
        folder,
        translate,
        done=_progress(translate),
        paper=arguments.paper,
        backs=arguments.backs,
        markers=arguments.markers,
    )
    for sentence in made:
        print(sentence)


def print_deck(
    deck: Deck,
    folder: Path,
    say: Translator,
    *,
    done: Done = nobody,
    paper: str = "a4",
    backs: bool = False,
    markers: bool = False,
) -> list[str]:
    """Write a deck's PDF sheets and the camera's views into `folder`; return messages about them.
    The sheets need no OpenCV; without it there are no views.

    Raises `DeckError` for a deck without drawings, or a folder that cannot be written.
    """
    every = sheets.cards(deck, say.language, both_sides=backs)
    # Raises the `DeckError` that explains why there are no drawings.
    if not every:
        sheets.pdf(deck)  # says why
    made = printed(deck, folder, say.language, markers=markers, done=done)
    file = sheets.write(made.deck, folder, paper, say.language, backs=backs, done=done)
    pages = -(-len(every) // (sheets.COLUMNS * sheets.ROWS))
    said = [say("cards.printed", file=str(file), count=len(every), sheets=pages)]
    if backs:
        said.append(say("cards.turn_over"))
    board: Callable[[], sheets.Board] | None = registry.part(deck.game, "drawing:board")
    if board is not None:
        one, four = sheets.write_boards(board(), folder, paper, deck.game, say.language)
        said.append(say("cards.board", one=str(one), four=str(four)))
    if made.lacking is not None:
        return [*said, say("cards.deck_saved", folder=str(folder)), say("cards.no_opencv", why=made.lacking)]
    return [*said, say("cards.enrolled", folder=str(folder)), *_advice(made.test, say)]


def _progress(translate: Translator) -> Done:
    """Return a callback that shows the progress of drawing in one line of the terminal; it prints
    nothing if the output is not a terminal."""
    if not sys.stderr.isatty():
        return nobody

    def tell(number: int, count: int) -> None:
        end = "\r\x1b[K" if number == count else ""
        print(
            "\r\x1b[K" + translate("cards.progress", done=number, count=count) + end,
            end="",
            file=sys.stderr,
            flush=True,
        )

    return tell


def _list(arguments: argparse.Namespace, translate: Translator) -> None:
    if arguments.deck:
        for design in find_deck(arguments.deck).designs:
            print(
                f"{design.copies:3d} × {design.name}"
                + ("" if design.card == design.name else f" = {design.card or '-'}")
            )
        return
    for name, path in available().items():
        try:
            deck = Deck.load(path)
        except DeckError as error:  # one bad file does not hide the others
            print(error.said(translate.say).split("\n")[0], file=sys.stderr)
            continue
        size = {"designs": len(deck.designs), "cards": _count(deck)}
        print(
            translate.say(Text("cards.deck_line", {"id": name, "name": deck.name, "game": deck.game, **size}))
        )


def _check(arguments: argparse.Namespace, translate: Translator) -> None:
    deck = find_deck(arguments.deck)
    print(translate("cards.fine", file=str(deck.path), designs=len(deck.designs), cards=_count(deck)))
    unknown, missing = _against_the_game(deck)
    _print_names("unknown_cards", unknown, translate)
    _print_names("missing_cards", missing, translate)
    # Last: views are read by OpenCV, and where that does not load the rest has been said.
    _print_names("no_references", [] if deck.folder is None else without_views(deck), translate)
    for sentence in _advice(look_alikes(deck), translate):
        print(sentence)


def _print_names(code: str, names: list[str], translate: Translator) -> None:
    if names:
        print(translate(f"cards.{code}", names=_some(names), count=len(names)))


def _advice(test: Separation | None, say: Translator) -> Iterator[str]:
    """Say which designs the camera may confuse, and which it is not sure of."""
    if test is None:
        return
    for one, other, _ in test.look_alikes[:_SHOWN]:
        yield say("cards.look_alike", one=one, other=other)
    if test.unsure:
        yield say("cards.unsure", names=_some(list(test.unsure)))


def _count(deck: Deck) -> int:
    return sum(design.copies for design in deck.designs)


def _against_the_game(deck: Deck) -> tuple[list[str], list[str]]:
    """List the cards that the game's own deck lacks, and those that only it has; colours are
    ignored."""
    # A plug-in's game may have no deck of its own to compare with.
    if deck.game not in available():
        return [], []
    ours, own = set(map(_plain, deck.cards)), set(map(_plain, Deck.builtin(deck.game).cards))
    return sorted(ours - own), sorted(own - ours)


def _plain(card: str) -> str:
    kind, colour, name = CardId.of(card)
    return f"{kind}:*:{name}" if colour else card


def _some(names: list[str]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f", … (+{more})" if more > 0 else "")
