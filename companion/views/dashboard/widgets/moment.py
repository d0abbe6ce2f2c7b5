"""The moment drawn: the verdict over the whole width, its figures, what it brought to whom."""

from __future__ import annotations

from textual.content import Content

from companion.views.bigtext import fitting
from companion.views.dashboard.widgets.band import BANDS, centred, on_ground, sizes
from companion.views.dashboard.widgets.banner import Notice
from companion.views.dashboard.widgets.part import wrapped
from companion.views.marks import mark
from companion.views.moments import Gain, Moment

_LARGE = 3
"""As many who won something are named in block letters; more would leave none of them large."""


def moment(happened: Moment, notice: Notice, width: int, height: int) -> list[Content]:
    """Draw the moment; below it what comes next."""
    after = centred(Content.styled(notice.sentence, "bold"), width)
    small = _small(happened.gains, width) if height >= 6 else []
    left = max(height - 1 - len(small), 1)
    names = _winners(happened, width, left * 2 // 5)
    left -= len(names)
    verdict = fitting(happened.verdict, width - 2, sizes(left * 3 // 5 if left >= 8 else left - 1))
    room = left - len(verdict)
    figures = [Content(line) for line in fitting(happened.figures, width - 2, sizes(room))]
    if len(figures) == 1:
        figures = wrapped(happened.figures, width - 2)[: max(room, 0)]
    between = [Content("")] if room > len(figures) and len(verdict) > 1 else []
    lines = [*(Content(line) for line in verdict), *between, *figures]
    style = BANDS.get(happened.tone, BANDS[""])
    return [*on_ground(lines, width, left, style), *names, *small, after][:height]


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
    for gain in gains:
        shape, style = mark(gain.seat)
        name = gain.name if len(gain.name) <= 14 else f"{gain.name[:13]}…"
        cells.append(
            Content.assemble((f"{shape} {name} ", f"bold {style}"), (gain.signed, "bold"), f"  {gain.how}")
        )
    wide = max(cell.cell_length for cell in cells) + 4
    across = max(min(width // wide, len(cells)), 1)
    lines = [cells[at : at + across] for at in range(0, len(cells), across)]
    return [
        centred(Content("").join(cell.pad_right(wide - cell.cell_length) for cell in row), width)
        for row in lines
    ][:3]
