"""Screens and widgets alone, over an empty app: what each key and click does, quickly."""

from __future__ import annotations

import importlib
import io
import os
import pkgutil
import re
import select
import signal
from collections.abc import Callable
from contextlib import contextmanager, nullcontext
from threading import Event
from typing import Any
from unittest.mock import Mock

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion
from textual import events
from textual.actions import SkipAction
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Button, Checkbox, Input, Label, OptionList, Select, Static
from textual.widgets._footer import FooterKey

from companion import views
from companion.equipment.steps import EquipmentCheck
from companion.evening.setup_form import build_game_row
from companion.live.live_session import LiveSession
from companion.plan import Plan
from companion.rules.contract import Pick, Text
from companion.texts import Translator
from companion.views import plain_view
from companion.views.conversations import (
    Conversation,
    EntryTurn,
    Menu,
    Reply,
    Sentence,
    TextPrompt,
    prompt_for_correction,
    prompt_for_entry,
    prompt_for_people_change,
)
from companion.views.dashboard import themed_app
from companion.views.dashboard.calibrate import CalibrationApp, Corners
from companion.views.dashboard.check import CheckApp
from companion.views.dashboard.enrol import AdviceDialog, EnrolmentApp
from companion.views.dashboard.screens.conversation import ConversationScreen
from companion.views.dashboard.screens.pads import PadsScreen, PadView
from companion.views.dashboard.screens.share import ShareDialog
from companion.views.dashboard.screens.table_screen import KeysRow
from companion.views.dashboard.screens.text_dialogs import ExplanationScreen, HelpScreen, MovesScreen
from companion.views.dashboard.setup import NameSuggester, SeatRow, SetupApp, find_gap_at, lay_out_badges
from companion.views.dashboard.themed_app import _is_impossible_input, _PasteFilter, _pump_terminal
from companion.views.dashboard.widgets.camera_preview import (
    CameraPreview,
    CameraReadings,
    CameraView,
    Preview,
)
from companion.views.dashboard.widgets.entry_panel import EntryPanel
from companion.views.plain_view import complete_plan
from companion.views.table_session import NO_BACKSTAGE, Invitation, Invite, ShareSwitch, TableSession
from companion.views.themes import THEMES
from tests.views.looks import Bare, Step, describe_steps, open_screen
from tests.views.screens import FOUR, hands_only, middle
from tests.views.table import Characters, dashboard, live_session, played_out, wait_for_words, wait_until
from tests.views.test_apps_drawn import EN_DONKEYS, PICTURE, SMALL, Enrolment, Found, Trays, found, invited
from tests.views.test_parts_drawn import ended

EN = Translator("en")
on_unix = pytest.mark.skipif(os.name == "nt", reason="a terminal's signals")


class Alone(Bare):
    """An app with one widget, which has the focus; what it posts is remembered."""

    def __init__(self, widget: Widget) -> None:
        super().__init__(EN)
        self.widget = widget
        self.posted: list[Any] = []

    def compose(self):
        yield self.widget

    def on_mount(self) -> None:
        self.widget.display = True
        self.widget.focus()

    def on_seat_row_moved(self, event: SeatRow.Moved) -> None:
        self.posted.append(event.names)

    def on_entry_panel_closed(self) -> None:
        self.posted.append("closed")

    def on_entry_panel_taken_back(self) -> None:
        self.posted.append("taken back")

    def on_entry_panel_next(self) -> None:
        self.posted.append("next")


@pytest.mark.parametrize(
    ("keys", "names"),
    [
        (("shift+right",), "BAC"),
        (("shift+right", "shift+right", "shift+right"), "BCA"),
        (("right", "shift+left"), "BAC"),
        (("right", "shift+right"), "ACB"),
        (("right", "right", "right", "left", "shift+left"), "BAC"),
        (("left", "shift+left"), ""),
        (("right", "right", "shift+right"), ""),
    ],
)
async def test_names_change_seats_by_keys(keys, names: str) -> None:
    row = SeatRow()
    app = Alone(row)
    async with app.run_test(size=SMALL) as pilot:
        row.show_names("ABC")
        await pilot.press(*keys)
        await pilot.pause()
    assert ["".join(one) for one in app.posted][-1:] == [names] * bool(names)


async def test_the_last_name_is_selected_where_there_are_fewer_than_before() -> None:
    row = SeatRow()
    app = Alone(row)
    async with app.run_test(size=SMALL) as pilot:
        row.show_names("ABCD")
        await pilot.press("right", "right", "right")
        for names, moved in (("ABC", "ACB"), ("AB", "BA"), ("A", ""), ("", "")):
            app.posted.clear()
            row.show_names(names)
            await pilot.press("right", "shift+left")
            await pilot.pause()
            assert ["".join(one) for one in app.posted] == [moved] * bool(moved)
            await pilot.press("right", "right", "right")


@pytest.mark.parametrize(
    ("taken", "over", "names"),
    [
        (3, 20, "BCA"),
        (3, 9, ""),
        (3, 10, "BAC"),
        (8, 1, "BAC"),
        (8, 16, "ACB"),
        (14, 0, "CAB"),
        (14, 7, "ACB"),
        (70, 3, ""),
    ],
)
async def test_names_change_seats_by_mouse(taken: int, over: int, names: str) -> None:
    row = SeatRow()
    app = Alone(row)
    async with app.run_test(size=SMALL) as pilot:
        row.show_names("ABC")  # " " " 1 A " " " " 2 B " " " " 3 C "
        await pilot.pause()
        await pilot.mouse_down(row, offset=(taken, 0))
        await pilot.hover(row, offset=(over, 0))
        assert ("┃" in str(row.render())) is bool(names)
        await pilot.mouse_up(row, offset=(over, 0))
        await pilot.pause()
        assert app.mouse_captured is None
        assert "┃" not in str(row.render())
    assert ["".join(one) for one in app.posted] == [names] * bool(names)


async def test_a_name_that_is_dragged_is_let_go_by_escape() -> None:
    row = SeatRow()
    app = Alone(row)
    async with app.run_test(size=SMALL) as pilot:
        row.show_names("ABC")
        await pilot.pause()
        await pilot.mouse_down(row, offset=(3, 0))
        await pilot.press("escape")
        assert app.mouse_captured is None
        await pilot.mouse_up(row, offset=(20, 0))
        with pytest.raises(SkipAction):
            row.action_let_go()
    assert app.posted == []


