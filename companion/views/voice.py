"""Voice and sounds. The voice uses the system's text-to-speech program, the sounds (our own)
whatever player the system has; the screen never waits for either.

A system program in a subprocess is more robust than a speech library. One sentence is said and one
more may wait, so the voice is never more than a sentence behind the table. There are no recordings
in the program: a sound is a list of notes, and a note is a decaying tone with two overtones, which
small loudspeakers reproduce well.
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
import threading
import wave
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from companion.rules.contract import Problem

PROGRAMS: tuple[tuple[str, Callable[[str], Sequence[str]]], ...] = (
    ("espeak-ng", lambda language: ("espeak-ng", "-v", language, "--stdin")),
    ("say", lambda language: ("say", "-v", {"fr": "Thomas"}.get(language, "Samantha"), "-f", "-")),
    ("spd-say", lambda language: ("spd-say", "--wait", "--language", language, "--pipe-mode")),
)
"""Speech programs, with their arguments for a language; each reads the sentence from standard
input."""

_SPEECH_TIMEOUT = 30.0
"""Seconds after which a speech program that hangs is killed."""


class NoVoice(Problem):
    """No speech program is installed on this machine."""


class _Sentence(NamedTuple):
    words: str
    urgency: int


class Voice:
    """Speech in a thread of its own, one sentence after the other. One sentence waits at most; a
    more urgent one interrupts the present one."""

    def __init__(self, language: str = "en", *, program: Sequence[str] | None = None) -> None:
        """Choose the speech program; raises `NoVoice` if there is none. `program`: a command line
        to use instead."""
        self._command = tuple(program) if program is not None else _find_speech_program(language)
        self._changed = threading.Condition()
        self._waiting: _Sentence | None = None
        self._now: _Sentence | None = None
        self._speaking: subprocess.Popen[bytes] | None = None
        self._closing = False
        self._thread = threading.Thread(target=self._run_queue, name="voice", daemon=True)
        self._thread.start()

    def queue_sentence(self, sentence: str, urgency: int = 0) -> None:
        """Say `sentence` after the present one or, if it is more urgent, at once. Does not block.

        Of the sentences that wait only the most urgent is kept, among equals the newest.
        """
        with self._changed:
            if self._waiting is None or urgency >= self._waiting.urgency:
                self._waiting = _Sentence(sentence, urgency)
            # A question to the table must not wait for the end of a result.
            if self._now is not None and urgency > self._now.urgency:
                self._interrupt_speech()
            self._changed.notify()

    def silence_voice(self) -> None:
        """Stop speaking at once and drop the sentence that waits."""
        with self._changed:
            self._waiting = None
            self._interrupt_speech()

    def close(self) -> None:
        """Finish the present sentence and stop."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join(timeout=_SPEECH_TIMEOUT)

    def _interrupt_speech(self) -> None:
        if self._speaking is not None:
            self._speaking.terminate()

    def _run_queue(self) -> None:
        while True:
            with self._changed:
                self._now = None
                self._changed.wait_for(lambda: self._waiting is not None or self._closing)
                if self._closing:
                    return
                self._now, self._waiting = self._waiting, None
            assert self._now is not None
            # Outside the lock: `queue_sentence` must not block while a sentence is spoken.
            self._speak_sentence(self._now.words)

    def _speak_sentence(self, sentence: str) -> None:
        try:
            program = subprocess.Popen(
                # Through its input, never as an argument: a name that begins with `-` is no option
                # there.
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except OSError:
            return  # the sentence is on the screen as well
        with self._changed:
            self._speaking = program
            if (
                self._waiting is not None
                and self._now is not None
                and self._waiting.urgency > self._now.urgency
            ):
                program.terminate()  # it came while the program was starting
        try:
            program.communicate(_clean_sentence(sentence).encode(errors="replace"), timeout=_SPEECH_TIMEOUT)
        except (OSError, subprocess.TimeoutExpired):
            # A program that hangs may ignore a request to terminate.
            program.kill()
            program.communicate()
        finally:
            with self._changed:
                self._speaking = None


def _clean_sentence(sentence: str) -> str:
    """Return the sentence as words only; `spd-say` would take a leading `!-!` for a command."""
    return " ".join(sentence.replace("!-!", "! ").split())


def _find_speech_program(language: str) -> tuple[str, ...]:
    for name, command in PROGRAMS:
        if shutil.which(name):
            return tuple(command(language))
    raise NoVoice("check.voice.none")


SAMPLE_RATE = 22_050
"""Samples per second: the notes are below 2 kHz, their overtones below 6."""
LOUDNESS = 0.35
"""Fraction of full scale: a sound must not drown people who talk."""


class Note(NamedTuple):
    """A tone: its frequency in hertz, and the seconds until the next begins."""

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
"""Sounds by event: a new turn, a question to the table, a refusal, the clock, the result of a
round, the end of the game."""

PLAYERS: tuple[tuple[str, Sequence[str]], ...] = (
    ("pw-play", ("pw-play",)),
    ("paplay", ("paplay",)),
    ("aplay", ("aplay", "--quiet")),
    ("afplay", ("afplay",)),
)
"""Programs that play a file: PipeWire's, PulseAudio's, ALSA's, macOS's."""


class NoSounds(Problem):
    """No program on this machine can play a sound."""


def encode_wav(notes: Sequence[Note]) -> bytes:
    """Synthesise a sound from its notes, as a WAV file with one channel of 16 bits."""
    samples: list[int] = []
    for hertz, seconds in notes:
        count = int(seconds * SAMPLE_RATE)
        for at in range(count):
            time = at / SAMPLE_RATE
            # It swells for 4 ms and falls at its end: a tone that begins or stops at once clicks.
            swell = min(time / 0.004, 1.0) * math.exp(-4.0 * time / seconds) * min((count - at) / 90, 1.0)
            turn = 2 * math.pi * hertz * time
            tone = math.sin(turn) + 0.35 * math.sin(2 * turn) + 0.12 * math.sin(3 * turn)
            # 1.47 is the sum of the three partials: nothing is clipped.
            samples.append(int(32_767 * LOUDNESS * swell * tone / 1.47))
    made = io.BytesIO()
    with wave.open(made, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE)
        file.writeframes(struct.pack(f"<{len(samples)}h", *samples))
    return made.getvalue()


class Sounds:
    """Player of sounds by name. A sound that is still playing is finished, and nothing waits for
    it."""

    def __init__(self, program: Sequence[str] | None = None) -> None:
        """Find the program; raises `NoSounds` if there is none. `program`: a command line to use
        instead."""
        self._program = tuple(program) if program is not None else _find_audio_player()
        self._folder = tempfile.TemporaryDirectory(prefix="companion-sounds-")
        self._playing: subprocess.Popen[bytes] | None = None

    def play(self, name: str) -> None:
        """Play a sound; unknown names are ignored."""
        if name not in SOUNDS or (self._playing is not None and self._playing.poll() is None):
            return
        file = Path(self._folder.name) / f"{name}.wav"
        with contextlib.suppress(OSError):  # a full disk or a missing program: the game goes on in silence
            if not file.exists():
                file.write_bytes(encode_wav(SOUNDS[name]))
            quiet = subprocess.DEVNULL
            self._playing = subprocess.Popen(
                (*self._program, str(file)), stdin=quiet, stdout=quiet, stderr=quiet
            )

    def close(self) -> None:
        """Stop the sound and delete the files."""
        if self._playing is not None:
            self._playing.terminate()
            # Its file is in the folder that is deleted next.
            self._playing.wait()
        self._folder.cleanup()


def _find_audio_player() -> tuple[str, ...]:
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
