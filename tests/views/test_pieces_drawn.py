"""The pieces of which screens are drawn, as tables of what goes in and what comes out: gauges,
names in calls, names beside cards, lights."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from rich.style import Style as RichStyle
from textual.content import Content
from textual.geometry import Offset, Region, Size

from companion.live.corrections import PointsChange
from companion.readers.camera.pictures import CardLabel
from companion.texts import Translator
from companion.views.block_letters import draw_block_letters
from companion.views.conversations import (
    EntryTurn,
    PartsProgress,
    PointsBeforeAfter,
    Reply,
    Sentence,
    prompt_for_correction,
    prompt_for_people_change,
)
from companion.views.dashboard.menu_drawing import draw_menu_texts, draw_sentence, hang_words
from companion.views.dashboard.screens.pads import PadsScreen, PadView
from companion.views.dashboard.screens.table_screen import TopBar
from companion.views.dashboard.screens.text_dialogs import ExplanationScreen
from companion.views.dashboard.setup import SeatRow
from companion.views.dashboard.widgets.banner import Notice, draw_fitting_call, select_notice
from companion.views.dashboard.widgets.camera_preview import Preview, place_labels, shrink_picture
from companion.views.dashboard.widgets.screen_part import align_right
from companion.views.dashboard.widgets.seats import _draw_title, draw_seats_across
from companion.views.dashboard.widgets.stage import Stage, _draw_other_players, _draw_winners, draw_podium
from companion.views.moments import Gain, RevealMoment
from companion.views.panel import Gauge, Seat
from companion.views.session_page import _PointsLine, _render_plot
from companion.views.themes import mark_for_seat
from tests.views.looks import PICTURE
from tests.views.table import SEVEN, first_round, live_session
from tests.views.test_parts_drawn import STATES, BareSeats, state_of, troubled

PANEL = Path(__file__).resolve().parents[2] / "firmware/src/panel.cpp"


def draw_gauge(width: int, **changes: Any) -> str:
    """The bar: each run of signs, with the style that it is drawn in."""
    state = STATES["donkey_valley"]()
    face = replace(state.face, gauge=Gauge("Load", **changes))
    [line] = [one for one in Stage().draw_lines(state._replace(face=face), width, 9) if "▕" in one.plain]
    found = [(line.plain[span.start : span.end], str(span.style)) for span in line.spans]
    assert line.plain == f"▕{''.join(words for words, _ in found[:-1])}▏{found[-1][0]}"
    return "; ".join(f"{words} {style}" for words, style in found if words)


@pytest.mark.parametrize(("width", "is_large"), [(35, False), (36, True), (46, True)])
def test_figures_are_large_where_they_leave_half_of_the_width(width: int, is_large: bool) -> None:
    state = STATES["donkey_valley"]()
    face = replace(state.face, gauge=Gauge("Load", value=23, limit=18))
    rows = [row.plain for row in Stage().draw_lines(state._replace(face=face), width, 9)]
    large = draw_block_letters("23/18", 3)
    assert [row.endswith(one) for row, one in zip(rows, large, strict=False)] == [is_large] * len(large)


def test_the_marks_of_a_name_have_words_where_they_fit() -> None:
    seat = Seat("Bob", "3", awaited=True, first=True)
    words = "2  ● Bob  ① first player  ◀ now"
    for room, drawn in ((len(words), words), (len(words) - 1, "2  ● Bob  ①  ◀")):
        assert [row.plain for row in _draw_title(seat, 2, Translator("en"), room, large=False)] == [drawn]


def test_a_game_without_seats_draws_no_players() -> None:
    state = STATES["donkey_valley"]()
    seats = BareSeats((40, 9), glance=False)
    seats.screen_state = state._replace(face=replace(state.face, seats=()))
    assert seats.draw_lines(seats.screen_state, 40, 9) == []


@pytest.mark.parametrize(
    ("size", "ranks", "rows"),
    [
        ((120, 40), (1, 2, 3, 4), (16, 10, 5, 0)),
        ((120, 40), (1, 2), (16, 10)),
        ((120, 40), (1, 2, 2, 2, 5), (16, 10, 10, 10, 0)),
        ((120, 40), (1, 1, 3, 3, 3, 3), (16, 16, 5, 5, 5, 0)),
        ((120, 40), (1, 1, 1, 1), (17, 17, 17, 17)),
        ((120, 10), (1, 2, 3), (3, 2, 2)),
        ((120, 7), (1, 2, 3), (0, 0, 0)),
        ((60, 40), (1, 2, 3), (16, 10, 6)),
        ((59, 40), (1, 2, 3), (16, 0, 0)),
    ],
)
def test_the_podium_has_a_step_for_each_of_the_best(
    size: tuple[int, int], ranks: Sequence[int], rows: Sequence[int]
) -> None:
    """As high as the rank is good; those who share the last place stand on it, up to five."""
    state = STATES["seven"]()
    ranking = [{"player": one, "points": 9 - rank, "rank": rank} for one, rank in zip(SEVEN, ranks)]  # noqa: B905
    view = {**state.snapshot.view, "result": {"winners": ["Ann"], "ranking": ranking}}
    won = state._replace(snapshot=replace(state.snapshot, view=view))
    styles = [
        str(span.style) for line in draw_podium(won, Notice(("Ann!",), ""), *size) for span in line.spans
    ]
    steps = [styles.count(f"bold $background on $seat-{seat + 1}") for seat in range(len(ranks))]
    assert steps == [*rows]


def test_who_stands_below_the_podium_stands_in_one_column_where_there_is_room_for_one() -> None:
    ranking = [{"player": one, "points": 9 - rank, "rank": rank} for rank, one in enumerate(SEVEN, 1)]
    below = _draw_other_players(STATES["seven"](), ranking[3:], 14)
    assert [row.plain.strip().split(".")[0] for row in below] == ["4", "5", "6", "7"]


TONES = (
    (Sentence("So it is"), "So it is", ""),
    (Sentence("Round 2", "title"), "Round 2", "bold $primary"),
    (Sentence("Which card?", "question"), "Which card?", "bold $warning"),
    (Sentence("Look again", "warn"), "Look again", "$warning"),
    (Sentence("Not allowed", "bad"), "✘ Not allowed", "bold $error"),
    (Sentence("Corrected", "done"), "✔ Corrected", "$success"),
    (Sentence("No longer possible", "fallen"), "✘ No longer possible", "$warning"),
    (Sentence("An aside", "quiet"), "An aside", "$foreground-muted"),
    (Sentence("Bob plays", "past"), "Bob plays", "strike $foreground-muted"),
    (Reply("a", "Accept", None, tone="strong"), "Accept", "bold"),
    (Reply("a", "Accept", None, tone="refused"), "✘ Accept", "$foreground-muted"),
    (Reply("a", "Ann", None, seat=1), "▲ Ann", "bold $seat-1"),
)


def test_the_tone_of_a_sentence_is_a_sign_and_a_style() -> None:
    """Colour never tells it alone where something is right or wrong."""
    for row, drawn, style in TONES:
        line = draw_sentence(row)
        assert line.plain == drawn
        assert [str(span.style) for span in line.spans if str(span.style)] == [style] * bool(style)


def test_players_without_room_for_large_letters_stand_beside_their_signs() -> None:
    """Each in columns of its own, the last of which stays free."""
    seats = [Seat("Annegret-Friederike-Charlotte", "27"), Seat("Bob", "9")]
    rows = [row.plain for row in draw_seats_across(seats, 48, 3)]
    assert rows == [
        "▲ Annegret-Friederike-…          ● Bob          ",
        "          27                       9            ",
        " " * 48,
    ]
    narrow = [row.plain.strip() for row in draw_seats_across(seats[1:] * 2, 15, 4)]
    assert narrow == ["▲ Bob", "9", "● Bob", "9"]
    for width, across in ((31, 1), (32, 2)):
        [name, *_] = [row.plain for row in draw_seats_across(seats[1:] * 2, width, 4) if "Bob" in row.plain]
        assert name.count("Bob") == across


def test_whoever_won_most_digits_stands_first_in_large_letters() -> None:
    reveal = RevealMoment("Won", "3 + 12", "", (Gain(1, "Ann", "3"), Gain(2, "Bob", "12")))
    lines = _draw_winners(reveal, 120, 9)
    assert [str(span.style) for span in lines[-1].spans if str(span.style)] == [
        "bold $seat-2",
        "bold $seat-1",
    ]


@pytest.mark.parametrize(
    ("width", "gauge", "drawn"),
    [
        (23, {"value": None, "limit": None}, "░░░░░░░░░░░░░ $foreground-muted;  Load –  bold"),
        (23, {"value": 0, "limit": 10}, "░░░░░░░░░░ $foreground-muted;  Load 0/10  bold"),
        (23, {"value": 5, "limit": 10}, "█████ $success; ░░░░░ $foreground-muted;  Load 5/10  bold"),
        (24, {"value": 10, "limit": 10}, "██████████ $success;  Load 10/10  bold"),
        (24, {"value": 20, "limit": 10}, "█████ $warning; ▓▓▓▓▓ $warning;  Load 20/10  bold"),
        (24, {"value": 20, "limit": 10, "tone": "bad"}, "█████ $warning; ▓▓▓▓▓ $error;  Load 20/10  bold"),
        (23, {"value": 2, "limit": 0}, "▓▓▓▓▓▓▓▓▓▓▓ $warning;  Load 2/0  bold"),
        (23, {"value": 7, "limit": None}, "███████████ $success;  Load 7/–  bold"),
        (10, {"value": 1, "limit": 4}, "█ $success; ░░░ $foreground-muted;  Load 1/4  bold"),
        (
            23, {"value": None, "limit": 10, "parts": (4, 5), "owners": (1, 2)},
            " ▲4  bold $background on $seat-1;   ●5  bold $background on $seat-2; ░ $foreground-muted;  Load 9/10  bold",
        ),
        (
            23, {"value": None, "limit": 10, "parts": (3, 5), "owners": (2, 1)},
            "    bold $background on $seat-2;   ▲5  bold $background on $seat-1; ░░ $foreground-muted;  Load 8/10  bold",
        ),
        (23, {"value": None, "limit": 10, "parts": (3, 5)}, "████████ $success; ░░ $foreground-muted;  Load 8/10  bold"),
        (
            23, {"value": 9, "limit": 10, "parts": (3, 5), "owners": (2, 1)},
            "█████████ $success; ░ $foreground-muted;  Load 9/10  bold",
        ),
        (
            23, {"value": None, "limit": 8, "parts": (5, 5), "owners": (1, 2)},
            "████████ $warning; ▓▓ $warning;  Load 10/8  bold",
        ),
    ],
)  # fmt: skip
def test_a_gauge_is_filled_in_proportion(width: int, gauge: dict[str, Any], drawn: str) -> None:
    """Beyond the limit nothing is green; cards have their players' colours while all are known."""
    assert draw_gauge(width, **gauge) == drawn


