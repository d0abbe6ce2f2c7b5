"""Read and write deck files: report every mistake with its line and key, and keep people's comments
when a file is changed.

A deck file is TOML: one table `[deck]` and one `[[design]]` for each design (see
`docs/decks.en.md`). This module knows keys, types and lines; the meaning of a deck is in
`companion.table.decks`.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion import libraries
from companion.rules.contract import Problem, Text
from companion.texts import Translator, clean_text, describe_os_error
from companion.user_files import BadFile, parse_toml, read_limited_bytes, write_file_atomically

if TYPE_CHECKING:
    from tomlkit import TOMLDocument
    from tomlkit.items import Table


@dataclass(frozen=True)
class Fault:
    """One mistake in a deck file: its line (from 1; 0 if there is none), its key (empty: the whole
    line), and what to do."""

    line: int
    key: str
    text: Text

    def describe(self) -> Text:
        """Return the complete message: where the mistake is, and what to do."""
        where = ("line_" if self.line else "") + ("key" if self.key else "")
        args = {"line": self.line, "key": self.key, "what": self.text}
        return Text(f"deck.at.{where.strip('_') or 'file'}", args)


class DeckError(Problem):
    """Raised for a deck that cannot be used: `file` is its name, `faults` holds every mistake. As a
    string it is English, one line for each fault."""

    def __init__(self, file: str, faults: Iterable[Fault]) -> None:
        self.file = file
        self.faults = tuple(faults)
        super().__init__(self.faults[0].describe())

    def describe(self, say: Callable[[Text], str]) -> str:
        """Format the faults for players: file, line, key and what to do, one line each."""
        return "\n".join(f"{clean_text(self.file)}: {say(fault.describe())}" for fault in self.faults)

    def __str__(self) -> str:
        return self.describe(Translator().translate)


def make_fault(code: str, /, line: int = 0, key: str = "", **args: object) -> Fault:
    """Create a fault whose text is the message `deck.<code>`."""
    return Fault(line, key, Text(f"deck.{code}", args))


MOST_FAULTS = 50
"""Mistakes listed at most: each one is searched for in the text, and nobody corrects more at a
time."""
_CARD = re.compile(r"[a-z0-9_]+(:[^\s:\"]+)*")
_HEADER = re.compile(r"^\s*\[\[?\s*(?P<name>[^\]]+?)\s*\]\]?\s*(#.*)?$")


def find_line(text: str, table: str, index: int, key: str | None = None) -> int:
    """Return the line of `key` in the `index`-th table named `table`; the line of the table's
    header if the key is absent or None, 0 if the table is absent too."""
    # TOML parsers do not report the lines of values, so the text is searched.
    table_index, start = -1, 0
    wanted = re.compile(rf"^\s*[\"']?{re.escape(key)}[\"']?\s*=") if key else None
    for number, line in enumerate(text.split("\n"), 1):
        header = _HEADER.match(line)
        if header is not None:
            # The next table begins: the key is not in the wanted one.
            if start:
                break
            if header["name"].strip("\"' ") == table:
                table_index += 1
                start = number if table_index == index else 0
        elif start and wanted is not None and wanted.match(line):
            return number
    return start or _find_inline_line(text, table, key)


def _find_inline_line(text: str, table: str, key: str | None) -> int:
    """Return the line of a key in a table written `deck.name = ...` or `deck = {...}`, or else of
    the table's first mention."""
    own = [rf"{re.escape(table)}\.{re.escape(key)}\s*="] if key else []
    for words in (*own, rf"{re.escape(table)}\s*[.=]"):
        found = re.search(rf"^[ \t]*{words}", text, re.MULTILINE)
        if found is not None:
            return text.count("\n", 0, found.start()) + 1
    return 0


@dataclass(frozen=True)
class FieldRule:
    """Rule for the value of a key: the predicate `fits`, the message `deck.rule.<rule>` that
    describes it, and whether the key is `needed`."""

    fits: Callable[[Any], bool]
    rule: str
    needed: bool = False

    def describe(self) -> Text:
        """Return the message that says what the value must be."""
        return Text(f"deck.rule.{self.rule}")


def _is_number_between(value: Any, least: int, most: int) -> bool:
    # In Python, True is an int.
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 80 and value.isprintable() and value == value.strip()


