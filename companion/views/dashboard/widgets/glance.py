"""The players at a glance: name, points and what they have decided, in the largest letters that fit
beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textual.content import Content

from companion.views.bigtext import big
from companion.views.dashboard.widgets.band import centred, sizes
from companion.views.marks import mark
from companion.views.panel import Seat
from companion.views.themes import STYLES

_NARROW = 16
"""Columns below which a player's points in block letters do not fit."""


class _Sizes(NamedTuple):
    """Rows of the letters that fit for everybody, names and points; 1: plain."""

    name: int
    points: int


def across(seats: Sequence[Seat], width: int, height: int) -> list[Content]:
    """Draw the players beside each other in as many rows as needed, all in letters of one size."""
    if not seats:
        return []
    most = max(width // _NARROW, 1)
    rows = -(-len(seats) // most)
    each = -(-len(seats) // rows)
    room, tall = width // each, max(height // rows, 1)
    name = _common([seat.name for seat in seats], room - 2, (tall - 1) // 3)
    points = _common([seat.points for seat in seats], room - 2, tall - 2 - name)
    drawn: list[Content] = []
    for first in range(0, len(seats), each):
        some = seats[first : first + each]
        cells = [
            _cell(seat, number, room, tall, _Sizes(name, points))
            for number, seat in enumerate(some, first + 1)
        ]
        drawn += [Content("").join(line) for line in zip(*cells, strict=True)]
    return drawn


def _common(words: Sequence[str], width: int, height: int) -> int:
    """Return the largest size in which every word fits, 1 where none does."""
    fit = (size for size in sizes(height) if all(0 < len(big(word, size)[0]) <= width for word in words))
    return next(fit, 1)


def _cell(seat: Seat, number: int, width: int, height: int, letters: _Sizes) -> list[Content]:
    """Draw one player in exactly `height` rows of `width` columns."""
    shape, style = mark(number)
    signs = Content("  ").join(
        Content.styled(badge.sign, f"bold {STYLES[badge.tone]}") for badge in seat.badges if badge.sign
    )
    arrow = "▶ " if seat.awaited else ""
    lines = [
        Content.styled(f"{arrow}{shape}" + ("" if letters.name > 1 else f" {seat.name}"), f"bold {style}")
    ]
    if letters.name > 1:
        lines += [Content.styled(line, f"bold {style}") for line in big(seat.name, letters.name)]
    points = big(seat.points, letters.points) if letters.points > 1 else (seat.points,)
    lines += [Content.styled(line, "bold $primary") for line in points]
    lines = [*lines, signs][:height]
    lines += [Content("")] * (height - len(lines))
    cut = [centred(line.truncate(width - 1, ellipsis=True), width - 1) for line in lines]
    full = [line.pad_right(max(width - line.cell_length, 0)) for line in cut]
    return [line.stylize("on $panel") for line in full] if seat.awaited else full
