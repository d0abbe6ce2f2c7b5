"""`companion check`: test in two minutes whether everything at this table works, and name likely
causes of faults."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from companion import crash
from companion.commands.common import add_language, add_share, usual_camera, usual_pads
from companion.commands.running import has_screen
from companion.decks.collection import find_deck
from companion.decks.references import without_views
from companion.equipment import diagnosis
from companion.equipment.board import Bench, BoardStep, OwnPadsBench, PhoneStep
from companion.equipment.diagnosis import Finding, Known, finding
from companion.equipment.steps import Answer, CheckStep, EquipmentCheck, Measure
from companion.evening.card_readers import PHONE, TRAYS, has_own_pads, open_own_pads
from companion.evening.first_start import build_board
from companion.evening.sharing import joined
from companion.folders import open_private, private_folder, user_data
from companion.journal.store import default_path
from companion.readers import camera
from companion.readers.nfc.pads import PhonePads
from companion.readers.rfid import ports
from companion.readers.rfid.board import port_of
from companion.readers.rfid.ports import tray_name
from companion.readers.rfid.simulator import SimulatedBoard
from companion.rules.contract import Text
from companion.table.decks import Deck
from companion.texts import Translator, system_reason
from companion.typed_lines import TypedLines, listening
from companion.views.dashboard.check import CheckApp, closing, row
from companion.views.voice import NoVoice, Voice

if TYPE_CHECKING:
    from companion.readers.camera.sources import Source

CAMERA = 3.0
"""Seconds of video that are measured: enough to notice a flickering lamp or a drifting exposure."""
REPORT = "check.txt"
"""File name of the report, in the folder of the journal. Only the newest one is kept."""
_PACE = 0.05


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `companion check`."""
    add = parser.add_argument
    add("--reader", action="append", default=[], metavar="READER", help="check.reader")
    add("--camera", default=usual_camera(), metavar="SOURCE", help="check.camera")
    add("--deck", default="donkey_valley", help="check.deck")
    add("--journal", type=Path, default=None, metavar="FILE", help="check.journal")
    add("--bench", action="store_true", help="check.bench")
    add_share(parser)
    add_language(parser)
    add("--plain", action="store_true", help="common.plain")


def run(arguments: argparse.Namespace) -> int:
    """Look everything over; 0 without a fault, 1 with one, 2 when the check itself cannot begin."""
    say = Translator(arguments.lang)
    deck = find_deck(arguments.deck)
    # Modules are tried before anything is built, so with stickers that no deck knows yet.
    taught = not arguments.bench and any(one.tags for one in deck.designs)
    known = Known(deck.design_of_tag, taught)
    boards = _boards(arguments, known, say)
    others = dict.fromkeys(() if arguments.bench else arguments.reader)
    own = [_own_pads(kind, known) for kind in others if kind != TRAYS and has_own_pads(kind)]
    # A missing voice is a finding of the check, not an error.
    voice = _voice(arguments.lang)
    source = None if arguments.camera == "off" or arguments.bench else _camera(arguments.camera)
    phones = PhonePads(deck.design_of_tag) if PHONE in others else None
    steps = _reader_steps(arguments, boards, own, None if phones is None else PhoneStep(phones, known))
    if not arguments.bench:
        steps += _other_steps(arguments, source, voice, say)
        # Tags of a deck are only checked where something can read them.
        tags = bool(boards or own or phones)
        looks = source is not None and not isinstance(source, Finding)
        steps.append(Measure("deck", "deck", lambda: _deck(deck, looks, tags)))
    check = EquipmentCheck(steps)
    opened: list[Bench | OwnPadsBench | Voice | None] = [*boards, *own, voice]
    try:
        with joined(
            None if isinstance(source, Finding) else source, say, arguments.share, pads=phones
        ) as sharing:
            if arguments.plain or not has_screen():
                with listening() as lines:
                    plain(check, say, print, partial(_typed, lines), stays=sys.stdin.isatty())
            else:
                app = CheckApp(check, say)
                app.let_join(sharing)
                app.run()
                # The screen is gone with the app: print the findings again.
                print("\n".join([*(row(one, say) for one in check.findings), closing(check, say)]))
    finally:
        for tried in opened:
            if tried is not None:
                tried.close()
    print(_kept(check, say))
    return int(any(one.verdict == "fault" for one in check.findings))


