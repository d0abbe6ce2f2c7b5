"""Check of card readers: a board (its state, pads, range, buttons, lights and buzzer), and devices
that are one pad each."""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from companion.equipment import diagnosis
from companion.equipment.diagnosis import Finding, Known, Tapped, finding
from companion.equipment.steps import Answer, CheckStep
from companion.readers.nfc.pads import OwnPads, PhonePads
from companion.readers.rfid.board import BoardReader, LinkHealth
from companion.readers.rfid.events import PadHealth, ReaderProblem, TagId
from companion.readers.rfid.frames import Light, Tune
from companion.readers.rfid.ports import Locate
from companion.readers.rfid.simulator import SimulatedBoard
from companion.rules.contract import Text
from companion.table.identification import Pad
from companion.table.pads import PadsError, load
from companion.table.sightings import Health, Press, Report

GAINS: Final = {5: 38, 4: 33, 1: 23, 0: 18}
"""The receiver's gains in decibels by number (PROTOCOL.md, command 3), the usual one first."""


class Bench:
    """One board under test. `known`: the deck's tags; `board`: the simulated board, which is closed
    together with this; `only_pad`: the name of a tray's single pad."""

    def __init__(
        self,
        name: str,
        port: str | Locate,
        known: Known,
        board: SimulatedBoard | None = None,
        *,
        only_pad: str | None = None,
    ) -> None:
        self.name = name
        self.known_tags = known
        self.taps: list[Tapped] = []
        """Each card that came to a pad, in order."""
        self.asked: dict[str, int] = {}
        """Last turn of each pad that was tested."""
        self.pressed: set[tuple[int, str]] = set()
        self._turn = 0
        self._board = board
        self._reader = BoardReader(port, known.design_of, only_pad=only_pad)
        self._reader.on_tag = lambda pad, tag: self.taps.append(Tapped(self._turn, pad, tag))

    def start(self) -> None:
        """Open the port."""
        self._reader.start(self._hear)

    def close(self) -> None:
        """Turn the lights off and release the port."""
        self._reader.light(None, Light.OFF)
        self._reader.close()
        if self._board is not None:
            with contextlib.suppress(ValueError):
                self._board.close()

    @property
    def health(self) -> LinkHealth:
        """State of board, pads and connection."""
        return self._reader.health

    @property
    def known(self) -> bool:
        """Whether the board has answered and reported the state of its pads."""
        health = self.health
        return health.state == "ok" and health.identity is not None and bool(health.pads) and bool(self.pads)

    @property
    def settled(self) -> bool:
        """Whether no pad is still being initialised, as all are when the board has just started."""
        return self.known and not any(state.health is PadHealth.RESTARTING for state in self.health.pads)

    @property
    def pads(self) -> Sequence[str]:
        """Names of the pads."""
        return self._reader.pads

    @property
    def working(self) -> Sequence[str]:
        """Names of the pads that can read a card."""
        return [name for name, state in zip(self.pads, self.health.pads, strict=False) if state.health.reads]

    def test(self) -> None:
        """Start the self-test of every chip that works."""
        self._reader.self_tests.clear()
        self._reader.test(self.working)

    @property
    def tested(self) -> Mapping[str, int]:
        """Results of the self-tests so far, by pad: 0 passed, 1 failed, 2 not known for this kind
        of chip."""
        return self._reader.self_tests

    @property
    def buttons(self) -> set[tuple[int, str]]:
        """Every button for which the board has pins, as seat and name."""
        identity = self.health.identity
        seats = identity.seats if identity is not None else 0
        return {(seat, which) for seat in range(1, seats + 1) for which in ("accept", "refuse")}

    def point_at(self, pad: str) -> None:
        """Ask for a card with this pad's light, at the usual gain, and start its turn."""
        self._turn += 1
        self.asked[pad] = self._turn
        # A range test may have left another gain.
        self.gain(pad, next(iter(GAINS)))
        self._reader.light(None, Light.OFF)
        self._reader.light(pad, Light.LOOK)

    def lies(self, pad: str, tag: TagId) -> bool:
        """Check whether the tag is read at this pad now."""
        states = dict(zip(self.pads, self.health.pads, strict=False))
        return pad in states and tag in states[pad].tags

    def gain(self, pad: str, gain: int) -> None:
        """Set the pad's gain, a number of `GAINS`."""
        self._reader.gain(pad, gain)

    def shine(self) -> None:
        """Turn all lights white."""
        self._reader.light(None, Light.WHITE)

    def buzz(self) -> None:
        """Play the buzzer's test tune."""
        self._reader.light(None, Light.OFF)
        self._reader.buzz(Tune.TEST)

    def _hear(self, report: Report) -> None:
        if isinstance(report, Press):
            self.pressed.add((report.seat, report.button))


