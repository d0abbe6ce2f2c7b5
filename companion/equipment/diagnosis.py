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
from companion.decks.collection import describe_deck_name
from companion.readers.rfid.board import LinkHealth
from companion.readers.rfid.events import PadHealth, PadState, TagId
from companion.readers.rfid.ports import Port
from companion.rules import registry
from companion.rules.contract import Text
from companion.table.decks import Deck
from companion.table.zones import describe_design
from companion.texts import describe_os_error

Verdict: TypeAlias = Literal["ok", "warn", "fault", "absent", "skipped"]
"""Result of a check. `absent`: it is not there, which need not be wrong (no camera, no reader).
`skipped`: the person did not want to test it."""


class Finding(msgspec.Struct, frozen=True):
    """Result for one part of the equipment. `part`: its name. `text`: its state, the likely cause,
    and what to do."""

    part: Text
    verdict: Verdict
    text: Text


def make_finding(
    part: str, verdict: Verdict, code: str, where: str | Text = "", /, n: int | None = None, **args: object
) -> Finding:
    """Create a finding about part `check.part.<part>` with the message `check.<code>`. `n` chooses
    the plural form.
    """
    return Finding(Text(f"check.part.{part}", {"where": where}), verdict, Text(f"check.{code}", args, n))


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


def measure_pictures(pictures: Sequence[NDArray[np.uint8]]) -> PictureQuality:
    """Measure pictures (BGR) taken one after the other: the newest counts, and its difference from
    the first is the drift. Raises ValueError if there are none."""
    if not pictures:
        raise ValueError("no picture")
    grey = _to_grey(pictures[-1])
    first = _to_grey(pictures[0])
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
        return Disk(str(folder), error=describe_os_error(error))