def _kept(check: EquipmentCheck, say: Translator) -> str:
    """Save the report, to be sent to a helper; return a message about it. Each line ends with its
    message code, for helpers who do not read the language."""
    lines = [crash.heading(), "", *(f"{row(one, say)} ({one.text.code})" for one in check.findings)]
    file = user_data() / REPORT
    try:
        private_folder(file.parent)
        with open_private(file) as target:
            target.write("\n".join([*lines, closing(check, say)]) + "\n")
    except OSError as fault:
        return say("check.not_kept", file=str(file), reason=system_reason(fault))
    return say("check.kept", file=str(file))


def _camera(what: str) -> Source | Finding:
    """Return the camera, or a finding if no camera can be used on this computer; the other checks
    go on."""
    try:
        return camera.sources.find(what)
    except ImportError as fault:
        lacking = crash.wanting(fault)
        if lacking is None:
            raise
        return Finding(Text("check.part.camera", {"where": what}), "fault", lacking)


def _boards(arguments: argparse.Namespace, known: Known, say: Translator) -> list[Bench]:
    """Return the boards to test: those named, else the likely ones that are plugged in."""
    there = [port for port in ports.ports() if port.likely != "other"]
    # Trays are named by their serial numbers, boards by their ports.
    likely = [tray_name(port) if port.likely == "tray" else port.device for port in there]
    trays = [tray_name(port) for port in there if port.likely == "tray"] or [TRAYS]
    groups = {"auto": likely, TRAYS: trays}
    named = [
        device
        for what in arguments.reader
        if what == TRAYS or not (has_own_pads(what) or what == PHONE)
        for device in groups.get(what, [what])
    ]
    benches = []
    # Each board once, in the order named; the likely ones only if no reader was named at all.
    for what in dict.fromkeys(named or (likely if not arguments.reader else [])):
        board = SimulatedBoard() if what == "simulated" else None
        if board is not None:
            build_board(say)
            board.start()
        # Each tray is tested alone, under its own name.
        if what in trays:
            benches.append(Bench(what, partial(port_of, what), known, only_pad=what))
        else:
            benches.append(Bench(what, board.port if board else what, known, board))
    return benches


def _reader_steps(
    arguments: argparse.Namespace,
    boards: Sequence[Bench],
    own: Sequence[OwnPadsBench],
    phone: PhoneStep | None,
) -> list[CheckStep]:
    steps: list[CheckStep] = [Measure("ports", "ports", lambda: [diagnosis.ports(ports.ports())])]
    steps += [BoardStep(bench, modules_only=arguments.bench) for bench in boards]
    steps += [Measure("readers", "board", bench.look, bench.kind, bench.then) for bench in own]
    return steps if phone is None else [*steps, phone]


def _other_steps(
    arguments: argparse.Namespace,
    source: Source | Finding | None,
    voice: Voice | None,
    say: Translator,
) -> list[CheckStep]:
    """List the steps besides readers and deck."""
    steps: list[CheckStep] = []
    journal = arguments.journal or default_path()
    if isinstance(source, Finding):
        steps.append(Measure("camera", "camera", lambda: [source], arguments.camera))
    elif source is not None:
        steps.append(Measure("camera", "camera", lambda: watch(source), source.name))
    if voice is None:
        steps.append(Measure("voice", "voice", lambda: [finding("voice", "absent", "voice.none")]))
    else:
        steps.append(Answer("voice", lambda: voice.say(say("check.voice.sample"))))
    steps.append(Measure("disk", "disk", lambda: diagnosis.disk(diagnosis.measure_disk(journal.parent))))
    return steps


