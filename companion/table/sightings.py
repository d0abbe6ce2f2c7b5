"""Reports of the readers: one small value for each thing seen.

Readers know nothing of rules, and the table knows nothing of the readers' devices.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, Protocol, TypeAlias

import msgspec

from companion.rules.contract import BoardClaim, Text

SEALED = "(face down)"
"""Text that replaces the name of a face-down card."""


Face: TypeAlias = Literal["up", "down"]
"""The side of a card that can be seen."""


Sense: TypeAlias = Literal["camera", "tag"]
"""How a reader recognises cards. A camera sees the whole table, and a card stays as long as it lies
there; a tag is read where its card is shown, and counts until the phase moves on."""


class Sighting(msgspec.Struct, frozen=True):
    """Report that one reader sees a card, or no longer sees it, at one moment.

    `reader`: name of the reader (`camera`, `rfid /dev/ttyUSB0`, `keys`). `track`: number of the
    card for this reader (a watcher's placement id, a tag's slot), unchanged as long as the reader
    follows the card. `design`: the deck's name of the recognised design, None for a back or a card
    of no enrolled design. `where`: a zone (`seat:1`, `middle`, `pile`) or the name of a pad, which
    the table maps to a zone. `confidence`: 0..1; only readings of which the reader is `sure` are
    acted on. `candidates`: designs that an uncertain reading may be. `at`: seconds on the monotonic
    clock, taken when the bytes or pixels came in. `present` False: this track has gone. `sense`:
    the kind of reader. `quad`: the outline, four (x, y) corners in pixels of the first picture;
    movement of the camera is subtracted, so that a card at rest keeps its place.
    """

    reader: str
    track: int
    design: str | None
    where: str
    at: float
    face: Face = "up"
    sure: bool = True
    confidence: float = 1.0
    present: bool = True
    candidates: tuple[str, ...] = ()
    quad: tuple[tuple[float, float], ...] = ()
    sense: Sense = "camera"

    def __repr__(self) -> str:
        """Show all fields but the design of a face-down card: the text may end up in a log or a
        crash report."""
        return f"Sighting({', '.join(f'{name}={value!r}' for name, value in self.__rich_repr__())})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Return the same fields for a Rich traceback."""
        redacted = self if self.face == "up" else self.redact()
        return [(name, getattr(redacted, name)) for name in self.__struct_fields__]

    def redact(self) -> Sighting:
        """Return what may be shown and saved: a face-down card without its design."""
        if self.face == "up" or (self.design is None and not self.candidates):
            return self
        return msgspec.structs.replace(self, design=None, candidates=())


class Press(msgspec.Struct, frozen=True):
    """A seat's button was pressed: `accept` or `refuse`."""

    reader: str
    seat: int
    button: Literal["accept", "refuse"]
    at: float


HealthState: TypeAlias = Literal["ok", "starting", "lost", "look", "off"]


class Battery(msgspec.Struct, frozen=True):
    """Battery of a device: remaining charge in per cent, and whether it is being charged."""

    level: Annotated[int, msgspec.Meta(ge=0, le=100)]
    charging: bool

    @property
    def is_low(self) -> bool:
        """Whether somebody should plug it in."""
        # A phone that is charging gains as much as the camera uses: nobody needs to get up.
        return self.level <= LOW_BATTERY and not self.charging


NoPictures: TypeAlias = Literal["", "taken", "away"]
"""Why a phone's camera sends no pictures: `taken` by another program; `away`, because its owner has
left the page or locked the phone; "" if it sends them."""
LOW_BATTERY = 20
"""Charge in per cent at which phones themselves begin to warn."""


class Health(msgspec.Struct, frozen=True):
    """State of a reader: `state` for colour and symbol, `text` for the words (what is wrong and
    what to do).

    `look`: it works, but may have missed something. `battery`: for a device that has one and
    reports it. `sense`: how it recognises cards, None if it recognises none.
    """

    reader: str
    state: HealthState
    text: Text
    at: float
    battery: Battery | None = None
    sense: Sense | None = None

    @property
    def needs_attention(self) -> bool:
        """Whether the players should be warned."""
        return self.state in ("lost", "look") or (self.battery is not None and self.battery.is_low)


class ActivityReport(msgspec.Struct, frozen=True):
    """Whether the reader sees something on the table that it has not recognised yet (`busy`): a
    hand, a card that is just being laid."""

    reader: str
    busy: bool
    at: float


class BoardSighting(msgspec.Struct, frozen=True):
    """The position that a reader sees on the game's board, once it has been still for a moment."""

    reader: str
    board: BoardClaim
    at: float


Report: TypeAlias = "Sighting | Press | Health | ActivityReport | BoardSighting"
Post: TypeAlias = Callable[[Report], None]
"""Function that receives a reader's reports. Thread-safe; never blocks."""


def discard_report(_report: Report) -> None:
    """Discard a report made before the reader was started."""


class HealthMonitor:
    """Receiver that keeps the last `health` of one reader (None before the first), for screens that
    show a reader outside a game. Thread-safe."""

    def __init__(self) -> None:
        self.health: Health | None = None

    def __call__(self, report: Report) -> None:
        """Keep the report if it is the reader's health."""
        if isinstance(report, Health):
            self.health = report


class TableReader(Protocol):
    """Interface of a device, or a substitute for one. `start` returns at once; `close` returns when
    the device has been released."""

    name: str

    def start(self, post: Post) -> None:
        """Report to `post` from now on, from a thread of the reader's own."""

    def close(self) -> None:
        """Stop, and return when the port, camera or file is closed."""
