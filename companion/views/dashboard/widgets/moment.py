"""The moment drawn: the verdict over the whole width, its figures, what it brought to whom."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from companion.texts import Translator, clean
from companion.views.bigtext import fitting
from companion.views.dashboard.widgets.band import BANDS, centred, on_ground, sizes, written
from companion.views.dashboard.widgets.banner import Notice
from companion.views.dashboard.widgets.part import cut, wrapped
from companion.views.marks import mark
from companion.views.moments import Gain, Moment, Take

_LARGE = 3
"""As many who won something are named in block letters; more would leave none of them large."""


def moment(happened: Moment, notice: Notice, width: int, height: int, say: Translator) -> list[Content]:
    """Draw the moment; below it what comes next. What hands must do now comes before all else."""
    after = centred(Content.styled(notice.sentence, "bold"), width)
    takes = _takes(happened.takes, width, height - 5 if height >= 9 else height - 4, say)
    small = _small(happened.gains, width)[: max(height - 5 - len(takes), 0)] if height >= 6 else []
    left = max(height - 1 - len(small) - len(takes), 1)
    names = [] if takes else _winners(happened, width, left * 2 // 5)
    left -= len(names)
    verdict = _verdict(happened, width, left * 3 // 5 if left >= 8 else max(left - 1, min(left, 3)))
    room = left - len(verdict)
    figures = [Content(line) for line in fitting(happened.figures, width - 2, sizes(room))]
    if len(figures) == 1:
        figures = wrapped(happened.figures, width - 2)[: max(room, 0)]
    between = [Content("")] if room > len(figures) and len(verdict) > 1 else []
    lines = [*(Content(line) for line in verdict), *between, *figures]
    style = BANDS.get(happened.tone, BANDS[""])
    return [*on_ground(lines, width, left, style), *takes, *names, *small, after][:height]


def verdict_rows(happened: Moment, width: int, height: int) -> int:
    """Return in how many rows the verdict is written where there is as much room."""
    return len(_verdict(happened, width, height))


def _verdict(happened: Moment, width: int, rows: int) -> Sequence[str]:
    calls = (happened.verdict, *happened.shorter)
    return written(calls, width - 2, rows, sizes(rows)) or (happened.verdict,)


def _takes(takes: Sequence[Take], width: int, height: int, say: Translator) -> list[Content]:
    """Say who takes which real cards, everybody in letters of one size, as large as there is room
    for; where there is none, in plain lines, and how many more there are."""
    for size in sizes(height):
        drawn = [_take(take, width - 2, size) for take in takes]
        if takes and all(drawn) and sum(map(len, drawn)) <= height:
            rows = [(line, take) for take, lines in zip(takes, drawn, strict=True) for line in lines]
            return [
                centred(Content.styled(line, f"bold {mark(one.seat).style}"), width) for line, one in rows
            ]
    lines = [
        [Content.styled(f"{mark(one.seat).shape} {one.calls[0]}", f"bold {mark(one.seat).style}")]
        for one in takes
    ]
    return [centred(line.truncate(width, ellipsis=True), width) for line in cut(lines, max(height, 1), say)]


def _take(take: Take, width: int, size: int) -> Sequence[str]:
    """Write one in letters of this size, in a line or in two; nothing where it does not fit."""
    whole, *shorter = take.calls
    return written((whole, whole.replace(" ", "\n", 1), *shorter), width, 2 * size, (size,))


def _winners(happened: Moment, width: int, height: int) -> list[Content]:
    """Name those whose points it changed in block letters in their colours, beside each other;
    nothing where there is no room."""
    winners = sorted(happened.winners, key=lambda gain: -len(gain.signed))[:_LARGE]
    if not winners or height < 3 or len(happened.winners) > _LARGE:
        return []
    room = width // len(winners) - 3
    drawn = [fitting(f"{gain.name} {gain.signed}", room, sizes(height)) for gain in winners]
    if any(len(lines) == 1 for lines in drawn):
        return []
    rows = max(map(len, drawn))
    lines = []
    for row in range(rows):
        cells = []
        for gain, letters in zip(winners, drawn, strict=True):
            at = row - rows + len(letters)
            words = letters[at] if at >= 0 else " " * len(letters[0])
            cells.append(Content.styled(words, f"bold {mark(gain.seat).style}"))
        lines.append(centred(Content("   ").join(cells), width))
    return lines


def _small(gains: tuple[Gain, ...], width: int) -> list[Content]:
    """Say of each player what they chose and won, as many in a row as there is room for."""
    if not gains:
        return []
    cells = []
    for gain in sorted(gains, key=lambda one: one.signed == "–"):
        shape, style = mark(gain.seat)
        cells.append(
            Content.assemble(
                (f"{shape} {clean(gain.name, 14)} ", f"bold {style}"), (gain.signed, "bold"), f"  {gain.how}"
            )
        )
    wide = max(cell.cell_length for cell in cells) + 4
    across = max(min(width // wide, len(cells)), 1)
    lines = [cells[at : at + across] for at in range(0, len(cells), across)]
    return [
        centred(Content("").join(cell.pad_right(wide - cell.cell_length) for cell in row), width)
        for row in lines
    ][:3]
