"""The language of the program: the one chosen, else the computer's if we have it, else English."""

from __future__ import annotations

import json
import locale
import os
from pathlib import Path

from companion.folders import user_settings_file

LOCALE = Path(__file__).parent / "locale"
LANGUAGES = ("en", *sorted(folder.name for folder in LOCALE.iterdir() if folder.name != "en"))
"""The languages that have catalogues. A new language is one more folder in `companion/locale`."""


def resolve_language(preferred: object) -> str:
    """Return the language to use, where `preferred` is the value in the settings."""
    return preferred if isinstance(preferred, str) and preferred in LANGUAGES else _detect_system_language()


def read_settings_language() -> str:
    """Return the language of the settings without loading the rest of them, so that help appears at
    once.
    """
    try:
        settings = json.loads(user_settings_file().read_bytes())
    except (OSError, ValueError, RecursionError):
        settings = None
    return resolve_language(settings.get("language") if isinstance(settings, dict) else "")


def _detect_system_language() -> str:
    locale_names = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    words = next((word for word in locale_names if word), None) or locale.getlocale()[0] or ""
    return words[:2] if words[:2] in LANGUAGES else "en"
