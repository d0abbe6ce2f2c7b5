"""Files that accompany a journal: each session's notes, photo and pictures.

They tell where the session was played and what people wrote about it, and hold a photo, and
pictures of revealed cards if people want to keep them. Their names contain the session's number and
start time, so that a new journal does not find those of another one. They are separate files
because the journal itself only grows.
"""

from __future__ import annotations

import glob
import io
import re
import shutil
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from companion import libraries
from companion.folders import make_private_folder
from companion.journal.saved_session import SavedSession
from companion.rules.contract import Problem
from companion.user_files import BadFile, read_limited_bytes, sync_folder, write_file_atomically

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
        _delete_file(file)
        return
    cut = SessionNotes(notes.place[:LONGEST_NOTES], notes.words[:LONGEST_NOTES])
    _write_private_file(file, msgspec.json.encode(cut))


def _write_private_file(file: Path, data: bytes) -> None:
    """Write a file atomically and durably, readable by its owner only. Raises `OSError`."""
    make_private_folder(file.parent)
    write_file_atomically(file, data, is_private=True)


def _delete_file(file: Path) -> None:
    """Delete a file durably, if it exists. Raises `OSError`."""
    if file.exists():
        file.unlink()
        sync_folder(file.parent)


def copy_sidecar_files(source: Path, number: int, target: Path, new: int, begun: float) -> None:
    """Copy a session's files beside the journal `source` to the journal `target`, where the session
    has the number `new`; existing files stay. Raises `OSError`."""
    for folder in source.parent.glob(f"{glob.escape(source.stem)}-*"):
        kind = folder.name.removeprefix(f"{source.stem}-")
        for file in folder.glob(f"{number}-{int(begun)}*"):
            to = target.with_name(f"{target.stem}-{kind}") / f"{new}{file.name.removeprefix(str(number))}"
            if file.is_dir():
                for picture in file.iterdir():
                    _copy_private_file(picture, to / picture.name)
            else:
                _copy_private_file(file, to)


def _copy_private_file(source: Path, target: Path) -> None:
    if not target.exists():
        _write_private_file(target, source.read_bytes())


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
        _delete_file(file)
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
