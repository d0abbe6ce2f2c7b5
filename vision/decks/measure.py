"""How often the reader is right: the accuracy table."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field

from vision import photo
from vision.decks.labels import Label, LabelledPhoto
from vision.errors import PhotoError
from vision.geometry import centre, contains
from vision.reader import Reader
from vision.reading import Reading


@dataclass
class AccuracyRow:
    """Counts over labelled cards, one table row.

    Every labelled card that lies whole in sight falls into one of the first five; `false_cards` are
    readings where no card lies, and `false_sure` those of them that the program would act on. Cards
    partly under others are counted apart (`hidden`, those of them right and sure, those wrong and
    sure), ignored ones not at all.
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
    def cards(self) -> int:
        """How many labelled cards were counted."""
        return self.right_sure + self.right_unsure + self.wrong_sure + self.wrong_unsure + self.missed

    def row(self) -> dict[str, object]:
        """The counts, with the number of cards, as plain data."""
        return {"cards": self.cards, **asdict(self)}


def measure(reader: Reader, photos: Iterable[LabelledPhoto]) -> AccuracyRow:
    """Read every photo and compare with its labels. A photo that cannot be read counts its cards as
    missed."""
    tally = AccuracyRow()
    for labelled in photos:
        tally.photos += 1
        try:
            image = photo.load(labelled.path)
        except PhotoError:
            tally.unreadable += 1
            tally.missed += sum(c.whole for c in labelled.cards)
            tally.hidden += sum(c.hidden and not c.ignore for c in labelled.cards)
            continue
        score(tally, labelled.name, labelled.cards, reader.read(image))
    return tally


def score(tally: AccuracyRow, name: str, labels: Iterable[Label], readings: list[Reading]) -> None:
    """Add one photo's readings to the tally; a reading belongs to the label whose point it
    holds."""
    left = list(readings)
    # whole cards choose first: a point of a card under another may lie within the one on top of it
    for label in sorted(labels, key=lambda c: not c.whole):
        point = (label.x, label.y)
        holding = [r for r in left if contains(r.quad, point)]
        nearest = min(holding, key=lambda r: float(((centre(r.quad) - point) ** 2).sum()), default=None)
        left = [r for r in left if r is not nearest]
        if not label.ignore:
            _count(tally, name, label, nearest)
    tally.false_cards += len(left)
    tally.false_sure += sum(r.sure for r in left)
    tally.mistakes += [f"{name}: {r.card} where no card lies{', sure' if r.sure else ''}" for r in left]


def _count(tally: AccuracyRow, name: str, label: Label, reading: Reading | None) -> None:
    """Count one labelled card; `reading`: the one that holds its point."""
    kind = _kind(label, reading)
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


def _kind(label: Label, reading: Reading | None) -> str:
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


def table(tallies: dict[str, AccuracyRow]) -> str:
    """The accuracy table as text (Markdown), one row a deck."""
    lines = [
        "| deck | cards | " + " | ".join(HEADINGS.values()) + " |",
        "|---|" + "---:|" * (len(HEADINGS) + 1),
    ]
    for name, tally in tallies.items():
        cells = []
        for key in HEADINGS:
            count = getattr(tally, key)
            share = f" ({100 * count / tally.cards:.1f} %)" if tally.cards and key != "false_cards" else ""
            cells.append(f"{count}{share}")
        lines.append(f"| {name} | {tally.cards} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
