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
from companion.commands.common import (
    add_json_option,
    add_language_option,
    add_share_option,
    default_camera,
    default_pads_path,
    print_json,
)
from companion.commands.running import has_screen
from companion.decks.collection import find_deck
from companion.decks.references import list_designs_without_views
from companion.equipment import diagnosis
from companion.equipment.board import BoardBench, BoardStep, PadDeviceBench, PhoneStep
from companion.equipment.diagnosis import Finding, KnownTags, make_finding
from companion.equipment.steps import AnswerStep, CheckStep, EquipmentCheck, MeasureStep
from companion.evening.card_readers import PHONE, TRAYS, open_own_pads, reads_single_pads
from companion.evening.first_start import build_simulated_board
from companion.evening.sharing import connect_phone
from companion.folders import make_private_folder, open_private_file, user_data_folder
from companion.journal.store import default_journal_path
from companion.readers import camera
from companion.readers.nfc.tag_pads import PhonePads
from companion.readers.rfid import ports
from companion.readers.rfid.board import find_tray_port
from companion.readers.rfid.ports import format_tray_name
from companion.readers.rfid.simulator import SimulatedBoard
from companion.rules.contract import Text
from companion.settings import load_settings
from companion.table.decks import Deck
from companion.texts import Translator, describe_os_error
from companion.typed_lines import TypedLines, open_typed_lines
from companion.views.dashboard.check import CheckApp, format_finding, format_summary
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
    add("--camera", default=default_camera(), metavar="SOURCE", help="check.camera")
    add("--deck", default="donkey_valley", help="check.deck")
    add("--journal", type=Path, default=None, metavar="FILE", help="check.journal")
    add("--bench", action="store_true", help="check.bench")
    add_share_option(parser)
    add_language_option(parser)
    add_json_option(parser)
    add("--plain", action="store_true", help="common.plain")


def run(arguments: argparse.Namespace) -> int:
    """Look everything over; 0 without a fault, 1 with one, 2 when the check itself cannot begin."""
    deck = find_deck(arguments.deck)
    translator = Translator.for_game(arguments.lang, deck.game)
    # Modules are tried before anything is built, so with stickers that no deck knows yet.
    taught = not arguments.bench and any(one.tags for one in deck.designs)
    known = KnownTags(deck.find_design_by_tag, taught)
    boards = _make_benches(arguments, known, translator)
    others = dict.fromkeys(() if arguments.bench else arguments.reader)
    own = [_make_own_pads_bench(kind, known) for kind in others if kind != TRAYS and reads_single_pads(kind)]
    # A missing voice is a finding of the check, not an error.
    voice = _open_voice(arguments.lang)
    source = None if arguments.camera == "off" or arguments.bench else _find_camera(arguments.camera)
    phones = PhonePads(deck.find_design_by_tag) if PHONE in others else None
    steps = _build_reader_steps(arguments, boards, own, None if phones is None else PhoneStep(phones, known))
    if not arguments.bench:
        steps += _build_other_steps(arguments, source, voice, translator)
        # Tags of a deck are only checked where something can read them.
        tags = bool(boards or own or phones)
        looks = source is not None and not isinstance(source, Finding)
        steps.append(MeasureStep("deck", "deck", lambda: _examine_deck(deck, looks, tags)))
    check = EquipmentCheck(steps)
    opened: list[BoardBench | PadDeviceBench | Voice | None] = [*boards, *own, voice]
    try:
        with connect_phone(
            None if isinstance(source, Finding) else source, translator, arguments.share, pads=phones
        ) as sharing:
            # Steps that need an answer are skipped: a program cannot hear the voice.
            if arguments.json:
                run_plain_check(check, translator, lambda _line: None, _wait_without_input, interactive=False)
            elif arguments.plain or not has_screen():
                with open_typed_lines() as lines:
                    run_plain_check(
                        check,
                        translator,
                        print,
                        partial(_read_command, lines),
                        interactive=sys.stdin.isatty(),
                    )
            else:
                app = CheckApp(check, translator)
                app.enable_sharing(sharing)
                app.run()
                # The screen is gone with the app: print the findings again.
                print(
                    "\n".join(
                        [
                            *(format_finding(one, translator) for one in check.findings),
                            format_summary(check, translator),
                        ]
                    )
                )
    finally:
        for tried in opened:
            if tried is not None:
                tried.close()
    report = _save_report(check, translator)
    if arguments.json:
        print_json([_build_finding_record(one, translator) for one in check.findings])
    else:
        print(report)
    return int(any(one.verdict == "fault" for one in check.findings))


