"""Run the equipment check step by step. Each step lasts until it has a result, its time is up, or
the person skips it."""

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
from companion.rules.messages import describe_exception


class CheckStep(ABC):
    """One step of the check. `prompt`: what to do; `asks`: it waits for yes or no; `alone`: it
    needs nobody.

    `goes_on`: it depends on what the previous step has just done, so the two are repeated together.
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
        self.answered_yes: bool | None = None

    def start(self, now: float) -> None:
        """Start at `now` (monotonic seconds), for the first time or again."""
        self.began, self.answered_yes = now, None

    @abstractmethod
    def poll(self, now: float) -> Sequence[Finding] | None:
        """Return the findings; None while there is no result."""

    def record_answer(self, yes: bool) -> None:
        """Store the person's answer; most steps ask nothing."""
        self.answered_yes = yes

    def skip(self) -> Sequence[Finding]:
        """Return the findings if the person skips the step."""
        return [self._skipped]

    def next_steps(self) -> Iterable[CheckStep]:
        """Return the steps that its result makes possible."""
        return ()

    def revise_findings(self, findings: Sequence[Finding]) -> Sequence[Finding]:
        """Return its findings as they are to be shown now: later steps may have explained them."""
        return findings


class MeasureStep(CheckStep):
    """Step that measures something without help, in a thread, so that the screen does not freeze.

    `next_steps`: the steps that follow a result.
    """

    alone = True

    def __init__(
        self,
        prompt: str,
        part: str,
        measure: Callable[[], Sequence[Finding]],
        where: str = "",
        next_steps: Callable[[], Iterable[CheckStep]] = tuple,
    ) -> None:
        super().__init__(prompt, part, where)
        self._measure = measure
        self._next_steps = next_steps
        self._found: list[Sequence[Finding]] = []

    def start(self, now: float) -> None:
        """Start measuring."""
        super().start(now)
        # A list for each run: a measurement that was started again must not end with an earlier
        # one's result.
        found: list[Sequence[Finding]] = []
        self._found = found
        threading.Thread(
            target=self._run_measurement, args=(found,), name="equipment check", daemon=True
        ).start()

    def poll(self, now: float) -> Sequence[Finding] | None:
        """Return the findings once measured."""
        return self._found[0] if self._found else None

    def next_steps(self) -> Iterable[CheckStep]:
        """Return the steps that the result makes possible."""
        return self._next_steps() if self._found else ()

    def _run_measurement(self, results: list[Sequence[Finding]]) -> None:
        try:
            results.append(self._measure())
        except Exception as fault:
            # A driver may raise anything; the check goes on and reports it.
            what = describe_exception(fault)
            text = crash.describe_missing_library(fault) or Text("check.raised", {"what": what})
            results.append([Finding(self._skipped.part, "fault", text)])


class AnswerStep(CheckStep):
    """Step for something only a person can see or hear: `do` triggers it, the answer is the
    finding."""

    asks = True

    def __init__(self, part: str, do: Callable[[], object], where: str = "") -> None:
        super().__init__(part, part, where)
        self._part = part
        self._do = do

    def start(self, now: float) -> None:
        """Trigger it."""
        super().start(now)
        self._do()

    def poll(self, now: float) -> Sequence[Finding] | None:
        """Return the finding once the person has answered."""
        return None if self.answered_yes is None else [diagnosis.assess_answer(self._part, self.answered_yes)]


class _FinishedStep(msgspec.Struct, frozen=True):
    """A finished step: its findings, and the steps it made possible."""

    step: CheckStep
    found: tuple[Finding, ...]
    then: tuple[CheckStep, ...]


class EquipmentCheck:
    """The whole check. Call `tick` often; `current` is None when it is over."""

    def __init__(self, steps: Iterable[CheckStep]) -> None:
        self._steps = deque(steps)
        self._finished: list[_FinishedStep] = []
        self.current: CheckStep | None = None

    @property
    def findings(self) -> list[Finding]:
        """All findings so far, updated by later steps."""
        return [one for past in self._finished for one in past.step.revise_findings(past.found)]

    @property
    def is_done(self) -> bool:
        """Whether all steps are over."""
        return self.current is None and not self._steps

    def tick(self, now: float) -> bool:
        """Advance the check; return whether something new is to be shown."""
        if self.current is None:
            if not self._steps:
                return False
            self.current = self._steps.popleft()
            self.current.start(now)
            return True
        # A step may change its prompt while it waits, which views have to show.
        prompt = self.current.prompt
        found = self.current.poll(now)
        if found is None:
            return self.current.prompt != prompt
        self._finish_step(found)
        return True

    def record_answer(self, yes: bool) -> None:
        """Pass the person's answer to the current step."""
        if self.current is not None:
            self.current.record_answer(yes)

    def skip_step(self) -> None:
        """Skip the current step."""
        if self.current is not None:
            self._finish_step(self.current.skip())

    def repeat_step(self) -> None:
        """Repeat the current step, or the last one if all are over."""
        # A step that depends on the previous one is repeated together with it.
        if self.current is None or self.current.goes_on:
            self.step_back()
        else:
            self._steps.appendleft(self.current)
            self.current = None

    def step_back(self) -> None:
        """Return to the step before the current one; its findings are discarded."""
        if self.current is not None:
            self._steps.appendleft(self.current)
            self.current = None
        while self._finished:
            past = self._finished.pop()
            for step in past.then:
                # It is not in the queue if it was run, and was itself taken back just now.
                with contextlib.suppress(ValueError):
                    self._steps.remove(step)
            self._steps.appendleft(past.step)
            # A step that depends on the previous one cannot be repeated alone: go back further.
            if not past.step.goes_on:
                return

    def _finish_step(self, findings: Sequence[Finding]) -> None:
        assert self.current is not None
        then = tuple(self.current.next_steps())
        self._finished.append(_FinishedStep(self.current, tuple(findings), then))
        # Next in line, and in order: `extendleft` reverses its argument.
        self._steps.extendleft(reversed(then))
        self.current = None
