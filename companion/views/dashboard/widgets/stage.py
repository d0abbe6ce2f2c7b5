"""The upper third: what happens now and who must act, in the largest letters that fit; the result, when there is one, takes it all."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from companion.texts import clean
from companion.views.bigtext import fitting
from companion.views.dashboard.widgets.banner import Notice, notice_of
from companion.views.dashboard.widgets.part import Part, Shown, wrapped
from companion.views.marks import mark
from companion.views.panel import Gauge, Result
from companion.views.themes import STYLES

_BANDS = {
    "": "$background on $primary",
    "question": "$background on $warning",
    "over": "$background on $success",
    "bad": "$background on $error",
    "good": "$background on $success",
}
"""Kinds of notice to the colours of their band."""


class Stage(Part):
    """The donkey (or what else the round is about) with its gauge, and below it the call; or the result, until the next act."""

    def lines(self, shown: Shown, width: int, height: int) -> list[Content]:
        """Draw what is most urgent."""
        notice = notice_of(shown)
        result = shown.face.result
        if notice.kind == "over":
            return _podium(shown, notice, width, height)
        if result is not None and not notice.kind:
            return _moment(shown, result, notice, width, height)
        return _table(shown, notice, width, height)


def _table(shown: Shown, notice: Notice, width: int, height: int) -> list[Content]:
    """Draw what the round is about, and the call in a band."""
    call_rows = max(height * 2 // 5, 4 if height >= 9 else 1)
    top = _topic(shown, width, height - call_rows)
    return [*top, *_band(notice, width, height - len(top), _BANDS[notice.kind])]


def _topic(shown: Shown, width: int, height: int) -> list[Content]:
    """Draw the word with its figures at the right, its meaning, and the gauge."""
    face = shown.face
    if height < 1:
        return []
    gauge = face.gauge
    figures = "" if gauge is None else _figures(gauge)
    room = height - (2 if gauge is not None else 1)
    sizes = _sizes(room)
    right = fitting(figures, width // 2, sizes) if figures and sizes else ()
    beside = len(right[0]) + 3 if len(right) > 1 else 0
    word = fitting(face.headline, width - beside, sizes) if sizes else (face.headline,)
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


def _bar(gauge: Gauge, width: int) -> Content:
    """Draw how full it is over the whole width, with the limit marked once it is passed."""
    limit, now = gauge.limit or 1, _so_far(gauge) or 0
    words = f" {gauge.label} {_figures(gauge)} "
    room = max(width - len(words) - 2, 4)
    whole = max(limit, now)
    filled = min(room * now // whole, room)
    at = room * limit // whole
    over = max(filled - at, 0)
    return Content.assemble(
        "▕",
        ("█" * (filled - over), "$success" if not over else "$warning"),
        ("▓" * over, "$error"),
        ("░" * (room - filled), "$foreground-muted"),
        "▏",
        (words, "bold"),
    )


def _band(notice: Notice, width: int, height: int, style: str) -> list[Content]:
    """Draw the call in letters as large as they fit, and the whole sentence, on a band of colour."""
    sentence = wrapped(notice.sentence, width - 2)
    letters = fitting(notice.call, width - 2, _sizes(height - 1)) if notice.call and height >= 4 else ()
    drawn = [Content(line) for line in letters] if len(letters) > 1 else []
    drawn = [*drawn, *sentence][:height]
    above = max(height - len(drawn), 0) // 2
    rows = [Content("")] * above + [_centred(line, width) for line in drawn]
    rows += [Content("")] * (height - len(rows))
    return [row.pad_right(max(width - row.cell_length, 0)).stylize(f"bold {style}") for row in rows]


def _podium(shown: Shown, notice: Notice, width: int, height: int) -> list[Content]:
    """Celebrate who has won, and list everybody by rank."""
    players = shown.snapshot.setup.players
    rows = []
    for row in shown.snapshot.view["result"]["ranking"]:
        shape, style = mark(players.index(row["player"]) + 1)
        star = "★ " if row["rank"] == 1 else "  "
        name = clean(row["player"], 20).ljust(min(max(map(len, players)), 20))
        rows.append(
            Content.assemble(
                (f"{star}{row['rank']}. ", "bold"),
                (f"{shape} {name}", f"bold {style}"),
                f"{row['points']:>6}",
            )
        )
    rows = rows[: max(height - 4, 1)]
    band = _band(notice, width, height - len(rows), _BANDS["over"])
    return [*band, *(_centred(row, width) for row in rows)]


def _moment(shown: Shown, result: Result, notice: Notice, width: int, height: int) -> list[Content]:
    """Draw the verdict over the whole width, its figures, and what each player won by it; below it what comes next."""
    won = _won(shown, result, width)
    left = max(height - 1 - len(won), 1)
    sizes = _sizes(left * 3 // 5 if left >= 8 else left - 1)
    verdict = fitting(result.verdict, width - 2, sizes) if sizes else (result.verdict,)
    figures = fitting(result.figures, width - 2, _sizes(left - len(verdict)))
    style = f"bold {_BANDS[result.tone]}" if result.tone in _BANDS else "bold reverse"
    spare = left - len(verdict) - len(figures)
    between = [""] if spare > 0 and len(verdict) > 1 else []
    band = [_centred(Content(line), width) for line in (*verdict, *between, *figures)][:left]
    band = [Content("")] * ((left - len(band)) // 2) + band
    band += [Content("")] * (left - len(band))
    rows = [row.pad_right(max(width - row.cell_length, 0)).stylize(style) for row in band]
    after = _centred(Content.styled(notice.sentence, "bold"), width)
    return [*rows, *won, after][:height]


def _won(shown: Shown, result: Result, width: int) -> list[Content]:
    """Say of each player what they chose and won, two beside each other where there is room."""
    rounds = shown.snapshot.rounds
    gains = rounds[-1].won if rounds else {}
    cells = []
    for seat, (player, how) in enumerate(zip(shown.snapshot.setup.players, result.won, strict=True), 1):
        gain = gains.get(player, "0")
        shape, style = mark(seat)
        points = f"+{gain}" if gain not in ("0", "") else "–"
        name = clean(player, 14)
        cells.append(Content.assemble((f"{shape} {name} ", f"bold {style}"), (points, "bold"), f"  {how[1]}"))
    wide = max(cell.cell_length for cell in cells) + 4
    across = max(min(width // wide, len(cells)), 1)
    lines = [cells[at : at + across] for at in range(0, len(cells), across)]
    return [
        _centred(Content("").join(cell.pad_right(wide - cell.cell_length) for cell in row), width)
        for row in lines
    ][:3]


def _centred(line: Content, width: int) -> Content:
    return line.pad_left(max((width - line.cell_length) // 2, 0))


def _sizes(rows: int) -> tuple[int, ...]:
    """Return the sizes of letters that fit into so many rows; an accent needs its rows too."""
    return tuple(size for size in (14, 9, 5, 3) if size <= rows)
