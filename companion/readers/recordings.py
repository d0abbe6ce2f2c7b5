"""Recordings of what the readers reported during a session, and a reader that replays them.

A recording is a file of JSON lines. The first line is a header, `{"recording": 1, "game": ...,
"deck": ...}`; every other line is one report with its `kind` (`sighting`, `press`, `health`,
`unrest`, `board`) and its fields, without those at their default. `at` counts seconds from the
start of the recording. A face-down card is recorded without its design, so a recording gives away
no secret.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import msgspec

from companion.folders import open_private_file
from companion.readers.thread import ThreadReader
from companion.rules.contract import Problem, Text
from companion.table.identification import Pad
from companion.table.sightings import ActivityReport, BoardSighting, Health, Post, Press, Report, Sighting
from companion.texts import describe_os_error
from companion.user_files import BadFile, read_limited_bytes

VERSION = 1
"""Version of the file format; a file with a higher version is refused."""
MOST_BYTES = 50_000_000
"""Largest file that is read; four hours with a camera take about 10 MB."""
LONGEST_NAME = 200
LONGEST_SECONDS = 7 * 24 * 3600.0
SEATS = range(1, 100)
_KINDS: dict[
    str, type[Sighting] | type[Press] | type[Health] | type[ActivityReport] | type[BoardSighting]
] = {
    "sighting": Sighting,
    "press": Press,
    "health": Health,
    "unrest": ActivityReport,
    "board": BoardSighting,
}


class RecordingError(Problem):
    """Raised for a file that cannot be played. `text` says why and where, for the players."""

    prefix = "reader.recorded."


class RecordingHeader(msgspec.Struct, frozen=True):
    """First line of a recording: version of the format, name of the game, name of the deck."""

    recording: int
    game: str = ""
    deck: str = ""


class Recorder:
    """Writes reports to a file on their way from the readers to the live session. Thread-safe.

    `pads` says what the readers' pads are for: cards on a face-down pad are recorded without their
    design. If the file cannot be written, the recording ends with a message to the players and the
    session goes on.
    """

    name = "recording"

    def __init__(
        self, path: Path, header: RecordingHeader, post: Post, pads: Mapping[str, Pad] | None = None
    ) -> None:
        self._post = post
        self._face_down = {name for name, pad in (pads or {}).items() if pad.face_down}
        self._lock = threading.Lock()
        self._file: IO[str] | None = None
        self._began = time.monotonic()
        try:
            # "x": an earlier recording is never overwritten.
            self._file = open_private_file(path, "x")
        except OSError as error:
            self._report_failure(error)
            return
        self._write_line(json.dumps(msgspec.to_builtins(header)))

    def post(self, report: Report) -> None:
        """Record the report and pass it on."""
        # A device's state says nothing when the recording is played: that device is not there.
        if not isinstance(report, Health):
            self._write_line(json.dumps(self._encode_report(report), ensure_ascii=False))
        self._post(report)

    def close(self) -> None:
        """Close the file. Reports are still passed on, but no longer recorded."""
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None

    def _encode_report(self, report: Sighting | Press | ActivityReport | BoardSighting) -> dict[str, Any]:
        if isinstance(report, Sighting):
            # The plan of pads decides what lies face down, whatever the reader reported.
            if report.where in self._face_down:
                report = msgspec.structs.replace(report, face="down")
            report = report.redact()
        kind = next(kind for kind, cls in _KINDS.items() if isinstance(report, cls))
        fields = {
            field.name: msgspec.to_builtins(value)
            for field in msgspec.structs.fields(report)
            if (value := getattr(report, field.name)) != field.default or field.required
        }
        return {"kind": kind, **fields, "at": round(report.at - self._began, 4)}

    def _write_line(self, line: str) -> None:
        with self._lock:
            if self._file is None:
                return
            try:
                self._file.write(line + "\n")
                # Flushed line by line: a program that is killed loses only the last line, which
                # `read_recording` tolerates.
                self._file.flush()
            except OSError as error:
                # Closing tries again to write the rest.
                with contextlib.suppress(OSError):
                    self._file.close()
                self._file = None
                self._report_failure(error)

    def _report_failure(self, error: OSError) -> None:
        text = Text("reader.recorded.not_written", {"why": describe_os_error(error)})
        self._post(Health(self.name, "lost", text, time.monotonic()))


def read_recording(path: Path) -> tuple[RecordingHeader, list[Report]]:
    """Read a whole recording. A last line that was cut off (the program was killed) is skipped.

    Raises `RecordingError` for a file that is missing, unreadable, too new or malformed.
    """
    try:
        lines = read_limited_bytes(path, MOST_BYTES).split(b"\n")
    except BadFile as error:
        raise RecordingError(error.text) from error
    except FileNotFoundError as error:
        raise RecordingError("missing", file=str(path)) from error
    except IsADirectoryError as error:
        raise RecordingError("no_recording", file=str(path)) from error
    except OSError as error:
        raise RecordingError("unreadable", file=str(path), why=describe_os_error(error)) from error
    try:
        header = msgspec.json.decode(lines[0], type=RecordingHeader)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RecordingError("no_recording", file=str(path)) from error
    if header.recording > VERSION:
        raise RecordingError("too_new", file=str(path), version=header.recording)
    return header, list(_parse_reports(path, lines[1:]))


def _parse_reports(path: Path, lines: list[bytes]) -> Iterator[Report]:
    for number, line in enumerate(lines, 2):
        if not line.strip():
            continue
        try:
            fields = msgspec.json.decode(line, type=dict[str, Any])
            report = msgspec.convert(_add_missing_sense(fields), _KINDS[fields.pop("kind")])
            if not _is_plausible(report):
                raise LookupError("no reader reports this")
            # Skipped too when reading, as older recordings contain it.
            if not isinstance(report, Health):
                yield report
        except (msgspec.DecodeError, LookupError, TypeError, UnicodeDecodeError, RecursionError) as error:
            # `number` counts from 2, so this is the last line: the program was killed while it
            # wrote it.
            # The last line, without a line end.
            if number > len(lines):
                return
            raise RecordingError("bad_line", file=str(path), line=number) from error


def _add_missing_sense(fields: dict[str, Any]) -> dict[str, Any]:
    """Fill in the kind of reader for older recordings, which tell it only by the first word of its
    name."""
    if fields["kind"] == "sighting" and str(fields.get("reader", "")).split()[:1] == ["rfid"]:
        fields.setdefault("sense", "tag")
    return fields


def _is_plausible(report: Report) -> bool:
    """Check that every field is in the range that a reader can report; `msgspec` has checked the
    types."""
    has_name = (
        bool(report.reader.split()) and len(report.reader) <= LONGEST_NAME and report.reader.isprintable()
    )
    has_time = math.isfinite(report.at) and abs(report.at) <= LONGEST_SECONDS
    match report:
        case Press():
            return has_name and has_time and report.seat in SEATS
        case Sighting():
            words = (report.where, report.design or "", *report.candidates)
            few = len(report.candidates) <= LONGEST_NAME and len(report.quad) <= 4
            return (
                has_name
                and has_time
                and few
                and all(len(one) <= LONGEST_NAME and one.isprintable() for one in words)
            )
        case BoardSighting(board=board):
            words = (*itertools.chain.from_iterable(board.pawns), *board.hidden)
            few = len(words) <= 3 * LONGEST_NAME
            return (
                has_name
                and has_time
                and few
                and all(len(one) <= LONGEST_NAME and one.isprintable() for one in words)
            )
        case _:
            return has_name and has_time


class RecordedReader(ThreadReader):
    """Reader that plays a recording. `speed` 1 plays it in real time, 2 twice as fast, infinity at
    once.

    Reports keep the names of the readers they came from. Played at once, they are stamped as if the
    recording had just ended, so that the table shows the cards that were there at the end. To
    follow every step without waiting, feed the reports of `read_recording` to a table.
    """

    def __init__(self, path: Path, speed: float = 1.0) -> None:
        super().__init__("recorded")
        self.path = path
        self.speed = speed

    @property
    def can_restart(self) -> bool:
        """Never: reports that were already played would happen a second time."""
        return False

    def run(self) -> None:
        """Play the file to its end."""
        try:
            header, reports = read_recording(self.path)
        except RecordingError as error:
            self.report_health("lost", error.text)
            return
        self.report_health(
            "ok", Text("reader.recorded.playing", {"file": self.path.name, "deck": header.deck})
        )
        self._play_reports(reports)
        self.report_health("off", Text("reader.recorded.ended", {"file": self.path.name}))

    def _play_reports(self, reports: Iterable[Report]) -> None:
        # Readers take the time before they report, so two reports may be recorded out of order.
        reports = sorted(reports, key=lambda report: report.at)
        span = reports[-1].at if reports else 0.0
        instant = math.isinf(self.speed)
        # An instant replay is stamped into the past: debouncing then sees the original intervals.
        began = time.monotonic() - (span if instant else 0.0)
        for report in reports:
            due = began + (report.at if instant else report.at / self.speed)
            if self.wait(due - time.monotonic()):
                return
            self._post(msgspec.structs.replace(report, at=due))
