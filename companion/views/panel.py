"""What a game shows on the dashboard: a pure function from the view to a `Face`; the widgets draw
it at any size.

A game's panel is the function `face(view, say) -> Face` of the module `panel` in its folder, or
what the entry point of its id names in the group `companion.panels`. A game without one is shown by
`plain_face`, from the fields that every view has.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Literal, TypeAlias

import msgspec
from textual.content import Content

from companion.rules import registry
from companion.rules.contract import View
from companion.texts import Translator

Tone: TypeAlias = Literal["plain", "good", "bad", "warn", "quiet", "accent"]


class Badge(msgspec.Struct, frozen=True):
    """A fact about a player: a sign and a word, so that colour (`tone`) is never the only cue."""

    sign: str
    word: str
    tone: Tone = "plain"


NOTHING = Badge("", "")
"""Holds a badge's column open where a player has nothing in it, so that columns stay in line."""


FACTS = "  ·  "
"""Stands between the facts of a seat's `detail`; where there is no room the last are left out."""


class Seat(msgspec.Struct, frozen=True):
    """One player's row: name, points as shown, whether this player is awaited and whether they are
    first, and facts."""

    name: str
    points: str
    awaited: bool = False
    first: bool = False
    badges: tuple[Badge, ...] = ()
    detail: str = ""


class Gauge(msgspec.Struct, frozen=True):
    """A number against its limit: how full the donkey is. `value` None: not known yet; `limit`
    None: there is none."""

    label: str
    value: int | None
    limit: int | None
    verdict: str = ""
    tone: Tone = "plain"
    parts: tuple[int, ...] = ()
    """What has been seen of it so far, one number a card, while `value` is not known yet: it fills
    card by card."""
    owners: tuple[int, ...] = ()
    """Whose card each part is, by the seat (from 1): the bar is drawn in their colours."""


class RoundResult(msgspec.Struct, frozen=True):
    """What a round came to, in the moment that everybody waits for: the verdict, its figures, and
    what each player won ("" nothing)."""

    verdict: str
    figures: str
    tone: Tone
    won: tuple[tuple[str, str], ...]


class Piece(msgspec.Struct, frozen=True):
    """A pawn on the board: whose it is (the seat, from 1), its number there, its spot,
    and its middle."""

    seat: int
    number: int
    spot: str
    x: float
    y: float


class BoardPicture(msgspec.Struct, frozen=True):
    """A board for pages that draw: its pawns, and the middle of every spot; the picture below them
    is what the game's `drawing.picture` returns. All in parts of the board's side, from its upper
    left."""

    pieces: tuple[Piece, ...]
    spots: Mapping[str, tuple[float, float]]


class Face(msgspec.Struct, frozen=True):
    """What the panel shows: progress `(now, of)`, the big word with its meaning, a gauge, the
    seats, and a board drawn at two sizes."""

    progress: tuple[int, int] | None
    progress_label: str
    headline: str
    meaning: str
    seats: tuple[Seat, ...]
    gauge: Gauge | None = None
    facts: tuple[Badge, ...] = ()
    result: RoundResult | None = None
    """The result of the round that has just ended; it stays until the next act."""
    picture: str = ""
    """The card that it is all about, by its id (`donkey:giant`): its picture stands beside the
    words, where there is room."""
    board: Callable[[int, int], Content] | None = None
    """Draws the board in at most so many columns and rows; None where the game has no board."""
    board_picture: BoardPicture | None = None
    """The same for pages."""


FaceOf: TypeAlias = Callable[[View, Translator], Face]


def awaited_players(view: View) -> set[str]:
    """Return the players whom the referee waits for."""
    return {wait["player"] for wait in view["waiting_for"] if wait["player"] is not None}


def plain_face(view: View, say: Translator) -> Face:
    """Show a game that has no panel of its own: phase, players, points, whose turn it is."""
    awaited = awaited_players(view)
    seats = tuple(
        Seat(say.name(row["name"]), str(row["points"]), awaited=row["name"] in awaited)
        for row in view["players"]
    )
    return Face(None, "", say(f"phase.{view['phase']}"), "", seats)


def marked(face: Face, people: Collection[str], say: Translator) -> Face:
    """Mark the seats that a person has taken over from the demo's players."""
    if not people:
        return face
    names = {say.name(name) for name in people}
    badge = Badge("☛", say("demo.yours"), "accent")
    seats = tuple(
        msgspec.structs.replace(seat, badges=(*seat.badges, badge)) if seat.name in names else seat
        for seat in face.seats
    )
    return msgspec.structs.replace(face, seats=seats)


def face_of(game_id: str) -> FaceOf:
    """Load the game's panel, or the plain one where it has none or it cannot be loaded."""
    found: FaceOf | None = registry.part(game_id, "panel:face")
    return found or plain_face
