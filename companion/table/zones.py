"""Zones of the table (each player's seat, the middle, the pile), and the camera's calibration.

Table units: x from 0 (left) to 1 (right), y from 0 (far edge) to 1 (near edge), seen from above by
a camera whose picture has the first player at the bottom. Seats follow one another clockwise. The
layout is a TOML file, `table.toml`, that people may edit. This module also names zones and
cards in questions and hints; the names of cards are in the game's catalogue.
"""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from companion import libraries
from companion.rules.claims import CardId, ZoneId, format_seat_zone
from companion.rules.contract import Problem, Text
from companion.rules.people import VerbatimName
from companion.table.decks import Deck
from companion.table.identification import BACK, NOWHERE
from companion.texts import describe_os_error, describe_toml_error, describe_validation_error
from companion.user_files import BadFile, parse_toml, read_text, write_file_atomically

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FILE = "table.toml"
"""Name of the layout file in a table's or deck's folder."""
SEATS = range(2, 13)
"""Numbers of seats for which there is a default layout."""
INNER = 0.44
"""Side of the middle rectangle (middle and pile) as a part of the table's."""
PILE = 0.34
"""Part of the middle rectangle's width, on its right, that is the pile."""

Unit = Annotated[float, msgspec.Meta(ge=0, le=1)]
Point = tuple[Unit, Unit]
ZoneName = Annotated[str, msgspec.Meta(pattern="^(seat:[1-9][0-9]?|middle|pile)$")]


class ZonesError(Problem):
    """Raised for a layout that cannot be used; the text says where the mistake is and what to
    do."""

    prefix = "zones."


class Zone(msgspec.Struct, frozen=True):
    """One zone: its name (`seat:1`, `middle`, `pile`) and its outline, three or more corners in
    table units."""

    name: ZoneName
    corners: Annotated[tuple[Point, ...], msgspec.Meta(min_length=3)]


class Camera(msgspec.Struct, frozen=True):
    """Calibration: how the camera's picture maps to the table.

    `picture`: the whole picture is the table. `corners`: the table's four corners in the picture
    (far left, far right, near right, near left), as parts of the picture's width and height. `mat`:
    located by the markers of the printed mat.
    """

    method: Literal["picture", "corners", "mat"] = "picture"
    corners: tuple[Point, Point, Point, Point] | None = None


class Zones(msgspec.Struct, frozen=True, dict=True):
    """Layout of one table. `aspect`: width of the table divided by its depth."""

    zone: tuple[Zone, ...]
    aspect: Annotated[float, msgspec.Meta(gt=0.1, lt=10)] = 16 / 9
    camera: Camera = Camera()

    @cached_property
    def _named_outlines(self) -> list[tuple[str, NDArray[np.float32]]]:
        return [
            (zone.name, libraries.np.array(zone.corners, dtype=libraries.np.float32)) for zone in self.zone
        ]

    @property
    def zone_names(self) -> tuple[str, ...]:
        """Names of the zones, in the file's order."""
        return tuple(zone.name for zone in self.zone)

    def find_outline(self, name: str) -> NDArray[np.float32]:
        """Return the corners of a zone, shape (n, 2), in table units; raise KeyError for an unknown
        zone."""
        return dict(self._named_outlines)[name]

    def find_zone_at(self, x: float, y: float) -> str:
        """Return the zone that contains the point; where zones overlap, the one it lies deepest in;
        `NOWHERE` outside all zones."""
        inside = [
            (depth, name)
            for name, outline in self._named_outlines
            # Borders count as inside: neighbouring zones share them, and a card there belongs to
            # one.
            if (depth := libraries.cv2.pointPolygonTest(outline, (float(x), float(y)), True)) >= 0
        ]
        return max(inside)[1] if inside else NOWHERE

    def with_camera(self, camera: Camera) -> Zones:
        """Return the layout with another calibration."""
        return msgspec.structs.replace(self, camera=camera)

    def save(self, path: Path) -> None:
        """Write the layout atomically; raise `ZonesError` if that fails."""
        document = libraries.tomlkit.document()
        document.add(
            libraries.tomlkit.comment(
                "The table as the camera sees it: x from left (0) to right (1), y from far to near."
            )
        )
        document["aspect"] = round(self.aspect, 4)
        document["camera"] = {
            key: value for key, value in _struct_to_toml(self.camera).items() if value is not None
        }
        document["zone"] = [_struct_to_toml(zone) for zone in self.zone]
        path = file_of(path)
        try:
            write_file_atomically(path, libraries.tomlkit.dumps(document))
        except OSError as error:
            raise ZonesError("unwritable", file=str(path), reason=describe_os_error(error)) from error


