"""Drawing of the sentences of a conversation, and a list to choose from that may change while
people type and click."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual import events
from textual.content import Content
from textual.widgets import OptionList

from companion.texts import Translator, format_score
from companion.views.conversations import (
    EntryTurn,
    MenuText,
    PartsProgress,
    PointsBeforeAfter,
    Reply,
    Sentence,
)
from companion.views.dashboard.widgets.screen_part import wrap_content
from companion.views.themes import draw_marked_name, mark_for_seat

_TONES = {
    "": ("", ""),
    "title": ("", "bold $primary"),
    "question": ("", "bold $warning"),
    "warn": ("", "$warning"),
    "bad": ("✘ ", "bold $error"),
    "done": ("✔ ", "$success"),
    "fallen": ("✘ ", "$warning"),
    "quiet": ("", "$foreground-muted"),
    "strong": ("", "bold"),
    "refused": ("✘ ", "$foreground-muted"),
    "past": ("", "strike $foreground-muted"),
}
"""The sign before a sentence, and its style, by tone."""


def draw_sentence(row: Sentence | Reply) -> Content:
    """Return one sentence in the style of its tone."""
    sign, style = _TONES[row.tone]
    words = Content.styled(f"{sign}{row.words}", style)
    if isinstance(row, Reply) and row.seat:
        shape, colour = mark_for_seat(row.seat)
        return Content.assemble((f"{shape} ", f"bold {colour}"), words)
    return words


_LEAST = 12
"""Least columns beside the key in which words are wrapped."""


def hang_words(key: Content, words: Content, room: int) -> Content:
    """Put a row's words, wrapped to `room` columns, beside its key: broken lines begin where the
    words do."""
    if room <= _LEAST:
        return key + words
    return key + Content(f"\n{' ' * key.cell_length}").join(wrap_content(words, room))


def draw_menu_texts(
    texts: Sequence[MenuText], translator: Translator, entry_turn: EntryTurn | None = None
) -> Content:
    """Return all sentences, one below the other, after the name of the player they concern."""
    lines = [] if entry_turn is None else [*_draw_entry_turn(entry_turn, translator)]
    return Content("\n").join(
        [*lines, *(line for one in texts for line in _draw_text_lines(one, translator))]
    )


def _draw_entry_turn(turn: EntryTurn, translator: Translator) -> Iterator[Content]:
    def draw_name(name: str, width: int) -> Content:
        return draw_marked_name(name, turn.seats.index(name) + 1, translator, width)

    yield (
        Content.styled(translator("choose.table"), "bold")
        if turn.player is None
        else draw_name(turn.player, 30)
    )
    if turn.others:
        others = Content(" ").join(draw_name(name, 12) for name in turn.others)
        yield Content.assemble((f"Tab  {translator('entry.then')} ", "$foreground-muted"), others)


def _draw_text_lines(text: MenuText, translator: Translator) -> Iterator[Content]:
    match text:
        case Sentence():
            yield draw_sentence(text)
        case PointsBeforeAfter(points):
            for seat, row in enumerate(points, 1):
                shape, style = mark_for_seat(seat)
                # Only points that change stand out.
                after = "$foreground-muted" if row.before == row.after else "bold $primary"
                name = f" {shape} {translator.display_name(row.player, 16):<16}"
                yield Content.assemble(
                    (name, f"bold {style}"),
                    f"{format_score(row.before):>5} → ",
                    (f"{format_score(row.after):>5}", after),
                )
        case PartsProgress(what, used, size, parts):
            yield Content.styled(what, "bold")
            # One sign for each unit of the size, such as the seven steps of a 7.
            gauge = "▰" * used + "▱" * (size - used)
            yield Content.assemble((f"{gauge}  ", "bold $primary"), text.describe_remaining(translator))
            for part in parts:
                yield Content.styled(f"✔ {part}", "$success")


class ChoiceList(OptionList):
    """A list whose rows may disappear under a click. Textual's own list would look for the row and
    crash the program."""

    def on_click(self, event: events.Click) -> None:
        """Ignore a click on a row that has disappeared."""
        row = event.style.meta.get("option")
        if row is not None and row >= self.option_count:
            # Textual's own handler would look for the row.
            event.prevent_default()
