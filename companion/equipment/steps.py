"""The order of the equipment check: one step after another, each until it knows, its time is up, or the person says to go on."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from companion.equipment import diagnosis
from companion.equipment.board_bench import GAINS, Bench
from companion.equipment.findings import Finding
from companion.readers.rfid.events import TagId
from companion.rules.contract import Text

BOARD = 6.0
"""Seconds within which a board must have answered: its reset at the port's opening takes two of them."""
SELF_TEST = 2.0
"""Seconds within which all chips must have tested themselves; firmware of before this test says nothing."""
TAP = 20.0
DWELL = 0.6
"""Seconds at each gain: a tag that is read no more has left after 0.1, and one that is read again is told within as much."""
BUTTONS = 30.0


class Step(Protocol):
    """One step. `prompt`: what is looked at, or to be done; `asks`: it waits for yes or no; `alone`: it needs nobody."""

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


class _Plain:
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
        self.began = now

    def answer(self, _yes: bool) -> None:
        return

    def skip(self) -> Sequence[Finding]:
        return [self._skipped]

    def then(self) -> Iterable[Step]:
        return ()


class Measure(_Plain):
    """Something that is measured without the person's help, in a thread, so that the screen does not wait for it."""

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


class Answer(_Plain):
    """Something that only a person can see or hear: `do` lets it happen, the answer is the finding."""

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


class BoardStep(_Plain):
    """Waits for a board, then judges it and its pads; with pads that read, buttons, lights and buzzer follow.

    `modules_only`: nothing is built yet; one module or a few are plugged in to be tried with a sticker, and nothing else is asked for.
    """

    alone = True

    def __init__(self, bench: Bench, *, modules_only: bool = False) -> None:
        super().__init__("board", "board", bench.name)
        self._bench = bench
        self._modules_only = modules_only
        self._tested_at: float | None = None

    def begin(self, now: float) -> None:
        """Begin to look for the board."""
        super().begin(now)
        self._bench.start()

    def poll(self, now: float) -> Sequence[Finding] | None:
        """Return how board and pads are."""
        bench = self._bench
        if self._tested_at is None:
            if not bench.settled and now - self.began < BOARD:
                return None
            self._tested_at = now
            bench.test()
        waiting = set(bench.working) - set(bench.tested)
        if (waiting or not bench.settled) and bench.known and now - self._tested_at < SELF_TEST:
            return None
        pads = diagnosis.pads(bench.pads, bench.health.pads if bench.known else (), bench.tested)
        if self._modules_only and bench.working:
            pads = [found for found in pads if found.verdict != "absent"]
        return [*diagnosis.board(bench.name, bench.health), *pads]

    def then(self) -> Iterable[Step]:
        """Go on with everything on the board that a person has to touch, see or hear."""
        bench = self._bench
        if not bench.known:
            return
        for pad in bench.working:
            yield TapStep(bench, pad)
        if self._modules_only:
            return
        yield ButtonsStep(bench)
        yield Answer("lights", bench.shine, bench.name)
        yield Answer("buzzer", bench.buzz, bench.name)


class TapStep(_Plain):
    """Waits for a card to be held to one pad."""

    def __init__(self, bench: Bench, pad: str) -> None:
        super().__init__("tap", "pad", pad)
        self._bench = bench
        self._pad = pad
        self._read: TagId | None = None

    def begin(self, now: float) -> None:
        """Show the pad's light, and forget earlier taps."""
        super().begin(now)
        self._bench.point_at(self._pad)

    def poll(self, now: float) -> Sequence[Finding] | None:
        """Return what came of it."""
        taps = self._bench.taps
        if not taps and now - self.began < TAP:
            return None
        here = next((tag for pad, tag in taps if pad == self._pad), None)
        if taps and here is None:
            return [diagnosis.tap(self._pad, False, taps[0][0], None)]
        if here is None:
            return [diagnosis.tap(self._pad, False, None, None)]
        self._read = here
        return [diagnosis.tap(self._pad, True, None, self._bench.design_of(here), here.random)]

    def then(self) -> Iterable[Step]:
        """Go on with the range, as long as the card lies there."""
        if self._read is not None:
            yield RangeStep(self._bench, self._pad, self._read)


class RangeStep(_Plain):
    """Turns a pad's gain down while a card lies there, until it is read no more: how much the module has in reserve.

    The usual gain comes last once more: a card that is not read then was taken away, and nothing is known.
    """

    def __init__(self, bench: Bench, pad: str, tag: TagId) -> None:
        super().__init__("range", "pad", pad)
        self._bench, self._pad, self._tag = bench, pad, tag
        self._usual, *lower = GAINS
        self._lower = deque(lower)
        self._gain = self._least = self._usual
        self._back = False
        self._until = 0.0

    def begin(self, now: float) -> None:
        """Begin with the first gain below the usual one."""
        super().begin(now)
        self._turn(self._lower.popleft(), now)

    def poll(self, now: float) -> Sequence[Finding] | None:
        """Return the reserve in the end."""
        if now < self._until:
            return None
        read = self._bench.lies(self._pad, self._tag)
        if self._back:
            return [diagnosis.reserve(self._pad, GAINS[self._usual] - GAINS[self._least] if read else None)]
        if read:
            self._least = self._gain
        if read and self._lower:
            self._turn(self._lower.popleft(), now)
        else:
            self._back = True
            self._turn(self._usual, now)
        return None

    def skip(self) -> Sequence[Finding]:
        """Go on without it, at the usual gain."""
        self._bench.gain(self._pad, self._usual)
        return super().skip()

    def _turn(self, gain: int, now: float) -> None:
        self._gain, self._until = gain, now + DWELL
        self._bench.gain(self._pad, gain)


class ButtonsStep(_Plain):
    """Waits until every seat's buttons have been pressed."""

    def __init__(self, bench: Bench) -> None:
        super().__init__("buttons", "buttons", bench.name)
        self._bench = bench

    def poll(self, now: float) -> Sequence[Finding] | None:
        """Return which buttons came."""
        if not self._bench.buttons <= self._bench.pressed and now - self.began < BUTTONS:
            return None
        return [diagnosis.buttons(self._bench.buttons, self._bench.pressed)]

    def skip(self) -> Sequence[Finding]:
        """Go on: what was pressed so far is judged."""
        return [diagnosis.buttons(self._bench.buttons, self._bench.pressed)]


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
