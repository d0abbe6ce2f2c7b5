"""What a conversation tells, drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.content import Content

from companion.texts import Translator
from companion.views.conversations import BeforeAfter, PartsNamed, Reply, Saying, Told
from companion.views.marks import mark

_TONES = {
    "": ("", ""),
    "title": ("", "bold $primary"),
    "question": ("", "bold $warning"),
    "warn": ("", "$warning"),
    "bad": ("✘ ", "bold $error"),
    "fallen": ("✘ ", "$warning"),
    "quiet": ("", "$foreground-muted"),
    "past": ("", "strike $foreground-muted"),
}
"""The sign before a sentence, and its style."""


def styled(row: Saying | Reply) -> Content:
    """Draw one sentence as it is meant."""
    sign, style = _TONES[row.tone]
    return Content.styled(f"{sign}{row.words}", style)


def drawn(told: Sequence[Told], say: Translator) -> Content:
    """Draw all that is told, below each other."""
    return Content("\n").join(line for one in told for line in _lines(one, say))


def _lines(told: Told, say: Translator) -> Iterator[Content]:
    match told:
        case Saying():
            yield styled(told)
        case BeforeAfter(points):
            for seat, row in enumerate(points, 1):
                shape, style = mark(seat)
                after = "$foreground-muted" if row.before == row.after else "bold $primary"
                name = f" {shape} {say.name(row.player, 16):<16}"
                yield Content.assemble(
                    (name, f"bold {style}"), f"{row.before:>5} → ", (f"{row.after:>5}", after)
                )
        case PartsNamed(what, used, size, parts):
            yield Content.styled(what, "bold")
            gauge = "▰" * used + "▱" * (size - used)
            yield Content.assemble((f"{gauge}  ", "bold $primary"), told.left(say))
            for part in parts:
                yield Content.styled(f"✔ {part}", "$success")
