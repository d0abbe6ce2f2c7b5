"""Record the verdict on every card of labelled photographs, so that no run loses one unnoticed.

A file has one line for each photograph: its name, then the verdicts by way of reading, one letter
for each whole card of a known design, in the order of the labels. A later run compares with it and
lists every card whose verdict has changed; one that was right and sure before and no longer is
makes the run fail. `--record` accepts the new verdicts: they then show in the commit.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from bench.harness import Figure

FOLDER = Path(__file__).parent / "verdicts"

MEANINGS = {
    "S": "right, sure",
    "u": "right, unsure",
    "W": "wrong, sure",
    "x": "wrong, unsure",
    ".": "missed",
}
"""The letters of a verdict."""

Verdicts = dict[str, dict[str, str]]
"""By photograph and way of reading: one letter for each card."""


def load_verdicts(bench: str) -> Verdicts:
    """Load the recorded verdicts of a bench; empty if there are none."""
    file = FOLDER / f"{bench}.txt"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return {
        name: dict(way.split("=") for way in ways) for name, *ways in (line.split() for line in lines if line)
    }


def save_verdicts(bench: str, verdicts: Verdicts) -> None:
    """Record these verdicts beside those of photographs, and ways of reading, that were not read
    now."""
    recorded = load_verdicts(bench)
    for name, ways in verdicts.items():
        recorded[name] = {**recorded.get(name, {}), **ways}
    lines = [
        " ".join([name, *(f"{way}={letters}" for way, letters in sorted(ways.items(), reverse=True))])
        for name, ways in sorted(recorded.items())
    ]
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{bench}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def compare_verdicts(
    recorded: Verdicts, verdicts: Verdicts, cards: Mapping[str, list[str]]
) -> Iterator[Figure]:
    """Yield a row for each card whose verdict is another than the recorded one; one that was right
    and sure, and one that is wrong and sure, exceeds its limit.

    `cards`: by photograph the name of each card.
    """
    for name, ways in verdicts.items():
        for way, letters in ways.items():
            before = recorded.get(name, {}).get(way, "")
            # other labels than at that time: nothing to compare
            if len(before) != len(letters):
                continue
            for card, old, new in zip(cards[name], before, letters, strict=True):
                if old != new:
                    yield Figure(
                        f"{name}: {card}",
                        MEANINGS[new],
                        MEANINGS[old],
                        f"as {way}",
                        old != "S" and new != "W",
                    )