def file_of(path: Path) -> Path:
    """Return the layout's file: `path` itself, or the one in that folder."""
    # Before Python 3.14 `Path.is_dir` raises where a name is too long or a folder closed; here what
    # reads the file says why.
    return path / FILE if os.path.isdir(path) else path  # noqa: PTH112


def load_zones(path: Path) -> Zones:
    """Read a layout, or the `table.toml` of a folder; raise `ZonesError` that says where the
    mistake is and what to do."""
    path = file_of(path)
    try:
        zones = msgspec.convert(parse_toml(read_text(path), path), Zones)
    except BadFile as error:
        raise ZonesError(error.text) from error
    except OSError as error:
        raise ZonesError("unreadable", file=str(path), reason=describe_os_error(error)) from error
    except UnicodeDecodeError as error:
        raise ZonesError("not_utf8", file=str(path)) from error
    except tomllib.TOMLDecodeError as error:
        raise ZonesError("no_toml", file=str(path), reason=describe_toml_error(error)) from error
    except msgspec.ValidationError as error:
        raise ZonesError("bad_value", file=str(path), reason=describe_validation_error(error)) from error
    twice = {name for name, count in Counter(zones.zone_names).items() if count > 1}
    if twice:
        raise ZonesError("twice", file=str(path), zones=tuple(sorted(twice)))
    if zones.camera.method == "corners" and zones.camera.corners is None:
        raise ZonesError("no_corners", file=str(path))
    return zones


def make_default_zones(seats: int, aspect: float = 16 / 9) -> Zones:
    """Return the default layout for `seats` players: seats along the edge, clockwise from the
    middle of the near edge; middle and pile inside.

    Each seat gets the same length of the table's edge. `aspect`: width of the table divided by its
    depth. Raises ValueError for a number of seats without a layout.
    """
    if seats not in SEATS:
        raise ValueError(f"a table has {SEATS[0]} to {SEATS[-1]} seats, not {seats}")
    span = _measure_perimeter(aspect) / seats
    zones = []
    for seat in range(seats):
        # Half a seat back: the first seat is centred on the middle of the near edge.
        stretch = _walk_edge((seat - 0.5) * span, (seat + 0.5) * span, aspect)
        # Backwards along the inner rectangle, so that the outline is closed.
        inner = [(0.5 + (x - 0.5) * INNER, 0.5 + (y - 0.5) * INNER) for x, y in reversed(stretch)]
        zones.append(Zone(format_seat_zone(seat + 1), tuple(_round_points([*stretch, *inner]))))
    low, high = 0.5 - INNER / 2, 0.5 + INNER / 2
    border = high - PILE * INNER
    zones.append(Zone("middle", _list_box_corners(low, low, border, high)))
    zones.append(Zone("pile", _list_box_corners(border, low, high, high)))
    return Zones(tuple(zones), aspect)


def _measure_perimeter(aspect: float) -> float:
    return 2 * (aspect + 1)


def _walk_edge(start: float, end: float, aspect: float) -> list[tuple[float, float]]:
    """Return the corners of a stretch of the table's edge, clockwise from the middle of the near
    edge; distances in table depths. The table's corners on the way are included."""
    total = _measure_perimeter(aspect)
    turns = [aspect / 2, aspect / 2 + 1, 1.5 * aspect + 1, 1.5 * aspect + 2]
    # The first seat begins before the near edge's middle, where distances are negative.
    corners = sorted(turn + lap * total for turn in turns for lap in (-1, 0, 1))
    stops = [start, *(corner for corner in corners if start < corner < end), end]
    return [_find_edge_point(stop % total, aspect) for stop in stops]


def _find_edge_point(distance: float, aspect: float) -> tuple[float, float]:
    half = aspect / 2
    if distance <= half:
        return 0.5 - distance / aspect, 1.0
    if distance <= half + 1:
        return 0.0, 1.0 - (distance - half)
    if distance <= 3 * half + 1:
        return (distance - half - 1) / aspect, 0.0
    if distance <= 3 * half + 2:
        return 1.0, distance - 3 * half - 1
    return 1.0 - (distance - 3 * half - 2) / aspect, 1.0


