"""The voice: says what happened through the system's own speech program; the screen never waits for it.

Facts: a program of the system in a subprocess is steadier than a speech library, and one sentence at a time is enough: while one is
said, only the newest that waits is kept.
"""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue

from companion.rules.contract import Problem

PROGRAMS: tuple[tuple[str, Callable[[str], Sequence[str]]], ...] = (
    ("espeak-ng", lambda language: ("espeak-ng", "-v", language, "--stdin")),
    ("say", lambda language: ("say", "-v", {"fr": "Thomas"}.get(language, "Samantha"), "-f", "-")),
    ("spd-say", lambda language: ("spd-say", "--wait", "--language", language, "--pipe-mode")),
)
"""Program name, and its arguments for a language; each reads the sentence from standard input."""

_LONGEST = 30.0
"""Seconds after which a speech program that hangs is ended."""


class NoVoice(Problem):
    """This machine has none of the speech programs."""


class Voice:
    """Says sentences one after the other in a thread of its own."""

    def __init__(self, language: str = "en", *, program: Sequence[str] | None = None) -> None:
        """Choose the speech program; raises `NoVoice` where there is none. `program`: a command line to use instead."""
        self._command = tuple(program) if program is not None else _find(language)
        self._waiting: SimpleQueue[str | None] = SimpleQueue()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="voice", daemon=True)
        self._thread.start()

    def say(self, sentence: str) -> None:
        """Say `sentence` when the present one is done; returns at once. Older sentences that still wait are dropped."""
        self._waiting.put(sentence)

    def close(self) -> None:
        """Finish the present sentence and stop."""
        self._closing.set()
        self._waiting.put(None)
        self._thread.join(timeout=_LONGEST)

    def _run(self) -> None:
        while not self._closing.is_set():
            sentence = self._newest()
            if sentence:
                self._speak(sentence)

    def _newest(self) -> str | None:
        sentence = self._waiting.get()
        while True:
            try:
                sentence = self._waiting.get_nowait()
            except Empty:
                return sentence

    def _speak(self, sentence: str) -> None:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        try:
            subprocess.run(
                self._command,
                input=_plain(sentence).encode(errors="replace"),
                timeout=_LONGEST,
                check=False,
                **quiet,
            )  # type: ignore[call-overload]
        except (OSError, subprocess.TimeoutExpired):
            return  # a sentence that cannot be said stands on the screen all the same


def _plain(sentence: str) -> str:
    """Return the sentence as words only: one that begins with `!-!` is a command to `spd-say`."""
    return " ".join(sentence.replace("!-!", "! ").split())


def _find(language: str) -> tuple[str, ...]:
    for name, command in PROGRAMS:
        if shutil.which(name):
            return tuple(command(language))
    raise NoVoice("check.voice.none")
