"""Screen for enrolling a deck: the next card in large letters, the live picture, and the result of
the last card."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Footer, Label, Static

from companion.enrolment.enroller import Controls
from companion.enrolment.look import Picture, Progress
from companion.enrolment.photos import CORNER, beside
from companion.enrolment.spread import Names
from companion.rules.contract import Text
from companion.table.sightings import Health
from companion.texts import Translator
from companion.views.bigtext import fitting
from companion.views.conversations import Conversation
from companion.views.dashboard.screens.conversation import ConversationScreen
from companion.views.dashboard.screens.sheet import ChoiceScreen, Sheet
from companion.views.dashboard.themed import ThemedApp
from companion.views.dashboard.widgets.part import right, wrapped
from companion.views.dashboard.widgets.preview import LabelsOf, Preview, PreviewOf
from companion.views.enrolling import naming
from companion.views.themes import THEMES

_LOOK = 0.12
"""Seconds between two looks at picture and progress."""
_FLASH = 0.6
"""Seconds for which the screen shows that a card was enrolled."""
_TALL = 30
"""Rows from which the letters may be five rows high."""


class Enrol(ThemedApp[None]):
    """Screen of an enrolment, which passes keys on to it. Leaving it loses nothing: each card was
    saved when it was enrolled.

    `picture_of`: the picture with outlines; `labels_of`: the numbers over it. `health`: the state
    of the camera, None before it has reported one.
    """

    CSS_PATH = "dashboard.tcss"
    CSS = """
    Screen { layout: vertical; }
    #top { height: 1; padding: 0 1; background: $primary; color: $background; text-style: bold; }
    #call { height: auto; padding: 0 1; background: $surface; color: $primary; }
    #middle { height: 1fr; }
    Preview { width: 1fr; height: 1fr; margin: 0 1; }
    #side { width: 36%; max-width: 46; height: 1fr; padding: 0 1; background: $surface; scrollbar-size-vertical: 1; }
    #note { height: auto; min-height: 1; max-height: 3; padding: 0 1; }
    #note.trouble { background: $warning; color: $background; text-style: bold; }
    #note.flash, #call.flash { background: $success; color: $background; text-style: bold; }
    """
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self,
        controls: Controls,
        picture_of: PreviewOf,
        labels_of: LabelsOf,
        health: Callable[[], Health | None],
        say: Translator,
        theme: str = THEMES[0].name,
    ) -> None:
        super().__init__(say, theme)
        self._controls = controls
        self._enroller = controls.enroller
        self._picture_of = picture_of
        self._labels_of = labels_of
        self._health = health
        self._shown: tuple[Progress, Health | None] | None = None
        self._captures = controls.enroller.progress.captures
        self._tested = False
        self._alike: Picture | None = None
        self._laid = 0
        for keys, action, word in (
            ("n", "do('skip')", "next"),
            ("b", "do('back')", "back"),
            ("space,enter", "do('now')", "now"),
            ("s", "do('sheet')", "sheet"),
            ("p", "pack", "pack"),
            ("g", "go_to", "go_to"),
            ("c", "do('count')", "count"),
            ("t", "test", "test"),
            ("q,escape", "leave", "leave"),
        ):
            self.bind(keys, action, description=say(f"enrol.key.{word}"))

    def compose(self) -> ComposeResult:
        """Lay out title, wanted card, picture, list, note and keys."""
        yield Static(id="top", markup=False)
        yield Static(id="call")
        with Horizontal(id="middle"):
            yield Preview(self._picture_of, self._labels_of, id="preview")
            with VerticalScroll(id="side", can_focus=False):
                yield Static(id="list")
        yield Static(id="note", markup=False)
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Start the live picture."""
        self.set_interval(_LOOK, self._look)
        self._look()

    def on_resize(self) -> None:
        """Redraw at the new size."""
        self._shown = None

    def action_do(self, name: str) -> None:
        """Run the deed of a key in a thread, because the enrolment may be busy with a picture."""
        self.run_worker(self._controls.deeds[name], thread=True, group="keys", exit_on_error=False)

    def action_go_to(self) -> None:
        """Ask which card comes next."""
        names = self._enroller.names
        labels = [self.say.say(self._enroller.album.words(name)) for name in names]

        def chosen(number: int | None) -> None:
            if number is not None:
                self._controls.go_to(names[number])

        self.push_screen(ChoiceScreen(self.say("enrol.choose"), labels), chosen)

    def action_pack(self) -> None:
        """Start to enrol a pack in any order, or name the cards that were laid out so far."""
        self.run_worker(self._pack, thread=True, group="keys", exit_on_error=False)

    def _pack(self) -> None:
        if self._enroller.pack():
            self.call_from_thread(self._name_pack)

    def _name_pack(self) -> None:
        """Ask for the names of the cards laid out."""

        def show(names: Names, which: Sequence[int]) -> Iterator[Text]:
            shots = self._enroller.spread.shots
            # Look-alikes are compared by the corner, which has the index of a playing card.
            self._alike = beside([shots[at] for at in which], part=CORNER) if which else None
            return iter(())

        talk = Conversation(lambda: naming(self._enroller, self.say, show))
        self.push_screen(ConversationScreen(talk, self.say, beside=lambda: self._alike))

    def action_test(self) -> None:
        """Check the views, and show the result."""
        self._tested = True
        self.notify(self.say("enrol.testing"), timeout=4)
        self.run_worker(self._tell, thread=True, group="test", exclusive=True, exit_on_error=False)

    def action_leave(self) -> None:
        """Leave; enrolled cards are saved already."""
        self.exit()

    def _tell(self) -> None:
        lines = [self.say.say(text) for text in self._controls.test()]
        self.call_from_thread(self.push_screen, Advice(self.say("enrol.test.title"), lines))

    def _look(self) -> None:
        """Show the newest picture and progress."""
        # A sheet covers the picture, and no card is laid meanwhile.
        if self.taken_down or isinstance(self.screen, Sheet):
            return
        previews = self.query(Preview)
        if not previews:  # the screen is being taken down
            return
        previews.first().look()
        shown = (self._enroller.progress, self._health())
        # A still table is drawn once.
        if shown == self._shown:
            return
        if shown[0].captures > self._captures:
            self._captures = shown[0].captures
            self._flash()
        self._shown = shown
        self._draw(*shown)
        fresh, self._laid = shown[0].laid > self._laid, shown[0].laid
        if fresh and self._enroller.spread.full:
            self._name_pack()
            return
        # All cards are enrolled: the check runs by itself, once.
        if shown[0].wanted is None and not self._tested:
            self.action_test()

    def _flash(self) -> None:
        """Show, and ring the terminal's bell, that a card was enrolled and the next can be laid."""
        self.bell()
        parts = [self.query_one(name) for name in ("#note", "#call")]
        for part in parts:
            part.add_class("flash")
        self.set_timer(_FLASH, lambda: [part.remove_class("flash") for part in parts])

    def _draw(self, progress: Progress, health: Health | None) -> None:
        say, width = self.say, self.size.width - 2
        title = Content(say("enrol.title", deck=self._enroller.album.deck.name))
        count = say("enrol.progress", done=progress.done, total=progress.total)
        self.query_one("#top", Static).update(
            right(title, Content(f"{_bar(progress, width // 4)} {count}"), width)
        )
        self.query_one("#call", Static).update(self._call(progress, width))
        self.query_one("#list", Static).update(self._list(progress, health))
        note = self.query_one("#note", Static)
        blind = health is not None and health.state == "lost"
        note.set_class(progress.trouble or blind, "trouble")
        # without a picture nothing else can be done, so this comes first
        said = health.text if health is not None and blind else progress.note or progress.hint
        note.update(("! " if progress.trouble or blind else "") + say.say(said) if said is not None else "")

    def _call(self, progress: Progress, width: int) -> Content:
        """Draw the name of the next card as large as there is room."""
        say = self.say
        if progress.mode == "pack":
            lead, words = (
                say("enrol.pack.call"),
                say("enrol.progress", done=progress.laid, total=self._enroller.spread.total),
            )
        elif progress.wanted is None:
            lead, words = "", say("enrol.all_there")
        else:
            words = say.say(progress.wanted)
            lead = say("enrol.lay" if progress.mode == "one" else "enrol.lay_from", card=words)
        large = fitting(words, width, (5, 3) if self.size.height >= _TALL else (3,))
        if len(large) == 1:
            return Content.styled(lead or words, "bold")
        return Content("\n").join([*([Content(lead)] if lead else []), *map(Content, large)])

    def _list(self, progress: Progress, health: Health | None) -> Content:
        """List how many copies and views there are and, on a sheet, which number is which card."""
        say = self.say
        # Before the first layout the width is 0.
        width = max(self.query_one("#side").content_size.width - 1, 10)
        lines: list[Content] = []
        if progress.mode == "sheet" and progress.sheet:
            rows = max(self.query_one("#side").content_size.height, 1)
            lines += _columns([say.say(card) for card in progress.sheet], rows, width)
        else:
            pack = progress.mode == "pack"
            how = progress.mode if pack or progress.wanted is not None else "done"
            lines += wrapped(say(f"enrol.{how}.how"), width)
            if progress.wanted is not None and not pack:
                seen, copies = progress.seen
                lines += [Content(""), Content(say("enrol.views", views=progress.views))]
                lines += [Content(say("enrol.copies", seen=seen, copies=copies))] if copies > 1 else []
        if health is not None:
            lines += [Content(""), *wrapped(say.say(health.text), width)]
        if progress.hint is not None and progress.note is not None:
            lines += [Content(""), *wrapped(say.say(progress.hint), width, "bold")]
        return Content("\n").join(lines)


class Advice(Sheet[None]):
    """Sheet with the result of the check of the views, line by line."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter,space,q,t", "dismiss_advice", "Back")]

    def __init__(self, title: str, lines: Sequence[str]) -> None:
        super().__init__()
        self._title = title
        self._lines = lines

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        with VerticalScroll(id="sheet"):
            yield Label(Content.styled(self._title, "bold"), id="sheet-title")
            for line in self._lines:
                yield Static(Content(f"• {line}"))

    def action_dismiss_advice(self) -> None:
        """Go back to the cards."""
        self.dismiss(None)


def _columns(names: Sequence[str], rows: int, width: int) -> list[Content]:
    """Write numbered names into `rows` lines of columns, each name cut to its column."""
    columns = -(-len(names) // rows)
    room = max(width // columns, 6)
    cells = [
        Content(f"{number:2d}  {name}").truncate(room - 1, ellipsis=True, pad=True)
        for number, name in enumerate(names, 1)
    ]
    return [Content(" ").join(cells[row::rows]) for row in range(min(rows, len(cells)))]


def _bar(progress: Progress, width: int) -> str:
    full = round(width * progress.done / max(progress.total, 1))
    return "█" * full + "░" * (width - full)