def _list_box_corners(x0: float, y0: float, x1: float, y1: float) -> tuple[Point, ...]:
    return tuple(_round_points([(x0, y0), (x1, y0), (x1, y1), (x0, y1)]))


def _round_points(points: Sequence[tuple[float, float]]) -> list[Point]:
    return [(_clamp_to_unit(x), _clamp_to_unit(y)) for x, y in points]


def _clamp_to_unit(value: float) -> float:
    return round(min(max(value, 0.0), 1.0), 4)


def _struct_to_toml(value: object) -> dict[str, Any]:
    return {key: _tuples_to_lists(one) for key, one in msgspec.structs.asdict(value).items()}  # type: ignore[arg-type]


def _tuples_to_lists(value: object) -> Any:
    return [_tuples_to_lists(one) for one in value] if isinstance(value, tuple) else value


def calibrate_from_clicks(clicks: Sequence[tuple[float, float]], width: int, height: int) -> Camera:
    """Return the calibration for four points clicked in a picture of `width` x `height` pixels, in
    any order.

    Raises `ZonesError` if the points are not four corners of an area of the picture.
    """
    points = [(x / width, y / height) for x, y in clicks]
    if len(points) != 4:
        raise ZonesError("four_corners", count=len(points))
    if not all(0 <= x <= 1 and 0 <= y <= 1 for x, y in points):
        raise ZonesError("outside")
    middle = [sum(axis) / 4 for axis in zip(*points, strict=True)]
    # By the angle from the middle, because people click in any order; y grows downwards, so that
    # this is clockwise from the far left.
    around = sorted(points, key=lambda point: math.atan2(point[1] - middle[1], point[0] - middle[0]))
    outline = libraries.np.array(around, dtype=libraries.np.float32)
    # Clicks almost on a line, or crossing each other, are not a table.
    if libraries.cv2.contourArea(outline) < 0.02 or not libraries.cv2.isContourConvex(
        outline.reshape(-1, 1, 2)
    ):
        raise ZonesError("no_table")
    far_left, far_right, near_right, near_left = _round_points(around)
    return Camera("corners", (far_left, far_right, near_right, near_left))


def describe_zone(zone: str) -> Text:
    """Return the name of a zone: `zone.seat` with the seat's number, `zone.middle`, `zone.pile`."""
    kind, number = ZoneId.from_text(zone)
    return Text(f"zone.{kind}", {} if number is None else {"seat": number})


def describe_card_id(card: str) -> Text:
    """Return the name of a card id: `card.<name>` of the game's catalogue; `card.<kind>` with
    colour and value if the id has both."""
    kind, colour, name = CardId.from_text(card)
    if not colour:
        return Text(f"card.{name}")
    whose = Text("card.any") if colour == "any" else Text(f"colour.{colour}")
    return Text(
        f"card.{kind}", {"colour": whose, "value": name if name.isdecimal() else Text(f"card.{name}")}
    )


_PACK = re.compile("(?P<rank>10|[2-9AJQK])(?P<suit>[SHDC])")
"""Common short names of a pack of 52, ace of spades to king of clubs: AS, 10H, KC."""
_SUITS = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}


def describe_design(deck: Deck, design: str) -> Text:
    """Return a design's name for people: as in a pack of 52, or its card's name, with the design's
    own name if that says more."""
    if design == BACK:
        return Text("enrol.back")
    pack = _PACK.fullmatch(design)
    if pack is not None:
        rank = pack["rank"] if pack["rank"].isdecimal() else Text(f"pack.rank.{pack['rank']}")
        return Text("pack.card", {"rank": rank, "suit": Text(f"colour.{_SUITS[pack['suit']]}")})
    card = deck.find_card(design)
    if card is None:
        kind, _, face = design.partition(":")
        # Printed with a deck, but no card of the rules.
        if kind == "summary" and face:
            return Text("enrol.summary", {"face": VerbatimName(face)})
        return Text("enrol.design", {"name": design})
    return (
        describe_card_id(card)
        if card == design
        else Text("enrol.named", {"card": describe_card_id(card), "name": design})
    )
