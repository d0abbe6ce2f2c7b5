"""Panels: what a game shows on the dashboard, as a pure function from the view to a `Face`, which
the widgets draw at any size.

A game's panel is the function `face(view, say) -> Face` of the module `panel` in its folder, or the
entry point with its id in the group `companion.panels`. A game without one is shown by
`build_plain_face`, from the fields that every view has.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Literal, TypeAlias

import msgspec
from textual.content import Content

from companion.rules import registry
from companion.rules.contract import View
from companion.texts import Translator, format_score

Tone: TypeAlias = Literal["plain", "good", "bad", "warn", "quiet", "accent"]


class Badge(msgspec.Struct, frozen=True):
    """A fact about a player: a sign and a word, so that colour (`tone`) is never the only cue."""

    sign: str
    word: str
    tone: Tone = "plain"


NOTHING = Badge("", "")
"""An empty badge, which keeps columns of badges aligned."""


FACTS = "  ·  "
"""Separator between the facts of a seat's `detail`; where room is short, the last facts are left
out."""


class Seat(msgspec.Struct, frozen=True):
    """One player's row: name, points as shown, whether this player is awaited and is first, and
    facts."""

    name: str
    points: str
    awaited: bool = False
    first: bool = False
    badges: tuple[Badge, ...] = ()
    detail: str = ""


class Gauge(msgspec.Struct, frozen=True):
    """A number against its limit, such as how full the donkey is. `value` None: not known yet;
    `limit` None: there is none."""

    label: str
    value: int | None
    limit: int | None
    verdict: str = ""
    tone: Tone = "plain"
    parts: tuple[int, ...] = ()
    """What has been seen of it so far, one number for each card, while `value` is not known: it
    fills card by card."""
    owners: tuple[int, ...] = ()
    """The seat (from 1) that each part belongs to: the bar is drawn in the players' colours."""


class RoundResult(msgspec.Struct, frozen=True):
    """The result of a round: the verdict, its figures, and what each player won ("" nothing)."""

    verdict: str
    figures: str
    tone: Tone
    won: tuple[tuple[str, str], ...]


class Piece(msgspec.Struct, frozen=True):
    """A pawn on the board: its owner's seat (from 1), its number, its spot, and the position of its
    centre."""

    seat: int
    number: int
    spot: str
    x: float
    y: float


class BoardPicture(msgspec.Struct, frozen=True):
    """A board for pages that draw: its pawns, and the centre of every spot.

    The picture below them comes from the game's `drawing.picture`. All positions are fractions of
    the board's side, from its upper left.
    """

    pieces: tuple[Piece, ...]
    spots: Mapping[str, tuple[float, float]]


class Face(msgspec.Struct, frozen=True):
    """What the panel shows: progress `(now, of)`, the large word with its meaning, a gauge, the
    seats, and a board for terminals and pages."""

    progress: tuple[int, int] | None
    progress_label: str
    headline: str
    meaning: str
    seats: tuple[Seat, ...]
    gauge: Gauge | None = None
    facts: tuple[Badge, ...] = ()
    result: RoundResult | None = None
    """The result of the round that has just ended, until the next act."""
    picture: str = ""
    """Id of the card in question (`donkey:giant`), shown beside the words where there is room."""
    board: Callable[[int, int], Content] | None = None
    """Draws the board in at most so many columns and rows; None if the game has no board."""
    board_alone: Callable[[int, int], Content] | None = None
    """Draws it where the list of players has no room beside it, with what each of them has; None if
    that looks the same."""
    board_picture: BoardPicture | None = None
    """The board for pages."""


FaceBuilder: TypeAlias = Callable[[View, Translator], Face]


def find_awaited_players(view: View) -> set[str]:
    """Return the players whom the referee waits for."""
    return {wait["player"] for wait in view["waiting_for"] if wait["player"] is not None}


def build_plain_face(view: View, translator: Translator) -> Face:
    """Show a game without a panel of its own: phase, players, points, whose turn it is."""
    awaited = find_awaited_players(view)
    seats = tuple(
        Seat(
            translator.display_name(row["name"]), format_score(row["points"]), awaited=row["name"] in awaited
        )
        for row in view["players"]
    )
    return Face(None, "", translator(f"phase.{view['phase']}"), "", seats)


def mark_taken_seats(face: Face, people: Collection[str], translator: Translator) -> Face:
    """Mark the seats that a person has taken over from the demo's players."""
    if not people:
        return face
    # A face knows its players by the names that are shown.
    names = {translator.display_name(name) for name in people}
    badge = Badge("☛", translator("demo.yours"), "accent")
    seats = tuple(
        msgspec.structs.replace(seat, badges=(*seat.badges, badge)) if seat.name in names else seat
        for seat in face.seats
    )
    return msgspec.structs.replace(face, seats=seats)


def load_face_builder(game_id: str) -> FaceBuilder:
    """Return the game's panel, or the plain one if it has none or it cannot be loaded."""
    # A plug-in's panel may fail to load; `companion check` says why.
    found: FaceBuilder | None = registry.load_part(game_id, "panel:build_panel")
    return found or build_plain_face
