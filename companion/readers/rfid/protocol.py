"""The numbers of firmware/PROTOCOL.md: what the program asks, and what the board tells."""

from __future__ import annotations

import enum

WHOLE_BOARD = 255
"""In the place of a pad: all of them, or none in particular."""


class Op(enum.IntEnum):
    """Commands of the board."""

    LIGHT = 1
    BUZZ = 2
    GAIN = 3
    SCAN = 4
    SNAPSHOT = 5
    DRIVE = 6
    SELF_TEST = 7


class Light(enum.IntEnum):
    """What a pad's light shows."""

    OFF = 0
    ACCEPTED = 1
    UNKNOWN = 2
    LOOK = 3
    TURN = 4
    HURRY = 5
    WHITE = 6


class Tune(enum.IntEnum):
    """What the buzzer plays."""

    SILENCE = 0
    ACCEPTED = 1
    UNKNOWN = 2
    HURRY = 3
    TIME_UP = 4
    TEST = 5


class What(enum.IntEnum):
    """Kinds of events on the wire."""

    ARRIVED = 1
    LEFT = 2
    BUTTON = 3
    FAULT = 4
    SNAPSHOT_BEGIN = 5
    SNAPSHOT_BUTTONS = 6
    SNAPSHOT_PAD = 7
    SNAPSHOT_TAG = 8
    SNAPSHOT_END = 9
    SELF_TEST = 10
