"""The upper third: what happens now and who must act, in the largest letters that fit; the result,
when there is one, takes it all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING, TypeAlias

from textual.content import Content

from companion.decks.portraits import portrait
from companion.views.bigtext import fitting
from companion.views.dashboard.widgets.band import BANDS, band, called, sizes
from companion.views.dashboard.widgets.banner import Notice, notice_of
from companion.views.dashboard.widgets.moment import moment, verdict_rows
from companion.views.dashboard.widgets.part import Part, ScreenState, wrapped
from companion.views.dashboard.widgets.podium import call_rows, podium
from companion.views.marks import mark
from companion.views.panel import Gauge
from companion.views.themes import STYLES


class Stage(Part):
    """The donkey (or what else the round is about) with its gauge, and below it the call; or the
    result, until the next act."""

    def lines(self, shown: ScreenState, width: int, height: int) -> list[Content]:
        """Draw what is most urgent."""
        notice = notice_of(shown)
        happened = shown.moment if notice.kind in ("", "over") else None
        if happened is not None:
            return _pictured(
                shown,
                (width, height),
                lambda room: moment(happened, notice, room, height, shown.say),
                lambda room: verdict_rows(happened, room, height // 2),
            ) or moment(happened, notice, width, height, shown.say)
        if notice.kind == "over":
            return _pictured(
                shown,
                (width, height),
                lambda room: podium(shown, notice, room, height),
                lambda room: call_rows(notice, room),
            ) or podium(shown, notice, width, height)
        return _table(shown, notice, width, height)


_PICTURE = (72, 8)
"""Columns left for words, and rows, with which a picture stands beside them; less would cost
letters that are read from the sofa."""


def _table(shown: ScreenState, notice: Notice, width: int, height: int) -> list[Content]:
    """Draw what the round is about and the call in a band; the picture beside both, or else above
    the call, or else none."""
    call = max(height * 2 // 5, min(4, height - 2))
    rows = height - call

    def topic(room: int) -> list[Content]:
        return _topic(shown, room, rows)

    def words(room: int) -> list[Content]:
        top = topic(room)
        return [*top, *band(notice, room, height - len(top), BANDS[notice.kind])]

    above = _pictured(shown, (width, rows), topic, lambda room: _head_rows(shown, room, rows))
    return (
        _pictured(shown, (width, height), words, lambda room: len(called(notice, room, call)))
        or (above and [*above, *band(notice, width, call, BANDS[notice.kind])])
        or words(width)
    )


def _pictured(
    shown: ScreenState,
    size: tuple[int, int],
    draw: Callable[[int], list[Content]],
    letters: Callable[[int], int],
) -> list[Content]:
    """Put the picture of the card at the left of what `draw` draws in so many columns; nothing
    where that makes the `letters` smaller."""
    width, height = size
    card = shown.face.picture
    columns = columns_of(card, height)
    room = width - columns - 1
    if not columns or room < _PICTURE[0] or height < _PICTURE[1] or letters(room) < letters(width):
        return []
    lines = zip_longest(mosaic(card, columns, height), draw(room)[:height], fillvalue=Content(""))
    return [one + " " + other for one, other in lines]


def _head_rows(shown: ScreenState, width: int, rows: int) -> int:
    gauge = shown.face.gauge
    return len(_letters(shown.face.headline, gauge, width, rows - (2 if gauge is not None else 1))[0])


def _topic(shown: ScreenState, width: int, height: int) -> list[Content]:
    """Draw the word with its figures at the right, its meaning, and the gauge."""
    face = shown.face
    if height < 1:
        return []
    gauge = face.gauge
    word, right = _letters(face.headline, gauge, width, height - (2 if gauge is not None else 1))
    tone = "bold $primary"
    drawn = _side_by_side(word, tone, right, _tone(gauge), width)
    facts = "   ".join(f"{fact.sign} {fact.word}" for fact in face.facts)
    bar = [] if gauge is None else [_bar(gauge, width)]
    spare = height - len(drawn) - len(bar)
    meaning = wrapped(f"{face.meaning}   {facts}".strip(), width, "bold")
    alone = wrapped(face.meaning, width, "bold")
    if len(meaning) > max(len(alone), 1):
        meaning = alone  # what it means comes before what else there is
    return [*drawn, *meaning[: max(spare, 0)], *bar][:height]


def _letters(
    headline: str, gauge: Gauge | None, width: int, rows: int
) -> tuple[Sequence[str], Sequence[str]]:
    """Write the word as large as it fits beside its figures, then the figures as large as there is
    room left; () for no figures."""
    figures, letters = "" if gauge is None else _figures(gauge), sizes(rows)
    least = fitting(figures, width // 2, letters[-1:]) if figures else ()
    beside = len(least[0]) + 3 if len(least) > 1 else 0
    word = fitting(headline, width - beside, letters)
    taken = len(word[0]) if len(word) > 1 else 0
    right = fitting(figures, min(width // 2, width - taken - 3), letters) if beside else ()
    return word, right


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
    """Draw each card that is up as a piece in its player's colour, with their mark and its value
    where there is room."""
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


if TYPE_CHECKING:
    from collections.abc import Sequence

Colour: TypeAlias = tuple[int, ...]
"""Red, green and blue, 0 to 255."""

_QUADRANTS = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"
"""By bits: 1 upper left, 2 upper right, 4 lower left, 8 lower right."""
_CELL = 2
"""A character cell is about twice as high as it is wide."""


def columns_of(card: str, rows: int) -> int:
    """Return how many columns a card's picture takes at `rows` high; 0 where it has none."""
    picture = portrait(card) if card else None
    return 0 if picture is None else round(rows * _CELL * picture.width / picture.height)


@lru_cache(maxsize=8)
def mosaic(card: str, columns: int, rows: int) -> tuple[Content, ...]:
    """Draw a card's picture in so many character cells; nothing where it has none."""
    picture = portrait(card)
    if picture is None or columns < 1 or rows < 1:
        return ()
    from PIL.Image import Resampling  # noqa: PLC0415 - the first screen does not wait for it

    width = 2 * columns
    small = picture.resize((width, 2 * rows), Resampling.BOX)
    data = small.tobytes()
    pixels = [tuple(data[at : at + 3]) for at in range(0, len(data), 3)]
    lines = []
    for row in range(rows):
        upper, lower = pixels[2 * row * width :][:width], pixels[(2 * row + 1) * width :][:width]
        cells = [_cell([*upper[at : at + 2], *lower[at : at + 2]]) for at in range(0, width, 2)]
        lines.append(Content.assemble(*cells))
    return tuple(lines)


def _cell(four: Sequence[Colour]) -> tuple[str, str]:
    """Draw four pixels in two colours: those that differ most, each joined by the nearer."""
    pairs = [(one, other) for at, one in enumerate(four) for other in four[at + 1 :]]
    ink, ground = max(pairs, key=lambda pair: _apart(*pair))
    inked = [_apart(pixel, ink) < _apart(pixel, ground) for pixel in four]
    sign = _QUADRANTS[sum(1 << at for at, one in enumerate(inked) if one)]
    on = _mean([pixel for pixel, one in zip(four, inked, strict=True) if not one])
    if sign == " ":
        return sign, f"on {on}"
    return sign, f"{_mean([pixel for pixel, one in zip(four, inked, strict=True) if one])} on {on}"


def _apart(one: Colour, other: Colour) -> int:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


def _mean(colours: Sequence[Colour]) -> str:
    red, green, blue = (sum(channel) // len(colours) for channel in zip(*colours, strict=True))
    return f"#{red:02x}{green:02x}{blue:02x}"
