"""One writer: a lock file beside the journal, held for as long as the program lives. The system frees it however the program ends."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path


class Held(OSError):
    """Another program holds the lock; `owner` is its process number, empty when it cannot be read."""

    def __init__(self, owner: str) -> None:
        super().__init__(f"held by process {owner or 'unknown'}")
        self.owner = owner


class Lock:
    """A held lock on the file `path` (made when missing, and left there). Raises `Held`, or `OSError` when the folder is unusable."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as fault:
            owner = os.read(self._file, 20).decode("ascii", "ignore").strip()
            os.close(self._file)
            raise Held(owner) from fault
        with contextlib.suppress(
            OSError
        ):  # a full disk: the number is only for the message to a second program
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Let another program have the journal; nothing happens the second time."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
