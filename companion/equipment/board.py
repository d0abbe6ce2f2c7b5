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
from companion.equipment.diagnosis import Finding, KnownTags, TapRecord, make_finding
from companion.equipment.steps import AnswerStep, CheckStep
from companion.readers.nfc.tag_pads import PadDeviceReader, PhonePads
from companion.readers.rfid.board import BoardReader, LinkHealth
from companion.readers.rfid.events import PadHealth, ReaderProblem, TagId
from companion.readers.rfid.frames import Light, Tune
from companion.readers.rfid.ports import Locate
from companion.readers.rfid.simulator import SimulatedBoard
from companion.rules.contract import Text
from companion.table.identification import Pad
from companion.table.pad_plan import PadsError, load_pads
from companion.table.sightings import Health, Press, Report

GAINS: Final = {5: 38, 4: 33, 1: 23, 0: 18}
"""The receiver's gains in decibels by number (PROTOCOL.md, command 3), the usual one first."""


class BoardBench:
    """One board under test. `known_tags`: the deck's tags; `board`: the simulated board, which is
    closed together with this; `only_pad`: the name of a tray's single pad."""

    def __init__(
        self,
        name: str,
        port: str | Locate,
        known_tags: KnownTags,
        board: SimulatedBoard | None = None,
        *,
        only_pad: str | None = None,
    ) -> None:
        self.name = name
        self.known_tags = known_tags
        self.taps: list[TapRecord] = []
        """Each card that came to a pad, in order."""
        self.turns_by_pad: dict[str, int] = {}
        """Last turn of each pad that was tested."""
        self.pressed_buttons: set[tuple[int, str]] = set()
        self._turn = 0
        self._board = board
        self._reader = BoardReader(port, known_tags.design_of, only_pad=only_pad)
        self._reader.on_tag = lambda pad, tag: self.taps.append(TapRecord(self._turn, pad, tag))

    def start(self) -> None:
        """Open the port."""
        self._reader.start(self._on_report)

    def close(self) -> None:
        """Turn the lights off and release the port."""
        self._reader.set_light(None, Light.OFF)
        self._reader.close()
        if self._board is not None:
            with contextlib.suppress(ValueError):
                self._board.close()

    @property
    def health(self) -> LinkHealth:
        """State of board, pads and connection."""
        return self._reader.health

    @property
    def is_identified(self) -> bool:
        """Whether the board has answered and reported the state of its pads."""
        health = self.health
        return (
            health.state == "ok"
            and health.identity is not None
            and bool(health.pads)
            and bool(self.pad_names)
        )

    @property
    def is_ready(self) -> bool:
        """Whether no pad is still being initialised, as all are when the board has just started."""
        return self.is_identified and not any(
            state.health is PadHealth.RESTARTING for state in self.health.pads
        )

    @property
    def pad_names(self) -> Sequence[str]:
        """Names of the pads."""
        return self._reader.pads

    @property
    def working_pads(self) -> Sequence[str]:
        """Names of the pads that can read a card."""
        return [
            name
            for name, state in zip(self.pad_names, self.health.pads, strict=False)
            if state.health.can_read
        ]

    def start_self_tests(self) -> None:
        """Start the self-test of every chip that works."""
        self._reader.self_tests.clear()
        self._reader.start_self_tests(self.working_pads)

    @property
    def self_test_results(self) -> Mapping[str, int]:
        """Results of the self-tests so far, by pad: 0 passed, 1 failed, 2 not known for this kind
        of chip."""
        return self._reader.self_tests

    @property
    def expected_buttons(self) -> set[tuple[int, str]]:
        """Every button for which the board has pins, as seat and name."""
        identity = self.health.identity
        seats = identity.seats if identity is not None else 0
        return {(seat, which) for seat in range(1, seats + 1) for which in ("accept", "refuse")}

    def start_pad_turn(self, pad: str) -> None:
        """Ask for a card with this pad's light, at the usual gain, and start its turn."""
        self._turn += 1
        self.turns_by_pad[pad] = self._turn
        # A range test may have left another gain.
        self.set_gain(pad, next(iter(GAINS)))
        self._reader.set_light(None, Light.OFF)
        self._reader.set_light(pad, Light.LOOK)

    def has_tag(self, pad: str, tag: TagId) -> bool:
        """Check whether the tag is read at this pad now."""
        states = dict(zip(self.pad_names, self.health.pads, strict=False))
        return pad in states and tag in states[pad].tags

    def set_gain(self, pad: str, gain: int) -> None:
        """Set the pad's gain, a number of `GAINS`."""
        self._reader.set_gain(pad, gain)

    def light_all(self) -> None:
        """Turn all lights white."""
        self._reader.set_light(None, Light.WHITE)

    def play_test_tune(self) -> None:
        """Play the buzzer's test tune."""
        self._reader.set_light(None, Light.OFF)
        self._reader.play_tune(Tune.TEST)

    def _on_report(self, report: Report) -> None:
        if isinstance(report, Press):
            self.pressed_buttons.add((report.seat, report.button))