def _is_references_folder(value: Any) -> bool:
    return (
        _is_name(value)
        and Path(value).name == "references"
        and not Path(value).is_absolute()
        and ".." not in Path(value).parts
        # Windows paths too: a deck file may have been written on another computer.
        and "\\" not in value
        and ":" not in value
    )


TAG = re.compile("[0-9a-f]{8}|[0-9a-f]{14}|[0-9a-f]{20}")
"""A tag id as stored: 4, 7 or 10 bytes (ISO/IEC 14443-3), lower-case hexadecimal."""


def normalize_tag_id(value: str) -> str:
    """Normalise a tag id as it is stored: `04:A2-1B...` becomes `04a21b...`."""
    return re.sub(r"[\s:.-]", "", value).lower()


def _is_tag_list(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(v, str) and TAG.fullmatch(normalize_tag_id(v)) for v in value
    )


DECK_KEYS: Mapping[str, FieldRule] = {
    "name": FieldRule(_is_name, "name", needed=True),
    "game": FieldRule(
        lambda v: isinstance(v, str) and re.fullmatch("[a-z0-9_]+", v) is not None, "game", needed=True
    ),
    "owner_by": FieldRule(lambda v: v in ("colour", "seat", "none"), "owner_by"),
    "references": FieldRule(_is_references_folder, "references"),
    "at_once": FieldRule(lambda v: isinstance(v, bool), "at_once"),
}

DESIGN_KEYS: Mapping[str, FieldRule] = {
    "name": FieldRule(_is_name, "design", needed=True),
    "card": FieldRule(lambda v: isinstance(v, str) and (v == "" or _CARD.fullmatch(v) is not None), "card"),
    "copies": FieldRule(lambda v: _is_number_between(v, 1, 999), "copies"),
    "tags": FieldRule(_is_tag_list, "tags"),
    "marker": FieldRule(lambda v: _is_number_between(v, 0, 249), "marker"),
}

TABLES: Mapping[str, Mapping[str, FieldRule]] = {"deck": DECK_KEYS, "design": DESIGN_KEYS}


def find_faults(text: str, values: Mapping[str, Any]) -> list[Fault]:
    """List every mistake in tables, keys and types, in the order of the file."""
    strangers = (name for name in values if name not in TABLES)
    faults = [_make_unknown_table_fault(text, name) for name in islice(strangers, MOST_FAULTS)]
    deck, designs = values.get("deck"), values.get("design")
    if not isinstance(deck, dict):
        faults.append(make_fault("no_deck", find_line(text, "deck", 0), "deck"))
    else:
        faults += _find_table_faults(text, "deck", 0, deck)
    if not isinstance(designs, list) or not all(isinstance(one, dict) for one in designs):
        faults.append(make_fault("no_designs", find_line(text, "design", 0), "design"))
    else:
        for index, design in enumerate(designs):
            faults += _find_table_faults(text, "design", index, design)
            # Each further fault would search the whole text again.
            if len(faults) >= MOST_FAULTS:
                break
    return sorted(faults, key=lambda one: one.line)


def _make_unknown_table_fault(text: str, name: str) -> Fault:
    return make_fault("unknown_table", find_line(text, name, 0), name)


def _find_table_faults(text: str, table: str, index: int, values: Mapping[str, Any]) -> list[Fault]:
    keys = TABLES[table]
    header = f"[{table}]" if table == "deck" else f"[[{table}]]"
    faults = []
    for name in islice(sorted(values.keys() - keys.keys()), MOST_FAULTS):
        line = find_line(text, table, index, name)
        near = difflib.get_close_matches(name, keys, 1)
        if near:
            faults.append(make_fault("near_key", line, name, table=header, near=near[0]))
        else:
            faults.append(make_fault("unknown_key", line, name, table=header, known=tuple(keys)))
    wrong = [
        (name, key)
        for name, key in keys.items()
        if (key.needed if name not in values else not key.fits(values[name]))
    ]
    for name, key in wrong:
        line = find_line(text, table, index, name)
        if name not in values:
            faults.append(make_fault("missing", line, name, table=header, name=name, rule=key.describe()))
        else:
            faults.append(
                make_fault("bad_value", line, name, value=_shorten_value(values[name]), rule=key.describe())
            )
    return faults


