"""The main screen, where everything keeps its place all evening.

At the top are game, round, clock, the state of the readers, and whether the journal is saved; then
the stage and the seats. Beside them are the reasons (the last refusal, cards to move, the last
result) and the table of rounds; at the bottom the keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Footer, OptionList
from textual.widgets._footer import FooterKey

from companion.live.snapshot import ClockFace, RoundRow, Snapshot, list_scored_rounds
from companion.rules import registry
from companion.rules.contract import Reason, Text
from companion.texts import Translator, clean_text, format_gain, format_score
from companion.views.block_letters import draw_block_letters
from companion.views.conversations import describe_refusal
from companion.views.dashboard.widgets.banner import select_notice
from companion.views.dashboard.widgets.camera_preview import (
    CameraReadings,
    EnlargedCardSource,
    LabelsSource,
    PictureSource,
    Preview,
)
from companion.views.dashboard.widgets.entry_panel import EntryPanel
from companion.views.dashboard.widgets.screen_part import (
    ScreenPart,
    ScreenState,
    align_right,
    cut_lines,
    wrap_text,
)
from companion.views.dashboard.widgets.seats import Seats
from companion.views.dashboard.widgets.stage import Stage
from companion.views.moments import RevealMoment
from companion.views.places import format_card, format_moves, format_reader
from companion.views.themes import mark_for_seat

_PICTURE_SECONDS = 0.2
"""Seconds between two previews."""


class KeysRow(Footer):
    """A footer that is redrawn only when other keys are offered, and shows only keys that are
    useful now."""

    class Drawn(Message):
        """Message: the keys are drawn, which come last when a screen opens."""

    _offered: object = None
    """The keys that were offered when the row was last drawn."""
    _width: int
    """The columns for which it was drawn."""

    def bindings_changed(self, screen: Screen[object]) -> None:
        """Redraw the keys if they have changed: Textual calls this five times before the first
        screen alone."""
        if not self._can_redraw(screen):
            return
        offered = [
            (key, one.binding.description, one.binding.key_display, one.enabled)
            for key, one in screen.active_bindings.items()
            if one.binding.show
        ]
        if offered != self._offered:
            self._offered = offered
            super().bindings_changed(screen)

    def _can_redraw(self, screen: Screen[object]) -> bool:
        """Return whether Textual's footer draws now: not while another window has the focus, nor
        under another screen."""
        return screen.app.app_focus and self.is_attached and screen is self.screen

    def compose(self) -> ComposeResult:
        """Show the keys that fit completely; the others are in the list of keys, whose own key
        always has room, as has the key to join."""
        self._width = room = self.app.size.width
        keys = list(super().compose())
        room -= sum(_measure_key(key) for key in keys if _is_permanent_key(key))
        for key in keys:
            if _is_permanent_key(key) or (room := room - _measure_key(key)) >= 0:
                # its binding sets this class a moment later, which then changes nothing and
                # restyles nothing
                yield key.add_class("-compact", update=False)

    def on_resize(self) -> None:
        """Show the keys that fit now."""
        if self.app.size.width != self._width:
            self.refresh(recompose=True)

    async def recompose(self) -> None:
        """Redraw the keys and release the old widgets.

        Textual (8.x) removes a value's watchers when that value is set, and the footer's never is:
        14 widgets were kept each time, 350 a minute in the demo at speed 4.
        """
        await super().recompose()
        self.mutate_reactive(Footer.compact)
        self.post_message(self.Drawn())


def _is_permanent_key(key: Widget) -> bool:
    return isinstance(key, FooterKey) and key.action in ("help", "leave", "quit", "join")


def _measure_key(key: Widget) -> int:
    """Return the width of a key in the compact row: its label, a blank, its word, a blank."""
    if not isinstance(key, FooterKey):
        return 0
    return Content(key.key_display).cell_length + Content(key.description).cell_length + 2


class TableMessages(ScreenPart):
    """Messages about the table, the most urgent first: what must be put right on it, then a
    refusal, then the last act and the last result."""

    def draw_lines(self, screen_state: ScreenState, width: int, height: int) -> list[Content]:
        """Draw as many lines as there is room for."""
        snapshot, _, translator, *_ = screen_state
        drawn = [
            *(
                wrap_text(f"⚠ {translator.translate(text)}", width, "bold $warning")
                for text in list_warnings(snapshot)
            ),
            *self._draw_moves(snapshot, translator, width),
            *self._draw_refusal(screen_state, width),
            *self._draw_odds(snapshot, translator, width),
            *self._draw_report(snapshot, translator, width, screen_state.moment),
        ]
        # The score sheet (`e`) does not list moves; `m` does.
        return cut_lines(drawn, height, translator, "m" if snapshot.moves else "e")

    def has_lines(self, screen_state: ScreenState) -> bool:
        """Return whether there is anything to tell here."""
        return bool(self.draw_lines(screen_state, 80, 1))

    def _draw_moves(self, snapshot: Snapshot, translator: Translator, width: int) -> list[list[Content]]:
        if not snapshot.moves:
            return []
        moves = format_moves(snapshot.moves, translator, snapshot.people.seats)
        title = wrap_text(translator("moves.title"), width, "bold $warning")
        return [title, *(wrap_text(f"  → {move}", width) for move in moves)]

    def _draw_refusal(self, screen_state: ScreenState, width: int) -> list[list[Content]]:
        refusal = screen_state.snapshot.refusal
        # The stage shows it in large letters, unless something is more urgent.
        if refusal is None or select_notice(screen_state).kind == "bad":
            return []
        return [wrap_text(f"✘ {describe_refusal(refusal, screen_state.translator)}", width, "bold $error")]

    def _draw_odds(self, snapshot: Snapshot, translator: Translator, width: int) -> list[list[Content]]:
        if snapshot.odds is None:
            return []
        return [wrap_text(f"% {translator.translate(snapshot.odds.text)}", width, "$secondary")]

    def _draw_report(
        self, snapshot: Snapshot, translator: Translator, width: int, moment: RevealMoment | None
    ) -> list[list[Content]]:
        # The winner is celebrated, not explained.
        if snapshot.view["result"] is not None and moment is None:
            return []
        # During a moment the stage says what happened, and whose points it changed.
        last = [] if snapshot.last is None or moment is not None else [snapshot.last]
        act = [translator.translate(text) for text in last]
        reasons = [
            translator.translate(reason.text)
            for reason in _sort_report(snapshot.report)
            if moment is None or reason.text.code not in moment.told
        ]
        fresh = [words for words in reasons if not any(words in told for told in act)]
        is_earlier = fresh == reasons and not snapshot.resolved and any(one.stands for one in snapshot.log)
        # Below a later act, the result would read as if that act had led to it. Where no act stands
        # any more, these are the steps that prepare the game.
        if act and fresh and is_earlier:
            fresh[0] = translator("reasons.before", what=fresh[0])
        # Points stand beside the players, clauses in the score sheet (`e`).
        return [
            *(wrap_text(f"• {words}", width, "$secondary") for words in act),
            *(wrap_text(words, width) for words in fresh),
        ]


def list_warnings(snapshot: Snapshot) -> list[Text]:
    """List messages for the players besides the game."""
    besides = (snapshot.keeping, snapshot.notice)
    return [*snapshot.warnings, *(text for text in besides if text is not None)]


def _sort_report(report: Sequence[Reason]) -> list[Reason]:
    """Put the result first, and players who gain nothing by it last."""
    return [*report[:1], *sorted(report[1:], key=lambda reason: not reason.points)]


_NO_GAIN = "·"
"""What stands for a round without points."""
_STORY = 6
"""Rows that the story keeps beside points in block figures."""
_LEAST_TOLD = 4
"""Least rows for the story, with its title and a blank line above; fewer would say nothing."""


class Rounds(ScreenPart):
    """Table of rounds: one column for each round, the newest on the right, as many as fit, in block
    figures where there is room. Below it, the story, the newest act last."""

    def draw_lines(self, screen_state: ScreenState, width: int, height: int) -> list[Content]:
        """Draw the table, once a round has changed points; then the story."""
        rounds = [row for row in list_scored_rounds(screen_state.snapshot.rounds) if row.label is not None]
        # Ascend and Partners list the hand that is being played: rows of noughts would take the
        # story's room.
        brought = any(won != "0" for row in rounds for won in row.won.values())
        drawn = _draw_rounds(rounds, screen_state, width, height) if brought and height >= 3 else []
        gap = [Content("")] if drawn else []
        return [*drawn, *_draw_story(screen_state, width, height - len(drawn) - len(gap), gap)]


def _draw_story(screen_state: ScreenState, width: int, height: int, gap: list[Content]) -> list[Content]:
    """List the acts before the last one, which is shown elsewhere, as many as fit."""
    lines: list[Content] = []
    # From the newest back, until the room is full.
    for line in reversed(screen_state.snapshot.log[:-1] if height >= _LEAST_TOLD else ()):
        told = (
            wrap_text(screen_state.translator.translate(line.text), width, "$foreground-muted")
            if line.stands
            else []
        )
        if len(lines) + len(told) > height - 1:
            break
        lines[:0] = told
    return (
        [*gap, Content.styled(screen_state.translator("page.story"), "bold $primary"), *lines]
        if lines
        else []
    )


def _draw_rounds(
    rounds: Sequence[RoundRow], screen_state: ScreenState, width: int, height: int
) -> list[Content]:
    seats, say = screen_state.snapshot.people.seats, screen_state.translator
    totals = {row["name"]: format_score(row["points"]) for row in screen_state.snapshot.view["players"]}
    title = Content.styled(say("rounds.title"), "bold $primary")
    figures = [*(format_gain(won, _NO_GAIN) for row in rounds for won in row.won.values()), *totals.values()]
    large = max(len(draw_block_letters(words)[0]) for words in figures) + 3
    if large * (len(rounds) + 1) + 4 <= width and 4 * len(seats) + 3 + _STORY <= height:
        return [title, *_draw_large_rounds(rounds, totals, screen_state, large)]
    wide = max(4, *(len(won) + 2 for row in rounds for won in row.won.values()))
    wide = max(wide, min((width - 12) // max(len(rounds), 8), 9))
    # Where not all fit, the newest are shown.
    kept = rounds[-max((width - 12) // wide, 1) :]
    # A blank line between players where all of them still fit.
    gap = 2 if height >= 2 * len(seats) + 2 else 1
    drawn = [title, _draw_round_labels(kept, wide)]
    ahead, words = _find_leaders(screen_state), f" ◂ {say('rounds.leads')}"
    sign = words if 4 + wide * len(kept) + 8 + len(words) <= width else " ◂"
    for seat, player in enumerate(seats, 1):
        shape, style = mark_for_seat(seat)
        lead = sign if player in ahead else ""
        cells = (_format_cell(row.won[player], wide) for row in kept)
        drawn.append(
            Content.assemble(
                (f" {shape}  ", f"bold {style}"),
                *cells,
                ("  =" + totals[player].rjust(5), "bold"),
                (lead, "bold $primary"),
            )
        )
        drawn += [Content("")] * (gap - 1)
    return drawn[:height]


def _draw_round_labels(rounds: Sequence[RoundRow], wide: int) -> Content:
    return Content.assemble(" " * 4, *((f"{row.label:>{wide}}", "$foreground-muted") for row in rounds))


def _draw_large_rounds(
    rounds: Sequence[RoundRow], totals: Mapping[str, str], screen_state: ScreenState, wide: int
) -> Iterator[Content]:
    """Draw the rounds, and each player's total in their colour, in block figures."""
    yield _draw_round_labels(rounds, wide)
    ahead, blank = _find_leaders(screen_state), ("", "", "")
    for seat, player in enumerate(screen_state.snapshot.people.seats, 1):
        shape, style = mark_for_seat(seat)
        won = [format_gain(row.won[player], _NO_GAIN) for row in rounds]
        cells = [(draw_block_letters(words) if words != "·" else blank, "bold") for words in won]
        cells.append((draw_block_letters(totals[player]), f"bold {style}"))
        for row in range(3):
            sign = f" {shape} {'◂' if player in ahead else ' '}" if row == 1 else " " * 4
            rest = [(letters[row].rjust(wide), how) for letters, how in cells]
            yield Content.assemble((sign.ljust(4), f"bold {style}"), *rest)
        yield Content("")