def test_where_names_stand_and_where_one_would_land() -> None:
    badges = [Content(f" {number} {name} ") for number, name in enumerate(("Ann", "Bob", "Chloé", "Dora"), 1)]
    one_line = lay_out_badges(badges, 80)
    assert [tuple(one) for one in one_line] == [(0, 0, 8), (0, 8, 8), (0, 16, 10), (0, 26, 9)]
    assert [tuple(one) for one in lay_out_badges(badges, 18)] == [(0, 0, 8), (0, 8, 8), (1, 0, 10), (2, 0, 9)]
    two = lay_out_badges(badges, 27)
    assert [one.line for one in two] == [0, 0, 0, 1]
    assert [find_gap_at(one_line, x, 0) for x in (0, 4, 5, 12, 13, 21, 22, 30, 31, 79)] == [
        0,
        0,
        1,
        1,
        2,
        2,
        3,
        3,
        4,
        4,
    ]
    assert [find_gap_at(two, x, y) for x, y in ((79, 0), (0, 1), (79, 1), (0, 9), (3, -4))] == [3, 3, 4, 3, 0]


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        *(("A", "Ann"), ("an", "ann"), ("Ann, a", "Ann, annegret"), ("Ann, B", "Ann, Bob")),
        *(("", None), ("Ann, ", None), ("x", None), ("Ann,Annegret,A", None)),
    ],
)
async def test_a_known_name_is_completed(typed: str, completed: str | None) -> None:
    assert await NameSuggester(("Ann", "Annegret", "Bob")).get_suggestion(typed) == completed


def form(plan: Plan = Plan()) -> SetupApp:  # noqa: B008 - a plan does not change
    return SetupApp([build_game_row("dtc", EN)], EN, plan.with_changes(game="dtc"), camera="0")


async def test_who_begins_is_drawn_and_stays_announced_among_the_same_people(monkeypatch) -> None:
    monkeypatch.setattr("companion.views.dashboard.setup.secrets.randbelow", lambda count: count - 1)
    app = form()
    async with app.run_test(size=SMALL) as pilot:
        field, told = app.query_one("#players", Input), app.query_one("#drawn", Label)
        app.action_draw()
        assert field.value == ""
        field.value = "Ann, Bob, [Cid]"
        await pilot.pause()
        app.query_one("#draw", Button).press()
        await pilot.pause()
        assert field.value == "[Cid], Ann, Bob"
        assert str(told.render()) == EN("setup.drawn", player="[Cid]")
        field.value = "Ann, [Cid], Bob"
        await pilot.pause()
        assert str(told.render()) == EN("setup.drawn", player="[Cid]")
        field.value = "Ann, [Cid]"
        await pilot.pause()
        assert str(told.render()) == EN("setup.seats")
        app.on_seat_row_moved(SeatRow.Moved(("[Cid]", "Ann")))
        assert field.value == "[Cid], Ann"
        field.value = "Ann"
        await pilot.pause()
        assert str(told.render()) == ""


@pytest.mark.parametrize(("clock", "seconds"), [("", None), ("30", 30.0), (" 1.5 ", 1.5), ("3600", 3600.0)])
async def test_what_the_form_returns(clock: str, seconds: float | None) -> None:
    app = form(Plan(players=("Ann", "Bob")))
    async with app.run_test(size=SMALL) as pilot:
        app.query_one("#clock", Input).value = clock
        app.query_one("#camera", Input).value = ""
        app.query_one("#begin", Button).press()
        while not app._exit:
            await pilot.pause(0.02)
    assert app.return_value is not None
    assert (app.return_value.clock, app.return_value.cameras, app.return_value.players) == (
        seconds,
        (),
        ("Ann", "Bob"),
    )


@pytest.mark.parametrize(
    ("camera", "pictures", "cameras"),
    [("", True, ()), (" 1 ", True, ("1",)), ("/dev/video2", False, ("/dev/video2",))],
)
async def test_the_camera_that_the_form_returns(
    camera: str, pictures: bool, cameras: tuple[str, ...]
) -> None:
    app = form(Plan(players=("Ann", "Bob")))
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        app.query_one("#camera", Input).value = camera
        app.query_one("#pictures", Checkbox).value = pictures
        plan = app.build_plan()
    assert plan.cameras == cameras
    assert not cameras or plan.pictures is pictures


@pytest.mark.parametrize("clock", ["0", "-1", "[b]soon", "1e9", "nan"])
async def test_a_clock_that_cannot_be_is_refused(clock: str) -> None:
    app = form(Plan(players=("Ann", "Bob")))
    async with app.run_test(size=SMALL) as pilot:
        app.query_one("#clock", Input).value = clock
        await pilot.press("enter")
        await pilot.pause()
        assert clock in str(app.query_one("#wrong", Label).render())
        app.query_one("#clock", Input).value = "1"
        await pilot.pause()
        assert str(app.query_one("#wrong", Label).render()) == ""
        await pilot.press("escape")
    assert app.return_value is None


@pytest.mark.parametrize("field", ["#camera", "#players", "#game"])
async def test_a_change_told_after_the_form_was_left_changes_nothing(field: str) -> None:
    app = SetupApp([build_game_row("dtc", EN)], EN, Plan("dtc"), camera="0")
    async with app.run_test(size=(100, 60)) as pilot:
        changed = app.query_one(field)
        await app.query_one("#form").remove()
        if isinstance(changed, Select):
            await app.on_select_changed(Select.Changed(changed, "dtc"))
        else:
            assert isinstance(changed, Input)
            app.on_input_changed(Input.Changed(changed, "Ann, Bob"))
        await pilot.pause()
    assert app.return_value is None


async def test_another_game_brings_its_own_decks_and_options() -> None:
    first, second = (build_game_row(name, EN) for name in ("dtc", "donkey_valley"))
    app = SetupApp([first, second], EN, Plan("dtc"))
    async with app.run_test(size=(100, 60)) as pilot:
        while not app.query("#wrong"):
            await pilot.pause(0.02)
        app.action_begin()
        assert str(app.query_one("#wrong", Label).render())
        app.query_one("#game", Select).value = "donkey_valley"
        while not all(app.query(f"#option-{one.name}") for one in second.options):
            await pilot.pause(0.02)
        assert str(app.query_one("#wrong", Label).render()) == ""
        for group, is_preference in (("#preferences", True), ("#rulings", False)):
            fields = [one.id for one in app.query_one(group).children if isinstance(one, Select | Input)]
            wanted = [f"option-{one.name}" for one in second.options if one.is_preference is is_preference]
            assert fields == wanted
        assert any(one.is_preference for one in second.options)
        decks = [value for _, value in app.query_one("#deck", Select)._options]
        assert decks == [name for _, name in second.decks]
        assert not any(one._allow_blank for one in app.query(Select)), "something is chosen in each"


