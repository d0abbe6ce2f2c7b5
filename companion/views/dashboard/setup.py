"""What the evening needs to know before it begins: the game, who sits where, the deck, the clock. One screen, nothing hidden."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Button, Collapsible, Footer, Input, Label, Select, Static

from companion.rules.contract import Text
from companion.texts import Translator, clean
from companion.views.dashboard.themed import ThemedApp


class Answers(NamedTuple):
    """What was chosen. `options` and `clock` (seconds) are as typed; the command reads them as it reads its own arguments."""

    game: str
    players: tuple[str, ...]
    deck: str
    options: tuple[str, ...]
    clock: str


class SetUp(ThemedApp[Answers | None]):
    """The form. `decks`: names of decks by game. `options`: each game's options with their defaults, in words; `rulings`: what they mean.

    `check` returns what is wrong with the answers, or "".
    """

    CSS = """
    #form { width: 90; max-width: 96%; height: auto; max-height: 100%; padding: 1 2; background: $surface; border: thick $primary; }
    Screen { align: center middle; }
    Label { margin: 1 0 0 0; text-style: bold; }
    #drawn { margin: 0; text-style: none; color: $primary; }
    #draw { margin: 0; }
    #title { margin: 0; color: $primary; }
    #rulings { color: $text-muted; margin: 0 1; }
    #wrong { color: $error; }
    Button { margin: 1 0 0 0; }
    """
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s,f2", "begin", "Begin"),
        Binding("escape", "leave", "Leave"),
    ]
    LEAVING = Text("leaving", {"key": "Esc"})

    def __init__(
        self,
        games: Mapping[str, str],
        decks: Mapping[str, Sequence[str]],
        options: Mapping[str, str],
        rulings: Mapping[str, str],
        check: Callable[[Answers], str],
        say: Translator,
        game: str,
    ) -> None:
        super().__init__(say)
        self._games = games
        self._decks = decks
        self._options = options
        self._rulings = rulings
        self._check = check
        self._game = game

    def compose(self) -> ComposeResult:
        """Lay out the form."""
        say = self.say
        with VerticalScroll(id="form"):
            yield Label(say("setup.title"), id="title")
            yield Label(say("setup.game"))
            yield Select(
                [(title, name) for name, title in self._games.items()],
                value=self._game,
                allow_blank=False,
                id="game",
            )
            yield Label(say("setup.players"))
            yield Input(placeholder=say("setup.players.example"), id="players")
            yield Button(say("setup.draw_first"), id="draw", compact=True)
            yield Label("", id="drawn", markup=False)
            yield Label(say("setup.deck"))
            yield Select(self._deck_rows(self._game), allow_blank=False, id="deck")
            yield Label(say("setup.options"))
            yield Input(placeholder=self._options[self._game], id="options")
            with Collapsible(title=say("setup.rulings"), id="readings"):
                yield Static(self._rulings[self._game], id="rulings", markup=False)
            yield Label(say("setup.clock"))
            yield Input(placeholder=say("setup.clock.none"), id="clock")
            yield Label("", id="wrong")
            yield Button(say("setup.begin"), variant="primary", id="begin")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Begin at the names, for everything else has a value."""
        self.query_one("#players", Input).focus()

    def on_select_changed(self, event: Select.Changed) -> None:
        """Offer the decks and options of the game that was chosen."""
        if event.select.id == "game" and isinstance(event.value, str) and event.value != self._game:
            self._game = event.value
            self.query_one("#deck", Select).set_options(self._deck_rows(self._game))
            self.query_one("#options", Input).placeholder = self._options[self._game]
            self.query_one("#rulings", Static).update(self._rulings[self._game])

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Begin, or draw who begins."""
        if event.button.id == "draw":
            self.action_draw()
        else:
            self.action_begin()

    def action_draw(self) -> None:
        """Draw the first player: the names go round the table until theirs stands first; who sits where stays as it is."""
        names = self.answers().players
        if not names:
            return
        first = secrets.randbelow(len(names))
        self.query_one("#players", Input).value = ", ".join((*names[first:], *names[:first]))
        self.query_one("#drawn", Label).update(self.say("setup.drawn", player=clean(names[first])))

    def on_input_submitted(self) -> None:
        """Begin when Enter is pressed in a field, if all is well."""
        self.action_begin()

    def action_begin(self) -> None:
        """End with the answers, or say what is wrong and stay."""
        answers = self.answers()
        wrong = self._check(answers)
        self.query_one("#wrong", Label).update(wrong)
        if not wrong:
            self.exit(answers)

    def action_leave(self) -> None:
        """End without answers."""
        self.exit(None)

    def answers(self) -> Answers:
        """Read the form."""
        names = tuple(
            name.strip() for name in self.query_one("#players", Input).value.split(",") if name.strip()
        )
        options = tuple(self.query_one("#options", Input).value.split())
        clock = self.query_one("#clock", Input).value.strip()
        deck = self.query_one("#deck", Select).value
        return Answers(self._game, names, str(deck) if isinstance(deck, str) else "", options, clock)

    def _deck_rows(self, game: str) -> list[tuple[str, str]]:
        return [(name, name) for name in self._decks.get(game, ())] or [(game, "")]
