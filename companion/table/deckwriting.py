"""Writing a deck file, whole or not at all, so that what people wrote into it stays.

Apart from reading (`deckfile`), for the library that keeps comments takes 25 ms to import, and few
evenings change a deck.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Table

from companion.table.deckfile import DeckError, fault
from companion.texts import system_reason


def write(
    path: Path, deck: Mapping[str, Any], designs: Iterable[Mapping[str, Any]], model: Path | None = None
) -> None:
    """Write the values into the file `path`, whole or not at all; what has not changed keeps its
    text and comments.

    Where there is no such file yet, text and comments are those of the file `model`. Designs are
    told apart by `name`. A key whose value is None is left out.
    """
    document = _document(path, model)
    table = document.get("deck")
    if not isinstance(table, Table):
        document["deck"] = table = tomlkit.table()
    _update(table, deck)
    old = document.get("design")
    rows = {str(row["name"]): row for row in old} if isinstance(old, AoT) else {}
    array = tomlkit.aot()
    wanted = list(designs)
    if isinstance(old, AoT) and [str(row["name"]) for row in old] == [row["name"] for row in wanted]:
        array = old  # same designs in the same order: blank lines and comments between them stay as well
    else:
        for design in wanted:
            array.append(rows.get(str(design["name"]), tomlkit.table()))
        document["design"] = array
    for row, design in zip(array, wanted, strict=True):
        _update(row, design)
    _replace(path, tomlkit.dumps(document))


def _document(path: Path, model: Path | None) -> tomlkit.TOMLDocument:
    """Read the file to be changed; if there is none, the model, or nothing if that is of no use."""
    try:
        return _parsed(path)
    except (FileNotFoundError, NotADirectoryError):
        with suppress(OSError, UnicodeDecodeError, TOMLKitError):
            return tomlkit.document() if model is None else _parsed(model)
        return tomlkit.document()
    except (OSError, UnicodeDecodeError, TOMLKitError) as error:
        raise DeckError(str(path), [fault("unchangeable", reason=str(error))]) from error


def _parsed(path: Path) -> tomlkit.TOMLDocument:
    return tomlkit.parse(path.read_bytes().decode("utf-8-sig"))


def _update(table: Table, values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        if value is None:
            table.pop(key, None)
        elif key not in table or table[key] != value:
            table[key] = value


def _replace(path: Path, text: str) -> None:
    """Put `text` in the file's place at once: a crash leaves the old one or the new one."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # With our process's number: two programs may write the same deck at once.
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            with temporary.open("w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                # Before the renaming: a machine that crashes may else keep the new name and lose
                # the text.
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        reason = system_reason(error)
        raise DeckError(str(path), [fault("unwritable", reason=reason)]) from error
