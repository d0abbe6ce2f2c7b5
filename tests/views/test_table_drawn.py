"""What the table's screen and everything over it show while people press keys, with every colour.
`pytest tests/views --snapshot-update` renews it; read the difference."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from syrupy.assertion import SnapshotAssertion

from companion.rules.contract import Text
from companion.texts import Translator
from companion.views.dashboard.app import AvailableKeys
from companion.views.table_session import Backstage, Command, TableSession
from tests.views.looks import MOSTLY_SMALL, SMALL, WIDE
from tests.views.screens import FOUR, hands_only, middle
from tests.views.table import USUAL, Characters, dashboard, live_session, played_out, steady


@MOSTLY_SMALL
async def test_entering_by_keys(size, language, drawn) -> None:
    await drawn(
        dashboard(middle("donkey_valley"), language=language),
        size,
        ("the table", ()),
        ("the panel", ("enter",)),
        ("no row chosen", ("enter",)),
        ("a key that means nothing", ("ü",)),
        ("down to the second", ("down", "down")),
        ("entered", ("n",)),
        ("the next player", ("tab",)),
        ("undone", ("u",)),
        ("a key that may mean two things", ("r",)),
        ("redone", ("U",)),
        ("refused", ("7",)),
        ("closed", ("escape",)),
        ("at a seat that has nothing to do", ("4",)),
        ("at one that has", ("3",)),
        ("beyond the seats", ("escape", "9")),
    )


async def test_the_key_for_the_next_player_stays_where_nobody_else_is_awaited() -> None:
    async with dashboard(live_session(FOUR[:3], "dtc")).run_test(size=SMALL) as pilot:
        await pilot.press("enter")
        shown = await steady(pilot)
        await pilot.press("tab")
        assert await steady(pilot) == shown


async def test_entering_cards(drawn) -> None:
    await drawn(
        dashboard(hands_only(), language="en"),
        SMALL,
        ("the panel", ("enter",)),
        ("which cards", ("h",)),
        ("the beginning of a key", ("1",)),
        ("taken back", ("backspace",)),
        ("two cards", ("7", "d")),
        ("one less", ("backspace",)),
        ("no card's key", ("ü",)),
        ("done", ("j", "enter")),
        ("back to all ways", ("h", "escape")),
    )


async def test_entering_part_by_part(drawn) -> None:
    live = middle("partners")
    await drawn(
        dashboard(live, language="de"),
        WIDE,
        ("the panel", ("enter",)),
        ("the beginning of a key", ("1", "3")),
        ("complete", ("2",)),
        ("the next", ()),
    )


@pytest.mark.slow  # quickly, and alone: tests/views/test_small_screens.py
async def test_correcting(drawn) -> None:
    await drawn(
        dashboard(middle("donkey_valley"), language="en"),
        SMALL,
        ("which entry", ("c",)),
        ("its number typed", ("1", "3")),
        ("what it should have been", ("enter",)),
        ("what follows from it", ("a",)),
        ("back", ("backspace",)),
        ("to the list", ("escape",)),
        ("searched", ("slash", "s", "h", "o", "w")),
        ("found", ("enter",)),
        ("left", ("escape", "escape")),
    )


@pytest.mark.slow  # quickly, and alone: tests/views/test_small_screens.py
async def test_people(drawn) -> None:
    await drawn(
        dashboard(live_session(FOUR), language="de"),
        SMALL,
        ("who", ("p",)),
        ("what", ("2",)),
        ("a name", ("r",)),
        ("renamed", ("Z", "o", "é", "enter")),
        ("a name that is taken", ("1", "r", "Z", "o", "é", "enter")),
        ("left", ("escape", "escape", "escape")),
    )


async def test_sheets_over_the_table(drawn) -> None:
    await drawn(
        dashboard(middle("donkey_valley"), language="en"),
        WIDE,
        ("why", ("e",)),
        ("keys", ("escape", "question_mark")),
        ("their end", ("end",)),
        ("from afar", ("escape", "g")),
        ("another language", ("g", "l")),
        ("another theme", ("t",)),
        ("paused", ("space",)),
        ("going on", ("space",)),
        ("chances", ("percent_sign",)),
        ("no chances", ("percent_sign",)),
        ("muted, without a voice", ("x",)),
        ("nothing to count", ("d",)),
        ("how to leave", ("ctrl+c",)),
    )


async def test_the_end_of_a_game(drawn) -> None:
    live = played_out(FOUR)
    await drawn(
        dashboard(live, language="fr"),
        WIDE,
        ("the podium", ()),
        ("the last result", ("v",)),
        ("the podium again", ("v",)),
        ("nothing to enter", ("enter",)),
        ("why", ("e",)),
        ("again", ("escape", "a")),
    )


async def test_cards_to_move_after_an_undo(drawn) -> None:
    live = middle("donkey_valley")
    await drawn(
        dashboard(live, language="de"),
        SMALL,
        ("several", ("u", "u")),
        ("listed", ("m",)),
        ("ticked", ("enter",)),
        ("done", ("m",)),
        ("nothing undone to correct", ("u",) * 30),
        ("nothing to correct", ("c",)),
    )


class Show(Backstage):
    """Something in the background that has a key of its own."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        act = lambda: self.ran.append("plus") or Text("demo.yours")  # noqa: E731
        self.commands = (Command("plus", Text("demo.label"), act, "+"),)
        self.people = ("Bob",)


