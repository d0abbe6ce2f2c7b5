"""Photos in a folder: which files are photos, and in which order they were taken."""

from __future__ import annotations

import re
from contextlib import suppress
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from companion import libraries
from vision.photo import MAX_BYTES

_HEIF = {".heic", ".heif", ".hif"}
PHOTOS = {
    *(".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".bmp", ".webp", ".tif", ".tiff", ".avif", ".gif"),
    *_HEIF,
}  # fmt: skip
"""File name extensions that count as photos."""

_NOT_READ = {".dng", ".cr2", ".cr3", ".nef", ".arw", ".raf", ".orf", ".rw2", ".heics", ".jxl"}
"""Extensions of pictures that are not read: cameras' raw data, series, and formats without a
decoder."""

_EXIF_IFD, _TAKEN, _TAKEN_FRACTION = 0x8769, 0x9003, 0x9291
"""Tags of Exif 3.0: the block of the photo's own data, and in it `DateTimeOriginal` and
`SubSecTimeOriginal`."""
_TIME = re.compile(r"(?!0000)\d{4}:\d\d:\d\d \d\d:\d\d:\d\d")
_CAMERA_NAME = re.compile(r"(\w{4})(\d{4})")


class PhotoListing(NamedTuple):
    """The files of a folder. `photos`: in the order in which they were taken. `copies`: photos that
    are there twice, with the file that is used. `pictures_not_read`: pictures in formats that are
    not read; `other_files`: all others. Hidden files are in none of them."""

    photos: tuple[Path, ...]
    is_by_time: bool
    """Whether that is not the order of their names."""
    copies: tuple[tuple[Path, Path], ...] = ()
    pictures_not_read: tuple[Path, ...] = ()
    other_files: tuple[Path, ...] = ()


def list_photos(folder: Path) -> PhotoListing:
    """List the photos of a folder. They are sorted by the time at which they were taken if all of
    them tell it, otherwise by name (numbers by value). Raises `OSError` if the folder cannot be
    read."""
    # macOS leaves `._IMG_0001.jpg` beside each photo on other systems' disks; it is no picture
    files = sorted((one for one in folder.iterdir() if not one.name.startswith(".")), key=_numeric_sort_key)
    photos = [one for one in files if one.suffix.lower() in PHOTOS]
    times = {one: read_time_taken(one) for one in photos}
    by_time = _start_after_counter_overflow(photos)
    if all(times.values()):
        by_time = sorted(photos, key=lambda one: times[one] or "")
    others = [one for one in files if one.suffix.lower() not in PHOTOS and one.is_file()]
    return PhotoListing(
        tuple(by_time),
        by_time != photos,
        pictures_not_read=tuple(one for one in others if one.suffix.lower() in _NOT_READ),
        other_files=tuple(one for one in others if one.suffix.lower() not in _NOT_READ),
    )


def _start_after_counter_overflow(photos: list[Path]) -> list[Path]:
    """Return photos, sorted by name, in the order in which they were taken if a camera's counter
    went from 9999 to 0001 between them (names by CIPA DC-009: four characters, four digits)."""
    names = [_CAMERA_NAME.fullmatch(one.stem) for one in photos]
    numbers = [int(name[2]) for name in names if name is not None]
    prefixes = {name[1] for name in names if name is not None}
    if len(numbers) < len(photos) or len(prefixes) != 1 or not {1, 9999} <= {*numbers}:
        return photos
    # the longest run of numbers that were not used is the time before the first photo
    first = max(range(1, len(numbers)), key=lambda at: numbers[at] - numbers[at - 1])
    return photos[first:] + photos[:first]


def leave_out_copies(listing: PhotoListing) -> PhotoListing:
    """Leave out photos that are there twice: the same file again, or one photo in two formats, as
    phones and cameras save it. Of two formats HEIC is left out, which fewer systems read."""
    used: dict[object, Path] = {}
    copies = []
    # HEIC last: of two formats the first one seen is used.
    for file in sorted(listing.photos, key=lambda one: one.suffix.lower() in _HEIF):
        keys = [file.stem.casefold(), _hash_content(file)]
        first = next((used[key] for key in keys if key in used), None)
        if first is not None:
            copies.append((file, first))
        used |= {key: first or file for key in keys if key is not None}
    left_out = {file for file, _ in copies}
    photos = tuple(file for file in listing.photos if file not in left_out)
    return listing._replace(photos=photos, copies=tuple(copies))


def read_time_taken(file: Path) -> str | None:
    """Return the time at which a photo was taken, by its Exif data, in a form that sorts
    (`2026:05:06 07:08:09.123`); None if it has none."""
    # a pipe would block, and anything else is reported when the photo itself is read
    if not file.is_file():
        return None
    with suppress(ImportError):
        import_module("pi_heif").register_heif_opener()
    # damaged metadata make Pillow raise almost anything; such a photo has no time
    with suppress(Exception), libraries.Image.open(file) as picture:
        block = picture.getexif().get_ifd(_EXIF_IFD)
        taken = str(block.get(_TAKEN, ""))
        if _TIME.fullmatch(taken):
            fraction = str(block.get(_TAKEN_FRACTION, "")).strip("\0 ")
            return f"{taken}.{fraction}" if fraction.isdecimal() else taken
    return None


def _hash_content(file: Path) -> bytes | None:
    try:
        if not file.is_file() or file.stat().st_size > MAX_BYTES:
            return None
        return blake2b(file.read_bytes()).digest()
    except OSError:
        return None


def _numeric_sort_key(file: Path) -> list[int | str]:
    """Return a sort key that puts `game2-10.jpg` after `game2-9.jpg`."""
    return [
        int(part) if place % 2 else part for place, part in enumerate(re.split(r"(\d+)", file.name.lower()))
    ]
