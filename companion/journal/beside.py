"""Files that accompany a journal: lock, high-water mark, and each session's notes, photo and
pictures.

Lock: there is one writer. It is held as long as the program lives; the system releases it however
the program ends.

High-water mark: SQLite finds a damaged page, but it cannot know that the file was replaced by an
older copy, or that its end is missing. The mark can: it records the session written last, its
number of entries and the head of their hash chain (`build_schema.compute_next_link`). It has a
fixed size, so a full disk does not stop it. A mark that is missing or torn proves nothing and is
not an error: the next entry writes it again.

Notes and pictures: where the session was played, what people wrote about it, a photo, and pictures
of revealed cards if people want to keep them. Their names contain the session's number and start
time, so that a new journal does not find those of another one. They are separate files because the
journal itself only grows.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import sys
import zlib
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from companion import libraries
from companion.folders import make_private_folder
from companion.journal.saved_session import SavedSession
from companion.rules.contract import Problem
from companion.user_files import BadFile, read_limited_bytes

if sys.platform == "win32":
    import msvcrt
# Not on Windows, which has `msvcrt` instead.
with suppress(ImportError):
    import fcntl

_LOCKED_BYTE = 1 << 20
"""Position of the byte that is locked on Windows, where locked bytes cannot be read: far behind the
process number. It need not exist."""


_PROCESS_BYTES = 20
"""Bytes that hold the process number of the lock's owner."""


class LockHeld(OSError):
    """Raised if another program holds the lock; `owner` is its process number, "" if it cannot be
    read."""

    def __init__(self, owner: str) -> None:
        super().__init__(f"held by process {owner or 'unknown'}")
        self.owner = owner


class Lock:
    """Lock on the file `path` (created if missing, never deleted). Raises `LockHeld`, or `OSError`
    if the folder cannot be used."""

    @classmethod
    def for_journal(cls, journal: Path) -> Lock:
        """Take the lock of a journal."""
        return cls(journal.with_name(journal.name + ".lock"))

    def __init__(self, path: Path) -> None:
        self._path = path
        self._acquire_lock()

    def _acquire_lock(self) -> None:
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        try:
            _lock_file(self._file)
        except (BlockingIOError, PermissionError) as fault:
            owner = os.read(self._file, _PROCESS_BYTES).decode("ascii", "ignore").strip()
            os.close(self._file)
            raise LockHeld(owner) from fault
        # Not essential on a full disk: the number is only shown to people who start a second
        # program.
        with suppress(OSError):
            # Padded to a fixed length, not truncated: truncating may wait until everything is
            # written to the disk.
            os.write(self._file, f"{os.getpid():<{_PROCESS_BYTES - 1}}\n".encode())

    def renew(self) -> None:
        """Take the lock again if its file was deleted, because other programs could not see any
        more that the journal is in use. Raises the same as the constructor."""
        with suppress(OSError):
            if os.path.samestat(self._path.stat(), os.fstat(self._file)):
                return
        old_file = self._file
        # The new lock is taken before the old one is released: the journal is never without one.
        self._acquire_lock()
        os.close(old_file)

    def release(self) -> None:
        """Release the journal for other programs; calling it again does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _lock_file(file: int) -> None:
    """Lock the file for this program; raise `BlockingIOError`, or `PermissionError` on Windows, if
    it is locked."""
    if sys.platform == "win32":
        os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        os.lseek(file, 0, os.SEEK_SET)
    else:
        # `flock`, not `lockf`: a POSIX record lock is lost as soon as this program closes any
        # descriptor of the file, as `renew` does with the old one.
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


_CHECKPOINT_BYTES = 256
"""Size of a mark: it replaces the previous one in a single write within one disk sector."""


class Checkpoint(msgspec.Struct, frozen=True):
    """Minimum content of the journal: `entries` of the session `session`, the last of which has the
    link `digest` (hexadecimal), and `total` entries of all sessions together."""

    session: int
    entries: int
    digest: str
    total: int


def checkpoint_path(journal: Path) -> Path:
    """Return the path of a journal's mark."""
    return journal.with_name(journal.name + ".mark")


