"""Cameras whose pictures are known: a script of frames and faults, photographs of a drawn table."""

from __future__ import annotations

import time

import cv2
import numpy as np
from cards import world

from companion.readers.camera.sources import Frame, Source, SourceError


def frame(image=None, at=0.0):
    return Frame(np.zeros((90, 160, 3), np.uint8) if image is None else image, at)


def photograph(folder, *scenes, start=1):
    """Photograph one table after another; a scene is a list of (card, zone)."""
    folder.mkdir(exist_ok=True)
    for number, scene in enumerate(scenes, start):
        table = world(seed=number)
        for card, zone in scene:
            table.lay_card(card, zone)
        cv2.imwrite(str(folder / f"photo-{number}.jpg"), table.render_frame(), [cv2.IMWRITE_JPEG_QUALITY, 92])
    return table


class Scripted(Source):
    """A camera whose frames, faults and openings follow a script; at a function in it the last
    frame stays until that says so."""

    keeps_every_frame = False
    can_reconnect = True

    def __init__(self, *script):
        super().__init__("scripted")
        self.script = list(script)
        self.opened = self.closed = 0

    def open(self):
        self.opened += 1
        if self.script and isinstance(self.script[0], str):
            raise SourceError(self.script.pop(0), device=self.name, there="")

    def read(self, wait):
        if wait(0.02):
            return None
        step = self.script.pop(0) if self.script else self.last
        if callable(step):
            if not step():
                self.script.insert(0, step)
            step = self.last
        if isinstance(step, str):
            raise SourceError(step, device=self.name)
        self.last = step
        return Frame(step, time.monotonic())

    def close(self):
        self.closed += 1