def test_a_name_in_a_call_is_cut_where_that_saves_letters() -> None:
    """A full stop in place of one letter saves none."""
    calls = select_notice(state_of(live_session(("Maximilian Alexander K", "Bo", "Cy"), "dtc"))).calls
    names = [call.split(":")[0] for call in calls if "\n" not in call]
    assert names[0] == "Maximilian Alexander."
    assert names[1:5] == [
        "Maximilian Alexande.",
        "Maximilian Alexand.",
        "Maximilian Alexan.",
        "Maximilian Alexa.",
    ]
    assert names[-3:] == ["Maxim.", "Maxi.", "Max."]
    assert "Max." not in " ".join(select_notice(state_of(live_session(("Maxi", "Bo", "Cy"), "dtc"))).calls)
    calls = select_notice(state_of(live_session(("名前", "Bo", "Cy"), "dtc"))).calls
    assert {call[:2] for call in calls} == {"1:"}, "the seat of a name that has no large letters"


def test_two_lines_come_before_smaller_letters() -> None:
    """And these before any shorter name."""
    calls = ("CHLOÉ: LOAD", "CHLOÉ:\nLOAD", "C.: LOAD")
    large, small = (draw_block_letters("CHLOÉ: LOAD", size) for size in (5, 3))
    apart = [*draw_block_letters("CHLOÉ:", 5), *draw_block_letters("LOAD", 5)]
    for width, height, drawn in (
        (len(large[0]), 30, large),
        (len(large[0]) - 1, len(apart), apart),
        (len(large[0]) - 1, len(apart) - 1, small),
        (len(small[0]) - 1, 5, draw_block_letters("C.: LOAD", 3)),
        (9, 9, ()),
    ):
        assert [*draw_fitting_call(calls, width, height, (5, 3))] == [*drawn]


