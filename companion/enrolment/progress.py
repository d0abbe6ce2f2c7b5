"""What is to be shown of an enrolment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from companion.enrolment.look import Picture, rows_of
from companion.rules.contract import Text
from vision.geometry import Quad

Mode: TypeAlias = Literal["one", "sheet", "pack"]
"""One card at a time, many in the deck's order, or a pack in any order."""


class Progress(msgspec.Struct, frozen=True):
    """What is to be shown of an enrolment.

    `wanted`: the card to lay down, None when all are there. `seen`: its copies seen and owned.
    `sheet`: in sheet mode the names of the cards in sight, in reading order. `note`: what came of
    the last card or key, `trouble` whether that needs somebody. `hint`: what is to be seen now.
    `captures` grows with every card that was taken. `laid`: cards of a pack laid out that have no
    name yet.
    """

    wanted: Text | None
    done: int
    total: int
    views: int
    seen: tuple[int, int]
    mode: Mode
    sheet: tuple[Text, ...] = ()
    note: Text | None = None
    trouble: bool = False
    hint: Text | None = None
    captures: int = 0
    laid: int = 0


class OutlinedPicture(NamedTuple):
    """A picture (BGR) with the cards' outlines in reading order."""

    image: Picture
    quads: tuple[Quad, ...]


def hint(quads: Sequence[Quad] | None, mode: Mode, left: int) -> Text | None:
    """Say what is to be seen now: where cards lie (None: no picture has come yet), `left` are still
    asked for."""
    if quads is None:
        return Text("enrol.no_picture")
    if mode == "pack" and quads:
        return Text("enrol.pack.sight", {"count": len(quads)})
    if mode != "one":
        seen = {"count": len(quads), "rows": rows_of(quads), "left": left}
        return Text("enrol.sheet_sight", seen) if quads else Text("enrol.nothing")
    return Text("enrol.several", {"count": len(quads)}) if len(quads) > 1 else None
