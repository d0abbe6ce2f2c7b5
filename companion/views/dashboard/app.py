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
from textual.message import Message
from textual.screen import Screen

from companion.live.snapshot import Snapshot
from companion.rules.contract import GAME_OVER, Choice, Request, Text
from companion.texts import LANGUAGES, Translator, clean
from companion.views.dashboard.screens.choose import Choose
from companion.views.dashboard.screens.explain import Explanation
from companion.views.dashboard.screens.help import Help
from companion.views.dashboard.screens.log import Log
from companion.views.dashboard.screens.pads import PadsScreen, VirtualBoard
from companion.views.dashboard.screens.pick import PickCards
from companion.views.dashboard.screens.share import ShareSheet
from companion.views.dashboard.screens.table import TableScreen
from companion.views.dashboard.themed import ThemedApp
from companion.views.dashboard.widgets.part import Shown
from companion.views.dashboard.widgets.preview import LabelsOf, PreviewOf
from companion.views.host import Backstage, Command, Host, Seats
from companion.views.invitation import Invitation
from companion.views.panel import awaited_players, face_of, marked
from companion.views.themes import THEMES

_TICK = 0.1
"""Seconds between looks at the clock; what readers report wakes the dashboard at once."""
_PICTURE = 0.2
"""Seconds between two previews."""
AGAIN = 64
"""The return code that asks for another game with the same players."""


