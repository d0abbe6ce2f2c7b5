"""The dashboard application: shows the live session, and turns keys into requests of the table."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import ClassVar

from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.command import CommandPalette
from textual.message import Message
from textual.screen import Screen

from companion.live.snapshot import Snapshot
from companion.rules.contract import GAME_OVER, Text
from companion.texts import LANGUAGES, Translator
from companion.views.dashboard.entering import Entering
from companion.views.dashboard.screens.correct import Corrections
from companion.views.dashboard.screens.explain import Explanation
from companion.views.dashboard.screens.help import Help
from companion.views.dashboard.screens.pads import PadsScreen, VirtualBoard
from companion.views.dashboard.screens.table import TableScreen
from companion.views.dashboard.themed import ThemedApp
from companion.views.dashboard.widgets.part import Shown
from companion.views.dashboard.widgets.preview import LabelsOf, PreviewOf
from companion.views.host import Backstage, Command, Host, Seats
from companion.views.invitation import Invitation
from companion.views.panel import face_of, marked
from companion.views.themes import THEMES

_TICK = 0.1
"""Seconds between looks at the clock; what readers report wakes the dashboard at once."""
_PICTURE = 0.2
"""Seconds between two previews."""
HELD = ("live.held", "live.counting")
"""The notices under which no card is played until the players say that all lies right."""
"""What is said while cards that lie there wait to be put right."""
AGAIN = 64
"""The return code that asks for another game with the same players."""


class Dashboard(ThemedApp[None]):
    """The screen over one live session.

    `backstage`: what runs behind the table, with its keys. `picture_of`: the camera's newest annotated picture;
    `labels_of`: the names of its cards.
    `speak`: where new words go. `board`: the virtual card reader. `invitation`: how to join with other screens.
    `demo`: simulated players play, and every screen says so. `told`: what is said at the start (there is no voice).
    """

    CSS_PATH = "dashboard.tcss"
    ENABLE_COMMAND_PALETTE = True
    LEAVING = Text("leaving.table")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "act", "Enter", id="act", priority=False),
        Binding("u", "undo", "Undo", id="undo"),
        Binding("r", "redo", "Redo", id="redo", show=False),
        Binding("e", "explain", "Why?", id="explain"),
        Binding("c", "correct", "Correct", id="correct"),
        Binding("m", "confirm_moves", "Moved", id="moved"),
        Binding("d", "count_cards", "Count", id="count"),
        Binding("space", "pause", "Pause", id="pause", key_display="␣"),
        Binding("a", "again", "Again", id="again"),
        Binding("x", "mute", "Mute", id="mute"),
        Binding("l", "language", "Language", id="language", show=False),
        Binding("t", "next_theme", "Theme", id="theme", show=False),
        Binding("question_mark", "help", "Help", id="help", key_display="?"),
        Binding("q", "quit", "Quit", id="quit"),
        *(
            Binding(str(seat), f"seat({seat})", f"Seat {seat}", id=f"seat{seat}", show=False)
            for seat in range(1, 10)
        ),
        Binding("0", "seat(0)", "Table", id="seat0", show=False),
    ]

    class Woken(Message, bubble=False):
        """A reader has reported something."""

        def can_replace(self, message: Message) -> bool:
            """One look takes in everything that waits, so a second wake adds nothing."""
            return isinstance(message, Dashboard.Woken)

    def __init__(
        self,
        host: Host,
        *,
        language: str = "en",
        theme: str = "baize",
        backstage: Backstage | None = None,
        picture_of: PreviewOf | None = None,
        labels_of: LabelsOf = tuple,
        speak: Callable[[str], None] | None = None,
        board: VirtualBoard | None = None,
        invitation: Invitation | None = None,
        demo: bool = False,
        told: Sequence[Text] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(Translator(language, host.game), theme)
        self.invitation = invitation
        self.host = host
        self._backstage = backstage
        self._seats: Seats | None = backstage if isinstance(backstage, Seats) else None
        self._commands = {command.key: command for command in backstage.commands} if backstage else {}
        self._paused = False
        self._speak = speak
        self._clock = clock
        self._seen = -1
        self._spoken: list[str] = []
        self._open = False
        self._entering = Entering(host, self._seats, self._tell, self.look)
        self._board = board
        self._demo = demo
        self._told = told
        self._table = TableScreen(picture_of, labels_of, self.say)

    def on_mount(self) -> None:
        """Show the table and begin to look."""
        self.title = self.say("game.title")
        for command in self._commands.values():
            self.bind(
                command.key,
                f"command({command.key!r})",
                description=self.say.say(command.label),
                key_display=command.typed,
            )
        if self._board is not None:
            self.bind("b", "board", description=self.say("key.board"), key_display="b")
        self.invite(self.invitation)
        self.push_screen(self._table)
        self._name_keys()
        for text in self._told:
            self._tell(text)
        self._leave_when_told()
        self.set_interval(_TICK, self.look)
        self.set_interval(_PICTURE, self._table.look)
        self.call_after_refresh(self.look)

    def _leave_when_told(self) -> None:
        """Give the terminal back before a shutdown, or a terminal that was closed, ends the program."""
        for name in ("SIGTERM", "SIGHUP"):
            with suppress(
                NotImplementedError, RuntimeError, AttributeError
            ):  # Windows; a test in another thread
                number = getattr(signal, name)
                asyncio.get_running_loop().add_signal_handler(number, self.exit, None, 128 + number)

    def wake(self) -> None:
        """Tell that something was reported; safe from any thread."""
        self.post_message(self.Woken())

    def on_dashboard_woken(self) -> None:
        """Look at once."""
        self.look()

    def look(self) -> None:
        """Let the live session take in what there is, and show it if anything is new."""
        now = self._clock()
        if self._backstage is not None:
            self._backstage.tick(now)
        self.host.tick(now)
        snapshot = self.host.snapshot()
        if snapshot.number != self._seen and self._table.is_mounted and not self.taken_down:
            self._seen = snapshot.number
            self.show(snapshot)

    def show(self, snapshot: Snapshot) -> None:
        """Draw one snapshot, speak what is new, and put a question or the final sheet before the table."""
        face = marked(face_of(snapshot.setup.game)(snapshot.view, self.say), self._people(), self.say)
        self._table.show(Shown(snapshot, face, self.say, self._paused, self._demo))
        self._speak_new(snapshot)
        self._fill(snapshot)
        self.refresh_bindings()

    def _speak_new(self, snapshot: Snapshot) -> None:
        """Speak what is new, the most urgent first: a question to the table, a refusal, what happened, whose turn it is."""
        if self._speak is None:
            return
        texts = [question.text for question in snapshot.questions]
        texts += [] if snapshot.refusal is None else [snapshot.refusal.text]
        texts += [] if snapshot.last is None else [snapshot.last]
        texts.append(snapshot.awaited)
        sentences = [self.say.say(text) for text in texts]
        fresh = [sentence for sentence in sentences if sentence not in self._spoken]
        self._spoken = sentences
        if fresh:
            self._speak(" ".join(fresh))

    def _fill(self, snapshot: Snapshot) -> None:
        """Keep the entry panel at what is awaited now; a question to the table opens it."""
        panel = self._table.entry
        if panel is None:
            return
        there = self._entering.fill(panel, snapshot, self.say)
        if self._entering.asks or (self._open and there):
            self._table.show_entry(True)
        elif panel.display:
            self._table.show_entry(False)

    def action_act(self) -> None:
        """Open the entry panel at whoever is awaited; what can only be entered in one way is entered at once."""
        self._entering.turn_to(None)
        only = None if self._open else self._entering.only()
        if only is not None:
            self._entering.take(only)
            return
        self._open_entry()

    def _open_entry(self) -> None:
        self._open = True
        self._fill(self.host.snapshot())
        if self._table.entry is not None and not self._table.entry.display:
            self._open = False
            self.notify(self.say("choose.nothing"))

    def on_entry_panel_closed(self) -> None:
        """Close the panel; a question is put aside for later."""
        if self._entering.asks:
            self._entering.put_aside()
        elif self._table.entry is not None and self._table.entry.picking:
            self._entering.turn_to(None)
        else:
            self._open = False
        self._fill(self.host.snapshot())
        self.look()

    def on_entry_panel_next(self) -> None:
        """Turn to the next player who is awaited."""
        self._entering.next()
        self._fill(self.host.snapshot())

    def _people(self) -> Collection[str]:
        return () if self._seats is None else self._seats.people

    def _tell(self, said: object) -> None:
        if isinstance(said, Text):
            self.notify(self.say.say(said), markup=False)

    def action_seat(self, seat: int) -> None:
        """Open the entry panel at one seat (0: at whoever is awaited)."""
        players = self.host.snapshot().setup.players
        if seat <= len(players):
            self._entering.turn_to(players[seat - 1] if seat else None)
            self._open_entry()

    def action_undo(self) -> None:
        """Take back the last step."""
        self.host.undo()
        self.look()

    def action_redo(self) -> None:
        """Take back the last undo."""
        self.host.redo()
        self.look()

    def action_correct(self) -> None:
        """Correct the past: choose an act, say what it should have been, see what that changes, then make it or leave it."""
        if len(self.host.snapshot().log):
            self.push_screen(Corrections(self.host, self.say), lambda _: self.look())
        else:
            self.notify(self.say("correct.nothing"))

    def action_explain(self) -> None:
        """Show the score sheet with its reasons."""
        snapshot = self.host.snapshot()
        reasons = [(player, self.host.explain(player)) for player in snapshot.setup.players]
        self.push_screen(Explanation(snapshot, reasons, self.say))

    def action_confirm_moves(self) -> None:
        """Take it that the real cards lie as they should."""
        self.host.confirm_moves()
        self.look()

    def action_count_cards(self) -> None:
        """Let the cards be laid out and counted before the game begins."""
        self.host.count_cards()
        self.look()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only the keys that mean something now."""
        snapshot = self.host.snapshot()
        there: dict[str, bool] = {
            "confirm_moves": bool(snapshot.moves) or getattr(snapshot.notice, "code", None) in HELD,
            "count_cards": snapshot.can_count,
            "again": bool(snapshot.view["phase"] == GAME_OVER),
            "mute": self._speak is not None,
        }
        return there.get(action, True)

    def action_again(self) -> None:
        """Leave this game for another with the same players."""
        self.exit(None, return_code=AGAIN)

    def action_mute(self) -> None:
        """Silence the voice for the rest of the evening."""
        self._speak = None
        self.notify(self.say("voice.muted"))
        self.refresh_bindings()

    def action_board(self) -> None:
        """Show the virtual card reader."""
        if self._board is not None:
            self.push_screen(PadsScreen(self._board, self.say))

    def action_pause(self) -> None:
        """Stop or restart the clock (and the demo)."""
        self._paused = not self._paused
        self.host.pause(self._paused)
        if self._backstage is not None:
            self._backstage.pause(self._paused)
        self._seen = -1
        self.look()

    def action_language(self) -> None:
        """Change to the next language."""
        after = LANGUAGES[(LANGUAGES.index(self.say.language) + 1) % len(LANGUAGES)]
        self.say = Translator(after, self.host.game)
        self._name_keys()
        self._seen = -1
        self.look()

    def action_next_theme(self) -> None:
        """Change to the next of our themes."""
        names = [one.name for one in THEMES]
        self.theme = names[(names.index(self.theme) + 1) % len(names)] if self.theme in names else names[0]

    def action_help(self) -> None:
        """Show the keys."""
        self.push_screen(Help(self._key_list(), self.say))

    def action_command(self, key: str) -> None:
        """Run one of the extra commands."""
        self._run(self._commands[key])

    def _run(self, command: Command) -> None:
        self._tell(command.act())
        self._seen = -1
        self.look()

    def action_command_palette(self) -> None:
        """Open the list of commands, in the players' language."""
        self.push_screen(CommandPalette(placeholder=self.say("palette.search"), id="--command-palette"))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Offer every key in the command palette too."""
        for command in self._commands.values():
            label = self.say.say(command.label)
            yield SystemCommand(label, label, partial(self._run, command))
        for name in (
            "act",
            "undo",
            "redo",
            "explain",
            "correct",
            "confirm_moves",
            "count_cards",
            "pause",
            "language",
            "next_theme",
            "help",
            "quit",
        ):
            yield SystemCommand(
                self.say(f"key.{name}"), self.say(f"key.{name}"), getattr(self, f"action_{name}")
            )

    def _key_list(self) -> list[tuple[str, str]]:
        own = [(key, self.say(f"key.{name}")) for key, name in _KEY_NAMES]
        if self._board is not None:
            own.append(("b", self.say("key.board")))
        if self.invitation is not None:
            own.append(("j", self.say("key.share")))
        return own + [(command.typed, self.say.say(command.label)) for command in self._commands.values()]

    def _name_keys(self) -> None:
        """Show the keys' names in the language chosen."""
        short = {
            "act": "key.short.act",
            "undo": "key.short.undo",
            "explain": "key.short.explain",
            "correct": "key.short.correct",
            "moved": "key.short.moved",
            "count": "key.short.count",
            "again": "key.short.again",
            "mute": "key.short.mute",
        }
        short |= {"pause": "key.short.pause", "help": "key.short.help", "quit": "key.short.quit"}
        for bindings in self._bindings.key_to_bindings.values():
            for position, binding in enumerate(bindings):
                if binding.id in short:
                    bindings[position] = Binding(
                        binding.key,
                        binding.action,
                        self.say(short[binding.id]),
                        id=binding.id,
                        key_display=binding.key_display,
                    )
        self.refresh_bindings()


_KEY_NAMES = (
    ("⏎", "act"), ("1-9", "seat"), ("0", "table"), ("u", "undo"), ("r", "redo"), ("c", "correct"), ("e", "explain"),
    ("m", "confirm_moves"), ("d", "count_cards"), ("␣", "pause"), ("a", "again"), ("x", "mute"),
    ("l", "language"), ("t", "next_theme"), ("?", "help"), ("q", "quit"),
)  # fmt: skip
