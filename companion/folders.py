"""Folders for the user's files, where each platform expects them (XDG on Linux)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, TYPE_CHECKING

from companion import libraries

if TYPE_CHECKING:
    from platformdirs import PlatformDirs


def user_data_folder() -> Path:
    """Return the folder for what must last: journals, decks, layout. It need not exist yet.

    Raises `OSError` if the user's home folder cannot be determined; so do the functions below.
    """
    return _find_platform_folder("user_data_path")


def user_documents_folder() -> Path:
    """Return the folder in which this user keeps documents. It may not exist."""
    return _find_platform_folder("user_documents_path")


def user_decks_folder() -> Path:
    """Return the folder of the user's own decks, one subfolder each. It need not exist yet."""
    return user_data_folder() / "decks"


def user_config_folder() -> Path:
    """Return the folder of the settings. It need not exist yet."""
    return _find_platform_folder("user_config_path")


def user_settings_file() -> Path:
    """Return the file of the settings. It need not exist yet."""
    return user_config_folder() / "settings.json"


def user_cache_folder() -> Path:
    """Return the folder for what can be created again, such as drawings of cards. It need not exist
    yet.
    """
    return _find_platform_folder("user_cache_path")


def make_private_folder(folder: Path) -> None:
    """Create `folder` and its missing parents, accessible to the owner alone.

    A folder that exists already stays as it is. Raises `OSError`.
    """
    if not folder.is_dir():
        # One by one: with `parents=True` those above would get the umask's rights (pathlib).
        make_private_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def open_private_file(file: Path, mode: str = "w") -> IO[str]:
    """Open a text file (UTF-8) for writing that only its owner can read; `mode` is as for `open`.

    Characters that UTF-8 cannot encode (undecodable bytes of a file name) are written as escapes.
    Raises `OSError`.
    """
    # By the opener: rights that are set after the opening leave a moment in which others can read.
    return open(
        file,
        mode,
        encoding="utf-8",
        errors="backslashreplace",
        opener=lambda path, flags: os.open(path, flags, 0o600),
    )


def _find_platform_folder(kind: str) -> Path:
    folders: PlatformDirs = libraries.platformdirs.PlatformDirs("card-table-companion", appauthor=False)
    try:
        found: Path = getattr(folders, kind)
    except RuntimeError as fault:  # no HOME, and a user whom the computer has no name for
        raise OSError(0, "set HOME to a folder of yours") from fault
    return found
