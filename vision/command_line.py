"""Command line of `vision`: `python -m vision enrol | read | measure`.

Exit codes: 0 all went well; 1 something could not be used (a photo that cannot be read, a label
without a card) and the rest was done; 2 nothing could be done (wrong arguments, no labels file, no
enrolled deck, a full disk); 130 after Ctrl-C. `measure` prints how often the reader is right: the
accuracy table (`AccuracyRow`).
"""

import argparse
import json
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from vision import VIEWS_FOLDER, photo
from vision.decks import enrol, labels, separation
from vision.decks.labels import Label, LabelledPhoto
from vision.errors import LabelsError, LibraryError, PhotoError, VisionError
from vision.geometry import contains_point, quad_centre
from vision.library import Library
from vision.reader import Reader
from vision.reading import Reading


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    options = _build_parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except VisionError as error:
        print(f"vision: {error}", file=sys.stderr)
        return 2
    # the program that reads our output has ended (`| head`): there is nobody left to write to
    except BrokenPipeError:
        return 1
    except OSError as error:
        print(
            f"vision: what this command writes cannot be written: {error.strerror or error}.", file=sys.stderr
        )
        return 2


def _build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m vision", description="Name the cards in a picture of a table."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, run, help_text in (
        ("enrol", _run_enrol, "add reference views to a deck folder, from labelled photos"),
        ("read", _run_read, "say what lies in each photo"),
        ("measure", _run_measure, "print the accuracy table over labelled photos"),
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


def _run_enrol(options: argparse.Namespace) -> int:
    photos = labels.load_labels(options.labels, options.only_deck, options.use)
    if not photos:
        raise LabelsError(f"{options.labels} has no photo for this deck and use.")
    index = options.deck / VIEWS_FOLDER / "index.json"
    library = Library.load(options.deck) if index.exists() else Library()
    result = enrol.enrol_photos(library, photos)
    for problem in result.problems:
        print(f"vision: {problem}", file=sys.stderr)
    if not result.added:
        raise LibraryError("No view could be added.")
    # a new view can make two designs harder to tell apart, so margins are measured over all views
    test = separation.measure_separation(library)
    library.margins = test.margins
    library.save(options.deck)
    counts = {"added": result.added, "views": len(library), "designs": len(library.designs)}
    if options.json:
        _print_json({**counts, "look_alikes": test.look_alikes, "unsure": test.unsure})
    else:
        print("{added} views added; the deck has {designs} designs with {views} views.".format(**counts))
        for line in test.list_advice():
            print(f"  {line}")
    return 1 if result.problems else 0


def _run_read(options: argparse.Namespace) -> int:
    reader = Reader(Library.load(options.deck))
    failed = False
    for name in options.photos:
        began = time.perf_counter()
        try:
            cards = [_reading_to_dict(r) for r in reader.read(photo.load_photo(name))]
            line: dict[str, object] = {"photo": name, "ms": _elapsed_ms(began), "cards": cards}
        # one bad photo does not end the run: the line printed for it says what is wrong
        except PhotoError as error:
            failed = True
            line = {"photo": name, "ms": _elapsed_ms(began), "cards": [], "error": str(error)}
        _print_json(line)
    return 1 if failed else 0


def _print_json(value: object) -> None:
    try:
        print(json.dumps(value, ensure_ascii=False), flush=True)
    except UnicodeEncodeError:  # a file name that is not valid text, or a terminal without é
        print(json.dumps(value), flush=True)


def _elapsed_ms(start: float) -> float:
    return round((time.perf_counter() - start) * 1000, 1)


def _reading_to_dict(reading: Reading) -> dict[str, object]:
    return {
        "card": reading.card,
        "sure": reading.sure,
        "confidence": round(reading.confidence, 3),
        "quad": [[round(float(x), 1), round(float(y), 1)] for x, y in reading.quad],
    }


def _run_measure(options: argparse.Namespace) -> int:
    photos = labels.load_labels(options.labels, options.only_deck, options.use)
    if not photos:
        raise LabelsError(f"{options.labels} has no photo for this deck and use.")
    reader = Reader(Library.load(options.deck))
    names = list(dict.fromkeys(p.deck for p in photos))
    tallies = {name: measure_accuracy(reader, [p for p in photos if p.deck == name]) for name in names}
    if options.json:
        _print_json({name: tally.to_dict() for name, tally in tallies.items()})
    else:
        print(format_accuracy_table(tallies))
        for tally in tallies.values():
            for mistake in tally.mistakes:
                print(f"  {mistake}")
    return 1 if any(t.unreadable for t in tallies.values()) else 0


