"""What the pads of the reader boards are for: the usual plan, and the players' own, a TOML file.

A pad is named by its board's number and its own name: `1.seat3`, `2.middle`. The file (of its own, or the table's layout) says:

    [[pad]]
    board = 1            # the first reader named; left out: 1
    name = "seat3"       # as firmware/pins.toml names it
    zone = "seat:3"      # or "middle", "pile"
    under = true         # it lies under the table and reads cards that lie face down; left out: false
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from companion.rules.contract import Text
from companion.table.legend import Pad

SEATS_A_BOARD = 6
"""Seats that a whole board has: the second board's first seat is the table's seventh."""
MIDDLE = "middle"


class PadsError(Exception):
    """A plan of pads cannot be used; `text` says where the mistake is and what to do."""

    def __init__(self, code: str, **args: object) -> None:
        super().__init__(code)
        self.text = Text(code, args)


class _Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, msgspec.Meta(pattern="^[a-z][a-z0-9]{0,15}$")]
    zone: Annotated[str, msgspec.Meta(pattern="^(seat:[1-9][0-9]?|middle|pile)$")]
    under: bool = False
    board: Annotated[int, msgspec.Meta(ge=1, le=9)] = 1


class _File(msgspec.Struct, frozen=True):
    pad: tuple[_Row, ...] = ()


def key(board: int, pad: str) -> str:
    """Return the name by which the table knows a pad: the board's number (from 1) and the pad's name."""
    return f"{board}.{pad}"


def usual(boards: int = 1, *, under: bool) -> dict[str, Pad]:
    """Return the plan of pads where nobody says otherwise: pad k at seat k, the last one in the middle, the next board's seats after these.

    `under`: the seats' pads lie under the table, so that loads are laid face down above them; the middle's is always open.
    """
    plan = {}
    for board in range(1, boards + 1):
        before = (board - 1) * SEATS_A_BOARD
        for seat in range(1, SEATS_A_BOARD + 1):
            plan[key(board, f"seat{seat}")] = Pad(f"seat:{before + seat}", under)
        plan[key(board, MIDDLE)] = Pad(MIDDLE)
    return plan


def load(path: Path) -> dict[str, Pad]:
    """Read the pads of a file; empty when it names none. Raises `PadsError`."""
    try:
        read: Mapping[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        rows = msgspec.convert(read, _File).pad
    except OSError as error:
        raise PadsError("pads.unreadable", file=str(path), reason=error.strerror or "") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PadsError("pads.no_toml", file=str(path), reason=str(error)) from error
    except msgspec.ValidationError as error:
        raise PadsError("pads.bad_value", file=str(path), reason=str(error)) from error
    names = [key(row.board, row.name) for row in rows]
    if twice := _twice(names):
        raise PadsError("pads.twice", file=str(path), pad=twice)
    return {name: Pad(row.zone, row.under) for name, row in zip(names, rows, strict=True)}


def seat_of(pads: Mapping[str, Pad], board: int, seat: int) -> int:
    """Return the table's seat of the buttons that a board numbers `seat`: they belong to the pad of that number."""
    pad = pads.get(key(board, f"seat{seat}"))
    kind, _, number = ("" if pad is None else pad.zone).partition(":")
    return int(number) if kind == "seat" else (board - 1) * SEATS_A_BOARD + seat


def _twice(names: Iterable[str]) -> str:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return ""