def _find_leaders(screen_state: ScreenState) -> set[str]:
    """Return the players in the lead; nobody while all have the same points, or after the end of
    the game."""
    # The winner is called on the stage; a sign here would say it twice.
    if screen_state.snapshot.view["result"] is not None:
        return set()
    scores = [(row["name"], (Fraction(row["points"]),)) for row in screen_state.snapshot.view["players"]]
    leaders = registry.load_game(screen_state.snapshot.setup.game).rank_scores(scores)["winners"]
    return set(leaders) if len(leaders) < len(scores) else set()


def _format_cell(won: str, wide: int) -> tuple[str, str]:
    """Draw what was won in one round."""
    return format_gain(won, _NO_GAIN).rjust(wide), "$foreground-muted" if won == "0" else "bold"


_HEALTH = {
    "ok": ("●", "$success"),
    "starting": ("◌", "$warning"),
    "lost": ("✖", "$error"),
    "look": ("◐", "$warning"),
    "off": ("○", "$foreground-muted"),
}
_FOLLOWER = {
    "ok": (" ●", "$success"),
    "waiting": ("", "$warning"),
    "away": (" ○", "$foreground-muted"),
    "fault": (" ✖", "$error"),
}
_LONGEST_LABEL = 24
"""Characters of a follower's label: the top line has little room at 80 columns."""


