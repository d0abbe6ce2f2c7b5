"""What may stand in a deck file: its tables and keys, and what each value must be."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from companion.rules.contract import Text
from companion.table.deck_faults import Fault, fault

MOST_FAULTS = 50
"""Mistakes that are listed: each is looked up in the text, and nobody mends more at a time."""
_CARD = re.compile(r"[a-z0-9_]+(:[^\s:\"]+)*")
_HEADER = re.compile(r"^\s*\[\[?\s*(?P<name>[^\]]+?)\s*\]\]?\s*(#.*)?$")


def line_of(text: str, table: str, index: int, key: str) -> int:
    """Find the line of `key` in the `index`-th table named `table`; the table's own line where the
    key is absent, else 0."""
    seen, start = -1, 0
    wanted = re.compile(rf"^\s*[\"']?{re.escape(key)}[\"']?\s*=") if key else None
    for number, line in enumerate(text.split("\n"), 1):
        header = _HEADER.match(line)
        if header is not None:
            if start:
                break
            if header["name"].strip("\"' ") == table:
                seen += 1
                start = number if seen == index else 0
        elif start and wanted is not None and wanted.match(line):
            return number
    return start or _line_without_header(text, table, key)


def _line_without_header(text: str, table: str, key: str) -> int:
    """Find a table that is written `deck.name = ...` or `deck = {...}`: the line of the key, or of
    the table's first mention."""
    for words in (rf"{re.escape(table)}\.{re.escape(key)}\s*=", rf"{re.escape(table)}\s*[.=]"):
        found = re.search(rf"^[ \t]*{words}", text, re.MULTILINE)
        if found is not None:
            return text.count("\n", 0, found.start()) + 1
    return 0


@dataclass(frozen=True)
class Key:
    """What a key's value must be: `fits` tells, the message `deck.rule.<rule>` says it in words,
    `needed`: it may not be absent."""

    fits: Callable[[Any], bool]
    rule: str
    needed: bool = False

    def words(self) -> Text:
        """Say what the value must be."""
        return Text(f"deck.rule.{self.rule}")


def _number(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _name(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 80 and value.isprintable() and value == value.strip()


def _inside(value: Any) -> bool:
    return (
        _name(value)
        and Path(value).name == "references"
        and not Path(value).is_absolute()
        and ".." not in Path(value).parts
        and "\\" not in value
        and ":" not in value
    )


TAG = re.compile("[0-9a-f]{8}|[0-9a-f]{14}|[0-9a-f]{20}")
"""A tag id as stored: 4, 7 or 10 bytes (ISO/IEC 14443-3), lower-case hexadecimal."""


def tag_id(value: str) -> str:
    """Write a tag id the one way it is stored: `04:A2-1B...` becomes `04a21b...`."""
    return re.sub(r"[\s:.-]", "", value).lower()


def _tags(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(v, str) and TAG.fullmatch(tag_id(v)) for v in value)


DECK_KEYS: Mapping[str, Key] = {
    "name": Key(_name, "name", needed=True),
    "game": Key(
        lambda v: isinstance(v, str) and re.fullmatch("[a-z0-9_]+", v) is not None, "game", needed=True
    ),
    "owner_by": Key(lambda v: v in ("colour", "seat", "none"), "owner_by"),
    "references": Key(_inside, "references"),
}

DESIGN_KEYS: Mapping[str, Key] = {
    "name": Key(_name, "design", needed=True),
    "card": Key(lambda v: isinstance(v, str) and (v == "" or _CARD.fullmatch(v) is not None), "card"),
    "copies": Key(lambda v: _number(v, 1, 999), "copies"),
    "tags": Key(_tags, "tags"),
    "marker": Key(lambda v: _number(v, 0, 249), "marker"),
}

TABLES: Mapping[str, Mapping[str, Key]] = {"deck": DECK_KEYS, "design": DESIGN_KEYS}


def check(text: str, values: Mapping[str, Any]) -> list[Fault]:
    """List every mistake in tables, keys and types, in the order of the file."""
    strangers = (name for name in values if name not in TABLES)
    faults = [_unknown_table(text, name) for name in islice(strangers, MOST_FAULTS)]
    deck, designs = values.get("deck"), values.get("design")
    if not isinstance(deck, dict):
        faults.append(fault("no_deck", line_of(text, "deck", 0, ""), "deck"))
    else:
        faults += _check_table(text, "deck", 0, deck)
    if not isinstance(designs, list) or not all(isinstance(one, dict) for one in designs):
        faults.append(fault("no_designs", line_of(text, "design", 0, ""), "design"))
    else:
        for index, design in enumerate(designs):
            faults += _check_table(text, "design", index, design)
            if len(faults) >= MOST_FAULTS:
                break
    return sorted(faults, key=lambda one: one.line)


def _unknown_table(text: str, name: str) -> Fault:
    return fault("unknown_table", line_of(text, name, 0, ""), name)


def _check_table(text: str, table: str, index: int, values: Mapping[str, Any]) -> list[Fault]:
    keys = TABLES[table]
    shown = f"[{table}]" if table == "deck" else f"[[{table}]]"
    faults = []
    for name in islice(sorted(values.keys() - keys.keys()), MOST_FAULTS):
        line = line_of(text, table, index, name)
        near = difflib.get_close_matches(name, keys, 1)
        if near:
            faults.append(fault("near_key", line, name, table=shown, near=near[0]))
        else:
            faults.append(fault("unknown_key", line, name, table=shown, known=tuple(keys)))
    wrong = [
        (name, key)
        for name, key in keys.items()
        if (key.needed if name not in values else not key.fits(values[name]))
    ]
    for name, key in wrong:
        line = line_of(text, table, index, name)
        if name not in values:
            faults.append(fault("missing", line, name, table=shown, name=name, rule=key.words()))
        else:
            faults.append(fault("bad_value", line, name, value=_shown(values[name]), rule=key.words()))
    return faults


def _shown(value: Any) -> str:
    words = repr(value) if not isinstance(value, str) else f'"{value}"'
    return words if len(words) <= 60 else words[:59] + "…"
