"""A reader board without a port: what it is told to show and to play is noted."""

from __future__ import annotations

from companion.readers.rfid.board import BoardReader
from companion.readers.rfid.frames import WHOLE_BOARD, Light, Op


class NotedBoard(BoardReader):
    """`lights`: (pad's name, light) in order; `tunes` played."""

    def __init__(self, design_of, number=1, pads=None):
        super().__init__("/dev/ttyUSB0", design_of, number, pads)
        self.lights, self.tunes = [], []

    def _set_level(self, op, pad, level):
        if op is Op.LIGHT:
            self.lights.append((None if pad == WHOLE_BOARD else self.pads[pad], Light(level)))

    def play_tune(self, tune):
        self.tunes.append(tune)
