"""Find what a test leaves behind: processes, threads, open files and connections, temporary files.

`find_resources` takes a tenth of a millisecond, so it is called around every test; garbage is
collected only where something is left, so that a leak is reported by the test that made it and not
by whichever test runs when Python happens to collect.
"""

from __future__ import annotations

import gc
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

TIMEOUT = 15.0
"""Seconds in which a process or a thread that was told to end may do so, on a busy machine too."""
DESCRIPTORS = "/proc/self/fd"
PARTS = ("socket:", "pipe:", "/")
"""How the names of descriptors begin that a program has to close: the rest are its event loops'."""
KEPT = ("/dev/", "/proc/", sys.prefix)
"""What may stay open: devices, what is being looked through, and the fonts that Matplotlib has
read."""


def find_resources() -> set[object]:
    """Return what this process holds now: children (running or unreaped), threads, descriptors,
    and names in the folder for temporary files. Where there is no /proc, the first three are
    threads only."""
    threads = {thread for thread in threading.enumerate() if not isinstance(thread, threading._DummyThread)}
    return {*_children(), *threads, *_descriptors(), *_temporary_files()}


def wait_for_leaks(before: set[object]) -> list[str]:
    """Describe what is held now and was not held `before`; wait `TIMEOUT` seconds at most for what
    is about to end."""
    if not find_resources() - before:
        return []
    gc.collect()
    end = time.monotonic() + TIMEOUT
    while (left := find_resources() - before) and time.monotonic() < end:
        time.sleep(0.02)
    return sorted(map(_describe, left))


def _children() -> Iterator[str]:
    try:
        # One call tells that there are none, as after nearly every test.
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except (AttributeError, ChildProcessError):
        return
    for task in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):  # the thread has ended meanwhile
            for child in task.read_text().split():
                yield f"process {child}"


def _describe(resource: object) -> str:
    """Return its name; of a process the command too, which is no part of what it is known by: it
    changes when another program takes the process over, and when it ends."""
    kind, _, number = str(resource).partition(" ")
    command = ""
    with suppress(OSError):
        command = Path("/proc", number, "cmdline").read_text(errors="replace") if kind == "process" else ""
    return f"{resource} {command[:200]}".replace("\0", " ").strip()


def _descriptors() -> Iterator[str]:
    for descriptor in _entries(DESCRIPTORS):
        with suppress(OSError):  # another thread may close it meanwhile
            target = os.readlink(descriptor.path)  # noqa: PTH115 - paths take three times as long
            if target.startswith(PARTS) and not target.startswith(KEPT):
                yield f"descriptor {descriptor.name}: {target}"


def _temporary_files() -> Iterator[str]:
    for file in _entries(tempfile.gettempdir()):
        # PulseAudio's, in a browser; and what uv's processes lock against each other
        if not file.name.startswith(("pulse-", "uv-")):
            yield f"temporary file {file.name}"


def _entries(folder: str) -> list[os.DirEntry[str]]:
    with suppress(FileNotFoundError), os.scandir(folder) as found:
        return list(found)
    return []
