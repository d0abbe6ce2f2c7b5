"""The upper third: what happens now and who must act, in the largest letters that fit; the result, when there is one, takes it all."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from companion.views.bigtext import fitting
from companion.views.dashboard.widgets.band import BANDS, band, sizes
from companion.views.dashboard.widgets.banner import Notice, notice_of
from companion.views.dashboard.widgets.moment import moment, podium
from companion.views.dashboard.widgets.part import Part, Shown, wrapped
from companion.views.marks import mark
from companion.views.panel import Gauge
from companion.views.themes import STYLES


class Stage(Part):
    """The donkey (or what else the round is about) with its gauge, and below it the call; or the result, until the next act."""

    def lines(self, shown: Shown, width: int, height: int) -> list[Content]:
        """Draw what is most urgent."""
        notice = notice_of(shown)
        if notice.kind == "over":
            return podium(shown, notice, width, height)
        if shown.moment is not None and not notice.kind:
            return moment(shown.moment, notice, width, height)
        return _table(shown, notice, width, height)


def _table(shown: Shown, notice: Notice, width: int, height: int) -> list[Content]:
    """Draw what the round is about, and the call in a band."""
    call_rows = max(height * 2 // 5, 4 if height >= 9 else 1)
    top = _topic(shown, width, height - call_rows)
    return [*top, *band(notice, width, height - len(top), BANDS[notice.kind])]


def _topic(shown: Shown, width: int, height: int) -> list[Content]:
    """Draw the word with its figures at the right, its meaning, and the gauge."""
    face = shown.face
    if height < 1:
        return []
    gauge = face.gauge
    figures = "" if gauge is None else _figures(gauge)
    room = height - (2 if gauge is not None else 1)
    letters = sizes(room)
    right = fitting(figures, width // 2, letters) if figures and letters else ()
    beside = len(right[0]) + 3 if len(right) > 1 else 0
    word = fitting(face.headline, width - beside, letters) if letters else (face.headline,)
    tone = "bold $primary"
    drawn = _side_by_side(word, tone, right if len(right) > 1 else (), _tone(gauge), width)
    facts = "   ".join(f"{fact.sign} {fact.word}" for fact in face.facts)
    bar = [] if gauge is None else [_bar(gauge, width)]
    spare = height - len(drawn) - len(bar)
    meaning = wrapped(f"{face.meaning}   {facts}".strip(), width, "bold")
    if len(meaning) > spare:
        meaning = wrapped(face.meaning, width, "bold")  # what it means comes before what else there is
    return [*drawn, *meaning[: max(spare, 0)], *bar][:height]


def _side_by_side(
    left: Sequence[str], style: str, right: Sequence[str], other: str, width: int
) -> list[Content]:
    rows = max(len(left), len(right))
    drawn = []
    for number in range(rows):
        one = left[number - rows + len(left)] if number >= rows - len(left) else ""
        two = right[number - rows + len(right)] if number >= rows - len(right) else ""
        gap = " " * max(width - len(one) - len(two), 0)
        drawn.append(Content.assemble((one, style), gap, (two, other)))
    return drawn


def _figures(gauge: Gauge) -> str:
    limit = "–" if gauge.limit is None else str(gauge.limit)
    return f"{_so_far(gauge)}/{limit}" if _so_far(gauge) is not None else limit


def _so_far(gauge: Gauge) -> int | None:
    return gauge.value if gauge.value is not None else (sum(gauge.parts) if gauge.parts else None)


def _tone(gauge: Gauge | None) -> str:
    if gauge is None or not gauge.limit or (_so_far(gauge) or 0) <= gauge.limit:
        return f"bold {STYLES[gauge.tone if gauge is not None else 'plain']}"
    return "bold $error"


def _by_player(gauge: Gauge, room: int, whole: int) -> Content:
    """Draw each card that is up as a piece in its player's colour, with their mark and its value where there is room."""
    pieces, sum_of = [], 0
    for part, owner in zip(gauge.parts, gauge.owners, strict=True):
        begin, sum_of = room * sum_of // whole, sum_of + part
        wide = room * sum_of // whole - begin
        shape, style = mark(owner)
        words = f"{shape}{part}" if wide >= len(str(part)) + 3 else ""
        pieces.append(Content.styled(words.center(wide), f"bold $background on {style}"))
    return Content("").join(pieces)


def _bar(gauge: Gauge, width: int) -> Content:
    """Draw how full it is over the whole width, with the limit marked once it is passed."""
    limit, now = gauge.limit or 1, _so_far(gauge) or 0
    words = f" {gauge.label} {_figures(gauge)} "
    room = max(width - len(words) - 2, 4)
    whole = max(limit, now)
    filled = min(room * now // whole, room)
    at = room * limit // whole
    over = max(filled - at, 0)
    if not over and sum(gauge.parts) == now and len(gauge.owners) == len(gauge.parts):
        full = _by_player(gauge, room, whole)
    else:
        full = Content.assemble(
            ("█" * (filled - over), "$success" if not over else "$warning"), ("▓" * over, "$error")
        )
    return Content.assemble(
        "▕",
        full,
        ("░" * (room - filled), "$foreground-muted"),
        "▏",
        (words, "bold"),
    )
