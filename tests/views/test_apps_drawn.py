"""What the apps around the table show in their typical states, at the smallest and a wide size,
with every colour. `pytest tests/views --snapshot-update` renews it; read the difference."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext, suppress
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from textual.app import App
from textual.content import Content
from textual.message_pump import MessagePump
from textual.widgets import Select
from textual.worker import WorkerFailed

from companion.enrolment.picture_analysis import Progress
from companion.equipment.diagnosis import make_finding
from companion.equipment.steps import AnswerStep, CheckStep, EquipmentCheck
from companion.evening.home_screen_entries import PastSessions, list_home_entries
from companion.evening.setup_form import build_game_row
from companion.plan import Plan, parse_option_value
from companion.rules import registry
from companion.rules.contract import Problem, Text
from companion.settings import Settings
from companion.table.decks import Deck
from companion.table.sightings import Health
from companion.table.zones import describe_design
from companion.texts import Translator
from companion.views.conversations import Conversation, Menu, Reply
from companion.views.dashboard.app import _Palette
from companion.views.dashboard.calibrate import WHOLE, CalibrationApp, Corners
from companion.views.dashboard.check import SIGNS, CheckApp, format_finding, format_summary
from companion.views.dashboard.enrol import EnrolmentApp
from companion.views.dashboard.screens.conversation import ConversationScreen
from companion.views.dashboard.screens.dialog import ChoiceScreen
from companion.views.dashboard.screens.pads import PadsScreen
from companion.views.dashboard.screens.share import ShareDialog
from companion.views.dashboard.screens.text_dialogs import MovesScreen
from companion.views.dashboard.setup import SetupApp
from companion.views.dashboard.widgets.camera_preview import Preview
from companion.views.home_screen.home_screen import HomeScreen
from companion.views.home_screen.list_pages import ListPage, ProgressPage, SearchPage
from companion.views.table_session import Invitation, Invite, ShareSwitch
from tests.views.looks import MOSTLY_SMALL, SMALL, WIDE, Bare, open_screen
from tests.views.screens import middle
from tests.views.table import dashboard, steady

BOTH = pytest.mark.parametrize(
    ("size", "language"), [(SMALL, "de"), (WIDE, "en")], ids=["80x24-de", "120x40-en"]
)
PICTURE = np.full((90, 160, 3), 60, np.uint8)
LOST = Health("camera", "lost", Text("reader.camera.cannot_open", {"device": "0"}), 0.0)
WELL = Health("camera", "ok", Text("reader.camera.starting", {"device": "0"}), 0.0)


class Found(CheckStep):
    """A step that has its findings at once."""

    def __init__(self, *findings):
        super().__init__("disk", "disk")
        self._findings = findings

    def poll(self, now):
        return self._findings


def found(verdict: str, code: str = "buzzer.ok"):
    return make_finding("buzzer", verdict, code)


@BOTH
async def test_the_check_of_the_equipment(size, language, drawn) -> None:
    steps = [
        Found(
            make_finding("disk", "ok", "disk.ok", folder="~", room=5120, milliseconds=3),
            make_finding("disk", "warn", "disk.full", folder="~", room=51),
            make_finding("camera", "absent", "camera.nothing"),
        ),
        *(AnswerStep(part, lambda: None) for part in ("buzzer", "voice", "lights")),
    ]
    check = EquipmentCheck(steps)
    await drawn(
        CheckApp(check, Translator(language)),
        size,
        ("begun", ()),
        ("no", "n"),
        ("one back", "b"),
        ("yes", "y"),
        ("skipped", "s"),
        ("skipped by Enter, and done", ("enter",)),
        ("once more", "r"),
        ("no again", "n"),
        ("left", ("enter",)),
        is_ready=lambda: check.is_done or (check.current is not None and check.current.asks),
    )


def test_a_finding_and_the_end_of_a_check_in_one_line() -> None:
    said = [format_finding(found(verdict), Translator("en")) for verdict in SIGNS]
    assert said == [f"[{sign}] Buzzer: It works." for sign in "✓!✗–·"]
    ends = {}
    for verdicts in ("", "ok", "warn", "warn warn", "fault", "fault warn fault", "absent skipped"):
        check = EquipmentCheck([Found(*map(found, verdicts.split()))])
        assert format_summary(check, Translator("en")) == "", "not yet"
        while not check.is_done:
            check.tick(0.0)
        ends[verdicts] = format_summary(check, Translator("en"))
    fine = ends[""]
    assert ends == {
        "": fine,
        "ok": fine,
        "warn": Translator("en")("check.end.warnings", 1, count=1),
        "warn warn": Translator("en")("check.end.warnings", 2, count=2),
        "fault": Translator("en")("check.end.faults", 1, count=1),
        "fault warn fault": Translator("en")("check.end.faults", 2, count=2),
        "absent skipped": fine,
    }
    assert fine == Translator("en")("check.end.fine")


@MOSTLY_SMALL
async def test_showing_where_the_table_is(size, language, drawn) -> None:
    def check(corners: Corners) -> str:
        return "This is no table." if corners[0][0] > 0.05 else ""

    camera = SimpleNamespace(health=None)
    app = CalibrationApp(lambda: PICTURE, check, Translator(language), WHOLE, lambda: camera.health)
    await drawn(
        app,
        size,
        ("begun", ()),
        ("one step", ("left", "up")),
        ("large steps", ("shift+right", "shift+down")),
        ("refused", ("enter",)),
        ("beyond the edge", (*["shift+left"] * 4, *["shift+up"] * 4)),
        ("second", ("tab",)),
        ("third", ("tab",)),
        ("fourth", ("tab",)),
        ("lost", (lambda: setattr(camera, "health", LOST),)),
        ("starting", (lambda: setattr(camera, "health", replace(LOST, state="starting")),)),
        ("well", (lambda: setattr(camera, "health", WELL),)),
        ("done", ("enter",)),
        # a still picture is looked at less often
        update=lambda: [app._update_picture() for _ in range(6)][-1],
    )


DECK = Deck.load_builtin("donkey_valley")
EN_DONKEYS = Translator.for_game("en", "donkey_valley")
NAMES = [design.name for design in DECK.designs]


class Enrolment:
    """An enrolment that is told its progress, and remembers which keys reached it."""

    def __init__(self) -> None:
        self.pressed: list[str] = []
        spread = SimpleNamespace(pack_size=52, is_complete=False, shots=())
        album = SimpleNamespace(deck=DECK, describe_design=lambda name: describe_design(DECK, name))
        self.enroller = SimpleNamespace(
            progress=Progress(describe_design(DECK, NAMES[0]), 3, 59, 2, (0, 1), "one"),
            album=album,
            design_names=NAMES,
            spread=spread,
            start_or_finish_pack=lambda: self.pressed.append("pack"),
        )
        self.actions = {
            name: lambda name=name: self.pressed.append(name)
            for name in ("now", "skip", "back", "sheet", "count")
        }
        self.health: Health | None = None

    def jump_to(self, name: str) -> bool:
        self.pressed.append(f"jump {name}")
        return True

    def check_views(self):
        self.pressed.append("check")
        return [Text("enrol.test.fine", {"designs": 3, "views": 6}), Text("enrol.test.nothing")]

    def become(self, **changes: Any) -> Callable[[], None]:
        def change() -> None:
            self.health = changes.pop("health", self.health)
            self.enroller.progress = replace(self.enroller.progress, **changes)

        return change


@BOTH
async def test_enrolling_a_deck(size, language, drawn) -> None:
    enrolment = Enrolment()
    translator = Translator.for_game(language, "donkey_valley")
    app = EnrolmentApp(enrolment, lambda: None, tuple, lambda: enrolment.health, translator)
    become = enrolment.become
    cards = tuple(describe_design(DECK, name) for name in NAMES[:30])

    async def update() -> None:
        for _ in range(2):  # the second shows what the first has begun
            app._poll_enrolment()
            await app.workers.wait_for_complete()

    await drawn(
        app,
        size,
        ("begun", ()),
        ("copies", (become(seen=(1, 4), note=Text("enrol.skipped", {"card": cards[0]})),)),
        ("hint", (become(hint=Text("enrol.nothing")),)),
        ("trouble", (become(trouble=True, note=None),)),
        ("sheet", (become(mode="sheet", sheet=cards, trouble=False, hint=None),)),
        ("sheet without cards", (become(sheet=()),)),
        ("pack", (become(mode="pack", laid=7),)),
        ("blind", (become(mode="one", health=LOST, laid=0),)),
        ("sees again", (become(health=WELL),)),
        ("cards to choose", ("g",)),
        ("chosen", ("down", "enter")),
        ("checked", ("t",)),
        ("back", ("escape",)),
        ("all there", (become(wanted=None, done=59),)),
        update=update,
    )


async def test_the_keys_of_an_enrolment_do_what_they_say() -> None:
    enrolment = Enrolment()
    app = EnrolmentApp(enrolment, lambda: None, tuple, lambda: None, EN_DONKEYS)
    async with app.run_test(size=SMALL) as pilot:
        for key in ("n", "b", "space", "enter", "s", "p", "c"):
            await pilot.press(key)
            await app.workers.wait_for_complete()
        assert enrolment.pressed == ["skip", "back", "now", "now", "sheet", "pack", "count"]
        await pilot.press("g", "escape", "g", "down", "enter")
        await pilot.pause()
        assert enrolment.pressed[7:] == [f"jump {NAMES[1]}"]
        await pilot.press("q")
    assert app.return_code == 0


async def test_a_key_of_an_enrolment_that_fails_does_not_end_it(monkeypatch) -> None:
    enrolment = Enrolment()
    monkeypatch.setitem(enrolment.actions, "now", lambda: 1 / 0)
    for name in ("start_or_finish_pack", "check_views"):
        monkeypatch.setattr(enrolment.enroller if "pack" in name else enrolment, name, lambda: 1 / 0)
    app = EnrolmentApp(enrolment, lambda: None, tuple, lambda: None, EN_DONKEYS)
    async with app.run_test(size=SMALL) as pilot:
        for key in ("space", "p", "t"):
            await pilot.press(key)
            with suppress(WorkerFailed):
                await app.workers.wait_for_complete()
        assert app.is_running


async def test_a_card_that_was_taken_flashes(monkeypatch) -> None:
    monkeypatch.setattr("companion.views.dashboard.enrol._FLASH_SECONDS", 0.05)
    enrolment, rung = Enrolment(), list[int]()
    app = EnrolmentApp(enrolment, lambda: None, tuple, lambda: None, EN_DONKEYS)
    monkeypatch.setattr(app, "bell", lambda: rung.append(1))
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        assert not app.query(".flash")
        enrolment.become(captures=1)()
        app._poll_enrolment()
        assert {one.id for one in app.query(".flash")} == {"note", "call"}
        app._poll_enrolment()
        assert rung == [1]
        while app.query(".flash"):
            await pilot.pause(0.02)


@MOSTLY_SMALL
async def test_the_form_of_a_new_game(size, language, drawn, monkeypatch) -> None:
    monkeypatch.setattr("companion.views.dashboard.setup.secrets.randbelow", lambda _: 2)
    translator = Translator(language)
    rows = [build_game_row(name, translator) for name in registry.list_game_ids()]
    app = SetupApp(rows, translator, Plan(), camera="0", people=("Ann", "Annegret", "Bob"))
    await drawn(
        app,
        size,
        ("begun", ()),
        ("completed", ("A", "n")),
        ("accepted", ("right", "comma", "space", "a")),
        ("too few", ("f2",)),
        ("three", (lambda: setattr(app.query_one("#players"), "value", "Ann, Bob, Cid"),)),
        ("seats", ("tab",)),
        ("second", ("right",)),
        ("carried", ("shift+right",)),
        ("drawn", ("tab", "enter")),
        ("further down", (lambda: app.query_one("#form").scroll_end(animate=False),)),
        ("left", ("escape",)),
    )


@pytest.mark.parametrize("game", registry.list_game_ids())
async def test_the_form_with_all_options_of_a_game(game, drawn) -> None:
    translator = Translator("en")
    rows = [build_game_row(name, translator) for name in registry.list_game_ids()]
    plan = Plan(game, ("Ann", "Bob", "Cid"), clock=30.0, pictures=True)
    option = next(one for one in build_game_row(game, translator).options if len(one.values) > 1)
    changed = plan.with_changes(options={option.name: parse_option_value(option.values[-1][1])})
    app, offered = SetupApp(rows, translator, changed), dict[str | None, Any]()
    await drawn(
        app,
        (100, 110),
        ("begun", ()),
        update=lambda: offered.update((one.id, tuple(one._options)) for one in app.query(Select)),
    )
    for one in build_game_row(game, translator).options:
        assert offered.get(f"option-{one.name}", one.values) == one.values


class Trays:
    """Simulated trays that remember what is done to them."""

    pads = ("middle", "seat1", "seat2", "pile")
    lights = ("#000000", "#000800", "#080000", "#000008")
    tone = 0

    def __init__(self) -> None:
        self.cards: dict[str, list[str | None]] = {"seat2": [None, "giant", None]}
        self.done: list[tuple[Any, ...]] = []

    def list_cards(self, pad):
        return self.cards.get(pad, [])

    def list_free_designs(self):
        return ["giant", "puny"]

    def find_card(self, design):
        return {"giant": "donkey:giant", "puny": "donkey:puny"}.get(design, design)

    def lay_card(self, pad, design):
        self.cards.setdefault(pad, []).append(design)

    def lift_card(self, pad):
        self.done.append(("lift", pad))
        self.cards[pad].pop()

    def press_button(self, seat, button, *, down=True):
        self.done.append((seat, button, down))


async def test_the_same_message_is_shown_once_while_it_stands(monkeypatch) -> None:
    now = [100.0]
    monkeypatch.setattr(
        "companion.views.dashboard.themed_app.time", SimpleNamespace(monotonic=lambda: now[0])
    )
    told: list[str] = []
    monkeypatch.setattr(App, "notify", lambda _app, message, severity, **_: told.append(severity + message))
    app = Bare(Translator("en"))
    async with app.run_test(size=SMALL):
        for message, passed in (("one", 0), ("one", 1), ("two", 0), ("one", 3), ("one", 2), ("two", 0)):
            now[0] += passed
            app.notify(message, timeout=5, severity="warning: ")
        assert told == ["warning: one", "warning: two", "warning: one", "warning: two"]
        monkeypatch.setattr(App, "notify", lambda _app, message, **_: told.append(message))
        app.action_help_quit()
        assert told[4:] == [Translator("en")("leaving", key="q")]


async def test_the_mouse_selects_no_text() -> None:
    """Textual ends with an error if what is selected disappears meanwhile."""
    app = open_screen(ChoiceScreen("Which?", ["Stay"]))
    async with app.run_test(size=SMALL) as pilot:
        await pilot.mouse_down("#choose-title", offset=(1, 0))
        await pilot.hover("#choose-title", offset=(5, 0))
        await pilot.mouse_up("#choose-title", offset=(5, 0))
        assert not app.screen.get_selected_text()


async def test_escape_leaves_the_palette() -> None:
    app = open_screen(_Palette(placeholder="Search"))
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("z", "escape")
    assert app._exit


async def test_who_may_join_is_asked_first(monkeypatch) -> None:
    opened: list[bool] = []

    def open_table(network: bool):
        opened.append(network)
        if len(opened) == 1:
            raise Problem("page.no_journal")
        return nullcontext(invited)

    app = Bare(Translator("en"))
    async with app.run_test(size=WIDE) as pilot:
        app.enable_sharing(None)
        await pilot.press("j")
        assert len(app.screen_stack) == 1
        app.action_join()
        app.enable_sharing(ShareSwitch(open_table))
        assert app.active_bindings["j"].binding.key_display == "j"
        await pilot.press("j", "escape", "j", "2")
        await pilot.pause()
        assert opened == [True]
        assert [(one.severity, one.markup) for one in app._notifications] == [("error", False)]
        await pilot.press("j", "1")
        await pilot.pause()
        assert opened == [True, False]
        assert isinstance(app.screen, ShareDialog)
        await pilot.press("escape", "j")
        await pilot.pause()
        assert isinstance(app.screen, ShareDialog), "it is shared already"


@MOSTLY_SMALL
async def test_the_simulated_trays(size, language, drawn, monkeypatch) -> None:
    monkeypatch.setattr("companion.views.dashboard.screens.pads._PRESS_SECONDS", 0.01)
    trays = Trays()
    screen = PadsScreen(trays, Translator.for_game(language, "donkey_valley"))
    app = open_screen(screen, Translator(language))
    await drawn(
        app,
        size,
        ("begun", ()),
        ("which card", ("enter",)),
        ("laid", ("1",)),
        ("none chosen", ("enter", "escape")),
        ("next", ("right", "a")),
        ("third", ("down", "r")),
        ("taken away", ("backspace",)),
        ("before", ("left",)),
        ("first again", ("up",)),
        ("buzzer", (lambda: setattr(trays, "tone", 440),)),
        ("other lights", (lambda: setattr(trays, "lights", ("#381800", "#000c40", "#282828", "#004000")),)),
        ("left", ("b",)),
        update=lambda: screen.update_pads() if screen.is_mounted else None,
    )
    assert trays.done[:1] == [(1, "accept", True)]
    assert (2, "refuse", True) in trays.done
    assert (1, "accept", False) in trays.done
    assert ("lift", "seat2") in trays.done


def invited(**changes: Any) -> Invitation:
    root = "https://192.168.1.20:8640"
    people = [
        Invite("Fernseher", f"{root}/#Kg49", "KDQX", 1),
        Invite("Mitspielen", f"{root}/#A5Jm", ""),
        Invite("Ann", f"{root}/seat#1", "BCD1", 2, 1),
        Invite("Bob, der einen langen Namen hat", f"{root}/seat#2", "BCD2", 0, 2, is_owned=True),
    ]
    return Invitation(
        tuple(
            one._replace(**{name: call for name, call in changes.items() if name in Invite._fields})
            for one in people
        ),
        ("192.168.1.20",),
        address=root,
        waiting_codes=changes.get("waiting_codes", ()),
    )


@MOSTLY_SMALL
async def test_how_others_join(size, language, drawn) -> None:
    done: list[Any] = []
    table = SimpleNamespace(invitation=invited(let_in=done.append, send_away=lambda: done.append("away")))
    screen = ShareDialog(lambda: table.invitation, Translator(language), lambda: done.append("end"))
    waiting = invited(
        waiting_codes=("FGHJ", "KLMN"), let_in=done.append, send_away=lambda: done.append("away")
    )
    await drawn(
        open_screen(screen, Translator(language)),
        size,
        ("begun", ()),
        ("let in, though nobody waits", ("l",)),
        ("someone waits", (lambda: setattr(table, "invitation", waiting),)),
        ("second", ("down",)),
        ("third", ("right",)),
        ("second again", ("up",)),
        ("first", ("left",)),
        ("last, around the end", ("up",)),
        ("by its key", ("3",)),
        ("let in and renewed", ("l", "r")),
        ("nothing shared any more", (lambda: setattr(table, "invitation", None), "l", "r", "down")),
        ("ended", ("x",)),
        update=lambda: screen._draw_invitation() if screen.is_mounted else None,
    )
    assert done == ["FGHJ", "away", "end"]


def ask_about_two_cards() -> ConversationScreen:
    """A conversation that shows a dark card, then a bright one."""
    pictures = []

    def ask():
        for brightness in (60, 200):
            pictures.append(np.full_like(PICTURE, brightness))
            yield Menu([], [Reply("1", "a card", None)])

    return ConversationScreen(Conversation(ask), EN_DONKEYS, picture_of=lambda: pictures[-1])


POLLED: dict[str, Callable[[], App[Any]]] = {
    "calibration": lambda: CalibrationApp(lambda: PICTURE, lambda _: "", EN_DONKEYS, health=lambda: LOST),
    "enrolment": lambda: EnrolmentApp(Enrolment(), lambda: PICTURE, tuple, lambda: LOST, EN_DONKEYS),
    "joining": lambda: open_screen(ShareDialog(invited, EN_DONKEYS, lambda: None)),
    "conversation": lambda: open_screen(ask_about_two_cards()),
    "trays": lambda: open_screen(PadsScreen(Trays(), EN_DONKEYS)),
    "table": lambda: dashboard(middle("donkey_valley"), picture_of=lambda: PICTURE),
}


@pytest.fixture
def polls(monkeypatch) -> list[Callable[[], object]]:
    """What the program would call from time to time, and does not."""
    found, usual = list[Callable[[], object]](), MessagePump.set_interval

    def set_interval(self: MessagePump, seconds: float, callback: Any = None, **more: Any):
        if callback.__module__.startswith("companion."):
            found.append(callback)
        return usual(self, 1000 * seconds, callback, **more)

    monkeypatch.setattr(MessagePump, "set_interval", set_interval)
    return found


@pytest.mark.parametrize("name", POLLED)
async def test_a_screen_is_complete_before_it_looks_again(name: str, polls) -> None:
    """When it opens, and at every new size: nothing moves a moment later."""
    app = POLLED[name]()
    async with app.run_test(size=SMALL) as pilot:
        for size in (SMALL, WIDE):
            await pilot.resize_terminal(*size)
            shown = await steady(pilot)
            for poll in polls:
                poll()
            assert await steady(pilot) == shown
    assert polls


async def test_the_picture_of_the_next_question_comes_with_it(polls) -> None:
    app = open_screen(ask_about_two_cards())
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        for poll in polls * 2:
            poll()  # a still picture is looked at less often
        await pilot.press("1")
        [style] = {one.style for one in app.screen.query_one(Preview).render_line(0) if "▀" in one.text}
        assert style.color.get_truecolor()[0] > 150


@BOTH
async def test_choosing_one_of_many(size, language, drawn) -> None:
    screen = ChoiceScreen(
        "Which?", [f"Row {number}" for number in range(14)], ["", "q", "ab", "ac"] + [""] * 10
    )
    await drawn(
        open_screen(screen, Translator(language)),
        size,
        ("begun", ()),
        ("the beginning of a key", ("a",)),
        ("no key", ("z",)),
        ("chosen", ("a", "c")),
    )


@pytest.mark.parametrize(
    ("keys", "result"),
    [
        ("q", 1), ("ab", 2), ("1", 0), ("aq", 1), (("down", "down", "enter"), 2), (("escape",), None),
        (("a", "escape"), None),
    ],
)  # fmt: skip
async def test_what_the_keys_choose(keys, result) -> None:
    app = open_screen(ChoiceScreen("Which?", ["Stay", "Leave", "Other"], ["", "q", "ab"]), Translator("en"))
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        await pilot.press(*keys)
    assert app.return_value == result


@BOTH
async def test_ticking_off_what_must_be_moved(size, language, drawn) -> None:
    moves = ["red 7: from Ann to Bob", "giant donkey: to the middle", "blue 5: away"]
    await drawn(
        open_screen(MovesScreen(moves, Translator(language)), Translator(language)),
        size,
        ("begun", ()),
        ("first ticked", ("enter",)),
        ("second ticked", ("enter",)),
        ("second not ticked", ("up", "enter")),
        ("all", ("enter", "enter")),
    )


@pytest.mark.parametrize(("keys", "result"), [("m", True), (("escape",), False), (("enter",) * 3, True)])
async def test_how_a_list_of_moves_ends(keys, result) -> None:
    app = open_screen(MovesScreen(["one", "two", "three"], Translator("en")), Translator("en"))
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        await pilot.press(*keys)
    assert app.return_value is result


GROUPS = Settings(
    groups=(
        Plan("donkey_valley", ("Ann", "Bob", "Chloé", "Dora"), cameras=("0",)),
        Plan("ascend", ("Maximilian", "Annegret", "Konstantin", "Bartholomäus", "Friederike", "Gustav")),
    )
)


@BOTH
@pytest.mark.parametrize("groups", [Settings(), GROUPS], ids=["new", "known"])
async def test_the_home_screen(size, language, groups, drawn) -> None:
    translator = Translator(language)
    past = PastSessions((), groups.groups[0] if groups.groups else None)
    app = HomeScreen(
        list_home_entries(groups, past, translator), translator, "", "Settings saved." * bool(groups.groups)
    )
    await drawn(
        app, size, ("begun", ()), ("further down", ("down", "down")), ("at the end", ("end",)), ("left", "q")
    )


@pytest.mark.parametrize("size", [(60, 20), (119, 31), (121, 45), (200, 60)], ids=str)
async def test_the_home_screen_at_other_sizes(size, drawn) -> None:
    app = HomeScreen(
        list_home_entries(GROUPS, PastSessions((), GROUPS.groups[0]), Translator("fr")), Translator("fr"), ""
    )
    await drawn(app, size, ("begun", ()))


@BOTH
async def test_a_list_to_read_and_one_to_search(size, language, drawn) -> None:
    lines = [
        f"{number}. Donkey Valley with {name}"
        for number, name in enumerate(("Zoé", "Léo", "Inès", "Zoé and Léo"), 1)
    ]
    app = SearchPage("History", lines, Translator(language), "", 2, can_remove=True)
    await drawn(
        app,
        size,
        ("begun", ()),
        ("up", ("up",)),
        ("searched", tuple("zoe")),
        ("a second word", (*" leo",)),
        ("nothing found", ("x",)),
        ("at the beginning of what is typed", ("home",)),
        ("chosen", ("delete", *["delete"] * 7, "down", "enter")),
    )


@BOTH
async def test_a_list_with_a_photo(size, language, drawn) -> None:
    def draw(columns: int, rows: int) -> Content:
        return Content("\n".join(["#" * columns] * rows))

    app = ListPage(
        "A game", [f"Line {number}" for number in range(30)], Translator(language), "", 99, photo=draw
    )
    await drawn(app, size, ("begun", ()), ("first", ("home",)), ("chosen", ("down", "enter")))


@pytest.mark.parametrize(
    ("page", "keys", "result", "removed", "typed"),
    [
        ({}, ("down", "enter"), 1, False, ""),
        ({}, ("delete", "escape"), None, False, ""),
        ({"can_remove": True}, ("pagedown", "delete"), 2, True, ""),
        ({"can_remove": True}, ("t", "w", "delete"), 1, True, ""),
        ({"can_remove": True}, ("t", "home", "delete", "enter"), 0, False, ""),
        ({"can_remove": True}, ("z", "delete", "escape"), None, False, ""),
        ({}, ("z", "enter", "escape"), None, False, ""),
        ({"free": True}, ("space", "z", "enter"), -1, False, "z"),
        ({"free": True}, ("t", "h", "enter"), 2, False, ""),
        ({}, ("q", "escape"), None, False, ""),
    ],
)  # fmt: skip
async def test_what_a_list_returns(page, keys, result, removed, typed) -> None:
    app = SearchPage("Which?", ["one", "two", "three"], Translator("en"), "", **page)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press(*keys)
    assert (app.return_value, app.chosen_for_removal, app.typed) == (result, removed, typed)


@BOTH
async def test_the_progress_of_long_work(size, language, drawn) -> None:
    steps = SimpleNamespace(wanted=1, done=0)

    def work(report):
        while steps.done < 3:
            if steps.wanted > steps.done:
                steps.done += 1
                report(steps.done, 3)
        return ["ready"]

    app = ProgressPage("Drawing", work, "cards.progress", Translator(language), "")

    def go(number: int) -> Callable[[], None]:
        return lambda: setattr(steps, "wanted", number)

    await drawn(
        app,
        size,
        ("one of three", ()),
        ("two of three", (go(2),)),
        is_ready=lambda: steps.done == steps.wanted,
    )
    steps.wanted = 3


@pytest.mark.parametrize(
    ("work", "said"),
    [
        (lambda report: report(1, 1) or ["done"], ["done"]),
        (
            lambda report: (_ for _ in ()).throw(Problem("page.no_journal")),
            [Translator("en")("page.no_journal")],
        ),
    ],
)
async def test_what_long_work_ends_with(work, said) -> None:
    app = ProgressPage("Drawing", work, "cards.progress", Translator("en"), "")
    async with app.run_test(size=SMALL) as pilot:
        while not app._exit:
            await pilot.pause(0.02)
    assert app.return_value == said
