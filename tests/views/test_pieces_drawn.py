"""The pieces of which screens are drawn, as tables of what goes in and what comes out: gauges,
names in calls, names beside cards, lights."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from companion.readers.camera.pictures import CardLabel
from companion.texts import Translator
from companion.views.dashboard.screens.pads import PadsScreen, PadView
from companion.views.dashboard.widgets.banner import select_notice
from companion.views.dashboard.widgets.camera_preview import place_labels
from companion.views.dashboard.widgets.stage import Stage
from companion.views.panel import Gauge
from tests.views.table import live_session
from tests.views.test_parts_drawn import STATES, state_of

PANEL = Path(__file__).resolve().parents[2] / "firmware/src/panel.cpp"


def draw_gauge(width: int, **changes: Any) -> str:
    """The bar: each run of signs, with the style that it is drawn in."""
    state = STATES["donkey_valley"]()
    face = replace(state.face, gauge=Gauge("Load", **changes))
    [line] = [one for one in Stage().draw_lines(state._replace(face=face), width, 9) if "▕" in one.plain]
    found = [(line.plain[span.start : span.end], str(span.style)) for span in line.spans]
    assert line.plain == f"▕{''.join(words for words, _ in found[:-1])}▏{found[-1][0]}"
    return "; ".join(f"{words} {style}" for words, style in found if words)


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


LABELS = {
    "right of it": ((0.1, 0.2, 0.2, 0.3, "ann"), (4, 2)),
    "left of it, where the right edge is near": ((0.8, 0.2, 0.95, 0.3, "ann"), (13, 2)),
    "below it, where both edges are": ((0.0, 0.2, 1.0, 0.3, "ann"), (8, 3)),
    "above it, where the lower edge is too": ((0.0, 0.2, 1.0, 1.0, "ann"), (8, 1)),
    "on it, where all are": ((0.0, 0.0, 1.0, 1.0, "ann"), (8, 5)),
    "on one that is a point": ((0.5, 0.5, 0.51, 0.51, "ann"), (9, 5)),
    "nowhere": ((0.0, 0.0, 1.0, 1.0, "a" * 21), None),
}


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
