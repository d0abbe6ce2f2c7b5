"""The command line: `python -m vision enrol | read | measure`.

Exit codes: 0 all went well; 1 something could not be used (a photo that cannot be read, a label
without a card) and the rest was done; 2 nothing could be done (wrong arguments, no labels file, no
enrolled deck).
"""

import argparse
import json
import sys
import time
from pathlib import Path

from vision import photo
from vision.decks import enrol, labels, measure, separation
from vision.errors import LabelsError, LibraryError, PhotoError, VisionError
from vision.library import FOLDER, Library
from vision.reader import Reader
from vision.reading import Reading


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except VisionError as error:
        print(f"vision: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m vision", description="Name the cards in a picture of a table."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, run, help_text in (
        ("enrol", _enrol, "add reference views to a deck folder, from labelled photos"),
        ("read", _read, "say what lies in each photo"),
        ("measure", _measure, "print the accuracy table over labelled photos"),
    ):
        command = commands.add_parser(name, help=help_text, description=help_text)
        command.set_defaults(run=run)
        command.add_argument("--deck", required=True, type=Path, metavar="DIR", help="the deck folder")
        command.add_argument("--json", action="store_true", help="print JSON")
        if name == "read":
            command.add_argument("photos", nargs="+", metavar="PHOTO")
        else:
            command.add_argument("--labels", required=True, type=Path, metavar="LABELS.json")
            command.add_argument("--only-deck", metavar="NAME", help="only the photos of this deck")
            use = {"enrol": "reference", "measure": "test"}[name]
            command.add_argument("--use", default=use, help=f"only the photos of this use (default {use})")
    return parser


def _enrol(options: argparse.Namespace) -> int:
    photos = labels.load(options.labels, options.only_deck, options.use)
    if not photos:
        raise LabelsError(f"{options.labels} has no photo for this deck and use.")
    index = options.deck / FOLDER / "index.json"
    library = Library.load(options.deck) if index.exists() else Library()
    result = enrol.from_photos(library, photos)
    for problem in result.problems:
        print(f"vision: {problem}", file=sys.stderr)
    if not result.added:
        raise LibraryError("No view could be added.")
    test = separation.run(library)
    library.margins = test.margins
    library.save(options.deck)
    counts = {"added": result.added, "views": len(library), "designs": len(library.designs)}
    if options.json:
        print(
            json.dumps({**counts, "look_alikes": test.look_alikes, "unsure": test.unsure}, ensure_ascii=False)
        )
    else:
        print("{added} views added; the deck has {designs} designs with {views} views.".format(**counts))
        for line in test.advice():
            print(f"  {line}")
    return 1 if result.problems else 0


def _read(options: argparse.Namespace) -> int:
    reader = Reader(Library.load(options.deck))
    failed = False
    for name in options.photos:
        began = time.perf_counter()
        try:
            cards = [_card(r) for r in reader.read(photo.load(name))]
            line: dict[str, object] = {"photo": name, "ms": _since(began), "cards": cards}
        except PhotoError as error:
            failed = True
            line = {"photo": name, "ms": _since(began), "cards": [], "error": str(error)}
        print(json.dumps(line, ensure_ascii=False), flush=True)
    return 1 if failed else 0


def _since(began: float) -> float:
    return round((time.perf_counter() - began) * 1000, 1)


def _card(reading: Reading) -> dict[str, object]:
    return {
        "card": reading.card,
        "sure": reading.sure,
        "confidence": round(reading.confidence, 3),
        "quad": [[round(float(x), 1), round(float(y), 1)] for x, y in reading.quad],
    }


def _measure(options: argparse.Namespace) -> int:
    photos = labels.load(options.labels, options.only_deck, options.use)
    if not photos:
        raise LabelsError(f"{options.labels} has no photo for this deck and use.")
    reader = Reader(Library.load(options.deck))
    names = list(dict.fromkeys(p.deck for p in photos))
    tallies = {name: measure.measure(reader, [p for p in photos if p.deck == name]) for name in names}
    if options.json:
        print(json.dumps({name: tally.row() for name, tally in tallies.items()}, ensure_ascii=False))
    else:
        print(measure.table(tallies))
        for tally in tallies.values():
            for mistake in tally.mistakes:
                print(f"  {mistake}")
    return 1 if any(t.unreadable for t in tallies.values()) else 0