BOARD_TIMEOUT = 6.0
"""Seconds within which a board must have answered: its reset when the port opens takes two of
them."""

SELF_TEST_TIMEOUT = 2.0
"""Seconds within which all chips must have tested themselves; older firmware reports nothing."""

TAP_TIMEOUT = 20.0
"""Seconds for a person to take a card and hold it to the pad that is lit."""

GAIN_DWELL = 0.6
"""Seconds at each gain: a tag that is no longer read is reported after 0.1, and one that is read
again just as fast."""

BUTTONS_TIMEOUT = 30.0
"""Seconds for a person to walk round the table and press every seat's buttons."""


class BoardStep(CheckStep):
    """Step that waits for a board, then judges it and its pads. Steps for its pads, buttons, lights
    and buzzer follow.

    `modules_only`: nothing is built yet; single modules are plugged in and tried with a sticker,
    and nothing else is tested.
    """

    alone = True

    def __init__(self, bench: BoardBench, *, modules_only: bool = False) -> None:
        super().__init__("board", "board", bench.name)
        self._bench = bench
        self._modules_only = modules_only
        self._tested_at: float | None = None

    def start(self, now: float) -> None:
        """Open the board's port."""
        super().start(now)
        self._tested_at = None
        self._bench.start()

    def poll(self, now: float) -> Sequence[Finding] | None:
        """Return findings about board and pads."""
        bench = self._bench
        if self._tested_at is None:
            if not bench.is_ready and now - self.began < BOARD_TIMEOUT:
                return None
            # Also when the time is up: some pads may work although others never finish their
            # initialisation.
            self._tested_at = now
            bench.start_self_tests()
        waiting = set(bench.working_pads) - set(bench.self_test_results)
        if (
            (waiting or not bench.is_ready)
            and bench.is_identified
            and now - self._tested_at < SELF_TEST_TIMEOUT
        ):
            return None
        pads = diagnosis.assess_pads(
            bench.pad_names, bench.health.pads if bench.is_identified else (), bench.self_test_results
        )
        if self._modules_only and bench.working_pads:
            pads = [found for found in pads if found.verdict != "absent"]
        return [*diagnosis.assess_board(bench.name, bench.health), *pads]

    def next_steps(self) -> Iterable[CheckStep]:
        """Return the steps that need a person to touch, see or hear something."""
        bench = self._bench
        if not bench.is_identified:
            return
        for pad in bench.working_pads:
            yield TapStep(bench, pad)
        if self._modules_only:
            return
        yield ButtonsStep(bench)
        yield AnswerStep("lights", bench.light_all, bench.name)
        yield AnswerStep("buzzer", bench.play_test_tune, bench.name)


