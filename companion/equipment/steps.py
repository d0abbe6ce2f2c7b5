"""The order of the equipment check: one step after another, each until it knows, its time is up, or
the person says to go on."""

from __future__ import annotations

import contextlib
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Sequence

import msgspec

from companion import crash
from companion.equipment import diagnosis
from companion.equipment.diagnosis import Finding
from companion.rules.contract import Text


class CheckStep(ABC):
    """One step. `prompt`: what to do; `asks`: it waits for yes or no; `alone`: needs nobody.

    `goes_on`: it needs what the step before it has just done, so that the two are repeated
    together.
    """

    asks = False
    alone = False
    goes_on = False

    def __init__(self, prompt: str, part: str, where: str = "") -> None:
        self.prompt = Text(f"check.do.{prompt}", {"where": where})
        self._skipped = Finding(
            Text(f"check.part.{part}", {"where": where}), "skipped", Text("check.skipped")
        )
        self.began = 0.0
        self.said: bool | None = None

    def begin(self, now: float) -> None:
        """Begin at `now`, monotonic seconds: for the first time, or once more."""
        self.began, self.said = now, None

    @abstractmethod
    def poll(self, now: float) -> Sequence[Finding] | None:
        """Return what was found, None as long as it is not known."""

    def answer(self, yes: bool) -> None:
        """Take the person's answer; most steps ask nothing."""
        self.said = yes

    def skip(self) -> Sequence[Finding]:
        """Return what is to be said when the person goes on without it."""
        return [self._skipped]

    def then(self) -> Iterable[CheckStep]:
        """Return the steps that what was found makes possible."""
        return ()

    def by_now(self, found: Sequence[Finding]) -> Sequence[Finding]:
        """Return what was `found` as it is to be said by now: a later step may have shed light on
        it."""
        return found


class Measure(CheckStep):
    """Something measured without help, in a thread, so that the screen does not wait for it.

    `then`: what it makes possible.
    """

    alone = True

    def __init__(
        self,
        prompt: str,
        part: str,
        measure: Callable[[], Sequence[Finding]],
        where: str = "",
        then: Callable[[], Iterable[CheckStep]] = tuple,
    ) -> None:
        super().__init__(prompt, part, where)
        self._measure = measure
        self._then = then
        self._found: list[Sequence[Finding]] = []

    def begin(self, now: float) -> None:
        """Begin to measure."""
        super().begin(now)
        # Its own: a measurement that was begun again must not end with what an earlier one finds.
        found: list[Sequence[Finding]] = []
        self._found = found
        threading.Thread(target=self._run, args=(found,), name="equipment check", daemon=True).start()

    def poll(self, now: float) -> Sequence[Finding] | None:
        """Return what was measured."""
        return self._found[0] if self._found else None

    def then(self) -> Iterable[CheckStep]:
        """Go on with what it makes possible."""
        return self._then() if self._found else ()

    def _run(self, found: list[Sequence[Finding]]) -> None:
        try:
            found.append(self._measure())
        except Exception as fault:  # a driver may raise anything; the test goes on, and says so
            what = f"{type(fault).__name__}: {fault}"[:200]
            text = crash.wanting(fault) or Text("check.raised", {"what": what})
            found.append([Finding(self._skipped.part, "fault", text)])


class Answer(CheckStep):
    """Something only a person can see or hear: `do` lets it happen, the answer is the finding."""

    asks = True

    def __init__(self, part: str, do: Callable[[], object], where: str = "") -> None:
        super().__init__(part, part, where)
        self._part = part
        self._do = do

    def begin(self, now: float) -> None:
        """Let it be seen or heard."""
        super().begin(now)
        self._do()

    def poll(self, now: float) -> Sequence[Finding] | None:
        """Return the finding once the person has answered."""
        return None if self.said is None else [diagnosis.answer(self._part, self.said)]


class _Past(msgspec.Struct, frozen=True):
    """A step that is over: what it found, and the steps that it made possible."""

    step: CheckStep
    found: tuple[Finding, ...]
    then: tuple[CheckStep, ...]


class EquipmentCheck:
    """All steps. `tick` often; `current` is None when everything has been looked at."""

    def __init__(self, steps: Iterable[CheckStep]) -> None:
        self._steps = deque(steps)
        self._past: list[_Past] = []
        self.current: CheckStep | None = None

    @property
    def findings(self) -> list[Finding]:
        """What was found so far, in the words of now."""
        return [one for past in self._past for one in past.step.by_now(past.found)]

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
        asked = self.current.prompt
        found = self.current.poll(now)
        if found is None:
            return self.current.prompt != asked
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

    def again(self) -> None:
        """Take the current step once more, or the last one when all are over."""
        if self.current is None or self.current.goes_on:
            self.back()
        else:
            self._steps.appendleft(self.current)
            self.current = None

    def back(self) -> None:
        """Go back to the step before the current one; what it found is found anew."""
        if self.current is not None:
            self._steps.appendleft(self.current)
            self.current = None
        while self._past:
            past = self._past.pop()
            for step in past.then:
                with contextlib.suppress(ValueError):  # it was over, and was itself taken back
                    self._steps.remove(step)
            self._steps.appendleft(past.step)
            if not past.step.goes_on:
                return

    def _over(self, found: Sequence[Finding]) -> None:
        assert self.current is not None
        then = tuple(self.current.then())
        self._past.append(_Past(self.current, tuple(found), then))
        self._steps.extendleft(reversed(then))
        self.current = None
