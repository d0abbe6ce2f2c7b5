"""The dashboard application: shows the live session, and turns keys into requests.

Keys are defined here once: what footer, key list and palette show, which keys are useful now, and
what each does.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, ClassVar, NamedTuple

from msgspec.structs import replace
from textual.app import SystemCommand
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.command import CommandPalette
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input
from textual.worker import Worker

from companion.language import LANGUAGES
from companion.live.snapshot import Snapshot, describe_unsaved_steps
from companion.plan import Plan
from companion.rules.contract import GAME_OVER, LONGEST_NAME, Refusal, Text
from companion.texts import Translator
from companion.views.conversations import (
    Conversation,
    describe_refusal,
    prompt_for_correction,
    prompt_for_people_change,
)
from companion.views.dashboard import screens
from companion.views.dashboard.entry_controller import EntryController
from companion.views.dashboard.screens.dialog import ChoiceScreen, can_leave
from companion.views.dashboard.screens.table_screen import TableScreen
from companion.views.dashboard.themed_app import ThemedApp
from companion.views.dashboard.widgets.screen_part import ScreenState
from companion.views.moments import RevealMoment, find_moment
from companion.views.panel import Face, load_face_builder, mark_taken_seats
from companion.views.places import format_moves
from companion.views.session_page import save_session_page
from companion.views.table_session import POSE, Command, TableSession
from companion.views.themes import THEMES


class KeySpec(NamedTuple):
    """One key: Textual's name of it, its action (words: `key.<action>`, in the footer
    `key.short.<action>`), and what is printed on it.

    `footer`: whether the footer shows it.
    """

    key: str
    action: str
    typed: str
    footer: bool = True


KEYS = (
    KeySpec("enter", "act", "⏎"),
    KeySpec("u", "undo", "u"),
    KeySpec("r", "redo", "r", footer=False),
    KeySpec("c", "correct", "c"),
    KeySpec("e", "explain", "e"),
    KeySpec("g", "glance", "g"),
    KeySpec("w", "watch", "w"),
    KeySpec("m", "confirm_moves", "m"),
    KeySpec("d", "count_cards", "d"),
    KeySpec("percent_sign", "odds", "%", footer=False),
    KeySpec("space", "pause", "␣"),
    KeySpec("a", "again", "a"),
    KeySpec("k", "keep_page", "k"),
    KeySpec("n", "own_game", "n"),
    KeySpec("x", "mute", "x"),
    KeySpec("b", "board", "b"),
    KeySpec("p", "people", "p"),
    KeySpec("v", "review", "v"),
    KeySpec("f", "photo", "f"),
    KeySpec("l", "language", "l", footer=False),
    KeySpec("t", "next_theme", "t", footer=False),
    KeySpec("question_mark", "help", "?"),
    KeySpec("q", "leave", "q"),
)
"""Keys in the order shown; `check_action` of the dashboard says which of them are useful now."""

FOOTER_ACTIONS = tuple(key.action for key in KEYS if key.footer)
"""Ids of the keys in the footer, which have short words."""

TABLE_ONLY = frozenset({key.action for key in KEYS} - {"undo", "confirm_moves", "odds", "pause", "help"}) | {
    "seat",
    "command",
    "join",
}
"""Actions without keys during an entry, whose rows use the letters and digits. The keys of the
others begin no row of any game (`companion.views.entry_options.TABLE`). Redo alone keeps its key
where no row begins with it."""

SEATS = (("1-9", "seat"), ("0", "table"))
"""Keys that open the entry panel at a seat, or at the table, for the list of keys."""


PANEL = (("Tab", "next"), ("↑ ↓ ⏎", "chosen"), ("⌫", "take_back"), ("Esc", "close"))
"""Keys of the entry panel, for the list of keys; each row has its own as well."""


def build_bindings() -> Iterator[Binding]:
    """Yield a binding for every key; `ThemedApp.label_keys` adds the words of a language."""
    for key, action, typed, footer in KEYS:
        yield Binding(key, action, action, id=action, key_display=typed, show=footer)
    # Works at the open panel too, where `r` may be a row's key.
    yield Binding("U", "redo(True)", id="redo-always")
    for seat in range(10):
        yield Binding(str(seat), f"seat({seat})", id=f"seat{seat}")


HOLD_NOTICES = ("live.held", "live.counting")
"""Notices under which no card is played until the players confirm that all cards are in their
places."""
_OCCASIONAL_KEYS = ("own_game", "board", "count_cards", "watch", "photo")
"""Keys that are listed only while they are useful; most evenings never need them."""


class AvailableKeys:
    """Keys that are available at one table."""

    def __init__(self, session: TableSession) -> None:
        self._context = session
        self._extra: tuple[Command, ...] = tuple(session.backstage.commands)

    def is_available(self, action: str, *, reviewable: bool) -> bool:
        """Return whether a key is useful now; `reviewable`: there is a last result to show
        again."""
        evening, snapshot = self._context, self._context.live.snapshot()
        over = bool(snapshot.view["phase"] == GAME_OVER)
        there = {
            "confirm_moves": bool(snapshot.moves or snapshot.unasked)
            or (snapshot.notice is not None and snapshot.notice.code in HOLD_NOTICES),
            "count_cards": snapshot.can_count,
            "again": over,
            "keep_page": over,
            "own_game": evening.plan.demo,
            "mute": evening.speaker is not None and not evening.speaker.muted,
            "review": reviewable,
            "board": evening.virtual_trays is not None,
            "watch": evening.picture_of is not None,
            "photo": evening.photograph is not None,
        }
        return there.get(action, True)

    def list_keys(self, translator: Translator) -> list[tuple[str, str]]:
        """List what is printed on each key of this evening, with its words."""
        keys = [
            *SEATS,
            *PANEL,
            *((key.typed, key.action) for key in KEYS if self._can_become_available(key.action)),
        ]
        own = [(typed, translator(f"key.{name}")) for typed, name in keys]
        own += [("j", translator("key.share"))] if self._context.sharing is not None else []
        return own + [(command.typed, label) for label, command in self.list_commands(translator)]

    def find_action(self, typed: str | None) -> str | None:
        """Return the action of the key with this label; None for the keys of seats and of the entry
        panel, which stand for several."""
        actions = {key.typed: key.action for key in KEYS} | {"j": "join"}
        actions |= {command.typed: f"command({command.key!r})" for command in self._extra}
        return None if typed is None else actions.get(typed)

    def list_commands(self, translator: Translator) -> list[tuple[str, Command]]:
        """List the extra commands under their words."""
        return [(translator.translate(command.label), command) for command in self._extra]

    def _can_become_available(self, action: str) -> bool:
        """Return whether a key can be useful at any time of this evening."""
        return action not in _OCCASIONAL_KEYS or self.is_available(action, reviewable=False)


_TICK = 0.1
"""Seconds between two ticks of the table, for clocks, demo players and cards that have lain long
enough. Reports of readers wake the table at once."""
_PAINTED = 1.0
"""Seconds after which the screen is assumed to be painted; only with keyboard focus does it report
this."""
_TURN = 0.35
"""Seconds between two cards that a moment turns up."""
_LAST_RESULT = 4.0
"""Seconds for which the result that ends a game stands before the podium."""


class _Palette(CommandPalette):
    """The command palette; a search that is still running when it is closed is not an error."""

    def on_mount(self) -> None:
        # Textual measures the whole line at each key: thousands would be taken in for minutes.
        for line in self.query(Input):
            line.max_length = LONGEST_NAME

    def dismiss(self, result: Any = None) -> AwaitComplete:
        return super().dismiss(result) if can_leave(self) else AwaitComplete()

    def run_worker(self, *work: Any, **options: Any) -> Worker[Any]:
        return super().run_worker(*work, **{**options, "exit_on_error": False})


class Dashboard(ThemedApp[Plan | None]):
    """Full-screen view of one evening; its result is the plan of the next game, if one was
    chosen."""

    CSS_PATH = "dashboard.tcss"
    ENABLE_COMMAND_PALETTE = True
    LEAVING = Text("leaving.table")
    BINDINGS: ClassVar[list[BindingType]] = [*build_bindings()]

    class Woken(Message, bubble=False):
        """Message: a reader has reported something."""

        def can_replace(self, message: Message) -> bool:
            """Let one message stand for several: one tick handles all that waits."""
            return isinstance(message, Dashboard.Woken)

    class Changed(Message, bubble=False):
        """Message: there is a new snapshot."""

        def can_replace(self, message: Message) -> bool:
            """Let the newest message stand for several: only the newest snapshot is drawn."""
            return isinstance(message, Dashboard.Changed)

    def __init__(self, session: TableSession, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(Translator(session.plan.language, session.live.game), session.plan.theme)
        self.live = session.live
        self._session = session
        self._commands = {one.key: one for one in session.backstage.commands}
        self._clock = clock
        self._painted = False
        self._moment: RevealMoment | None = None
        self._face_down = 0
        self._is_ending = False
        self._settled: Snapshot | None = None
        self._reviewing = False
        self._asked_to_leave: Screen[int | None] | None = None
        self._table = TableScreen(session.picture_of, session.labels_of, session.enlarged_of, self.translator)
        self._entering = EntryController(
            session.live, session.backstage, self._table, self._notify_text, clock
        )
        self._offers = AvailableKeys(session)

    def get_default_screen(self) -> Screen[None]:
        """Start with the table; an empty screen below it would be laid out and drawn first."""
        self._table.apply_size_classes(self.size)
        return self._table

    def on_mount(self) -> None:
        """Name the keys and start the ticks."""
        self.title = self.translator("game.title")
        # The demo's own keys come last: of those a narrow line may lose some.
        self.enable_sharing(self._session.sharing)
        for command in self._commands.values():
            self.bind(
                command.key,
                f"command({command.key!r})",
                description=self.translator.translate(command.label),
                key_display=command.typed,
            )
        self._label_all_keys()
        for text in self._session.messages:
            self._notify_text(text)
        self.set_interval(_TICK, self.tick)

    def on_table_screen_parts_ready(self) -> None:
        """Draw the table and follow its changes; the background starts once that is painted."""
        self.tick()
        # Messages: they come from readers' threads, which must not wait until the screen has been
        # drawn, and from the midst of what a key does.
        self.live.set_wake_callback(lambda: self.post_message(self.Woken()))
        self.live.subscribe(lambda _snapshot: self.post_message(self.Changed()))
        self.on_dashboard_changed()
        # Without the keyboard focus the row of keys is not drawn, and reports nothing.
        self.set_timer(_PAINTED, self._mark_painted)

    def on_keys_row_drawn(self) -> None:
        """Start the background once the row of keys, which is painted last, is there."""
        self.call_after_refresh(self._mark_painted)

    def _mark_painted(self) -> None:
        self._painted = True

    def on_dashboard_woken(self) -> None:
        """Let the live session handle the report at once."""
        self.tick()

    def tick(self) -> None:
        """Advance the table, and its background once the screen is painted."""
        now = self._clock()
        # The background would else delay the first picture of the table.
        if self._painted:
            self._session.backstage.tick(now)
        self.live.tick(now)
        if self._session.next_plan is not None:
            self.exit(self._session.next_plan)

    def on_dashboard_changed(self) -> None:
        """Draw the newest snapshot."""
        if self._table.is_mounted and not self.is_taken_down:
            self._reviewing = False
            self.show_snapshot(self.live.snapshot())

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Draw one snapshot, let it be spoken, and show a question to the table."""
        self.translator = self.translator.with_names(snapshot.people.display_names)
        face = self._build_face(snapshot)
        now = find_moment(snapshot, face, self.translator)
        if now != self._moment:
            # a moment from before the screen opened has been seen already
            moves = self._settled is not None and self.animation_level != "none"
            self._start_turning_cards(len(now.cards) if now is not None and moves else 0)
            if now is not None and moves and snapshot.view["result"] is not None:
                self._delay_podium(now)
        # Kept after the next act, so that `v` can show the last result again.
        self._moment = now or self._moment
        # The podium comes after the last round's result, which `v` shows again.
        over = snapshot.view["result"] is not None and not self._is_ending
        told = self._moment if self._reviewing else None if over else now
        before = self._settled if told is not None and self._face_down and not self._reviewing else None
        # While cards are being turned up, the state from before the act is drawn.
        if told is not None and before is not None:
            told = told.with_cards_up(len(told.cards) - self._face_down)
            self._draw_snapshot(
                before, self._build_face(before), told
            )  # points, story and voice would give the end away
        else:
            self._settled = snapshot
            self._draw_snapshot(snapshot, face, told)
            if self._session.speaker is not None:
                self._session.speaker.announce_changes(snapshot, self.translator)
        self._entering.update_panel(snapshot, self.translator)
        self.refresh_bindings()

    def _build_face(self, snapshot: Snapshot) -> Face:
        face = load_face_builder(snapshot.setup.game)(snapshot.view, self.translator)
        return mark_taken_seats(face, self._session.backstage.people, self.translator)

    def _draw_snapshot(self, snapshot: Snapshot, face: Face, moment: RevealMoment | None) -> None:
        plan = self._session.plan
        # Told in the panel, where it was typed.
        if snapshot.refusal is not None and snapshot.refusal is self._entering.told_refusal:
            snapshot = replace(snapshot, refusal=None)
        pictures = plan.pictures and self._session.picture_of is not None
        self._table.show_state(ScreenState(snapshot, face, self.translator, plan.demo, moment, pictures))

    def _start_turning_cards(self, cards: int) -> None:
        """Turn up so many cards of a moment, one by one."""
        self._face_down = max(0, cards - 1)
        if self._face_down:
            self.set_timer(_TURN, lambda: self._turn_next_card(cards))

    def _turn_next_card(self, cards: int) -> None:
        # A new act may have begun its own moment while this timer ran.
        if self._face_down == cards - 1 and self.is_running:  # otherwise the table has moved on
            self._start_turning_cards(self._face_down)
            self.show_snapshot(self.live.snapshot())

    def _delay_podium(self, last: RevealMoment) -> None:
        """Show the last result for a moment before the podium takes its place."""

        def show_podium() -> None:
            self._is_ending = False
            self.on_dashboard_changed()

        self._is_ending = True
        self.set_timer(_TURN * len(last.cards) + _LAST_RESULT, show_podium)

    def action_redo(self, _always: bool = False) -> None:
        """Take back the last undo; the entry panel stays open, as after the undo."""
        self._entering.redo_step()

    def action_correct(self) -> None:
        """Correct the past: choose an act, say what it should have been, see what changes, then
        confirm or leave."""
        if len(self.live.snapshot().log):
            putting_right = Conversation(
                lambda: prompt_for_correction(self.live, self.translator), lambda: self.live.snapshot().log
            )
            self.push_screen(screens.conversation.ConversationScreen(putting_right, self.translator))
        else:
            self.notify(self.translator("correct.nothing"))

    def action_explain(self) -> None:
        """Show the score sheet with its reasons."""
        snapshot = self.live.snapshot()
        reasons = [(player, self.live.explain_points(player)) for player in snapshot.people.seats]
        self.push_screen(screens.text_dialogs.ExplanationScreen(snapshot, reasons, self.translator))

    def action_people(self) -> None:
        """Correct names; let people come and go."""
        speaker = self._session.speaker
        pronounce = None if speaker is None else speaker.set_pronunciation
        come_and_go = Conversation(lambda: prompt_for_people_change(self.live, self.translator, pronounce))
        screen = screens.conversation.ConversationScreen(come_and_go, self.translator, repeat=True)
        self.push_screen(screen)

    def action_odds(self) -> None:
        """Show or hide the chance of what is about to be turned up."""
        told = not self.live.shows_odds
        self.live.set_odds_shown(told)
        self.notify(self.translator("odds.on" if told else "odds.off"))

    def action_confirm_moves(self) -> None:
        """Accept that the real cards are in their places; several moves, and those that nobody was
        asked to make, are ticked off in a list first."""
        snapshot = self.live.snapshot()
        # A single move is on the screen already; a list would only repeat it.
        if len(snapshot.moves) < 2 and not snapshot.unasked:
            self._finish_moves(True)
            return
        words = format_moves(snapshot.moves or snapshot.unasked, self.translator, snapshot.people.seats)
        self.push_screen(screens.text_dialogs.MovesScreen(words, self.translator), self._finish_moves)

    def _finish_moves(self, done: bool | None) -> None:
        if done:
            self.live.confirm_moves()

    def action_count_cards(self) -> None:
        """Let the cards be laid out and counted before the game begins."""
        self.live.pause_for_card_count()

    def action_mute(self) -> None:
        """Silence voice and sounds for the rest of the evening."""
        if self._session.speaker is not None:
            self._session.speaker.mute()
        self.notify(self.translator("voice.muted"))
        self.refresh_bindings()

    def action_next_theme(self) -> None:
        """Change to the next of our themes."""
        names = [one.name for one in THEMES]
        self.theme = names[(names.index(self.theme) + 1) % len(names)] if self.theme in names else names[0]

    def action_act(self) -> None:
        """Open the entry panel at the awaited player."""
        self._entering.open_panel()

    def action_undo(self) -> None:
        """Take back the last step; the entry panel stays open, at the player whose step it was."""
        self._entering.undo_step()

    def action_leave(self) -> None:
        """Leave; ask first if steps would be lost."""
        lost = describe_unsaved_steps(self.live.snapshot())
        if lost is None:
            self.exit()
        else:
            answers = [self.translator("leaving.stay"), self.translator("leaving.all_the_same")]
            # Remembered: a second Ctrl+Q over any other menu must not pass for a yes to this
            # question.
            self._asked_to_leave = question = ChoiceScreen(
                self.translator.translate(lost), answers, ["", "q"]
            )
            self.push_screen(question, lambda chosen: self.exit() if chosen == 1 else None)

    def action_help_quit(self) -> None:
        """Show how to leave (on Ctrl-C), and what would be lost by it."""
        lost = describe_unsaved_steps(self.live.snapshot())
        self._notify_text(lost or self.LEAVING)

    async def action_quit(self) -> None:
        """Leave (Ctrl+Q, in every menu); the second time without asking."""
        if self.screen is self._asked_to_leave:
            self.exit()
        else:
            self.action_leave()

    def on_entry_panel_closed(self) -> None:
        """Close the panel; a question is postponed."""
        self._entering.step_back()

    def on_entry_panel_taken_back(self) -> None:
        """Take back the last part of an entry."""
        self._entering.take_back_part()

    def on_entry_panel_next(self) -> None:
        """Switch to the next awaited player."""
        self._entering.show_next_player()

    def _notify_text(self, message: object) -> None:
        if isinstance(message, Refusal):
            self.notify(describe_refusal(message, self.translator), severity="warning", markup=False)
        elif isinstance(message, Text):
            self.notify(self.translator.translate(message), markup=False)

    def action_seat(self, seat: int) -> None:
        """Open the entry panel at one seat (0: at the awaited player)."""
        self._entering.open_at_seat(seat)

    def action_glance(self) -> None:
        """Switch between a few large facts and everything."""
        # The parts have their new size only after the next layout, and are drawn then.
        self._table.toggle_class("-glance")
        self.call_after_refresh(self.on_dashboard_changed)

    def action_watch(self) -> None:
        """Give the camera half of the screen, or take it back."""
        # As in `action_glance`, the parts are drawn once they have their new size.
        self._table.toggle_camera_view()
        self.call_after_refresh(self.on_dashboard_changed)

    def action_review(self) -> None:
        """Show the last result again, or hide it."""
        self._reviewing = not self._reviewing
        self.show_snapshot(self.live.snapshot())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only the keys that are useful now; during an entry, those of the table that begin
        no row."""
        # While something is entered, the rows have the letters and digits.
        if self._entering.is_open and action in TABLE_ONLY:
            # An undo leaves the panel open, and the key that takes it back should work there too.
            return action == "redo" and (bool(parameters) or self._entering.can_redo_by_key("r"))
        return self._is_offered(action)

    def _is_offered(self, action: str) -> bool:
        return self._offers.is_available(action, reviewable=self._moment is not None)

    def action_again(self) -> None:
        """Leave this game for another with the same players."""
        self.exit(self._session.plan_next_game())

    def action_keep_page(self) -> None:
        """Write the page of the evening, and show where it is."""
        self._notify_text(save_session_page(self.live.journal, self.translator.language))

    def action_photo(self) -> None:
        """Take a photo of the people after a few seconds, so that they can join them."""
        take = self._session.photograph
        if take is not None:
            self.notify(self.translator("evening.photo.soon", seconds=round(POSE)), timeout=POSE)
            self.set_timer(POSE, lambda: self._notify_text(take()))

    def action_own_game(self) -> None:
        """Leave the demo for a real game."""
        self.exit(self._session.plan.for_own_game())

    def action_board(self) -> None:
        """Show the virtual card reader."""
        if self._session.virtual_trays is not None:
            self.push_screen(screens.pads.PadsScreen(self._session.virtual_trays, self.translator))

    def action_pause(self) -> None:
        """Pause or continue the clock and the demo."""
        paused = not self.live.snapshot().paused
        self.live.set_paused(paused)
        self._session.backstage.set_paused(paused)

    def action_language(self) -> None:
        """Change to the next language."""
        after = LANGUAGES[(LANGUAGES.index(self.translator.language) + 1) % len(LANGUAGES)]
        self.translator = Translator(after, self.live.game)
        self._label_all_keys()
        self.on_dashboard_changed()

    def _label_all_keys(self) -> None:
        """Show all keys in the players' language, also those that only this table has."""
        extra = {f"command({one.key!r})": one.label for one in self._commands.values()}
        extra["join"] = Text("key.share")
        for own in self._bindings.key_to_bindings.values():
            own[:] = [
                dataclasses.replace(one, description=self.translator.translate(extra[one.action]))
                if one.action in extra
                else one
                for one in own
            ]
        self.label_keys("key.short.", FOOTER_ACTIONS)

    def action_help(self) -> None:
        """Show the keys."""
        self.push_screen(
            screens.text_dialogs.HelpScreen(self._offers.list_keys(self.translator), self.translator),
            self._press_typed_key,
        )

    async def _press_typed_key(self, typed: str | None) -> None:
        action = self._offers.find_action(typed)
        if action is not None:
            self._entering.close_panel()
            await self.run_action(action)

    def action_command(self, key: str) -> None:
        """Run one of the extra commands."""
        self._run_command(self._commands[key])

    def _run_command(self, command: Command) -> None:
        self._notify_text(command.act())
        self.on_dashboard_changed()  # a seat was taken over, which is in no snapshot

    def action_command_palette(self) -> None:
        """Open the command palette in the players' language, unless it is open."""
        if not isinstance(self.screen, CommandPalette):
            self.push_screen(_Palette(placeholder=self.translator("palette.search")))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Offer every key in the command palette too."""
        for label, command in self._offers.list_commands(self.translator):
            yield SystemCommand(label, command.typed, partial(self._run_command, command))
        for key in KEYS:
            if self._is_offered(key.action):
                words = self.translator(f"key.{key.action}")
                yield SystemCommand(words, key.typed, getattr(self, f"action_{key.action}"))
