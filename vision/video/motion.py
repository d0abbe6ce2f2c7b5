"""Find what changed between frames on a small grey picture: which blocks move, which look new.

The light may vary (`ChannelGains`) and the camera may sway (`vision.video.registration`): both are
compensated before anything counts as a change. No clock is read here.

The light of the whole picture is followed from frame to frame, so that only events on the table
count as changes. Cheap webcams never leave it alone: exposure and white balance vary for as long as
the camera runs. Each colour channel is then brighter or darker by a factor, which is estimated
against the table as it was known under the first light, and removed before the picture turns grey:
a red cloth and a blue card of the same grey become different when red grows, and no light of a grey
picture explains that. Stored pictures are never relit: they stay as the first light showed them.
Where a channel is saturated now, the picture gives only a lower limit of its brightness; that place
is assumed to be as bright as it was known to be.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.video.registration import CameraRegistration
from vision.video.view_transform import (
    Mask,
    Matrix,
    Mosaic,
    Thumb,
    is_identity,
    max_corner_displacement,
    scale_view,
    warp_thumb,
)

THUMB = 480
"""Approximate longer side, in pixels, of the small picture."""

BLOCK = 8
"""Side, in small pixels, of the blocks that are judged together."""

CHANGED, MOVING = 7.0, 6.0
"""Mean difference in grey levels from which a block looks new, or moves."""

SLACK, MOVING_SLACK = 0.35, 0.75
"""Small pixels by which a swaying camera may show things beside their expected place, against the
settled picture and from frame to frame: a similarity leaves a quarter of a pixel of a hand's tilt,
and where the table has hardly a scratch, only the card itself could tell how the camera moved. Zero
while the camera stands still."""

SWAY = 0.25
"""Pixels of a look by which a swaying camera shows a card beside its place: registration is exact
to a tenth of a small pixel, resampling costs as much again, and without it a sure card was read
again every half second."""

FAR, HELD = 12.0, 2.0
"""`FAR`: displacement in small pixels of the picture's corners from which the stored pictures are
stored again as seen now. `HELD`: most by which the last frame may have moved at that time: an arm
over a plain cloth can simulate a movement for a frame, which is gone with the arm, but once stored
it stays, and cards lie beside their places for the rest of the session."""

Grid = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class FrameChange:
    """One frame compared with the frames before it.

    `thumb`: the small picture. `changed`: blocks that differ from the settled picture; `moving`:
    blocks that differ from the frame before. `view`: map from small pixels of the settled
    picture to those of this frame; `step`: from those of the frame before; `carried`: the view
    under which the settled picture was stored again before this frame, if it was. `upheaval`:
    nearly everything differs and no view explains it. `swaying`: the camera does not stand
    still.
    """

    thumb: Thumb
    changed: Grid
    moving: Grid
    view: Matrix
    step: Matrix
    carried: Matrix | None = None
    upheaval: bool = False
    swaying: bool = False

    @property
    def busy_blocks(self) -> Grid:
        """The blocks that changed or move."""
        return np.asarray(self.changed | self.moving, dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class FrameRecord:
    """The data kept of a frame: its changes, how many times smaller its small picture is, and the
    caller's seconds."""

    change: FrameChange
    factor: int
    t: float

    @property
    def thumb(self) -> Thumb:
        """The small picture."""
        return self.change.thumb

    @property
    def position_slack(self) -> float:
        """Displacement that a card may show while it lies still, in pixels of its look."""
        return SWAY if self.change.swaying else 0.0


Colours = NDArray[np.float32]
Gains = NDArray[np.float32]

GREY = np.array([0.114, 0.587, 0.299], dtype=np.float32)
"""Weights of blue, green and red in a grey picture (ITU-R BT.601)."""

DARK, BURNT = 16, 250
"""Levels of a channel below which noise hides a factor, and above which saturation does."""

STEADY = 0.01
"""Change of a channel that noise and rounding can make."""

CLOSE = 4.0
"""Levels within which a block is the same under the estimated light; half of the blocks must be."""


