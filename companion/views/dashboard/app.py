"""The dashboard application: shows the live session, and turns keys into requests.

Keys are defined here once: what footer, key list and palette show, which keys are useful now, and
what each does.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, ClassVar, NamedTuple

from textual.app import SystemCommand
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.command import CommandPalette
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input
from textual.worker import Worker

from companion.language import LANGUAGES
from companion.live.snapshot import Snapshot, would_be_lost
from companion.plan import Plan
from companion.rules.contract import GAME_OVER, LONGEST_NAME, Text
from companion.texts import Translator
from companion.views.conversations import Conversation, correct, people
from companion.views.dashboard import screens
from companion.views.dashboard.entering import Entering
from companion.views.dashboard.screens.sheet import ChoiceScreen, may_leave
from companion.views.dashboard.screens.table import TableScreen
from companion.views.dashboard.themed import ThemedApp
from companion.views.dashboard.widgets.part import ScreenState
from companion.views.evening import POSE, Command, Evening
from companion.views.evening_page import keep_page
from companion.views.moments import RevealMoment, moment_of
from companion.views.panel import Face, face_of, marked
from companion.views.places import moves_in_words
from companion.views.themes import THEMES


class Key(NamedTuple):
    """One key: Textual's name of it, its action (words: `key.<action>`, in the footer
    `key.short.<action>`), and what is printed on it.

    `footer`: whether the footer shows it.
    """

    key: str
    action: str
    typed: str
    footer: bool = True


KEYS = (
    Key("enter", "act", "⏎"),
    Key("u", "undo", "u"),
    Key("r", "redo", "r", footer=False),
    Key("c", "correct", "c"),
    Key("e", "explain", "e"),
    Key("g", "glance", "g"),
    Key("w", "watch", "w"),
    Key("m", "confirm_moves", "m"),
    Key("d", "count_cards", "d"),
    Key("percent_sign", "odds", "%", footer=False),
    Key("space", "pause", "␣"),
    Key("a", "again", "a"),
    Key("k", "keep_page", "k"),
    Key("n", "own_game", "n"),
    Key("x", "mute", "x"),
    Key("b", "board", "b"),
    Key("p", "people", "p"),
    Key("v", "review", "v"),
    Key("f", "photo", "f"),
    Key("l", "language", "l", footer=False),
    Key("t", "next_theme", "t", footer=False),
    Key("question_mark", "help", "?"),
    Key("q", "leave", "q"),
)
"""Keys in the order shown; `check_action` of the dashboard says which of them are useful now."""

NAMED = tuple(key.action for key in KEYS if key.footer)
"""Ids of the keys in the footer, which have short words."""

TABLE_ONLY = frozenset({key.action for key in KEYS} - {"undo", "confirm_moves", "odds", "pause", "help"}) | {
    "seat",
    "command",
    "join",
}
"""Actions without keys during an entry, whose rows use the letters and digits. The keys of the
others begin no row of any game (`companion.views.entry.TABLE`)."""

SEATS = (("1-9", "seat"), ("0", "table"))
"""Keys that open the entry panel at a seat, or at the table, for the list of keys."""


PANEL = (("Tab", "next"), ("↑ ↓ ⏎", "chosen"), ("⌫", "take_back"), ("Esc", "close"))
"""Keys of the entry panel, for the list of keys; each row has its own as well."""


def bindings() -> Iterator[Binding]:
    """Yield a binding for every key; `ThemedApp.name_keys` adds the words of a language."""
    for key, action, typed, footer in KEYS:
        yield Binding(key, action, action, id=action, key_display=typed, show=footer)
    for seat in range(10):
        yield Binding(str(seat), f"seat({seat})", "", id=f"seat{seat}", show=False)


HELD = ("live.held", "live.counting")
"""Notices under which no card is played until the players confirm that all cards are in their
places."""
_AT_TIMES = ("own_game", "board", "count_cards", "watch", "photo")
"""Keys that are listed only while they are useful; most evenings never need them."""


class Offers:
    """Keys that are available at one table."""

    def __init__(self, evening: Evening) -> None:
        self._evening = evening
        self._extra: tuple[Command, ...] = tuple(evening.backstage.commands)

    def now(self, action: str, *, reviewable: bool) -> bool:
        """Return whether a key is useful now; `reviewable`: there is a last result to show
        again."""
        evening, snapshot = self._evening, self._evening.live.snapshot()
        over = bool(snapshot.view["phase"] == GAME_OVER)
        there = {
            "confirm_moves": bool(snapshot.moves or snapshot.unasked)
            or getattr(snapshot.notice, "code", None) in HELD,
            "count_cards": snapshot.can_count,
            "again": over,
            "keep_page": over,
            "own_game": evening.plan.demo,
            "mute": evening.speaker is not None and not evening.speaker.muted,
            "review": reviewable,
            "board": evening.board is not None,
            "watch": evening.picture_of is not None,
            "photo": evening.photograph is not None,
        }
        return there.get(action, True)

    def listed(self, say: Translator) -> list[tuple[str, str]]:
        """List what is printed on each key of this evening, with its words."""
        keys = [*SEATS, *PANEL, *((key.typed, key.action) for key in KEYS if self._may_come(key.action))]
        own = [(typed, say(f"key.{name}")) for typed, name in keys]
        own += [("j", say("key.share"))] if self._evening.sharing is not None else []
        return own + [(command.typed, label) for label, command in self.commands(say)]

    def action_of(self, typed: str | None) -> str | None:
        """Return the action of the key with this label; None for the keys of seats and of the entry
        panel, which stand for several."""
        actions = {key.typed: key.action for key in KEYS} | {"j": "join"}
        actions |= {command.typed: f"command({command.key!r})" for command in self._extra}
        return actions.get(typed or "")

    def commands(self, say: Translator) -> list[tuple[str, Command]]:
        """List the extra commands under their words."""
        return [(say.say(command.label), command) for command in self._extra]

    def _may_come(self, action: str) -> bool:
        """Return whether a key can be useful at any time of this evening."""
        return action not in _AT_TIMES or self.now(action, reviewable=False)


_TICK = 0.1
"""Seconds between two ticks of the table, for clocks, demo players and cards that have lain long
enough. Reports of readers wake the table at once."""
_PAINTED = 1.0
"""Seconds after which the screen is assumed to be painted; only with keyboard focus does it report
this."""
_TURN = 0.35
"""Seconds between two cards that a moment turns up."""


class _Palette(CommandPalette):
    """The command palette; a search that is still running when it is closed is not an error."""

    def on_mount(self) -> None:
        # Textual measures the whole line at each key: thousands would be taken in for minutes.
        for line in self.query(Input):
            line.max_length = LONGEST_NAME

    def dismiss(self, result: Any = None) -> AwaitComplete:
        return super().dismiss(result) if may_leave(self) else AwaitComplete()

    def run_worker(self, *work: Any, **options: Any) -> Worker[Any]:
        return super().run_worker(*work, **{**options, "exit_on_error": False})


class Dashboard(ThemedApp[Plan | None]):
    """Full-screen view of one evening; its result is the plan of the next game, if one was
    chosen."""

    CSS_PATH = "dashboard.tcss"
    ENABLE_COMMAND_PALETTE = True
    LEAVING = Text("leaving.table")
    BINDINGS: ClassVar[list[BindingType]] = [*bindings()]

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

    def __init__(self, evening: Evening, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(Translator(evening.plan.language, evening.live.game), evening.plan.theme)
        self.live = evening.live
        self._evening = evening
        self._commands = {one.key: one for one in evening.backstage.commands}
        self._clock = clock
        self._painted = False
        self._moment: RevealMoment | None = None
        self._face_down = 0
        self._settled: Snapshot | None = None
        self._reviewing = False
        self._asked_to_leave: Screen[int | None] | None = None
        self._table = TableScreen(evening.picture_of, evening.labels_of, evening.enlarged_of, self.say)
        self._entering = Entering(evening.live, evening.backstage, self._table, self._tell, clock)
        self._offers = Offers(evening)

    def get_default_screen(self) -> Screen[None]:
        """Start with the table; an empty screen below it would be laid out and drawn first."""
        self._table.fit(self.size)
        return self._table

    def on_mount(self) -> None:
        """Name the keys and start the ticks."""
        self.title = self.say("game.title")
        # The demo's own keys come last: of those a narrow line may lose some.
        self.let_join(self._evening.sharing)
        for command in self._commands.values():
            self.bind(
                command.key,
                f"command({command.key!r})",
                description=self.say.say(command.label),
                key_display=command.typed,
            )
        self.name_keys("key.short.", NAMED)
        for text in self._evening.told:
            self._tell(text)
        self.set_interval(_TICK, self.tick)

    def on_table_screen_parts_ready(self) -> None:
        """Draw the table and follow its changes; the background starts once that is painted."""
        self.tick()
        # Messages: they come from readers' threads, which must not wait until the screen has been
        # drawn, and from the midst of what a key does.
        self.live.on_wake(lambda: self.post_message(self.Woken()))
        self.live.subscribe(lambda _snapshot: self.post_message(self.Changed()))
        self.on_dashboard_changed()
        # Without the keyboard focus the row of keys is not drawn, and reports nothing.
        self.set_timer(_PAINTED, self._now_painted)

    def on_keys_row_drawn(self) -> None:
        """Start the background once the row of keys, which is painted last, is there."""
        self.call_after_refresh(self._now_painted)

    def _now_painted(self) -> None:
        self._painted = True

    def on_dashboard_woken(self) -> None:
        """Let the live session handle the report at once."""
        self.tick()

    def tick(self) -> None:
        """Advance the table, and its background once the screen is painted."""
        now = self._clock()
        # The background would else delay the first picture of the table.
        if self._painted:
            self._evening.backstage.tick(now)
        self.live.tick(now)
        if self._evening.wanted is not None:
            self.exit(self._evening.wanted)

    def on_dashboard_changed(self) -> None:
        """Draw the newest snapshot."""
        if self._table.is_mounted and not self.taken_down:
            self._reviewing = False
            self.show(self.live.snapshot())

    def show(self, snapshot: Snapshot) -> None:
        """Draw one snapshot, let it be spoken, and show a question to the table."""
        self.say = self.say.calling(snapshot.people.shown)
        face = self._face(snapshot)
        now = moment_of(snapshot, face, self.say)
        if now != self._moment:
            # a moment from before the screen opened has been seen already
            moves = self._settled is not None and self.animation_level != "none"
            self._turn_up(len(now.cards) if now is not None and moves else 0)
        # Kept after the next act, so that `v` can show the last result again.
        self._moment = now or self._moment
        # The podium hides the last round's result, which `v` shows again.
        over = snapshot.view["result"] is not None
        told = self._moment if self._reviewing else None if over else now
        before = self._settled if told is not None and self._face_down and not self._reviewing else None
        # While cards are being turned up, the state from before the act is drawn.
        if told is not None and before is not None:
            told = told.with_cards_up(len(told.cards) - self._face_down)
            self._draw(before, self._face(before), told)  # points, story and voice would give the end away
        else:
            self._settled = snapshot
            self._draw(snapshot, face, told)
            if self._evening.speaker is not None:
                self._evening.speaker.hear(snapshot, self.say)
        self._entering.fill(snapshot, self.say)
        self.refresh_bindings()

    def _face(self, snapshot: Snapshot) -> Face:
        face = face_of(snapshot.setup.game)(snapshot.view, self.say)
        return marked(face, self._evening.backstage.people, self.say)

    def _draw(self, snapshot: Snapshot, face: Face, told: RevealMoment | None) -> None:
        plan = self._evening.plan
        pictures = plan.pictures and self._evening.picture_of is not None
        self._table.show(ScreenState(snapshot, face, self.say, plan.demo, told, pictures))

    def _turn_up(self, cards: int) -> None:
        """Turn up so many cards of a moment, one by one."""
        self._face_down = max(0, cards - 1)
        if self._face_down:
            self.set_timer(_TURN, lambda: self._turn_next(cards))

    def _turn_next(self, cards: int) -> None:
        # A new act may have begun its own moment while this timer ran.
        if self._face_down == cards - 1 and self.is_running:  # otherwise the table has moved on
            self._turn_up(self._face_down)
            self.show(self.live.snapshot())

    def action_redo(self) -> None:
        """Take back the last undo."""
        self.live.redo()

    def action_correct(self) -> None:
        """Correct the past: choose an act, say what it should have been, see what changes, then
        confirm or leave."""
        if len(self.live.snapshot().log):
            putting_right = Conversation(
                lambda: correct(self.live, self.say), lambda: self.live.snapshot().log
            )
            self.push_screen(screens.conversation.ConversationScreen(putting_right, self.say))
        else:
            self.notify(self.say("correct.nothing"))

    def action_explain(self) -> None:
        """Show the score sheet with its reasons."""
        snapshot = self.live.snapshot()
        reasons = [(player, self.live.explain(player)) for player in snapshot.people.seats]
        self.push_screen(screens.reading.ExplanationScreen(snapshot, reasons, self.say))

    def action_people(self) -> None:
        """Correct names; let people come and go."""
        speaker = self._evening.speaker
        pronounce = None if speaker is None else speaker.pronounce
        come_and_go = Conversation(lambda: people(self.live, self.say, pronounce))
        screen = screens.conversation.ConversationScreen(come_and_go, self.say, again=True)
        self.push_screen(screen)

    def action_odds(self) -> None:
        """Show or hide the chance of what is about to be turned up."""
        told = not self.live.tells_odds
        self.live.tell_odds(told)
        self.notify(self.say("odds.on" if told else "odds.off"))

    def action_confirm_moves(self) -> None:
        """Accept that the real cards are in their places; several moves, and those that nobody was
        asked to make, are ticked off in a list first."""
        snapshot = self.live.snapshot()
        # A single move is on the screen already; a list would only repeat it.
        if len(snapshot.moves) < 2 and not snapshot.unasked:
            self._moved(True)
            return
        words = moves_in_words(snapshot.moves or snapshot.unasked, self.say, snapshot.people.seats)
        self.push_screen(screens.reading.MovesScreen(words, self.say), self._moved)

    def _moved(self, done: bool | None) -> None:
        if done:
            self.live.confirm_moves()

    def action_count_cards(self) -> None:
        """Let the cards be laid out and counted before the game begins."""
        self.live.count_cards()

    def action_mute(self) -> None:
        """Silence voice and sounds for the rest of the evening."""
        if self._evening.speaker is not None:
            self._evening.speaker.mute()
        self.notify(self.say("voice.muted"))
        self.refresh_bindings()

    def action_next_theme(self) -> None:
        """Change to the next of our themes."""
        names = [one.name for one in THEMES]
        self.theme = names[(names.index(self.theme) + 1) % len(names)] if self.theme in names else names[0]

    def action_act(self) -> None:
        """Open the entry panel at the awaited player."""
        self._entering.act()

    def action_undo(self) -> None:
        """Take back the last step, and close the entry panel, so that `r` (redo) works next."""
        self._entering.leave()
        self.live.undo()

    def action_leave(self) -> None:
        """Leave; ask first if steps would be lost."""
        lost = would_be_lost(self.live.snapshot())
        if lost is None:
            self.exit()
        else:
            answers = [self.say("leaving.stay"), self.say("leaving.all_the_same")]
            # Remembered: a second Ctrl+Q over any other menu must not pass for a yes to this
            # question.
            self._asked_to_leave = question = ChoiceScreen(self.say.say(lost), answers, ["", "q"])
            self.push_screen(question, lambda chosen: self.exit() if chosen == 1 else None)

    def action_help_quit(self) -> None:
        """Show how to leave (on Ctrl-C), and what would be lost by it."""
        lost = would_be_lost(self.live.snapshot())
        self._tell(lost or self.LEAVING)

    async def action_quit(self) -> None:
        """Leave (Ctrl+Q, in every menu); the second time without asking."""
        if self.screen is self._asked_to_leave:
            self.exit()
        else:
            self.action_leave()

    def on_entry_panel_closed(self) -> None:
        """Close the panel; a question is postponed."""
        self._entering.close()

    def on_entry_panel_taken_back(self) -> None:
        """Take back the last part of an entry."""
        self._entering.take_back()

    def on_entry_panel_next(self) -> None:
        """Switch to the next awaited player."""
        self._entering.next()

    def _tell(self, said: object) -> None:
        if isinstance(said, Text):
            self.notify(self.say.say(said), markup=False)

    def action_seat(self, seat: int) -> None:
        """Open the entry panel at one seat (0: at the awaited player)."""
        self._entering.open_at(seat)

    def action_glance(self) -> None:
        """Switch between a few large facts and everything."""
        # The parts have their new size only after the next layout, and are drawn then.
        self._table.toggle_class("-glance")
        self.call_after_refresh(self.on_dashboard_changed)

    def action_watch(self) -> None:
        """Give the camera half of the screen, or take it back."""
        # As in `action_glance`, the parts are drawn once they have their new size.
        self._table.watch_camera()
        self.call_after_refresh(self.on_dashboard_changed)

    def action_review(self) -> None:
        """Show the last result again, or hide it."""
        self._reviewing = not self._reviewing
        self.show(self.live.snapshot())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only the keys that are useful now; during an entry, those of the table that begin
        no row of any game."""
        # While something is entered, the rows have the letters and digits.
        if self._entering.open and action in TABLE_ONLY:
            return False
        return self._offered(action)

    def _offered(self, action: str) -> bool:
        return self._offers.now(action, reviewable=self._moment is not None)

    def action_again(self) -> None:
        """Leave this game for another with the same players."""
        self.exit(self._evening.another())

    def action_keep_page(self) -> None:
        """Write the page of the evening, and show where it is."""
        self._tell(keep_page(self.live.journal, self.say.language))

    def action_photo(self) -> None:
        """Take a photo of the people after a few seconds, so that they can join them."""
        take = self._evening.photograph
        if take is not None:
            self.notify(self.say("evening.photo.soon", seconds=round(POSE)), timeout=POSE)
            self.set_timer(POSE, lambda: self._tell(take()))

    def action_own_game(self) -> None:
        """Leave the demo for a real game."""
        self.exit(self._evening.plan.own_game())

    def action_board(self) -> None:
        """Show the virtual card reader."""
        if self._evening.board is not None:
            self.push_screen(screens.pads.PadsScreen(self._evening.board, self.say))

    def action_pause(self) -> None:
        """Pause or continue the clock and the demo."""
        paused = not self.live.snapshot().paused
        self.live.pause(paused)
        self._evening.backstage.pause(paused)

    def action_language(self) -> None:
        """Change to the next language."""
        after = LANGUAGES[(LANGUAGES.index(self.say.language) + 1) % len(LANGUAGES)]
        self.say = Translator(after, self.live.game)
        self.name_keys("key.short.", NAMED)
        self.on_dashboard_changed()

    def action_help(self) -> None:
        """Show the keys."""
        self.push_screen(screens.reading.Help(self._offers.listed(self.say), self.say), self._press)

    async def _press(self, typed: str | None) -> None:
        action = self._offers.action_of(typed)
        if action is not None:
            self._entering.leave()
            await self.run_action(action)

    def action_command(self, key: str) -> None:
        """Run one of the extra commands."""
        self._run(self._commands[key])

    def _run(self, command: Command) -> None:
        self._tell(command.act())
        self.on_dashboard_changed()  # a seat was taken over, which is in no snapshot

    def action_command_palette(self) -> None:
        """Open the command palette in the players' language, unless it is open."""
        if not isinstance(self.screen, CommandPalette):
            self.push_screen(_Palette(placeholder=self.say("palette.search")))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Offer every key in the command palette too."""
        for label, command in self._offers.commands(self.say):
            yield SystemCommand(label, label, partial(self._run, command))
        for key in KEYS:
            if self._offered(key.action):
                words = self.say(f"key.{key.action}")
                yield SystemCommand(words, words, getattr(self, f"action_{key.action}"))
