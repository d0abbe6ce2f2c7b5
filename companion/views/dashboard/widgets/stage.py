"""The upper third of the screen: what is happening and who must act, a moment with its verdict and
figures, or the end of the game with confetti and podium.

Everything is written in the largest block letters that fit. Since the height is limited, each
drawing first reserves rows for what must not be lost (what hands must do, the call), and then
chooses sizes for the rest. A picture of the card is added only if no letters get smaller by it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TypeAlias

from textual.content import Content

from companion import libraries
from companion.decks.assets import portrait
from companion.rules import registry
from companion.rules.contract import Text
from companion.rules.people import AsIs
from companion.texts import Translator, clean
from companion.views.bigtext import fitting
from companion.views.dashboard.widgets.band import (
    BANDS,
    Notice,
    band,
    called,
    centred,
    notice_of,
    on_ground,
    sizes,
    written,
)
from companion.views.dashboard.widgets.part import ScreenPart, ScreenState, cut, wrapped
from companion.views.moments import Gain, RevealMoment, Take
from companion.views.panel import Gauge
from companion.views.themes import SHAPES, STYLES, mark

if TYPE_CHECKING:
    from PIL.Image import Image


_LARGE = 3
"""Most winners who are named in block letters; with more, none of the names would be large."""


def moment(happened: RevealMoment, notice: Notice, width: int, height: int, say: Translator) -> list[Content]:
    """Draw the moment, and below it what comes next. What must be done by hand has priority over
    all else."""
    after = centred(Content.styled(notice.sentence, "bold"), width)
    # Some rows stay free for the verdict, its figures, and what comes next.
    takes = _takes(happened.takes, width, height - 5 if height >= 9 else height - 4, say)
    small = _small(happened.gains, width)[: max(height - 5 - len(takes), 0)] if height >= 6 else []
    left = max(height - 1 - len(small) - len(takes), 1)
    # What hands must do names the players too.
    names = [] if takes else _winners(happened, width, left * 2 // 5)
    left -= len(names)
    verdict = _verdict(happened, width, left * 3 // 5 if left >= 8 else max(left - 1, min(left, 3)))
    room = left - len(verdict)
    figures = [Content(line) for line in fitting(happened.figures, width - 2, sizes(room))]
    # No block letters fit, so the sentence is wrapped.
    if len(figures) == 1:
        figures = _cut_short(wrapped(happened.figures, width - 2), max(room, 0))
    between = [Content("")] if room > len(figures) and len(verdict) > 1 else []
    lines = [*(Content(line) for line in verdict), *between, *figures]
    style = BANDS.get(happened.tone, BANDS[""])
    return [*on_ground(lines, width, left, style), *takes, *names, *small, after][:height]


def _cut_short(lines: list[Content], rows: int) -> list[Content]:
    """Keep so many rows of a sentence, with an ellipsis if some are left out."""
    if len(lines) <= rows or not rows:
        return lines[:rows]
    return [*lines[: rows - 1], lines[rows - 1].truncate(lines[rows - 1].cell_length - 1) + "…"]


def verdict_rows(happened: RevealMoment, width: int, height: int) -> int:
    """Return how many rows the verdict takes in so much room."""
    return len(_verdict(happened, width, height))


def _verdict(happened: RevealMoment, width: int, rows: int) -> Sequence[str]:
    calls = (happened.verdict, *happened.shorter)
    return written(calls, width - 2, rows, sizes(rows)) or (happened.verdict,)


def _takes(takes: Sequence[Take], width: int, height: int, say: Translator) -> list[Content]:
    """Say who takes which real cards: all in letters of one size, as large as fit; else in plain
    lines, with the number of those left out."""
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
    """Write one of them in letters of this size, in one or two lines; () if it does not fit."""
    whole, *shorter = take.calls
    return written((whole, whole.replace(" ", "\n", 1), *shorter), width, 2 * size, (size,))


def _winners(happened: RevealMoment, width: int, height: int) -> list[Content]:
    """Name the players whose points changed side by side in block letters in their colours; [] if
    there is no room."""
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
    """Draw what each player chose and won, as many in a row as fit."""
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


_STANDS, _WIDEST = 3, 5
"""Places on the podium, and the most places, used only for ties with the last one."""
_STEPS = {1: 3, 2: 2, 3: 1}
"""Height of a step by rank, in thirds; equal ranks have equal heights."""
_CONFETTI = f"✦·{SHAPES[:7]}·✧"
_USUAL = (5, 3)
"""Letter sizes that count when a picture is placed beside the winner, although larger letters might
fit without it."""
_THICK = 11
"""One character of so many is confetti."""


def podium(shown: ScreenState, notice: Notice, width: int, height: int) -> list[Content]:
    """Draw the podium. Nothing moves: photographs come out sharp, and nobody's eyes tire."""
    ranking = shown.snapshot.view["result"]["ranking"]
    # All who share the last place of the podium stand on it.
    alike = sum(row["rank"] <= ranking[min(_STANDS, len(ranking)) - 1]["rank"] for row in ranking)
    # In narrow terminals only the winner has room.
    stands = min(alike, _WIDEST) if width >= 60 else 1
    below = [*_ahead(shown, ranking, width), *_others(shown, ranking[stands:], width)][: max(height - 4, 0)]
    rows = height - len(below)
    steps = _steps(shown, ranking[:stands], width, rows // 2) if rows >= 8 else []
    return [*_call(notice.calls, width, rows - len(steps)), *steps, *below][:height]


def call_rows(notice: Notice, width: int) -> int:
    """Return how many rows the winner's name takes in so many columns, in the usual sizes."""
    return len(written(notice.calls[:1], width - 8, _USUAL[0], _USUAL)) or 1


def _call(calls: Sequence[str], width: int, height: int) -> list[Content]:
    """Draw the winner's name over the whole width, with confetti around it."""
    room = height - 1 if height < 6 else height - 2
    letters = written(calls, width - 8, room, sizes(room)) or calls[:1]
    above = (height - len(letters)) // 2
    rows = []
    for row in range(height):
        at = row - above
        words = letters[at] if 0 <= at < len(letters) else ""
        # Confetti keeps two columns away from the letters.
        side = (width - len(words)) // 2 - (2 if words else 0)
        middle = Content.styled(words.center(width - 2 * side), "bold $primary")
        rows.append(_thrown(row, 0, side) + middle + _thrown(row, width - side, side))
    return rows


def _thrown(row: int, first: int, columns: int) -> Content:
    """Draw confetti on so many columns of a row; always the same, so that redrawing does not
    flicker."""
    pieces: list[str | tuple[str, str]] = []
    for column in range(first, first + columns):
        # Any fixed arithmetic will do that looks random.
        seed = (row * 7919 + column * 104729 + row * column * 31) % 9973
        sign = _CONFETTI[seed // _THICK % len(_CONFETTI)]
        pieces.append((sign, f"bold {mark(seed % 7 + 1).style}") if seed % _THICK == 0 else " ")
    return Content.assemble(*pieces)


def _steps(shown: ScreenState, ranking: Sequence[Any], width: int, height: int) -> list[Content]:
    """Draw the podium: on each step the name in its player's colour, with rank and points."""
    order = [*ranking[1::2][::-1], *ranking[::2]]  # the first in the middle, the second at the left of it
    room = min(width // max(len(order), 1) - 2, 34)
    name_sizes = sizes(3 if height >= 9 else 1)
    columns = [_step(shown, row, room, height, name_sizes) for row in order]
    return [centred(Content("  ").join(cells), width) for cells in zip(*columns, strict=True)]


def _step(shown: ScreenState, row: Any, room: int, height: int, name_sizes: tuple[int, ...]) -> list[Content]:
    seat = shown.snapshot.people.seats.index(row["player"]) + 1
    shape, style = mark(seat)
    name = shown.say.name(row["player"], room - 4)
    letters = fitting(name, room, name_sizes) if name_sizes else (name,)
    head = [
        Content.styled(line, f"bold {style}")
        for line in (letters if len(letters) > 1 else (f"{shape} {name}",))
    ]
    tall = max((height - len(head)) * _STEPS[min(row["rank"], 3)] // 3, 2)
    points = fitting(str(row["points"]), room - 2, sizes(tall - 1))
    rank = f"{'★ ' if row['rank'] == 1 else ''}{row['rank']}. {shape}"
    words = [rank, *points] if len(points) > 1 else [f"{rank}  {points[0]}"]
    block = [
        Content.styled((words[at] if at < len(words) else "").center(room), f"bold $background on {style}")
        for at in range(tall)
    ]
    drawn = [*(_middle(line, room) for line in head), *block]
    return [Content(" " * room)] * (height - len(drawn)) + drawn[-height:]


def _middle(line: Content, room: int) -> Content:
    cut = centred(line.truncate(room, ellipsis=True), room)
    return cut.pad_right(max(room - cut.cell_length, 0))


def _ahead(shown: ScreenState, ranking: Sequence[Any], width: int) -> list[Content]:
    """Say by how much the winner is ahead of the next player; [] if several have won."""
    if len(shown.snapshot.view["result"]["winners"]) != 1 or len(ranking) < 2:
        return []
    # In games that are won by the fewest points the winner has less.
    lead = abs(Fraction(ranking[0]["points"]) - Fraction(ranking[1]["points"]))
    if not lead:
        return []
    code = "podium.fewer" if registry.load(shown.snapshot.setup.game).lowest_wins else "podium.ahead"
    player = shown.say.name(ranking[1]["player"], 20)
    words = shown.say.say(Text(code, {"n": str(lead), "player": AsIs(player)}, 1 if lead <= 1 else 2))
    return [centred(Content.styled(words, "bold"), width)]


def _others(shown: ScreenState, ranking: Sequence[Any], width: int) -> list[Content]:
    """Name the players below the podium, as many side by side as fit."""
    cells = []
    for row in ranking:
        shape, style = mark(shown.snapshot.people.seats.index(row["player"]) + 1)
        name = shown.say.name(row["player"], 14)
        cells.append(
            Content.assemble(f"{row['rank']}. ", (f"{shape} {name}", f"bold {style}"), f" {row['points']}")
        )
    if not cells:
        return []
    wide = max(cell.cell_length for cell in cells) + 3
    each = max(width // wide, 1)
    lines = [Content("   ").join(cells[at : at + each]) for at in range(0, len(cells), each)]
    return [centred(line, width) for line in lines]


class Stage(ScreenPart):
    """The donkey (or what else the round is about) with its gauge, and below it the call; or the
    result, until the next act."""

    def lines(self, shown: ScreenState, width: int, height: int) -> list[Content]:
        """Draw what is most urgent."""
        notice = notice_of(shown)
        # A question, a refusal or cards to move come before any moment.
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
"""Least columns for the words beside a picture, and least rows; with less, letters would be too
small to be read from the sofa."""


def _table(shown: ScreenState, notice: Notice, width: int, height: int) -> list[Content]:
    """Draw what the round is about, and the call in a band; the picture beside both, or else above
    the call, or not at all."""
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
    """Draw the card's picture to the left of what `draw` draws in the remaining columns; [] if that
    makes the `letters` smaller."""
    width, height = size
    game, card = shown.snapshot.setup.game, shown.face.picture
    columns = columns_of(game, card, height)
    room = width - columns - 1
    if not columns or room < _PICTURE[0] or height < _PICTURE[1] or letters(room) < letters(width):
        return []
    lines = zip_longest(mosaic(game, card, columns, height), draw(room)[:height], fillvalue=Content(""))
    return [one + " " + other for one, other in lines]


def _head_rows(shown: ScreenState, width: int, rows: int) -> int:
    gauge = shown.face.gauge
    return len(_letters(shown.face.headline, gauge, width, rows - (2 if gauge is not None else 1))[0])


def _topic(shown: ScreenState, width: int, height: int) -> list[Content]:
    """Draw the word with its figures on the right, its meaning, and the gauge."""
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
        meaning = alone  # the meaning has priority over further facts
    return [*drawn, *meaning[: max(spare, 0)], *bar][:height]


def _letters(
    headline: str, gauge: Gauge | None, width: int, rows: int
) -> tuple[Sequence[str], Sequence[str]]:
    """Return the word as large as it fits beside its figures, then the figures as large as there is
    room; () for no figures."""
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
    """Draw each card that is up as a segment in its player's colour, with their mark and its value
    where there is room."""
    pieces, sum_of = [], 0
    for part, owner in zip(gauge.parts, gauge.owners, strict=True):
        # Both ends are rounded from the sum, so that the pieces fill the bar without gaps.
        begin, sum_of = room * sum_of // whole, sum_of + part
        wide = room * sum_of // whole - begin
        shape, style = mark(owner)
        words = f"{shape}{part}" if wide >= len(str(part)) + 3 else ""
        pieces.append(Content.styled(words.center(wide), f"bold $background on {style}"))
    return Content("").join(pieces)


def _bar(gauge: Gauge, width: int) -> Content:
    """Draw how full it is over the whole width; once the limit is passed, the excess is marked."""
    limit, now = gauge.limit or 1, _so_far(gauge) or 0
    words = f" {gauge.label} {_figures(gauge)} "
    room = max(width - len(words) - 2, 4)
    whole = max(limit, now)
    filled = min(room * now // whole, room)
    at = room * limit // whole
    over = max(filled - at, 0)
    # Cards are drawn one by one only if all of them are known.
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


Colour: TypeAlias = tuple[int, ...]
"""Red, green and blue, 0 to 255."""

_QUADRANTS = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"
"""Block characters by bits: 1 upper left, 2 upper right, 4 lower left, 8 lower right."""
_CELL = 2
"""Height of a character cell relative to its width."""


def columns_of(game: str, card: str, rows: int) -> int:
    """Return the columns of a card's picture that is `rows` high; 0 if it has none."""
    picture = portrait(game, card) if card else None
    return 0 if picture is None else columns_for(picture, rows)


# The same picture is drawn again at every snapshot.
@lru_cache(maxsize=8)
def mosaic(game: str, card: str, columns: int, rows: int) -> tuple[Content, ...]:
    """Draw a card's picture in so many character cells; () if it has none."""
    picture = portrait(game, card)
    if picture is None or columns < 1 or rows < 1:
        return ()
    return in_cells(picture, columns, rows)


def columns_for(picture: Image, rows: int) -> int:
    """Return the columns of a picture that is `rows` high."""
    return round(rows * _CELL * picture.width / picture.height)


def in_cells(picture: Image, columns: int, rows: int) -> tuple[Content, ...]:
    """Draw a picture (RGB) in so many character cells."""
    width = 2 * columns
    small = picture.resize((width, 2 * rows), libraries.Image.Resampling.BOX)
    data = small.tobytes()
    pixels = [tuple(data[at : at + 3]) for at in range(0, len(data), 3)]
    lines = []
    for row in range(rows):
        upper, lower = pixels[2 * row * width :][:width], pixels[(2 * row + 1) * width :][:width]
        cells = [_cell([*upper[at : at + 2], *lower[at : at + 2]]) for at in range(0, width, 2)]
        lines.append(Content.assemble(*cells))
    return tuple(lines)


def _cell(four: Sequence[Colour]) -> tuple[str, str]:
    """Draw four pixels in two colours: the two that differ most, each joined by the pixels nearer
    to it."""
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
