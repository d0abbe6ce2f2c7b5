"""Read and write user-supplied files safely: limited in size and depth, never blocking.

A deck that came by mail may be anything: a pipe without a writer, a link to `/dev/zero`, brackets
nested a hundred thousand deep, a number of nine thousand digits. All of these raise `BadFile`,
which describes the problem in words. Errors for which callers have their own words pass through:
`OSError`, `UnicodeDecodeError`, `tomllib.TOMLDecodeError`.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import os
import re
import shutil
import stat
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from companion.rules.contract import Problem

if sys.platform == "win32":
    import msvcrt
# Not on Windows, which has `msvcrt` instead.
with contextlib.suppress(ImportError):
    import fcntl

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


class SaveInDoubt(OSError):
    """Raised if a file was replaced, but the new contents may be undone by a power failure."""

    is_in_doubt = True


def write_file_atomically(path: Path, data: str | bytes, *, is_private: bool = False) -> None:
    """Replace the contents of `path` by `data` (text as UTF-8) atomically; see `open_atomically`.
    The folder is created if missing.

    Raises `OSError`, for a read-only file too, and `SaveInDoubt`.
    """
    refuse_read_only(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_atomically(path, is_private=is_private) as file:
        file.write(data.encode() if isinstance(data, str) else data)


@contextlib.contextmanager
def open_atomically(path: Path, *, is_private: bool = False) -> Iterator[BinaryIO]:
    """Open a file for the block to fill (its path is `name`), which then takes the place of `path`.
    `is_private`: only the owner may read it.

    An error in the block, a full disk or a crash leaves the old contents, and a power failure after
    the block leaves the new ones. Raises `OSError`, for a read-only file too, and `SaveInDoubt`.
    """
    refuse_read_only(path)
    # With our process's number: two programs may write the same file at once.
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    mode = 0o600 if is_private else 0o666
    try:
        with open(temporary, "wb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            yield file
            file.flush()
            # Before the renaming: after a crash the new name might otherwise exist without the
            # text.
            os.fsync(file.fileno())
        if not is_private:
            _copy_permissions(path, temporary)
        temporary.replace(path)
    finally:
        # What cannot be deleted either is written over the next time.
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
    try:
        sync_folder(path.parent)
    except OSError as fault:
        raise SaveInDoubt(fault.errno, fault.strerror, str(path)) from fault


def _copy_permissions(source: Path, target: Path) -> None:
    """Give `target` the permissions of the file that it replaces, which may be there for others to
    read."""
    with contextlib.suppress(FileNotFoundError):
        mode = stat.S_IMODE(source.stat().st_mode)
        if mode != stat.S_IMODE(target.stat().st_mode):
            target.chmod(mode)


def write_file(path: Path, pieces: Iterable[bytes]) -> None:
    """Write all `pieces` to a file that a person named: atomically, or straight into a pipe or
    device, without waiting for a reader.

    Raises `OSError` that names the file, also for a pipe without a reader, and `SaveInDoubt`.
    """
    try:
        if _is_special(path):
            _write_into(path, pieces)
        else:
            # Of a link the file that it names is replaced, not the link.
            with open_atomically(Path(os.path.realpath(path))) as file:
                file.writelines(pieces)
    except SaveInDoubt:
        raise
    except OSError as fault:  # of a full disk the system names no file
        raise OSError(fault.errno, fault.strerror, str(path)) from fault


def _is_special(path: Path) -> bool:
    """Check whether `path` is a pipe, a device or a folder, not an ordinary file or a new one."""
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return False


def _write_into(path: Path, pieces: Iterable[bytes]) -> None:
    file = os.open(path, os.O_WRONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
    with open(file, "wb") as opened:  # noqa: PTH123 - what was opened without waiting
        if hasattr(os, "set_blocking"):
            os.set_blocking(file, True)
        opened.writelines(pieces)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable: new files, renamings and deletions. Raises `OSError`."""
    # Windows cannot open folders, and needs no such call.
    if hasattr(os, "O_DIRECTORY"):
        number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(number)
        except OSError as fault:
            # Some file systems know no such call for folders.
            if fault.errno not in (errno.EINVAL, errno.ENOTSUP):
                raise
        finally:
            os.close(number)


LOCK_TIMEOUT = 5.0
"""Seconds to wait for another program that changes the same file: it needs milliseconds."""


@contextlib.contextmanager
def hold_file_lock(path: Path) -> Iterator[None]:
    """Hold the lock on the file `path` (created if missing), so that no other program changes what
    it stands for; wait for one that does. Raises `OSError`."""
    number = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        end = time.monotonic() + LOCK_TIMEOUT
        while True:
            try:
                lock_open_file(number)
                break
            except (BlockingIOError, PermissionError):
                if time.monotonic() > end:
                    raise
            time.sleep(0.01)
        yield
    finally:
        os.close(number)


def lock_open_file(file: int) -> None:
    """Lock an open file for this program; raise `BlockingIOError`, or `PermissionError` on Windows,
    if another one has locked it."""
    if sys.platform == "win32":
        os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        os.lseek(file, 0, os.SEEK_SET)
    else:
        # `flock`, not `lockf`: a POSIX record lock is lost as soon as this program closes any
        # descriptor of the file.
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


_LOCKED_BYTE = 1 << 20
"""Position of the byte that is locked on Windows, where locked bytes cannot be read: far behind
what a lock file holds. It need not exist."""


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


def open_with_desktop(file: Path) -> bool:
    """Open a file in the program that the user's desktop has for it, without waiting for it; return
    False where there is no desktop (a console, a remote login)."""
    if sys.platform == "win32":
        os.startfile(file)
        return True
    program = "open" if sys.platform == "darwin" else "xdg-open"
    has_screen = sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if not has_screen or shutil.which(program) is None:
        return False
    # Nothing of what it says may reach the terminal, where the table is drawn.
    silent = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    threading.Thread(
        target=subprocess.run, args=([program, str(file)],), kwargs=silent, name="desktop", daemon=True
    ).start()
    return True