LABELS = {
    "at the left edge": ((0.15, 0.2, 1.0, 0.3, "ann"), (0, 2)),
    "at the upper edge": ((0.0, 0.1, 1.0, 1.0, "ann"), (8, 0)),
    "at the right edge": ((0.0, 0.2, 0.85, 0.3, "ann"), (17, 2)),
    "at the lower edge": ((0.0, 0.0, 1.0, 0.9, "ann"), (8, 9)),
    "right of it": ((0.1, 0.2, 0.2, 0.3, "ann"), (4, 2)),
    "left of it, where the right edge is near": ((0.8, 0.2, 0.95, 0.3, "ann"), (13, 2)),
    "below it, where both edges are": ((0.0, 0.2, 1.0, 0.3, "ann"), (8, 3)),
    "above it, where the lower edge is too": ((0.0, 0.2, 1.0, 1.0, "ann"), (8, 1)),
    "on it, where all are": ((0.0, 0.0, 1.0, 1.0, "ann"), (8, 5)),
    "on one that is a point": ((0.5, 0.5, 0.51, 0.51, "ann"), (9, 5)),
    "nowhere": ((0.0, 0.0, 1.0, 1.0, "a" * 21), None),
}


def test_a_name_may_touch_two_cards() -> None:
    too_long = "a" * 21
    for left, right in ((0.5, 0.65), (0.95, 1.0)):
        labels = [(0.8, 0.2, 0.95, 0.3, "ann"), (left, 0.2, right, 0.3, too_long)]
        assert place_labels(labels, 20, 10) == [(13, 2, "ann")]


