"""The voice: says what happened through the system's own speech program; the screen never waits for
it.

Facts: a program of the system in a subprocess is steadier than a speech library, and one sentence
at a time is enough: while one is said, one waits, so that the voice is never more than a sentence
behind the table.
"""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple

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


class _Sentence(NamedTuple):
    words: str
    urgency: int


class Voice:
    """Says sentences one after the other in a thread of its own. One waits at most; what is more
    urgent breaks off what is being said."""

    def __init__(self, language: str = "en", *, program: Sequence[str] | None = None) -> None:
        """Choose the speech program; raises `NoVoice` where there is none. `program`: a command
        line to use instead."""
        self._command = tuple(program) if program is not None else _find(language)
        self._changed = threading.Condition()
        self._waiting: _Sentence | None = None
        self._now: _Sentence | None = None
        self._speaking: subprocess.Popen[bytes] | None = None
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="voice", daemon=True)
        self._thread.start()

    def say(self, sentence: str, urgency: int = 0) -> None:
        """Say `sentence`, after the present one or, if it is more urgent, at once; returns at once.

        Of the sentences that wait only the most urgent stays, of equals the newest.
        """
        with self._changed:
            if self._waiting is None or urgency >= self._waiting.urgency:
                self._waiting = _Sentence(sentence, urgency)
            if self._now is not None and urgency > self._now.urgency:
                self._break_off()
            self._changed.notify()

    def hush(self) -> None:
        """Be silent at once; nothing that waits is said."""
        with self._changed:
            self._waiting = None
            self._break_off()

    def close(self) -> None:
        """Finish the present sentence and stop."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join(timeout=_LONGEST)

    def _break_off(self) -> None:
        if self._speaking is not None:
            self._speaking.terminate()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._now = None
                self._changed.wait_for(lambda: self._waiting is not None or self._closing)
                if self._closing:
                    return
                self._now, self._waiting = self._waiting, None
            assert self._now is not None
            self._speak(self._now.words)

    def _speak(self, sentence: str) -> None:
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
            return  # a sentence that cannot be said stands on the screen all the same
        with self._changed:
            self._speaking = program
            if (
                self._waiting is not None
                and self._now is not None
                and self._waiting.urgency > self._now.urgency
            ):
                program.terminate()  # it came while the program was starting
        try:
            program.communicate(_plain(sentence).encode(errors="replace"), timeout=_LONGEST)
        except (OSError, subprocess.TimeoutExpired):
            program.kill()
            program.communicate()
        finally:
            with self._changed:
                self._speaking = None


def _plain(sentence: str) -> str:
    """Return the sentence as words only: one that begins with `!-!` is a command to `spd-say`."""
    return " ".join(sentence.replace("!-!", "! ").split())


def _find(language: str) -> tuple[str, ...]:
    for name, command in PROGRAMS:
        if shutil.which(name):
            return tuple(command(language))
    raise NoVoice("check.voice.none")
