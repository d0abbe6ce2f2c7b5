"""The camera's reading in one table: what is aimed at, what was measured, and the command that
measures it anew.

    python -m bench.vision_summary

It measures nothing itself: each figure is added up from the part of `docs/figures.md` that the
command beside it writes (`python -m bench.figures vision_tables` and so on). A part that is not
there has no row.
"""

import argparse
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from bench import figures

Part = list[figures.Table]


@dataclass(frozen=True)
class Aim:
    """A row: what is measured and aimed at, the part of the page that tells it, and how."""

    what: str
    aim: str
    part: str
    figure: Callable[[Part], str]


def column(part: Part, head: str, row: str = "", table: int = 0) -> Iterator[float]:
    """The first number of each cell under `head`, of rows whose name begins with `row`."""
    of = part[table]
    place = list(of.head).index(head)
    for cells in of.rows:
        number = re.match(r"[\d.]+", cells[place])
        if cells[0].startswith(row) and number:
            yield float(number[0])


def share(good: str, head: str = "cards", row: str = "", table: int = 0) -> Callable[[Part], str]:
    """How many of all, with the part in per cent."""

    def told(part: Part) -> str:
        right, of = (sum(column(part, one, row, table)) for one in (good, head))
        return f"{right:.0f} of {of:.0f} ({100 * right / max(of, 1):.1f} %)"

    return told


def named(part: Part, row: str = "") -> str:
    """How many cards of designs that nobody enrolled were named, as `n of m` a table or a row."""
    place = list(part[0].head).index("not enrolled: named")
    told = [cells[place] for cells in part[0].rows if cells[0].startswith(row)]
    counts = [[int(n) for n in one.split(" of ")] for one in told]
    return " of ".join(str(sum(column)) for column in zip(*counts, strict=True))


def asked(part: Part) -> str:
    """What had to be asked or entered for the camera, of the cards that it read."""
    by_hand = sum(sum(column(part, head)) for head in ("questions", "entered for the camera"))
    return f"{by_hand:.0f} of {sum(column(part, 'cards read')):.0f}"


AIMS = [
    Aim("other people's tables: right and sure", "95 %", "vision_tables", share("right, sure")),
    Aim("of them playing cards", "98 %", "vision_tables", share("right, sure", row="epfl52")),
    Aim("wrong and sure", "1 in 1,000", "vision_tables", share("wrong, sure")),
    Aim("not enrolled and named", "1 in 200", "vision_tables", named),
    Aim("the same photographs turned, in other light, by other cameras: right and sure", "95 %", "vision_changed",
        share("right, sure", row="all")),
    Aim("wrong and sure there", "1 in 1,000", "vision_changed", share("wrong, sure", row="all")),
    Aim("one edition enrolled, others read: right and sure", "95 %", "vision_editions",
        share("right, sure", row="all")),
    Aim("wrong and sure there", "1 in 1,000", "vision_editions", share("wrong, sure", row="all")),
    Aim("not enrolled and named there", "1 in 200", "vision_editions", partial(named, row="all")),
    Aim("thirty packs of cards drawn by strangers, a webcam's picture: right and sure", "98 %", "vision_drawn",
        share("right, sure", row="a webcam")),
    Aim("wrong and sure there, lamps and hard shadows too", "1 in 1,000", "vision_drawn", share("wrong, sure")),
    Aim("not enrolled and named there", "1 in 200", "vision_drawn", named),
    Aim("seconds for a photo of 27 cards", "2", "vision_speed",
        lambda part: f"{max(column(part, 'median, ms', 'photograph: set81, DSC_4870')) / 1000:.1f}"),
    Aim("milliseconds for a sure card", "20", "vision_speed",
        lambda part: f"{max(column(part, 'median, ms', 'a sure card')):.0f}"),
    Aim("milliseconds for an unsure card, 95 of 100 within", "100", "vision_speed",
        lambda part: f"{max(column(part, '95 of 100 within, ms', 'an unsure card')):.0f}"),
    Aim("OpenCV 5: right and sure", "as OpenCV 4", "vision_tables_opencv5", share("right, sure")),
    Aim("OpenCV 5: not enrolled and named", "1 in 200", "vision_tables_opencv5", named),
    Aim("limits chosen without the table: right and sure", "95 %", "vision_limits",
        share("right, sure", row="all, each as left out")),
    Aim("half-hidden cards, right and sure", "50 %", "vision_laid_over", share("right, sure", "half hidden")),
    Aim("half-hidden cards, wrong and sure", "0", "vision_laid_over", share("wrong, sure", "half hidden")),
    Aim("cards cut off by the picture's edge, right and sure", "as half-hidden ones", "vision_cut_off",
        share("right, sure", "cut off")),
    Aim("cards cut off, wrong and sure", "0", "vision_cut_off", share("wrong, sure", "cut off")),
    Aim("first look at a 1080p table, ms, the worst", "60", "vision_outlines",
        lambda part: f"{max(column(part, 'ms', table=1)):.0f}"),
    Aim("films from a hand: rests named", "as in still ones", "vision_films", share("named", "rests")),
    Aim("the same films turned, in other light, by other cameras: rests named", "as in still ones", "vision_films",
        share("named", "rests", table=1)),
    Aim("frames there with a wrong and sure card", "0", "vision_films",
        lambda part: f"{sum(column(part, 'wrong and sure', table=1)):.0f}"),
    Aim("evenings by film: asked or entered", "1 in 50", "film_evening", asked),
]  # fmt: skip
"""What the reading is for, in the order in which it matters."""


def main() -> None:
    """Print the table."""
    page = figures.PAGE.read_text(encoding="utf-8")
    parts = {part.splitlines()[0]: part for part in re.split(r"^## ", page, flags=re.MULTILINE)[1:]}
    print("| what | measured | aim | command |\n|---|---:|---|---|")
    for one in (aim for aim in AIMS if aim.part in parts):
        text = re.sub(r'<a id="[^"]*"></a>', "", parts[one.part])
        command = re.search(r"^`(.+?)`;", text, re.MULTILINE)
        told = one.figure(figures.tables_in(text))
        print(f"| {one.what} | {told} | {one.aim} | `{command[1] if command else ''}` |")


if __name__ == "__main__":
    argparse.ArgumentParser(description="The camera's reading in one table.").parse_args()
    main()
