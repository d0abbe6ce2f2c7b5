"""The one way in which files that people name are read and written: ordinary files of a bounded
size and depth, and never a wait.

A deck that came by mail may be anything: a pipe that nobody writes to, a link to `/dev/zero`,
brackets a hundred thousand deep, a number of nine thousand digits. Whatever it is becomes an error
in words. What a caller has words of its own for passes through: `OSError`, `UnicodeDecodeError`,
`tomllib.TOMLDecodeError`.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from companion.rules.contract import Problem

TEXT_BYTES = 1_000_000
"""No deck, layout or plan of pads is larger: a deck of a hundred designs has 10 kB."""
DOTS = 64
"""Dots in one line of TOML: a key of 50,000 parts makes as many tables, one in the other, and took
3.5 GB. Ours have one part."""


_HUGE = re.compile(r"\b0[xob][0-9a-fA-F_]{64}")
"""Python reads such a number of any length, and then cannot write it."""


class BadFile(Problem):
    """A file is not what such a file can be; `text` says what is wrong with it."""

    prefix = "file."


def path_of(name: str) -> Path:
    """Return the path that a person named, `~` read as a shell does: of a user whom this computer
    does not know it stays as it is."""
    try:
        return Path(name).expanduser()
    except RuntimeError:
        return Path(name)


def bytes_of(path: Path, most: int = TEXT_BYTES) -> bytes:
    """Return what is in the ordinary file `path`; at most `most` bytes. Raises `BadFile` and
    `OSError`; never waits."""
    where = {"file": str(path)}
    try:
        # a pipe that nobody writes to would hold up the opening
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except ValueError as error:  # a null byte in the name
        raise BadFile("no_file", **where) from error
    try:
        stream = open(file, "rb")  # noqa: PTH123, SIM115 - what is examined must be what is read
    except OSError as error:  # a folder: it is left open, and named by its number
        os.close(file)
        raise OSError(error.errno, error.strerror, str(path)) from error
    with stream as opened:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            raise BadFile("no_file", **where)
        # One byte more than allowed: a file may grow between the question for its size and the
        # reading.
        data = opened.read(most + 1) if found.st_size <= most else None
    if data is None or len(data) > most:
        raise BadFile("too_large", **where, most=most // 1000)
    return data


def write(path: Path, pieces: Iterable[bytes]) -> None:
    """Write all `pieces` to the file that a person named. Raises `OSError` with its name, also for
    a pipe that nobody reads; never waits for a reader."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
    file = os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)
    try:
        with open(file, "wb") as opened:  # noqa: PTH123 - what was opened without waiting
            if hasattr(os, "set_blocking"):
                os.set_blocking(file, True)
            opened.writelines(pieces)
    except OSError as fault:  # of a full disk the system names no file
        raise OSError(fault.errno, fault.strerror, str(path)) from fault


def refuse_read_only(path: Path) -> None:
    """Raise `PermissionError` where the file is there and its owner made it read-only.

    A file that is put in its place by renaming, and root, would heed no right of the old one.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return
    if not mode & stat.S_IWUSR:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def write_whole(path: Path, text: str) -> None:
    """Put `text` (UTF-8) in the file's place at once, in a folder that is made where there is none:
    a full disk, or a crash, leaves the old one or the new one. Raises `OSError`."""
    refuse_read_only(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    # With our process's number: two programs may write the same file at once.
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            # Before the renaming: a machine that crashes may else keep the new name and lose the
            # text.
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def text_of(path: Path) -> str:
    """Return the text (UTF-8, with or without a mark in front) of the file `path`. Raises as
    `bytes_of`, and `UnicodeDecodeError`."""
    return bytes_of(path, TEXT_BYTES).decode("utf-8-sig")


def toml(text: str, path: Path) -> dict[str, Any]:
    """Return the values of a TOML text from `path`. Raises `BadFile`, `tomllib.TOMLDecodeError`."""
    if any(line.count(".") > DOTS for line in text.splitlines()):
        raise BadFile("too_deep", file=str(path))
    if _HUGE.search(text):
        raise BadFile("bad_number", file=str(path))
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError as error:
        raise BadFile("too_deep", file=str(path)) from error
    except ValueError as error:  # a number of more digits than Python reads, a date that is none
        raise BadFile("bad_number", file=str(path)) from error