PASTES = [
    (["abc"], "abc"),
    (["\x1b[A"], "\x1b[A"),
    (["a\x1b[200~b\x1b[Ac\x1b[201~\x1b[B"], "a\x1b[200~b[Ac\x1b[201~\x1b[B"),
    (["\x1b[200~b\x1b", "[Ac\x1b[20", "1~\x1b[B"], "\x1b[200~b[Ac\x1b[201~\x1b[B"),
    (["x\x1b[2", "00~\x1bq", "\x1b[201~\x1bq"], "x\x1b[200~q\x1b[201~\x1bq"),
    (["x\x1b[2", "0~y"], "x\x1b[20~y"),
    (["\x1b[200~\x1b[200~\x1bz"], "\x1b[200~\x1b[200~z"),
]


@pytest.mark.parametrize(("pieces", "clean"), PASTES)
def test_a_paste_presses_no_keys_wherever_it_is_split(pieces: list[str], clean: str) -> None:
    paste = _PasteFilter()
    assert "".join(map(paste, pieces)) == clean


def test_half_characters_and_endless_windows_are_dropped() -> None:
    def key(sign: str) -> events.Key:
        return events.Key("a", sign)

    assert [_is_impossible_input(key(sign)) for sign in ("a", "\ud7ff", "\ud800", "\udfff", "\ue000")] == [
        False, False, True, True, False,
    ]  # fmt: skip
    sizes = [(400_000, 1), (400_001, 1), (632, 632), (633, 633)]
    assert [_is_impossible_input(events.Resize(Size(*size), Size(*size))) for size in sizes] == [
        False,
        True,
        False,
        True,
    ]
    assert not _is_impossible_input(events.Focus())


@pytest.mark.parametrize(
    ("shows", "notice"),
    [
        (lambda: ended("donkey_valley"), None),
        (lambda: live_session(FOUR), None),
        (lambda: ended("dtc"), None),
        (lambda: live_session(FOUR), Text("live.held")),
    ],
    ids=["won", "begun", "fewest", "held"],
)
async def test_the_sheet_of_reasons(
    shows: Callable[[], LiveSession], notice: Text | None, snapshot: SnapshotAssertion
) -> None:
    live = shows()
    now = replace(live.snapshot(), notice=notice)
    reasons = [(player, live.explain_points(player)) for player in now.people.seats]
    screen = ExplanationScreen(now, reasons, Translator("en", live.game))
    app = open_screen(screen, Translator("en", live.game))
    async with app.run_test(size=(100, 60)) as pilot:
        shown = await describe_steps(pilot, [("reasons", ())])
        await pilot.click("#sheet-title")
        await pilot.pause()
    assert shown == snapshot(extension_class=Characters)
    assert app._exit


@pytest.mark.parametrize(("where", "result"), [(".help-key", "a"), ("#sheet-title", None)])
async def test_a_click_in_the_list_of_keys(where: str, result: str | None) -> None:
    app = open_screen(HelpScreen([("a", "again"), ("b", "board")], EN), EN)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        assert [str(one.render()) for one in app.screen.query(".help-key").results(Static)] == [
            "       a   again",
            "       b   board",
        ]
        await pilot.click(app.screen.query(where).first())
        await pilot.pause()
    assert app.return_value == result


async def test_a_click_beside_the_moves_leaves_them() -> None:
    app = open_screen(MovesScreen(["one", "two"], EN), EN)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        await pilot.click("#choose-title")
        assert len(app.screen_stack) == 2
        await pilot.click(app.screen, offset=(0, 0))
        await pilot.pause()
    assert app.return_value is False


async def test_a_click_on_a_pad_does_what_was_clicked(monkeypatch) -> None:
    monkeypatch.setattr("companion.views.dashboard.screens.pads._PRESS_SECONDS", 0.01)
    trays = Trays()
    app = open_screen(PadsScreen(trays, EN_DONKEYS), EN)
    async with app.run_test(size=(108, 40)) as pilot:
        await pilot.pause()
        pads = list(app.screen.query(PadView))
        assert [(pad.pad, pad.seat) for pad in pads] == [
            ("middle", None),
            ("seat1", 1),
            ("seat2", 2),
            ("pile", None),
        ]
        assert len({pad.region.y for pad in pads}) == 1, "side by side as far as they have 24 columns"
        for action in ("accept", "refuse"):
            pads[0].action_do(action)
        await pilot.pause()
        assert trays.done == [], "no buttons beside the middle"
        pads[1].action_do("accept")
        for _ in range(50):
            await pilot.pause(0.02)
            if len(trays.done) == 2:
                break
        assert trays.done == [(1, "accept", True), (1, "accept", False)]
        pads[2].action_do("lift")
        await pilot.pause()
        assert trays.done[-1] == ("lift", "seat2")
        await pilot.click(pads[3], offset=(20, 0))
        await pilot.pause()
        title = app.screen.query_one("#choose-title", Label)
        assert str(title.render()) == EN_DONKEYS("board.which", pad=EN_DONKEYS("zone.pile"))
        await pilot.press("2")
        await pilot.pause()
        assert trays.cards["pile"] == ["puny"]
        assert app.screen.focused is pads[3]


async def test_the_sheet_for_joining_by_its_actions() -> None:
    done: list[str] = []
    now = invited(waiting_codes=("FGHJ",), let_in=done.append, send_away=lambda: done.append("away"))
    screen = ShareDialog(lambda: now, EN, lambda: done.append("end"))
    app = open_screen(screen, EN)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        found = []
        for step in (1, 1, 1, 1, -1, -1):
            screen.action_other(step)
            found.append(screen._find_chosen_invite().words.split(",")[0])
        assert found == ["Mitspielen", "Ann", "Bob", "Fernseher", "Bob", "Ann"]
        screen.action_renew()
        screen.action_let_in()
        assert done == ["away", "FGHJ"]
        await pilot.click("#joining", offset=(3, 2))
        await pilot.pause()
        assert screen._find_chosen_invite().words == "Fernseher"
        await pilot.press("x")
        await pilot.pause()
    assert done[2:] == ["end"]
    assert [one.message for one in app._notifications] == [EN("share.ended")]
    assert app._exit


