"""Who sits at the table: a name put right, a stand-in, who joins, who goes; keys or mouse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Footer, Input, OptionList, Static
from textual.widgets.option_list import Option

from companion.rules.contract import LONGEST_NAME
from companion.rules.people import NAMED, Deed, Seated, words_for_menu
from companion.texts import Translator
from companion.views.dashboard.screens.sheet import Sheet
from companion.views.dashboard.widgets.choices import Choices
from companion.views.host import Host
from companion.views.marks import marked_name
from companion.views.spoken import Speaker

DEED_KEYS: dict[Deed, str] = {
    "rename": "r",
    "stand_in": "s",
    "share": "w",
    "back": "b",
    "swap": "x",
    "leave": "g",
    "stay": "g",
    "join": "j",
}
"""One letter a deed, the same all evening."""


class _Row(NamedTuple):
    key: str
    words: Content
    act: Callable[[], object]


class PeopleScreen(Sheet[None]):
    """First the seats, then what may happen to the one that was chosen, then a name or another seat
    where it takes one."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "Back")]

    def __init__(self, host: Host, say: Translator, speaker: Speaker | None) -> None:
        super().__init__()
        self._host = host
        self._say = say
        self._speaker = speaker
        self._rows: list[_Row] = []
        self._named: Callable[[str], object] | None = None
        self._at_seats = True
        self._title, self._told = Static(id="choose-title"), Static(id="people-news", markup=False)
        self._list, self._line = Choices(id="choose-list"), Input(id="people-name", max_length=LONGEST_NAME)

    def compose(self) -> ComposeResult:
        """Lay out title, rows and the line for a name."""
        with Vertical(id="choose"):
            yield from (self._title, self._told, self._list, self._line)
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        """Begin with the seats."""
        self._bindings.key_to_bindings["escape"] = [Binding("escape", "back", self._say("key.short.back"))]
        self._seats()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take the row that was entered or clicked, unless others stand there by now."""
        if event.option in self._list.options:
            self._rows[event.option_index].act()

    def on_key(self, event: events.Key) -> None:
        """Take the row whose key was typed."""
        if self._named is not None or not event.character:
            return
        row = next((row for row in self._rows if row.key == event.character), None)
        if row is not None:
            event.stop()
            row.act()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the name that was typed."""
        if self._named is not None:
            self._named(event.value.strip())

    def action_back(self) -> None:
        """Go back a step, or to the table."""
        if self._at_seats:
            self.dismiss(None)
        else:
            self._news("")
            self._seats()

    def _seats(self) -> None:
        people = self._host.snapshot().people
        self._say = say = self._say.calling(people.shown)
        rows = [
            _Row(str(number), self._seat(player, number), lambda player=player: self._deeds(player))  # type: ignore[misc]
            for number, player in enumerate(people.seats, 1)
        ]
        join = _Row(DEED_KEYS["join"], Content(say("people.join")), lambda: self._ask("join", ""))
        self._show(say("people.title"), [*rows, join])
        self._at_seats = True

    def _seat(self, player: str, number: int) -> Content:
        going = "" if player in self._host.snapshot().people.order else "   " + self._say("people.goes")
        return marked_name(player, number, self._say, 40) + Content.styled(going, "$foreground-muted")

    def _deeds(self, player: str) -> None:
        say, people = self._say, self._host.snapshot().people
        rows = [
            _Row(
                DEED_KEYS[deed],
                Content(say.say(words_for_menu(deed, say.name(player)))),
                lambda deed=deed: self._begin(deed, player),  # type: ignore[misc]
            )
            for deed in people.possible(player)
        ]
        if self._speaker is not None:
            words = Content(say("people.say_name", player=say.name(player)))
            rows.append(_Row("v", words, lambda: self._ask_name(self._spoken(player))))
        self._show(say.name(player), rows)

    def _begin(self, deed: Deed, player: str) -> None:
        if deed in NAMED:
            self._ask(deed, player)
        elif deed == "swap":
            self._others(player)
        else:
            self._do(Seated(deed, player))

    def _others(self, player: str) -> None:
        people = self._host.snapshot().people

        def swap(other: str) -> Callable[[], object]:
            return lambda: self._do(Seated("swap", player, other))

        rows = [
            _Row(str(number), self._seat(other, number), swap(other))
            for number, other in enumerate(people.seats, 1)
            if other != player and other in people.order
        ]
        self._show(self._say("people.swap_with", player=self._say.name(player)), rows)

    def _ask(self, deed: Deed, player: str) -> None:
        self._show(self._say.say(words_for_menu(deed, self._say.name(player))), ())
        self._ask_name(lambda name: self._do(Seated(deed, player, name)))

    def _ask_name(self, then: Callable[[str], object]) -> None:
        line = self._line
        line.value, line.display = "", True
        line.placeholder = self._say("people.name")
        self._named = then
        self._list.display = False
        self._at_seats = False
        line.focus()

    def _spoken(self, player: str) -> Callable[[str], object]:
        def take(words: str) -> None:
            if self._speaker is not None:
                self._speaker.pronounce(self._say.name(player), words)
            self._seats()

        return take

    def _do(self, change: Seated) -> None:
        """Make the change, or say why it cannot be and leave everything as it was."""
        refusal = self._host.seat(change)
        if refusal is not None:
            clause = f" [{refusal.clause}]" if refusal.clause else ""
            self._news(f"✘ {self._say.say(refusal.text)}{clause}")
            return
        told = self._host.snapshot().people.told[-1]
        self._news(f"✔ {self._say.say(told.text)}")
        self._seats()

    def _news(self, words: str) -> None:
        self._told.update(Content(words))

    def _show(self, title: str, rows: Sequence[_Row]) -> None:
        self._rows, self._named, self._at_seats = list(rows), None, False
        self._title.update(Content(title))
        self._line.display = False
        listing = self._list
        listing.display = True
        listing.clear_options()
        listing.add_options(
            Option(Content.assemble((f" {row.key} ", "bold reverse"), "  ", row.words)) for row in rows
        )
        if rows:
            listing.highlighted = 0
            listing.focus()
