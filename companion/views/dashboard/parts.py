"""The entry panel while a choice is entered part by part: a seven pawn by pawn."""

from __future__ import annotations

from collections.abc import Callable

from textual.content import Content

from companion.texts import Translator
from companion.views.dashboard.widgets.entry_panel import EntryPanel
from companion.views.entry import Way
from companion.views.menu_keys import keyed
from companion.views.part_by_part import PartByPart


def offer_parts(
    panel: EntryPanel,
    now: PartByPart,
    say: Translator,
    then: Callable[[PartByPart | Way], object],
    old: Way | None = None,
) -> None:
    """Show what is named, how much is left, and what can follow; or, named in full, the orders that
    make a difference. Before anything is named, `old`, the way that is corrected, stands first.

    `then` gets what was chosen: the parts with one more or one fewer, or the whole way.
    """
    whole = now.whole
    following = [] if whole else now.following
    words = [say.say(way.choice.label) for way in whole] or [say.say(part.label) for part in following]
    after: list[PartByPart | Way] = [*whole] or [now.and_then(part) for part in following]
    keys = [*keyed([part.key for part in following] or [""] * len(whole)), "⌫"]
    words.append(say("parts.back"))
    after.append(now.back())
    if old is not None and not now.taken:
        keys.insert(0, "=")
        words.insert(0, say("parts.as_before", what=say.say(old.choice.label)))
        after.insert(0, old)
    panel.offer(_so_far(now, say), keys, [Content(one) for one in words], lambda row: then(after[row]))


def _so_far(now: PartByPart, say: Translator) -> Content:
    """Say what is entered, part by part, and how much is left, as a row that one can count too."""
    size = now.kind.size
    gauge = "▰" * now.used + "▱" * (size - now.used)
    left = say("parts.used", done=str(now.used), size=str(size), left=str(size - now.used))
    lines: list[str | tuple[str, str]] = [
        (say.say(now.kind.label), "bold"),
        (f"\n{gauge}  ", "bold $primary"),
        left,
    ]
    lines += [(f"\n✔ {say.say(part.label)}", "$success") for part in now.taken]
    return Content.assemble(*lines)
