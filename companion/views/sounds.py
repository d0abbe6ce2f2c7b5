"""A few sounds of our own: made here, note by note, and played by whatever program the system has
for it.

No recording lies in the program: a sound is a list of notes, and a note a decaying tone with two
overtones, which small loudspeakers carry.
"""

from __future__ import annotations

import contextlib
import io
import math
import shutil
import struct
import subprocess
import sys
import tempfile
import wave
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from companion.rules.contract import Problem

RATE = 22_050
"""Samples a second: the notes end below 2 kHz, their overtones below 6."""
LOUD = 0.35
"""Of full scale: a sound stands beside people who talk."""


class Note(NamedTuple):
    """A tone of so many hertz, and the seconds until the next begins."""

    hertz: float
    seconds: float


SOUNDS: Mapping[str, Sequence[Note]] = {
    "turn": (Note(659.3, 0.09), Note(880.0, 0.14)),
    "question": (Note(587.3, 0.12), Note(880.0, 0.10), Note(1174.7, 0.22)),
    "refused": (Note(311.1, 0.14), Note(233.1, 0.24)),
    "time": (Note(987.8, 0.10), Note(987.8, 0.10), Note(987.8, 0.18)),
    "result": (Note(523.3, 0.10), Note(659.3, 0.10), Note(784.0, 0.26)),
    "won": (Note(523.3, 0.12), Note(659.3, 0.12), Note(784.0, 0.12), Note(1046.5, 0.16), Note(784.0, 0.10), Note(1046.5, 0.45)),
}  # fmt: skip
"""By what has happened: whose turn it is, a question to the table, a refusal, time, the result of a
round, the end of the game."""

PLAYERS: tuple[tuple[str, Sequence[str]], ...] = (
    ("pw-play", ("pw-play",)),
    ("paplay", ("paplay",)),
    ("aplay", ("aplay", "--quiet")),
    ("afplay", ("afplay",)),
)
"""Programs that play a file: PipeWire's, PulseAudio's, ALSA's, macOS's."""


class NoSounds(Problem):
    """This machine has no program that plays a sound."""


def wav(notes: Sequence[Note]) -> bytes:
    """Make a sound: a WAV file of one channel and 16 bits."""
    samples: list[int] = []
    for hertz, seconds in notes:
        count = int(seconds * RATE)
        for at in range(count):
            time = at / RATE
            # It swells for 4 ms and falls at its end: a tone that begins or stops at once clicks.
            swell = min(time / 0.004, 1.0) * math.exp(-4.0 * time / seconds) * min((count - at) / 90, 1.0)
            turn = 2 * math.pi * hertz * time
            tone = math.sin(turn) + 0.35 * math.sin(2 * turn) + 0.12 * math.sin(3 * turn)
            # 1.47 is the sum of the three partials: nothing is clipped.
            samples.append(int(32_767 * LOUD * swell * tone / 1.47))
    made = io.BytesIO()
    with wave.open(made, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(struct.pack(f"<{len(samples)}h", *samples))
    return made.getvalue()


class Sounds:
    """Plays sounds by name; one still heard is left to end, and nobody waits for it."""

    def __init__(self, program: Sequence[str] | None = None) -> None:
        """Find the program; raises `NoSounds` where there is none. `program`: a command line to use
        instead."""
        self._program = tuple(program) if program is not None else _find()
        self._folder = tempfile.TemporaryDirectory(prefix="companion-sounds-")
        self._playing: subprocess.Popen[bytes] | None = None

    def play(self, name: str) -> None:
        """Play a sound; one that nobody knows is silence."""
        if name not in SOUNDS or (self._playing is not None and self._playing.poll() is None):
            return
        file = Path(self._folder.name) / f"{name}.wav"
        with contextlib.suppress(
            OSError
        ):  # a full disk, a program that has gone: the game goes on in silence
            if not file.exists():
                file.write_bytes(wav(SOUNDS[name]))
            quiet = subprocess.DEVNULL
            self._playing = subprocess.Popen(
                (*self._program, str(file)), stdin=quiet, stdout=quiet, stderr=quiet
            )

    def close(self) -> None:
        """End what is heard, and take the files away."""
        if self._playing is not None:
            self._playing.terminate()
            self._playing.wait()
        self._folder.cleanup()


def _find() -> tuple[str, ...]:
    for name, command in PLAYERS:
        if shutil.which(name):
            return tuple(command)
    if sys.platform == "win32":
        return (
            sys.executable,
            "-c",
            "import sys, winsound; winsound.PlaySound(sys.argv[1], winsound.SND_FILENAME)",
        )
    raise NoSounds("sounds.none")