@pytest.mark.parametrize("where", LABELS)
def test_where_the_name_of_a_card_stands(where: str) -> None:
    """In a picture of 20 by 10 cells."""
    label, place = LABELS[where]
    assert place_labels([label], 20, 10) == ([] if place is None else [(*place, label[4])])


@pytest.mark.parametrize(
    ("labels", "placed"),
    [
        # its own side is another card's: below it
        ([(0.1, 0.2, 0.2, 0.3, "ann"), (0.3, 0.2, 0.4, 0.3, "bob")], [(1, 3, "ann"), (8, 2, "bob")]),
        # a tall card has its name beside its middle, where another row is free
        ([(0.1, 0.2, 0.2, 0.6, "ann"), (0.2, 0.2, 0.4, 0.3, "bob")], [(4, 4, "ann"), (8, 2, "bob")]),
        # over another card rather than nowhere, but never over another name
        (
            [(0, 0.2, 0.1, 0.3, "ann"), (0.12, 0, 0.3, 0.2, "bob"), (0.12, 0.2, 0.3, 0.3, "cid"), (0.12, 0.3, 0.3, 0.4, "dan")],
            [(2, 2, "ann"), (6, 1, "bob"), (6, 2, "cid"), (6, 3, "dan")],
        ),
        # several names of one place are moved aside: below it, above it, on it
        (
            [(0, 0.2, 1, 0.3, name) for name in "abcdefghijkl"],
            [
                *zip((9, 11, 7, 13, 5), (3,) * 5, "abcde", strict=True),
                *zip((9, 11, 7, 13, 5), (1,) * 5, "fghij", strict=True),
                (9, 2, "k"),
            ],
        ),
        ([(0.1, 0.2, 0.2, 0.3, "李四"), (0.6, 0.7, 0.7, 0.8, "ann")], [(4, 2, "李四"), (14, 7, "ann")]),
    ],
)  # fmt: skip
def test_names_of_cards_side_by_side(
    labels: Sequence[CardLabel], placed: Sequence[tuple[int, int, str]]
) -> None:
    assert place_labels(labels, 20, 10) == placed


