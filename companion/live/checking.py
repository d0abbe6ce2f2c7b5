"""The set-up checklist before the first act, with what the readers have seen ticked off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from companion.rules.contract import Claim, Reason, Step, Text


class Checklist:
    """The steps of one game's set-up, and the cards that have been shown so far.

    A card is counted when it lies there with its like: nine fours have been seen once nine lay
    there together. The same four shown nine times is one, so a deck is never called complete that
    is not.
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = tuple(steps)
        self._most: Counter[str] = Counter()

    @property
    def counts(self) -> bool:
        """Whether there is anything to count."""
        return any(step.count for step in self.steps)

    @property
    def shown(self) -> tuple[int, int]:
        """How many cards have been counted, and how many there are to count."""
        return sum(step.shown(self._most) for step in self.steps), sum(step.all for step in self.steps)

    def look(self, claims: Sequence[Claim]) -> None:
        """Take in what lies there face up."""
        self._most |= Counter(claim.what for claim in claims if claim.what is not None and claim.face == "up")

    def lines(self, claims: Sequence[Claim]) -> tuple[Reason, ...]:
        """Put every step into words, ticked off if `claims`, what lies there, or what was counted
        shows that it is done."""
        return tuple(Reason(self._line(step, claims), (step.clause,)) for step in self.steps)

    def held(self, *, begun: bool) -> Text:
        """Say why no card is played until the players say all lies right: put right, or counted."""
        if begun or not self.counts:
            return Text("live.held")
        shown, of = self.shown
        return Text("live.counting", {"shown": shown, "all": of})

    def _line(self, step: Step, claims: Sequence[Claim]) -> Text:
        shown = step.shown(self._most)
        if step.done(claims, self._most):
            return Text("step.done", {"step": step.text})
        if shown:
            return Text("step.counted", {"step": step.text, "shown": shown, "all": step.all})
        return Text("step.open", {"step": step.text})
