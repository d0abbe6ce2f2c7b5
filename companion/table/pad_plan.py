"""Plan of pads: the zone of each reader's pad, and whether cards there lie face down. There is a
default plan; people's own is a TOML file.

A pad of a board is named by the board's number and its own name: `1.seat3`, `2.middle`; a reader
that is one pad by its device's name. The file (separate, or part of the table's layout) says:

    [[pad]]
    board = 1            # the first reader named; left out: 1
    name = "seat3"       # as firmware/pins.toml names it
    zone = "seat:3"      # or "middle", "pile"
    face_down = true     # left out: at the seats, in games that lay cards face down

    [[pad]]
    device = "ACS ACR122U PICC Interface 00 00"    # as `companion pads` writes it
    zone = "seat:1"

All pads lie on the table. A tag does not know which face is up: a card on a pad with `face_down` is
sealed; to turn a card up, it is shown to an open pad or to the camera.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from companion.rules.claims import ZoneId, format_seat_zone
from companion.rules.contract import Problem
from companion.table.identification import Pad
from companion.table.zones import ZoneName
from companion.texts import describe_os_error, describe_toml_error, describe_validation_error
from companion.user_files import BadFile, parse_toml, read_text

SEATS_A_BOARD = 6
"""Seats of a full board: the second board's first seat is the table's seventh."""
MIDDLE = "middle"
FILE = "pads.toml"
"""File in which `companion pads` saves the places of this table's readers."""


class PadsError(Problem):
    """Raised for a plan of pads that cannot be used; `text` says where the mistake is and what to
    do."""


class _PadRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    zone: ZoneName
    name: Annotated[str, msgspec.Meta(pattern="^[a-z][a-z0-9]{0,15}$")] | None = None
    board: Annotated[int, msgspec.Meta(ge=1, le=9)] = 1
    device: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None
    face_down: bool | None = None
    under: bool | None = None
    """The name of `face_down` in older files."""

    def pad_key(self) -> str:
        """Return the table's name of the pad. Raises ValueError for a row without `name` and
        `device`, or with both."""
        if (self.name is None) == (self.device is None):
            raise ValueError("[[pad]] needs either name or device")
        return make_pad_key(self.board, self.name) if self.name is not None else self.device or ""

    def to_pad(self, face_down: bool) -> Pad:
        """Return the pad; `face_down`: the game lays cards face down at the seats."""
        # Without a word in the file, only pads at seats are face down: the middle is open in every
        # game.
        value = self.under if self.face_down is None else self.face_down
        return Pad(
            self.zone, face_down and ZoneId.from_text(self.zone).seat is not None if value is None else value
        )


class _PadsFile(msgspec.Struct, frozen=True):
    pad: tuple[_PadRow, ...] = ()


def make_pad_key(board: int, pad: str) -> str:
    """Return the table's name of a board's pad: the board's number (from 1) and the pad's name."""
    return f"{board}.{pad}"


def make_default_pads(boards: int = 1, *, face_down: bool) -> dict[str, Pad]:
    """Return the default plan of pads: pad k at seat k, the last one in the middle, the next
    board's seats after these.

    `face_down`: cards at the seats lie face down, as loads do; the middle is always open.
    """
    plan = {}
    for board in range(1, boards + 1):
        before = (board - 1) * SEATS_A_BOARD
        for seat in range(1, SEATS_A_BOARD + 1):
            plan[make_pad_key(board, make_seat_pad(seat))] = Pad(format_seat_zone(before + seat), face_down)
        plan[make_pad_key(board, MIDDLE)] = Pad(MIDDLE)
    return plan


def load_pads(path: Path, *, face_down: bool = False) -> dict[str, Pad]:
    """Read the pads of a file; empty if it names none. Raises `PadsError`.

    `face_down`: whether the game lays cards face down at the seats, which counts if the file does
    not say.
    """
    try:
        read: Mapping[str, Any] = parse_toml(read_text(path), path)
        rows = msgspec.convert(read, _PadsFile).pad
        names = [row.pad_key() for row in rows]
    except BadFile as error:
        raise PadsError(error.text) from error
    except OSError as error:
        raise PadsError("pads.unreadable", file=str(path), reason=describe_os_error(error)) from error
    except UnicodeDecodeError as error:
        raise PadsError("pads.not_utf8", file=str(path)) from error
    except tomllib.TOMLDecodeError as error:
        raise PadsError("pads.no_toml", file=str(path), reason=describe_toml_error(error)) from error
    except msgspec.ValidationError as error:
        raise PadsError("pads.bad_value", file=str(path), reason=describe_validation_error(error)) from error
    except ValueError as error:
        # Last: two of the exceptions above are ValueErrors as well.
        raise PadsError("pads.bad_value", file=str(path), reason=str(error)) from error
    if twice := _find_duplicate(names):
        raise PadsError("pads.twice", file=str(path), pad=twice)
    return {name: row.to_pad(face_down) for name, row in zip(names, rows, strict=True)}


def make_seat_pad(seat: int) -> str:
    """Return the name of the pad at a seat: `seat3`."""
    return f"seat{seat}"


def find_pad_seat(pad: str) -> int | None:
    """Return the board's seat whose buttons belong to the pad of that name (`seat3`); None for a
    pad without a seat."""
    number = pad.removeprefix("seat")
    return int(number) if number.isdecimal() else None


def find_button_seat(pads: Mapping[str, Pad], board: int, seat: int) -> int:
    """Return the table's seat of the buttons that a board numbers `seat`: that of the pad with the
    same number."""
    # If the plan has no such pad, seats are numbered board by board.
    pad = pads.get(make_pad_key(board, make_seat_pad(seat)))
    return (ZoneId.from_text(pad.zone).seat if pad is not None else None) or (
        board - 1
    ) * SEATS_A_BOARD + seat


def _find_duplicate(names: Iterable[str]) -> str:
    known: set[str] = set()
    for name in names:
        if name in known:
            return name
        known.add(name)
    return ""