def _to_grey(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
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


def assess_ports(serial_ports: Sequence[Port]) -> Finding:
    """Judge whether there is a port that a reader board may use."""
    likely = [port for port in serial_ports if port.likely != "other"]
    if likely:
        return make_finding("ports", "ok", "ports.found", ports=tuple(port.device for port in likely))
    if serial_ports:
        return make_finding(
            "ports", "absent", "ports.other", ports=tuple(port.device for port in serial_ports[:_SHOWN])
        )
    return make_finding("ports", "absent", "ports.none")


def assess_board(name: str, health: LinkHealth) -> list[Finding]:
    """Judge a board's connection and its last start."""
    identity = health.identity
    if health.state != "ok" or identity is None:
        text = health.problem or Text("reader.rfid.no_answer", {"port": health.port or name})
        return [Finding(Text("check.part.board", {"where": name}), "fault", text)]
    firmware = ".".join(map(str, identity.firmware))
    found = [
        make_finding("board", "ok", "board.ok", name, n=identity.pads, firmware=firmware, port=health.port)
    ]
    if identity.cause in _CAUSES:
        found.append(make_finding("board", "warn", f"board.{_CAUSES[identity.cause]}", name))
    if health.dropped > 20:
        found.append(make_finding("board", "warn", "board.line", name, frames=health.dropped))
    return found


def assess_pad(name: str, state: PadState, alone: bool, test: int | None = None) -> Finding:
    """Judge one pad's chip. `alone`: it may be the only one that does not answer; if not, the power
    supply is a likelier cause than its wire.

    `test`: result of its self-test (`SelfTestResult`), None if unknown.
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
    verdict: Verdict = "fault" if state.health.is_broken else "warn"
    if state.health is PadHealth.ABSENT:
        return Finding(part, "absent" if alone else "fault", text)
    return Finding(part, verdict, text)


def assess_pads(
    names: Sequence[str], states: Sequence[PadState], tests: Mapping[str, int] = _NONE
) -> list[Finding]:
    """Judge all pads; if none answers, a single finding names the power supply instead of each
    pad's wire."""
    # All modules at once hardly have a broken wire, but they share a power supply.
    dead = [state.health is PadHealth.ABSENT for state in states]
    if dead and all(dead):
        return [make_finding("pad", "fault", "pads.none", ", ".join(names))]
    return [
        assess_pad(name, state, alone=True, test=tests.get(name))
        for name, state in zip(names, states, strict=False)
    ]


class TapRecord(msgspec.Struct, frozen=True):
    """A card came to a pad during a `turn` (1, 2, ...). A turn starts each time a card is asked for
    at a pad."""

    turn: int
    pad: str
    tag: TagId


class KnownTags(msgspec.Struct, frozen=True):
    """Lookup of the deck's tags. `taught`: it has any, so that an unknown tag is worth a
    warning."""

    design_of: Callable[[str], str | None]
    taught: bool = True


def assess_tap(
    name: str, turns_by_pad: Mapping[str, int], taps: Sequence[TapRecord], known_tags: KnownTags
) -> Finding:
    """Judge the pad `name` by all cards that came to any pad; `turns_by_pad`: each pad's last turn.

    A card at another pad proves nothing by itself, because people are early or late. Two pads'
    wires are swapped if each was read during the other's turn and never in its own.
    """

    def is_late(record: TapRecord) -> bool:
        # The pad's own turn is over, and only late cards of other pads came in it.
        turn = turns_by_pad.get(record.pad, record.turn)
        return turn < record.turn and all(is_late(before) for before in taps if before.turn == turn)

    own = [one for one in taps if one.turn == turns_by_pad[name] and not is_late(one)]
    # Nothing came during its turn: the person may have been late.
    here = own or [one for one in taps if one.turn > turns_by_pad[name]]
    read = next((one.tag for one in here if one.pad == name), None)
    if read is not None or not own:
        return assess_tag("pad", name, read, known_tags)
    for other in (one.pad for one in own):
        theirs = {one.pad for one in taps if one.turn == turns_by_pad.get(other)}
        if name in theirs and other not in theirs:
            return make_finding("pad", "fault", "tap.swapped", name, other=other)
    return make_finding("pad", "fault", "tap.elsewhere", name, other=own[0].pad)


def assess_tag(part: str, where: str, tag: TagId | None, known_tags: KnownTags) -> Finding:
    """Judge the tag that a reader has read from a card held to it; None if it read nothing."""
    if tag is None:
        return make_finding(part, "fault", "tap.nothing", where)
    if tag.is_random:
        return make_finding(part, "warn", "tap.random", where)
    design = known_tags.design_of(tag.hex())
    if design is not None:
        return make_finding(part, "ok", "tap.ok", where, design=design)
    return make_finding(
        part, "warn" if known_tags.taught else "ok", "tap.unknown" if known_tags.taught else "tap.read", where
    )


def assess_range(name: str, decibels: int | None) -> Finding:
    """Judge a module's range by how many decibels its gain can be lowered while a card lies there;
    None if the card was taken away."""
    if decibels is None:
        return make_finding("pad", "skipped", "range.lifted", name)
    if decibels < RESERVE:
        return make_finding("pad", "warn", "range.weak", name, decibels=decibels)
    return make_finding("pad", "ok", "range.ok", name, decibels=decibels)


def assess_buttons(expected: Collection[tuple[int, str]], pressed: Collection[tuple[int, str]]) -> Finding:
    """Judge the seats' buttons by those that were pressed."""
    missing = sorted(set(expected) - set(pressed))
    if not missing:
        return make_finding("buttons", "ok", "buttons.ok", count=len(expected))
    if not pressed:
        return make_finding("buttons", "absent", "buttons.none")
    names = tuple(Text(f"check.button.{which}", {"seat": seat}) for seat, which in missing)
    return make_finding("buttons", "fault", "buttons.missing", buttons=names)


def assess_answer(part: str, yes: bool) -> Finding:
    """Judge by a person's answer whether `lights`, `buzzer` or `voice` work."""
    return make_finding(part, "ok", f"{part}.ok") if yes else make_finding(part, "fault", f"{part}.no")


def assess_picture(quality: PictureQuality) -> list[Finding]:
    """Judge the camera's picture: focus, light, glare, drift."""
    found = []
    if quality.sharpness < SOFT:
        found.append(make_finding("focus", "fault", "focus.no", sharpness=round(quality.sharpness)))
    elif quality.sharpness < SHARP:
        found.append(make_finding("focus", "warn", "focus.soft", sharpness=round(quality.sharpness)))
    else:
        found.append(make_finding("focus", "ok", "focus.ok", sharpness=round(quality.sharpness)))
    percent = round(100 * quality.brightness / 255)
    if quality.brightness < DARK:
        found.append(make_finding("light", "fault", "light.dark", percent=percent))
    elif quality.brightness > BRIGHT:
        found.append(make_finding("light", "fault", "light.bright", percent=percent))
    elif quality.contrast < FLAT:
        found.append(make_finding("light", "warn", "light.flat", contrast=round(quality.contrast)))
    else:
        found.append(make_finding("light", "ok", "light.ok", percent=percent))
    burnt = round(100 * quality.burnt, 1)
    found.append(
        make_finding("glare", "warn", "glare.yes", percent=burnt)
        if quality.burnt > GLARE
        else make_finding("glare", "ok", "glare.no", percent=burnt)
    )
    found.append(
        make_finding("drift", "warn", "drift.yes", change=round(quality.drift))
        if quality.drift > DRIFT
        else make_finding("drift", "ok", "drift.no", change=round(quality.drift))
    )
    return found


def assess_frame_rate(per_second: float, slow_notice: Text | None) -> Finding:
    """Judge how many pictures a second this computer can process; `slow_notice` is the warning if
    that is too slow."""
    well = Text("check.looks.ok", n=max(round(per_second), 1))
    return Finding(Text("check.part.looks"), "ok" if slow_notice is None else "warn", slow_notice or well)


def assess_disk(disk: Disk) -> list[Finding]:
    """Judge the journal's folder: whether it can be written, free space, duration of a write."""
    if disk.error:
        return [make_finding("disk", "fault", "disk.no", folder=disk.folder, reason=disk.error)]
    room = round(disk.free / 1e6)
    milliseconds = math.ceil(1000 * disk.fsync)
    facts: dict[str, Any] = {"folder": disk.folder, "room": room, "milliseconds": milliseconds}
    if disk.free < ROOM:
        return [make_finding("disk", "warn", "disk.full", **facts)]
    if disk.fsync > SLOW:
        return [make_finding("disk", "warn", "disk.slow", **facts)]
    return [make_finding("disk", "ok", "disk.ok", **facts)]


def assess_deck(deck: Deck, without_views: Sequence[str], *, camera: bool, reader: bool) -> list[Finding]:
    """Judge how complete a deck is for the camera (`without_views`: designs without a view) and for
    readers (designs without tags)."""
    meant = {design.name for design in deck.designs if design.card is not None}
    untagged = [one.name for one in deck.designs if one.name in meant and len(one.tags) < one.copies]
    blind = [design for design in without_views if design in meant]
    name = describe_deck_name(deck)
    findings = [
        make_finding(
            "deck",
            "ok",
            "deck.ok",
            name,
            designs=len(deck.designs),
            cards=sum(deck.card_counts.values()),
        )
    ]
    if camera:
        findings.append(_assess_completeness("views", deck, blind))
    if reader and any(one.tags for one in deck.designs):
        findings.append(_assess_completeness("tags", deck, untagged))
    elif reader:
        # A deck without any tags gets one finding instead of one for each design.
        findings.append(make_finding("deck", "warn", "deck.tags.none", name, deck=name))
    return findings


def find_broken_games() -> list[Finding]:
    """List faults of installed games that cannot be loaded; empty if all can."""
    found = []
    for game in registry.list_game_ids():
        try:
            broken = registry.find_broken_parts(game)
        except registry.GameUnavailable as fault:
            found.append(Finding(Text("check.part.game", {"where": game}), "fault", fault.refusal.text))
            continue
        for what, reason in broken.items():
            code = f"game.{what.partition(':')[0]}"
            found.append(make_finding("game", "warn", code, game, reason=reason))
    return found


def _assess_completeness(kind: str, deck: Deck, names: Sequence[str]) -> Finding:
    name = describe_deck_name(deck)
    if not names:
        return make_finding("deck", "ok", f"deck.{kind}.ok", name)
    some = [describe_design(deck, design) for design in names[:_SHOWN]]
    more = len(names) - _SHOWN
    return make_finding(
        "deck",
        "warn",
        f"deck.{kind}.lacking",
        name,
        count=len(names),
        names=(*some, f"+{more}") if more > 0 else tuple(some),
    )