@dataclass
class AccuracyRow:
    """Counts over labelled cards: one row of the accuracy table.

    Every labelled card that is wholly visible falls into one of the first five counts.
    `false_cards`: readings at places without a card; `false_sure`: those of them that the program
    would act on. Cards partly under others are counted separately (`hidden`; `hidden_right`: those
    right and sure; `hidden_wrong`: those wrong and sure); ignored ones are not counted.
    """

    right_sure: int = 0
    right_unsure: int = 0
    wrong_sure: int = 0
    wrong_unsure: int = 0
    missed: int = 0
    false_cards: int = 0
    false_sure: int = 0
    hidden: int = 0
    hidden_right: int = 0
    hidden_wrong: int = 0
    photos: int = 0
    unreadable: int = 0
    mistakes: list[str] = field(default_factory=list)

    @property
    def card_count(self) -> int:
        """Number of labelled cards that were counted, hidden ones left out."""
        return self.right_sure + self.right_unsure + self.wrong_sure + self.wrong_unsure + self.missed

    def to_dict(self) -> dict[str, object]:
        """Return the counts and the number of cards as plain data."""
        return {"cards": self.card_count, **asdict(self)}


def measure_accuracy(reader: Reader, photos: Iterable[LabelledPhoto]) -> AccuracyRow:
    """Read every photo and compare the readings with its labels. The cards of a photo that cannot
    be read count as missed."""
    tally = AccuracyRow()
    for labelled in photos:
        tally.photos += 1
        try:
            image = photo.load_photo(labelled.path)
        except PhotoError:
            tally.unreadable += 1
            tally.missed += sum(c.is_whole for c in labelled.cards)
            tally.hidden += sum(c.hidden and not c.ignore for c in labelled.cards)
            continue
        score_photo(tally, labelled.name, labelled.cards, reader.read(image))
    return tally


def score_photo(tally: AccuracyRow, name: str, labels: Iterable[Label], readings: list[Reading]) -> None:
    """Add one photo's readings to the tally; a reading belongs to the label whose point lies within
    it."""
    left = list(readings)
    # whole cards choose first: a point of a card under another may lie within the one on top of it
    for label in sorted(labels, key=lambda c: not c.is_whole):
        point = (label.x, label.y)
        # cards may overlap at the point: the one whose middle is nearest is meant
        holding = [r for r in left if contains_point(r.quad, point)]
        nearest = min(holding, key=lambda r: float(((quad_centre(r.quad) - point) ** 2).sum()), default=None)
        left = [r for r in left if r is not nearest]
        if not label.ignore:
            _count_label(tally, name, label, nearest)
    tally.false_cards += len(left)
    tally.false_sure += sum(r.sure for r in left)
    tally.mistakes += [f"{name}: {r.card} where no card lies{', sure' if r.sure else ''}" for r in left]


def _count_label(tally: AccuracyRow, name: str, label: Label, reading: Reading | None) -> None:
    """Count one labelled card; `reading` is the one that contains its point, if any."""
    kind = _classify_result(label, reading)
    if not label.hidden:
        setattr(tally, kind, getattr(tally, kind) + 1)
    else:
        tally.hidden += 1
        tally.hidden_right += kind == "right_sure"
        tally.hidden_wrong += kind == "wrong_sure"
    if kind != "right_sure":
        read = "" if reading is None else f" read as {reading.card}"
        partly = " (partly hidden)" if label.hidden else ""
        tally.mistakes.append(f"{name}: {label.card}{partly}{read}: {kind.replace('_', ', ')}")


def _classify_result(label: Label, reading: Reading | None) -> str:
    if reading is None:
        return "missed"
    return f"{'right' if reading.card == label.card else 'wrong'}_{'sure' if reading.sure else 'unsure'}"


HEADINGS = {
    "right_sure": "right, sure",
    "right_unsure": "right, unsure",
    "wrong_sure": "wrong, sure",
    "wrong_unsure": "wrong, unsure",
    "missed": "missed",
    "false_cards": "false cards",
}


def format_accuracy_table(tallies: dict[str, AccuracyRow]) -> str:
    """Format the accuracy table as Markdown, one row for each deck."""
    lines = [
        "| deck | cards | " + " | ".join(HEADINGS.values()) + " |",
        "|---|" + "---:|" * (len(HEADINGS) + 1),
    ]
    for name, tally in tallies.items():
        cells = []
        for key in HEADINGS:
            count = getattr(tally, key)
            share = (
                f" ({100 * count / tally.card_count:.1f} %)"
                if tally.card_count and key != "false_cards"
                else ""
            )
            cells.append(f"{count}{share}")
        lines.append(f"| {name} | {tally.card_count} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
