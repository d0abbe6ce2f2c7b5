"""How this evening's cameras render the ink of its deck, kept with the session: whoever goes on
with it reads its first card as the last ones were read.

It lies beside the journal, a file an evening, and never goes into the deck: another evening has
another light. It only saves the few clear cards that would teach it anew, so nothing is told where
it cannot be written, and a damaged file counts as none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import msgspec

from companion.folders import private_folder
from companion.given_files import BadFile, bytes_of
from companion.journal.kept import Kept
from companion.live.live import Live
from companion.live.snapshot import Snapshot
from companion.readers.camera.reader import CameraReader
from vision.naming.response import InkSums

LARGEST = 500_000
"""Bytes of one file at most; a camera's word has at most 24 cards of 18 numbers, 10 kB."""

Ink = Mapping[str, Sequence[InkSums]]
"""What the cards have told, by the camera and the deck (`_key`)."""


def file(journal: Path, kept: Kept) -> Path:
    """Return where the ink of an evening lies, if any is known."""
    return journal.with_name(f"{journal.stem}-ink") / f"{kept.number}-{int(kept.begun)}.json"


def keep(place: Path, ink: Ink) -> None:
    """Write what is known, for its owner alone, whole or not at all. Raises `OSError`."""
    private_folder(place.parent)
    draft = place.with_suffix(".new")
    draft.touch(mode=0o600)
    draft.write_bytes(
        msgspec.json.encode({key: [told.numbers for told in says] for key, says in ink.items()})
    )
    draft.replace(place)


def read(place: Path) -> dict[str, list[InkSums]]:
    """Return what was kept in a file; nothing where there is none or it is damaged."""
    with suppress(OSError, BadFile, msgspec.DecodeError, ValueError):
        kept = msgspec.json.decode(bytes_of(place, LARGEST), type=dict[str, list[list[float]]])
        return {key: [InkSums.of(numbers) for numbers in says] for key, says in kept.items()}
    return {}


class InkKeeper:
    """Gives the cameras of a session that is gone on with what they knew, and keeps what they
    learn.

    `deck`: the name of the cards they look at; `kept`: the session that is gone on with, if it is
    one.
    """

    def __init__(self, live: Live, cameras: Sequence[CameraReader], deck: str, kept: Kept | None) -> None:
        self._live = live
        self._cameras = {_key(deck, camera): camera for camera in cameras}
        self._hands = ThreadPoolExecutor(1, "ink")  # who plays waits for no disk
        journal = live.journal.path
        before = read(file(journal, kept)) if journal is not None and kept is not None else {}
        for key, camera in self._cameras.items():
            camera.remember(before.get(key, ()))
        self._ink = self._now()
        live.subscribe(self._look)

    def close(self) -> None:
        """Keep what was learnt last, and finish what was begun."""
        self._look(self._live.snapshot())
        self._hands.shutdown()

    def _now(self) -> dict[str, tuple[InkSums, ...]]:
        return {key: camera.ink for key, camera in self._cameras.items()}

    def _look(self, _snapshot: Snapshot) -> None:
        """Keep what is new. Each act of the table is a moment for it: after a power cut as much is
        known as of the game."""
        ink = self._now()
        if all(says is self._ink[key] for key, says in ink.items()):
            return
        self._ink = ink
        journal, kept = self._live.journal.path, self._live.journal.evening()
        if journal is not None and kept is not None:
            self._hands.submit(_keep, file(journal, kept), ink)


def _keep(place: Path, ink: Ink) -> None:
    with suppress(OSError):
        keep(place, ink)


def _key(deck: str, camera: CameraReader) -> str:
    """Name a camera and the deck it looks at: of other cards, and to another camera, ink looks
    otherwise."""
    return f"{deck} / {camera.source.name}"