class TapStep(CheckStep):
    """Step that waits for a card on one pad. If one comes to another pad, it says so and waits
    again."""

    def __init__(self, bench: BoardBench, pad: str) -> None:
        super().__init__("tap", "pad", pad)
        self._first_prompt = self.prompt
        self._bench = bench
        self._pad = pad
        self._turn = self._answered = 0

    def start(self, now: float) -> None:
        """Light the pad, and start its turn."""
        super().start(now)
        # The prompt may still name another pad, from an earlier attempt.
        self.prompt = self._first_prompt
        self._bench.start_pad_turn(self._pad)
        self._turn, self._answered = self._bench.turns_by_pad[self._pad], 0

    def poll(self, now: float) -> Sequence[Finding] | None:
        """Return the finding once a card came to this pad, or the time is up."""
        taps = [one for one in self._bench.taps if one.turn == self._turn]
        if any(one.pad == self._pad for one in taps):
            return self._assess_taps()
        # A card came to another pad: say so, and give the person the whole time again.
        if len(taps) > self._answered:
            self._answered, self.began = len(taps), now
            self.prompt = Text("check.do.tap_here", {"where": self._pad, "other": taps[-1].pad})
        return None if now - self.began < TAP_TIMEOUT else self._assess_taps()

    def skip(self) -> Sequence[Finding]:
        """Continue, judging by the cards that came to other pads."""
        return self._assess_taps() if self._answered else super().skip()

    def revise_findings(self, findings: Sequence[Finding]) -> Sequence[Finding]:
        """Judge a fault again with the taps since: a card may have been late, or the wires of two
        pads may be swapped."""
        return self._assess_taps() if any(one.verdict == "fault" for one in findings) else findings

    def next_steps(self) -> Iterable[CheckStep]:
        """Return the range test, while the card still lies there."""
        read = [one.tag for one in self._bench.taps if one.turn == self._turn and one.pad == self._pad]
        if read:
            yield RangeStep(self._bench, self._pad, read[0])

    def _assess_taps(self) -> list[Finding]:
        bench = self._bench
        return [diagnosis.assess_tap(self._pad, bench.turns_by_pad, tuple(bench.taps), bench.known_tags)]


class RangeStep(CheckStep):
    """Step that lowers a pad's gain while a card lies there, until it is no longer read, to measure
    the module's reserve.

    The usual gain is tried again at the end: if the card is not read then, it was taken away, and
    the measurement says nothing.
    """

    goes_on = True

    def __init__(self, bench: BoardBench, pad: str, tag: TagId) -> None:
        super().__init__("range", "pad", pad)
        self._bench, self._pad, self._tag = bench, pad, tag
        self._usual, *lower = GAINS
        self._lower = deque(lower)
        self._gain = self._least = self._usual
        self._gain_restored = False
        self._until = 0.0

    def start(self, now: float) -> None:
        """Start with the first gain below the usual one."""
        super().start(now)
        self._set_gain(self._lower.popleft(), now)

    def poll(self, now: float) -> Sequence[Finding] | None:
        """Return the reserve once all gains were tried."""
        if now < self._until:
            return None
        read = self._bench.has_tag(self._pad, self._tag)
        if self._gain_restored:
            return [
                diagnosis.assess_range(self._pad, GAINS[self._usual] - GAINS[self._least] if read else None)
            ]
        if read:
            self._least = self._gain
        if read and self._lower:
            self._set_gain(self._lower.popleft(), now)
        else:
            self._gain_restored = True
            self._set_gain(self._usual, now)
        return None

    def skip(self) -> Sequence[Finding]:
        """Continue without a result, at the usual gain."""
        self._bench.set_gain(self._pad, self._usual)
        return super().skip()

    def _set_gain(self, gain: int, now: float) -> None:
        self._gain, self._until = gain, now + GAIN_DWELL
        self._bench.set_gain(self._pad, gain)


class ButtonsStep(CheckStep):
    """Step that waits until every seat's buttons have been pressed."""

    def __init__(self, bench: BoardBench) -> None:
        super().__init__("buttons", "buttons", bench.name)
        self._bench = bench

    def start(self, now: float) -> None:
        """Forget the buttons pressed before."""
        super().start(now)
        self._bench.pressed_buttons.clear()

    def poll(self, now: float) -> Sequence[Finding] | None:
        """Return which buttons were pressed, once all were or the time is up."""
        if (
            not self._bench.expected_buttons <= self._bench.pressed_buttons
            and now - self.began < BUTTONS_TIMEOUT
        ):
            return None
        return [diagnosis.assess_buttons(self._bench.expected_buttons, self._bench.pressed_buttons)]

    def skip(self) -> Sequence[Finding]:
        """Continue, judging by the buttons pressed so far."""
        return [diagnosis.assess_buttons(self._bench.expected_buttons, self._bench.pressed_buttons)]


OBSERVATION_TIME = 2.5
"""Seconds for which readers are observed: they look for devices once a second."""


