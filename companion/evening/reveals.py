"""Pictures of the reveals: of the cards that the camera saw turned up and the table took, when what
they were about is resolved."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event

from companion.journal import pictures
from companion.live.live import Live
from companion.live.snapshot import Snapshot
from companion.readers.camera import revealed
from companion.readers.camera.reader import CameraReader
from companion.readers.camera.revealed import FaceUpCards
from companion.rules.contract import Text
from companion.table.identification import Key
from companion.texts import system_reason

REST = 2.0
"""Seconds that the cards may take to lie free: a hand that has just turned the last of them up is
still over it."""
_LOOK = 0.1


class Reveals:
    """Keeps the pictures of one evening. Only cards that were taken face up are in them, and only
    while they lie so."""

    def __init__(self, live: Live, cameras: Sequence[CameraReader]) -> None:
        self._live = live
        self._cameras = {camera.name: camera for camera in cameras}
        self._taken: dict[Key, str] = {}
        self._steps = live.steps
        self._hands = ThreadPoolExecutor(1, "pictures")  # who plays waits for no disk
        self._over = Event()
        self._failed = False
        live.on_answered(self._answered)
        live.subscribe(self._show)
        live.remark(Text("pictures.on"))

    def close(self) -> None:
        """Finish what was begun."""
        self._over.set()
        self._hands.shutdown()

    def _answered(self, tracks: Sequence[Key], accepted: bool) -> None:
        """Remember which face each card had that the table took."""
        if not accepted:
            return
        faces = self._faces()
        self._taken |= {key: faces[key] for key in tracks if key in faces}

    def _faces(self) -> dict[Key, str]:
        return {
            (name, track): face
            for name, camera in self._cameras.items()
            for track, face in camera.faces().items()
        }

    def _show(self, snapshot: Snapshot) -> None:
        """Take the picture when an act has resolved something; an undo that leads back to one
        resolves nothing."""
        steps, before = self._live.steps, self._steps
        self._steps = steps
        if steps == before or not snapshot.resolved or snapshot.can_redo or not self._taken:
            return
        lying = self._faces()
        taken, self._taken = {key: face for key, face in self._taken.items() if lying.get(key) == face}, {}
        journal, kept = self._live.journal.path, self._live.journal.evening()
        if journal is not None and kept is not None:
            self._hands.submit(self._keep, taken, partial(pictures.keep, journal, kept))

    def _keep(self, taken: Mapping[Key, str], keep: Callable[[bytes], None]) -> None:
        turned = self._turned_up(taken)
        if turned is None:
            return
        try:
            keep(revealed.jpeg(turned))
        except OSError as fault:
            if not self._failed:  # said once: a disk that is full stays full
                self._live.remark(Text("pictures.not_kept", {"reason": system_reason(fault)}))
            self._failed = True

    def _turned_up(self, taken: Mapping[Key, str]) -> FaceUpCards | None:
        """Return the picture in which most of the cards lie free; None where none does before they
        are taken away."""
        best: FaceUpCards | None = None
        until = time.monotonic() + REST
        while True:
            for name, camera in self._cameras.items():
                turned = camera.turned_up(_of(name, taken))
                if len(turned.quads) > (0 if best is None else len(best.quads)):
                    best = turned
            whole = best is not None and len(best.quads) == len(taken)
            if whole or time.monotonic() >= until or self._over.wait(_LOOK):
                return best


def _of(name: str, taken: Mapping[Key, str]) -> dict[int, str]:
    return {track: face for (reader, track), face in taken.items() if reader == name}
