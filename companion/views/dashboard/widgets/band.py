"""A band of colour over the whole width, with a call in the largest letters that fit."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from companion.views.bigtext import SIZES, big
from companion.views.dashboard.widgets.banner import Notice
from companion.views.dashboard.widgets.part import wrapped

BANDS = {
    "": "$background on $primary",
    "question": "$background on $warning",
    "over": "$background on $success",
    "bad": "$background on $error",
    "good": "$background on $success",
}
"""Kinds of notice to the colours of their band."""


def band(notice: Notice, width: int, height: int, style: str) -> list[Content]:
    """Draw the call in letters as large as they fit, and the whole sentence."""
    sentence = wrapped(notice.sentence, width - 2)
    return on_ground([*map(Content, called(notice, width, height)), *sentence], width, height, style)


def called(notice: Notice, width: int, height: int) -> Sequence[str]:
    """Write the call in letters as large as they fit into a band of this size, beside the sentence
    where there is room for both; nothing where no block letters do."""
    rows = height - 1 if height >= 4 else height
    return written(notice.calls, width - 2, rows, sizes(rows))


def written(calls: Sequence[str], width: int, height: int, letters: Sequence[int]) -> Sequence[str]:
    """Write the first of these calls that fits in the largest of these sizes of letters; nothing
    where none does. What is shortened stands in the smallest: a name is worth more than its
    size."""
    for size in letters:
        for call in calls if size == letters[-1] else calls[:2]:
            lines = [line for part in call.split("\n") for line in big(part, size)]
            if lines[0] and len(lines) <= height and all(len(line) <= width for line in lines):
                return lines
    return ()


def on_ground(lines: Sequence[Content], width: int, height: int, style: str) -> list[Content]:
    """Put lines into the middle of `height` rows of one colour, each in the middle of its row."""
    shown = lines[:height]
    above = (height - len(shown)) // 2
    rows = [Content("")] * above + [centred(line, width) for line in shown]
    rows += [Content("")] * (height - len(rows))
    return [row.pad_right(max(width - row.cell_length, 0)).stylize(f"bold {style}") for row in rows]


def centred(line: Content, width: int) -> Content:
    """Put a line into the middle of `width` columns."""
    return line.pad_left(max((width - line.cell_length) // 2, 0))


def sizes(rows: int) -> tuple[int, ...]:
    """Return the sizes of letters that fit so many rows, largest first; accents need rows too."""
    return tuple(size for size in sorted(SIZES, reverse=True) if size <= rows)
