"""What each part of the table's screen draws: every game in the middle and at its great moments,
with everything that may be told besides, at a few sizes, with every colour.
`pytest tests/views --snapshot-update` renews it; read the difference."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace
from PIL import Image
from syrupy.assertion import SnapshotAssertion
from textual.content import Content
from textual.geometry import Size

from companion.games.donkey_valley import moves as ask
from companion.live.live_session import LiveSession
from companion.live.snapshot import CardMove, ClockFace, FollowerStatus, ShownQuestion
from companion.rules.contract import Chance, Text
from companion.table.sightings import Battery, Health
from companion.texts import Translator
from companion.views.dashboard.screens.table_screen import Rounds, TableMessages, TopBar, draw_clock
from companion.views.dashboard.widgets.screen_part import ScreenPart, ScreenState
from companion.views.dashboard.widgets.seats import Seats
from companion.views.dashboard.widgets.stage import Stage, compute_columns, draw_mosaic, draw_picture_cells
from companion.views.moments import find_moment
from companion.views.panel import load_face_builder
from tests.views.looks import Inks, describe_lines
from tests.views.screens import DRAMAS, FOUR, hands_only, middle
from tests.views.table import SEVEN, Characters, first_round, live_session, played_out

SIZES: dict[type[ScreenPart], Sequence[tuple[int, int]]] = {
    TopBar: ((70, 1), (99, 1), (100, 1)),
    Stage: ((80, 6), (104, 11), (140, 15), (198, 24)),
    Seats: ((38, 4), (60, 13), (100, 26)),
    TableMessages: ((80, 3), (116, 8)),
    Rounds: ((48, 14), (100, 32)),
}
"""Sizes to be looked at; `test_every_width` tries all."""
GLANCES = ((80, 9), (200, 30))


class BareSeats(Seats):
    """The players without a screen around them."""

    def __init__(self, size: tuple[int, int], *, glance: bool) -> None:
        super().__init__()
        self._size_of_test, self._glance = Size(*size), glance

    @property
    def content_size(self) -> Size:
        return self._size_of_test

    @property
    def screen(self) -> Any:
        return SimpleNamespace(has_class=lambda name: name == "-glance" and self._glance)


def draw(
    part: type[ScreenPart], state: ScreenState, size: tuple[int, int], *, glance: bool = False
) -> list[Content]:
    if part is Seats:
        seats = BareSeats(size, glance=glance)
        seats.screen_state = state
        return seats.draw_lines(state, *size)
    return part().draw_lines(state, *size)


def state_of(
    live: LiveSession, language: str = "en", *, told: dict[str, Any] | None = None, **changes: Any
) -> ScreenState:
    snapshot = replace(live.snapshot(), **changes)
    translator = Translator(language, live.game).with_names(snapshot.people.display_names)
    face = load_face_builder(snapshot.setup.game)(snapshot.view, translator)
    moment = find_moment(snapshot, face, translator)
    return ScreenState(snapshot, face, translator, moment=moment)._replace(**(told or {}))


@cache
def middle_of(game: str) -> LiveSession:
    return middle(game)


@cache
def first_result() -> LiveSession:
    live = live_session(FOUR)
    first_round(live)
    return live


@cache
def ended(game: str) -> LiveSession:
    return played_out(SEVEN[:3] if game == "dtc" else FOUR, game)


def refused() -> ScreenState:
    live = middle("donkey_valley")
    assert live.submit_request(ask.Favour("Dora", 3)) is not None
    return state_of(live)


def named(text: str, **args: Any) -> Text:
    return Text(text, args)


def troubled(readers: str, followers: str, **told: Any) -> ScreenState:
    """A table with two readers and followers in these states, and a clock."""
    lost = named("reader.camera.cannot_open", device="0")
    fine = named("reader.camera.starting", device="0")
    first, second = readers.split()
    return state_of(
        middle_of("donkey_valley"),
        "de",
        health=(
            Health("camera 0", first, lost if first == "lost" else fine, 0.0, sense="camera"),
            Health("rfid 1", second, fine, 0.0, Battery(9, charging=first == "ok")),
        ),
        followers=tuple(
            FollowerStatus(
                named("of_whom", who="Liga", what=one), named("of_whom", who="Liga", what=one), one
            )
            for one in followers.split()
        ),
        clock=ClockFace(None, 61.2, {}, paused=False, warning="none"),
        keeping=named("page.no_journal") if first == "lost" else None,
        told=told,
    )


MOVES = (
    CardMove("load:Ann:7", "seat:1", "middle"),
    CardMove("donkey:giant", None, "middle"),
    CardMove("load:Bob:2", "seat:2", None),
)
STATES: dict[str, Callable[[], ScreenState]] = {
    **{
        game: lambda game=game: state_of(middle_of(game))
        for game in ("donkey_valley", "dtc", "ochs_und_esel", "partners", "ascend")
    },
    **{name: lambda make=make: state_of(make(), "de") for name, make in DRAMAS.items()},
    "hands_only": lambda: state_of(hands_only()),
    "result": lambda: state_of(first_result()),
    "result that is over": lambda: state_of(first_result())._replace(moment=None),
    "won": lambda: state_of(ended("donkey_valley"))._replace(moment=None),
    "last result": lambda: state_of(ended("dtc"), "fr"),
    "won with fewest": lambda: state_of(ended("dtc"), "fr")._replace(moment=None),
    "seven": lambda: state_of(live_session(SEVEN)),
    "refused": refused,
    "question": lambda: state_of(
        middle_of("dtc"), questions=(ShownQuestion(1, named("of_whom", who="Ann", what="7?"), None),)
    ),
    "paused": lambda: state_of(middle_of("ascend"), "fr", paused=True),
    "moves": lambda: state_of(middle_of("donkey_valley"), moves=MOVES, odds=Chance("odds.overloaded", 1, 4)),
    "well": lambda: troubled("ok starting", "ok", demo=True),
    "pictures": lambda: troubled("starting look", "waiting", pictures=True),
    "off": lambda: troubled("off ok", "away"),
    "lost": lambda: troubled("lost ok", "fault", pictures=True),
}


def drawings(state: ScreenState) -> Iterator[str]:
    inks = Inks()
    for part, sizes in SIZES.items():
        for size in sizes:
            yield f"[{part.__name__} {size}]\n{describe_lines(draw(part, state, size), inks)}"
    for size in GLANCES:
        yield f"[glance {size}]\n{describe_lines(draw(Seats, state, size, glance=True), inks)}"
    yield inks.list_styles() + "\n"


def test_a_picture_is_drawn_in_quarters_of_a_cell_in_two_colours_each() -> None:
    """The two colours that differ most, each joined by the pixels nearer to it."""
    black, dark, white, red = (0, 0, 0), (20, 20, 20), (255, 255, 255), (255, 0, 0)
    picture = Image.new("RGB", (4, 4))
    picture.putdata([white, black, red, red, dark, black, red, white, *[black] * 2, white, black, *[black] * 2, white, black])  # fmt: skip
    drawn = draw_picture_cells(picture, 2, 2)
    assert [line.plain for line in drawn] == ["▘▛", " ▌"]
    assert [[str(span.style) for span in line.spans] for line in drawn] == [
        ["#ffffff on #060606", "#ff0000 on #ffffff"],
        ["on #000000", "#ffffff on #000000"],
    ]
    assert compute_columns(picture, 6) == 12
    assert compute_columns(Image.new("RGB", (30, 40)), 8) == 12
    assert draw_mosaic("donkey_valley", "no such card", 9, 9) == ()
    sizes = ((1, 1), (0, 1), (1, 0))
    assert [len(draw_mosaic("donkey_valley", "donkey:giant", *size)) for size in sizes] == [1, 0, 0]


def test_the_time_that_is_left_is_rounded_up() -> None:
    def draw(left: float | None, warning: Any = "none", *, paused: bool = False) -> tuple[str, list[str]]:
        drawn = draw_clock(ClockFace(None, left, {}, paused, warning), Translator("en"))
        return drawn.plain, [str(span.style) for span in drawn.spans]

    assert draw(61.2) == ("◷ 1:02", ["bold"])
    assert draw(60.0) == ("◷ 1:00", ["bold"])
    assert draw(0.01, "soon") == ("◷ ! 0:01", ["bold $warning"])
    assert draw(0.0, "up") == ("◷ !! 0:00", ["bold reverse $error"])
    assert draw(-5.0, "up") == ("◷ !! 0:00", ["bold reverse $error"])
    assert draw(None) == ("", [])
    assert draw(9.0, paused=True) == ("‖ paused", ["bold $warning"])


@pytest.mark.parametrize("name", STATES)
def test_what_is_drawn(name: str, snapshot: SnapshotAssertion) -> None:
    assert "\n\n".join(drawings(STATES[name]())) == snapshot(extension_class=Characters)