BOARD = 6.0
"""Seconds within which a board must have answered: its reset when the port opens takes two of
them."""

SELF_TEST = 2.0
"""Seconds within which all chips must have tested themselves; older firmware reports nothing."""

TAP = 20.0
"""Seconds for a person to take a card and hold it to the pad that is lit."""

DWELL = 0.6
"""Seconds at each gain: a tag that is no longer read is reported after 0.1, and one that is read
again just as fast."""

BUTTONS = 30.0
"""Seconds for a person to walk round the table and press every seat's buttons."""


class BoardStep(CheckStep):
    """Step that waits for a board, then judges it and its pads. Steps for its pads, buttons, lights
    and buzzer follow.

    `modules_only`: nothing is built yet; single modules are plugged in and tried with a sticker,
    and nothing else is tested.
    """

    alone = True

    def __init__(self, bench: Bench, *, modules_only: bool = False) -> None:
        super().__init__("board", "board", bench.name)
        self._bench = bench
        self._modules_only = modules_only
        self._tested_at: float | None = None

    def begin(self, now: float) -> None:
        """Open the board's port."""
        super().begin(now)
        self._tested_at = None
        self._bench.start()

    def poll(self, now: float) -> Sequence[Finding] | None:
        """Return findings about board and pads."""
        bench = self._bench
        if self._tested_at is None:
            if not bench.settled and now - self.began < BOARD:
                return None
            # Also when the time is up: some pads may work although others never finish their
            # initialisation.
            self._tested_at = now
            bench.test()
        waiting = set(bench.working) - set(bench.tested)
        if (waiting or not bench.settled) and bench.known and now - self._tested_at < SELF_TEST:
            return None
        pads = diagnosis.pads(bench.pads, bench.health.pads if bench.known else (), bench.tested)
        if self._modules_only and bench.working:
            pads = [found for found in pads if found.verdict != "absent"]
        return [*diagnosis.board(bench.name, bench.health), *pads]

    def then(self) -> Iterable[CheckStep]:
        """Return the steps that need a person to touch, see or hear something."""
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