async def test_the_sheet_for_joining_takes_the_whole_of_a_low_terminal() -> None:
    screen, low = ShareDialog(invited, EN, lambda: None), list[bool]()
    async with open_screen(screen, EN).run_test(size=SMALL) as pilot:
        for height in (29, 30):
            await pilot.resize_terminal(80, height)
            await wait_until(pilot, lambda: screen.has_class("-low") or screen.has_class("-high"))
            low.append(screen.has_class("-low"))
    assert low == [True, False]


async def test_what_the_camera_confuses_comes_once_by_itself_and_by_its_key() -> None:
    enrolment = Enrolment()
    enrolment.become(wanted=None)()
    app = EnrolmentApp(enrolment, lambda: None, tuple, lambda: None, EN_DONKEYS)
    async with app.run_test(size=SMALL) as pilot:
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert isinstance(app.screen, AdviceDialog)
        assert app.screen.query_one("#sheet").styles.border_top[0] == "thick"
        assert [str(one.render()) for one in app.screen.query(Static)] == [
            EN("enrol.test.title"),
            f"• {EN('enrol.test.fine', designs=3, views=6)}",
            f"• {EN('enrol.test.nothing')}",
        ]
        await pilot.press("t")
        await pilot.pause()
        app._shown = None
        app._poll_enrolment()
        await app.workers.wait_for_complete()
        assert enrolment.pressed == ["check"]
        await pilot.press("t")
        await app.workers.wait_for_complete()
        assert enrolment.pressed == ["check"] * 2


@pytest.mark.parametrize("complete", [False, True])
async def test_the_cards_of_a_pack_are_named_when_it_is_laid_out(complete: bool, monkeypatch) -> None:
    monkeypatch.setattr("companion.views.dashboard.enrol.draw_side_by_side", lambda *_, **__: PICTURE)
    from tests.views.test_dialogues import Spread  # noqa: PLC0415

    enrolment = Enrolment()
    app = EnrolmentApp(enrolment, lambda: None, tuple, lambda: None, EN_DONKEYS)
    async with app.run_test(size=SMALL) as pilot:
        enrolment.enroller.spread = Spread()
        enrolment.enroller.spread.is_complete = complete
        enrolment.enroller.spread.pack_size = 5
        enrolment.enroller.start_or_finish_pack = lambda: True
        if complete:
            enrolment.become(mode="pack", laid=5)()
            app._poll_enrolment()
        else:
            await pilot.press("p")
            await app.workers.wait_for_complete()
        await pilot.pause()
        assert isinstance(app.screen, ConversationScreen)
        assert app.screen.query_one(Preview).display, "the two that look alike"


@pytest.mark.parametrize("is_long", [False, True])
async def test_rows_fill_the_width_of_their_list(is_long: bool) -> None:
    """In a panel and in a long menu, beside keys of up to three letters."""

    def converse():
        yield Menu([], [Reply(key, "a " * 200, None) for key in ("a", "abc")], long=is_long)

    screen = ConversationScreen(Conversation(converse), EN)
    async with open_screen(screen, EN).run_test(size=(64, 24)) as pilot:
        await pilot.pause()
        listing = screen.query_one("#long" if is_long else "#entry-list", OptionList)
        await wait_until(pilot, lambda: listing.options)
        await pilot.pause()
        width = listing.scrollable_content_region.width
        for one in listing.options:
            assert max(map(len, str(one.prompt).split("\n"))) == width


def rows_of(panel: EntryPanel) -> list[str]:
    return [str(one.prompt) for one in panel.query_one(OptionList).options]


async def test_an_entry_panel_takes_keys() -> None:
    live = middle("ochs_und_esel")
    say = Translator("en", live.game)
    panel, given = EntryPanel(say), list[Any]()
    app = Alone(panel)
    async with app.run_test(size=SMALL) as pilot:
        menu = next(prompt_for_entry(live, NO_BACKSTAGE, None, say))
        panel.show_menu(menu, lambda reply, cards: given.append((reply.key, cards)))
        panel.query_one(OptionList).focus()
        await pilot.pause()
        keys = [reply.key for reply in menu.replies]
        assert len(rows_of(panel)) == len(keys)
        assert panel.uses_key(keys[0])
        assert not panel.uses_key("ü")
        await pilot.press("ü")
        assert "ü" in str(panel.query_one("#entry-wrong", Static).render())
        await pilot.press("enter")
        assert str(panel.query_one("#entry-wrong", Static).render()).split() == say("entry.choose").split()
        await pilot.press("backspace", "tab", "escape")
        await pilot.pause()
        assert app.posted == ["taken back", "next", "closed"]
        await pilot.press(*keys[0], "enter")
        await pilot.pause()
        assert [key for key, _ in given] == [keys[0]]
        await pilot.press("down", "down", "enter")
        await pilot.pause()
        assert [key for key, _ in given] == [keys[0], keys[1]]
        panel.ready = lambda: False
        await pilot.press("up", "enter")
        assert len(given) == 2
        assert str(panel.query_one("#entry-wrong", Static).render()).split() == say("entry.changed").split()


async def test_an_entry_panel_takes_cards(snapshot: SnapshotAssertion) -> None:
    live = hands_only()
    say = Translator("de", live.game)
    panel, given = EntryPanel(say), list[Any]()
    app = Alone(panel)
    steps: list[Step] = [
        ("which", ("h",)),
        ("begun", ("1",)),
        ("two", ("7", "d")),
        ("one", ("backspace",)),
        ("done", ("enter",)),
    ]
    async with app.run_test(size=(50, 20)) as pilot:
        panel.show_menu(
            next(prompt_for_entry(live, NO_BACKSTAGE, None, say)),
            lambda reply, cards: given.append((reply.key, cards)),
        )
        panel.query_one(OptionList).focus()
        shown = await describe_steps(pilot, steps)
    assert shown == snapshot(extension_class=Characters)
    assert given == [("h", ("1", "7"))]


