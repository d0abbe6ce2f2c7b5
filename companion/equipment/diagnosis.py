"""Measurements and judgements of the equipment check: from numbers and states to findings in plain
words, each with its likely cause.

Opens no device: pictures, ports and states of readers are passed in. Only the disk is measured
here.
"""

from __future__ import annotations

import contextlib
import math
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from companion import libraries
from companion.readers.rfid.board import LinkHealth
from companion.readers.rfid.events import PadHealth, PadState, TagId
from companion.readers.rfid.ports import Port
from companion.rules import registry
from companion.rules.contract import Text
from companion.table.decks import Deck
from companion.texts import system_reason

Verdict: TypeAlias = Literal["ok", "warn", "fault", "absent", "skipped"]
"""Result of a check. `absent`: it is not there, which need not be wrong (no camera, no reader).
`skipped`: the person did not want to test it."""


class Finding(msgspec.Struct, frozen=True):
    """Result for one part of the equipment. `part`: its name. `text`: its state, the likely cause,
    and what to do."""

    part: Text
    verdict: Verdict
    text: Text


def finding(part: str, verdict: Verdict, code: str, where: str = "", /, **args: object) -> Finding:
    """Create a finding about part `check.part.<part>` with the message `check.<code>`."""
    return Finding(Text(f"check.part.{part}", {"where": where}), verdict, Text(f"check.{code}", args))


_WIDTH = 640
_BURNT = 250
_WRITES = 8


class PictureQuality(msgspec.Struct, frozen=True):
    """Quality of the camera's pictures.

    `sharpness`: variance of the Laplacian at a width of 640 pixels. `brightness`: mean, 0 to 255;
    `contrast`: its standard deviation; `burnt`: overexposed part of the picture (0 to 1); `drift`:
    change of the mean from the first to the last picture.
    """

    sharpness: float
    brightness: float
    contrast: float
    burnt: float
    drift: float = 0.0


class Disk(msgspec.Struct, frozen=True):
    """State of a folder: free bytes, seconds for a durable write; `error`: why it cannot be
    written, or empty."""

    folder: str
    free: int = 0
    fsync: float = 0.0
    error: Text | str = ""


def look_at(pictures: Sequence[NDArray[np.uint8]]) -> PictureQuality:
    """Measure pictures (BGR) taken one after the other: the newest counts, and its difference from
    the first is the drift. Raises ValueError if there are none."""
    if not pictures:
        raise ValueError("no picture")
    grey = _grey(pictures[-1])
    first = _grey(pictures[0])
    return PictureQuality(
        sharpness=float(libraries.cv2.Laplacian(grey, libraries.cv2.CV_64F).var()),
        brightness=float(grey.mean()),
        contrast=float(grey.std()),
        burnt=float((grey >= _BURNT).mean()),
        drift=abs(float(grey.mean()) - float(first.mean())),
    )


def measure_disk(folder: Path) -> Disk:
    """Measure durable writes of a small file in `folder` (or the nearest existing parent), and
    remove the file."""
    # Before the first session the journal's folder does not exist yet.
    there = next(one for one in (folder, *folder.parents) if one.exists())
    try:
        number, name = tempfile.mkstemp(prefix=".companion-check-", dir=there)
        try:
            began = time.perf_counter()
            for _ in range(_WRITES):
                os.write(number, b"\0" * 4096)
                # As the journal does for every entry.
                os.fsync(number)
            taken = (time.perf_counter() - began) / _WRITES
        finally:
            os.close(number)
            with contextlib.suppress(OSError):
                Path(name).unlink()
        return Disk(str(folder), shutil.disk_usage(there).free, taken)
    except OSError as error:
        return Disk(str(folder), error=system_reason(error))


