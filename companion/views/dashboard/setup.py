"""Set-up form of an evening: game, players and their seats, deck, options, clock. Every choice is
visible. The seats are a row of names, clockwise, which can be dragged or moved by keys."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import msgspec
from rich.text import Text as Words
from textual import events
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.suggester import Suggester
from textual.widget import Widget
from textual.widgets import Button, Checkbox, Footer, Input, Label, Select, Static

from companion.live.clocks import LONGEST
from companion.plan import USUAL_GAME, CannotBegin, Plan, parse_names, parse_option_value, prepare_setup
from companion.rules.contract import Text
from companion.texts import Translator, clean_text
from companion.views.dashboard.themed_app import ThemedApp
from companion.views.dashboard.widgets.camera_preview import CameraPreview, CameraViewSource

_LINE = "┃"
_LONGEST = 20
"""Most cells of a name, so that four fit in a line of 80 columns; longer names are cut."""


class NamePlace(NamedTuple):
    """Position of a name: its line, its first cell, and its width in cells."""

    line: int
    left: int
    width: int


class SeatRow(Widget, can_focus=True):
    """Row of `names` with their seat numbers. Posts `Moved` when a name was moved; `show_names`
    replaces the names."""

    class Moved(Message):
        """Message with the names in their new order."""

        def __init__(self, names: tuple[str, ...]) -> None:
            super().__init__()
            self.names = names

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "choose(-1)"),
        Binding("right", "choose(1)"),
        Binding("shift+left", "carry(-1)"),
        Binding("shift+right", "carry(1)"),
        Binding("escape", "let_go"),
    ]

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._names: tuple[str, ...] = ()
        self._at = 0
        self._dragged: int | None = None
        self._gap = 0

    def show_names(self, names: Sequence[str]) -> None:
        """Show these names; a name being dragged is dropped, because it may be another one now."""
        self._names = tuple(names)
        self._at = min(self._at, max(len(names) - 1, 0))
        self._release_drag()
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return how many lines the names need."""
        places = lay_out_badges(self._draw_badges(), width)
        return places[-1].line + 1 if places else 1

    def render(self) -> Content:
        """Draw the names, and a line where the dragged one would land."""
        badges = self._draw_badges()
        places = lay_out_badges(badges, self.size.width)
        landing = self._find_landing_gap()
        parts: list[Content | str | tuple[str, str]] = []
        for number, (badge, place) in enumerate(zip(badges, places, strict=True)):
            if number and place.left == 0:
                parts.append("\n")
            parts.append((_LINE, "bold $accent") if landing == number else " ")
            parts.append(badge.stylize(self._badge_style(number)))
        if landing == len(badges):
            parts.append((_LINE, "bold $accent"))
        return Content.assemble(*parts)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Start dragging the name under the mouse."""
        places = lay_out_badges(self._draw_badges(), self.size.width)
        taken = next((i for i, place in enumerate(places) if _contains_cell(place, event.x, event.y)), None)
        if taken is None:
            return
        self._at = self._dragged = self._gap = taken
        # So that a drop outside the row is noticed as well.
        self.capture_mouse()
        self.refresh()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Show where the dragged name would land."""
        if self._dragged is None:
            return
        self._gap = find_gap_at(lay_out_badges(self._draw_badges(), self.size.width), event.x, event.y)
        self.refresh()

    def on_mouse_up(self) -> None:
        """Drop the name where the line is."""
        if self._dragged is None:
            return
        landing, taken = self._find_landing_gap(), self._dragged
        self._release_drag()
        if landing is not None:
            self._move_name(taken, landing)

    def action_choose(self, step: int) -> None:
        """Select the next or the previous name."""
        self._at = min(max(self._at + step, 0), max(len(self._names) - 1, 0))
        self.refresh()

    def action_carry(self, step: int) -> None:
        """Move the selected name one place on or back."""
        if 0 <= self._at + step < len(self._names):
            self._move_name(self._at, self._at + (2 if step > 0 else -1))

    def action_let_go(self) -> None:
        """Cancel dragging; if nothing is being dragged, leave the key to the form."""
        if self._dragged is None:
            raise SkipAction
        self._release_drag()

    def _move_name(self, source: int, gap: int) -> None:
        names = move_name(self._names, source, gap)
        self._at = _seat_after_move(source, gap)
        self._names = names
        self.refresh(layout=True)
        self.post_message(self.Moved(names))

    def _release_drag(self) -> None:
        if self._dragged is not None:
            self._dragged = None
            self.release_mouse()
            self.refresh()

    def _find_landing_gap(self) -> int | None:
        """Return the gap where the dragged name would land; None next to its own place, where
        nothing would change."""
        if self._dragged is None or self._gap in (self._dragged, self._dragged + 1):
            return None
        return self._gap

    def _draw_badges(self) -> list[Content]:
        return [
            Content(f" {number} {clean_text(name)}").truncate(_LONGEST, ellipsis=True) + " "
            for number, name in enumerate(self._names, 1)
        ]

    def _badge_style(self, number: int) -> str:
        if number == self._dragged:
            return "dim italic on $panel"
        return "reverse bold" if self.has_focus and number == self._at else "on $panel"


