"""Words that are typed in the plain view. Each language has its own; the English ones work
everywhere, so that they need not be learnt again at another table."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from companion.texts import Translator, fold_text

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
(`plain.translate_command.undo`)."""

READ_ONLY_COMMANDS = "help", "?", "last", "now", "why"
"""Commands that change nothing and can also be typed during a conversation."""

# As people write on keyboards without these letters.
_SPELT_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


def translate_command(english: str, translator: Translator) -> str:
    """Return the translation of this word in the player's language."""
    return translator(f"plain.word.{english}")


def translate_commands(translator: Translator) -> Mapping[str, Any]:
    """Return the commands in the player's language, by the English ones."""
    return {english: translate_command(english, translator) for english in COMMANDS}


def translate_to_english_command(typed: str, translator: Translator, words: Sequence[str] = COMMANDS) -> str:
    """Return the English command for a word typed in the player's language; any other text
    unchanged.

    Case and accents are ignored, and umlauts may be spelt out: `ZURUCK` and `zurueck` are `zurück`.
    """
    plain = typed.casefold()
    if plain in words:
        return plain
    for english in words:
        # A catalogue may write an umlaut as letter and mark; `_SPELT_OUT` knows whole letters only.
        own = unicodedata.normalize("NFC", translate_command(english, translator)).casefold()
        if fold_text(plain) == fold_text(own) or plain == own.translate(_SPELT_OUT):
            return english
    return typed