@pytest.mark.parametrize("about", ["people", "correction"])
async def test_a_conversation_alone(about: str, snapshot: SnapshotAssertion) -> None:
    live = live_session(FOUR) if about == "people" else middle("donkey_valley")
    say = Translator("en", live.game)
    begin = prompt_for_people_change if about == "people" else prompt_for_correction
    screen = ConversationScreen(Conversation(lambda: begin(live, say)), say, repeat=about == "people")
    ways: dict[str, list[Step]] = {
        "people": [
            ("who", ()), ("what", ("1",)), ("taken back", ("backspace",)), ("a name", ("1", "r")),
            ("renamed", ("B", "o", "b", "enter")), ("swapped", ("1", "x", "escape")), ("left", ("escape",)),
        ],
        "correction": [
            ("which", ()), ("its number", ("1", "3")), ("what instead", ("enter",)), ("what follows", ("a",)),
            ("back", ("backspace",)), ("to the list", ("escape",)), ("searched", ("slash", "s", "h", "o", "w")),
            ("found", ("enter",)), ("left", ("escape",)),
        ],
    }  # fmt: skip
    async with open_screen(screen, say).run_test(size=SMALL) as pilot:
        shown = await describe_steps(pilot, ways[about])
    assert shown == snapshot(extension_class=Characters)


class Keys(Bare):
    """An app whose keys do not all find room."""

    BINDINGS = [
        *((key, f"do_{key}", f"Word {key}") for key in "abcdefgh"),
        ("question_mark", "help", "Help"),
        ("q", "leave", "Quit"),
    ]

    def compose(self):
        yield KeysRow(show_command_palette=False, compact=True)


@pytest.mark.parametrize(("width", "count"), [(28, 3), (29, 3), (30, 3), (38, 4), (40, 4), (100, 10)])
async def test_the_keys_that_matter_are_kept_where_there_is_no_room(width: int, count: int) -> None:
    app = Keys(EN)
    async with app.run_test(size=(width, 10)) as pilot:
        await pilot.pause()
        shown = [key.action for key in app.query(FooterKey)]
        assert shown[-2:] == ["help", "leave"]
        assert len(shown) == count
        assert app.query(FooterKey).last().region.right <= width


class Lines(list[str]):
    """Typed lines, and the end of the input."""

    def next_line(self, seconds: float) -> str:
        if not self:
            raise EOFError
        return self.pop(0)


def test_a_plan_is_completed_line_by_line(monkeypatch, capsys) -> None:
    def type_lines(*lines: str) -> Plan | None:
        monkeypatch.setattr(plain_view, "open_typed_lines", lambda: nullcontext(Lines(lines)))
        return complete_plan(Plan("dtc"), EN)

    done = type_lines("p Ann, Bob", "b")
    assert done is not None
    assert (done.game, done.players) == ("dtc", ("Ann", "Bob"))
    assert EN("setup.title") not in capsys.readouterr().out.split("\n")[0]
    assert type_lines("p Ann, Bob", "quit") is None
    assert type_lines("b") is None
    assert EN("plain.parts") in capsys.readouterr().out


def test_the_plain_view_runs_until_it_is_left(monkeypatch, capsys) -> None:
    live = live_session(FOUR)
    monkeypatch.setattr(plain_view, "open_typed_lines", lambda: nullcontext(Lines(("now", "quit", "never"))))
    session = TableSession(Plan(language="en", demo=True), live)
    assert plain_view.run(session) is None
    told = capsys.readouterr().out.split("\n")
    assert told[0] == EN("plain.demo", command="companion play --plain --by-hand")
    assert told[1].startswith(EN("plain.help", **plain_view.translate_commands(EN))[:40])
    assert [line.startswith("Ann 0") for line in told].count(True) == 2
    live = played_out(FOUR)
    monkeypatch.setattr(plain_view, "open_typed_lines", lambda: nullcontext(Lines(("again", "never"))))
    session = TableSession(Plan("donkey_valley", FOUR, language="en"), live)
    plan = plain_view.run(session)
    assert plan is not None
    assert plan.game == "donkey_valley"
    assert sorted(plan.players) == sorted(FOUR)


def test_plain_lines_reach_another_program_at_once(monkeypatch) -> None:
    written, seen = io.BytesIO(), list[bytes]()

    class Typed(Lines):
        def next_line(self, seconds: float) -> str:
            seen.append(written.getvalue())
            return super().next_line(seconds)

    monkeypatch.setattr(plain_view, "open_typed_lines", lambda: nullcontext(Typed(("now", "quit"))))
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(written))
    plain_view.run(TableSession(Plan(language="en"), live_session(FOUR)))
    assert [b"Ann 0, Bob 0" in one for one in seen] == [True, True]
    assert len(seen[1]) > len(seen[0])


def test_sharing_ends_in_three_ways() -> None:
    done: list[str] = []
    now = Invitation(
        (Invite("Ann", "https://x/#1"),),
        (),
        lambda: done.append("deleted"),
        hand_over=lambda: done.append("handed over"),
    )

    @contextmanager
    def open_table(network: bool):
        done.append(f"opened {network}")
        yield lambda: now
        done.append("closed")

    switch = ShareSwitch(open_table)
    for end in (switch.end_sharing, switch.hand_over, switch.close):
        end()
        assert switch.invitation is None
    assert done == []
    for end in (switch.end_sharing, switch.hand_over, switch.close):
        assert switch.start_sharing(network=True) is now
        assert switch.invitation is now
        end()
        assert switch.invitation is None
    assert [" ".join(done[at : at + 3]) for at in (0, 3, 6)] == [
        "opened True deleted closed",
        "opened True handed over closed",
        "opened True closed",
    ]


def test_another_game_begins_with_its_usual_deck() -> None:
    session = TableSession(Plan("dtc", deck="mine"), live_session(FOUR[:3], "dtc"))
    for plan, deck in ((Plan("dtc", deck="mine"), "mine"), (Plan("ascend", deck="mine"), "")):
        session.switch_to_game(plan)
        assert session.next_plan is not None
        assert session.next_plan.deck == deck


def test_a_screen_of_the_program_is_left_by_a_signal_with_its_number(monkeypatch) -> None:
    app = Bare(EN)
    monkeypatch.setattr("textual.app.App.run", lambda _app, **_options: app._exit_on_signal(15) or "result")
    monkeypatch.setattr(app, "exit", lambda *told: ended_with.append(told))
    ended_with: list[Any] = []
    with pytest.raises(SystemExit) as left:
        app.run()
    assert left.value.code == 143
    assert ended_with == [(None, 143)]
    monkeypatch.setattr("textual.app.App.run", lambda _app, **_options: "result")
    assert Bare(EN).run() == "result"


