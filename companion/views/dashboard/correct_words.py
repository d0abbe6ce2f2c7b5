"""What the screen of corrections says: the acts under their rounds, and what one would change."""

from __future__ import annotations

from textual.content import Content
from textual.widgets.option_list import Option

from companion.live.correcting import Correction
from companion.live.scores import RoundRow
from companion.live.snapshot import Snapshot
from companion.texts import Translator
from companion.views.marks import mark
from companion.views.rounds_of_acts import rounds_of_acts


def acts_by_round(snapshot: Snapshot, say: Translator, wanted: str) -> list[Option]:
    """List the acts under their rounds, with what each round brought; only those whose words hold
    `wanted` (in small letters)."""
    rows: list[Option] = []
    for row, lines in rounds_of_acts(snapshot):
        said = [(line, say.say(line.text)) for line in lines]
        found = [(line, words) for line, words in said if wanted in words.casefold()]
        if found and row is not None:
            rows.append(_heading(row, say))
        for line, words in found:
            if line.stands:
                rows.append(Option(Content(f"{line.act + 1:>4}  {words}"), id=str(line.act)))
            else:
                rows.append(
                    Option(Content.styled(f"   –  {words}", "strike $foreground-muted"), disabled=True)
                )
    return rows


def _heading(row: RoundRow, say: Translator) -> Option:
    won = "  ".join(f"{say.name(name, 10)} {gain}" for name, gain in row.won.items() if gain != "0")
    title = say("correct.round", round=str(row.label))
    words = Content.assemble((f"{title}  ", "bold $primary"), (won, "$foreground-muted"))
    return Option(words, disabled=True)


def changes(draft: Correction, say: Translator) -> Content:
    """Say why something is asked again, what falls away, and the points before and after."""
    lines: list[Content] = []
    asking = draft.asking
    if asking is not None and asking.number is not None and asking.reason is not None:
        words = say("correct.again", act=asking.number + 1, old=asking.old, reason=asking.reason.text)
        lines += [Content.styled(words, "$warning"), Content("")]
    for fallen in draft.fallen:
        words = say("correct.falls", act=fallen.number + 1, old=fallen.text, reason=fallen.reason.text)
        lines.append(Content.styled(f"✘ {words}", "$warning"))
    if asking is not None:
        return Content("\n").join(lines)
    lines.append(Content.styled(say("correct.before_after"), "bold"))
    for seat, row in enumerate(draft.points(), 1):
        shape, style = mark(seat)
        same = row.before == row.after
        after = (f"{row.after:>5}", "$foreground-muted" if same else "bold $primary")
        name = f" {shape} {say.name(row.player, 16):<16}"
        lines.append(Content.assemble((name, f"bold {style}"), f"{row.before:>5} → ", after))
    lines += [Content(""), Content.styled(say("correct.sure"), "bold reverse")]
    return Content("\n").join(lines)
