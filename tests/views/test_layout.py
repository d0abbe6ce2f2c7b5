"""Where the parts of the table's screen stand, on both sides of each limit, and what is harm.
`pytest tests/views --snapshot-update` renews it; read the difference."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from companion.texts import Translator
from companion.views.dashboard.app import Dashboard
from companion.views.dashboard.screens import table_screen
from companion.views.dashboard.screens.table_screen import TableScreen
from companion.views.moments import is_bad
from tests.message_codes import read_placeholders
from tests.views.screens import FOUR, middle
from tests.views.table import Characters, dashboard, played_out

SIZES = ((99, 31), (100, 32), (159, 51), (160, 52), (120, 15), (120, 16), (80, 23), (80, 24))
SHOWN = {
    "usual": (lambda: middle("donkey_valley"), ()),
    "entry": (lambda: middle("donkey_valley"), ("enter",)),
    "glance": (lambda: middle("donkey_valley"), ("g",)),
    "board": (lambda: middle("partners"), ()),
    "won": (lambda: played_out(FOUR), ()),
    "moment": (lambda: played_out(FOUR), ("v",)),
    "camera": (lambda: middle("donkey_valley"), ()),
    "watching": (lambda: middle("donkey_valley"), ("w",)),
}


def describe_regions(app: Dashboard) -> str:
    screen = app.screen
    parts = [
        f"{one.id or type(one).__name__} {tuple(one.region)}"
        for one in screen.walk_children()
        if one.region.area and one.id != "entry-wrong" and "FooterKey" not in type(one).__name__
    ]
    return "\n".join([f"[{app.size.width}x{app.size.height}] {sorted(screen.classes)}", *parts])


@pytest.mark.parametrize("name", SHOWN)
async def test_where_parts_stand(
    name: str, snapshot: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_screen, "_PICTURE_SECONDS", 1000.0)  # nothing waits for a picture
    make, keys = SHOWN[name]
    more = {"picture_of": lambda: None} if name in ("watching", "board", "camera") else {}
    app, told = dashboard(make(), language="en", **more), []
    async with app.run_test(size=SIZES[0]) as pilot:
        app.animation_level = "none"
        await pilot.press(*keys)
        for size in SIZES:
            await pilot.resize_terminal(*size)
            before = ""
            while (now := describe_regions(app)) != before:
                before = now
                await pilot.pause(0.05)
            told.append(now)
    assert "\n\n".join(told) == snapshot(extension_class=Characters)


def test_the_first_layout_has_the_classes_of_its_size() -> None:
    """Those that Textual sets after a resize."""
    from textual.geometry import Size  # noqa: PLC0415

    for width, height in SIZES:
        screen = TableScreen(None, tuple, lambda: None, Translator("en"))
        screen.apply_size_classes(Size(width, height))
        assert set(screen.classes) == {
            "-narrow" if width < 100 else "-normal" if width < 160 else "-wide",
            "-tiny" if height < 16 else "-short" if height < 24 else "-usual" if height < 32 else "-tall" if height < 52 else "-high",
        }  # fmt: skip


def test_what_is_harm(snapshot: SnapshotAssertion) -> None:
    """Of every short call that a game has: its moment is red or green."""
    told = [
        f"{'bad ' if is_bad(code) else 'good'} {code}"
        for code in sorted(read_placeholders())
        if code.startswith("moment.")
    ]
    assert "\n".join(told) == snapshot(extension_class=Characters)
