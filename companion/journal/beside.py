"""What lies beside a journal's file: the lock, that there is one writer; the mark of what the
journal held when it was last written, so that a loss shows; and of each evening what people noted
(where it was played, words of their own, a photo) and the pictures of its reveals, where they
wished to keep them.

The lock is held for as long as the program lives; the system frees it however the program ends.

SQLite finds a page that is damaged; that a whole, older copy lies in the file's place, or that the
file's end is gone, it cannot know. The mark can: the session written last, how many entries it had
and the head of their chain (`schema.linked`). It never grows, so a full disk does not stop it; a
mark that is missing or torn proves nothing and is no fault: the next entry writes it anew.

Notes and pictures are named by the evening's number and by when it began, so that a journal that is
begun anew finds no other evening's. The journal only grows and is left alone.
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
from companion.folders import private_folder
from companion.given_files import BadFile, bytes_of
from companion.journal.kept import Kept
from companion.rules.contract import Problem

if sys.platform == "win32":
    import msvcrt
with suppress(ImportError):  # Windows has another
    import fcntl

_FAR = 1 << 20
"""The byte that is locked on Windows, where a locked byte cannot be read: far behind the process
number, and it need not exist."""


_NUMBER = 20
"""The bytes that hold the process number of whoever has the lock."""


class Held(OSError):
    """Another program holds the lock; `owner` is its process number, "" when it cannot be read."""

    def __init__(self, owner: str) -> None:
        super().__init__(f"held by process {owner or 'unknown'}")
        self.owner = owner


class Lock:
    """A held lock on the file `path` (made when missing, and left there). Raises `Held`, or
    `OSError` when the folder is unusable."""

    @classmethod
    def beside(cls, journal: Path) -> Lock:
        """Take the lock of the journal `journal`."""
        return cls(journal.with_name(journal.name + ".lock"))

    def __init__(self, path: Path) -> None:
        self._path = path
        self._take()

    def _take(self) -> None:
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        try:
            _grab(self._file)
        except (BlockingIOError, PermissionError) as fault:
            owner = os.read(self._file, _NUMBER).decode("ascii", "ignore").strip()
            os.close(self._file)
            raise Held(owner) from fault
        with suppress(OSError):  # a full disk: the number is only for the message to a second program
            # As long as the one before: to truncate may wait until all is written to the disk.
            os.write(self._file, f"{os.getpid():<{_NUMBER - 1}}\n".encode())

    def renew(self) -> None:
        """Take the lock again if its file was deleted: nobody could tell any more that the journal
        is in use. Raises as at first."""
        with suppress(OSError):
            if os.path.samestat(self._path.stat(), os.fstat(self._file)):
                return
        lost = self._file
        self._take()
        os.close(lost)

    def release(self) -> None:
        """Let another program have the journal; nothing happens the second time."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _grab(file: int) -> None:
    """Lock the file for this program, or raise: `BlockingIOError`, on Windows `PermissionError`."""
    if sys.platform == "win32":
        os.lseek(file, _FAR, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        os.lseek(file, 0, os.SEEK_SET)
    else:
        # `flock`, not `lockf`: a POSIX record lock is lost as soon as this program closes any
        # descriptor of the file, as `renew` does with the old one.
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


_BYTES = 256
"""Of every mark: it is written over the one before in a single write, within one sector."""


class HighWaterMark(msgspec.Struct, frozen=True):
    """What the journal holds at least: `entries` of the session `session`, the last of which has
    the link `digest` (hexadecimal), and `total` entries of all sessions together."""

    session: int
    entries: int
    digest: str
    total: int


def mark_path(journal: Path) -> Path:
    """Return where the mark of the journal `journal` lies."""
    return journal.with_name(journal.name + ".mark")


def read_mark(journal: Path) -> HighWaterMark | None:
    """Return the mark of the journal `journal`; None without one that can be read."""
    with suppress(OSError, ValueError, msgspec.DecodeError):
        file = os.open(mark_path(journal), os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with contextlib.closing(os.fdopen(file, "rb")) as opened:
            line, check = opened.read(_BYTES).split(b" ")[:2]
        if int(check, 16) == zlib.crc32(line):
            return msgspec.json.decode(line, type=HighWaterMark)
    return None


def write_mark(journal: Path, mark: HighWaterMark, *, synced: bool) -> None:
    """Write the mark; `synced`: it is on the disk when this returns, else when the system writes
    it, which a killed program does not hinder.

    A disk that refuses leaves the one before, which still holds: what is kept is kept.
    """
    line = msgspec.json.encode(mark)
    data = b"%s %08x " % (line, zlib.crc32(line))
    with suppress(OSError):
        file = os.open(mark_path(journal), os.O_WRONLY | os.O_CREAT | getattr(os, "O_NONBLOCK", 0), 0o600)
        try:
            os.write(file, data.ljust(_BYTES - 1) + b"\n")
            if synced:
                os.fsync(file)
        finally:
            os.close(file)


LONGEST_NOTES = 2_000
"""Characters of words at most."""
_LARGEST_NOTES = 20_000


class EveningNotes(msgspec.Struct, frozen=True):
    """Where it was played, and what people wrote; "" where nothing."""

    place: str = ""
    words: str = ""

    @property
    def told(self) -> list[str]:
        """Both, as far as there are any."""
        return [one for one in (self.place, self.words) if one]


def _notes_file(journal: Path, number: int, begun: float) -> Path:
    return journal.with_name(f"{journal.stem}-notes") / f"{number}-{int(begun)}.json"


def notes_of(journal: Path, number: int, begun: float) -> EveningNotes:
    """Return what was noted of the evening of this number, that began then (seconds since 1970);
    nothing where the file is damaged."""
    with suppress(OSError, BadFile, msgspec.DecodeError, UnicodeDecodeError):
        return msgspec.json.decode(
            bytes_of(_notes_file(journal, number, begun), _LARGEST_NOTES), type=EveningNotes
        )
    return EveningNotes()


def keep_notes(journal: Path, number: int, begun: float, notes: EveningNotes) -> None:
    """Keep them for their owner alone, whole or not at all; none at all leave no file. Raises
    `OSError`."""
    file = _notes_file(journal, number, begun)
    if not notes.told:
        file.unlink(missing_ok=True)
        return
    cut = EveningNotes(notes.place[:LONGEST_NOTES], notes.words[:LONGEST_NOTES])
    _keep(file, msgspec.json.encode(cut))


def _keep(file: Path, data: bytes) -> None:
    """Write what its owner alone may read, whole or not at all. Raises `OSError`."""
    private_folder(file.parent)
    draft = file.with_suffix(".new")
    draft.touch(mode=0o600)
    draft.write_bytes(data)
    draft.replace(file)


LARGEST_PHOTO = 50_000_000
"""Bytes of a photo that is given; what is kept of it has a hundredth."""
_PHOTO_SIDE = 1600
"""Pixels of a photo's longer side at most: a page of it can be sent by mail."""
_PHOTO_KINDS = ("JPEG", "PNG", "WEBP", "BMP", "TIFF")
"""What is read: each is a picture and nothing else (an EPS would be run)."""


def photo_of(journal: Path, number: int, begun: float) -> bytes:
    """Return the photo of the evening of this number, that began then, as JPEG; nothing where there
    is none that can be read."""
    with suppress(OSError, BadFile):
        return bytes_of(_photo_file(journal, number, begun), LARGEST_PICTURE)
    return b""


def keep_photo(journal: Path, number: int, begun: float, photo: bytes) -> None:
    """Keep a photo of the people, for its owner alone, upright and small; nothing takes it away.

    Of what a camera writes into a file besides (where it was taken, by whom) nothing is kept.
    Raises `OSError`, and `Problem` for what is no picture.
    """
    file = _photo_file(journal, number, begun)
    if not photo:
        file.unlink(missing_ok=True)
        return
    image, kept = libraries.Image, io.BytesIO()
    try:
        with image.open(io.BytesIO(photo), formats=_PHOTO_KINDS) as given:
            given.draft("RGB", (_PHOTO_SIDE, _PHOTO_SIDE))
            upright = libraries.ImageOps.exif_transpose(given).convert("RGB")
            upright.thumbnail((_PHOTO_SIDE, _PHOTO_SIDE))
            image.frombytes("RGB", upright.size, upright.tobytes()).save(kept, "JPEG", quality=85)
    except (OSError, ValueError, SyntaxError, EOFError, image.DecompressionBombError) as fault:
        raise Problem("evening.photo.no_picture") from fault
    _keep(file, kept.getvalue())


def _photo_file(journal: Path, number: int, begun: float) -> Path:
    return _notes_file(journal, number, begun).with_suffix(".jpg")


LARGEST_PICTURE = 2_000_000
"""Bytes of one picture at most; ours have a tenth of it."""
MOST_PICTURES = 500
"""Pictures of one evening at most: three times the tricks of the longest one that was simulated."""
_NAME = re.compile(r"(\d{4,9})\.jpg")


class Picture(NamedTuple):
    """A JPEG of the cards that were turned up, and the number of the entry (from 1) that resolved
    what they were about."""

    entry: int
    jpeg: bytes


def pictures_folder(journal: Path, kept: Kept) -> Path:
    """Return where the pictures of an evening lie, if there are any."""
    return journal.with_name(f"{journal.stem}-pictures") / f"{kept.number}-{int(kept.begun)}"


def keep_picture(journal: Path, kept: Kept, jpeg: bytes) -> None:
    """Keep the picture of what the last entry resolved, for its owner alone. Raises `OSError`;
    beyond `MOST_PICTURES` nothing is kept."""
    place = pictures_folder(journal, kept)
    if len(_files(place)) < MOST_PICTURES:
        _keep(place / f"{len(kept.entries):04}.jpg", jpeg)


def pictures_of(journal: Path, kept: Kept) -> list[Picture]:
    """Return the pictures of an evening in their order; one that cannot be read is left out."""
    found = []
    for entry, file in _files(pictures_folder(journal, kept)):
        with suppress(OSError, BadFile):
            found.append(Picture(entry, bytes_of(file, LARGEST_PICTURE)))
    return found


def delete_pictures(journal: Path, kept: Kept) -> int:
    """Delete all pictures of an evening; return how many there were. Raises `OSError`."""
    place = pictures_folder(journal, kept)
    count = len(_files(place))
    if place.is_dir():
        shutil.rmtree(place)
    return count


def _files(place: Path) -> list[tuple[int, Path]]:
    try:
        there = list(place.iterdir())
    except OSError:
        return []
    named = ((_NAME.fullmatch(file.name), file) for file in there)
    return sorted((int(name[1]), file) for name, file in named if name is not None)
