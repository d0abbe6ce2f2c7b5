"""The words that are typed in the plain view: each player's own language has its own; the English
ones hold everywhere, so that what one evening has taught is good at every table."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from companion.texts import Translator, bare

COMMANDS = (
    "help",
    "undo",
    "redo",
    "last",
    "now",
    "why",
    "correct",
    "people",
    "moved",
    "count",
    "pause",
    "go",
    "mute",
    "odds",
    "page",
    "photo",
    "screens",
    "again",
    "quit",
)
"""What can be typed at any time; each has its word in every catalogue (`plain.word.undo`)."""

TELLING = "help", "?", "last", "now", "why"
"""Those that change nothing: they can be typed while something is asked, too."""

_SPELT_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


def word(english: str, say: Translator) -> str:
    """Return the word for this one in the player's language."""
    return say(f"plain.word.{english}")


def words_of(say: Translator) -> Mapping[str, Any]:
    """Return the commands in the player's language, by the English ones."""
    return {english: word(english, say) for english in COMMANDS}


def meant(typed: str, say: Translator, words: Sequence[str] = COMMANDS) -> str:
    """Return the English word that was typed in the player's language; anything else as it is.

    Capitals make no difference, nor do accents that a keyboard lacks: `ZURUCK` and `zurueck` are
    `zurück`.
    """
    plain = typed.casefold()
    if plain in words:
        return plain
    for english in words:
        own = unicodedata.normalize("NFC", word(english, say)).casefold()
        if bare(plain) == bare(own) or plain == own.translate(_SPELT_OUT):
            return english
    return typed