def test_the_key_for_colours_goes_through_all_themes() -> None:
    app = dashboard(live_session(FOUR))
    seen = [app.theme]
    for _ in THEMES:
        app.action_next_theme()
        seen.append(app.theme)
    assert seen == [*(one.name for one in THEMES), THEMES[0].name]
    app.theme = "textual-dark"
    app.action_next_theme()
    assert app.theme == THEMES[0].name


def test_people_have_the_time_to_join_a_photo(monkeypatch) -> None:
    told: list[Any] = []
    app = dashboard(live_session(FOUR), photograph=lambda: Text("demo.label"))
    monkeypatch.setattr(app, "notify", lambda message, **options: told.append((message, options)))
    monkeypatch.setattr(app, "set_timer", lambda seconds, take: told.append(seconds) or take())
    app.action_photo()
    assert told == [
        (EN("evening.photo.soon", seconds=5), {"timeout": 5.0}),
        5.0,
        (EN("demo.label"), {"markup": False}),
    ]
    told.clear()
    app = dashboard(live_session(FOUR))
    app.action_photo()
    assert told == []


@pytest.mark.parametrize(("count", "listed"), [(9, 9), (10, 10), (11, 10)])
async def test_a_key_that_means_nothing_is_answered_by_those_that_do(count: int, listed: int) -> None:
    """By as many as fit in two lines."""
    panel = EntryPanel(EN)
    menu = Menu([], [Reply(key, f"row {key}", None) for key in "abcdefghijk"[:count]])
    async with Alone(panel).run_test(size=SMALL) as pilot:
        panel.show_menu(menu, lambda *_: None)
        panel.query_one(OptionList).focus()
        await pilot.press("ü")
        told = " ".join(str(panel.query_one("#entry-wrong", Static).render()).split())
    more = " …" * (count > listed)
    assert told == EN("entry.no_key_here", key="ü", keys=" ".join("abcdefghij"[:listed]) + more) + "." * (
        not more
    )


async def test_a_corner_stays_inside_the_picture() -> None:
    placed: list[Corners] = []
    app = CalibrationApp(lambda: None, lambda corners: placed.append(corners) or "", EN)
    async with app.run_test(size=SMALL):
        for dx, dy, corner in ((-9, 0, (0, 0.06)), (9, -9, (1, 0)), (-1, 9, (0, 1))):
            app.action_move(dx, dy)
            assert placed[-1][0] == corner == app.corners[0]
        for at in (1, 2, 3, 0):
            app.action_next_corner()
            assert app.at == at
        app.action_leave()
        assert app._exit


async def test_the_list_beside_an_enrolment_takes_no_keys() -> None:
    app = EnrolmentApp(Enrolment(), lambda: None, tuple, lambda: None, EN_DONKEYS)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("tab")
        assert app.focused is None


@on_unix
def test_a_terminal_that_is_closed_ends_the_program_and_a_screen_that_is_left_does_not(monkeypatch) -> None:
    """What it has sent before still arrives, as UTF-8, though at first there was nothing."""
    usual = select.select
    for is_over in (False, True):
        answers = iter([([], [], [])])
        monkeypatch.setattr(
            themed_app.select, "select", lambda *what, a=answers: next(a, None) or usual(*what)
        )
        (terminal, typed), (keys, clean) = os.pipe(), os.pipe()
        over = Event()
        os.write(typed, b"a\xe9\xc3")
        os.write(typed, b"\xa9")
        os.close(typed)
        if is_over:
            over.set()
        assert _pump_terminal(terminal, clean, over) is is_over
        os.close(clean)
        assert os.read(keys, 99).decode() == ("" if is_over else "a�é")
        for one in (terminal, keys):
            os.close(one)


async def test_the_form_shows_what_its_camera_sees_or_why_it_does_not(monkeypatch) -> None:
    monkeypatch.setattr("companion.views.dashboard.widgets.camera_preview._TYPING_PAUSE", 0.02)
    looked, shown = list[str](), {"now": CameraView(None, None)}
    preview = CameraPreview(lambda camera: looked.append(camera) or shown["now"], "0", EN)
    app = Alone(preview)
    async with app.run_test(size=SMALL) as pilot:
        picture, words = preview.query_one(Preview), preview.query_one(Static)
        for view, seen in (
            (CameraView(None, None), (False, False, True, "")),
            (CameraView(PICTURE, None), (True, True, False, "")),
            (CameraView(None, Text("demo.label")), (True, False, True, EN("demo.label"))),
            (CameraView(PICTURE, Text("demo.label")), (True, True, False, EN("demo.label"))),
        ):
            shown["now"] = view
            preview._update_picture()
            assert (preview.has_class("chosen"), picture.display, words.display, str(words.render())) == seen
        assert {*looked} == {"0"}
        for camera in ("/", "/d", "/dev"):
            preview.choose_camera(camera)
        while looked[-1] == "0":
            await pilot.pause(0.01)
            preview._update_picture()
    assert {*looked} == {"0", "/dev"}, "a camera is not opened at each letter"


async def test_names_in_brackets_stand_there_as_they_are() -> None:
    seen = (PICTURE, [("b", PICTURE)])
    readings = CameraReadings(lambda: seen, lambda: [(0, 0, 1, 1, "i")], lambda: EN, "[{}]".format)
    readings.status_text = "[u]"
    async with Alone(readings).run_test(size=SMALL) as pilot:
        for name in ("[b]", "[i]", "[u]"):
            await wait_for_words(pilot, name)


VERBATIM: dict[str, Callable[[], Any]] = {
    "#top, #note": lambda: EnrolmentApp(Enrolment(), lambda: None, tuple, lambda: None, EN_DONKEYS),
    "#health, #hint": lambda: CalibrationApp(lambda: None, lambda _: "", EN),
    "#wrong, #drawn, .sheet-says, #rulings Label": form,
    ".names, .caption": lambda: Alone(CameraReadings(lambda: None, tuple, lambda: EN, str)),
    "CameraPreview > Static": lambda: Alone(CameraPreview(lambda _: CameraView(None, None), "0", EN)),
}


@pytest.mark.parametrize("where", VERBATIM)
async def test_what_people_have_named_is_no_markup(where: str) -> None:
    """Cards, decks, readers, files and players in brackets stand there as they are."""
    app = VERBATIM[where]()
    async with app.run_test(size=SMALL):
        for one in where.split(", "):
            assert [shown._render_markup for shown in app.query(one)] == [False] * len(app.query(one)) != []