class Dashboard(ThemedApp[None]):
    """The screen over one live session.

    `backstage`: what runs behind the table, with its keys. `picture_of`: the camera's newest annotated picture;
    `labels_of`: the names of its cards.
    `speak`: where new words go. `board`: the virtual card reader. `invitation`: how to join with other screens.
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
        Binding("m", "confirm_moves", "Moved", id="moved", show=False),
        Binding("space", "pause", "Pause", id="pause"),
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
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(Translator(language, host.game), theme)
        self.host = host
        self._backstage = backstage
        self._seats: Seats | None = backstage if isinstance(backstage, Seats) else None
        self._commands = {command.key: command for command in backstage.commands} if backstage else {}
        self._paused = False
        self._speak = speak
        self._clock = clock
        self._seen = -1
        self._spoken = ""
        self._asked: set[int] = set()
        self._asking: tuple[int, Choose] | None = None
        self._board = board
        self._invitation = invitation
        self._sheet_shown = False
        self._table = TableScreen(picture_of, labels_of)

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
        if self._invitation is not None:
            self.bind("j", "share", description=self.say("key.share"), key_display="j")
        self.push_screen(self._table)
        self._name_keys()
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
        self._table.show(Shown(snapshot, face, self.say, self._paused))
        self._speak_new(snapshot)
        self._ask(snapshot)
        over = snapshot.view["phase"] == GAME_OVER
        if over and not self._sheet_shown and self.screen is self._table:
            self.action_explain()
        self._sheet_shown = over

    def _speak_new(self, snapshot: Snapshot) -> None:
        if self._speak is None:
            return
        texts = [] if snapshot.last is None else [snapshot.last]
        if snapshot.refusal is not None:
            texts.append(snapshot.refusal.text)
        words = " ".join(self.say.say(text) for text in texts)
        if words and words != self._spoken:
            self._spoken = words
            self._speak(words)

    def _ask(self, snapshot: Snapshot) -> None:
        open_ones = {question.id for question in snapshot.questions}
        if self._asking is not None and self._asking[0] not in open_ones:
            if self.screen is self._asking[1]:  # answered elsewhere, or the card was taken away
                self._asking[1].dismiss(None)
            self._asking = None
        fresh = [question for question in snapshot.questions if question.id not in self._asked]
        if not fresh or self.screen is not self._table:
            return
        question = fresh[0]
        self._asked.add(question.id)
        labels = [self.say.say(choice.label) for choice in question.choices] + [self.say("question.later")]
        keys = [choice.key for choice in question.choices] + [""]

        def answered(number: int | None) -> None:
            real = number is not None and number < len(question.choices)
            self.host.answer(question.id, number if real else None)
            self.look()

        self._asking = (question.id, Choose(self.say.say(question.text), labels, keys))
        self.push_screen(self._asking[1], answered)

    def choose(self, title: str, choices: Sequence[Choice], then: Callable[[Request], object]) -> None:
        """Put the choices before the table; a single choice still asks, so that no key acts by accident."""
        if not choices:
            self.notify(self.say("choose.nothing"))
            return

        def chosen(number: int | None) -> None:
            if number is None:
                return
            choice = choices[number]
            if choice.pick is None:
                then(choice.request)
                self.look()
            else:
                self._pick_cards(choice, then)

        labels = [self.say.say(choice.label) for choice in choices]
        self.push_screen(Choose(title, labels, [choice.key for choice in choices]), chosen)

    def action_act(self) -> None:
        """Enter what is awaited: the menu of the only player awaited, or of the one chosen."""
        snapshot = self.host.snapshot()
        awaited = [name for name in snapshot.setup.players if name in awaited_players(snapshot.view)]
        table = list(self.host.choices(None))
        taken = [name for name in awaited if name in self._people()]
        if taken:
            self._menu(taken[0])
        elif len(awaited) == 1 and not table:
            self._menu(awaited[0])
        elif awaited and not table:
            self._pick_player(awaited)
        else:
            self.choose(self.say.say(snapshot.awaited), table, self.host.submit)

    def _pick_cards(self, choice: Choice, then: Callable[[Request], object]) -> None:
        def picked(cards: tuple[str, ...] | None) -> None:
            if cards is not None:
                then(choice.with_cards(cards))
                self.look()

        assert choice.pick is not None
        self.push_screen(PickCards(self.say.say(choice.label), choice.pick, self.say), picked)

    def _pick_player(self, players: Sequence[str]) -> None:
        seats = self.host.snapshot().setup.players

        def picked(number: int | None) -> None:
            if number is not None:
                self._menu(players[number])

        keys = [str(seats.index(name) + 1) for name in players]
        self.push_screen(
            Choose(self.say("choose.player"), [clean(name, 40) for name in players], keys), picked
        )

    def _menu(self, player: str) -> None:
        title = self.say("choose.title", player=player)
        if self._seats is not None and player in self._seats.people:
            self.choose(title, self._seats.wishes(player), self._enact)
        else:
            self.choose(title, self.host.choices(player), self.host.submit)

    def _people(self) -> Collection[str]:
        return () if self._seats is None else self._seats.people

    def _enact(self, wish: Request) -> None:
        """Let the hands at the demo table do what a person at a seat has chosen."""
        assert self._seats is not None
        self._tell(self._seats.enact(wish))

    def _tell(self, said: object) -> None:
        if isinstance(said, Text):
            self.notify(self.say.say(said), markup=False)

    def action_seat(self, seat: int) -> None:
        """Open the menu of one seat (0: of the table)."""
        players = self.host.snapshot().setup.players
        if seat == 0:
            self.choose(self.say("choose.table"), self.host.choices(None), self.host.submit)
        elif seat <= len(players):
            self._menu(players[seat - 1])

    def action_undo(self) -> None:
        """Take back the last step."""
        self.host.undo()
        self.look()

    def action_redo(self) -> None:
        """Take back the last undo."""
        self.host.redo()
        self.look()

    def action_correct(self) -> None:
        """Choose an act of the past, then what it should have been."""
        log = self.host.snapshot().log

        def chosen(at: int | None) -> None:
            if at is None:
                return
            choices = list(self.host.choices_at(at))
            labels = [self.say("correct.take_out"), *(self.say.say(choice.label) for choice in choices)]
            keys = ["-", *(choice.key for choice in choices)]

            def corrected(number: int | None) -> None:
                if number is not None:
                    self.host.correct(at, choices[number - 1].request if number else None)
                    self.look()

            self.push_screen(Choose(self.say("correct.title", act=at + 1), labels, keys), corrected)

        self.push_screen(Log(log, self.say), chosen)

    def action_explain(self) -> None:
        """Show the score sheet with its reasons."""
        snapshot = self.host.snapshot()
        reasons = [(player, self.host.explain(player)) for player in snapshot.setup.players]
        self.push_screen(Explanation(snapshot, reasons, self.say))

    def action_confirm_moves(self) -> None:
        """Take it that the real cards lie as they should."""
        self.host.confirm_moves()
        self.look()

    def action_board(self) -> None:
        """Show the virtual card reader."""
        if self._board is not None:
            self.push_screen(PadsScreen(self._board, self.say))

    def action_share(self) -> None:
        """Show how to join with a phone, a tablet or a television."""
        if self._invitation is not None:
            self.push_screen(ShareSheet(self._invitation, self.say))

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

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Offer every key in the command palette too."""
        yield from super().get_system_commands(screen)
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
            "pause",
            "language",
            "next_theme",
            "help",
        ):
            yield SystemCommand(
                self.say(f"key.{name}"), self.say(f"key.{name}"), getattr(self, f"action_{name}")
            )

    def _key_list(self) -> list[tuple[str, str]]:
        own = [(key, self.say(f"key.{name}")) for key, name in _KEY_NAMES]
        if self._board is not None:
            own.append(("b", self.say("key.board")))
        if self._invitation is not None:
            own.append(("j", self.say("key.share")))
        return own + [(command.typed, self.say.say(command.label)) for command in self._commands.values()]

    def _name_keys(self) -> None:
        """Show the keys' names in the language chosen."""
        short = {
            "act": "key.short.act",
            "undo": "key.short.undo",
            "explain": "key.short.explain",
            "correct": "key.short.correct",
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
    ("Enter", "act"), ("1-9", "seat"), ("0", "table"), ("u", "undo"), ("r", "redo"), ("c", "correct"), ("e", "explain"),
    ("m", "confirm_moves"), ("space", "pause"), ("l", "language"), ("t", "next_theme"), ("?", "help"), ("q", "quit"),
)  # fmt: skip
