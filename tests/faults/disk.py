"""A disk that fails on demand, and the states in which it may be found after a power failure.

The shim (`disk_shim.c`) is loaded by LD_PRELOAD; `Disk` controls it from within the same process,
so that one process tries thousands of faults.

The model of a power failure is pessimistic, and the same for every file system. What was written
since the last `fsync` of a file may be on the disk or not, each write for itself. After an `fsync`
that failed, the system takes the pages for written and forgets them: they may be missing for ever,
unless they are written again (https://wiki.postgresql.org/wiki/Fsync_Errors). New names, renamings
and deletions happen in order; they are certain after an `fsync` of their folder, or of the new
file.
"""

from __future__ import annotations

import ctypes
import errno
import random
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

CALLS = ("open", "read", "write", "fsync", "truncate", "rename", "unlink", "mkdir", "chmod", "lock")
"""The calls that can fail, in the shim's order."""
SHORT = -1
"""In place of an errno: half of what was asked for is read or written."""
FOR_GOOD = -1
ERRORS = {"EIO": errno.EIO, "ENOSPC": errno.ENOSPC, "EINTR": errno.EINTR, "short": SHORT}
_NEVER = 2**40
_HEAD = struct.Struct("=6q")


class Fault(NamedTuple):
    """The call number `nth` (from 1) of its kind fails, and all after it if it is for good."""

    call: str
    nth: int
    error: str
    for_good: bool

    def __str__(self) -> str:
        return f"{self.call} {self.nth} {self.error}{' for good' if self.for_good else ''}"


class Operation(NamedTuple):
    """One call of the trace; a failed one has an errno."""

    call: str
    failed: int
    path: str
    other: str
    offset: int
    data: bytes


class Disk:
    """The faults of one folder."""

    def __init__(self, folder: Path, trace: Path) -> None:
        self._shim = ctypes.CDLL(None)
        self._trace = trace
        self._shim.disk_watch(str(folder).encode(), str(trace).encode())

    def fail(self, fault: Fault | None) -> None:
        """Let calls fail from now on, or (None) only count them."""
        call, first, times, code = (-1, _NEVER, 1, 0) if fault is None else _encode(fault)
        self._shim.disk_arm(call, ctypes.c_long(first), ctypes.c_long(times), code)

    def heal(self) -> None:
        """Let no call fail any more."""
        self._shim.disk_disarm()

    def list_operations(self) -> list[Operation]:
        """List the calls up to now."""
        return [*_parse(self._trace.read_bytes())]

    def close(self) -> None:
        """Watch no folder any more."""
        self.heal()
        self._shim.disk_watch(b"", b"")


def _encode(fault: Fault) -> tuple[int, int, int, int]:
    # The system interrupts a call, and not every call for ever: SQLite rightly repeats it.
    times = FOR_GOOD if fault.error != "EINTR" else 3
    return CALLS.index(fault.call), fault.nth, times if fault.for_good else 1, ERRORS[fault.error]


def _parse(trace: bytes) -> Iterator[Operation]:
    at = 0
    while at < len(trace):
        call, failed, offset, size, length, other = _HEAD.unpack_from(trace, at)
        at += _HEAD.size
        words = [trace[at : at + length], trace[at + length : at + length + other]]
        at += length + other
        yield Operation(
            CALLS[call], failed, words[0].decode(), words[1].decode(), offset, trace[at : at + size]
        )
        at += size


class _File:
    """A file's writes in order, each with whether it is certain to be on the disk, and lost to the
    system."""

    def __init__(self, data: bytes = b"") -> None:
        self.base = data
        self.writes: list[list[object]] = []

    def sync(self) -> None:
        for write in self.writes:
            if write[2] == "pending":
                write[2] = "certain"

    def lose(self) -> None:
        for write in self.writes:
            if write[2] == "pending":
                write[2] = "lost"

    def build(self, choose: random.Random | None, *, everything: bool) -> bytes:
        data = bytearray(self.base)
        for offset, written, state in self.writes:
            chosen = state == "certain" or everything or (choose is not None and choose.random() < 0.5)
            if not chosen:
                continue
            if written is None:
                del data[offset:]
                data.extend(bytes(offset - len(data)))
            else:
                data.extend(bytes(max(0, offset - len(data))))
                data[offset : offset + len(written)] = written
        return bytes(data)


class PowerFailures:
    """The states of a folder after a power failure: what was there, and the operations since."""

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._files = {str(one): _File(one.read_bytes()) for one in folder.rglob("*") if one.is_file()}
        self._names = dict(self._files)
        self._certain_names = dict(self._files)
        self._changes: list[dict[str, _File]] = []

    def apply(self, operation: Operation) -> None:
        """Carry out one operation."""
        call, failed, path, other, offset, data = operation
        file = self._names.get(path)
        if call == "fsync":
            if file is None:
                self._commit_names(failed)
            elif failed > 0:
                # An interrupted sync has lost nothing yet.
                if failed != errno.EINTR:
                    file.lose()
            else:
                file.sync()
                if path not in self._certain_names:
                    self._commit_names(0)
        elif failed > 0:
            return
        elif call == "open" and offset:
            self._change_names({**self._names, path: _File()})
        elif call == "write" and file is not None:
            file.writes.append([offset, data, "pending"])
        elif call == "truncate" and file is not None:
            file.writes.append([offset, None, "pending"])
        elif call == "rename" and file is not None:
            self._change_names(
                {name: one for name, one in self._names.items() if name != path} | {other: file}
            )
        elif call == "unlink":
            self._change_names({name: one for name, one in self._names.items() if name != path})

    def _change_names(self, names: dict[str, _File]) -> None:
        self._names = names
        self._changes.append(names)

    def _commit_names(self, failed: int) -> None:
        if failed <= 0:
            self._certain_names, self._changes = self._names, []

    def list_states(self, count: int, seed: int) -> Iterator[dict[str, bytes]]:
        """Yield states, each as its files' contents: nothing that is not certain, everything, and
        `count` others."""
        chance = random.Random(seed)
        choices = [(self._certain_names, None, False), (self._names, None, True)]
        names = [self._certain_names, *self._changes]
        choices += [(chance.choice(names), chance, False) for _ in range(count)]
        seen = set()
        for chosen, choose, everything in choices:
            built = {
                str(Path(name).relative_to(self._folder)): one.build(choose, everything=everything)
                for name, one in chosen.items()
            }
            key = frozenset(built.items())
            if key not in seen:
                seen.add(key)
                yield built
