"""The pictures of an evening's reveals, where the players wished to keep them: JPEG files in a
folder beside the journal, one a reveal.

The folder of an evening is named by its number and by when it began, so that a journal that is
begun anew finds no other evening's.
"""

from __future__ import annotations

import re
import shutil
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from companion.folders import private_folder
from companion.given_files import BadFile, bytes_of
from companion.journal.kept import Kept

LARGEST = 2_000_000
"""Bytes of one picture at most; ours have a tenth of it."""
MOST = 500
"""Pictures of one evening at most: three times the tricks of the longest one that was simulated."""
_NAME = re.compile(r"(\d{4,9})\.jpg")


class Picture(NamedTuple):
    """A JPEG of the cards that were turned up, and the number of the entry (from 1) that resolved
    what they were about."""

    entry: int
    jpeg: bytes


def folder(journal: Path, kept: Kept) -> Path:
    """Return where the pictures of an evening lie, if there are any."""
    return journal.with_name(f"{journal.stem}-pictures") / f"{kept.number}-{int(kept.begun)}"


def keep(journal: Path, kept: Kept, jpeg: bytes) -> None:
    """Keep the picture of what the last entry resolved, for its owner alone. Raises `OSError`;
    beyond `MOST` nothing is kept."""
    place = folder(journal, kept)
    private_folder(place)
    if len(_files(place)) >= MOST:
        return
    draft = place / "new"
    draft.touch(mode=0o600)
    draft.write_bytes(jpeg)
    draft.replace(place / f"{len(kept.entries):04}.jpg")


def pictures(journal: Path, kept: Kept) -> list[Picture]:
    """Return the pictures of an evening in their order; one that cannot be read is left out."""
    found = []
    for entry, file in _files(folder(journal, kept)):
        with suppress(OSError, BadFile):
            found.append(Picture(entry, bytes_of(file, LARGEST)))
    return found


def delete(journal: Path, kept: Kept) -> int:
    """Delete all pictures of an evening; return how many there were. Raises `OSError`."""
    place = folder(journal, kept)
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