class PadDeviceBench:
    """Readers of one `kind` under test. `make` creates them for a plan of pads, read from the file
    `places`."""

    def __init__(
        self,
        make: Callable[[Mapping[str, Pad]], PadDeviceReader],
        kind: str,
        places: Path,
        known_tags: KnownTags,
    ) -> None:
        self.known_tags = known_tags
        self.read: dict[str, TagId] = {}
        """Tag that each device has read."""
        self.devices: dict[str, Text] = {}
        """State of each usable device, by its name."""
        self.kind, self._make, self._places = kind, make, places
        self._reader: PadDeviceReader | None = None
        self._health_by_reader: dict[str, Health] = {}

    def observe_devices(self) -> list[Finding]:
        """Run the readers for a moment and return what they report about themselves and each
        device."""
        # The step can be repeated, and the devices must be free for that.
        self.close()
        self._health_by_reader.clear()
        part = Text("check.part.board", {"where": self.kind})
        try:
            self._reader = self._make(load_pads(self._places) if self._places.exists() else {})
        except (ReaderProblem, PadsError) as fault:
            return [Finding(part, "fault", fault.text)]
        self._reader.pads.on_tag = self.read.__setitem__
        self._reader.start(self._on_report)
        # In the thread of a `Measure` step, so the screen is not blocked.
        time.sleep(OBSERVATION_TIME)
        reports = list(self._health_by_reader.values())
        return [Finding(part, "ok" if one.state == "ok" else "fault", one.text) for one in reports]

    def next_steps(self) -> Iterable[CheckStep]:
        """Return the step that asks for a card at each device found."""
        devices = [
            str(one.text.args["device"])
            # A copy: the readers go on reporting from their own threads.
            for one in list(self._health_by_reader.values())
            if one.state == "ok" and "device" in one.text.args
        ]
        if devices:
            yield CardStep(self, devices)

    def close(self) -> None:
        """Release the devices."""
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.close()

    def _on_report(self, report: Report) -> None:
        if isinstance(report, Health):
            self._health_by_reader[report.reader] = report


class CardStep(CheckStep):
    """Step that waits until a card was held to each of the devices, in any order, because identical
    devices cannot be told apart from outside."""

    def __init__(self, bench: PadDeviceBench, devices: Sequence[str]) -> None:
        super().__init__("cards", "board", ", ".join(devices))
        self._bench = bench
        self._devices = tuple(devices)
        self._left = self._devices

    def start(self, now: float) -> None:
        """Forget the tags read before."""
        super().start(now)
        self._bench.read.clear()
        self._request_cards(self._devices)

    def poll(self, now: float) -> Sequence[Finding] | None:
        """Return what each device has read, once all have or the time is up."""
        remaining = tuple(device for device in self._devices if device not in self._bench.read)
        if remaining != self._left:
            # Each card starts the time again: there may be many devices, and people walk.
            self.began = now
            self._request_cards(remaining)
        return self._assess_cards() if not remaining or now - self.began >= TAP_TIMEOUT else None

    def skip(self) -> Sequence[Finding]:
        """Continue, judging by what was read so far."""
        return self._assess_cards() if self._bench.read else super().skip()

    def _request_cards(self, remaining: tuple[str, ...]) -> None:
        self._left = remaining
        self.prompt = Text("check.do.cards", {"where": ", ".join(remaining)})

    def _assess_cards(self) -> list[Finding]:
        read, known_tags = self._bench.read, self._bench.known_tags
        return [
            diagnosis.assess_tag("board", device, read.get(device), known_tags) for device in self._devices
        ]


PHONE_TIMEOUT = 120.0
"""Seconds for a person to find the phone, scan the code, and hold a card to the page."""


class PhoneStep(CheckStep):
    """Step that waits until a phone has read a sticker, and judges it by the deck's tags
    (`known_tags`)."""

    def __init__(self, phones: PhonePads, known_tags: KnownTags) -> None:
        super().__init__("phone", "phone")
        self._known_tags = known_tags
        self._phones = phones
        self._joined = False
        self._tag: TagId | None = None
        phones.pads.on_tag = self._on_tag

    def start(self, now: float) -> None:
        """Start receiving from phones."""
        super().start(now)
        self._tag = None
        self._phones.start(self._on_report)

    def poll(self, now: float) -> Sequence[Finding] | None:
        """Return the finding; if nothing was read within `PHONE_TIMEOUT`, it says how far the phone
        got."""
        if self._tag is not None:
            return [diagnosis.assess_tag("phone", "", self._tag, self._known_tags)]
        if now - self.began < PHONE_TIMEOUT:
            return None
        return [make_finding("phone", "fault", "phone.nothing" if self._joined else "phone.none")]

    def _on_report(self, report: Report) -> None:
        self._joined = self._joined or (isinstance(report, Health) and report.state == "ok")

    def _on_tag(self, _device: str, tag: TagId) -> None:
        self._tag = tag
