"""How often the reader is right: the accuracy table."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field

from vision import photo
from vision.errors import PhotoError
from vision.geometry import centre, contains
from vision.labels import Label, LabelledPhoto
from vision.reader import Reader, Reading


@dataclass
class Tally:
    """Counts over labelled cards, one table row.

    Every labelled card falls into one of the first five; `false_cards` are readings where no card lies, and
    `false_sure` those of them that the program would act on.
    """

    right_sure: int = 0
    right_unsure: int = 0
    wrong_sure: int = 0
    wrong_unsure: int = 0
    missed: int = 0
    false_cards: int = 0
    false_sure: int = 0
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


def measure(reader: Reader, photos: Iterable[LabelledPhoto]) -> Tally:
    """Read every photo and compare with its labels. A photo that cannot be read counts its cards as missed."""
    tally = Tally()
    for labelled in photos:
        tally.photos += 1
        try:
            image = photo.load(labelled.path)
        except PhotoError:
            tally.unreadable += 1
            tally.missed += len(labelled.cards)
            continue
        score(tally, labelled.name, labelled.cards, reader.read(image))
    return tally


def score(tally: Tally, name: str, labels: Iterable[Label], readings: list[Reading]) -> None:
    """Add one photo's readings to the tally; a reading belongs to the label whose point it holds."""
    left = list(readings)
    for label in labels:
        point = (label.x, label.y)
        holding = [r for r in left if contains(r.quad, point)]
        if not holding:
            tally.missed += 1
            tally.mistakes.append(f"{name}: {label.card} missed")
            continue
        nearest = min(holding, key=lambda r: float(((centre(r.quad) - point) ** 2).sum()))
        left = [r for r in left if r is not nearest]
        right = nearest.card == label.card
        kind = f"{'right' if right else 'wrong'}_{'sure' if nearest.sure else 'unsure'}"
        setattr(tally, kind, getattr(tally, kind) + 1)
        if kind != "right_sure":
            tally.mistakes.append(f"{name}: {label.card} read as {nearest.card} ({kind.replace('_', ', ')})")
    tally.false_cards += len(left)
    tally.false_sure += sum(r.sure for r in left)
    tally.mistakes += [f"{name}: {r.card} where no card lies{', sure' if r.sure else ''}" for r in left]


HEADINGS = {
    "right_sure": "right, sure",
    "right_unsure": "right, unsure",
    "wrong_sure": "wrong, sure",
    "wrong_unsure": "wrong, unsure",
    "missed": "missed",
    "false_cards": "false cards",
}


def table(tallies: dict[str, Tally]) -> str:
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