def _build_finding_record(one: Finding, translator: Translator) -> dict[str, str]:
    """Return a finding for programs: its code, and in words."""
    return {
        "part": translator.translate(one.part),
        "verdict": one.verdict,
        "code": one.text.code,
        "text": translator.translate(one.text),
    }


def _save_report(check: EquipmentCheck, translator: Translator) -> str:
    """Save the report, to be sent to a helper; return a message about it. Each line ends with its
    message code, for helpers who do not read the language."""
    lines = [
        crash.format_report_heading(),
        "",
        *(f"{format_finding(one, translator)} ({one.text.code})" for one in check.findings),
    ]
    file = user_data_folder() / REPORT
    try:
        make_private_folder(file.parent)
        with open_private_file(file) as target:
            target.write("\n".join([*lines, format_summary(check, translator)]) + "\n")
    except OSError as fault:
        return translator("check.not_kept", file=str(file), reason=describe_os_error(fault))
    return translator("check.kept", file=str(file))


def _find_camera(name: str) -> Source | Finding:
    """Return the camera, or a finding if no camera can be used on this computer; the other checks
    go on."""
    try:
        return camera.sources.find_source(name)
    except ImportError as fault:
        lacking = crash.describe_missing_library(fault)
        if lacking is None:
            raise
        return Finding(Text("check.part.camera", {"where": name}), "fault", lacking)


def _make_benches(
    arguments: argparse.Namespace, known_tags: KnownTags, translator: Translator
) -> list[BoardBench]:
    """Return the boards to test: those named, else the trays and the boards of earlier evenings
    that are plugged in."""
    plugged_in = [port for port in ports.list_serial_ports() if port.likely != "other"]
    known = set(load_settings().boards)
    # Trays are named by their serial numbers, boards by their ports.
    likely = [format_tray_name(port) if port.likely == "tray" else port.device for port in plugged_in]
    # Only `auto` opens a port that may be something else: a printer would be restarted.
    ours = [
        name
        for name, port in zip(likely, plugged_in, strict=True)
        if port.likely == "tray" or port.identity in known
    ]
    trays = [format_tray_name(port) for port in plugged_in if port.likely == "tray"] or [TRAYS]
    groups = {"auto": likely, TRAYS: trays}
    requested = [
        device
        for name in arguments.reader
        if name == TRAYS or not (reads_single_pads(name) or name == PHONE)
        for device in groups.get(name, [name])
    ]
    benches = []
    # Each board once, in the order named; ours only if no reader was named at all.
    for name in dict.fromkeys(requested or (ours if not arguments.reader else [])):
        board = SimulatedBoard() if name == "simulated" else None
        if board is not None:
            build_simulated_board(translator)
            board.start()
        # Each tray is tested alone, under its own name.
        if name in trays:
            benches.append(BoardBench(name, partial(find_tray_port, name), known_tags, only_pad=name))
        else:
            benches.append(BoardBench(name, board.port if board else name, known_tags, board))
    return benches


def _build_reader_steps(
    arguments: argparse.Namespace,
    boards: Sequence[BoardBench],
    own: Sequence[PadDeviceBench],
    phone: PhoneStep | None,
) -> list[CheckStep]:
    steps: list[CheckStep] = [
        MeasureStep("ports", "ports", lambda: [diagnosis.assess_ports(ports.list_serial_ports())])
    ]
    steps += [BoardStep(bench, modules_only=arguments.bench) for bench in boards]
    steps += [
        MeasureStep("readers", "board", bench.observe_devices, bench.kind, bench.next_steps) for bench in own
    ]
    return steps if phone is None else [*steps, phone]


def _build_other_steps(
    arguments: argparse.Namespace,
    source: Source | Finding | None,
    voice: Voice | None,
    translator: Translator,
) -> list[CheckStep]:
    """List the steps besides readers and deck."""
    steps: list[CheckStep] = []
    journal = arguments.journal or default_journal_path()
    if isinstance(source, Finding):
        steps.append(MeasureStep("camera", "camera", lambda: [source], arguments.camera))
    elif source is not None:
        steps.append(MeasureStep("camera", "camera", lambda: examine_camera(source), source.name))
    if voice is None:
        steps.append(MeasureStep("voice", "voice", lambda: [make_finding("voice", "absent", "voice.none")]))
    else:
        steps.append(AnswerStep("voice", lambda: voice.queue_sentence(translator("check.voice.sample"))))
    steps.append(
        MeasureStep("disk", "disk", lambda: diagnosis.assess_disk(diagnosis.measure_disk(journal.parent)))
    )
    return steps