class ChannelGains:
    """How much brighter the camera shows each channel than at first, when the known picture was
    first stored.

    `places`, here and below: the mean colour of each block; `shape`: the shape of that array.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.gains: Gains = np.ones(3, dtype=np.float32)
        self._known = Mosaic(shape)

    def update_gains(self, places: Colours, view: Matrix) -> None:
        """Estimate the light of a frame seen under a view of blocks; a frame of another table
        leaves it unchanged."""
        known, there = self._known.render_view(view)
        burnt = known * self.gains >= BURNT
        tells = there[..., None] & ~burnt & _mid_tone_mask(known) & _mid_tone_mask(places)
        gains = np.array(
            [_fit_channel_gain(known[..., c], places[..., c], tells[..., c]) for c in range(3)],
            dtype=np.float32,
        )
        # differences within the noise would relight every frame for nothing
        if bool((np.abs(gains - 1) < STEADY).all()):
            gains = np.ones(3, dtype=np.float32)
        if bool((gains == self.gains).all()):
            return
        as_found = _share_of_expected_blocks(known[there] * gains, places[there])
        # kept only if it explains half of the blocks, and more of them than the last light
        if as_found >= max(0.5, _share_of_expected_blocks(known[there] * self.gains, places[there])):
            self.gains = gains

    def learn_blocks(self, places: Colours, where: Mask, view: Matrix) -> None:
        """Store the colours of the blocks `where`, seen under a view."""
        self._known.write_pixels(places / self.gains, where, view)

    def rebase(self, view: Matrix) -> None:
        """Store the known colours again as seen under a view, from which later views then start."""
        self._known.rebase(view)

    def undo_gains(self, colours: NDArray[np.uint8]) -> Thumb:
        """Return the grey picture as the first light would have shown it, 0 to 255."""
        if bool((self.gains == 1).all()):
            return np.asarray(cv2.cvtColor(colours, cv2.COLOR_BGR2GRAY), dtype=np.float32)
        first = np.minimum(colours.astype(np.float32) / self.gains, 255)
        return np.asarray(cv2.transform(first, GREY[None]), dtype=np.float32)

    def find_overexposed(self, colours: NDArray[np.uint8]) -> Mask:
        """Mark the saturated pixels: under the first light they would have been brighter, by an
        unknown amount."""
        mask = np.zeros(colours.shape[:2], dtype=np.bool_)
        for channel in np.flatnonzero(self.gains > 1 + STEADY):
            mask |= colours[..., channel] >= BURNT
        return mask


def _fit_channel_gain(known: Colours, observed: Colours, usable: Mask) -> float:
    """Return the factor between two pictures of a channel on which most blocks agree."""
    return float(np.median(observed[usable] / known[usable])) if usable.any() else 1.0


def _mid_tone_mask(colours: Colours) -> Mask:
    return np.asarray((colours > DARK) & (colours < BURNT), dtype=np.bool_)


def _share_of_expected_blocks(expected: Colours, observed: Colours) -> float:
    """Return the part of the blocks that look as expected."""
    off = np.abs(np.minimum(expected, 255) - observed).max(axis=-1)
    return float(np.mean(off < CLOSE))


class MotionDetector:
    """Compares each frame with a settled picture of the table, which its owner updates."""

    def __init__(self) -> None:
        self.factor = 1
        self._settled = Mosaic((0, 0))
        self._registration = CameraRegistration(np.zeros((16, 16), dtype=np.float32))
        self._stale, self._held = False, True
        self._places = np.zeros((1, 1, 3), dtype=np.float32)
        self._light = ChannelGains(self._places.shape)
        self._last: Thumb = np.empty((0, 0), dtype=np.float32)
        self._new: Thumb = self._last
        self._moving: Thumb = self._last
        self._busy: Mask = np.empty((0, 0), dtype=np.bool_)

    def detect_change(self, frame: NDArray[np.uint8]) -> FrameChange:
        """Process a BGR frame. The first frame, or one of another size, counts as changed
        everywhere."""
        # a strip lower than that keeps one row of pixels
        self.factor = max(1, min(round(max(frame.shape[:2]) / THUMB), *frame.shape[:2]))
        colours = shrink_frame(frame, self.factor)
        if self._last.shape != colours.shape[:2]:
            return self._start_over(colours)
        self._places = block_means(colours)
        # the light first: registration compares grey levels
        self._light.update_gains(self._places, _view_to_blocks(self._registration.view))
        thumb = self._light.undo_gains(colours)
        carried = self._renew_anchor()
        before = self._registration.view
        same = self._registration.track_view(thumb, self._busy)
        view = self._registration.view
        # the view object is unchanged while the camera stands still: nothing to invert or resample
        step = np.eye(3) if view is before else view @ np.linalg.inv(before)
        self._held = max_corner_displacement(step, np.array(thumb.shape[::-1], dtype=np.float64)) <= HELD
        last = self._last if is_identity(step) else warp_thumb(self._last, step)
        settled, known = self._settled.render_view(view)
        burnt = self._light.find_overexposed(colours)
        # a saturated pixel is at least this bright: it is no change if the table was brighter
        np.maximum(thumb, settled, out=thumb, where=burnt)
        self._new = np.asarray(cv2.absdiff(thumb, settled), dtype=np.float32)
        self._moving = np.asarray(cv2.absdiff(thumb, last), dtype=np.float32)
        if self._registration.is_swaying:
            steep = max_gradient(settled)
            # a card displaced by less than the slack differs only where it is steep
            self._new, self._moving = self._new - SLACK * steep, self._moving - MOVING_SLACK * steep
        # a strip that becomes visible by a sway is ignored until the camera has moved so far that
        # it is stored, too
        self._new[~known] = 0
        self._new[self._settled.missing_mask(view)] = 255
        self._last = thumb
        change = self._build_change(thumb, step, carried)
        return replace(change, upheaval=not same and float(change.changed.mean()) > 0.6)

    @property
    def block_colours(self) -> Colours:
        """The mean colour of each block of the newest frame, as the camera shows it."""
        return self._places

    def _start_over(self, colours: NDArray[np.uint8]) -> FrameChange:
        """Start with a frame as the only known picture; everything in it is new."""
        self._places = block_means(colours)
        self._light = ChannelGains(self._places.shape)
        thumb = self._last = self._light.undo_gains(colours)
        self.reset_background(thumb)
        everywhere = np.ones(block_means(thumb).shape, dtype=np.bool_)
        return FrameChange(thumb, everywhere, ~everywhere, np.eye(3), np.eye(3))

    def reset_background(self, thumb: Thumb) -> None:
        """Store this frame as the only knowledge of the table."""
        self._settled = Mosaic(thumb.shape)
        self._settled.write_pixels(thumb, np.ones(thumb.shape, dtype=np.bool_), np.eye(3))
        self._registration = CameraRegistration(thumb)
        self._light.learn_blocks(self._places, np.ones(self._places.shape[:2], dtype=np.bool_), np.eye(3))
        self._stale = False
        self._busy = np.zeros(thumb.shape, dtype=np.bool_)

    def _renew_anchor(self) -> Matrix | None:
        """Update the picture to which frames are registered, where the table changed or the camera
        has gone far; return the view in the second case."""
        view = self._registration.view
        size = np.array(self._last.shape[::-1], dtype=np.float64)
        if self._held and max_corner_displacement(view, size) > FAR:
            self._settled.rebase(view)
            self._light.rebase(_view_to_blocks(view))
            self._registration.rebase(self._settled.picture)
            self._stale = False
            return view
        if self._stale:
            self._registration.set_anchor(self._settled.picture)
            self._stale = False
        return None

    def _build_change(self, thumb: Thumb, step: Matrix, rebased_view: Matrix | None) -> FrameChange:
        changed, moving = block_means(self._new) > CHANGED, block_means(self._moving) > MOVING
        self._busy = expand_blocks(np.asarray(changed | moving, dtype=np.bool_), thumb.shape)
        swaying = self._registration.is_swaying
        return FrameChange(
            thumb, changed, moving, self._registration.view, step, rebased_view, swaying=swaying
        )

    def mark_explained(self, change: FrameChange, where: Mask) -> FrameChange:
        """Judge a frame again after the small pixels `where` were explained by known cards; these
        are settled."""
        self._new[where], self._moving[where] = 0, 0
        self._settled.write_pixels(change.thumb, where, change.view)
        self._stale = True
        return replace(
            self._build_change(change.thumb, change.step, change.carried), upheaval=change.upheaval
        )

    def settle_blocks(self, change: FrameChange, where: Grid) -> None:
        """Store the blocks `where` of a frame in the settled picture."""
        self._settled.write_pixels(change.thumb, expand_blocks(where, change.thumb.shape), change.view)
        self._light.learn_blocks(self._places, where, _view_to_blocks(change.view))
        self._stale = True


def shrink_frame(frame: NDArray[np.uint8], factor: int) -> NDArray[np.uint8]:
    """Shrink a frame by `factor`.

    It is halved as long as possible, for which OpenCV has a special case: 1.7 ms for a 1080p frame
    in place of 4.1, with identical levels.
    """
    height, width = frame.shape[0] // factor, frame.shape[1] // factor
    frame = frame[: height * factor, : width * factor]
    while factor % 2 == 0:
        factor //= 2
        half = cv2.resize(frame, (width * factor, height * factor), interpolation=cv2.INTER_AREA)
        frame = np.asarray(half, dtype=np.uint8)
    return np.asarray(cv2.resize(frame, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _view_to_blocks(view: Matrix) -> Matrix:
    """Convert a map of small pixels into one of blocks."""
    return view if is_identity(view) else scale_view(view, 1 / BLOCK)


def expand_blocks(grid: Grid, shape: tuple[int, ...]) -> Grid:
    """Enlarge a grid of blocks to a mask of pixels."""
    size = (BLOCK * grid.shape[1], BLOCK * grid.shape[0])
    big = cv2.resize(grid.view(np.uint8), size, interpolation=cv2.INTER_NEAREST)
    return np.ascontiguousarray(big[: shape[0], : shape[1]]).view(np.bool_)


def block_means(values: Thumb | NDArray[np.uint8]) -> Thumb:
    """Return the mean of each block; the last row and column of blocks may be cut."""
    rows, columns = -(-values.shape[0] // BLOCK), -(-values.shape[1] // BLOCK)
    padded = cv2.copyMakeBorder(
        values, 0, rows * BLOCK - values.shape[0], 0, columns * BLOCK - values.shape[1], cv2.BORDER_REFLECT
    )
    return np.asarray(cv2.resize(padded, (columns, rows), interpolation=cv2.INTER_AREA), dtype=np.float32)


def max_gradient(picture: Thumb) -> Thumb:
    """Return the gradient in grey levels a pixel, the steepest within a pixel of each."""
    along = np.abs(cv2.Scharr(picture, cv2.CV_32F, 1, 0, scale=1 / 32))
    down = np.abs(cv2.Scharr(picture, cv2.CV_32F, 0, 1, scale=1 / 32))
    return np.asarray(cv2.dilate(along + down, np.ones((3, 3), np.uint8)), dtype=np.float32)
