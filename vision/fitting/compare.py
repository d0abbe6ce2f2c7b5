"""Measure how well an aligned reference view explains a seen card.

All maps are in the frame of the seen card (without margin). A pixel's *misfit* is its squared
difference in units of what may differ for harmless reasons: sensor noise, and an edge that is
blurred differently or displaced by a fraction of a pixel. It is made robust: above a limit
(`LOUDEST`), larger differences of one pixel count no more. Two measures are built on it:
`blank_card_misfit`, the misfit of a blank card, tells how much there is to explain, and
`compute_likeness` the part of that which a reference explains.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.fitting.lighting import evaluate_lighting, fit_lighting_robustly
from vision.fitting.moments import evaluate_monomials
from vision.fitting.patch import Pixels, estimate_paper_colour, gaussian_blur, homogeneous_coordinates

NOISE = np.array([0.045, 0.08, 0.08], dtype=np.float32) ** 2
"""Harmless squared difference of a pixel after smoothing: of brightness, and of the two colour
channels, whose cast changes with light, haze and white balance."""

SHADE = 16.0
"""Scale in patch pixels from which brightness may differ harmlessly: shadows, and the fall-off of a
lamp."""

BLUR = 0.5
"""Harmless displacement of an edge, in patch pixels."""

LOUDEST = 9.0
"""Limit of a pixel's misfit."""

RIM = 12
"""Pixels along the border over which the weight fades to zero: cut edges are uneven, and the table
shows through."""

LITTLE = 1000.0
"""Misfit, summed over the card, below which there is too little on it to compare; a card with one
sign has 7,000 and more."""

BLANK = 25.0
"""Scale in patch pixels at which a blank card may change its colour."""

ALL = np.ones((1, 3), dtype=np.float32)

EDGE = np.ones((5, 5), np.uint8)
"""Neighbourhood that belongs to an edge: pixels this near to its steepest ones."""

FEW = 4
"""Factor by which pictures are shrunk in which regions are compared."""

OPPONENT = np.array([[1 / 3, 1 / 3, 1 / 3], [0, -1, 1], [1, -0.5, -0.5]], dtype=np.float32)
"""Matrix from blue, green and red to brightness, red against green, and blue against both."""

Map = NDArray[np.float32]

Places = tuple[Map, Map]
"""Place of each pixel of a seen card in a reference, along x and along y
(`patch.source_coordinates`)."""