async def test_names_that_need_a_second_line_get_it() -> None:
    row = SeatRow()
    row.styles.height = "auto"
    async with Alone(row).run_test(size=SMALL) as pilot:
        for count, lines in ((2, 1), (9, 2), (2, 1)):
            row.show_names(["Maximilian"] * count)
            await wait_until(pilot, lambda lines=lines: row.size.height == lines)


async def test_a_key_that_no_row_has_shows_all_rows_again() -> None:
    panel = EntryPanel(EN)
    async with Alone(panel).run_test(size=SMALL) as pilot:
        panel.show_menu(Menu([], [Reply(key, key, None) for key in ("ab", "ac", "b")]), Mock())
        rows = panel.query_one(OptionList)
        rows.focus()
        for key, count in (("a", 2), ("backspace", 3), ("a", 2), ("z", 3)):
            await pilot.press(key)
            assert rows.option_count == count


async def test_a_one_typed_again_is_given_its_own_time(monkeypatch) -> None:
    panel, given, pauses = EntryPanel(Translator.for_game("en", "dtc")), list[str](), list[Mock]()
    monkeypatch.setattr(panel, "set_timer", lambda _, end: pauses.append(Mock(end=end)) or pauses[-1])
    menu = Menu([], [Reply(key, key, None) for key in ("1", "10")])
    async with Alone(panel).run_test(size=SMALL) as pilot:
        panel.query_one(OptionList).focus()
        pick = Pick((("4", 1),), 1, 2)
        panel.show_menu(Menu([], [Reply("c", "cards", None, pick=pick)]), Mock())
        await pilot.press("c")
        panel.show_menu(menu, lambda reply, _: given.append(reply.key))
        await pilot.press("1", "backspace", "1")
        assert [one.stop.called for one in pauses] == [True, False]
        pauses[1].end()
    assert given == ["1"]


@on_unix
@pytest.mark.parametrize("is_there", [True, False])
def test_all_programs_of_a_terminal_that_is_closed_end(is_there: bool, monkeypatch) -> None:
    killed: list[Any] = []
    monkeypatch.setattr(themed_app, "_pump_terminal", lambda *_: is_there)
    monkeypatch.setattr("os.kill", lambda *what: killed.append(what))
    themed_app._pump_or_hang_up(0, 1, Event())
    assert killed == [(os.getpid(), signal.SIGHUP)] * (not is_there)


@on_unix
def test_the_whole_job_stops_by_the_default_action(monkeypatch) -> None:
    """And the handler is there again afterwards."""
    done: list[Any] = []
    monkeypatch.setattr("os.kill", lambda *what: done.append(what))
    monkeypatch.setattr("signal.signal", lambda *what: done.append(what) or "before")
    themed_app._stop_job()
    stop = signal.SIGTSTP
    assert done == [(stop, signal.SIG_DFL), (0, stop), (stop, "before")]


@on_unix
def test_the_terminal_is_given_back_and_taken_again_once(monkeypatch) -> None:
    from textual.drivers.linux_driver import LinuxDriver  # noqa: PLC0415 - not importable on Windows

    done, there = list[str](), {0}
    for name in ("suspend", "resume"):
        mode = f"{name}_application_mode"
        monkeypatch.setattr(LinuxDriver, mode, lambda _driver, name=name: done.append(name))
    monkeypatch.setattr("os.isatty", lambda number: number in there)
    monkeypatch.setattr(themed_app, "_stop_job", lambda: done.append("stop"))
    driver: Any = object.__new__(themed_app.make_forgiving_driver(LinuxDriver))
    driver.suspend_application_mode()
    driver.resume_application_mode()
    assert done == ["suspend", "resume"]
    driver.resume_application_mode()  # after a signal that cannot be handled
    assert done[2:] == ["suspend", "resume"]
    driver._sigtstp_application()
    assert done[4:] == ["suspend", "stop", "resume"], "nothing has stopped"
    assert driver._must_signal_resume
    monkeypatch.setattr(themed_app, "_stop_job", driver.resume_application_mode)
    driver._sigtstp_application()
    assert done[7:] == ["suspend", "resume"], "a shell has continued it"
    there.clear()
    driver.resume_application_mode()
    assert len(done) == 9, "the terminal is closed"


@on_unix
def test_the_terminal_is_read_through_a_pipe_whatever_fails(monkeypatch) -> None:
    from textual.drivers.linux_driver import LinuxDriver  # noqa: PLC0415 - not importable on Windows

    got, passed = list[bytes](), list[Any]()

    def read(driver: Any) -> None:
        got.append(os.read(driver.fileno, 9))
        if len(got) == 1:
            os.write(typed, b"c")
            raise ValueError
        driver.exit_event.set()

    monkeypatch.setattr(LinuxDriver, "run_input_thread", read)
    monkeypatch.setattr(LinuxDriver, "process_message", lambda _driver, message: passed.append(message))
    (terminal, typed), driver = os.pipe(), object.__new__(Bare(EN).get_driver_class())
    driver.fileno, driver.exit_event = terminal, Event()
    os.write(typed, b"ab")
    driver.run_input_thread()
    assert (got, driver.fileno) == ([b"ab", b"c"], terminal)
    for one in (terminal, typed):
        os.close(one)
    for sign in "a\ud800":
        driver.process_message(events.Key(sign, sign))
    assert [one.key for one in passed] == ["a"]


@on_unix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_leaves_a_screen_and_is_the_shells_again_afterwards(number: int) -> None:
    app, before = Bare(EN), signal.getsignal(number)
    async with app.run_test() as pilot:
        signal.getsignal(number)(number, None)
        await pilot.pause()
        assert app.return_code == 128 + number
    assert signal.getsignal(number) is before


def test_nobody_waits_a_second_for_what_the_screens_do() -> None:
    """They look at the table, the camera and the boards as often, and wait no longer for a key."""
    waits = [
        (module.name, name, seconds)
        for module in pkgutil.walk_packages(views.__path__, "companion.views.")
        for name, seconds in vars(importlib.import_module(module.name)).items()
        if re.search("(SECONDS|TICK|TURN|PAUSE)$", name)
    ]
    assert len(waits) > 12
    assert [one for one in waits if not 0 < one[2] < 1] == []


def test_all_is_drawn_again_after_a_pause(monkeypatch) -> None:
    """On a terminal that meanwhile showed the shell."""
    app, drawn = Bare(EN), list[Any]()
    monkeypatch.setattr(app, "refresh", lambda **how: drawn.append(how))
    app.redraw_screen()
    assert drawn == [{"layout": True}]