class TapStep(CheckStep):
    """Step that waits for a card on one pad. If one comes to another pad, it says so and waits
    again."""

    def __init__(self, bench: Bench, pad: str) -> None:
        super().__init__("tap", "pad", pad)
        self._ask = self.prompt
        self._bench = bench
        self._pad = pad
        self._turn = self._answered = 0

    def begin(self, now: float) -> None:
        """Light the pad, and start its turn."""
        super().begin(now)
        # The prompt may still name another pad, from an earlier attempt.
        self.prompt = self._ask
        self._bench.point_at(self._pad)
        self._turn, self._answered = self._bench.asked[self._pad], 0

    def poll(self, now: float) -> Sequence[Finding] | None:
        """Return the finding once a card came to this pad, or the time is up."""
        taps = [one for one in self._bench.taps if one.turn == self._turn]
        if any(one.pad == self._pad for one in taps):
            return self._judged()
        # A card came to another pad: say so, and give the person the whole time again.
        if len(taps) > self._answered:
            self._answered, self.began = len(taps), now
            self.prompt = Text("check.do.tap_here", {"where": self._pad, "other": taps[-1].pad})
        return None if now - self.began < TAP else self._judged()

    def skip(self) -> Sequence[Finding]:
        """Continue, judging by the cards that came to other pads."""
        return self._judged() if self._answered else super().skip()

    def by_now(self, found: Sequence[Finding]) -> Sequence[Finding]:
        """Judge a fault again with the taps since: a card may have been late, or the wires of two
        pads may be swapped."""
        return self._judged() if any(one.verdict == "fault" for one in found) else found

    def then(self) -> Iterable[CheckStep]:
        """Return the range test, while the card still lies there."""
        read = [one.tag for one in self._bench.taps if one.turn == self._turn and one.pad == self._pad]
        if read:
            yield RangeStep(self._bench, self._pad, read[0])

    def _judged(self) -> list[Finding]:
        bench = self._bench
        return [diagnosis.tap(self._pad, bench.asked, tuple(bench.taps), bench.known_tags)]


class RangeStep(CheckStep):
    """Step that lowers a pad's gain while a card lies there, until it is no longer read, to measure
    the module's reserve.

    The usual gain is tried again at the end: if the card is not read then, it was taken away, and
    the measurement says nothing.
    """

    goes_on = True

    def __init__(self, bench: Bench, pad: str, tag: TagId) -> None:
        super().__init__("range", "pad", pad)
        self._bench, self._pad, self._tag = bench, pad, tag
        self._usual, *lower = GAINS
        self._lower = deque(lower)
        self._gain = self._least = self._usual
        self._back = False
        self._until = 0.0

    def begin(self, now: float) -> None:
        """Start with the first gain below the usual one."""
        super().begin(now)
        self._turn(self._lower.popleft(), now)

    def poll(self, now: float) -> Sequence[Finding] | None:
        """Return the reserve once all gains were tried."""
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
        """Continue without a result, at the usual gain."""
        self._bench.gain(self._pad, self._usual)
        return super().skip()

    def _turn(self, gain: int, now: float) -> None:
        self._gain, self._until = gain, now + DWELL
        self._bench.gain(self._pad, gain)


class ButtonsStep(CheckStep):
    """Step that waits until every seat's buttons have been pressed."""

    def __init__(self, bench: Bench) -> None:
        super().__init__("buttons", "buttons", bench.name)
        self._bench = bench

    def begin(self, now: float) -> None:
        """Forget the buttons pressed before."""
        super().begin(now)
        self._bench.pressed.clear()

    def poll(self, now: float) -> Sequence[Finding] | None:
        """Return which buttons were pressed, once all were or the time is up."""
        if not self._bench.buttons <= self._bench.pressed and now - self.began < BUTTONS:
            return None
        return [diagnosis.buttons(self._bench.buttons, self._bench.pressed)]

    def skip(self) -> Sequence[Finding]:
        """Continue, judging by the buttons pressed so far."""
        return [diagnosis.buttons(self._bench.buttons, self._bench.pressed)]


WATCHED = 2.5
"""Seconds for which readers are observed: they look for devices once a second."""


