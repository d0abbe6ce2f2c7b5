"""The text of a deck file: reading it with every mistake named by line and key (`deckwriting`
writes it).

A deck file is TOML: one table `[deck]` and one `[[design]]` for each design (see
`docs/decks.en.md`). This module knows keys, types and lines; what a deck means stands in
`companion.table.decks`.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from companion.given_files import BadFile, bytes_of, toml
from companion.table.deck_faults import DeckError, Fault, fault
from companion.texts import system_reason

_SYNTAX = re.compile(r"^.*? \(at (?:line (?P<line>\d+), column \d+|end of document)\)$", re.DOTALL)


def read(path: Path) -> tuple[str, dict[str, Any]]:
    """Return text and TOML values of the deck file `path`; raise `DeckError` if it is no TOML."""
    try:
        data = bytes_of(path)
    except BadFile as error:
        raise DeckError(str(path), [Fault(0, "", error.text)]) from error
    except OSError as error:
        reason = system_reason(error)
        raise DeckError(str(path), [fault("unreadable", reason=reason)]) from error
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DeckError(str(path), [fault("not_utf8", line)]) from error
    try:
        return text, toml(text, path)
    except BadFile as error:
        raise DeckError(str(path), [Fault(0, "", error.text)]) from error
    except tomllib.TOMLDecodeError as error:
        raise DeckError(str(path), [_syntax_fault(text, str(error))]) from error


def _syntax_fault(text: str, message: str) -> Fault:
    """Turn tomllib's message into a fault; the key is what stands before the `=` of that line."""
    match = _SYNTAX.match(message)
    lines = text.split("\n")
    line = len(lines) if match is None or match["line"] is None else int(match["line"])
    key, equals, _ = lines[line - 1].partition("=") if line <= len(lines) else ("", "", "")
    return fault("syntax", line, key.strip() if equals else "")