def test_an_internal_error_ends_a_screen_with_one_sentence(monkeypatch) -> None:
    monkeypatch.setattr(
        "companion.crash.report_crash", lambda fault: Text("play.bad_clock", {"given": str(fault), "most": 9})
    )
    app, done = Bare(EN), list[str]()
    monkeypatch.setattr(app, "bell", lambda: done.append("bell"))
    monkeypatch.setattr(app, "_close_messages_no_wait", lambda: done.append("closed"))
    app._fatal_error()
    assert app._exit_renderables == []
    for fault in ("first", "second"):
        try:
            raise ValueError(fault)
        except ValueError:
            app._fatal_error()
    told = "".join(piece.text for one in app._exit_renderables for piece in one.segments)
    assert told == EN("play.bad_clock", given="first", most=9) + "\n"
    assert done == ["bell", "closed"] * 3


@pytest.mark.parametrize("at_once", [True, False])
async def test_cards_are_chosen_by_rows_and_by_keys_that_are_not_shown(at_once: bool) -> None:
    """Below the cards stand a row that ends the choice and one that takes a card back, for the
    mouse. With a fixed number of cards in an entry, the last one ends it."""
    panel, given = EntryPanel(Translator.for_game("en", "dtc")), list[Any]()
    pick = Pick((("4", 2), ("joker", 1)), 2, 2, keys=("4", "j"), others=(("2", "l"),))
    turn = EntryTurn("Ann", (), ("Ann", "Bob")) if at_once else None
    menu = Menu([], [Reply("c", "cards", None, pick=pick)], entry_turn=turn)
    async with Alone(panel).run_test(size=SMALL) as pilot:
        panel.show_menu(menu, lambda _reply, cards: given.append(cards))
        panel.query_one(OptionList).focus()
        picked = panel.query_one("#entry-picked", Static)
        await pilot.press("c")
        four, _, done, back = range(4)
        for row, shown in ((four, "1/2"), (back, "0/2"), (four, "1/2")):
            panel._choose_row(row)
            assert str(picked.render()).startswith(shown)
        await pilot.press("l")
        assert given == [("4", "2")] * at_once
        if not at_once:
            panel._choose_row(done)
            assert given == [("4", "2")]


async def test_a_number_leads_to_its_row() -> None:
    """What no row has begins anew with its last digit, as it does after any other key."""
    rows = [Sentence("Round 1", "title"), *(Reply(str(one), "row", None) for one in range(1, 13))]

    def converse():
        yield Menu([], rows, long=True)

    screen, found = ConversationScreen(Conversation(converse), EN), []
    async with open_screen(screen, EN).run_test(size=SMALL) as pilot:
        await pilot.pause()
        listing = screen.query_one("#long", OptionList)
        await wait_until(pilot, lambda: screen.focused is listing)
        for typed in ("1", "12", "13", "91", "1x2", "0", "112"):
            listing.action_last()
            for sign in f"x{typed}":
                screen.on_key(events.Key(sign, sign))
            found.append(str(listing.options[listing.highlighted].prompt).split()[0])
    assert found == ["1", "12", "3", "1", "2", "12", "2"]


async def test_the_newest_finding_of_a_check_is_in_sight(monkeypatch) -> None:
    check, scrolled = EquipmentCheck([Found(*(found("ok") for _ in range(40)))]), list[Any]()
    monkeypatch.setattr("textual.containers.VerticalScroll.scroll_end", lambda _, **how: scrolled.append(how))
    async with CheckApp(check, EN).run_test(size=SMALL) as pilot:
        await wait_until(pilot, lambda: check.is_done and len(scrolled) > 1)
    assert {how["animate"] for how in scrolled} == {False}


ONE_OR_MORE = {
    "1": "begin | 1: Enter enters it; or type on | 1 10",
    "1 backspace": "begin | 1 10 c t",
    "1 c": "cards | 0/2  … | 1 4 7 ⏎ ⌫; 1",
    "1 0": "begin | 1 10 c t; 10",
    "c 1": "cards | 1/2  10 | 1 4 7 ⏎ ⌫",
    "c 7 4 backspace enter": "cards | 1/2  7 | 1 4 7 ⏎ ⌫; c 7",
    "t a space enter": "text | “a ”; t a",
}
"""Keys in an entry panel: its words and the keys of its rows, and what was given by them."""


def read_panel(panel: EntryPanel) -> str:
    words = [one for one in panel.query(Static) if one.display]
    told = [str(one.render()).split("\n")[0] for one in words]
    keys = [str(one.prompt).split()[0] for one in panel.query_one("#entry-list", OptionList).options]
    line = panel.query_one(Input)
    return " | ".join([*told, *[" ".join(keys)] * (not line.display), *[f"“{line.value}”"] * line.display])


@pytest.mark.parametrize("keys", ONE_OR_MORE)
async def test_what_a_panel_shows_after_keys(keys: str, monkeypatch) -> None:
    monkeypatch.setattr("companion.views.dashboard.widgets.entry_panel._PAUSE", 1000.0)
    panel, given = EntryPanel(EN_DONKEYS), list[str]()
    pick, prompt = Pick((("10", 1), ("4", 2), ("7", 1)), 1, 2), TextPrompt("your name", 9)
    replies = [
        Reply("1", "one", None), Reply("10", "ten", None), Reply("c", "cards", None, pick=pick),
        Reply("t", "text", None, pick=prompt),
    ]  # fmt: skip
    async with Alone(panel).run_test(size=SMALL) as pilot:
        panel.show_menu(
            Menu([Sentence("begin")], replies),
            lambda reply, cards: given.append(" ".join([reply.key, *(cards or ())])),
        )
        panel.query_one(OptionList).focus()
        await pilot.press(*keys.split())
        assert "; ".join([read_panel(panel), *given]) == ONE_OR_MORE[keys]


async def test_a_panel_without_a_menu_knows_no_key() -> None:
    panel = EntryPanel(EN)
    async with Alone(panel).run_test(size=SMALL) as pilot:
        panel.query_one(OptionList).focus()
        told = [str(panel.query_one("#entry-wrong", Static).render())]
        await pilot.press("ü")
        told.append(" ".join(str(panel.query_one("#entry-wrong", Static).render()).split()))
    assert told == ["", EN("entry.no_key", key="ü", keys="") + "."]
