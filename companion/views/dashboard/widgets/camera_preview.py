"""The camera's picture with the outlines and names of recognised cards, what the camera reads, and
the small preview in the set-up form.

Terminals that can draw pictures get real pixels; others get half blocks, two pixels in a cell.
"""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count
from math import ceil
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.geometry import Region
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from companion import libraries
from companion.rules.contract import Text
from companion.texts import Translator

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Picture: TypeAlias = "npt.NDArray[np.uint8]"
PictureSource: TypeAlias = "Callable[[], Picture | None]"
"""Returns the newest annotated picture, BGR, any size; None while there is none."""

Labels: TypeAlias = Sequence[tuple[float, float, float, float, str]]
"""Names of cards in a picture: the left, upper, right and lower edge of each as fractions of the
picture's width and height, and its name."""
LabelsSource: TypeAlias = Callable[[], Labels]

EnlargedCard: TypeAlias = "tuple[Picture, Sequence[tuple[str, Picture]]]"
"""A card as the camera sees it, and the designs that it may be, likeliest first."""
EnlargedCardSource: TypeAlias = "Callable[[], EnlargedCard | None]"
"""Returns the card that is examined most closely; None while there is none."""

_STEP = 24
"""Colours are rounded to multiples of this, so that noise does not repaint every cell and styles
are shared."""
_LABEL = Style.parse("bold black on rgb(143,214,148)")
_NOISE = 0.01
"""Fraction of the pixels that may change without a repaint: noise at the border of two colours."""
_SKIPPED_LOOKS = 4
"""Looks that are skipped after one that showed nothing new."""

_PICTURE_TERMINALS = ("xterm-kitty", "xterm-ghostty")
"""Values of TERM, over SSH too, for terminals that draw pictures below cells by kitty's graphics
protocol. Asking the terminal would mean waiting, and a late reply would be taken for keys."""
_LOWEST = -(2**30) - 1
"""Layer in which a picture lies below every cell with a background of its own."""
_PIECE = 4096
"""Most characters of a picture in one escape sequence."""
_FINE = 8
"""Pixels sent for each column: about as many as a column has."""
_NO_NOISE = 0xFC
"""Bits of a colour that are sent; the last two are mostly noise, and half of the data."""
_NUMBERS = count(1)


def encode_kitty_picture(picture: Picture, number: int, at: Region) -> str:
    """Return the escape sequences that draw a picture, with this number, in the cells `at`; the
    cursor stays, and the terminal sends no reply."""
    # Never enlarged here: the terminal scales it to the cells.
    wide = min(picture.shape[1], at.width * _FINE)
    size = (wide, max(round(picture.shape[0] * wide / picture.shape[1]), 1))
    small = libraries.cv2.resize(picture, size, interpolation=libraries.cv2.INTER_AREA).astype(
        libraries.np.uint8
    )
    # Compressed quickly rather than well: five pictures a second may be sent.
    quickly = [libraries.cv2.IMWRITE_PNG_STRATEGY, libraries.cv2.IMWRITE_PNG_STRATEGY_RLE]
    _, png = libraries.cv2.imencode(".png", libraries.np.bitwise_and(small, _NO_NOISE), quickly)
    data = b64encode(png.tobytes()).decode()
    about = f"a=T,f=100,i={number},C=1,z={_LOWEST},c={at.width},r={at.height},"
    pieces = [data[start : start + _PIECE] for start in range(0, len(data), _PIECE)]
    escapes = [
        f"\x1b_G{'' if place else about}q=2,m={int(place + 1 < len(pieces))};{piece}\x1b\\"
        for place, piece in enumerate(pieces)
    ]
    # Saves and restores the cursor: Textual knows nothing of these escapes.
    return f"\x1b7\x1b[{at.y + 1};{at.x + 1}H{''.join(escapes)}\x1b8"


def encode_kitty_deletion(number: int) -> str:
    """Return the escape sequence that deletes the picture with this number."""
    return f"\x1b_Ga=d,d=I,i={number},q=2\x1b\\"


