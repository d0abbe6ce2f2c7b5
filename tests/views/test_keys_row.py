"""A row of keys that is drawn anew all evening long keeps none of those of before."""

from __future__ import annotations

import asyncio
import gc
from contextlib import nullcontext

from textual.app import App
from textual.widgets._footer import FooterKey

from companion.views.dashboard.screens.table_screen import KeysRow
from companion.views.table_session import ShareSwitch
from tests.views.table import SEVEN, dashboard, live_session, wait_until


class Table(App):
    BINDINGS = [("a", "bell", "One"), ("b", "quit", "Two")]

    def compose(self):
        yield KeysRow(show_command_palette=False, compact=True)


def keys() -> int:
    gc.collect()
    return sum(isinstance(one, FooterKey) for one in gc.get_objects())


def test_the_keys_of_before_are_let_go():
    async def evening():
        app = Table()
        async with app.run_test() as pilot:
            await pilot.pause()
            row = app.query_one(KeysRow)
            for _ in range(10):
                row.refresh(recompose=True)
                await pilot.pause()
            return keys(), len(row.query(FooterKey))

    kept, shown = asyncio.run(evening())
    assert shown == 2
    assert kept <= 2 * shown


def test_how_others_join_finds_room_in_the_narrowest_row():
    async def row():
        app = dashboard(
            live_session(SEVEN[:4]), sharing=ShareSwitch(lambda _network: nullcontext(lambda: None))
        )
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            return [key.key_display for key in app.screen.query(FooterKey)]

    assert {"j", "?", "q"} <= set(asyncio.run(row()))


def test_no_key_is_cut_where_there_is_no_room_for_all():
    class Many(Table):
        BINDINGS = [(key, "bell" if key == "a" else f"do_{key}", f"Word {key}") for key in "abcdefghijklm"]

    async def evening():
        app = Many()
        async with app.run_test(size=(80, 24)) as pilot:
            for width, fitting in ((80, 8), (40, 4), (120, 13)):
                await pilot.resize_terminal(width, 24)
                await wait_until(pilot, lambda fitting=fitting: len(app.query(FooterKey)) == fitting)
                shown = list(app.query(FooterKey))
                assert all(app.screen.region.contains_region(key.region) for key in shown)

    asyncio.run(evening())
