"""Crash reports: the sentence people see, and a report in a file.

The report names functions and lines only. It contains no value of a variable and no exception
message, since either may name a card that lies face down.
"""

from __future__ import annotations

import platform
import sys
import time
import traceback

from companion import __version__
from companion.folders import make_private_folder, open_private_file, user_data_folder
from companion.rules.contract import Text

FILE = "crash.txt"
"""File name of the report, in the folder of the journal. Only the newest report is kept."""


def describe_missing_library(fault: BaseException) -> Text | None:
    """Return a message about the system library that OpenCV is missing here and how to get it, or
    None for any other `fault`.
    """
    from vision.errors import OPENCV_NEEDS, missing_library  # noqa: PLC0415 - the first screen waits for no reader

    library = missing_library(fault)
    if not library:
        return None
    packages = {name: " ".join(wanted) for name, wanted in OPENCV_NEEDS.items()}
    return Text("opencv.wanting", {"library": library, **packages})


def report_crash(fault: BaseException) -> Text:
    """Write the crash report and return the message for the players: where the report is, and that
    the journal is complete.

    A missing system library (`describe_missing_library`) is not our mistake: it is described, and
    no report is written.
    """
    lacking = describe_missing_library(fault)
    if lacking is not None:
        return lacking
    kind = type(fault).__name__
    try:
        # The folder may not exist yet: the first start can crash too.
        make_private_folder(user_data_folder())
        file = user_data_folder() / FILE
        with open_private_file(file) as target:
            target.write(format_crash_report(fault))
    except OSError:
        return Text("crash.said", {"kind": kind})
    return Text("crash.kept", {"kind": kind, "file": str(file)})


def format_report_heading() -> str:
    """Return the first line of a report that is sent to somebody: program, platform and time."""
    return f"companion {__version__}, Python {platform.python_version()}, {sys.platform}, {time.strftime('%Y-%m-%d %H:%M:%S')}"


def format_crash_report(fault: BaseException) -> str:
    """Return the text of the report for `fault`: types of exceptions, functions and lines, causes
    included.
    """
    lines = [format_report_heading()]
    # Two exceptions may name each other as their context.
    seen: set[int] = set()
    step: BaseException | None = fault
    while step is not None and id(step) not in seen:
        seen.add(id(step))
        frames = traceback.StackSummary.extract(traceback.walk_tb(step.__traceback__), capture_locals=False)
        lines += ["", type(step).__name__, *(f"  {one.filename}:{one.lineno} {one.name}" for one in frames)]
        step = step.__cause__ or step.__context__
    return "\n".join(lines) + "\n"