def lay_out_badges(badges: Sequence[Content], width: int) -> list[NamePlace]:
    """Lay out the names in lines of `width` cells, with a gap of one cell before each name and one
    after the last of a line."""
    places: list[NamePlace] = []
    line = left = 0
    for badge in badges:
        wide = badge.cell_length
        if left and left + wide + 2 > width:
            line, left = line + 1, 0
        places.append(NamePlace(line, left, wide + 1))
        left += wide + 1
    return places


def find_gap_at(places: Sequence[NamePlace], x: int, y: int) -> int:
    """Return the index of the name before which a name dropped at this cell would land; their
    number if it is after the last."""
    line = min(max(y, 0), places[-1].line)
    here = [number for number, place in enumerate(places) if place.line == line]
    return next((i for i in here if x < places[i].left + 1 + places[i].width // 2), here[-1] + 1)


def move_name(names: Sequence[str], source: int, gap: int) -> tuple[str, ...]:
    """Return the names with the one at `source` moved to the gap before the name at `gap`, both
    counted before the move."""
    rest = [name for number, name in enumerate(names) if number != source]
    rest.insert(_seat_after_move(source, gap), names[source])
    return tuple(rest)


def _seat_after_move(source: int, gap: int) -> int:
    """Return the new index of the name from `source` after landing in `gap`: its removal shifts
    those behind it."""
    return gap if gap <= source else gap - 1


def _contains_cell(place: NamePlace, x: int, y: int) -> bool:
    return place.line == y and place.left < x < place.left + place.width


class OptionRow(NamedTuple):
    """One option to choose: its name, subject and source, and its values as (words, as written),
    the default first.

    With fewer than two `values` it is a text field for any number or map, written like the `usual`
    one. `is_preference`: asked for before deck and rules, and remembered.
    """

    name: str
    about: str
    sheet: str
    values: tuple[tuple[str, str], ...]
    usual: str
    is_preference: bool = False


class GameRow(NamedTuple):
    """One game to choose: id, title, its decks as (title, name), its options."""

    name: str
    title: str
    decks: tuple[tuple[str, str], ...]
    options: tuple[OptionRow, ...]


class NameSuggester(Suggester):
    """Completion of the name that is being typed, after the last comma, from the known names; →
    accepts it."""

    def __init__(self, people: Sequence[str]) -> None:
        # Else Textual hands the text over casefolded, and the names typed before come back in small
        # letters.
        super().__init__(use_cache=False, case_sensitive=True)
        self._people = people

    async def get_suggestion(self, value: str) -> str | None:
        """Return the field with the name completed; names that are in the field already are not
        suggested."""
        before, _, begun = value.rpartition(",")
        typed = begun.strip().casefold()
        there = {name.strip() for name in before.split(",")}
        known = (name for name in self._people if name not in there and name.casefold().startswith(typed))
        found = next(known, None) if typed else None
        return None if found is None else value + found[len(typed) :]


class SetupApp(ThemedApp[Plan | None]):
    """The set-up form; it starts with the values of `plan`, and its result is that plan as filled
    in, None if it was left.

    `camera`: the value of its field, None without the field. `people`: names for completion.
    `look_through`: shows what the camera sees. `habits`: the options with which each game was
    played last, where its preferences begin.
    """

    CSS = """
    #form { width: 90; max-width: 100%; height: auto; max-height: 100%; padding: 0 2; background: $surface; border: thick $primary; }
    Screen { align: center middle; }
    Label { text-style: bold; }
    #drawn { text-style: none; color: $primary; width: 100%; }
    #draw { margin: 0; }
    #title { margin: 0; color: $primary; }
    #wrong { color: $error; height: auto; }
    #rulings, #preferences, #seating, #seats { height: auto; }
    #beside { height: auto; }
    #left { height: auto; width: 1fr; }
    #seating { display: none; }
    #seating.two { display: block; }
    .sheet-says { color: $foreground-muted; margin: 0 0 1 1; }
    """
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s,f2", "begin", "Begin"),
        Binding("enter", "begin"),
        Binding("escape", "leave", "Leave"),
    ]
    LEAVING = Text("leaving", {"key": "Esc"})

    def __init__(
        self,
        games: Sequence[GameRow],
        translator: Translator,
        plan: Plan,
        *,
        camera: str | None = None,
        people: Sequence[str] = (),
        look_through: CameraViewSource | None = None,
        habits: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        super().__init__(translator)
        self._habits = habits or {}
        self._look_through = look_through
        self._plan = plan
        self._games = {row.name: row for row in games}
        self._game = plan.game or USUAL_GAME
        self._camera = camera
        self._people = people
        self._drawn: Sequence[str] = ()

    def compose(self) -> ComposeResult:
        """Lay out the form."""
        translator = self.translator
        with VerticalScroll(id="form"):
            yield Label(translator("setup.title"), id="title")
            yield Label("", id="wrong", markup=False)
            yield Label(translator("setup.game"))
            # Words of this kind only are found by their letters in a list of Textual's.
            rows = [(Words(row.title), row.name) for row in self._games.values()]
            yield Select(rows, value=self._game, allow_blank=False, id="game")
            yield Label(translator("setup.players"))
            names = NameSuggester(self._people)
            typed = ", ".join(self._plan.players)
            yield Input(typed, placeholder=translator("setup.players.example"), suggester=names, id="players")
            with Vertical(id="seating"):
                yield SeatRow(id="seats")
            yield Button(translator("setup.draw_first"), id="draw", compact=True)
            yield Label("", id="drawn", markup=False)
            with Horizontal(id="beside"):
                with Vertical(id="left"):
                    if self._camera is not None:
                        yield Label(translator("setup.camera"))
                        yield Input(self._camera, placeholder=translator("setup.camera.none"), id="camera")
                        yield Checkbox(
                            translator("setup.pictures"), self._plan.pictures, id="pictures", compact=True
                        )
                    yield Button(translator("setup.begin"), variant="primary", id="begin")
                if self._look_through is not None:
                    named = next(iter(self._plan.cameras), self._camera or "")
                    yield CameraPreview(self._look_through, named, translator)
            # Below the button, which must stand on the screen at 80x24.
            with Vertical(id="preferences"):
                yield from self._build_option_fields(preferences=True)
            yield Label(translator("setup.deck"))
            # The deck of an earlier evening may have been deleted since.
            decks = self._list_decks()
            there = {name for _, name in decks}
            deck = self._plan.deck if self._plan.deck in there else decks[0][1]
            yield Select(decks, value=deck, allow_blank=False, id="deck")
            yield Label(translator("setup.clock"))
            clock = "" if self._plan.clock is None else f"{self._plan.clock:g}"
            yield Input(clock, placeholder=translator("setup.clock.none"), id="clock")
            with Vertical(id="rulings"):
                yield from self._build_option_fields(preferences=False)
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Start at the names, because everything else has a value."""
        # The class declares its keys in English; here they get the players' language.
        self._bindings.key_to_bindings["escape"] = [
            Binding("escape", "leave", self.translator("key.short.back"))
        ]
        for key in ("ctrl+s", "f2"):
            self._bindings.key_to_bindings[key] = [
                Binding(key, "begin", self.translator("setup.begin"), show=key == "f2")
            ]
        self.query_one("#players", Input).focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Update seats and camera preview. Errors are cleared; they are checked again when the game
        is to begin."""
        if not event.input.is_attached:
            return  # the form was left meanwhile, and is taken down
        self.query_one("#wrong", Label).update("")
        if event.input.id == "camera":
            for preview in self.query(CameraPreview):
                preview.choose_camera(event.value.strip())
        if event.input.id == "players":
            names = parse_names(event.value)
            self.query_one(SeatRow).show_names(names)
            self.query_one("#seating").set_class(len(names) > 1, "two")
            # Who was drawn stays announced while the same people are named in any order.
            if sorted(names) != sorted(self._drawn):
                self._show_seat_hint(self.translator("setup.seats") if len(names) > 1 else "")

    def on_seat_row_moved(self, event: SeatRow.Moved) -> None:
        """Write the names in their new order; the one drawn to begin may not be the first any
        more."""
        self.query_one("#players", Input).value = ", ".join(event.names)
        self._show_seat_hint(self.translator("setup.seats"))

    async def on_select_changed(self, event: Select.Changed) -> None:
        """Offer the decks and options of the chosen game."""
        if not event.select.is_attached:
            return  # the form was left meanwhile, and is taken down
        self.query_one("#wrong", Label).update("")
        if event.select.id == "game" and isinstance(event.value, str) and event.value != self._game:
            self._game = event.value
            self.query_one("#deck", Select).set_options(self._list_decks())
            groups = [(self.query_one("#preferences"), True), (self.query_one("#rulings"), False)]
            # Removed before the others are mounted: an option of the same name has the same id.
            for group, _ in groups:
                await group.remove_children()
            for group, preferences in groups:
                await group.mount(*self._build_option_fields(preferences=preferences))

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Begin, or draw the first player."""
        if event.button.id == "draw":
            self.action_draw()
        else:
            self.action_begin()

    def action_draw(self) -> None:
        """Draw the first player: the names are rotated until that name comes first, so everybody
        keeps their neighbours."""
        names = parse_names(self.query_one("#players", Input).value)
        if not names:
            return
        # Not of the session's seed: there is no session yet.
        first = secrets.randbelow(len(names))
        self.query_one("#players", Input).value = ", ".join((*names[first:], *names[:first]))
        self._show_seat_hint(self.translator("setup.drawn", player=clean_text(names[first])), names)

    def _show_seat_hint(self, words: str, drawn_among: Sequence[str] = ()) -> None:
        """Show how to change seats, or who was `drawn_among` to begin among these names, while they
        stay the same people."""
        self._drawn = drawn_among
        self.query_one("#drawn", Label).update(words)

    def on_input_submitted(self) -> None:
        """Begin on Enter in a field, if everything is valid."""
        self.action_begin()

    def action_begin(self) -> None:
        """Return the plan, or show what is wrong with it and stay."""
        try:
            plan = self.build_plan()
            prepare_setup(plan)
        except CannotBegin as fault:
            words = Translator.for_game(self.translator.language, self._game).translate(
                _use_option_title(fault.text)
            )
            self.query_one("#wrong", Label).update(words)
            # The message is at the top of the form.
            self.query_one("#form").scroll_home(animate=False)
        else:
            self.exit(plan)

    def action_leave(self) -> None:
        """Leave without a plan."""
        self.exit(None)

    def build_plan(self) -> Plan:
        """Return the plan that the form describes; raises `CannotBegin` for an invalid clock."""
        typed = {one.id or "": one.value for one in self.query(Input)}
        deck = self.query_one("#deck", Select).value
        chosen = [(row, self._read_option(row)) for row in self._game_row.options]
        # A plan holds only what differs from the defaults.
        options = [
            (row.name, parse_option_value(value)) for row, value in chosen if value not in ("", row.usual)
        ]
        camera = typed.get("camera", "").strip()
        plan = self._plan.with_changes(
            game=self._game,
            players=parse_names(typed["players"]),
            deck=deck if isinstance(deck, str) else "",
            options=dict(options),
            clock=_parse_clock_seconds(typed["clock"].strip()),
        )
        if not camera:
            return plan
        # The box exists only in forms with a camera.
        pictures = any(box.value for box in self.query("#pictures").results(Checkbox))
        return plan.with_changes(cameras=(camera,), pictures=pictures)

    @property
    def _game_row(self) -> GameRow:
        return self._games[self._game]

    def _list_decks(self) -> list[tuple[Words, str]]:
        """List the decks. Titles are `rich` texts, because Textual would interpret brackets in
        plain strings, and can search by letters only in these."""
        return [(Words(title), name) for title, name in self._game_row.decks] or [
            (Words(self._game_row.title), "")
        ]

    def _read_option(self, row: OptionRow) -> str:
        """Return the chosen value; the default while the field of a newly chosen game is not drawn
        yet."""
        fields = self.query(f"#option-{row.name}")
        chosen = next((one.value for one in fields if isinstance(one, Select | Input)), None)
        return chosen.strip() if isinstance(chosen, str) else row.usual

    def _format_planned_value(self, row: OptionRow) -> str:
        """Return the plan's value of an option, as the form writes it; "" if the plan does not set
        it."""
        # The plan's options belong to the plan's game.
        planned = self._plan.options if self._game == (self._plan.game or USUAL_GAME) else {}
        # A group that plays on has said how it plays by its plan, the usual value included.
        if row.is_preference and not self._plan.players:
            planned = {**self._habits.get(self._game, {}), **planned}
        if row.name not in planned:
            return ""
        said = planned[row.name]
        known = (written for _, written in row.values if parse_option_value(written) == said)
        return next(known, msgspec.json.encode(said).decode())

    def _build_option_fields(self, *, preferences: bool) -> list[Widget]:
        drawn: list[Widget] = []
        for row in self._game_row.options:
            if row.is_preference != preferences:
                continue
            name = f"option-{row.name}"
            drawn.append(Label(row.about, markup=False))
            begun = self._format_planned_value(row)
            # The plan may have a value that the form does not list, given on the command line: it
            # is offered too.
            offered = {"", *(written for _, written in row.values)}
            known = row.values if begun in offered else (*row.values, (begun, begun))
            drawn.append(
                Select(known, value=begun or row.values[0][1], allow_blank=False, id=name)
                if len(row.values) > 1
                else Input(begun, placeholder=next((words for words, _ in row.values), row.usual), id=name)
            )
            drawn.append(Static(row.sheet, markup=False, classes="sheet-says"))
        return drawn


def _parse_clock_seconds(typed: str) -> float | None:
    """Parse the seconds of the clock; None for an empty field. Raises `CannotBegin`."""
    if not typed:
        return None
    try:
        seconds = float(typed)
    except ValueError:
        seconds = 0
    if not 0 < seconds <= LONGEST:
        raise CannotBegin(Text("play.bad_clock", {"given": typed, "most": LONGEST}))
    return seconds


def _use_option_title(fault: Text) -> Text:
    """Replace the name of an option, which programs use, by its title in the form."""
    if fault.code != "refusal.bad_option":
        return fault
    return msgspec.structs.replace(
        fault, args={**fault.args, "option": Text(f"option.{fault.args['option']}")}
    )