def test_every_colour_of_the_firmware_is_named() -> None:
    """Colour never carries the meaning alone; the dot has its full brightness."""
    source = PANEL.read_text(encoding="utf-8")
    found = re.findall(r"(\w+) = \{(\d+), (\d+), (\d+)\}", source)
    trays = SimpleNamespace(pads=("middle",), list_cards=lambda _pad: ())
    drawn = {}
    for name, *parts in found:
        light = "#{:02x}{:02x}{:02x}".format(*map(int, parts))
        lines = PadsScreen(trays, Translator("en"))._draw_pad(PadView("middle"), light)
        drawn[name] = lines.plain.split("\n")[1], lines.plain[0], str(lines.spans[0].style)
    assert drawn == {
        "dark": ("dark", "○", "$foreground-muted"),
        "green": ("green: accepted", "●", "rgb(0,255,0)"),
        "red": ("red: refused or unknown", "●", "rgb(255,0,0)"),
        "amber": ("amber: look here", "●", "rgb(255,109,0)"),
        "blue": ("blue: your turn", "●", "rgb(0,48,255)"),
        "white": ("white", "●", "rgb(255,255,255)"),
    }


class ClickedSeats(BareSeats):
    """The players without a screen; what clicks run is remembered."""

    def __init__(self, count: int, size: tuple[int, int], *, glance: bool = False) -> None:
        super().__init__(size, glance=glance)
        self.ran: list[str] = []
        state = STATES["seven"]()
        self.screen_state = state._replace(face=replace(state.face, seats=state.face.seats[:count]))

    @property
    def app(self) -> Any:
        return self

    async def run_action(self, action: str) -> None:
        self.ran.append(action)

    async def click(self, x: int, y: int) -> None:
        event: Any = SimpleNamespace(
            stop=lambda: None, get_content_offset_capture=lambda _widget: Offset(x, y)
        )
        await self.on_click(event)


@pytest.mark.parametrize("size", [(40, 3), (80, 4), (60, 2), (38, 7), (60, 16), (99, 40)], ids=str)
@pytest.mark.parametrize("count", [2, 3, 5, 7])
async def test_a_click_on_a_name_opens_the_panel_there(count: int, size: tuple[int, int]) -> None:
    """Whether players stand below each other or, in a low terminal, in several columns."""
    seats = ClickedSeats(count, size)
    drawn = [line.plain for line in seats.draw_lines(seats.screen_state, *size)]
    for number in range(1, count + 1):
        mark = re.compile(rf"{number} *{mark_for_seat(number).shape}")
        [(x, y)] = [(found.start(), row) for row, line in enumerate(drawn) if (found := mark.search(line))]
        await seats.click(x, y)
    assert seats.ran == [f"seat({number})" for number in range(1, count + 1)]


async def test_a_click_beside_the_players_opens_nothing() -> None:
    seats, glance = ClickedSeats(2, (40, 40)), ClickedSeats(2, (40, 40), glance=True)
    await seats.click(3, 16)
    await glance.click(3, 0)
    assert seats.ran + glance.ran == []
    await seats.click(39, 15)
    assert seats.ran == ["seat(2)"]
    seats.screen_state = None
    await seats.click(3, 0)
    assert len(seats.ran) == 1


def top_line(followers: str, width: int, **changes: Any) -> str:
    state = troubled("ok ok", followers)
    state = state._replace(snapshot=replace(state.snapshot, **changes))
    return TopBar().draw_lines(state, width, 1)[0].plain


def test_what_the_line_at_the_top_leaves_out() -> None:
    """Only bad news in a narrow terminal; a battery is told there too."""
    assert "Liga: ok" not in top_line("ok fault", 99)
    assert "Liga: fault ✖" in top_line("ok fault", 99)
    assert "Liga: ok ●  Liga: fault ✖" in top_line("ok fault", 140)
    assert "9 %" in top_line("", 80)


class Looked(Preview):
    """A preview without an app."""

    app = SimpleNamespace(supports_smooth_scrolling=False, no_color=False)
    size, content_region = Size(8, 4), Region(1, 2, 8, 4)
    display = True

    def __init__(self, picture_of: Any) -> None:
        super().__init__(picture_of)
        self.refreshed = 0

    def refresh(self, *_: Any, **__: Any) -> Any:
        self.refreshed += 1
        return self


