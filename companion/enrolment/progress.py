"""What is to be shown of an enrolment."""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec

from companion.enrolment.look import Picture
from companion.rules.contract import Text
from vision.geometry import Quad


class Progress(msgspec.Struct, frozen=True):
    """What is to be shown of an enrolment.

    `wanted`: the card to lay down, None when all are there. `seen`: its copies seen and owned.
    `sheet`: in sheet mode the names of the cards in sight, in reading order. `note`: what came of
    the last card or key, `trouble` whether that needs somebody. `hint`: what is to be seen now.
    `captures` grows with every card that was taken.
    """

    wanted: Text | None
    done: int
    total: int
    views: int
    seen: tuple[int, int]
    mode: Literal["one", "sheet"]
    sheet: tuple[Text, ...] = ()
    note: Text | None = None
    trouble: bool = False
    hint: Text | None = None
    captures: int = 0


class OutlinedPicture(NamedTuple):
    """A picture (BGR) with the cards' outlines in reading order; `numbered`: they are a sheet's."""

    image: Picture
    quads: tuple[Quad, ...]
    numbered: bool


def hint(count: int | None, mode: Literal["one", "sheet"], left: int) -> Text | None:
    """Say what is to be seen now: `count` cards lie there (None: no picture has come yet), `left`
    are still asked for."""
    if count is None:
        return Text("enrol.no_picture")
    if mode == "sheet":
        return Text("enrol.sheet_sight", {"count": count, "left": left}) if count else Text("enrol.nothing")
    return Text("enrol.several", {"count": count}) if count > 1 else None
