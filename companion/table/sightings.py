"""What readers report: one small value for each thing seen.

Readers know nothing of rules, and the table nothing of readers' devices.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, Protocol, TypeAlias

import msgspec

from companion.rules.contract import BoardSeen, Text

SEALED = "(face down)"
"""What is written wherever a card that lies face down would be named."""


Face: TypeAlias = Literal["up", "down"]
"""Which side of a card can be seen."""


Sense: TypeAlias = Literal["camera", "tag"]
"""By what a reader knows a card: a camera sees the whole table, and what lies there stays; a tag is
read where its card is shown, which counts until the phase moves on."""


class Sighting(msgspec.Struct, frozen=True):
    """What one reader sees, or no longer sees, at one moment.

    `reader` names the reader (`camera`, `rfid /dev/ttyUSB0`, `keys`); `track` tells one physical
    card from another of the same reader (a watcher's placement id, a tag's slot): the same track
    keeps its number as long as the reader follows the card. `design` is the deck's own name of the
    design that was recognised, None for a card of no enrolled design or its back. `where` is a zone
    (`seat:1`, `middle`, `pile`) or a pad's name, which the table maps to a zone. `confidence` is
    0..1; only readings that the reader is `sure` of are acted on. `candidates`: designs that an
    unsure reading may be. `at`: seconds on the monotonic clock, stamped where the bytes or pixels
    came in. `present` False: this track is gone. `sense`: what kind of reader says so.
    `quad`: the outline, four (x, y) corners in pixels of the first picture: what a camera has moved
    since is taken out, so that a card that lies still stays where it was.
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
        """Name everything but what lies face down: the text may end in a log or a crash report."""
        return f"Sighting({', '.join(f'{name}={value!r}' for name, value in self.__rich_repr__())})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Show the same in a Rich traceback."""
        shown = self if self.face == "up" else self.redacted()
        return [(name, getattr(shown, name)) for name in self.__struct_fields__]

    def redacted(self) -> Sighting:
        """Return what may be shown and kept of it: a card that lies face down has no name in it."""
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
    """What a device runs on: the charge left in per cent, and whether it is being charged."""

    level: Annotated[int, msgspec.Meta(ge=0, le=100)]
    charging: bool

    @property
    def low(self) -> bool:
        """Whether somebody should plug it in."""
        # A phone on its cable gains what the camera takes: nobody needs to get up.
        return self.level <= LOW_BATTERY and not self.charging


NoPictures: TypeAlias = Literal["", "taken", "away"]
"""Why a phone's camera gives no pictures: another program has `taken` it; its owner's look is
`away` from its page, or the phone is locked. "": it gives them."""
LOW_BATTERY = 20
"""Per cent at which phones themselves begin to warn."""


class Health(msgspec.Struct, frozen=True):
    """How a reader is: `state` for the colour and the sign, `text` for the words (what is wrong and
    what to do).

    `look`: it works, but may have missed something that people did meanwhile. `battery`: of a
    device that runs on one and tells it. `sense`: by what it knows cards, None where it knows none.
    """

    reader: str
    state: HealthState
    text: Text
    at: float
    battery: Battery | None = None
    sense: Sense | None = None

    @property
    def warns(self) -> bool:
        """Whether the players should be told."""
        return self.state in ("lost", "look") or (self.battery is not None and self.battery.low)


class Unrest(msgspec.Struct, frozen=True):
    """Whether the reader sees something on the table that it has yet to make out: a hand, a card
    that is just being laid (`busy`)."""

    reader: str
    busy: bool
    at: float


class BoardSighting(msgspec.Struct, frozen=True):
    """What a reader sees on the game's board, once it has been still for a moment."""

    reader: str
    board: BoardSeen
    at: float


Report: TypeAlias = "Sighting | Press | Health | Unrest | BoardSighting"
Post: TypeAlias = Callable[[Report], None]
"""Where a reader puts its reports. Safe to call from any thread; never blocks."""


def nobody(_report: Report) -> None:
    """Take a report before the reader has been started: there is nobody to tell."""


class HealthWatch:
    """Hears the reports of one reader, and keeps the last of its `health`, for screens that show
    that reader and nothing of a game; None while it has not said. Safe from any thread."""

    def __init__(self) -> None:
        self.health: Health | None = None

    def __call__(self, report: Report) -> None:
        """Take a report."""
        if isinstance(report, Health):
            self.health = report


class TableReader(Protocol):
    """A device, or what stands for one. `start` returns at once; `close` returns when the device is
    really released."""

    name: str

    def start(self, post: Post) -> None:
        """Begin to report to `post`, from a thread of the reader's own."""

    def close(self) -> None:
        """Stop, and return when the port, camera or file is closed."""
