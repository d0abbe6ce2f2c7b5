"""Align a reference view exactly with a seen card: a small change of perspective, and the light
that falls on the card (`lighting`).

The method is inverse-compositional Gauss-Newton (Baker and Matthews, "Lucas-Kanade 20 Years On",
IJCV 2004) on all three colour channels: the slopes of the reference are computed once, each step
moves the patch by the inverse of the change found. Weights remove what does not fit (a finger, a
lamp's reflection, another card's corner). The light is one gain a channel, which may change evenly
across the card. Many references are aligned with one patch at a time, as rows of the same arrays
(`_AlignmentBatch`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.fitting import moments
from vision.fitting.lighting import evaluate_lighting, fit_lighting
from vision.fitting.moments import Flat
from vision.fitting.patch import MARGIN, WIDTH, Pixels
from vision.fitting.template import STEP, Level, Template

LOST = 0.3**2
"""Squared difference of a pixel beyond which it no longer counts in judging an alignment."""

TRUST = np.diag(0.025 / np.array([0.04, 0.02, 0.05, 0.02, 0.04, 0.05, 0.02, 0.02]) ** 2)
"""Weights that hold an alignment near its start: how far zoom, shear, shift and perspective are
usually off (in parts of the card's half length), against the noise of a card's worth of pixels."""

RUNAWAY = 0.7
"""Length of a step (a card's half length is 1) that would turn the card inside out: the reference
did not match anything."""

SETTLED = 1e-3
"""Length below which a step moves no pixel of a patch by more than an eighth."""

EDGE = cv2.BORDER_REPLICATE

AT_LEAST, GAIN = 2, 0.01
"""Steps taken in any case, and part by which each further one must reduce the difference: a card
that started far off goes on, most are in place. Without such an end on the sparse level too, 15
steps were taken there where 5 are enough, with the same readings."""

Matrix = NDArray[np.float64]

Levels = tuple[Literal["sparse", "full"], ...]

NEAR: Levels = ("sparse",)
EXACTLY: Levels = ("full",)
NEAR_THEN_EXACTLY: Levels = (*NEAR, *EXACTLY)
"""Pixels by which a reference is aligned with a card: few, for a first choice among many; all,
where it is near already; or one after the other."""


def initial_transform(
    height: int, zoom: float = 1.0, dx: float = 0.0, dy: float = 0.0, upside_down: bool = False
) -> Matrix:
    """Build the map from reference pixels to patch pixels that trusts the outline, except for a
    small change."""
    cx, cy = (WIDTH - 1) / 2, (height - 1) / 2
    sign = -1.0 if upside_down else 1.0
    s = zoom * sign
    return np.array([[s, 0, MARGIN + cx + dx - s * cx], [0, s, MARGIN + cy + dy - s * cy], [0, 0, 1.0]])


def half_turn_matrix(height: int) -> Matrix:
    """Build the map that turns a reference `height` pixels high upside down."""
    return np.array([[-1.0, 0, WIDTH - 1], [0, -1.0, height - 1], [0, 0, 1.0]])


@dataclass(frozen=True)
class Alignment:
    """A reference aligned with a patch: `matrix` maps reference pixels to patch pixels, margin
    included; `rest` is the mean squared difference."""

    matrix: Matrix
    rest: float


def align_reference(
    small: Pixels, reference: Template, start: Matrix, rounds: int, visible: Pixels | None = None
) -> Alignment:
    """Refine `start`, the map from reference pixels to patch pixels, in at most `rounds` steps by
    few pixels and as many by all.

    `small` is the patch, margin included, as `extract_structure` makes it. `visible`, of the same
    size, is 1 where the card is visible and 0 where it is hidden. The result is the best of the
    steps by all pixels: most cards hardly move in these, and stop at once.
    """
    return align_references(small, [reference], [start], rounds, visible)[0]


def align_references(
    small: Pixels,
    references: Sequence[Template],
    starts: Sequence[Matrix],
    rounds: int,
    visible: Pixels | None = None,
    levels: Levels = NEAR_THEN_EXACTLY,
) -> list[Alignment]:
    """Align several references, all of one size, with one patch; each as `align_reference` does it,
    but all as one array.

    `levels`: the pixels to use, one level after the other.
    """
    if not references:
        return []
    batch = _AlignmentBatch(small, starts, visible, references[0].shape)
    for level in levels:
        # from the second level on with the light found before: it was fitted without the pixels
        # that do not match
        first = level == levels[0]
        batch.load_levels([getattr(one, level) for one in references])
        batch.update_best(refit_light=first)
        batch.refine_all(rounds, relit=2 if first else 0)
    return batch.list_best()


ROWS = ("at", "now", "gone", "lit", "values", "slopes", "products", "prior", "weights", "residual", "size")
"""Attributes of a batch with one row for each reference that still moves."""


@dataclass(frozen=True)
class _BestPlacements:
    """Best places of the references: `now`, the map; `gone`, its distance from the start; `lit`,
    the light."""

    now: Matrix
    gone: Matrix
    lit: Flat


class _AlignmentBatch:
    """References being aligned with one patch. `at`: indices of those that still move; every array
    in `ROWS` has a row for each of them."""

    def __init__(
        self, small: Pixels, firsts: Sequence[Matrix], visible: Pixels | None, shape: tuple[int, int]
    ) -> None:
        self.small, self.visible = small, visible
        # pixel centres have whole coordinates: the first small pixel covers `STEP` of the patch's
        shift = (1 / STEP - 1) / 2
        self.shrink = np.array([[1 / STEP, 0, shift], [0, 1 / STEP, shift], [0, 0, 1.0]])
        height, width = shape
        unit = max(height, width) / 2
        pixel = np.array([[unit, 0, (width - 1) / 2], [0, unit, (height - 1) / 2], [0, 0, 1.0]])
        self.to_unit = np.linalg.inv(pixel)
        first = self.shrink @ np.stack(firsts) @ np.linalg.inv(self.shrink) @ pixel
        self.lain = _BestPlacements(
            first, np.zeros((len(firsts), 8)), np.zeros((len(firsts), 3, 4), np.float32)
        )

    def load_levels(self, levels: Sequence[Level]) -> None:
        """Start all references from their best places so far, with the pixels of these levels."""
        self.points = (self.to_unit @ levels[0].points).astype(np.float32)
        self.where, self.hold = levels[0].where, TRUST * levels[0].part
        self.at = np.arange(len(levels))
        self.now, self.gone, self.lit = self.lain.now.copy(), self.lain.gone.copy(), self.lain.lit.copy()
        self.least = np.full(len(levels), np.inf)
        self.values = np.stack([one.values for one in levels])
        self.slopes = np.stack([one.slopes for one in levels])
        self.products = np.stack([one.products for one in levels])
        self.first_prior = self.prior = self.weights = np.tile(levels[0].prior, (len(levels), 1))
        self.residual, self.size = self.values, self.prior

    def update_best(self, refit_light: bool) -> None:
        """Compare the patch with each reference, and store the places that are better than
        before."""
        seen = np.ascontiguousarray(self._warp_all(self.small, EDGE).transpose(0, 2, 1))
        if self.visible is not None:
            hidden = self._warp_all(self.visible, cv2.BORDER_CONSTANT)
            self.prior = self.first_prior[: len(self.at)] * hidden
            self.weights = self.weights * self.prior
        if refit_light:
            self.lit = fit_lighting(seen, self.values, self.weights, self.where)
        gain, veil = evaluate_lighting(self.lit, self.where)
        seen -= veil
        seen /= gain
        seen -= self.values
        self.residual = seen
        squared = seen * seen
        self.size = squared[:, 0] + squared[:, 1] + squared[:, 2]
        total = np.maximum(self.prior.sum(axis=1), 1.0)
        rest = (np.minimum(self.size, LOST) * self.prior).sum(axis=1) / total
        better = rest < self.least[self.at]
        which = self.at[better]
        self.least[which] = rest[better]
        self.lain.now[which], self.lain.gone[which] = self.now[better], self.gone[better]
        self.lain.lit[which] = self.lit[better]

    def refine_all(self, rounds: int, relit: int) -> None:
        """Move each reference by at most `rounds` steps, until it hardly moves or a step hardly
        reduces the difference (`GAIN`); every third step updates the light, from number `relit`
        on."""
        for i in range(rounds):
            before = self.least.copy()
            settled = self._take_step()
            if len(self.at):
                # every third step only: light and place are fitted in turn
                self.update_best(refit_light=i % 3 == relit)
                nearer = self.least[self.at] < (1 - GAIN) * before[self.at]
                self._keep_moving(~settled & (nearer | (i < AT_LEAST)))
            if not len(self.at):
                break

    def _take_step(self) -> NDArray[np.bool_]:
        """Move each reference by a step, and return which hardly moved. One whose step would turn
        the card inside out stays in its best place."""
        # the median of every third pixel is near enough for the scale of what does not fit
        some = self.size[:, ::3]
        middle = np.partition(some, some.shape[1] // 2, axis=1)[:, some.shape[1] // 2]
        scale = np.maximum(np.float32(0.03**2), np.float32(2.25) * middle)
        self.weights = self.prior / (1 + self.size / scale[:, None]) ** 2
        errors = np.einsum("acp,aicp->aip", self.residual * self.weights[:, None], self.slopes)
        normal, right = moments.homography_normal_equations(
            self.products * self.weights[:, None], errors, self.where
        )
        step = np.linalg.solve(normal + self.hold, (right - self.gone @ self.hold)[:, :, None])[:, :, 0]
        length = np.abs(step).max(axis=1)
        self.gone = self.gone + step
        sane = length < RUNAWAY
        self._keep_moving(sane)
        change = np.zeros((len(self.at), 9))
        change[:, :8] = step[sane]
        # The step was computed for the reference, which never moves: the patch takes its inverse.
        self.now = self.now @ np.linalg.inv(change.reshape(-1, 3, 3) + np.eye(3))
        self.now /= self.now[:, 2:, 2:]
        return np.asarray(length[sane] < SETTLED)

    def _keep_moving(self, moving: NDArray[np.bool_]) -> None:
        if not moving.all():
            for name in ROWS:
                setattr(self, name, getattr(self, name)[moving])

    def _warp_all(self, picture: Pixels, border: int) -> Pixels:
        """Sample the picture at each reference's points, n pixels a row."""
        x, y, far = (self.now.astype(np.float32) @ self.points).transpose(1, 0, 2)
        return np.asarray(cv2.remap(picture, x / far, y / far, cv2.INTER_LINEAR, borderMode=border))

    def list_best(self) -> list[Alignment]:
        """Return the best alignment of each reference."""
        found = np.linalg.inv(self.shrink) @ self.lain.now @ self.to_unit @ self.shrink
        found /= found[:, 2:, 2:]
        return [Alignment(m, float(rest)) for m, rest in zip(found, self.least, strict=True)]
