"""The end of a game: who has won in the largest letters there is room for, between confetti; the
podium; by how much."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from textual.content import Content

from companion.rules import registry
from companion.rules.contract import Text
from companion.rules.people import AsIs
from companion.views.bigtext import fitting
from companion.views.dashboard.widgets.band import centred, sizes, written
from companion.views.dashboard.widgets.banner import Notice
from companion.views.dashboard.widgets.part import ScreenState
from companion.views.marks import SHAPES, mark

_STANDS, _WIDEST = 3, 5
"""Places of a podium, the winner's in the middle; more only for a tie with the last."""
_STEPS = {1: 3, 2: 2, 3: 1}
"""Thirds of a step's height by rank; a rank that is shared stands as high."""
_CONFETTI = f"✦·{SHAPES[:7]}·✧"
_USUAL = (5, 3)
"""Sizes of letters that count: the donkey that was laden last stands beside a winner in these,
though without it they might be larger."""
_THICK = 11
"""One character of so many is confetti."""


def podium(shown: ScreenState, notice: Notice, width: int, height: int) -> list[Content]:
    """Celebrate. Nothing moves: photographs come out sharp, and nobody's eyes tire."""
    ranking = shown.snapshot.view["result"]["ranking"]
    alike = sum(row["rank"] <= ranking[min(_STANDS, len(ranking)) - 1]["rank"] for row in ranking)
    stands = min(alike, _WIDEST) if width >= 60 else 1
    below = [*_ahead(shown, ranking, width), *_others(shown, ranking[stands:], width)][: max(height - 4, 0)]
    rows = height - len(below)
    steps = _steps(shown, ranking[:stands], width, rows // 2) if rows >= 8 else []
    return [*_call(notice.calls, width, rows - len(steps)), *steps, *below][:height]


def call_rows(notice: Notice, width: int) -> int:
    """Return in how many rows the winner is called in so many columns, of the usual sizes."""
    return len(written(notice.calls[:1], width - 8, _USUAL[0], _USUAL)) or 1


def _call(calls: Sequence[str], width: int, height: int) -> list[Content]:
    """Write who has won over the whole width, confetti around it."""
    room = height - 1 if height < 6 else height - 2
    letters = written(calls, width - 8, room, sizes(room)) or calls[:1]
    above = (height - len(letters)) // 2
    rows = []
    for row in range(height):
        at = row - above
        words = letters[at] if 0 <= at < len(letters) else ""
        side = (width - len(words)) // 2 - (2 if words else 0)
        middle = Content.styled(words.center(width - 2 * side), "bold $primary")
        rows.append(_thrown(row, 0, side) + middle + _thrown(row, width - side, side))
    return rows


def _thrown(row: int, first: int, columns: int) -> Content:
    """Throw confetti on so many columns of a row: always the same, so that nothing flickers when it
    is drawn again."""
    pieces: list[str | tuple[str, str]] = []
    for column in range(first, first + columns):
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
    """Say by how much one player is ahead of who comes next; nothing where several have won."""
    if len(shown.snapshot.view["result"]["winners"]) != 1 or len(ranking) < 2:
        return []
    lead = abs(Fraction(ranking[0]["points"]) - Fraction(ranking[1]["points"]))
    if not lead:
        return []
    code = "podium.fewer" if registry.load(shown.snapshot.setup.game).lowest_wins else "podium.ahead"
    player = shown.say.name(ranking[1]["player"], 20)
    words = shown.say.say(Text(code, {"n": str(lead), "player": AsIs(player)}, 1 if lead <= 1 else 2))
    return [centred(Content.styled(words, "bold"), width)]


def _others(shown: ScreenState, ranking: Sequence[Any], width: int) -> list[Content]:
    """Name those below the podium, as many beside each other as there is room for."""
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
