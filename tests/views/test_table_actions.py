"""What the keys of the table do, without a screen: whom they tell, what they open, and what they
ask first."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion
from textual.command import CommandPalette

from companion.language import LANGUAGES
from companion.live.live_session import LiveSession
from companion.plan import Plan
from companion.rules.contract import Text
from companion.texts import Translator
from companion.views.dashboard.app import KEYS, Dashboard
from companion.views.dashboard.screens.conversation import ConversationScreen
from companion.views.dashboard.screens.dialog import ChoiceScreen
from companion.views.dashboard.screens.pads import PadsScreen
from companion.views.dashboard.screens.text_dialogs import ExplanationScreen, HelpScreen, MovesScreen
from companion.views.table_session import Backstage, Command, TableSession
from tests.views.screens import FOUR, middle
from tests.views.table import Characters, live_session, played_out
from tests.views.test_parts_drawn import MOVES

EN = Translator("en")


class Acted(Dashboard):
    """A dashboard without a screen: what it tells, opens and ends with is remembered."""

    def __init__(self, live: LiveSession, **more: Any) -> None:
        self.told: list[str] = []
        self.opened: list[tuple[Any, Any]] = []
        self.ended: list[Any] = []
        self.redrawn = self.refreshed = 0
        super().__init__(TableSession(**{"plan": Plan(language="en"), "live": live, **more}))
        self._entering = Mock(is_open=False)

    def notify(self, message: str, **_: Any) -> None:
        self.told.append(message)

    def push_screen(self, screen: Any, callback: Any = None, **_: Any) -> Any:
        self.opened.append((screen, callback))

    def exit(self, result: Any = None, *_: Any, **__: Any) -> None:
        self.ended.append(result)

    def refresh_bindings(self) -> None:
        self.refreshed += 1

    def on_dashboard_changed(self) -> None:
        self.redrawn += 1

    @property
    def screen(self) -> Any:
        return self.opened[-1][0] if self.opened else self._table


def words_of(app: Acted) -> list[str]:
    return [app.translator(f"key.{key.action}") for key in KEYS]


def test_the_list_of_keys_of_a_table_that_has_everything(snapshot: SnapshotAssertion) -> None:
    plan = Plan(language="en", demo=True)
    there = {
        name: Mock()
        for name in ("speaker", "virtual_trays", "picture_of", "photograph", "sharing", "backstage")
    }
    there["backstage"].commands = (Command("plus", Text("demo.take_over"), Mock(), "+"),)
    app = Acted(live_session(FOUR), plan=plan, **there)
    keys = app._offers.list_keys(app.translator)
    assert "\n".join(f"{typed:5} {words}" for typed, words in keys) == snapshot(extension_class=Characters)


@pytest.mark.parametrize(
    ("action", "screen"),
    [
        ("explain", ExplanationScreen), ("people", ConversationScreen), ("help", HelpScreen),
        ("correct", ConversationScreen), ("board", PadsScreen),
    ],
)  # fmt: skip
def test_a_key_opens_its_sheet(action: str, screen: type) -> None:
    app = Acted(middle("donkey_valley"), virtual_trays=SimpleNamespace(pads=()))
    getattr(app, f"action_{action}")()
    assert [type(one) for one, _ in app.opened] == [screen]
    assert [getattr(one, "_again", False) for one, _ in app.opened] == [action == "people"], "others come too"
    assert app.told == []


def test_where_there_is_nothing_a_key_says_so_or_does_nothing() -> None:
    app = Acted(live_session(FOUR))
    app.action_correct()
    app.action_board()
    app.action_photo()
    assert app.told == [EN("correct.nothing")]
    assert app.opened == []


def test_leaving_is_asked_only_if_steps_would_be_lost(monkeypatch) -> None:
    app = Acted(live_session(FOUR))
    app.action_leave()
    assert (app.ended, app.opened) == ([None], [])
    app.action_help_quit()
    assert app.told == [app.translator.translate(Dashboard.LEAVING)]
    monkeypatch.setattr(
        "companion.views.dashboard.app.describe_unsaved_steps", lambda _snapshot: Text("demo.label")
    )
    app.action_help_quit()
    assert app.told[1:] == [EN("demo.label")]
    for chosen, ends in ((None, 0), (0, 0), (1, 1)):
        app.ended.clear()
        app.action_leave()
        screen, then = app.opened[-1]
        assert isinstance(screen, ChoiceScreen)
        then(chosen)
        assert len(app.ended) == ends


async def test_leaving_a_second_time_is_not_asked_again(monkeypatch) -> None:
    monkeypatch.setattr(
        "companion.views.dashboard.app.describe_unsaved_steps", lambda _snapshot: Text("demo.label")
    )
    app = Acted(live_session(FOUR))
    await app.action_quit()
    assert (app.ended, len(app.opened)) == ([], 1)
    await app.action_quit()
    assert (app.ended, len(app.opened)) == ([None], 1)


def test_the_key_for_languages_goes_through_all_and_names_the_keys() -> None:
    app = Acted(live_session(FOUR), sharing=object())
    seen = []
    for _ in LANGUAGES:
        app.action_language()
        seen.append(app.translator.language)
        [undo] = [one for one in app._bindings.key_to_bindings["u"] if one.id == "undo"]
        assert undo.description == app.translator("key.short.undo")
    assert sorted(seen) == sorted(LANGUAGES)
    assert seen[-1] == "en"
    assert app.redrawn == app.refreshed == len(LANGUAGES)


def test_silence_lasts_and_is_told() -> None:
    speaker = Mock(muted=False)
    app = Acted(live_session(FOUR), speaker=speaker)
    app.action_mute()
    assert speaker.mute.call_count == 1
    Acted(live_session(FOUR)).action_mute()
    assert app.told == [EN("voice.muted")]


def test_a_pause_holds_the_table_and_what_goes_on_behind_it() -> None:
    held: list[bool] = []
    backstage = Backstage()
    backstage.set_paused = held.append  # type: ignore[method-assign]
    live = live_session(FOUR)
    app = Acted(live, backstage=backstage)
    for paused in (True, False):
        app.action_pause()
        assert live.snapshot().paused is paused
    assert held == [True, False]


def test_chances_are_shown_and_hidden() -> None:
    app = Acted(middle("donkey_valley"))
    for code, shown in (("odds.on", True), ("odds.off", False)):
        app.action_odds()
        assert app.live.shows_odds is shown
        assert app.told.pop() == EN(code)


def test_the_next_game_keeps_the_players() -> None:
    app = Acted(played_out(FOUR))
    app.action_again()
    app.action_own_game()
    again, own = app.ended
    assert sorted(again.players) == sorted(FOUR)
    assert not own.demo


@pytest.mark.parametrize(
    ("moves", "unasked", "listed"), [(0, 0, 0), (1, 0, 0), (2, 0, 2), (0, 1, 1), (3, 1, 3), (1, 1, 1)]
)
def test_one_move_is_confirmed_at_once_and_several_are_ticked_off(
    moves: int, unasked: int, listed: int, monkeypatch
) -> None:
    live, confirmed = middle("donkey_valley"), list[int]()
    snapshot = replace(live.snapshot(), moves=MOVES[:moves], unasked=MOVES[:unasked])
    monkeypatch.setattr(live, "snapshot", lambda: snapshot)
    monkeypatch.setattr(live, "confirm_moves", lambda: confirmed.append(1))
    app = Acted(live)
    app.action_confirm_moves()
    if not listed:
        assert (confirmed, app.opened) == ([1], [])
        return
    [(screen, then)] = app.opened
    assert isinstance(screen, MovesScreen)
    assert len(screen._moves) == listed
    for done, count in ((None, 0), (False, 0), (True, 1)):
        then(done)
        assert len(confirmed) == count


async def test_the_list_of_keys_presses_the_key_that_is_chosen() -> None:
    ran: list[str] = []
    command = Command("plus", Text("demo.label"), lambda: ran.append("plus") or Text("demo.yours"), "+")
    backstage = Backstage()
    backstage.commands = (command,)  # type: ignore[misc]
    app = Acted(live_session(FOUR), backstage=backstage)
    pressed: list[str] = []

    async def run_action(action: str) -> None:
        pressed.append(action)

    app.run_action = run_action  # type: ignore[method-assign]
    for typed, action in (("c", "correct"), ("+", "command('plus')"), ("1-9", None), (None, None)):
        app._entering.reset_mock()
        pressed.clear()
        await app._press_typed_key(typed)
        assert pressed == [action] * bool(action)
        assert app._entering.close_panel.call_count == bool(action)
    app.action_command("plus")
    assert (ran, app.told, app.redrawn) == (["plus"], [EN("demo.yours")], 1)
    commands = list(app.get_system_commands(app.screen))
    assert commands[0].title == EN("demo.label")
    titles = [one.title for one in commands[1:]]
    assert titles == [words for words in words_of(app) if words in titles]
    assert EN("key.again") not in titles
    assert EN("key.correct") in titles
    commands[0].callback()
    assert ran == ["plus"] * 2


def test_the_palette_opens_once_and_the_page_of_the_evening_is_told(monkeypatch) -> None:
    app = Acted(live_session(FOUR))
    for _ in range(2):
        app.action_command_palette()
    [(palette, _)] = app.opened
    assert isinstance(palette, CommandPalette)
    monkeypatch.setattr(
        "companion.views.dashboard.app.save_session_page",
        lambda journal, language: (
            journal is app.live.journal and Text("of_whom", {"who": "page", "what": language})
        ),
    )
    app.action_keep_page()
    assert app.told == ["page: en"]