async def test_a_demo_with_a_key_of_its_own(drawn) -> None:
    backstage = Show()
    app = dashboard(middle("dtc"), language="en", backstage=backstage, plan=USUAL.with_changes(demo=True))
    await drawn(
        app,
        SMALL,
        ("begun", ()),
        ("its key", ("plus",)),
        ("keys", ("question_mark",)),
        ("own game", ("escape", "n")),
    )
    assert backstage.ran == ["plus"]


async def test_a_key_of_its_own_is_named_in_the_language_that_is_chosen() -> None:
    backstage = Show()
    backstage.commands = (Command("plus", Text("key.pause"), lambda: None, "+"),)
    app = dashboard(middle("dtc"), language="en", backstage=backstage)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("l")
        named = app.active_bindings["plus"].binding.description
    assert named == app.translator("key.pause") != Translator("en")("key.pause")


ALWAYS = SimpleNamespace(muted=False)


@pytest.mark.parametrize("language", ["en", "fr", "de"])
def test_the_list_of_all_keys(language: str, snapshot: SnapshotAssertion) -> None:
    """Of a table that has everything, and of one that has nothing."""
    live = middle("donkey_valley")
    everything: dict[str, Any] = {
        "picture_of": lambda: None, "photograph": lambda: Text("demo.label"), "virtual_trays": object(),
        "speaker": ALWAYS, "sharing": object(), "backstage": Show(),
    }  # fmt: skip
    lines = []
    for more in (everything, {}):
        keys = AvailableKeys(TableSession(USUAL.with_changes(demo=bool(more)), live, **more))
        lines += [
            f"{typed:8} {keys.find_action(typed) or '-':20} {words}"
            for typed, words in keys.list_keys(Translator(language, live.game))
        ]
        lines.append("")
    assert "\n".join(lines) == snapshot(extension_class=Characters)


@pytest.mark.parametrize(
    ("action", "without", "with_it"),
    [
        ("own_game", {}, {"plan": USUAL.with_changes(demo=True)}),
        ("mute", {}, {"speaker": ALWAYS}),
        ("mute", {"speaker": SimpleNamespace(muted=True)}, {"speaker": ALWAYS}),
        ("board", {}, {"virtual_trays": object()}),
        ("watch", {}, {"picture_of": lambda: None}),
        ("photo", {}, {"photograph": lambda: None}),
    ],
)
def test_a_key_is_offered_where_it_does_something(action: str, without: dict, with_it: dict) -> None:
    live = live_session()
    for more, offered in ((without, False), (with_it, True)):
        keys = AvailableKeys(TableSession(**{"plan": USUAL, "live": live, **more}))
        assert keys.is_available(action, reviewable=False) is offered


def test_what_the_end_of_a_game_and_a_moment_offer() -> None:
    for live, over in ((live_session(), False), (played_out(FOUR), True)):
        keys = AvailableKeys(TableSession(USUAL, live))
        assert [keys.is_available(one, reviewable=False) for one in ("again", "keep_page")] == [over, over]
        assert [keys.is_available("review", reviewable=one) for one in (True, False)] == [True, False]
        assert keys.is_available("undo", reviewable=False)


@pytest.mark.parametrize(
    ("action", "called"),
    [
        ("act", "_entering.open_panel()"),
        ("undo", "_entering.undo_step()"),
        ("redo", "_entering.redo_step()"),
        ("seat(3)", "_entering.open_at_seat(3)"),
        ("count_cards", "live.pause_for_card_count()"),
        ("on_entry_panel_closed", "_entering.step_back()"),
        ("on_entry_panel_taken_back", "_entering.take_back_part()"),
        ("on_entry_panel_next", "_entering.show_next_player()"),
    ],
)
def test_an_action_reaches_the_table(action: str, called: str) -> None:
    app = dashboard(live_session(), language="en")
    table = Mock()
    app.live, app._entering = table.live, table._entering
    name, _, argument = action.rstrip(")").partition("(")
    getattr(app, name if name.startswith("on_") else f"action_{name}")(*map(int, argument.split()))
    assert [str(one).removeprefix("call.") for one in table.mock_calls] == [called]
