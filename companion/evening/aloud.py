"""What is heard this evening: the voice and the sounds that were asked for; one that is missing is
told at the start."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import msgspec

from companion import settings as kept_settings
from companion.rules.contract import Text

if TYPE_CHECKING:
    from companion.views.spoken import Speaker


@contextmanager
def aloud(
    language: str, *, voice: bool, sounds: bool, told: Callable[[Text], object]
) -> Iterator[Speaker | None]:
    """Open what is wanted and give who hears the table; None where nothing is wanted. `told` hears
    what is missing."""
    if not (voice or sounds):
        yield None
        return
    from companion.views.sounds import NoSounds, Sounds  # noqa: PLC0415 - who wants it quiet waits for none of it
    from companion.views.spoken import Speaker  # noqa: PLC0415
    from companion.views.voice import NoVoice, Voice  # noqa: PLC0415

    with ExitStack() as open_now:
        speaking: Voice | None = None
        ring: Callable[[str], object] | None = None
        if voice:
            try:
                speaking = Voice(language)
                open_now.callback(speaking.close)
            except NoVoice as fault:
                told(fault.text)
        if sounds:
            try:
                player = Sounds()
                open_now.callback(player.close)
                ring = player.play
            except NoSounds as fault:
                told(fault.text)
                ring = _bell
        if speaking is None and ring is None:
            yield None
            return
        yield Speaker(speaking, ring, kept_settings.load().said, _keep)


def _bell(name: str) -> None:
    """Ring the terminal's own bell for what the table must not miss."""
    if name in ("question", "time", "won") and sys.__stderr__ is not None:
        sys.__stderr__.write("\a")
        sys.__stderr__.flush()


def _keep(name: str, words: str) -> None:
    """Remember how a name is said."""
    settings = kept_settings.load()
    said = {**settings.said, name: words}
    if not words:
        del said[name]
    kept_settings.save(msgspec.structs.replace(settings, said=said))
