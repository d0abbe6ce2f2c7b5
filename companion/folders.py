"""Where the program keeps things on this computer: the user's folders, as each platform has them
(XDG on Linux)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, TYPE_CHECKING

from companion import libraries

if TYPE_CHECKING:
    from platformdirs import PlatformDirs


def user_data() -> Path:
    """Return the folder of what must last: journals, decks, layout. It need not exist yet. Raises
    `OSError` where nothing says which folders are the user's; so do those below."""
    return _folder("user_data_path")


def user_decks() -> Path:
    """Return the folder of people's own decks, one folder each. It need not exist yet."""
    return user_data() / "decks"


def user_config() -> Path:
    """Return the folder of the settings. It need not exist yet."""
    return _folder("user_config_path")


def user_settings() -> Path:
    """Return the file of the settings. It need not exist yet."""
    return user_config() / "settings.json"


def user_cache() -> Path:
    """Return the folder of what can be made again: drawings of cards. It need not exist yet."""
    return _folder("user_cache_path")


def private_folder(folder: Path) -> None:
    """Make `folder` and what is missing above it, for its owner alone; a folder that is there stays
    as it is. Raises `OSError`."""
    if not folder.is_dir():
        # One by one: with `parents=True` those above would get the umask's rights (pathlib).
        private_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def open_private(file: Path, mode: str = "w") -> IO[str]:
    """Open a text file for writing (UTF-8) that its owner alone can read; `mode`: as for `open`.
    Bytes of a file's name that are no text are written as escapes. Raises `OSError`."""
    # By the opener: rights that are set after the opening leave a moment in which others can read.
    return open(
        file,
        mode,
        encoding="utf-8",
        errors="backslashreplace",
        opener=lambda path, flags: os.open(path, flags, 0o600),
    )


def _folder(kind: str) -> Path:
    folders: PlatformDirs = libraries.platformdirs.PlatformDirs("card-table-companion", appauthor=False)
    try:
        found: Path = getattr(folders, kind)
    except RuntimeError as fault:  # no HOME, and a user whom the computer has no name for
        raise OSError(0, "set HOME to a folder of yours") from fault
    return found
