"""The players in an export of BG Stats (https://www.bgstatsapp.com): all whom its owner met."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from companion import given_files
from companion.rules.contract import LONGEST_NAME, Problem
from companion.settings import Person
from companion.texts import clean

MOST_BYTES = 50_000_000
"""A ten-year collection with thousands of plays is some megabytes."""


class _Player(msgspec.Struct):
    name: str
    uuid: str = ""
    is_anonymous: bool = msgspec.field(default=False, name="isAnonymous")


class _Export(msgspec.Struct):
    players: list[_Player]


def people_of(path: Path) -> Sequence[Person]:
    """Return the named players of the export `path`; raise `Problem` where it is none, and
    `OSError`. Plays and games are left alone."""
    try:
        export = msgspec.json.decode(given_files.bytes_of(path, MOST_BYTES), type=_Export)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise Problem("people.no_export", file=str(path)) from fault
    named = [(clean(one.name).strip()[:LONGEST_NAME], one) for one in export.players if not one.is_anonymous]
    return [Person(name.replace(",", " "), clean(one.uuid)) for name, one in named if name]