class TopBar(ScreenPart):
    """Top line of the screen; what matters most is on the left and is kept at 80 columns."""

    def draw_lines(self, screen_state: ScreenState, width: int, height: int) -> list[Content]:
        """Draw the line."""
        snapshot, face, translator, *_ = screen_state
        left = [Content.styled(f" {translator('game.title')} ", "bold reverse $primary"), Content("  ")]
        if screen_state.demo:
            left.append(Content.styled(f" {translator('demo.label')} ", "bold reverse $accent"))
            left.append(Content("  "))
        if face.progress:
            now, of = face.progress
            left.append(Content.styled(f"{face.progress_label} ", "bold"))
            if width >= 100:
                left.append(Content.styled("●" * max(now - 1, 0) + "◉", "$primary"))
                left.append(Content.styled("○" * max(of - now, 0) + "  ", "$foreground-muted"))
        elif face.progress_label:
            left.append(Content.styled(face.progress_label, "bold"))
        ends = [
            *self._draw_health(screen_state, width),
            *self._draw_followers(screen_state, width),
            *self._draw_saving(screen_state, width),
        ]
        if snapshot.clock is not None:
            ends.insert(0, draw_clock(snapshot.clock, translator))
        return [align_right(Content.assemble(*left), Content("  ").join(ends), width)]

    def _draw_health(self, screen_state: ScreenState, width: int) -> list[Content]:
        marks = []
        for health in screen_state.snapshot.health:
            sign, style = _HEALTH[health.state]
            name = format_reader(health.reader, screen_state.translator, short=width < 100)
            state = (
                ""
                if health.state == "ok" or width < 100
                else " " + screen_state.translator(f"health.{health.state}")
            )
            left = "" if health.battery is None else f" {health.battery.level} %"
            marks.append(
                Content.styled(
                    f"{sign} {name}{state}{left}",
                    "$warning" if health.needs_attention and health.state == "ok" else style,
                )
            )
        return marks

    def _draw_followers(self, screen_state: ScreenState, width: int) -> list[Content]:
        marks = []
        for status in screen_state.snapshot.followers:
            if status.state == "ok" and width < 100:  # only bad news needs the room
                continue
            sign, style = _FOLLOWER[status.state]
            label = clean_text(screen_state.translator.translate(status.label), _LONGEST_LABEL)
            marks.append(Content.styled(f"{label}{sign}", style))
        return marks

    def _draw_saving(self, screen_state: ScreenState, width: int) -> list[Content]:
        if screen_state.snapshot.keeping is None:
            if screen_state.pictures:  # whose hands are about should know at any width
                return [Content.styled(f"◉ {screen_state.translator('pictures.kept')} ", "$warning")]
            if width < 100:  # only bad news needs the room
                return []
            return [Content.styled(f"● {screen_state.translator('journal.kept')} ", "$success")]
        return [Content.styled(f"✖ {screen_state.translator('journal.not_kept')} ", "$error")]


