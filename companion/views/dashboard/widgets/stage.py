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
from companion.decks.assets import load_portrait
from companion.rules import registry
from companion.rules.contract import Text
from companion.rules.people import VerbatimName
from companion.texts import Translator, clean_text, format_score
from companion.views.block_letters import fit_block_letters
from companion.views.dashboard.widgets.banner import (
    BANNER_STYLES,
    CROWDED,
    Notice,
    centre_line,
    draw_banner,
    draw_call,
    draw_fitting_call,
    fill_band,
    list_letter_sizes,
    select_notice,
)
from companion.views.dashboard.widgets.screen_part import (
    ScreenPart,
    ScreenState,
    cut_lines,
    truncate_rows,
    wrap_text,
)
from companion.views.moments import Gain, RevealMoment, Take
from companion.views.panel import Gauge
from companion.views.themes import SHAPES, STYLES, mark_for_seat
from companion.views.victory import describe_tie_break

if TYPE_CHECKING:
    from PIL.Image import Image


_NAMES_APART = 9
"""Columns between two names in block letters, of which the spaces inside have up to eight."""
_LARGE = 3
"""Most winners who are named in block letters; with more, none of the names would be large."""


def draw_moment(
    reveal: RevealMoment, notice: Notice, width: int, height: int, translator: Translator
) -> list[Content]:
    """Draw the moment, and below it what comes next. What must be done by hand has priority over
    all else."""
    after = centre_line(Content.styled(notice.sentence, "bold"), width)
    below, verdict, left = _lay_out_moment(reveal, width, height, translator)
    room = left - len(verdict)
    figures = [
        Content(line) for line in fit_block_letters(reveal.figures, width - 2, list_letter_sizes(room))
    ]
    # No block letters fit, so the sentence is wrapped.
    if len(figures) == 1:
        figures = truncate_rows(wrap_text(reveal.figures, width - 2), max(room, 0))
    between = [Content("")] if room > len(figures) and len(verdict) > 1 else []
    lines = [*(Content(line) for line in verdict), *between, *figures]
    style = BANNER_STYLES.get(reveal.tone, BANNER_STYLES[""])
    return [*fill_band(lines, width, left, style), *below, after][:height]


