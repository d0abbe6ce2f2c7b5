"""Measure how well an aligned reference view explains a seen card.

All maps are in the frame of the seen card (without margin). A pixel's *misfit* is its squared
difference in units of what may differ for harmless reasons: sensor noise, and an edge that is
blurred differently or displaced by a fraction of a pixel. It is made robust: above a limit
(`LOUDEST`), larger differences of one pixel count no more. Two measures are built on it:
`blankness`, the misfit of a blank card, tells how much there is to explain, and `likeness` the part
of that which a reference explains.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.fitting.lighting import cast, robust_lights
from vision.fitting.moments import monomials
from vision.fitting.patch import Pixels, blurred, paper_among, places

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
"""Place of each pixel of a seen card in a reference, along x and along y (`patch.sources`)."""


@dataclass(frozen=True)
class View:
    """A picture prepared for comparing: smooth opponent colours and, for each channel, its squared
    slope."""

    colours: Map
    slope: Map

    @cached_property
    def few(self) -> Map:
        """The colours in a picture `FEW` times smaller: means of regions have no finer detail."""
        return quarter(self.colours)

    @cached_property
    def steepness(self) -> Map:
        """The squared slope of the brightness."""
        return np.asarray(cv2.extractChannel(self.slope, 0), dtype=np.float32)

    @cached_property
    def curvature(self) -> Map:
        """The squared second derivative (Laplacian) of the brightness."""
        bend = cv2.Laplacian(cv2.extractChannel(self.colours, 0), cv2.CV_32F)
        return np.asarray(bend * bend, dtype=np.float32)

    @cached_property
    def paper(self) -> Map:
        """The colour of the paper."""
        # one pixel in 64 is enough for a median
        sampled = self.colours[::8, ::8].reshape(-1, 3)
        return paper_among(sampled, sampled[:, 0])

    @cached_property
    def texture(self) -> Map:
        """Roughness of the brightness in a picture four times smaller: high for hatching, low for
        plain ink and paper.

        The roughness found everywhere, the sensor's noise, is subtracted.
        """
        luma = np.asarray(cv2.extractChannel(self.colours, 0), dtype=np.float32)
        # at this scale, a picture half as large has the same detail
        coarse = cv2.resize(blurred(smaller(luma, 2), 1.15), luma.shape[::-1])
        fine = luma - np.asarray(coarse, dtype=np.float32)
        energy = blurred(quarter(fine * fine), 0.75)
        # the fifth that is least rough shows the noise alone: some of every card is plain paper
        floor = np.partition(energy, energy.size // 5, axis=None)[energy.size // 5]
        return np.asarray(np.sqrt(np.maximum(energy - floor, 0)), dtype=np.float32)


def quarter(of: Map) -> Map:
    """Shrink a map `FEW` times.

    OpenCV has quick code for halves of one channel: two of them take half as long as one quarter.
    """
    return smaller(smaller(of, 2), 2) if of.ndim == 2 else smaller(of, FEW)


def smaller(of: Map, times: int) -> Map:
    """Shrink a map by an integer factor, averaging squares of pixels."""
    size = (of.shape[1] // times, of.shape[0] // times)
    return np.asarray(cv2.resize(of, size, interpolation=cv2.INTER_AREA), dtype=np.float32)


def opponent(pixels: Pixels) -> Map:
    """Convert a picture into brightness, red against green, and blue against both."""
    return np.asarray(cv2.transform(pixels, OPPONENT), dtype=np.float32)


def view(pixels: Pixels) -> View:
    """Prepare a picture for `misfit`."""
    return view_of(softened(opponent(pixels)))


def softened(picture: Map) -> Map:
    """Blur a picture by one pixel, with the binomial of that width: half the time of a Gaussian cut
    off at four."""
    return np.asarray(cv2.GaussianBlur(picture, (5, 5), 0), dtype=np.float32)


def view_of(colours: Map) -> View:
    """Build a view from opponent colours as they are."""
    slope = np.asarray(cv2.Sobel(colours, cv2.CV_32F, 1, 0, scale=1 / 8), dtype=np.float32)
    slope *= slope
    cv2.accumulateSquare(cv2.Sobel(colours, cv2.CV_32F, 0, 1, scale=1 / 8), slope)
    return View(colours, slope)


def over_channels(values: Map) -> Map:
    """Sum over the three channels (three times as fast as with NumPy, one by one)."""
    return np.asarray(cv2.transform(values, ALL), dtype=np.float32)


@lru_cache(maxsize=16)
def noise_everywhere(height: int, width: int) -> Map:
    """Return `NOISE` at every pixel, read only: NumPy takes ten times as long to add three numbers
    to each pixel."""
    everywhere = np.broadcast_to(NOISE, (height, width, 3)).copy()
    # cached: a caller that changed it would change it for all
    everywhere.flags.writeable = False
    return everywhere


def levelled(picture: Map, gain: float, by: Map) -> Map:
    """Multiply a picture by `gain` and add a number for each channel to every pixel."""
    return np.asarray(cv2.transform(picture, np.column_stack([gain * np.eye(3), by])), dtype=np.float32)


def misfit(a: View, b: View, weights: Map) -> Map:
    """Compute the robust misfit of each pixel, 0 to `LOUDEST`. `weights`: how much each pixel
    counts when shading is estimated."""
    allowed = np.asarray(cv2.addWeighted(a.slope, BLUR**2, b.slope, BLUR**2, 0), dtype=np.float32)
    allowed += noise_everywhere(*weights.shape)
    off = a.colours - b.colours
    off[:, :, 0] -= shading(off[:, :, 0], weights)
    off *= off
    off /= allowed
    return loud(over_channels(off))


def loud(off: Map) -> Map:
    """Make squared differences robust, in units of the harmless: 0 to `LOUDEST`, 0 for what is
    harmless."""
    # NumPy's maximum takes four times as long
    _, over = cv2.threshold(softened(off) - 1, 0, 0, cv2.THRESH_TOZERO)
    return np.asarray(over / (1 + over / LOUDEST), dtype=np.float32)


def shading(off: Map, weights: Map) -> Map:
    """Return the part of a difference in brightness that is as smooth as shadows are, estimated
    only from pixels that count.

    Otherwise the table beside a card cut a little wide would spread its difference far into the
    card.
    """
    height, width = off.shape
    few, heed = (blurred(quarter(m), SHADE / FEW) for m in (off * weights, weights))
    # where hardly anything counts nearby, the shade is assumed to be small
    shade = few / np.maximum(heed, np.float32(0.02))
    return np.asarray(cv2.resize(shade, (width, height), interpolation=cv2.INTER_LINEAR), dtype=np.float32)


def softness(of: View, where: Map) -> float:
    """Measure how blurred a picture is: the standard deviation in pixels of the blur of a typical
    edge. `where`: weight of each pixel.

    For an edge blurred by a Gaussian, the energy of the slope is twice its variance times that of
    the second derivative.
    """
    slope_energy, bend_energy = (float(np.vdot(one, where)) for one in (of.steepness, of.curvature))
    return float(np.sqrt(0.5 * slope_energy / max(bend_energy, 1e-6)))


def soften(of: View, by: float) -> View:
    """Blur a view by a further Gaussian of `by` pixels, if that is enough to matter."""
    if by < 0.4:
        return of
    return view_of(blurred(of.colours, min(by, 3.0)))


def equally_soft(a: View, b: View) -> tuple[View, View]:
    """Bring both views to the blur of the more blurred one: a lens out of focus does not make
    another card.

    The blur is measured on edges that both have: otherwise hatching in one would pass for sharpness
    and be blurred away.
    """
    common = np.minimum(a.steepness, b.steepness)
    _, steep = cv2.threshold(common, 0.25 * float(common.max()), 1.0, cv2.THRESH_BINARY)
    common = np.asarray(cv2.dilate(steep, EDGE), dtype=np.float32)
    soft_a, soft_b = softness(a, common), softness(b, common)
    # the variances of blurs add up
    by = float(np.sqrt(abs(soft_a**2 - soft_b**2)))
    return (soften(a, by), b) if soft_a < soft_b else (a, soften(b, by))


@lru_cache(maxsize=16)
def rim_weights(height: int, width: int) -> Map:
    """Return the weight of each pixel by its distance from the border, 0 to 1; read only."""
    x, y, _ = places(height, width).reshape(3, height, width)
    weights = rim_at((x, y))
    weights.flags.writeable = False
    return weights


def rim_at(where: Places) -> Map:
    """Return the weight of places on a card by their distance from its border, 0 to 1."""
    x, y = where
    height, width = x.shape
    inside = np.minimum(np.minimum(x, width - 1 - x), np.minimum(y, height - 1 - y))
    # the outermost pixels do not count at all: outlines are not exact
    return np.asarray(np.clip((inside - 4) / RIM, 0, 1), dtype=np.float32)


def lay_over(seen: Pixels, reference: Pixels, places: Places, in_sight: Map) -> Pixels:
    """Map a reference into the frame of the seen card and light it as the seen card is lit.

    `seen`: the card without margin; `in_sight`: the weight of each of its pixels, 0 to 1; both in
    pictures `FEW` times smaller (`quarter`). `reference`: the view without margin; `places`: the
    place of each pixel in it.
    """
    height, width = reference.shape[:2]
    laid = np.asarray(
        cv2.remap(reference, *places, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE),
        dtype=np.float32,
    )
    few_seen, few_laid = (one.reshape(1, -1, 3).transpose(0, 2, 1) for one in (seen, quarter(laid)))
    where = monomials(*in_sight.shape)
    # never exactly zero: with a card wholly hidden the fit would have no solution
    weights = in_sight.reshape(1, -1) + np.float32(1e-3)
    gain, veil = cast(robust_lights(few_seen, few_laid, weights, where), where)
    even = np.ascontiguousarray(gain[0].T).reshape(seen.shape)
    spread = cv2.resize(even, (width, height), interpolation=cv2.INTER_LINEAR)
    return levelled(np.asarray(laid * spread, dtype=np.float32), 1.0, veil[0, :, 0])


def blankness(seen: View, in_sight: Map) -> Map:
    """Compute the misfit of a blank card in the same light: how much there is to explain on the
    visible part of a seen card."""
    heed = quarter(in_sight) + np.float32(1e-3)
    around, counts = (blurred(m, BLANK / FEW) for m in (seen.few * heed[:, :, None], heed))
    even = np.asarray(around / counts[:, :, None], dtype=np.float32)
    blank = cv2.resize(even, in_sight.shape[::-1], interpolation=cv2.INTER_LINEAR)
    return misfit(seen, View(np.asarray(blank, dtype=np.float32), np.zeros_like(seen.slope)), in_sight)


def likeness(to_explain: Map, misfits: Map, weights: Map) -> float:
    """Return the part of what is visible on the card (`blankness`) that the reference explains, at
    most 1.

    1: all of it; about 0: no more than a blank card would, or hardly anything is visible: a strip
    of bare table, or an empty part of a card, which every design with an empty part there would
    explain as well.
    """
    there = float(np.vdot(to_explain, weights))
    return 0.0 if there < LITTLE else 1.0 - float(np.vdot(misfits, weights)) / there
