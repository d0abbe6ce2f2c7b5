"""Words that are typed in the plain view. Each language has its own; the English ones work
everywhere, so that they need not be learnt again at another table."""

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
"""Words that can be typed at any time; each has its translation in every catalogue
(`plain.word.undo`)."""

TELLING = "help", "?", "last", "now", "why"
"""Commands that change nothing and can also be typed during a conversation."""

# As people write on keyboards without these letters.
_SPELT_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


def word(english: str, say: Translator) -> str:
    """Return the translation of this word in the player's language."""
    return say(f"plain.word.{english}")


def words_of(say: Translator) -> Mapping[str, Any]:
    """Return the commands in the player's language, by the English ones."""
    return {english: word(english, say) for english in COMMANDS}


def meant(typed: str, say: Translator, words: Sequence[str] = COMMANDS) -> str:
    """Return the English command for a word typed in the player's language; any other text
    unchanged.

    Case and accents are ignored, and umlauts may be spelt out: `ZURUCK` and `zurueck` are `zurück`.
    """
    plain = typed.casefold()
    if plain in words:
        return plain
    for english in words:
        # A catalogue may write an umlaut as letter and mark; `_SPELT_OUT` knows whole letters only.
        own = unicodedata.normalize("NFC", word(english, say)).casefold()
        if bare(plain) == bare(own) or plain == own.translate(_SPELT_OUT):
            return english
    return typed
