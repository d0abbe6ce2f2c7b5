"""The order of the equipment check: one step after another, each until it knows, its time is up, or
the person says to go on."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from companion.equipment import diagnosis
from companion.equipment.findings import Finding
from companion.rules.contract import Text


class Step(Protocol):
    """One step. `prompt`: what to do; `asks`: it waits for yes or no; `alone`: needs nobody."""

    prompt: Text
    asks: bool
    alone: bool

    def begin(self, now: float) -> None:
        """Begin at `now`, monotonic seconds."""

    def poll(self, now: float) -> Sequence[Finding] | None:
        """Return what was found, None as long as it is not known."""

    def answer(self, yes: bool) -> None:
        """Take the person's answer."""

    def skip(self) -> Sequence[Finding]:
        """Return what is to be said when the person goes on without it."""

    def then(self) -> Iterable[Step]:
        """Return the steps that what was found makes possible."""


class PlainStep:
    """What most steps have in common."""

    asks = False
    alone = False

    def __init__(self, prompt: str, part: str, where: str = "") -> None:
        self.prompt = Text(f"check.do.{prompt}", {"where": where})
        self._skipped = Finding(
            Text(f"check.part.{part}", {"where": where}), "skipped", Text("check.skipped")
        )
        self.began = 0.0

    def begin(self, now: float) -> None:
        """Note when it began."""
        self.began = now

    def answer(self, _yes: bool) -> None:
        """Nothing was asked."""

    def skip(self) -> Sequence[Finding]:
        """Say that it was passed over."""
        return [self._skipped]

    def then(self) -> Iterable[Step]:
        """Nothing follows."""
        return ()


class Measure(PlainStep):
    """Something measured without help, in a thread, so that the screen does not wait for it."""

    alone = True

    def __init__(
        self, prompt: str, part: str, measure: Callable[[], Sequence[Finding]], where: str = ""
    ) -> None:
        super().__init__(prompt, part, where)
        self._measure = measure
        self._found: Sequence[Finding] | None = None

    def begin(self, now: float) -> None:
        """Begin to measure."""
        super().begin(now)
        threading.Thread(target=self._run, name="equipment check", daemon=True).start()

    def poll(self, now: float) -> Sequence[Finding] | None:
        """Return what was measured."""
        return self._found

    def _run(self) -> None:
        try:
            self._found = self._measure()
        except Exception as fault:  # a driver may raise anything; the test goes on, and says so
            what = f"{type(fault).__name__}: {fault}"[:200]
            self._found = [Finding(self._skipped.part, "fault", Text("check.raised", {"what": what}))]


class Answer(PlainStep):
    """Something only a person can see or hear: `do` lets it happen, the answer is the finding."""

    asks = True

    def __init__(self, part: str, do: Callable[[], object], where: str = "") -> None:
        super().__init__(part, part, where)
        self._part = part
        self._do = do
        self._yes: bool | None = None

    def begin(self, now: float) -> None:
        """Let it be seen or heard."""
        super().begin(now)
        self._do()

    def poll(self, now: float) -> Sequence[Finding] | None:
        """Return the finding once the person has answered."""
        return None if self._yes is None else [diagnosis.answer(self._part, self._yes)]

    def answer(self, yes: bool) -> None:
        """Take the answer."""
        self._yes = yes


class EquipmentCheck:
    """All steps. `tick` often; `current` is None when everything has been looked at."""

    def __init__(self, steps: Iterable[Step]) -> None:
        self._steps = deque(steps)
        self.current: Step | None = None
        self.findings: list[Finding] = []

    @property
    def done(self) -> bool:
        """Whether everything has been looked at."""
        return self.current is None and not self._steps

    def tick(self, now: float) -> bool:
        """Take the next small step; tell whether there is something new to be shown."""
        if self.current is None:
            if not self._steps:
                return False
            self.current = self._steps.popleft()
            self.current.begin(now)
            return True
        found = self.current.poll(now)
        if found is None:
            return False
        self._over(found)
        return True

    def answer(self, yes: bool) -> None:
        """Pass the person's answer on."""
        if self.current is not None:
            self.current.answer(yes)

    def skip(self) -> None:
        """Go on without the current step."""
        if self.current is not None:
            self._over(self.current.skip())

    def _over(self, found: Sequence[Finding]) -> None:
        assert self.current is not None
        self.findings += found
        self._steps.extendleft(reversed(list(self.current.then())))
        self.current = None