def draw_clock(clock: ClockFace, translator: Translator) -> Content:
    """Draw the clock: the time left, or that it is paused."""
    if clock.paused:
        return Content.styled(f"‖ {translator('clock.paused')}", "bold $warning")
    if clock.left is None:
        return Content("")
    style = {"none": "bold", "soon": "bold $warning", "up": "bold reverse $error"}[clock.warning]
    # Rounded up: 0:00 appears only when time is up.
    minutes, seconds = divmod(max(int(clock.left + 0.999), 0), 60)
    sign = {"none": "◷", "soon": "◷ !", "up": "◷ !!"}[clock.warning]
    return Content.styled(f"{sign} {minutes}:{seconds:02d}", style)


class TableScreen(Screen[None]):
    """The main screen: top bar, stage, seats, with board, rounds, picture or the entry panel beside
    them, reasons, keys."""

    AUTO_FOCUS = ""
    HORIZONTAL_BREAKPOINTS = [
        (0, "-narrow"),
        (100, "-normal"),
        (160, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [
        (0, "-tiny"),
        (16, "-short"),
        (24, "-usual"),
        (32, "-tall"),
        (52, "-high"),
    ]

    def __init__(
        self,
        picture_of: PictureSource | None,
        labels_of: LabelsSource,
        enlarged_of: EnlargedCardSource,
        translator: Translator,
    ) -> None:
        super().__init__()
        self._picture_of = picture_of
        self._labels_of = labels_of
        self._enlarged_of = enlarged_of
        self._translator = translator
        self._watched = False
        self._entry = EntryPanel(translator)

    def apply_size_classes(self, size: Size) -> None:
        """Set the CSS classes for this size at once; otherwise all parts are styled, laid out and
        painted without them, and then again."""
        for length, steps in (
            (size.width, self.HORIZONTAL_BREAKPOINTS),
            (size.height, self.VERTICAL_BREAKPOINTS),
        ):
            self.add_class(max(step for step in steps if step[0] <= length)[1], update=False)

    class PartsReady(Message):
        """Message: all parts are mounted, and nothing is drawn yet."""

    def on_mount(self) -> None:
        """Ask for the state to show, since drawing without it would lay out everything twice. Start
        the preview if there is a camera."""
        self.post_message(self.PartsReady())
        if self._picture_of is not None:
            # Without a camera the whole screen would be searched five times a second, for nothing.
            self.set_interval(_PICTURE_SECONDS, self.update_camera)

    @property
    def entry_panel(self) -> EntryPanel | None:
        """The entry panel, None before it is mounted."""
        return self._entry if self._entry.is_mounted else None

    def compose(self) -> ComposeResult:
        """Lay out the parts; the style sheet places them for each size of terminal."""
        yield TopBar(id="top")
        yield Stage(id="stage")
        with Horizontal(id="middle"):
            with Vertical(id="left"):
                yield Seats(id="seats")
                if self._picture_of is not None:
                    yield Preview(
                        self._picture_of, self._labels_of, self._format_camera_card, id="preview-below"
                    )
                    yield Preview(self._picture_of, self._labels_of, self._format_camera_card, id="watch")
            yield self._entry
            with Vertical(id="side"):
                yield GameBoard(id="board")
                if self._picture_of is not None:
                    yield Preview(self._picture_of, self._labels_of, self._format_camera_card, id="preview")
                    yield CameraReadings(
                        self._enlarged_of,
                        self._labels_of,
                        lambda: self._translator,
                        self._format_camera_card,
                        id="reading",
                    )
                yield Rounds(id="rounds")
        yield TableMessages(id="reasons")
        yield KeysRow(show_command_palette=False, compact=True)

    def _format_camera_card(self, card: str) -> str:
        return format_card(card, self._translator, ())

    def toggle_camera_view(self) -> None:
        """Give the camera half of the screen, or take it back."""
        self._watched = not self._watched
        self.set_class(self._watched, "-watching")

    async def on_click(self) -> None:
        """Go back from the glance, where no keys are shown, to everything."""
        if self.has_class("-glance") and not self.has_class("has-entry"):
            await self.app.run_action("glance")

    def show_state(self, screen_state: ScreenState) -> None:
        """Show a new state in every part. While a reader asks which card it is, the camera's
        picture is enlarged."""
        self._translator = screen_state.translator
        # The reasons have no room here, so problems of the camera are shown beside its picture.
        told = [one for one in screen_state.snapshot.health if one.sense == "camera"]
        for reading in self.query(CameraReadings):
            reading.status_text = "\n".join(
                f"{'⚠ ' * one.needs_attention}{screen_state.translator.translate(one.text)}" for one in told
            )
            reading.update_readings()
        asks = any(one.is_doubtful for one in self.query(CameraReadings)) and bool(
            screen_state.snapshot.questions
        )
        self.set_class(self._watched or asks, "-watching")
        self.set_class(screen_state.face.board is not None, "has-board")
        # A further row of the stage takes none of four players' own, and shows effects whole.
        crowded = len(screen_state.face.seats) >= 4 and screen_state.face.board is None
        self.set_class(crowded, "is-crowded")
        self.set_class(screen_state.moment is not None, "has-moment")
        self.set_class(self.query_one(TableMessages).has_lines(screen_state), "has-reasons")
        self.set_class(screen_state.snapshot.view["result"] is not None, "has-won")
        for part in self.query(ScreenPart):
            part.show_state(screen_state)

    def set_entry_visible(self, visible: bool) -> None:
        """Open or close the entry panel; an open one gets the keyboard focus."""
        self.set_class(visible, "has-entry")
        self._entry.display = visible
        if visible:
            self._entry.query_one(OptionList).focus()
        else:
            self.set_focus(None)

    def update_camera(self) -> None:
        """Update the camera's picture."""
        for reading in self.query(CameraReadings):
            reading.update_readings()
        for preview in self.query(Preview):
            preview.update_picture()


class GameBoard(ScreenPart):
    """The game's board; the style sheet hides it if the game has none."""

    def draw_lines(self, screen_state: ScreenState, width: int, height: int) -> list[Content]:
        """Draw the board."""
        face, has_players = screen_state.face, self.screen.query_one("#left").display
        draw = (None if has_players else face.board_alone) or face.board
        return [] if draw is None else list(draw(width, height).split("\n"))