def test_a_still_picture_is_looked_at_less_often() -> None:
    looks: list[int] = []
    shown = {"now": np.full((8, 8, 3), 100, np.uint8)}
    preview = Looked(lambda: looks.append(1) or shown["now"])
    for _ in range(22):
        preview.update_picture()
    assert (len(looks), preview.refreshed) == (6, 1), "the first, and then once in five"
    # noise at a border changes no more than one pixel in a hundred
    for pixels, painted in ((0, 1), (1, 2)):
        shown["now"] = shown["now"].copy()
        shown["now"][:pixels, 0] = 255
        for _ in range(5):
            preview.update_picture()
        assert preview.refreshed == painted
    preview.display = False
    looks.clear()
    for _ in range(12):
        preview.update_picture()
    assert looks == []


def test_a_picture_in_the_terminal_goes_once_the_next_one_is_there(monkeypatch) -> None:
    monkeypatch.setenv("TERM", "xterm-kitty")
    told: list[str] = []
    preview = Looked(lambda: np.full((8, 8, 3), 100 * len(told), np.uint8))
    preview.app = SimpleNamespace(supports_smooth_scrolling=True, no_color=False)
    monkeypatch.setattr(preview, "_write_escapes", told.append)
    for step in (preview.update_at_once, preview.update_at_once, preview.on_hide, preview.on_hide):
        step()
    first, second = (re.findall(r"i=(\d+)", one)[0] for one in told[:2])
    done = [re.findall(r"a=([Td]),.*?i=(\d+)", one) for one in told]
    assert done == [[("T", first)], [("T", second), ("d", first)], [("d", second)]]


def test_a_picture_is_two_pixels_in_a_cell() -> None:
    """Upper pixel as foreground, lower as background; labels over it; blanks beside it."""
    picture = np.zeros((4, 4, 3), np.uint8)
    picture[0, 1:3] = (0, 0, 240)
    picture[3] = (240, 0, 0)
    preview = Looked(lambda: picture)
    preview._labels_of = lambda: [(0.75, 0.5, 1, 1, "a")]
    type(preview).rich_style = RichStyle()
    preview.update_picture()
    rows = [[(one.text, str(one.style)) for one in preview.render_line(y)] for y in range(4)]
    black, blue = "rgb(0,0,0) on rgb(0,0,0)", "rgb(0,0,240) on rgb(0,0,240)"
    assert rows == [
        [("▀▀", black), ("▀▀▀▀", "rgb(240,0,0) on rgb(240,0,0)"), ("▀▀", black)],
        [("▀▀▀▀▀▀▀▀", black)],
        [("▀▀▀▀▀▀▀▀", black)],
        [("▀▀▀", blue), (" a ", "bold black on rgb(143,214,148)"), ("▀▀", blue)],
    ]
    assert [one.text for one in preview.render_line(4)] == [" " * 8]
    assert np.all(shrink_picture(np.full((4, 4, 3), 255, np.uint8), 4, 2) == 255), "white stays white"


def draw_turn(player: str | None, *others: str) -> list[str]:
    names = ("Maximilian Alexander Konstantin von X", "Bartholomäus Emanuel", "Cy")
    turn = EntryTurn(player and names[int(player)], tuple(names[int(one)] for one in others), names)
    return draw_menu_texts((), Translator("en"), turn).plain.split("\n")


def test_whose_turn_it_is_and_who_comes_next() -> None:
    assert draw_turn("0") == ["▲ Maximilian Alexander Konstant…"]
    assert draw_turn("1", "0", "2") == ["● Bartholomäus Emanuel", "Tab  then ▲ Maximilian … ■ Cy"]
    assert draw_turn(None, "1") == ["The table: what happens?", "Tab  then ● Bartholomäu…"]


LENGTHS = tuple(letter * size for letter, size in zip("ABCDEFG", (10, 11, 16, 17, 18, 40, 41), strict=True))