def _shorten_value(value: Any) -> str:
    return clean_text(repr(value) if not isinstance(value, str) else f'"{value}"', 60)


_SYNTAX = re.compile(r"^.*? \(at (?:line (?P<line>\d+), column \d+|end of document)\)$", re.DOTALL)


def read_deck_file(path: Path) -> tuple[str, dict[str, Any]]:
    """Return the text and the TOML values of a deck file; raise `DeckError` if it cannot be read or
    is not TOML."""
    try:
        data = read_limited_bytes(path)
    except BadFile as error:
        raise DeckError(str(path), [Fault(0, "", error.text)]) from error
    except OSError as error:
        reason = describe_os_error(error)
        raise DeckError(str(path), [make_fault("unreadable", reason=reason)]) from error
    try:
        # Windows editors may add a byte order mark and CRLF; lines are counted by "\n".
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DeckError(str(path), [make_fault("not_utf8", line)]) from error
    try:
        return text, parse_toml(text, path)
    except BadFile as error:
        raise DeckError(str(path), [Fault(0, "", error.text)]) from error
    except tomllib.TOMLDecodeError as error:
        raise DeckError(str(path), [_make_syntax_fault(text, str(error))]) from error


def _make_syntax_fault(text: str, message: str) -> Fault:
    """Convert tomllib's message into a fault; its key is the text before `=` in that line."""
    match = _SYNTAX.match(message)
    lines = text.split("\n")
    line = len(lines) if match is None or match["line"] is None else int(match["line"])
    key, equals, _ = lines[line - 1].partition("=")
    return make_fault("syntax", line, key.strip() if equals else "")


def write_deck_file(
    path: Path, deck: Mapping[str, Any], designs: Iterable[Mapping[str, Any]], model: Path | None = None
) -> None:
    """Write values into a deck file atomically. Unchanged parts keep their text and comments.

    A new file gets text and comments of the file `model`. Designs are matched by `name`. A key
    whose value is None is removed.
    """
    document = _load_document(path, model)
    table = document.get("deck")
    if not isinstance(table, libraries.tomlkit.items.Table):
        document["deck"] = table = libraries.tomlkit.table()
    _update_toml_table(table, deck)
    old = document.get("design")
    rows = {str(row["name"]): row for row in old} if isinstance(old, libraries.tomlkit.items.AoT) else {}
    array = libraries.tomlkit.aot()
    wanted = list(designs)
    if isinstance(old, libraries.tomlkit.items.AoT) and [str(row["name"]) for row in old] == [
        row["name"] for row in wanted
    ]:
        # With the same designs in the same order, blank lines and comments between them stay as
        # well.
        array = old
    else:
        for design in wanted:
            array.append(rows.get(str(design["name"]), libraries.tomlkit.table()))
        document["design"] = array
    for row, design in zip(array, wanted, strict=True):
        _update_toml_table(row, design)
    try:
        write_file_atomically(path, libraries.tomlkit.dumps(document))
    except OSError as error:
        reason = describe_os_error(error)
        raise DeckError(str(path), [make_fault("unwritable", reason=reason)]) from error


def _load_document(path: Path, model: Path | None) -> TOMLDocument:
    """Parse the file to be changed; if it does not exist, the model, or an empty document if that
    is unusable too."""
    try:
        return _parse_document(path)
    except (FileNotFoundError, NotADirectoryError):
        with suppress(OSError, UnicodeDecodeError, libraries.tomlkit.exceptions.TOMLKitError):
            return libraries.tomlkit.document() if model is None else _parse_document(model)
        return libraries.tomlkit.document()
    except (OSError, UnicodeDecodeError, libraries.tomlkit.exceptions.TOMLKitError) as error:
        raise DeckError(str(path), [make_fault("unchangeable", reason=str(error))]) from error


def _parse_document(path: Path) -> TOMLDocument:
    return libraries.tomlkit.parse(path.read_bytes().decode("utf-8-sig"))


def _update_toml_table(table: Table, values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        if value is None:
            table.pop(key, None)
        elif key not in table or table[key] != value:
            # An equal value is not assigned: tomlkit would write a list of several lines on one.
            table[key] = value