def _own_pads(kind: str, known: Known) -> OwnPadsBench:
    return OwnPadsBench(partial(open_own_pads, kind, known.design_of), kind, usual_pads(), known)


def watch(source: Source) -> list[Finding]:
    """Look through the camera for `CAMERA` seconds and assess its picture."""
    pictures = []
    until = time.monotonic() + CAMERA
    try:
        source.open()
        while time.monotonic() < until:
            frame = source.read(lambda seconds: _wait(seconds, until))
            if frame is None:
                break
            pictures.append(frame.image)
            # Only the first and the newest are measured (`diagnosis.look_at`).
            del pictures[1:-1]
    except camera.sources.SourceError as fault:
        missing = fault.text.code == "reader.camera.no_device"
        part = Text("check.part.camera", {"where": source.name})
        return [Finding(part, "absent" if missing else "fault", fault.text)]
    finally:
        source.close()
    if not pictures:
        return [finding("camera", "fault", "camera.nothing", source.name)]
    rate = camera.reader.rate_of(pictures[-1])
    looks = diagnosis.looks(rate.a_second or 0, rate.too_few)
    return [*diagnosis.camera(diagnosis.look_at(pictures)), looks]


def _wait(seconds: float, until: float) -> bool:
    """Sleep, but not past `until`; return whether that moment has come."""
    time.sleep(min(max(seconds, 0.0), max(until - time.monotonic(), 0.0)))
    return time.monotonic() >= until


def _deck(deck: Deck, camera: bool, reader: bool) -> list[Finding]:
    unseen = without_views(deck) if camera and deck.folder is not None else []
    return [*diagnosis.deck(deck, unseen, camera=camera, reader=reader), *diagnosis.games()]


def _voice(language: str) -> Voice | None:
    try:
        return Voice(language)
    except NoVoice:
        return None


def plain(
    check: EquipmentCheck,
    say: Translator,
    out: Callable[[str], object],
    typed: Callable[[], str | None],
    *,
    stays: bool,
) -> None:
    """Run the check line by line: `typed` returns a line that was typed, "" if there is none now,
    None at the end of the input.

    `stays`: somebody may go back at the end, and must leave explicitly.
    """
    said: list[Finding] = []
    asked: tuple[object, Text] | None = None
    ended = False
    out(say("check.commands"))
    while True:
        check.tick(time.monotonic())
        found = check.findings
        for number, one in enumerate(found):
            # A step that is repeated changes its findings: only lines that differ are printed
            # again.
            if said[number : number + 1] != [one]:
                out(row(one, say))
        said = found
        step = check.current
        if step is not None and asked != (step, step.prompt):
            asked = (step, step.prompt)
            out(say.say(step.prompt) + (" " + say("check.yes_no") if step.asks else ""))
        if check.done and not ended:
            out(closing(check, say) + (" " + say("check.leave") if stays else ""))
        ended = check.done
        if ended and not stays:
            return
        line = typed()
        if line == "q" or (ended and line in (None, "s")):
            return
        # At the end of the input nobody can answer, so steps that need an answer are skipped.
        if line is None and step is not None and not step.alone:
            check.skip()
        elif line is not None and line in _DO:
            _DO[line](check)
            # Going back asks the question again, even if it is the same one.
            asked = None if line in ("r", "b") else asked


_DO: Mapping[str, Callable[[EquipmentCheck], None]] = {
    "y": lambda check: check.answer(True),
    "n": lambda check: check.answer(False),
    "s": EquipmentCheck.skip,
    "r": EquipmentCheck.again,
    "b": EquipmentCheck.back,
}


def _typed(lines: TypedLines) -> str | None:
    try:
        line = lines.next(_PACE)
    except EOFError:
        time.sleep(_PACE)
        return None
    return "" if line is None else line.strip().lower() or "s"
