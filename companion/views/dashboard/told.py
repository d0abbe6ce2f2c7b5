"""Drawing of the sentences of a conversation, and a list to choose from that may change while
people type and click."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual import events
from textual.content import Content
from textual.widgets import OptionList

from companion.texts import Translator
from companion.views.conversations import BeforeAfter, PartsNamed, Reply, Saying, Standing, Told
from companion.views.themes import mark, marked_name

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
    "past": ("", "strike $foreground-muted"),
}
"""The sign before a sentence, and its style, by tone."""


def styled(row: Saying | Reply) -> Content:
    """Return one sentence in the style of its tone."""
    sign, style = _TONES[row.tone]
    words = Content.styled(f"{sign}{row.words}", style)
    if isinstance(row, Reply) and row.seat:
        shape, colour = mark(row.seat)
        return Content.assemble((f"{shape} ", f"bold {colour}"), words)
    return words


def drawn(told: Sequence[Told], say: Translator, standing: Standing | None = None) -> Content:
    """Return all sentences, one below the other, after the name of the player they concern."""
    lines = [] if standing is None else [*_standing(standing, say)]
    return Content("\n").join([*lines, *(line for one in told for line in _lines(one, say))])


def _standing(now: Standing, say: Translator) -> Iterator[Content]:
    def called(name: str, width: int) -> Content:
        return marked_name(name, now.seats.index(name) + 1, say, width)

    yield Content.styled(say("choose.table"), "bold") if now.player is None else called(now.player, 30)
    if now.others:
        others = Content(" ").join(called(name, 12) for name in now.others)
        yield Content.assemble((f"Tab  {say('entry.then')} ", "$foreground-muted"), others)


def _lines(told: Told, say: Translator) -> Iterator[Content]:
    match told:
        case Saying():
            yield styled(told)
        case BeforeAfter(points):
            for seat, row in enumerate(points, 1):
                shape, style = mark(seat)
                # Only points that change stand out.
                after = "$foreground-muted" if row.before == row.after else "bold $primary"
                name = f" {shape} {say.name(row.player, 16):<16}"
                yield Content.assemble(
                    (name, f"bold {style}"), f"{row.before:>5} → ", (f"{row.after:>5}", after)
                )
        case PartsNamed(what, used, size, parts):
            yield Content.styled(what, "bold")
            # One sign for each unit of the size, such as the seven steps of a 7.
            gauge = "▰" * used + "▱" * (size - used)
            yield Content.assemble((f"{gauge}  ", "bold $primary"), told.left(say))
            for part in parts:
                yield Content.styled(f"✔ {part}", "$success")


class Choices(OptionList):
    """A list whose rows may disappear under a click. Textual's own list would look for the row and
    crash the program."""

    def on_click(self, event: events.Click) -> None:
        """Ignore a click on a row that has disappeared."""
        row = event.style.meta.get("option")
        if row is not None and row >= self.option_count:
            # Textual's own handler would look for the row.
            event.prevent_default()