@dataclass(frozen=True)
class PreparedPicture:
    """A picture prepared for comparing: smooth opponent colours and, for each channel, its squared
    slope."""

    colours: Map
    slope: Map

    @cached_property
    def reduced_colours(self) -> Map:
        """The colours in a picture `FEW` times smaller: means of regions have no finer detail."""
        return downscale_by_few(self.colours)

    @cached_property
    def squared_slope(self) -> Map:
        """The squared slope of the brightness."""
        return np.asarray(cv2.extractChannel(self.slope, 0), dtype=np.float32)

    @cached_property
    def squared_curvature(self) -> Map:
        """The squared second derivative (Laplacian) of the brightness."""
        bend = cv2.Laplacian(cv2.extractChannel(self.colours, 0), cv2.CV_32F)
        return np.asarray(bend * bend, dtype=np.float32)

    @cached_property
    def paper_colour(self) -> Map:
        """The colour of the paper."""
        # one pixel in 64 is enough for a median
        sampled = self.colours[::8, ::8].reshape(-1, 3)
        return estimate_paper_colour(sampled, sampled[:, 0])

    @cached_property
    def texture_strength(self) -> Map:
        """Roughness of the brightness in a picture four times smaller: high for hatching, low for
        plain ink and paper.

        The roughness found everywhere, the sensor's noise, is subtracted.
        """
        luma = np.asarray(cv2.extractChannel(self.colours, 0), dtype=np.float32)
        # at this scale, a picture half as large has the same detail
        coarse = cv2.resize(gaussian_blur(downscale_by_mean(luma, 2), 1.15), luma.shape[::-1])
        fine = luma - np.asarray(coarse, dtype=np.float32)
        energy = gaussian_blur(downscale_by_few(fine * fine), 0.75)
        # the fifth that is least rough shows the noise alone: some of every card is plain paper
        floor = np.partition(energy, energy.size // 5, axis=None)[energy.size // 5]
        return np.asarray(np.sqrt(np.maximum(energy - floor, 0)), dtype=np.float32)


def downscale_by_few(values: Map) -> Map:
    """Shrink a map `FEW` times.

    OpenCV has quick code for halves of one channel: two of them take half as long as one quarter.
    """
    return (
        downscale_by_mean(downscale_by_mean(values, 2), 2)
        if values.ndim == 2
        else downscale_by_mean(values, FEW)
    )


def downscale_by_mean(values: Map, times: int) -> Map:
    """Shrink a map by an integer factor, averaging squares of pixels."""
    size = (values.shape[1] // times, values.shape[0] // times)
    return np.asarray(cv2.resize(values, size, interpolation=cv2.INTER_AREA), dtype=np.float32)


def to_opponent_colours(pixels: Pixels) -> Map:
    """Convert a picture into brightness, red against green, and blue against both."""
    return np.asarray(cv2.transform(pixels, OPPONENT), dtype=np.float32)


def prepare_pixels(pixels: Pixels) -> PreparedPicture:
    """Prepare a picture for `compute_misfit`."""
    return prepare_colours(blur_slightly(to_opponent_colours(pixels)))


def blur_slightly(picture: Map) -> Map:
    """Blur a picture by one pixel, with the binomial of that width: half the time of a Gaussian cut
    off at four."""
    return np.asarray(cv2.GaussianBlur(picture, (5, 5), 0), dtype=np.float32)


def prepare_colours(colours: Map) -> PreparedPicture:
    """Build a view from opponent colours as they are."""
    slope = np.asarray(cv2.Sobel(colours, cv2.CV_32F, 1, 0, scale=1 / 8), dtype=np.float32)
    slope *= slope
    cv2.accumulateSquare(cv2.Sobel(colours, cv2.CV_32F, 0, 1, scale=1 / 8), slope)
    return PreparedPicture(colours, slope)


def sum_channels(values: Map) -> Map:
    """Sum over the three channels (three times as fast as with NumPy, one by one)."""
    return np.asarray(cv2.transform(values, ALL), dtype=np.float32)


@lru_cache(maxsize=16)
def constant_noise_map(height: int, width: int) -> Map:
    """Return `NOISE` at every pixel, read only: NumPy takes ten times as long to add three numbers
    to each pixel."""
    everywhere = np.broadcast_to(NOISE, (height, width, 3)).copy()
    # cached: a caller that changed it would change it for all
    everywhere.flags.writeable = False
    return everywhere


def apply_gain_and_offset(picture: Map, gain: float, offset: Map) -> Map:
    """Multiply a picture by `gain` and add a number for each channel to every pixel."""
    return np.asarray(cv2.transform(picture, np.column_stack([gain * np.eye(3), offset])), dtype=np.float32)


def compute_misfit(a: PreparedPicture, b: PreparedPicture, weights: Map) -> Map:
    """Compute the robust misfit of each pixel, 0 to `LOUDEST`. `weights`: how much each pixel
    counts when shading is estimated."""
    allowed = np.asarray(cv2.addWeighted(a.slope, BLUR**2, b.slope, BLUR**2, 0), dtype=np.float32)
    allowed += constant_noise_map(*weights.shape)
    off = a.colours - b.colours
    off[:, :, 0] -= estimate_shading(off[:, :, 0], weights)
    off *= off
    off /= allowed
    return robust_loss(sum_channels(off))


def robust_loss(squared_difference: Map) -> Map:
    """Make squared differences robust, in units of the harmless: 0 to `LOUDEST`, 0 for what is
    harmless."""
    # NumPy's maximum takes four times as long
    _, over = cv2.threshold(blur_slightly(squared_difference) - 1, 0, 0, cv2.THRESH_TOZERO)
    return np.asarray(over / (1 + over / LOUDEST), dtype=np.float32)


def estimate_shading(difference: Map, weights: Map) -> Map:
    """Return the part of a difference in brightness that is as smooth as shadows are, estimated
    only from pixels that count.

    Otherwise the table beside a card cut a little wide would spread its difference far into the
    card.
    """
    height, width = difference.shape
    few, heed = (gaussian_blur(downscale_by_few(m), SHADE / FEW) for m in (difference * weights, weights))
    # where hardly anything counts nearby, the shade is assumed to be small
    shade = few / np.maximum(heed, np.float32(0.02))
    return np.asarray(cv2.resize(shade, (width, height), interpolation=cv2.INTER_LINEAR), dtype=np.float32)


def estimate_blur(picture: PreparedPicture, where: Map) -> float:
    """Measure how blurred a picture is: the standard deviation in pixels of the blur of a typical
    edge. `where`: weight of each pixel.

    For an edge blurred by a Gaussian, the energy of the slope is twice its variance times that of
    the second derivative.
    """
    slope_energy, bend_energy = (
        float(np.vdot(one, where)) for one in (picture.squared_slope, picture.squared_curvature)
    )
    return float(np.sqrt(0.5 * slope_energy / max(bend_energy, 1e-6)))


def blur_further(picture: PreparedPicture, sigma: float) -> PreparedPicture:
    """Blur a view by a further Gaussian of `by` pixels, if that is enough to matter."""
    if sigma < 0.4:
        return picture
    return prepare_colours(gaussian_blur(picture.colours, min(sigma, 3.0)))


def match_blur(a: PreparedPicture, b: PreparedPicture) -> tuple[PreparedPicture, PreparedPicture]:
    """Bring both views to the blur of the more blurred one: a lens out of focus does not make
    another card.

    The blur is measured on edges that both have: otherwise hatching in one would pass for sharpness
    and be blurred away.
    """
    common = np.minimum(a.squared_slope, b.squared_slope)
    _, steep = cv2.threshold(common, 0.25 * float(common.max()), 1.0, cv2.THRESH_BINARY)
    common = np.asarray(cv2.dilate(steep, EDGE), dtype=np.float32)
    soft_a, soft_b = estimate_blur(a, common), estimate_blur(b, common)
    # the variances of blurs add up
    by = float(np.sqrt(abs(soft_a**2 - soft_b**2)))
    return (blur_further(a, by), b) if soft_a < soft_b else (a, blur_further(b, by))


@lru_cache(maxsize=16)
def rim_weights(height: int, width: int) -> Map:
    """Return the weight of each pixel by its distance from the border, 0 to 1; read only."""
    x, y, _ = homogeneous_coordinates(height, width).reshape(3, height, width)
    weights = rim_weights_at((x, y))
    weights.flags.writeable = False
    return weights


def rim_weights_at(where: Places) -> Map:
    """Return the weight of places on a card by their distance from its border, 0 to 1."""
    x, y = where
    height, width = x.shape
    inside = np.minimum(np.minimum(x, width - 1 - x), np.minimum(y, height - 1 - y))
    # the outermost pixels do not count at all: outlines are not exact
    return np.asarray(np.clip((inside - 4) / RIM, 0, 1), dtype=np.float32)


def render_reference(observed: Pixels, reference: Pixels, places: Places, in_sight: Map) -> Pixels:
    """Map a reference into the frame of the seen card and light it as the seen card is lit.

    `observed`: the card without margin; `in_sight`: the weight of each of its pixels, 0 to 1; both
    in pictures `FEW` times smaller (`downscale_by_few`). `reference`: the view without margin;
    `places`: the place of each pixel in it.
    """
    height, width = reference.shape[:2]
    laid = np.asarray(
        cv2.remap(reference, *places, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE),
        dtype=np.float32,
    )
    few_seen, few_laid = (
        one.reshape(1, -1, 3).transpose(0, 2, 1) for one in (observed, downscale_by_few(laid))
    )
    where = evaluate_monomials(*in_sight.shape)
    # never exactly zero: with a card wholly hidden the fit would have no solution
    weights = in_sight.reshape(1, -1) + np.float32(1e-3)
    gain, veil = evaluate_lighting(fit_lighting_robustly(few_seen, few_laid, weights, where), where)
    even = np.ascontiguousarray(gain[0].T).reshape(observed.shape)
    spread = cv2.resize(even, (width, height), interpolation=cv2.INTER_LINEAR)
    return apply_gain_and_offset(np.asarray(laid * spread, dtype=np.float32), 1.0, veil[0, :, 0])


def blank_card_misfit(observed: PreparedPicture, in_sight: Map) -> Map:
    """Compute the misfit of a blank card in the same light: how much there is to explain on the
    visible part of a seen card."""
    heed = downscale_by_few(in_sight) + np.float32(1e-3)
    around, counts = (
        gaussian_blur(m, BLANK / FEW) for m in (observed.reduced_colours * heed[:, :, None], heed)
    )
    even = np.asarray(around / counts[:, :, None], dtype=np.float32)
    blank = cv2.resize(even, in_sight.shape[::-1], interpolation=cv2.INTER_LINEAR)
    return compute_misfit(
        observed,
        PreparedPicture(np.asarray(blank, dtype=np.float32), np.zeros_like(observed.slope)),
        in_sight,
    )


def compute_likeness(to_explain: Map, misfits: Map, weights: Map) -> float:
    """Return the part of what is visible on the card (`blank_card_misfit`) that the reference
    explains, at most 1.

    1: all of it; about 0: no more than a blank card would, or hardly anything is visible: a strip
    of bare table, or an empty part of a card, which every design with an empty part there would
    explain as well.
    """
    there = float(np.vdot(to_explain, weights))
    return 0.0 if there < LITTLE else 1.0 - float(np.vdot(misfits, weights)) / there
