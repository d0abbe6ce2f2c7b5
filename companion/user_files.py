"""Read and write user-supplied files safely: limited in size and depth, never blocking.

A deck that came by mail may be anything: a pipe without a writer, a link to `/dev/zero`, brackets
nested a hundred thousand deep, a number of nine thousand digits. All of these raise `BadFile`,
which describes the problem in words. Errors for which callers have their own words pass through:
`OSError`, `UnicodeDecodeError`, `tomllib.TOMLDecodeError`.
"""

from __future__ import annotations

import codecs
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
"""Largest text file that is read, in bytes. A deck of a hundred designs has 10 kB; layouts and
plans of pads are smaller.
"""
DOTS = 64
"""Most dots in one line of TOML. A key of 50,000 parts makes as many nested tables, and took 3.5
GB. Ours have one part.
"""


_HUGE = re.compile(r"\b0[xob][0-9a-fA-F_]{64}")
"""Numbers in hexadecimal, octal or binary that are too long: Python reads them at any length and
then refuses to print them.
"""


class BadFile(Problem):
    """A user-supplied file that cannot be used; `text` says why."""

    prefix = "file."


def expand_path(name: str) -> Path:
    """Return the path for a file name that a person typed, with `~` expanded as in a shell.

    The name stays as it is if it begins with the home folder of an unknown user.
    """
    try:
        return Path(name).expanduser()
    except RuntimeError:
        return Path(name)


def read_limited_bytes(path: Path, max_bytes: int = TEXT_BYTES) -> bytes:
    """Return the contents of the ordinary file `path`, at most `max_bytes` bytes. Never blocks.

    Raises `BadFile` if it is not an ordinary file or too large, and `OSError`.
    """
    where = {"file": str(path)}
    try:
        # opening a pipe without a writer would block
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
        data = opened.read(max_bytes + 1) if found.st_size <= max_bytes else None
    if data is None or len(data) > max_bytes:
        raise BadFile("too_large", **where, most=max_bytes // 1000)
    return data


def write_file(path: Path, pieces: Iterable[bytes]) -> None:
    """Write all `pieces` to a file that a person named, without waiting for a reader if it is a
    pipe.

    Raises `OSError` that names the file, also for a pipe without a reader.
    """
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
    """Raise `PermissionError` for an existing file that its owner made read-only.

    Renaming a new file over it would ignore the old permissions, and so does root.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return
    if not mode & stat.S_IWUSR:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def write_file_atomically(path: Path, text: str) -> None:
    """Replace the contents of `path` by `text` (UTF-8) atomically; its folder is created if
    missing.

    A full disk or a crash leaves either the old contents or the new ones. Raises `OSError`, for a
    read-only file too.
    """
    refuse_read_only(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    # With our process's number: two programs may write the same file at once.
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            # Before the renaming: after a crash the new name might otherwise exist without the
            # text.
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def read_text(path: Path) -> str:
    """Return the text of the file `path`: UTF-8 with or without a byte order mark, or UTF-16 with
    one, as spreadsheet programs write it.

    Raises as `read_limited_bytes`, and `UnicodeDecodeError`.
    """
    content = read_limited_bytes(path, TEXT_BYTES)
    is_utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return content.decode("utf-16" if is_utf16 else "utf-8-sig")


def parse_toml(text: str, path: Path) -> dict[str, Any]:
    """Parse the TOML text of `path` and return its values.

    Raises `BadFile` for nesting or numbers that Python cannot handle, else
    `tomllib.TOMLDecodeError`.
    """
    if any(line.count(".") > DOTS for line in text.splitlines()):
        raise BadFile("too_deep", file=str(path))
    if _HUGE.search(text):
        raise BadFile("bad_number", file=str(path))
    try:
        return tomllib.loads(text)
    # It is a ValueError too: the clause below must not catch it.
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError as error:
        raise BadFile("too_deep", file=str(path)) from error
    except ValueError as error:  # a number of more digits than Python reads, a date that is none
        raise BadFile("bad_number", file=str(path)) from error
