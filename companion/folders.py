"""Where the program keeps things on this computer: the user's folders, as each platform has them (XDG on Linux)."""

from __future__ import annotations

from pathlib import Path

from platformdirs import PlatformDirs


def user_data() -> Path:
    """Return the folder of what must last: journals, decks, the table's layout. It need not exist yet."""
    return _folders().user_data_path


def user_decks() -> Path:
    """Return the folder of people's own decks, one folder each. It need not exist yet."""
    return user_data() / "decks"


def user_cache() -> Path:
    """Return the folder of what can be made again: drawings of cards. It need not exist yet."""
    return _folders().user_cache_path


def _folders() -> PlatformDirs:
    return PlatformDirs("card-table-companion", appauthor=False)
