"""Memory of the plug-ins whose import hangs, in the user's cache: each costs its 20 seconds once.

A plug-in is tried again as soon as its files change, or after the memory's file was deleted.
"""

from __future__ import annotations

from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import msgspec

from companion.folders import make_private_folder, user_cache_folder
from companion.rules.registry import HangMemory
from companion.user_files import BadFile, read_limited_bytes, write_file_atomically

FILE = "hung_plug_ins.json"


class SavedHangMemory(HangMemory):
    """Memory that lasts from one start of the program to the next. Where the cache cannot be used,
    it lasts as long as the program."""

    def has_hung(self, target: str) -> bool:
        """Check whether the import hung when it was tried last, with the files that are there."""
        state = _read_states().get(target)
        return super().has_hung(target) or (state is not None and state == _describe_files(target))

    def record_hang(self, target: str) -> None:
        """Remember that the import hung; from the next start on only if its files are known."""
        super().record_hang(target)
        if state := _describe_files(target):
            _write_states({**_read_states(), target: state})

    def forget_hang(self, target: str) -> None:
        """Note that the import has come to an end after all."""
        super().forget_hang(target)
        states = _read_states()
        if states.pop(target, None) is not None:
            _write_states(states)


def _describe_files(target: str) -> str:
    """Return the state of the files of a plug-in's package: their number, last time of change and
    total size; "" where it has none."""
    with suppress(ImportError, OSError, ValueError):
        # Of the topmost package, which is found without importing anything.
        spec = find_spec(target.partition(":")[0].partition(".")[0])
        folders = list(spec.submodule_search_locations or ()) if spec else []
        files = [file for folder in folders for file in Path(folder).rglob("*.py")]
        if spec and spec.origin and not folders:
            files = [Path(spec.origin)]
        found = [file.stat() for file in files]
        if found:
            newest = max(one.st_mtime_ns for one in found)
            return f"{len(found)} {newest} {sum(one.st_size for one in found)}"
    return ""


def _read_states() -> dict[str, str]:
    with suppress(OSError, BadFile, msgspec.DecodeError, UnicodeDecodeError):
        return msgspec.json.decode(read_limited_bytes(_find_file()), type=dict[str, str])
    return {}


def _write_states(states: dict[str, str]) -> None:
    with suppress(OSError):
        make_private_folder(_find_file().parent)
        write_file_atomically(_find_file(), msgspec.json.encode(states), is_private=True)


def _find_file() -> Path:
    return user_cache_folder() / FILE
