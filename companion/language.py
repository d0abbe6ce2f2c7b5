"""The language of the program: the one chosen, else the computer's if we have it, else English."""

from __future__ import annotations

import json
import locale
import os
from pathlib import Path

from companion.folders import user_settings

LOCALE = Path(__file__).parent / "locale"
LANGUAGES = ("en", *sorted(folder.name for folder in LOCALE.iterdir() if folder.name != "en"))
"""The languages that have catalogues. A new language is one more folder in `companion/locale`."""


def spoken(chosen: object) -> str:
    """Return the language to use, where `chosen` is the value in the settings."""
    return chosen if isinstance(chosen, str) and chosen in LANGUAGES else _computers()


def of_the_settings() -> str:
    """Return the language of the settings without loading the rest of them, so that help appears at
    once.
    """
    try:
        kept = json.loads(user_settings().read_bytes())
    except (OSError, ValueError, RecursionError):
        kept = None
    return spoken(kept.get("language") if isinstance(kept, dict) else "")


def _computers() -> str:
    named = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    words = next((word for word in named if word), None) or locale.getlocale()[0] or ""
    return words[:2] if words[:2] in LANGUAGES else "en"
