"""The simulated trays: their lights and cards, the seats' buttons, the buzzers; operated by mouse
or keys."""

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

from companion.table.pad_plan import find_pad_seat
from companion.table.zones import describe_card_id
from companion.texts import Translator
from companion.views.dashboard.screens.dialog import ChoiceScreen, Dialog

if TYPE_CHECKING:
    from companion.readers.rfid.simulator import VirtualTrays

_POLL_SECONDS = 0.1
"""Seconds between two looks at lights, cards and buzzer."""
_PRESS_SECONDS = 0.15
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
        Binding("right,down", "app.focus_next"),
        Binding("left,up", "app.focus_previous"),
    ]

    class Requested(Message):
        """Message: something is to be done at a pad (`lay_card`, `lift_card`, `accept` or
        `refuse`)."""

        def __init__(self, view: PadView, action_name: str) -> None:
            super().__init__()
            self.view = view
            self.action_name = action_name

    def __init__(self, pad: str) -> None:
        super().__init__(classes="pad")
        self.pad = pad
        self.seat = find_pad_seat(pad)
        """The seat whose buttons are beside this pad."""

    def action_do(self, action_name: str) -> None:
        """Ask the screen to do it."""
        if action_name in ("lay", "lift") or self.seat is not None:
            self.post_message(self.Requested(self, action_name))

    def on_click(self, event: events.Click) -> None:
        """Do what was clicked; a click elsewhere on the pad lays a card."""
        meta = event.style.meta.get("do")
        self.focus()
        self.action_do(str(meta) if meta else "lay")


class PadsScreen(Dialog[None]):
    """All simulated trays."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,b", "dismiss(None)", "Back", id="pad.back")]

    def __init__(self, trays: VirtualTrays, translator: Translator) -> None:
        super().__init__()
        self._trays = trays
        self._translator = translator
        self._buzzer = Static(id="buzzer")

    def compose(self) -> ComposeResult:
        """Lay out the pads, the buzzer and the keys."""
        with Vertical(id="pads"):
            yield Label(self._translator("board.title"), id="pads-title")
            with ItemGrid(min_column_width=24, id="pads-grid"):
                for pad in self._trays.pads:
                    yield PadView(pad)
            yield self._buzzer
            yield Footer(compact=True)

    def on_mount(self) -> None:
        """Start to follow the trays; name the keys in the chosen language."""
        for view in self.query(PadView):
            for bindings in view._bindings.key_to_bindings.values():
                bindings[:] = [
                    Binding(one.key, one.action, self._translator(f"board.key.{one.id[4:]}"), id=one.id)
                    if one.id
                    else one
                    for one in bindings
                ]
        self.set_interval(_POLL_SECONDS, self.update_pads)
        self.update_pads()

    def update_pads(self) -> None:
        """Show the current lights, cards and buzzer."""
        lights = dict(zip(self._trays.pads, self._trays.lights, strict=False))
        for view in self.query(PadView):
            view.update(self._draw_pad(view, lights.get(view.pad, _DARK)))
        tone = self._trays.tone
        self._buzzer.update(
            self._translator("board.buzzer", hertz=tone) if tone else self._translator("board.quiet")
        )

    def on_pad_view_requested(self, event: PadView.Requested) -> None:
        """Do it on the simulated trays."""
        if event.action_name == "lay":
            self._choose_card(event.view)
        elif event.action_name == "lift":
            self._trays.lift_card(event.view.pad)
        elif event.view.seat is not None:
            self._press_button(event.view.seat, event.action_name)

    def _choose_card(self, view: PadView) -> None:
        free = list(self._trays.list_free_designs())

        def lay_chosen(number: int | None) -> None:
            if number is not None:
                self._trays.lay_card(view.pad, free[number])

        title = self._translator("board.which", pad=self._format_pad_name(view))
        self.app.push_screen(ChoiceScreen(title, [self._format_pad_card(name) for name in free]), lay_chosen)

    def _press_button(self, seat: int, button: str) -> None:
        self._trays.press_button(seat, button)
        # A click has no end: the button is released after a while.
        self.set_timer(_PRESS_SECONDS, lambda: self._trays.press_button(seat, button, down=False))

    def _format_pad_name(self, view: PadView) -> str:
        return (
            self._translator("zone.seat", seat=view.seat)
            if view.seat
            else self._translator(f"zone.{view.pad}")
        )

    def _format_pad_card(self, name: str | None) -> str:
        return (
            self._translator("board.face_down")
            if name is None
            else self._translator.translate(describe_card_id(self._trays.find_card(name)))
        )

    def _draw_pad(self, view: PadView, light: str) -> Content:
        cards = [self._format_pad_card(name) for name in self._trays.list_cards(view.pad)]
        dot = ("● ", _brighten_colour(light)) if light != _DARK else ("○ ", "$foreground-muted")
        head = Content.assemble(dot, (self._format_pad_name(view), "bold"))
        lit = Content(self._translator(f"board.light.{_classify_light(light)}")).stylize("$foreground-muted")
        rows = [
            Content("▌ " + card).stylize(Style(bold=True)).stylize(Style.from_meta({"do": "lift"}))
            for card in cards[-2:]
        ] or [Content(self._translator("board.empty")).stylize("$foreground-muted")]
        lines = [head, lit, *rows, *[Content("")] * (2 - len(rows))]
        if view.seat is not None:
            keys = [
                Content(f" {self._translator(f'board.key.{name}')} ")
                .stylize(Style(reverse=True))
                .stylize(Style.from_meta({"do": name}))
                for name in ("accept", "refuse")
            ]
            lines.append(Content("  ").join(keys))
        return Content("\n").join(lines)


def _brighten_colour(light: str) -> str:
    """Return the light's colour as bright as a screen can show it: the board drives its LEDs at a
    fraction of their power."""
    colour = Color.parse(light)
    most = max(colour.rgb) or 1
    red, green, blue = (round(255 * part / most) for part in colour.rgb)
    return f"rgb({red},{green},{blue})"


def _classify_light(light: str) -> str:
    """Name a light by its hue, because colour never carries the meaning alone (firmware/README.md,
    "What the lights say")."""
    red, green, blue = Color.parse(light).rgb
    most = max(red, green, blue)
    shape = (red * 2 > most, green * 5 > most, blue * 2 > most)
    return _HUES.get(shape, "look")


_HUES = {
    (False, False, False): "off",
    (False, True, False): "accepted",
    (True, False, False): "unknown",
    (False, False, True): "turn",
    (True, True, True): "white",
}
