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

from companion.decks.collection import describe_deck_name
from companion.enrolment.card_pictures import CORNER, draw_side_by_side
from companion.enrolment.card_spread import Names
from companion.enrolment.enroller import EnrolmentControls
from companion.enrolment.picture_analysis import Picture, Progress
from companion.rules.contract import Text
from companion.table.sightings import Health
from companion.texts import Translator
from companion.views.block_letters import fit_block_letters
from companion.views.conversations import Conversation
from companion.views.dashboard.screens.conversation import ConversationScreen
from companion.views.dashboard.screens.dialog import ChoiceScreen, Dialog
from companion.views.dashboard.themed_app import ThemedApp
from companion.views.dashboard.widgets.camera_preview import LabelsSource, PictureSource, Preview
from companion.views.dashboard.widgets.screen_part import align_right, wrap_text
from companion.views.enrolment_views import prompt_for_card_names
from companion.views.themes import THEMES

_POLL_SECONDS = 0.12
"""Seconds between two looks at picture and progress."""
_FLASH_SECONDS = 0.6
"""Seconds for which the screen shows that a card was enrolled."""
_TALL = 30
"""Rows from which the letters may be five rows high."""


class EnrolmentApp(ThemedApp[None]):
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
        controls: EnrolmentControls,
        picture_of: PictureSource,
        labels_of: LabelsSource,
        health: Callable[[], Health | None],
        translator: Translator,
        theme: str = THEMES[0].name,
    ) -> None:
        super().__init__(translator, theme)
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
            # As on the table's row of keys: the word would push others off a narrow screen.
            sign = "␣" if keys.startswith("space") else None
            self.bind(keys, action, description=translator(f"enrol.key.{word}"), key_display=sign)

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
        self.set_interval(_POLL_SECONDS, self._poll_enrolment)

    def on_resize(self) -> None:
        """Redraw once the parts have their new size."""
        self._shown = None
        self.call_after_refresh(self._poll_enrolment)

    def action_do(self, name: str) -> None:
        """Run the deed of a key in a thread, because the enrolment may be busy with a picture."""
        self.run_worker(self._controls.actions[name], thread=True, group="keys", exit_on_error=False)

    def action_go_to(self) -> None:
        """Ask which card comes next."""
        names = self._enroller.design_names
        labels = [self.translator.translate(self._enroller.album.describe_design(name)) for name in names]

        def go_to_chosen(number: int | None) -> None:
            if number is not None:
                self._controls.jump_to(names[number])

        self.push_screen(ChoiceScreen(self.translator("enrol.choose"), labels), go_to_chosen)

    def action_pack(self) -> None:
        """Start to enrol a pack in any order, or name the cards that were laid out so far."""
        self.run_worker(self._start_pack, thread=True, group="keys", exit_on_error=False)

    def _start_pack(self) -> None:
        if self._enroller.start_or_finish_pack():
            self.call_from_thread(self._open_pack_naming)

    def _open_pack_naming(self) -> None:
        """Ask for the names of the cards laid out."""
        spread = self._enroller.spread

        def show_cards(names: Names, which: Sequence[int]) -> Iterator[Text]:
            shots = spread.shots
            # Look-alikes are compared by the corner, which has the index of a playing card.
            self._alike = (
                draw_side_by_side([shots[at] for at in which], corner_share=CORNER) if which else None
            )
            return iter(())

        talk = Conversation(
            lambda: prompt_for_card_names(self._enroller, spread, self.translator, show_cards)
        )
        self.push_screen(ConversationScreen(talk, self.translator, picture_of=lambda: self._alike))

    def action_test(self) -> None:
        """Check the views, and show the result."""
        self._tested = True
        self.notify(self.translator("enrol.testing"), timeout=4)
        self.run_worker(self._show_test_results, thread=True, exclusive=True, exit_on_error=False)

    def action_leave(self) -> None:
        """Leave; enrolled cards are saved already."""
        self.exit()

    def _show_test_results(self) -> None:
        lines = [self.translator.translate(text) for text in self._controls.check_views()]
        self.call_from_thread(self.push_screen, AdviceDialog(self.translator("enrol.test.title"), lines))

    def _poll_enrolment(self) -> None:
        """Show the newest picture and progress."""
        # A sheet covers the picture, and no card is laid meanwhile.
        if self.is_taken_down or isinstance(self.screen, Dialog):
            return
        previews = self.query(Preview)
        if not previews:  # the screen is being taken down
            return
        previews.first().update_picture()
        shown = (self._enroller.progress, self._health())
        # A still table is drawn once.
        if shown == self._shown:
            return
        if shown[0].captures > self._captures:
            self._captures = shown[0].captures
            self._flash_capture()
        self._shown = shown
        self._draw_progress(*shown)
        fresh, self._laid = shown[0].laid > self._laid, shown[0].laid
        if fresh and self._enroller.spread.is_complete:
            self._open_pack_naming()
            return
        # All cards are enrolled: the check runs by itself, once.
        if shown[0].wanted is None and not self._tested:
            self.action_test()

    def _flash_capture(self) -> None:
        """Show, and ring the terminal's bell, that a card was enrolled and the next can be laid."""
        self.bell()
        parts = [self.query_one(name) for name in ("#note", "#call")]
        for part in parts:
            part.add_class("flash")
        self.set_timer(_FLASH_SECONDS, lambda: [part.remove_class("flash") for part in parts])

    def _draw_progress(self, progress: Progress, health: Health | None) -> None:
        translator, width = self.translator, self.size.width - 2
        title = Content(translator("enrol.title", deck=describe_deck_name(self._enroller.album.deck)))
        count = translator("enrol.progress", done=progress.done, total=progress.total)
        self.query_one("#top", Static).update(
            align_right(title, Content(f"{_format_progress_bar(progress, width // 4)} {count}"), width)
        )
        self.query_one("#call", Static).update(self._draw_wanted_card(progress, width))
        self.query_one("#list", Static).update(self._draw_details(progress, health))
        note = self.query_one("#note", Static)
        blind = health is not None and health.state == "lost"
        note.set_class(progress.trouble or blind, "trouble")
        # without a picture nothing else can be done, so this comes first
        said = health.text if health is not None and blind else progress.note or progress.hint
        note.update(
            ("! " if progress.trouble or blind else "") + translator.translate(said)
            if said is not None
            else ""
        )

    def _draw_wanted_card(self, progress: Progress, width: int) -> Content:
        """Draw the name of the next card as large as there is room."""
        translator = self.translator
        if progress.mode == "pack":
            lead, words = (
                translator("enrol.pack.call"),
                translator("enrol.progress", done=progress.laid, total=self._enroller.spread.pack_size),
            )
        elif progress.wanted is None:
            lead, words = "", translator("enrol.all_there")
        else:
            words = translator.translate(progress.wanted)
            lead = translator("enrol.lay" if progress.mode == "one" else "enrol.lay_from", card=words)
        large = fit_block_letters(words, width, (5, 3) if self.size.height >= _TALL else (3,))
        if len(large) == 1:
            return Content.styled(lead or words, "bold")
        return Content("\n").join([*([Content(lead)] if lead else []), *map(Content, large)])

    def _draw_details(self, progress: Progress, health: Health | None) -> Content:
        """List how many copies and views there are and, on a sheet, which number is which card."""
        translator = self.translator
        # Before the first layout the width is 0.
        width = max(self.query_one("#side").content_size.width - 1, 10)
        lines: list[Content] = []
        if progress.mode == "sheet" and progress.sheet:
            rows = max(self.query_one("#side").content_size.height, 1)
            lines += _format_columns([translator.translate(card) for card in progress.sheet], rows, width)
        else:
            pack = progress.mode == "pack"
            how = progress.mode if pack or progress.wanted is not None else "done"
            lines += wrap_text(translator(f"enrol.{how}.how"), width)
            if progress.wanted is not None and not pack:
                seen, copies = progress.seen
                lines += [Content(""), Content(translator("enrol.views", views=progress.views))]
                lines += [Content(translator("enrol.copies", seen=seen, copies=copies))] if copies > 1 else []
        if health is not None:
            lines += [Content(""), *wrap_text(translator.translate(health.text), width)]
        if progress.hint is not None and progress.note is not None:
            lines += [Content(""), *wrap_text(translator.translate(progress.hint), width, "bold")]
        return Content("\n").join(lines)


class AdviceDialog(Dialog[None]):
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


def _format_columns(names: Sequence[str], rows: int, width: int) -> list[Content]:
    """Write numbered names into `rows` lines of columns, each name cut to its column."""
    columns = -(-len(names) // rows)
    room = max(width // columns, 6)
    cells = [
        Content(f"{number:2d}  {name}").truncate(room - 1, ellipsis=True, pad=True)
        for number, name in enumerate(names, 1)
    ]
    return [Content(" ").join(cells[row::rows]) for row in range(min(rows, len(cells)))]


def _format_progress_bar(progress: Progress, width: int) -> str:
    full = round(width * progress.done / max(progress.total, 1))
    return "█" * full + "░" * (width - full)