def _make_own_pads_bench(kind: str, known: KnownTags) -> PadDeviceBench:
    return PadDeviceBench(partial(open_own_pads, kind, known.design_of), kind, default_pads_path(), known)


def examine_camera(source: Source) -> list[Finding]:
    """Look through the camera for `CAMERA` seconds and assess its picture."""
    pictures = []
    try:
        source.open()
        # From here on: a webcam may take longer to open than it is looked through.
        until = time.monotonic() + CAMERA
        while time.monotonic() < until:
            frame = source.read(lambda seconds: _sleep_until(seconds, until))
            if frame is None:
                break
            pictures.append(frame.image)
            # Only the first and the newest are measured (`diagnosis.measure_pictures`).
            del pictures[1:-1]
    except camera.sources.SourceError as fault:
        missing = fault.text.code == "reader.camera.no_device"
        part = Text("check.part.camera", {"where": source.name})
        return [Finding(part, "absent" if missing else "fault", fault.text)]
    finally:
        source.close()
    if not pictures:
        return [make_finding("camera", "fault", "camera.nothing", source.name)]
    rate = camera.reader.measure_rate(pictures[-1])
    looks = diagnosis.assess_frame_rate(rate.per_second or 0, rate.slow_notice)
    return [*diagnosis.assess_picture(diagnosis.measure_pictures(pictures)), looks]


def _sleep_until(seconds: float, until: float) -> bool:
    """Sleep, but not past `until`; return whether that moment has come."""
    time.sleep(min(max(seconds, 0.0), max(until - time.monotonic(), 0.0)))
    return time.monotonic() >= until


def _examine_deck(deck: Deck, camera: bool, reader: bool) -> list[Finding]:
    without_view = list_designs_without_views(deck) if camera and deck.folder is not None else []
    return [
        *diagnosis.assess_deck(deck, without_view, camera=camera, reader=reader),
        *diagnosis.find_broken_games(),
    ]


def _open_voice(language: str) -> Voice | None:
    try:
        return Voice(language)
    except NoVoice:
        return None


def run_plain_check(
    check: EquipmentCheck,
    translator: Translator,
    out: Callable[[str], object],
    read_line: Callable[[], str | None],
    *,
    interactive: bool,
) -> None:
    """Run the check line by line: `read_line` returns a line that was typed, "" if there is none
    now, None at the end of the input.

    `interactive`: somebody may go back at the end, and must leave explicitly.
    """
    printed: list[Finding] = []
    last_prompt: tuple[object, Text] | None = None
    was_done = False
    out(translator("check.commands"))
    while True:
        check.tick(time.monotonic())
        found = check.findings
        for number, one in enumerate(found):
            # A step that is repeated changes its findings: only lines that differ are printed
            # again.
            if printed[number : number + 1] != [one]:
                out(format_finding(one, translator))
        printed = found
        step = check.current
        if step is not None and last_prompt != (step, step.prompt):
            last_prompt = (step, step.prompt)
            out(translator.translate(step.prompt) + (" " + translator("check.yes_no") if step.asks else ""))
        if check.is_done and not was_done:
            out(format_summary(check, translator) + (" " + translator("check.leave") if interactive else ""))
        was_done = check.is_done
        if was_done and not interactive:
            return
        line = read_line()
        if line == "q" or (was_done and line in (None, "s")):
            return
        # At the end of the input nobody can answer, so steps that need an answer are skipped.
        if line is None and step is not None and not step.alone:
            check.skip_step()
        elif line is not None and line in _KEY_ACTIONS:
            _KEY_ACTIONS[line](check)
            # Going back asks the question again, even if it is the same one.
            last_prompt = None if line in ("r", "b") else last_prompt


_KEY_ACTIONS: Mapping[str, Callable[[EquipmentCheck], None]] = {
    "y": lambda check: check.record_answer(True),
    "n": lambda check: check.record_answer(False),
    "s": EquipmentCheck.skip_step,
    "r": EquipmentCheck.repeat_step,
    "b": EquipmentCheck.step_back,
}


def _wait_without_input() -> None:
    time.sleep(_PACE)


def _read_command(lines: TypedLines) -> str | None:
    try:
        line = lines.next_line(_PACE)
    except EOFError:
        time.sleep(_PACE)
        return None
    return "" if line is None else line.strip().lower() or "s"