class OwnPadsBench:
    """Readers of one `kind` under test. `make` creates them for a plan of pads, read from the file
    `places`."""

    def __init__(
        self, make: Callable[[Mapping[str, Pad]], OwnPads], kind: str, places: Path, known: Known
    ) -> None:
        self.known = known
        self.read: dict[str, TagId] = {}
        """Tag that each device has read."""
        self.devices: dict[str, Text] = {}
        """State of each usable device, by its name."""
        self.kind, self._make, self._places = kind, make, places
        self._reader: OwnPads | None = None
        self._told: dict[str, Health] = {}

    def look(self) -> list[Finding]:
        """Run the readers for a moment and return what they report about themselves and each
        device."""
        # The step can be repeated, and the devices must be free for that.
        self.close()
        self._told.clear()
        part = Text("check.part.board", {"where": self.kind})
        try:
            self._reader = self._make(load(self._places) if self._places.exists() else {})
        except (ReaderProblem, PadsError) as fault:
            return [Finding(part, "fault", fault.text)]
        self._reader.pads.on_tag = self.read.__setitem__
        self._reader.start(self._hear)
        # In the thread of a `Measure` step, so the screen is not blocked.
        time.sleep(WATCHED)
        told = list(self._told.values())
        return [Finding(part, "ok" if one.state == "ok" else "fault", one.text) for one in told]

    def then(self) -> Iterable[CheckStep]:
        """Return the step that asks for a card at each device found."""
        devices = [
            str(one.text.args["device"])
            # A copy: the readers go on reporting from their own threads.
            for one in list(self._told.values())
            if one.state == "ok" and "device" in one.text.args
        ]
        if devices:
            yield CardStep(self, devices)

    def close(self) -> None:
        """Release the devices."""
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.close()

    def _hear(self, report: Report) -> None:
        if isinstance(report, Health):
            self._told[report.reader] = report


class CardStep(CheckStep):
    """Step that waits until a card was held to each of the devices, in any order, because identical
    devices cannot be told apart from outside."""

    def __init__(self, bench: OwnPadsBench, devices: Sequence[str]) -> None:
        super().__init__("cards", "board", ", ".join(devices))
        self._bench = bench
        self._devices = tuple(devices)
        self._left = self._devices

    def begin(self, now: float) -> None:
        """Forget the tags read before."""
        super().begin(now)
        self._bench.read.clear()
        self._ask(self._devices)

    def poll(self, now: float) -> Sequence[Finding] | None:
        """Return what each device has read, once all have or the time is up."""
        left = tuple(device for device in self._devices if device not in self._bench.read)
        if left != self._left:
            # Each card starts the time again: there may be many devices, and people walk.
            self.began = now
            self._ask(left)
        return self._judged() if not left or now - self.began >= TAP else None

    def skip(self) -> Sequence[Finding]:
        """Continue, judging by what was read so far."""
        return self._judged() if self._bench.read else super().skip()

    def _ask(self, left: tuple[str, ...]) -> None:
        self._left = left
        self.prompt = Text("check.do.cards", {"where": ", ".join(left)})

    def _judged(self) -> list[Finding]:
        read, known = self._bench.read, self._bench.known
        return [diagnosis.tag_of("board", device, read.get(device), known) for device in self._devices]


PHONE_TIMEOUT = 120.0
"""Seconds for a person to find the phone, scan the code, and hold a card to the page."""


class PhoneStep(CheckStep):
    """Step that waits until a phone has read a sticker, and judges it by the deck's tags
    (`known`)."""

    def __init__(self, phones: PhonePads, known: Known) -> None:
        super().__init__("phone", "phone")
        self._known = known
        self._phones = phones
        self._joined = False
        self._tag: TagId | None = None
        phones.pads.on_tag = self._read

    def begin(self, now: float) -> None:
        """Start receiving from phones."""
        super().begin(now)
        self._tag = None
        self._phones.start(self._hear)

    def poll(self, now: float) -> Sequence[Finding] | None:
        """Return the finding; if nothing was read within `PHONE_TIMEOUT`, it says how far the phone
        got."""
        if self._tag is not None:
            return [diagnosis.tag_of("phone", "", self._tag, self._known)]
        if now - self.began < PHONE_TIMEOUT:
            return None
        return [finding("phone", "fault", "phone.nothing" if self._joined else "phone.none")]

    def _hear(self, report: Report) -> None:
        self._joined = self._joined or (isinstance(report, Health) and report.state == "ok")

    def _read(self, _device: str, tag: TagId) -> None:
        self._tag = tag