def _lay_out_moment(
    reveal: RevealMoment, width: int, height: int, translator: Translator
) -> tuple[list[Content], Sequence[str], int]:
    """Return what stands below the band of a moment, the verdict's rows in the band, and the rows
    of the band."""
    # Some rows stay free for the verdict, its figures, and what comes next.
    takes = _draw_takes(reveal.takes, width, height - 5, translator)
    names = [] if takes else _draw_winners(reveal, width, (height - 4) * 2 // 5)
    # Whoever is named in large letters with cards or points is not named again.
    named = {one.seat for one in (reveal.takes if takes else reveal.winners if names else ())}
    rest = tuple(gain for gain in reveal.gains if gain.seat not in named)
    small = _draw_small_gains(rest, width, height - 5 - len(takes)) if height >= 6 else []
    below = [*takes, *names, *small]
    # Large letters would else touch the band.
    if (takes or names) and height - len(below) >= 8:
        below.insert(0, Content(""))
    left = max(height - 1 - len(below), 1)
    rows = left * 3 // 5 if left >= 8 else max(left - 1, min(left, 3))
    return below, _draw_verdict(reveal, width, rows), left


def count_verdict_rows(reveal: RevealMoment, width: int, height: int, translator: Translator) -> int:
    """Return how many rows the verdict takes in so much room."""
    return len(_lay_out_moment(reveal, width, height, translator)[1])


def _draw_verdict(reveal: RevealMoment, width: int, rows: int) -> Sequence[str]:
    sizes = list_letter_sizes(rows)
    calls = (reveal.verdict, *reveal.shorter)
    return (
        draw_fitting_call(calls, width - 2, rows, sizes)
        or draw_fitting_call([_split_in_two(reveal.verdict)], width - 2, rows, sizes)
        or (reveal.verdict,)
    )


def _split_in_two(call: str) -> str:
    """Break a call into two lines at the space that is nearest to its middle."""
    spaces = [at for at, sign in enumerate(call) if sign == " "]
    if not spaces:
        return call
    at = min(spaces, key=lambda at: abs(at - len(call) // 2))
    return f"{call[:at]}\n{call[at + 1 :]}"


def _draw_takes(takes: Sequence[Take], width: int, height: int, translator: Translator) -> list[Content]:
    """Say who takes which real cards: all in letters of one size, as large as fit; else in plain
    lines, with the number of those left out."""
    for size in list_letter_sizes(height):
        drawn = [_draw_take(take, width - 2, size) for take in takes]
        apart = ("",) if size >= CROWDED else ()
        drawn = [(*lines, *(apart if number < len(takes) else ())) for number, lines in enumerate(drawn, 1)]
        if takes and all(map(any, drawn)) and sum(map(len, drawn)) <= height:
            rows = [(line, take) for take, lines in zip(takes, drawn, strict=True) for line in lines]
            return [
                centre_line(Content.styled(line, f"bold {mark_for_seat(one.seat).style}"), width)
                for line, one in rows
            ]
    lines = [
        [
            Content.styled(
                f"{mark_for_seat(one.seat).shape} {one.calls[0]}", f"bold {mark_for_seat(one.seat).style}"
            )
        ]
        for one in takes
    ]
    return [
        centre_line(line.truncate(width, ellipsis=True), width)
        for line in cut_lines(lines, max(height, 1), translator)
    ]


def _draw_take(take: Take, width: int, size: int) -> Sequence[str]:
    """Write one of them in letters of this size, in one or two lines; () if it does not fit."""
    whole, *shorter = take.calls
    height = 2 * size + (1 if size >= CROWDED else 0)
    return draw_fitting_call((whole, whole.replace(" ", "\n", 1), *shorter), width, height, (size,))


def _draw_winners(reveal: RevealMoment, width: int, height: int) -> list[Content]:
    """Name the players whose points changed side by side in block letters in their colours; [] if
    there is no room."""
    winners = sorted(reveal.winners, key=lambda gain: -len(gain.signed_points))[:_LARGE]
    if not winners or height < 3 or len(reveal.winners) > _LARGE:
        return []
    room = width // len(winners) - _NAMES_APART
    drawn = [
        fit_block_letters(f"{gain.name} {gain.signed_points}", room, list_letter_sizes(height))
        for gain in winners
    ]
    if any(len(lines) == 1 for lines in drawn):
        return []
    rows = max(map(len, drawn))
    lines = []
    for row in range(rows):
        cells = []
        for gain, letters in zip(winners, drawn, strict=True):
            at = row - rows + len(letters)
            words = letters[at] if at >= 0 else " " * len(letters[0])
            cells.append(Content.styled(words, f"bold {mark_for_seat(gain.seat).style}"))
        lines.append(centre_line(Content(" " * _NAMES_APART).join(cells), width))
    return lines


_GAIN_ROWS = 3
"""Most rows of what each player chose and won."""


def _draw_small_gains(gains: tuple[Gain, ...], width: int, height: int) -> list[Content]:
    """Draw what each player chose and won, as many in a row as fit; an ellipsis stands for those
    who do not fit in `height` rows."""
    if not gains or height < 1:
        return []
    cells = []
    for gain in sorted(gains, key=lambda one: one.signed_points == "–"):
        shape, style = mark_for_seat(gain.seat)
        cells.append(
            Content.assemble(
                (f"{shape} {clean_text(gain.name, 14)} ", f"bold {style}"),
                (gain.signed_points, "bold"),
                f"  {gain.how}",
            )
        )
    wide = max(cell.cell_length for cell in cells) + 4
    across = max(min(width // wide, len(cells)), 1)
    lines = [cells[at : at + across] for at in range(0, len(cells), across)]
    rows = [Content("").join(cell.pad_right(wide - cell.cell_length) for cell in row) for row in lines]
    return [centre_line(row, width) for row in truncate_rows(rows, min(height, _GAIN_ROWS))]


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


def draw_podium(screen_state: ScreenState, notice: Notice, width: int, height: int) -> list[Content]:
    """Draw the podium. Nothing moves: photographs come out sharp, and nobody's eyes tire."""
    ranking = screen_state.snapshot.view["result"]["ranking"]
    # All who share the last place of the podium stand on it.
    alike = sum(row["rank"] <= ranking[min(_STANDS, len(ranking)) - 1]["rank"] for row in ranking)
    # In narrow terminals only the winner has room.
    stands = min(alike, _WIDEST) if width >= 60 else 1
    below = [
        *_draw_lead(screen_state, ranking, width),
        *_draw_tie_break(screen_state, width),
        *_draw_other_players(screen_state, ranking[stands:], width),
    ][: max(height - 4, 0)]
    rows = height - len(below)
    steps = _draw_podium_steps(screen_state, ranking[:stands], width, rows // 2) if rows >= 8 else []
    return [*_draw_winner_call(notice.calls, width, rows - len(steps)), *steps, *below][:height]


def count_call_rows(notice: Notice, width: int) -> int:
    """Return how many rows the winner's name takes in so many columns, in the usual sizes."""
    return len(draw_fitting_call(notice.calls[:1], width - 8, _USUAL[0], _USUAL)) or 1


def _draw_winner_call(calls: Sequence[str], width: int, height: int) -> list[Content]:
    """Draw the winner's name over the whole width, with confetti around it."""
    room = height - 1 if height < 6 else height - 2
    letters = draw_fitting_call(calls, width - 8, room, list_letter_sizes(room)) or calls[:1]
    above = (height - len(letters)) // 2
    rows = []
    for row in range(height):
        at = row - above
        words = letters[at] if 0 <= at < len(letters) else ""
        # Confetti keeps two columns away from the letters.
        side = (width - len(words)) // 2 - (2 if words else 0)
        middle = Content.styled(words.center(width - 2 * side), "bold $primary")
        rows.append(_draw_confetti(row, 0, side) + middle + _draw_confetti(row, width - side, side))
    return rows


def _draw_confetti(row: int, first: int, columns: int) -> Content:
    """Draw confetti on so many columns of a row; always the same, so that redrawing does not
    flicker."""
    pieces: list[str | tuple[str, str]] = []
    for column in range(first, first + columns):
        # Any fixed arithmetic will do that looks random.
        seed = (row * 7919 + column * 104729 + row * column * 31) % 9973
        sign = _CONFETTI[seed // _THICK % len(_CONFETTI)]
        pieces.append((sign, f"bold {mark_for_seat(seed % 7 + 1).style}") if seed % _THICK == 0 else " ")
    return Content.assemble(*pieces)


def _draw_podium_steps(
    screen_state: ScreenState, ranking: Sequence[Any], width: int, height: int
) -> list[Content]:
    """Draw the podium: on each step the name in its player's colour, with rank and points."""
    order = [*ranking[1::2][::-1], *ranking[::2]]  # the first in the middle, the second at the left of it
    room = min(width // len(order) - 2, 34)
    name_sizes = list_letter_sizes(3 if height >= 9 else 1)
    columns = [_draw_podium_step(screen_state, row, room, height, name_sizes) for row in order]
    return [centre_line(Content("  ").join(cells), width) for cells in zip(*columns, strict=True)]


def _draw_podium_step(
    screen_state: ScreenState, row: Any, room: int, height: int, name_sizes: tuple[int, ...]
) -> list[Content]:
    seat = screen_state.snapshot.people.seats.index(row["player"]) + 1
    shape, style = mark_for_seat(seat)
    name = screen_state.translator.display_name(row["player"], room - 4)
    letters = fit_block_letters(name, room, name_sizes)
    head = [
        Content.styled(line, f"bold {style}")
        for line in (letters if letters != (name,) else (f"{shape} {name}",))
    ]
    tall = max((height - len(head)) * _STEPS[min(row["rank"], 3)] // 3, 2)
    score = format_score(row["points"])
    points = fit_block_letters(score, room - 2, list_letter_sizes(tall - 1))
    rank = f"{'★ ' if row['rank'] == 1 else ''}{row['rank']}. {shape}"
    words = [rank, *points] if points != (score,) else [f"{rank}  {score}"]
    block = [
        Content.styled((words[at] if at < len(words) else "").center(room), f"bold $background on {style}")
        for at in range(tall)
    ]
    drawn = [*(_centre_padded(line, room) for line in head), *block]
    return [Content(" " * room)] * (height - len(drawn)) + drawn[-height:]


def _centre_padded(line: Content, room: int) -> Content:
    cut = centre_line(line.truncate(room, ellipsis=True), room)
    return cut.pad_right(room - cut.cell_length)


def _draw_lead(screen_state: ScreenState, ranking: Sequence[Any], width: int) -> list[Content]:
    """Say by how much the winner is ahead of the next player; [] if several have won."""
    if len(screen_state.snapshot.view["result"]["winners"]) != 1 or len(ranking) < 2:
        return []
    # In games that are won by the fewest points the winner has less.
    lead = abs(Fraction(ranking[0]["points"]) - Fraction(ranking[1]["points"]))
    if not lead:
        return []
    code = (
        "podium.fewer" if registry.load_game(screen_state.snapshot.setup.game).lowest_wins else "podium.ahead"
    )
    rivals = tuple(
        VerbatimName(screen_state.translator.display_name(row["player"], 20))
        for row in ranking
        if row["points"] == ranking[1]["points"]
    )
    words = screen_state.translator.translate(
        Text(code, {"n": format_score(lead), "player": rivals}, 1 if lead <= 1 else 2)
    )
    return [centre_line(Content.styled(words, "bold"), width)]


def _draw_tie_break(screen_state: ScreenState, width: int) -> list[Content]:
    """Say what decided between equal points; [] if there are none."""
    words = describe_tie_break(screen_state.snapshot.view, screen_state.translator)
    return [centre_line(line, width) for line in wrap_text(words, width, "bold")] if words else []


def _draw_other_players(screen_state: ScreenState, ranking: Sequence[Any], width: int) -> list[Content]:
    """Name the players below the podium, as many side by side as fit."""
    cells = []
    for row in ranking:
        shape, style = mark_for_seat(screen_state.snapshot.people.seats.index(row["player"]) + 1)
        name = screen_state.translator.display_name(row["player"], 14)
        cells.append(
            Content.assemble(
                f"{row['rank']}. ", (f"{shape} {name}", f"bold {style}"), f" {format_score(row['points'])}"
            )
        )
    if not cells:
        return []
    wide = max(cell.cell_length for cell in cells) + 3
    each = max(width // wide, 1)
    lines = [Content("   ").join(cells[at : at + each]) for at in range(0, len(cells), each)]
    return [centre_line(line, width) for line in lines]


class Stage(ScreenPart):
    """The donkey (or what else the round is about) with its gauge, and below it the call; or the
    result, until the next act."""

    def draw_lines(self, screen_state: ScreenState, width: int, height: int) -> list[Content]:
        """Draw what is most urgent."""
        notice = select_notice(screen_state)
        # A question, a refusal or cards to move come before any moment.
        happened = screen_state.moment if notice.kind in ("", "over") else None
        if happened is not None:
            return _draw_beside_picture(
                screen_state,
                (width, height),
                lambda room: draw_moment(happened, notice, room, height, screen_state.translator),
                lambda room: count_verdict_rows(happened, room, height, screen_state.translator),
            ) or draw_moment(happened, notice, width, height, screen_state.translator)
        if notice.kind == "over":
            return _draw_beside_picture(
                screen_state,
                (width, height),
                lambda room: draw_podium(screen_state, notice, room, height),
                lambda room: count_call_rows(notice, room),
            ) or draw_podium(screen_state, notice, width, height)
        return _draw_table(screen_state, notice, width, height)


_PICTURE = (72, 8)
"""Least columns for the words beside a picture, and least rows; with less, letters would be too
small to be read from the sofa."""


def _draw_table(screen_state: ScreenState, notice: Notice, width: int, height: int) -> list[Content]:
    """Draw what the round is about, and the call in a band; the picture beside both, or else above
    the call, or not at all."""
    call = max(height * 2 // 5, min(4, height - 2))
    rows = height - call

    def draw_topic(room: int) -> list[Content]:
        return _draw_topic(screen_state, room, rows)

    def draw_words(room: int) -> list[Content]:
        top = draw_topic(room)
        return [*top, *draw_banner(notice, room, height - len(top), BANNER_STYLES[notice.kind])]

    above = _draw_beside_picture(
        screen_state, (width, rows), draw_topic, lambda room: _count_headline_rows(screen_state, room, rows)
    )
    return (
        _draw_beside_picture(
            screen_state, (width, height), draw_words, lambda room: len(draw_call(notice, room, call))
        )
        or (above and [*above, *draw_banner(notice, width, call, BANNER_STYLES[notice.kind])])
        or draw_words(width)
    )


def _draw_beside_picture(
    screen_state: ScreenState,
    size: tuple[int, int],
    draw: Callable[[int], list[Content]],
    letters: Callable[[int], int],
) -> list[Content]:
    """Draw the card's picture to the left of what `draw` draws in the remaining columns; [] if that
    makes the `letters` smaller."""
    width, height = size
    game, card = screen_state.snapshot.setup.game, screen_state.face.picture
    columns = count_picture_columns(game, card, height)
    room = width - columns - 1
    if not columns or room < _PICTURE[0] or height < _PICTURE[1] or letters(room) < letters(width):
        return []
    lines = zip_longest(draw_mosaic(game, card, columns, height), draw(room)[:height], fillvalue=Content(""))
    return [one + " " + other for one, other in lines]


def _count_headline_rows(screen_state: ScreenState, width: int, rows: int) -> int:
    face = screen_state.face
    return len(_fit_headline(face.headline, face.gauge, width, rows)[0])


def _draw_topic(screen_state: ScreenState, width: int, height: int) -> list[Content]:
    """Draw the word with its figures on the right, its meaning, and the gauge."""
    face = screen_state.face
    if height < 1:
        return []
    gauge = face.gauge
    word, right = _fit_headline(face.headline, gauge, width, height - (2 if gauge is not None else 1))
    tone = "bold $primary"
    drawn = _join_side_by_side(word, tone, right, _choose_gauge_style(gauge), width)
    facts = "   ".join(f"{fact.sign} {fact.word}" for fact in face.facts)
    bar = [] if gauge is None else [_draw_gauge_bar(gauge, width)]
    spare = height - len(drawn) - len(bar)
    meaning = wrap_text(f"{face.meaning}   {facts}".strip(), width, "bold")
    alone = wrap_text(face.meaning, width, "bold")
    if len(meaning) > max(len(alone), 1):
        meaning = alone  # the meaning has priority over further facts
    return [*drawn, *truncate_rows(meaning, max(spare, 0)), *bar][:height]


def _fit_headline(
    headline: str, gauge: Gauge | None, width: int, rows: int
) -> tuple[Sequence[str], Sequence[str]]:
    """Return the word as large as it fits beside its figures, then the figures as large as there is
    room; () for no figures."""
    figures, letters = "" if gauge is None else _format_gauge(gauge), list_letter_sizes(rows)
    least = fit_block_letters(figures, width // 2, letters[-1:])
    beside = len(least[0]) + 3 if least != (figures,) else 0
    word = fit_block_letters(headline, width - beside, letters)
    taken = len(word[0]) if word != (headline,) else 0
    right = fit_block_letters(figures, min(width // 2, width - taken - 3), letters) if beside else ()
    return word, right


def _join_side_by_side(
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


def _format_gauge(gauge: Gauge) -> str:
    limit = "–" if gauge.limit is None else str(gauge.limit)
    return f"{_compute_gauge_value(gauge)}/{limit}" if _compute_gauge_value(gauge) is not None else limit


def _compute_gauge_value(gauge: Gauge) -> int | None:
    return gauge.value if gauge.value is not None else (sum(gauge.parts) if gauge.parts else None)


def _choose_gauge_style(gauge: Gauge | None) -> str:
    """Return the style of the figures: red by the verdict only, since a donkey that is too full
    half-way through the reveal may carry in the end."""
    return f"bold {STYLES[gauge.tone if gauge is not None else 'plain']}"


def _draw_gauge_by_player(gauge: Gauge, room: int, whole: int) -> Content:
    """Draw each card that is up as a segment in its player's colour, with their mark and its value
    where there is room."""
    pieces, sum_of = [], 0
    for part, owner in zip(gauge.parts, gauge.owners, strict=True):
        # Both ends are rounded from the sum, so that the pieces fill the bar without gaps.
        begin, sum_of = room * sum_of // whole, sum_of + part
        wide = room * sum_of // whole - begin
        shape, style = mark_for_seat(owner)
        words = f"{shape}{part}" if wide >= len(str(part)) + 3 else ""
        pieces.append(Content.styled(words.center(wide), f"bold $background on {style}"))
    return Content("").join(pieces)


def _draw_gauge_bar(gauge: Gauge, width: int) -> Content:
    """Draw how full it is over the whole width; once the limit is passed, the excess is marked."""
    now = _compute_gauge_value(gauge) or 0
    # Without a limit nothing is in excess.
    limit = now if gauge.limit is None else gauge.limit
    words = f" {gauge.label} {_format_gauge(gauge)} "
    room = max(width - len(words) - 2, 4)
    whole = max(limit, now, 1)
    filled = min(room * now // whole, room)
    at = room * limit // whole
    over = max(filled - at, 0)
    # Cards are drawn one by one only if all of them are known.
    if not over and sum(gauge.parts) == now and len(gauge.owners) == len(gauge.parts):
        full = _draw_gauge_by_player(gauge, room, whole)
    else:
        full = Content.assemble(
            ("█" * (filled - over), "$success" if not over else "$warning"),
            ("▓" * over, "$error" if gauge.tone == "bad" else "$warning"),
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


def count_picture_columns(game: str, card: str, rows: int) -> int:
    """Return the columns of a card's picture that is `rows` high; 0 if it has none."""
    picture = load_portrait(game, card) if card else None
    return 0 if picture is None else compute_columns(picture, rows)


# The same picture is drawn again at every snapshot.
@lru_cache(maxsize=8)
def draw_mosaic(game: str, card: str, columns: int, rows: int) -> tuple[Content, ...]:
    """Draw a card's picture in so many character cells; () if it has none."""
    picture = load_portrait(game, card)
    if picture is None or columns < 1 or rows < 1:
        return ()
    return draw_picture_cells(picture, columns, rows)


def compute_columns(picture: Image, rows: int) -> int:
    """Return the columns of a picture that is `rows` high."""
    return round(rows * _CELL * picture.width / picture.height)


def draw_picture_cells(picture: Image, columns: int, rows: int) -> tuple[Content, ...]:
    """Draw a picture (RGB) in so many character cells."""
    width = 2 * columns
    small = picture.resize((width, 2 * rows), libraries.Image.Resampling.BOX)
    data = small.tobytes()
    pixels = [tuple(data[at : at + 3]) for at in range(0, len(data), 3)]
    lines = []
    for row in range(rows):
        upper, lower = pixels[2 * row * width :][:width], pixels[(2 * row + 1) * width :][:width]
        cells = [_draw_quadrant_cell([*upper[at : at + 2], *lower[at : at + 2]]) for at in range(0, width, 2)]
        lines.append(Content.assemble(*cells))
    return tuple(lines)


def _draw_quadrant_cell(four: Sequence[Colour]) -> tuple[str, str]:
    """Draw four pixels in two colours: the two that differ most, each joined by the pixels nearer
    to it."""
    pairs = [(one, other) for at, one in enumerate(four) for other in four[at + 1 :]]
    ink, ground = max(pairs, key=lambda pair: _colour_distance(*pair))
    inked = [_colour_distance(pixel, ink) < _colour_distance(pixel, ground) for pixel in four]
    sign = _QUADRANTS[sum(1 << at for at, one in enumerate(inked) if one)]
    on = _average_colour([pixel for pixel, one in zip(four, inked, strict=True) if not one])
    if sign == " ":
        return sign, f"on {on}"
    return sign, f"{_average_colour([pixel for pixel, one in zip(four, inked, strict=True) if one])} on {on}"


def _colour_distance(one: Colour, other: Colour) -> int:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


def _average_colour(colours: Sequence[Colour]) -> str:
    red, green, blue = (sum(channel) // len(colours) for channel in zip(*colours, strict=True))
    return f"#{red:02x}{green:02x}{blue:02x}"