def test_names_are_cut_where_they_would_push_out_the_rest() -> None:
    live, say = live_session(LENGTHS), Translator.for_game("en", "donkey_valley")
    first_round(live)
    now = live.snapshot()
    ranking = [{"player": name, "points": 3, "rank": 1} for name in LENGTHS]
    over = replace(now, view={**now.view, "result": {"winners": LENGTHS, "ranking": ranking}})
    sheet, row = ExplanationScreen(over, [], say), SeatRow()
    row._names = LENGTHS
    lines = [_PointsLine(name, 1, [Fraction(), Fraction()]) for name in LENGTHS]
    rounds, people = (
        [row.words for row in next(prompt(live, say)).rows]
        for prompt in (prompt_for_correction, prompt_for_people_change)
    )
    for most, words in (
        (10, _render_plot(lines, [1, 2], say)),
        (16, draw_menu_texts([PointsBeforeAfter([PointsChange(name, 1, 2) for name in LENGTHS])], say)),
        (16, rounds[0]),
        (40, people),
        (40, sheet._draw_ranking()),
        (40, [sheet._draw_player_reasons(name, ()) for name in LENGTHS]),
        (17, row._draw_badges()),
    ):
        told = str(words)
        assert [name for name in LENGTHS if name in told] == [name for name in LENGTHS if len(name) <= most]
        assert "…" in told


def test_points_and_parts_of_an_entry_stand_below_each_other() -> None:
    points = PointsBeforeAfter([PointsChange("Ann", 7, 12), PointsChange("Bob", 3, 3)])
    parts = PartsProgress("Seven steps", 3, 7, ("three with the first",))
    drawn = draw_menu_texts([points, parts], Translator("en"))
    styled = [(drawn.plain[one.start : one.end], str(one.style)) for one in drawn.spans]
    assert drawn.plain.split("\n") == [
        " ▲ Ann                 7 →    12",
        " ● Bob                 3 →     3",
        "Seven steps",
        "▰▰▰▱▱▱▱  3 of 7 used, 4 left",
        "✔ three with the first",
    ]
    assert styled == [
        (" ▲ Ann             ", "bold $seat-1"),
        ("   12", "bold $primary"),
        (" ● Bob             ", "bold $seat-2"),
        ("    3", "$foreground-muted"),
        ("Seven steps", "bold"),
        ("▰▰▰▱▱▱▱  ", "bold $primary"),
        ("✔ three with the first", "$success"),
    ]


@pytest.mark.parametrize(
    ("room", "drawn"),
    [
        (12, "k  one two three four"),  # too narrow to wrap
        (13, "k  one two three\n   four"),
        (17, "k  one two three\n   four"),
        (18, "k  one two three four"),
    ],
)
def test_words_hang_beside_their_key(room: int, drawn: str) -> None:
    assert hang_words(Content("k  "), Content("one two three four"), room).plain == drawn


@pytest.mark.parametrize(
    ("left", "width", "line"),
    [
        ("one two", 12, "one two  end"),
        ("one two", 11, "one two end"),
        ("one two", 10, "one t… end"),
        ("one   ", 7, "one end"),
        ("one", 3, " end"),
    ],
)
def test_what_stands_at_the_right_is_never_cut(left: str, width: int, line: str) -> None:
    """Blanks that have no room leave no ellipsis."""
    assert align_right(Content(left), Content("end"), width).plain == line


@pytest.mark.parametrize(
    ("width", "height", "is_there"), [(86, 8, True), (85, 8, False), (200, 7, False), (200, 24, True)]
)
def test_a_picture_stands_beside_the_words_where_they_stay_large(
    width: int, height: int, is_there: bool
) -> None:
    """Where 72 columns are left, and eight rows: it is 13 columns wide in as many."""
    lines = Stage().draw_lines(STATES["donkey_valley"](), width, height)
    assert any(PICTURE.search(str(span.style)) for line in lines for span in line.spans) is is_there


@pytest.mark.parametrize(
    ("term", "is_recent", "is_coloured", "draws"),
    [
        ("xterm-kitty", True, True, True), ("xterm-ghostty", True, True, True), ("xterm-256color", True, True, False),
        ("xterm-kitty", False, True, False), ("xterm-kitty", True, False, False),
    ],
)  # fmt: skip
def test_which_terminals_draw_pixels(
    term: str, is_recent: bool, is_coloured: bool, draws: bool, monkeypatch
) -> None:
    monkeypatch.setenv("TERM", term)
    preview = Looked(lambda: None)
    preview.app = SimpleNamespace(supports_smooth_scrolling=is_recent, no_color=not is_coloured)
    assert preview._can_draw_pixels is draws
