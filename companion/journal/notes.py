"""What people note of an evening: where it was played, and words of their own. One small file an
evening in a folder beside the journal, which only grows and is left alone.

It is named by the evening's number and by when it began, as its pictures are.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import msgspec

from companion.folders import private_folder
from companion.given_files import BadFile, bytes_of

LONGEST = 2_000
"""Characters of words at most."""
_LARGEST = 20_000


class EveningNotes(msgspec.Struct, frozen=True):
    """Where it was played, and what people wrote; "" where nothing."""

    place: str = ""
    words: str = ""

    @property
    def told(self) -> list[str]:
        """Both, as far as there are any."""
        return [one for one in (self.place, self.words) if one]


def _file(journal: Path, number: int, begun: float) -> Path:
    return journal.with_name(f"{journal.stem}-notes") / f"{number}-{int(begun)}.json"


def notes_of(journal: Path, number: int, begun: float) -> EveningNotes:
    """Return what was noted of the evening of this number, that began then (seconds since 1970);
    nothing where the file is damaged."""
    with suppress(OSError, BadFile, msgspec.DecodeError, UnicodeDecodeError):
        return msgspec.json.decode(bytes_of(_file(journal, number, begun), _LARGEST), type=EveningNotes)
    return EveningNotes()


def keep_notes(journal: Path, number: int, begun: float, notes: EveningNotes) -> None:
    """Keep them for their owner alone, whole or not at all; none at all leave no file. Raises
    `OSError`."""
    file = _file(journal, number, begun)
    if not notes.told:
        file.unlink(missing_ok=True)
        return
    private_folder(file.parent)
    draft = file.with_suffix(".new")
    draft.touch(mode=0o600)
    cut = EveningNotes(notes.place[:LONGEST], notes.words[:LONGEST])
    draft.write_bytes(msgspec.json.encode(cut))
    draft.replace(file)
