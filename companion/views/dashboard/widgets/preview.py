"""The camera's picture in half blocks, two pixels a cell, with the recognised cards' outlines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from companion import libraries
from companion.rules.claims import CardId

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Picture: TypeAlias = "npt.NDArray[np.uint8]"
PreviewOf: TypeAlias = "Callable[[], Picture | None]"
"""Gives the newest annotated picture, BGR, any size; None while there is none."""

LabelsOf: TypeAlias = Callable[[], Sequence[tuple[float, float, str]]]
"""Gives words to write over the picture: where their middle is, in parts of its width and height,
and the words."""

_STEP = 24
"""Colours are rounded to this step: noise repaints not every cell, and styles are shared."""
_LABEL = Style.parse("bold black on rgb(143,214,148)")
_NOISE = 0.01
"""Part of the pixels that may change without a repaint: noise at the edge of two colours."""
_CALM = 5
"""Looks that are left out after one that showed nothing new."""


class Preview(Widget):
    """Draws the newest picture when `look` is called, with the names of the cards over it; keeps
    its proportions."""

    def __init__(
        self,
        picture_of: PreviewOf,
        labels_of: LabelsOf = tuple,
        *,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(id=id)
        self._picture_of = picture_of
        self._labels_of = labels_of
        self._labels: list[tuple[int, int, str]] = []
        self._cells: Picture | None = None
        self._styles: dict[tuple[int, ...], Style] = {}
        self._rest = 0

    def look(self) -> None:
        """Take the newest picture, and repaint if more of it has changed than noise does; a still
        picture is looked at less often."""
        self._rest -= 1
        if self._rest > 0 or not self.display or not self.size.width:
            return
        picture = self._picture_of()
        if picture is None:
            return
        cells = shrunk(picture, self.size.width, self.size.height)
        labels = [placed(label, cells.shape[1], cells.shape[0] // 2) for label in self._labels_of()]
        if (
            labels != self._labels
            or self._cells is None
            or cells.shape != self._cells.shape
            or libraries.np.mean(libraries.np.any(cells != self._cells, axis=2)) > _NOISE
        ):
            self._cells, self._labels = cells, labels
            self.refresh()
        else:
            self._rest = _CALM

    def render_line(self, y: int) -> Strip:
        """Draw one row of cells: upper pixel as foreground, lower as background."""
        if self._cells is None or 2 * y + 1 >= len(self._cells):
            return Strip.blank(self.size.width, self.rich_style)
        upper, lower = self._cells[2 * y], self._cells[2 * y + 1]
        pairs: Sequence[Sequence[int]] = [
            [*one, *other] for one, other in zip(upper.tolist(), lower.tolist(), strict=True)
        ]
        segments: list[Segment] = []
        run, count = tuple(pairs[0]), 0
        for pair in [*map(tuple, pairs), ()]:
            if pair == run:
                count += 1
                continue
            segments.append(Segment("▀" * count, self._style(run)))
            run, count = pair, 1
        strip = Strip(segments)
        for column, row, words in self._labels:
            if row == y:
                label = Strip([Segment(words, _LABEL)])
                after = column + label.cell_length
                strip = Strip.join(
                    [strip.crop(0, column), label, strip.crop(after, max(strip.cell_length, after))]
                )
        return strip.adjust_cell_length(self.size.width, self.rich_style)

    def _style(self, pair: tuple[int, ...]) -> Style:
        if pair not in self._styles:
            (b, g, r), (bb, bg, br) = pair[:3], pair[3:]
            self._styles[pair] = Style.parse(f"rgb({r},{g},{b}) on rgb({br},{bg},{bb})")
        return self._styles[pair]


def shrunk(picture: Picture, columns: int, rows: int) -> Picture:
    """Scale `picture` into `columns` by `2 * rows` pixels, keeping its proportions, with rounded
    colours; even number of lines."""
    height, width = picture.shape[:2]
    scale = min(columns / width, 2 * rows / height)
    size = (max(round(width * scale), 1), max(round(height * scale / 2) * 2, 2))
    small = libraries.cv2.resize(picture, size, interpolation=libraries.cv2.INTER_AREA)
    rounded = (small.astype(libraries.np.uint16) + _STEP // 2) // _STEP * _STEP
    return libraries.np.minimum(rounded, 255).astype(libraries.np.uint8)


def placed(label: tuple[float, float, str], columns: int, rows: int) -> tuple[int, int, str]:
    """Return column, row and words of a label: the last two parts of a card's name, inside the
    picture."""
    x, y, name = label
    words = " ".join(CardId.of(name).words)[:columns]
    return (
        min(max(round(x * columns - len(words) / 2), 0), columns - len(words)),
        min(int(y * rows), rows - 1),
        words,
    )