def _grey(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    # All pictures are measured at one width, so that the limits below hold for every camera.
    height = max(round(picture.shape[0] * _WIDTH / picture.shape[1]), 1)
    small = libraries.cv2.resize(picture, (_WIDTH, height), interpolation=libraries.cv2.INTER_AREA)
    return np.asarray(libraries.cv2.cvtColor(small, libraries.cv2.COLOR_BGR2GRAY), dtype=np.uint8)


SHARP, SOFT = 60.0, 20.0
"""Variance of the Laplacian of a picture 640 pixels wide: above the first it is in focus, below the
second certainly not."""
DARK, BRIGHT = 50.0, 205.0
"""Mean brightness (0 to 255) between which a picture is well exposed."""
FLAT = 22.0
"""Standard deviation of the brightness below which nothing stands out."""
GLARE = 0.01
"""Part of the picture that may be overexposed; a lamp's reflection on one sleeve is more."""
DRIFT = 12.0
"""Change of the mean brightness (of 255) within a few seconds that a steady lamp does not cause."""
ROOM = 200_000_000
"""Bytes that a long session with a recording may need."""
SLOW = 0.1
"""Seconds for one durable write above which players would notice a delay at every card."""
RESERVE = 5
"""Decibels of reserve that a module should have: the next lower gain still reads the card."""
CHIPS: Final = {0x88: "FM17522", 0x90: "MFRC522 0.0"}
"""Compatible chips by VersionReg whose self-test is known (pad.cpp, `self_test`): Fudan's, and
NXP's first version."""
_NXP = (0x91, 0x92)
_RIGHT, _WRONG = 0, 1
_NONE: Mapping[str, int] = {}
_SHOWN = 6
_CAUSES = {3: "brownout", 4: "watchdog"}


def ports(found: Sequence[Port]) -> Finding:
    """Judge whether there is a port that a reader board may use."""
    likely = [port for port in found if port.likely != "other"]
    if likely:
        return finding("ports", "ok", "ports.found", ports=tuple(port.device for port in likely))
    if found:
        return finding("ports", "absent", "ports.other", ports=tuple(port.device for port in found[:_SHOWN]))
    return finding("ports", "absent", "ports.none")


def board(name: str, health: LinkHealth) -> list[Finding]:
    """Judge a board's connection and its last start."""
    identity = health.identity
    if health.state != "ok" or identity is None:
        text = health.problem or Text("reader.rfid.no_answer", {"port": health.port or name})
        return [Finding(Text("check.part.board", {"where": name}), "fault", text)]
    firmware = ".".join(map(str, identity.firmware))
    found = [
        finding("board", "ok", "board.ok", name, firmware=firmware, pads=identity.pads, port=health.port)
    ]
    if identity.cause in _CAUSES:
        found.append(finding("board", "warn", f"board.{_CAUSES[identity.cause]}", name))
    if health.dropped > 20:
        found.append(finding("board", "warn", "board.line", name, frames=health.dropped))
    return found


def pad(name: str, state: PadState, alone: bool, test: int | None = None) -> Finding:
    """Judge one pad's chip. `alone`: it may be the only one that does not answer; if not, the power
    supply is a likelier cause than its wire.

    `test`: result of its self-test (`SelfTest`), None if unknown.
    """
    part = Text("check.part.pad", {"where": name})
    version = f"{state.version:02x}"
    chip = {"version": version, "chip": CHIPS.get(state.version, "RC522")}
    if test == _WRONG:
        # Only a chip that claims to be NXP's can be a counterfeit; any other that fails is damaged.
        code = "check.pad.counterfeit" if state.version in _NXP else "check.pad.damaged"
        return Finding(part, "warn", Text(code, chip))
    if state.health in (PadHealth.WELL, PadHealth.OFF):
        return Finding(part, "ok", Text("check.pad.ok", {"version": version}))
    if state.health is PadHealth.CLONE and test == _RIGHT:
        return Finding(part, "ok", Text("check.pad.relative", chip))
    text = Text(f"reader.rfid.pad.{state.health.cause}", {"pad": name, "version": version})
    verdict: Verdict = "fault" if state.health.broken else "warn"
    if state.health is PadHealth.ABSENT:
        return Finding(part, "absent" if alone else "fault", text)
    return Finding(part, verdict, text)


def pads(names: Sequence[str], states: Sequence[PadState], tests: Mapping[str, int] = _NONE) -> list[Finding]:
    """Judge all pads; if none answers, a single finding names the power supply instead of each
    pad's wire."""
    # All modules at once hardly have a broken wire, but they share a power supply.
    dead = [state.health is PadHealth.ABSENT for state in states]
    if dead and all(dead):
        return [finding("pad", "fault", "pads.none", ", ".join(names))]
    return [
        pad(name, state, alone=True, test=tests.get(name)) for name, state in zip(names, states, strict=False)
    ]


class Tapped(msgspec.Struct, frozen=True):
    """A card came to a pad during a `turn` (1, 2, ...). A turn starts each time a card is asked for
    at a pad."""

    turn: int
    pad: str
    tag: TagId


class Known(msgspec.Struct, frozen=True):
    """Lookup of the deck's tags. `taught`: it has any, so that an unknown tag is worth a
    warning."""

    design_of: Callable[[str], str | None]
    taught: bool = True


def tap(name: str, asked: Mapping[str, int], taps: Sequence[Tapped], known: Known) -> Finding:
    """Judge the pad `name` by all cards that came to any pad; `asked`: each pad's last turn.

    A card at another pad proves nothing by itself, because people are early or late. Two pads'
    wires are swapped if each was read during the other's turn and never in its own.
    """

    def late(one: Tapped) -> bool:
        # The pad's own turn is over, and only late cards of other pads came in it.
        turn = asked.get(one.pad, one.turn)
        return turn < one.turn and all(late(before) for before in taps if before.turn == turn)

    own = [one for one in taps if one.turn == asked[name] and not late(one)]
    # Nothing came during its turn: the person may have been late.
    here = own or [one for one in taps if one.turn > asked[name]]
    read = next((one.tag for one in here if one.pad == name), None)
    if read is not None or not own:
        return tag_of("pad", name, read, known)
    for other in (one.pad for one in own):
        theirs = {one.pad for one in taps if one.turn == asked.get(other)}
        if name in theirs and other not in theirs:
            return finding("pad", "fault", "tap.swapped", name, other=other)
    return finding("pad", "fault", "tap.elsewhere", name, other=own[0].pad)


def tag_of(part: str, where: str, tag: TagId | None, known: Known) -> Finding:
    """Judge the tag that a reader has read from a card held to it; None if it read nothing."""
    if tag is None:
        return finding(part, "fault", "tap.nothing", where)
    if tag.random:
        return finding(part, "warn", "tap.random", where)
    design = known.design_of(tag.hex())
    if design is not None:
        return finding(part, "ok", "tap.ok", where, design=design)
    return finding(
        part, "warn" if known.taught else "ok", "tap.unknown" if known.taught else "tap.read", where
    )


def reserve(name: str, decibels: int | None) -> Finding:
    """Judge a module's range by how many decibels its gain can be lowered while a card lies there;
    None if the card was taken away."""
    if decibels is None:
        return finding("pad", "skipped", "range.lifted", name)
    if decibels < RESERVE:
        return finding("pad", "warn", "range.weak", name, decibels=decibels)
    return finding("pad", "ok", "range.ok", name, decibels=decibels)


def buttons(wanted: Collection[tuple[int, str]], pressed: Collection[tuple[int, str]]) -> Finding:
    """Judge the seats' buttons by those that were pressed."""
    missing = sorted(set(wanted) - set(pressed))
    if not missing:
        return finding("buttons", "ok", "buttons.ok", count=len(wanted))
    if not pressed:
        return finding("buttons", "absent", "buttons.none")
    names = tuple(Text(f"check.button.{which}", {"seat": seat}) for seat, which in missing)
    return finding("buttons", "fault", "buttons.missing", buttons=names)


def answer(part: str, yes: bool) -> Finding:
    """Judge by a person's answer whether `lights`, `buzzer` or `voice` work."""
    return finding(part, "ok", f"{part}.ok") if yes else finding(part, "fault", f"{part}.no")


def camera(look: PictureQuality) -> list[Finding]:
    """Judge the camera's picture: focus, light, glare, drift."""
    found = []
    if look.sharpness < SOFT:
        found.append(finding("focus", "fault", "focus.no", sharpness=round(look.sharpness)))
    elif look.sharpness < SHARP:
        found.append(finding("focus", "warn", "focus.soft", sharpness=round(look.sharpness)))
    else:
        found.append(finding("focus", "ok", "focus.ok", sharpness=round(look.sharpness)))
    percent = round(100 * look.brightness / 255)
    if look.brightness < DARK:
        found.append(finding("light", "fault", "light.dark", percent=percent))
    elif look.brightness > BRIGHT:
        found.append(finding("light", "fault", "light.bright", percent=percent))
    elif look.contrast < FLAT:
        found.append(finding("light", "warn", "light.flat", contrast=round(look.contrast)))
    else:
        found.append(finding("light", "ok", "light.ok", percent=percent))
    burnt = round(100 * look.burnt, 1)
    found.append(
        finding("glare", "warn", "glare.yes", percent=burnt)
        if look.burnt > GLARE
        else finding("glare", "ok", "glare.no", percent=burnt)
    )
    found.append(
        finding("drift", "warn", "drift.yes", change=round(look.drift))
        if look.drift > DRIFT
        else finding("drift", "ok", "drift.no", change=round(look.drift))
    )
    return found


def looks(a_second: float, too_few: Text | None) -> Finding:
    """Judge how many pictures a second this computer can process; `too_few` is the warning if that
    is too slow."""
    well = Text("check.looks.ok", n=max(round(a_second), 1))
    return Finding(Text("check.part.looks"), "ok" if too_few is None else "warn", too_few or well)


def disk(found: Disk) -> list[Finding]:
    """Judge the journal's folder: whether it can be written, free space, duration of a write."""
    if found.error:
        return [finding("disk", "fault", "disk.no", folder=found.folder, reason=found.error)]
    room = round(found.free / 1e6)
    milliseconds = math.ceil(1000 * found.fsync)
    facts: dict[str, Any] = {"folder": found.folder, "room": room, "milliseconds": milliseconds}
    if found.free < ROOM:
        return [finding("disk", "warn", "disk.full", **facts)]
    if found.fsync > SLOW:
        return [finding("disk", "warn", "disk.slow", **facts)]
    return [finding("disk", "ok", "disk.ok", **facts)]


def deck(found: Deck, unseen: Sequence[str], *, camera: bool, reader: bool) -> list[Finding]:
    """Judge how complete a deck is for the camera (`unseen`: designs without a view) and for
    readers (designs without tags)."""
    meant = {design.name for design in found.designs if design.card is not None}
    untagged = [one.name for one in found.designs if one.name in meant and len(one.tags) < one.copies]
    blind = [name for name in unseen if name in meant]
    found_out = [
        finding(
            "deck", "ok", "deck.ok", found.name, designs=len(found.designs), cards=sum(found.cards.values())
        )
    ]
    if camera:
        found_out.append(_lacking("views", found, blind))
    if reader and any(one.tags for one in found.designs):
        found_out.append(_lacking("tags", found, untagged))
    elif reader:
        # A deck without any tags gets one finding instead of one for each design.
        found_out.append(finding("deck", "warn", "deck.tags.none", found.name, deck=found.name))
    return found_out


def games() -> list[Finding]:
    """List faults of installed games that cannot be loaded; empty if all can."""
    found = []
    for game in registry.game_ids():
        try:
            broken = registry.faults(game)
        except registry.GameUnavailable as fault:
            found.append(Finding(Text("check.part.game", {"where": game}), "fault", fault.refusal.text))
            continue
        for what, reason in broken.items():
            code = f"game.{what.partition(':')[0]}"
            found.append(finding("game", "warn", code, game, reason=reason))
    return found


def _lacking(what: str, deck: Deck, names: Sequence[str]) -> Finding:
    if not names:
        return finding("deck", "ok", f"deck.{what}.ok", deck.name)
    more = len(names) - _SHOWN
    some = tuple(names[:_SHOWN]) + ((f"+{more}",) if more > 0 else ())
    return finding("deck", "warn", f"deck.{what}.lacking", deck.name, count=len(names), names=some)