class Preview(Widget):
    """Widget that draws the newest picture when `update_picture` is called, with the names of the
    cards, keeping its proportions. `words`: returns the name of a card."""

    def __init__(
        self,
        picture_of: PictureSource,
        labels_of: LabelsSource = tuple,
        words: Callable[[str], str] = str,
        *,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(id=id)
        self._picture_of = picture_of
        self._labels_of = labels_of
        self._words = words
        self._labels: list[tuple[int, int, str]] = []
        self._cells: Picture | None = None
        self._number = 0
        """Number of the picture that the terminal draws here; 0: none."""
        self._drawn_at = Region()
        self._styles: dict[tuple[int, ...], Style] = {}
        self._rest = 0

    @property
    def _can_draw_pixels(self) -> bool:
        """Whether the terminal draws pictures. Kitty 0.26 garbles the cells over them; it lacks
        mode 2048, for which Textual asks every terminal anyway."""
        recent = self.app.supports_smooth_scrolling
        return recent and not self.app.no_color and os.environ.get("TERM") in _PICTURE_TERMINALS

    def on_mount(self) -> None:
        """Redraw when the program is resumed in a terminal that has forgotten the picture."""
        self.app.app_resume_signal.subscribe(self, lambda _app: self._forget_picture())

    def _forget_picture(self) -> None:
        self._cells, self._rest = None, 0

    def on_resize(self) -> None:
        """Draw at the new size."""
        self.update_at_once()

    def on_hide(self) -> None:
        """Delete the picture: something else may take its place."""
        if self._number:
            self._write_escapes(encode_kitty_deletion(self._number))
        self._number, self._drawn_at = 0, Region()

    def _draw_picture(self, picture: Picture) -> None:
        """Let the terminal draw a picture, and delete the previous one only then, so that nothing
        flickers."""
        before, self._number = self._number, next(_NUMBERS)
        self._write_escapes(
            encode_kitty_picture(picture, self._number, self._drawn_at)
            + (encode_kitty_deletion(before) if before else "")
        )

    def _write_escapes(self, escapes: str) -> None:
        """Write to the terminal in order with Textual's own output; there is no public way to do
        so."""
        if self.app._driver is not None:
            self.app._driver.write(escapes)

    def update_at_once(self) -> None:
        """Take the newest picture, also after a still one."""
        self._rest = 0
        self.update_picture()

    def update_picture(self) -> None:
        """Take the newest picture, and repaint if it has changed by more than noise; a still
        picture is looked at less often."""
        if self._rest:
            self._rest -= 1
            return
        if not self.display or not self.size.width:
            return
        picture = self._picture_of()
        if picture is None:
            return
        cells = shrink_picture(picture, self.size.width, self.size.height)
        labels = place_labels(
            [(*label[:4], f" {self._words(label[4])} ") for label in self._labels_of()],
            cells.shape[1],
            cells.shape[0] // 2,
        )
        at = Region(*self.content_region.offset, cells.shape[1], cells.shape[0] // 2)
        if (
            at != self._drawn_at
            or labels != self._labels
            or self._cells is None
            or cells.shape != self._cells.shape
            or libraries.np.mean(libraries.np.any(cells != self._cells, axis=2)) > _NOISE
        ):
            self._cells, self._labels, self._drawn_at = cells, labels, at
            if self._can_draw_pixels:
                self._draw_picture(picture)
            self.refresh()
        else:
            self._rest = _SKIPPED_LOOKS

    def render_line(self, y: int) -> Strip:
        """Draw one row of cells: upper pixel as foreground, lower as background; without a
        background if the terminal's own picture lies below."""
        if self._cells is None or 2 * y >= len(self._cells):
            return Strip.blank(self.size.width, self.rich_style)
        strip = Strip([Segment(" " * self._cells.shape[1])]) if self._number else self._draw_half_blocks(y)
        for column, row, words in self._labels:
            if row == y:
                label = Strip([Segment(words, _LABEL)])
                after = column + label.cell_length
                strip = Strip.join(
                    [strip.crop(0, column), label, strip.crop(after, max(strip.cell_length, after))]
                )
        return strip.adjust_cell_length(self.size.width, self.rich_style)

    def _draw_half_blocks(self, y: int) -> Strip:
        assert self._cells is not None
        upper, lower = self._cells[2 * y], self._cells[2 * y + 1]
        pairs: Sequence[Sequence[int]] = [
            [*one, *other] for one, other in zip(upper.tolist(), lower.tolist(), strict=True)
        ]
        segments: list[Segment] = []
        # A run of equal cells is one segment, since a picture has thousands of cells.
        run, times = tuple(pairs[0]), 0
        # The empty tuple ends the last run.
        for pair in [*map(tuple, pairs), ()]:
            if pair == run:
                times += 1
                continue
            segments.append(Segment("▀" * times, self._cell_style(run)))
            run, times = pair, 1
        return Strip(segments)

    def _cell_style(self, pair: tuple[int, ...]) -> Style:
        # Rounded colours give few pairs, and parsing a style is slow.
        if pair not in self._styles:
            (b, g, r), (bb, bg, br) = pair[:3], pair[3:]
            self._styles[pair] = Style.parse(f"rgb({r},{g},{b}) on rgb({br},{bg},{bb})")
        return self._styles[pair]


def shrink_picture(picture: Picture, columns: int, rows: int) -> Picture:
    """Scale `picture` to `columns` by `2 * rows` pixels, keeping its proportions, with rounded
    colours and an even number of lines."""
    height, width = picture.shape[:2]
    scale = min(columns / width, 2 * rows / height)
    size = (max(round(width * scale), 1), max(round(height * scale / 2) * 2, 2))
    small = libraries.cv2.resize(picture, size, interpolation=libraries.cv2.INTER_AREA)
    rounded = (small.astype(libraries.np.uint16) + _STEP // 2) // _STEP * _STEP
    return libraries.np.minimum(rounded, 255).astype(libraries.np.uint8)


class _Box(NamedTuple):
    """Cells from `left`, `top` up to `right`, `bottom` (exclusive)."""

    left: int
    top: int
    right: int
    bottom: int

    def overlaps(self, other: _Box) -> bool:
        """Return whether two boxes overlap."""
        beside = self.right <= other.left or other.right <= self.left
        return not beside and self.top < other.bottom and other.top < self.bottom


def place_labels(labels: Labels, columns: int, rows: int) -> list[tuple[int, int, str]]:
    """Return column, row and words of each label in a picture of so many cells.

    A label is placed beside its card, else on it; never over another label, and over another card
    only if no other place is free. Labels without room are left out.
    """
    cards = [
        _Box(int(x * columns), int(y * rows), ceil(x2 * columns), ceil(y2 * rows))
        for x, y, x2, y2, _ in labels
    ]
    taken: list[_Box] = []
    found = []
    for card, label in sorted(zip(cards, labels, strict=True)):
        name = label[4]
        width = Content(name).cell_length
        spots = [
            spot
            for spot in _list_label_spots(card, width)
            if spot.left >= 0 and spot.top >= 0 and spot.right <= columns and spot.bottom <= rows
            if not any(spot.overlaps(one) for one in taken)
        ]
        free = [spot for spot in spots if not any(spot.overlaps(one) for one in cards if one != card)]
        if spots:
            spot = (free or spots)[0]
            taken.append(spot)
            found.append((spot.left, spot.top, name))
    return found


def _list_label_spots(card: _Box, width: int) -> Iterator[_Box]:
    """Yield the places for the words of a card, the best first: right and left of it, below, above,
    on it."""
    column, row = (card.left + card.right - width) // 2, (card.top + card.bottom) // 2
    beside = sorted(range(card.top, max(card.bottom, card.top + 1)), key=lambda one: abs(one - row))
    on = [(column, one) for one in beside]
    around = [(at, one) for one in beside for at in (card.right, card.left - width)]
    ends = [(column + aside, one) for one in (card.bottom, card.top - 1) for aside in (0, 2, -2, 4, -4)]
    # A card of one column is little more than a point: its name stands on it.
    for left, top in on if card.left + 1 >= card.right else [*around, *ends, *on]:
        yield _Box(left, top, left + width, top + 1)


class CameraReadings(Vertical):
    """Widget that shows in words what the camera reads, and enlarged the card that it examines most
    closely, beside the designs that it may be."""

    DEFAULT_CSS = """
    CameraReadings > .names { height: auto; max-height: 40%; }
    CameraReadings > Horizontal { height: 1fr; }
    CameraReadings Vertical { width: 1fr; height: 1fr; }
    CameraReadings Preview { width: 1fr; height: 1fr; }
    CameraReadings Horizontal .caption { height: 2; }
    """

    def __init__(
        self,
        enlarged_of: EnlargedCardSource,
        labels_of: LabelsSource,
        say_of: Callable[[], Translator],
        words: Callable[[str], str],
        *,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(id=id)
        self._enlarged_of, self._labels_of = enlarged_of, labels_of
        self._say_of, self._words = say_of, words
        self._seen: EnlargedCard | None = None
        self.status_text = ""
        """The state of the camera in words."""

    def compose(self) -> ComposeResult:
        """Lay out the words, and room for the card and two designs."""
        yield Static(classes="names", markup=False)
        with Horizontal():
            for place in range(3):
                with Vertical():
                    yield Static(classes="caption", markup=False)
                    yield Preview(partial(self._picture_at, place))

    def _picture_at(self, place: int) -> Picture | None:
        seen = self._seen
        if seen is None:
            return None
        pictures = [seen[0], *(picture for _, picture in seen[1])]
        return pictures[place] if place < len(pictures) else None

    def on_show(self) -> None:
        """Draw at once: until the next picture, columns without a card would take the room."""
        self.update_readings()

    @property
    def is_doubtful(self) -> bool:
        """Whether the card may be one of several."""
        return self._seen is not None and len(self._seen[1]) > 1

    def update_readings(self) -> None:
        """Update to what is seen now."""
        self._seen = seen = self._enlarged_of()
        if not self.display or not self.is_attached:
            return
        # Each name once, since copies of a card may lie there.
        names = dict.fromkeys(self._words(name) for *_, name in self._labels_of())
        reads = self._say_of()("watch.reads", cards=" · ".join(names) or "–")
        self.query_one(".names", Static).update("\n".join(filter(None, (reads, self.status_text))))
        captions = [] if seen is None else [self._words(name) for name, _ in seen[1]]
        if seen is not None:
            captions.insert(0, self._say_of()("watch.unsure" if self.is_doubtful else "watch.last"))
        for place, column in enumerate(self.query("Horizontal > Vertical").results(Vertical)):
            column.display = place < len(captions)
            if column.display:
                column.query_one(Static).update(captions[place])


_PICTURE_SECONDS = 0.2
"""Seconds between two pictures: enough to see a hand come in."""
_TYPING_PAUSE = 0.8
"""Seconds without a key after which a name counts as typed, so that a camera is not opened at every
letter."""


class CameraView(NamedTuple):
    """The newest picture, BGR, and the camera's state, for when there is none."""

    picture: Picture | None
    message: Text | None


CameraViewSource: TypeAlias = Callable[[str], CameraView]


class CameraPreview(Vertical):
    """Preview of the camera with the name in the form; visible only while there is a picture or a
    message.

    `look_through`: switches to the camera of this name ("": none), and returns at once what it
    shows.
    """

    DEFAULT_CSS = """
    CameraPreview { width: 28; height: 8; display: none; margin: 0 0 0 1; }
    CameraPreview.chosen { display: block; }
    CameraPreview > Preview { height: 1fr; }
    CameraPreview > Static { height: 1fr; color: $foreground-muted; }
    """

    def __init__(self, look_through: CameraViewSource, camera: str, translator: Translator) -> None:
        super().__init__()
        self._look_through = look_through
        self._camera = camera
        self._seen = CameraView(None, None)
        self._translator = translator
        self._typing: Timer | None = None

    def compose(self) -> ComposeResult:
        """Lay out the picture, and the message in its place."""
        yield Preview(lambda: self._seen.picture)
        yield Static(markup=False)

    def on_mount(self) -> None:
        """Start the preview."""
        self.set_interval(_PICTURE_SECONDS, self._update_picture)

    def choose_camera(self, camera: str) -> None:
        """Switch to this camera once typing has stopped."""
        if self._typing is not None:
            # Each key starts the time again.
            self._typing.stop()
        self._typing = self.set_timer(_TYPING_PAUSE, lambda: setattr(self, "_camera", camera))

    def _update_picture(self) -> None:
        """Show the newest picture, or why there is none."""
        self._seen = seen = self._look_through(self._camera)
        shown = seen.picture is not None or seen.message is not None
        self.set_class(shown, "chosen")
        preview, words = self.query_one(Preview), self.query_one(Static)
        preview.display = seen.picture is not None
        words.display = not preview.display
        words.update("" if seen.message is None else self._translator.translate(seen.message))
        preview.update_picture()
