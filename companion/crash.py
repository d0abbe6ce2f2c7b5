"""A mistake of ours: what is said of it, and the report of it in a file.

The report names functions and lines only. No value of a variable is in it, and no exception's own
words: either may name a card that lies face down.
"""

from __future__ import annotations

import platform
import sys
import time
import traceback

from companion import __version__
from companion.folders import open_private, private_folder, user_data
from companion.rules.contract import Text

FILE = "crash.txt"
"""Beside the journal; the newest report only."""


def wanting(fault: BaseException) -> Text | None:
    """Say which library of the system OpenCV lacks here, and where it is to be had; None where
    `fault` is anything else."""
    from vision.errors import OPENCV_NEEDS, missing_library  # noqa: PLC0415 - the first screen waits for no reader

    library = missing_library(fault)
    if not library:
        return None
    packages = {name: " ".join(wanted) for name, wanted in OPENCV_NEEDS.items()}
    return Text("opencv.wanting", {"library": library, **packages})


def report(fault: BaseException) -> Text:
    """Write the report; return what is said: the journal has everything, the report lies there.

    What is no mistake of ours (`wanting`) is said, and not reported.
    """
    lacking = wanting(fault)
    if lacking is not None:
        return lacking
    kind = type(fault).__name__
    try:
        private_folder(user_data())
        file = user_data() / FILE
        with open_private(file) as target:
            target.write(words(fault))
    except OSError:
        return Text("crash.said", {"kind": kind})
    return Text("crash.kept", {"kind": kind, "file": str(file)})


def heading() -> str:
    """Return how a report begins that is sent to somebody: which program, where, when."""
    return f"companion {__version__}, Python {platform.python_version()}, {sys.platform}, {time.strftime('%Y-%m-%d %H:%M:%S')}"


def words(fault: BaseException) -> str:
    """Return the report."""
    lines = [heading()]
    # Two exceptions may name each other as their context.
    seen: set[int] = set()
    step: BaseException | None = fault
    while step is not None and id(step) not in seen:
        seen.add(id(step))
        frames = traceback.StackSummary.extract(traceback.walk_tb(step.__traceback__), capture_locals=False)
        lines += ["", type(step).__name__, *(f"  {one.filename}:{one.lineno} {one.name}" for one in frames)]
        step = step.__cause__ or step.__context__
    return "\n".join(lines) + "\n"
