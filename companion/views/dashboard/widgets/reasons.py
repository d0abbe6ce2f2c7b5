"""Why: the refusal just given, cards to move, or the last result's reason, with clauses."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from companion.live.snapshot import Snapshot
from companion.rules.contract import Reason
from companion.texts import Translator
from companion.views.dashboard.widgets.part import Part, ScreenState, cut, wrapped
from companion.views.places import move_in_words


class Reasons(Part):
    """The most urgent first: what must be put right on the table, then a refusal, then the last act
    and the last result."""

    def lines(self, shown: ScreenState, width: int, height: int) -> list[Content]:
        """Draw as many lines as there is room for."""
        snapshot, _, say, *_ = shown
        drawn = [
            *self._trouble(snapshot, say, width),
            *self._moves(snapshot, say, width),
            *self._refusal(snapshot, say, width),
            *self._odds(snapshot, say, width),
            *self._report(snapshot, say, width, told=shown.moment is not None),
        ]
        return cut(drawn, height, say)

    def _trouble(self, snapshot: Snapshot, say: Translator, width: int) -> list[list[Content]]:
        texts = [health.text for health in snapshot.health if health.warns]
        if snapshot.keeping is not None:
            texts.append(snapshot.keeping)
        if snapshot.notice is not None:
            texts.append(snapshot.notice)
        return [wrapped(f"⚠ {say.say(text)}", width, "bold $warning") for text in texts]

    def _moves(self, snapshot: Snapshot, say: Translator, width: int) -> list[list[Content]]:
        if not snapshot.moves:
            return []
        moves = [move_in_words(move, say, snapshot.people.seats) for move in snapshot.moves]
        title = wrapped(say("moves.title"), width, "bold $warning")
        return [title, *(wrapped(f"  → {move}", width) for move in moves)]

    def _refusal(self, snapshot: Snapshot, say: Translator, width: int) -> list[list[Content]]:
        if snapshot.refusal is None:
            return []
        clause = f" [{snapshot.refusal.clause}]" if snapshot.refusal.clause else ""
        return [wrapped(f"✘ {say.say(snapshot.refusal.text)}{clause}", width, "bold $error")]

    def _odds(self, snapshot: Snapshot, say: Translator, width: int) -> list[list[Content]]:
        if snapshot.odds is None:
            return []
        return [wrapped(f"% {say.say(snapshot.odds.text)}", width, "$secondary")]

    def _report(self, snapshot: Snapshot, say: Translator, width: int, *, told: bool) -> list[list[Content]]:
        if snapshot.view["result"] is not None and not told:  # whoever has won is celebrated, not explained
            return []
        drawn = []
        if snapshot.last is not None and not told:  # the result says it already
            drawn.append(wrapped(f"• {say.say(snapshot.last)}", width, "$secondary"))
        for reason in _told_first(snapshot.report):
            clauses = " ".join(reason.clauses)
            points = f"  +{reason.points}" if reason.points and str(reason.points)[0] != "-" else ""
            words = say.say(reason.text) + points
            drawn.append(wrapped(f"{words}  [{clauses}]" if clauses else words, width))
        return drawn


def _told_first(report: Sequence[Reason]) -> list[Reason]:
    """Put what it came to first, and who has nothing of it last."""
    return [*report[:1], *sorted(report[1:], key=lambda reason: not reason.points)]
