"""The virtual card reader: its pads with lights and cards, the seats' buttons, the buzzer; operated
by mouse or keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.color import Color
from textual.containers import ItemGrid, Vertical
from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.widgets import Footer, Label, Static

from companion.table.pads import seat_of_pad
from companion.table.zones import card_words
from companion.texts import Translator
from companion.views.dashboard.screens.sheet import ChoiceScreen, Sheet

if TYPE_CHECKING:
    from companion.readers.rfid.simulator import VirtualBoard

_LOOK = 0.1
"""Seconds between two looks at lights and buzzer."""
_PRESSED = 0.15
"""Seconds for which a clicked button stays down."""
_DARK = "#000000"


class PadView(Static, can_focus=True):
    """One pad. Click or Enter lays a card, Backspace or a click on the cards removes the newest;
    `a` and `r` press the buttons."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "do('lay')", "Lay a card", id="pad.lay"),
        Binding("backspace,delete", "do('lift')", "Take it away", id="pad.lift"),
        Binding("a", "do('accept')", "Accept", id="pad.accept"),
        Binding("r", "do('refuse')", "Refuse", id="pad.refuse"),
        Binding("right,down", "app.focus_next", show=False),
        Binding("left,up", "app.focus_previous", show=False),
    ]

    class Requested(Message):
        """Message: something is to be done at a pad (`lay`, `lift`, `accept` or `refuse`)."""

        def __init__(self, view: PadView, what: str) -> None:
            super().__init__()
            self.view = view
            self.what = what

    def __init__(self, pad: str) -> None:
        super().__init__(classes="pad")
        self.pad = pad
        self.seat = seat_of_pad(pad)
        """The seat whose buttons are beside this pad."""

    def action_do(self, what: str) -> None:
        """Ask the screen to do it."""
        if what in ("lay", "lift") or self.seat is not None:
            self.post_message(self.Requested(self, what))

    def on_click(self, event: events.Click) -> None:
        """Do what was clicked; a click elsewhere on the pad lays a card."""
        meta = event.style.meta.get("do")
        self.focus()
        self.action_do(str(meta) if meta else "lay")


class PadsScreen(Sheet[None]):
    """All pads of the virtual reader."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,b", "dismiss(None)", "Back", id="pad.back")]

    def __init__(self, board: VirtualBoard, say: Translator) -> None:
        super().__init__()
        self._board = board
        self._say = say
        self._buzzer = Static(id="buzzer")

    def compose(self) -> ComposeResult:
        """Lay out the pads, the buzzer and the keys."""
        with Vertical(id="pads"):
            yield Label(self._say("board.title"), id="pads-title")
            with ItemGrid(min_column_width=24, id="pads-grid"):
                for pad in self._board.pads:
                    yield PadView(pad)
            yield self._buzzer
            yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        """Start to follow the board; name the keys in the chosen language."""
        views = self.query(PadView)
        for view in views:
            for bindings in view._bindings.key_to_bindings.values():
                bindings[:] = [
                    Binding(one.key, one.action, self._say(f"board.key.{one.id[4:]}"), id=one.id)
                    if one.id
                    else one
                    for one in bindings
                ]
        if views:  # it may be left before it is seen
            views.first().focus()
        self.set_interval(_LOOK, self.look)
        self.look()

    def look(self) -> None:
        """Show the current lights, cards and buzzer."""
        lights = dict(zip(self._board.pads, self._board.lights, strict=False))
        for view in self.query(PadView):
            view.update(self._face(view, lights.get(view.pad, _DARK)))
        tone = self._board.tone
        self._buzzer.update(self._say("board.buzzer", hertz=tone) if tone else self._say("board.quiet"))

    def on_pad_view_requested(self, event: PadView.Requested) -> None:
        """Do it on the virtual board."""
        if event.what == "lay":
            self._lay(event.view)
        elif event.what == "lift":
            self._board.lift(event.view.pad)
        elif event.view.seat is not None:
            self._press(event.view.seat, event.what)
        self.look()

    def _lay(self, view: PadView) -> None:
        free = list(self._board.free())

        def chosen(number: int | None) -> None:
            if number is not None:
                self._board.lay(view.pad, free[number])
                self.look()

        title = self._say("board.which", pad=self._pad_name(view))
        self.app.push_screen(ChoiceScreen(title, [self._card(name) for name in free]), chosen)

    def _press(self, seat: int, button: str) -> None:
        self._board.press(seat, button)
        # A click has no end: the button is released after a while.
        self.set_timer(_PRESSED, lambda: self._board.press(seat, button, down=False))

    def _pad_name(self, view: PadView) -> str:
        return self._say("zone.seat", seat=view.seat) if view.seat else self._say(f"zone.{view.pad}")

    def _card(self, name: str | None) -> str:
        return (
            self._say("board.face_down")
            if name is None
            else self._say.say(card_words(self._board.card(name)))
        )

    def _face(self, view: PadView, light: str) -> Content:
        cards = [self._card(name) for name in self._board.lying(view.pad)]
        dot = ("● ", _bright(light)) if light != _DARK else ("○ ", "$foreground-muted")
        head = Content.assemble(dot, (self._pad_name(view), "bold"))
        lit = Content(self._say(f"board.light.{_meaning(light)}")).stylize("$foreground-muted")
        rows = [
            Content("▌ " + card).stylize(Style(bold=True)).stylize(Style.from_meta({"do": "lift"}))
            for card in cards[-2:]
        ] or [Content(self._say("board.empty")).stylize("$foreground-muted")]
        lines = [head, lit, *rows, *[Content("")] * (2 - len(rows))]
        if view.seat is not None:
            keys = [
                Content(f" {self._say(f'board.key.{name}')} ")
                .stylize(Style(reverse=True))
                .stylize(Style.from_meta({"do": name}))
                for name in ("accept", "refuse")
            ]
            lines.append(Content("  ").join(keys))
        return Content("\n").join(lines)


def _bright(light: str) -> str:
    """Return the light's colour as bright as a screen can show it: the board drives its LEDs at a
    fraction of their power."""
    colour = Color.parse(light)
    most = max(colour.rgb) or 1
    red, green, blue = (round(255 * part / most) for part in colour.rgb)
    return f"rgb({red},{green},{blue})"


def _meaning(light: str) -> str:
    """Name a light by its hue, because colour never carries the meaning alone (firmware/README.md,
    "What the lights say")."""
    red, green, blue = Color.parse(light).rgb
    most = max(red, green, blue)
    shape = (most > 0 and red * 2 > most, most > 0 and green * 5 > most, most > 0 and blue * 2 > most)
    return _HUES.get(shape, "look")


_HUES = {
    (False, False, False): "off",
    (False, True, False): "accepted",
    (True, False, False): "unknown",
    (True, True, False): "look",
    (False, False, True): "turn",
    (False, True, True): "turn",
    (True, True, True): "white",
}