def read_checkpoint(journal: Path) -> Checkpoint | None:
    """Return the mark of a journal; None if there is no valid one."""
    with suppress(OSError, ValueError, msgspec.DecodeError):
        # Not blocking: something else, such as a FIFO, may have that name.
        file = os.open(checkpoint_path(journal), os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with contextlib.closing(os.fdopen(file, "rb")) as opened:
            line, check = opened.read(_CHECKPOINT_BYTES).split(b" ")[:2]
        # A write that a power failure interrupted has a wrong checksum.
        if int(check, 16) == zlib.crc32(line):
            return msgspec.json.decode(line, type=Checkpoint)
    return None


def write_checkpoint(journal: Path, checkpoint: Checkpoint, *, synced: bool) -> None:
    """Write the mark. `synced`: it is on the disk when this returns; otherwise the system writes it
    later, even if the program is killed.

    If the disk refuses, the previous mark stays, and is still true: the journal never loses
    entries.
    """
    line = msgspec.json.encode(checkpoint)
    data = b"%s %08x " % (line, zlib.crc32(line))
    with suppress(OSError):
        file = os.open(
            checkpoint_path(journal), os.O_WRONLY | os.O_CREAT | getattr(os, "O_NONBLOCK", 0), 0o600
        )
        try:
            os.write(file, data.ljust(_CHECKPOINT_BYTES - 1) + b"\n")
            if synced:
                os.fsync(file)
        finally:
            os.close(file)


LONGEST_NOTES = 2_000
"""Longest notes, in characters."""
_LARGEST_NOTES = 20_000


class SessionNotes(msgspec.Struct, frozen=True):
    """Notes about a session: where it was played, and what people wrote; "" for nothing."""

    place: str = ""
    words: str = ""

    @property
    def nonempty_texts(self) -> list[str]:
        """The notes that are not empty."""
        return [one for one in (self.place, self.words) if one]


def _notes_path(journal: Path, number: int, begun: float) -> Path:
    return journal.with_name(f"{journal.stem}-notes") / f"{number}-{int(begun)}.json"


def read_notes(journal: Path, number: int, begun: float) -> SessionNotes:
    """Return the notes of the session with that number and start (seconds since 1970); empty if the
    file is missing or damaged."""
    with suppress(OSError, BadFile, msgspec.DecodeError, UnicodeDecodeError):
        return msgspec.json.decode(
            read_limited_bytes(_notes_path(journal, number, begun), _LARGEST_NOTES), type=SessionNotes
        )
    return SessionNotes()


def save_notes(journal: Path, number: int, begun: float, notes: SessionNotes) -> None:
    """Save the notes atomically, readable by their owner only; empty notes delete the file. Raises
    `OSError`."""
    file = _notes_path(journal, number, begun)
    if not notes.nonempty_texts:
        file.unlink(missing_ok=True)
        return
    cut = SessionNotes(notes.place[:LONGEST_NOTES], notes.words[:LONGEST_NOTES])
    _write_private_file(file, msgspec.json.encode(cut))


def _write_private_file(file: Path, data: bytes) -> None:
    """Write a file atomically, readable by its owner only. Raises `OSError`."""
    make_private_folder(file.parent)
    draft = file.with_suffix(".new")
    # Private before anything is written into it.
    draft.touch(mode=0o600)
    draft.write_bytes(data)
    draft.replace(file)


LARGEST_PHOTO = 50_000_000
"""Largest photo that is accepted, in bytes; what is saved of it has a hundredth."""
_PHOTO_SIDE = 1600
"""Longer side of a saved photo in pixels: small enough to be sent by mail."""
_PHOTO_KINDS = ("JPEG", "PNG", "WEBP", "BMP", "TIFF")
"""Formats that are read: each is only a picture (an EPS would be executed)."""


def read_photo(journal: Path, number: int, begun: float) -> bytes:
    """Return the photo of the session with that number and start, as JPEG; empty if there is none
    that can be read."""
    with suppress(OSError, BadFile):
        return read_limited_bytes(_photo_path(journal, number, begun), LARGEST_PICTURE)
    return b""


def save_photo(journal: Path, number: int, begun: float, photo: bytes) -> None:
    """Save a photo of the people, readable by its owner only, upright and reduced in size; empty
    bytes delete it.

    Metadata of the camera (place, owner) is removed. Raises `OSError`, and `Problem` for a file
    that is not a picture.
    """
    file = _photo_path(journal, number, begun)
    if not photo:
        file.unlink(missing_ok=True)
        return
    image, buffer = libraries.Image, io.BytesIO()
    try:
        with image.open(io.BytesIO(photo), formats=_PHOTO_KINDS) as source:
            # Lets the JPEG decoder skip detail that is not needed.
            source.draft("RGB", (_PHOTO_SIDE, _PHOTO_SIDE))
            upright = libraries.ImageOps.exif_transpose(source).convert("RGB")
            upright.thumbnail((_PHOTO_SIDE, _PHOTO_SIDE))
            # A new image from the pixels alone, so that no metadata is carried over.
            image.frombytes("RGB", upright.size, upright.tobytes()).save(buffer, "JPEG", quality=85)
    except (OSError, ValueError, SyntaxError, EOFError, image.DecompressionBombError) as fault:
        raise Problem("evening.photo.no_picture") from fault
    _write_private_file(file, buffer.getvalue())


def _photo_path(journal: Path, number: int, begun: float) -> Path:
    return _notes_path(journal, number, begun).with_suffix(".jpg")


LARGEST_PICTURE = 2_000_000
"""Largest picture of cards in bytes; ours have a tenth of it."""
MOST_PICTURES = 500
"""Most pictures of one session: three times the tricks of the longest one that was simulated."""
_PICTURE_NAME = re.compile(r"(\d{4,9})\.jpg")


class Picture(NamedTuple):
    """JPEG of revealed cards, and the number of the entry (from 1) that resolved what they were
    about."""

    entry: int
    jpeg: bytes


def pictures_folder(journal: Path, saved: SavedSession) -> Path:
    """Return the folder of a session's pictures, which may not exist."""
    return journal.with_name(f"{journal.stem}-pictures") / f"{saved.number}-{int(saved.begun)}"


def save_picture(journal: Path, saved: SavedSession, jpeg: bytes) -> None:
    """Save the picture for the last entry, readable by its owner only. Raises `OSError`; beyond
    `MOST_PICTURES` nothing is saved."""
    folder = pictures_folder(journal, saved)
    if len(_list_picture_files(folder)) < MOST_PICTURES:
        _write_private_file(folder / f"{len(saved.entries):04}.jpg", jpeg)


def read_pictures(journal: Path, saved: SavedSession) -> list[Picture]:
    """Return the pictures of a session in order; unreadable ones are left out."""
    found = []
    for entry, file in _list_picture_files(pictures_folder(journal, saved)):
        with suppress(OSError, BadFile):
            found.append(Picture(entry, read_limited_bytes(file, LARGEST_PICTURE)))
    return found


def delete_pictures(journal: Path, saved: SavedSession) -> int:
    """Delete all pictures of a session, and return how many there were. Raises `OSError`."""
    folder = pictures_folder(journal, saved)
    count = len(_list_picture_files(folder))
    if folder.is_dir():
        shutil.rmtree(folder)
    return count


def _list_picture_files(folder: Path) -> list[tuple[int, Path]]:
    try:
        paths = list(folder.iterdir())
    except OSError:
        return []
    matches = ((_PICTURE_NAME.fullmatch(file.name), file) for file in paths)
    return sorted((int(name[1]), file) for name, file in matches if name is not None)
