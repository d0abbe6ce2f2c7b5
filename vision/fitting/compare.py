"""How well reference views, laid over a seen card, explain it, and which of two explains it better.

All maps are in the frame of the seen card (without margin). A pixel's *misfit* is its squared
difference in units of what may differ for harmless reasons: sensor noise, and an edge that is
blurred otherwise or lies a fraction of a pixel aside. It is made robust: one pixel can say "wrong"
only so loudly.
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
"""Harmless squared difference of a pixel after smoothing: brightness, and the two colours, whose
cast changes with light, haze and white balance."""

SHADE = 16.0
"""Brightness may differ harmlessly at this scale and above, in patch pixels: shadows, a lamp's
fall-off."""

BLUR = 0.5
"""Harmless displacement of an edge, in patch pixels."""

LOUDEST = 9.0
"""Misfit beyond which a pixel says no more."""

RIM = 12
"""Pixels along the border whose say fades to nothing: cut edges are uneven and the table shines
through."""

LITTLE = 1000.0
"""Misfit, summed over the card, below which there is nothing on it to go by; a card with one sign
has 7,000 and more."""

BLANK = 25.0
"""Scale in patch pixels at which a blank card may change its colour."""

ALL = np.ones((1, 3), dtype=np.float32)

EDGE = np.ones((5, 5), np.uint8)
"""What belongs to an edge: the pixels this near to its steepest ones."""

FEW = 4
"""Regions are compared in pictures this many times smaller."""

OPPONENT = np.array([[1 / 3, 1 / 3, 1 / 3], [0, -1, 1], [1, -0.5, -0.5]], dtype=np.float32)
"""Brightness, red against green and blue against both, from blue, green and red."""

Map = NDArray[np.float32]

Places = tuple[Map, Map]
"""Where each pixel of a seen card is in a reference, along x and along y (`patch.sources`)."""


@dataclass(frozen=True)
class View:
    """A picture prepared for comparing: smooth opponent colours and, a channel, its squared
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
        """The squared bend (Laplacian) of the brightness."""
        bend = cv2.Laplacian(cv2.extractChannel(self.colours, 0), cv2.CV_32F)
        return np.asarray(bend * bend, dtype=np.float32)

    @cached_property
    def paper(self) -> Map:
        """The colour of the paper."""
        sampled = self.colours[::8, ::8].reshape(-1, 3)
        return paper_among(sampled, sampled[:, 0])

    @cached_property
    def texture(self) -> Map:
        """How rough a picture is, in brightness, in a picture four times smaller: hatching is,
        plain ink and paper are not.

        What is rough everywhere, the sensor's noise, is taken away.
        """
        luma = np.asarray(cv2.extractChannel(self.colours, 0), dtype=np.float32)
        # what is coarse has no detail that a picture half as large would lack
        coarse = cv2.resize(blurred(smaller(luma, 2), 1.15), luma.shape[::-1])
        fine = luma - np.asarray(coarse, dtype=np.float32)
        energy = blurred(quarter(fine * fine), 0.75)
        floor = np.partition(energy, energy.size // 5, axis=None)[energy.size // 5]
        return np.asarray(np.sqrt(np.maximum(energy - floor, 0)), dtype=np.float32)


def quarter(of: Map) -> Map:
    """A map in a picture `FEW` times smaller.

    OpenCV has quick code for halves of one channel: two of them take half as long as one quarter.
    """
    return smaller(smaller(of, 2), 2) if of.ndim == 2 else smaller(of, FEW)


def smaller(of: Map, times: int) -> Map:
    """A map in a picture so many times smaller, by the means of its squares."""
    size = (of.shape[1] // times, of.shape[0] // times)
    return np.asarray(cv2.resize(of, size, interpolation=cv2.INTER_AREA), dtype=np.float32)


def opponent(pixels: Pixels) -> Map:
    """Brightness, red against green, blue against both."""
    return np.asarray(cv2.transform(pixels, OPPONENT), dtype=np.float32)


def view(pixels: Pixels) -> View:
    """Prepare a picture for `misfit`."""
    return view_of(softened(opponent(pixels)))


def softened(picture: Map) -> Map:
    """The picture blurred by one pixel: by the binomial of that width, in half the time of a
    Gaussian cut off at four."""
    return np.asarray(cv2.GaussianBlur(picture, (5, 5), 0), dtype=np.float32)


def view_of(colours: Map) -> View:
    """The view of opponent colours as they are."""
    slope = np.asarray(cv2.Sobel(colours, cv2.CV_32F, 1, 0, scale=1 / 8), dtype=np.float32)
    slope *= slope
    cv2.accumulateSquare(cv2.Sobel(colours, cv2.CV_32F, 0, 1, scale=1 / 8), slope)
    return View(colours, slope)


def over_channels(values: Map) -> Map:
    """The sum over the three channels (three times as fast so as by NumPy, one by one)."""
    return np.asarray(cv2.transform(values, ALL), dtype=np.float32)


@lru_cache(maxsize=16)
def noise_everywhere(height: int, width: int) -> Map:
    """`NOISE` at every pixel, read only: NumPy adds three numbers to each pixel in ten times the
    time."""
    everywhere = np.broadcast_to(NOISE, (height, width, 3)).copy()
    everywhere.flags.writeable = False
    return everywhere


def levelled(picture: Map, gain: float, by: Map) -> Map:
    """The picture times a number, and with a number for each channel added to every pixel."""
    return np.asarray(cv2.transform(picture, np.column_stack([gain * np.eye(3), by])), dtype=np.float32)


def misfit(a: View, b: View, weights: Map) -> Map:
    """Robust misfit of each pixel, 0..LOUDEST. `weights`: what of the pictures counts, for the
    shading."""
    allowed = np.asarray(cv2.addWeighted(a.slope, BLUR**2, b.slope, BLUR**2, 0), dtype=np.float32)
    allowed += noise_everywhere(*weights.shape)
    off = a.colours - b.colours
    off[:, :, 0] -= shading(off[:, :, 0], weights)
    off *= off
    off /= allowed
    return loud(over_channels(off))


def loud(off: Map) -> Map:
    """Squared differences, in units of the harmless, made robust: 0..LOUDEST, nothing for what is
    harmless."""
    # NumPy's maximum takes four times as long
    _, over = cv2.threshold(softened(off) - 1, 0, 0, cv2.THRESH_TOZERO)
    return np.asarray(over / (1 + over / LOUDEST), dtype=np.float32)


def shading(off: Map, weights: Map) -> Map:
    """The part of a difference in brightness that is as wide as shadows are, judged by what counts
    only.

    Else the table beside a card cut a little wide would cast its difference far into the card.
    """
    height, width = off.shape
    few, heed = (blurred(quarter(m), SHADE / FEW) for m in (off * weights, weights))
    shade = few / np.maximum(heed, np.float32(0.02))
    return np.asarray(cv2.resize(shade, (width, height), interpolation=cv2.INTER_LINEAR), dtype=np.float32)


def softness(of: View, where: Map) -> float:
    """How blurred a picture is: the standard deviation in pixels of the blur of a typical edge;
    `where`: weight of each pixel.

    For an edge blurred by a Gaussian the energy of the slope is twice its variance times that of
    the bend.
    """
    slope_energy, bend_energy = (float(np.vdot(one, where)) for one in (of.steepness, of.curvature))
    return float(np.sqrt(0.5 * slope_energy / max(bend_energy, 1e-6)))


def soften(of: View, by: float) -> View:
    """The view blurred by a further Gaussian of `by` pixels, if that is enough to matter."""
    if by < 0.4:
        return of
    return view_of(blurred(of.colours, min(by, 3.0)))


def equally_soft(a: View, b: View) -> tuple[View, View]:
    """Both views at the blur of the more blurred one: a lens out of focus is no other card.

    Judged on edges that both have: else hatching in one would pass for sharpness and be blurred
    away.
    """
    common = np.minimum(a.steepness, b.steepness)
    _, steep = cv2.threshold(common, 0.25 * float(common.max()), 1.0, cv2.THRESH_BINARY)
    common = np.asarray(cv2.dilate(steep, EDGE), dtype=np.float32)
    soft_a, soft_b = softness(a, common), softness(b, common)
    by = float(np.sqrt(abs(soft_a**2 - soft_b**2)))
    return (soften(a, by), b) if soft_a < soft_b else (a, soften(b, by))


@lru_cache(maxsize=16)
def rim_weights(height: int, width: int) -> Map:
    """Weight of each pixel by its distance from the border, 0..1; read only."""
    x, y, _ = places(height, width).reshape(3, height, width)
    weights = rim_at((x, y))
    weights.flags.writeable = False
    return weights


def rim_at(where: Places) -> Map:
    """The weight of places on a card by their distance from its border, 0..1."""
    x, y = where
    height, width = x.shape
    inside = np.minimum(np.minimum(x, width - 1 - x), np.minimum(y, height - 1 - y))
    return np.asarray(np.clip((inside - 4) / RIM, 0, 1), dtype=np.float32)


def lay_over(seen: Pixels, reference: Pixels, places: Places, in_sight: Map) -> Pixels:
    """The reference brought into the seen card's frame and lit as the seen card is.

    `seen` is the card without margin, `in_sight` the weight of each of its pixels, 0..1, both in
    pictures `FEW` times smaller (`quarter`); `reference`: the view without margin; `places`: where
    each pixel is in it.
    """
    height, width = reference.shape[:2]
    laid = np.asarray(
        cv2.remap(reference, *places, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE),
        dtype=np.float32,
    )
    few_seen, few_laid = (one.reshape(1, -1, 3).transpose(0, 2, 1) for one in (seen, quarter(laid)))
    where = monomials(*in_sight.shape)
    weights = in_sight.reshape(1, -1) + np.float32(1e-3)
    gain, veil = cast(robust_lights(few_seen, few_laid, weights, where), where)
    even = np.ascontiguousarray(gain[0].T).reshape(seen.shape)
    spread = cv2.resize(even, (width, height), interpolation=cv2.INTER_LINEAR)
    return levelled(np.asarray(laid * spread, dtype=np.float32), 1.0, veil[0, :, 0])


def blankness(seen: View, in_sight: Map) -> Map:
    """The misfit of a blank card in the same light: what there is to explain of what is in sight of
    a seen card."""
    heed = quarter(in_sight) + np.float32(1e-3)
    around, counts = (blurred(m, BLANK / FEW) for m in (seen.few * heed[:, :, None], heed))
    even = np.asarray(around / counts[:, :, None], dtype=np.float32)
    blank = cv2.resize(even, in_sight.shape[::-1], interpolation=cv2.INTER_LINEAR)
    return misfit(seen, View(np.asarray(blank, dtype=np.float32), np.zeros_like(seen.slope)), in_sight)


def likeness(to_explain: Map, misfits: Map, weights: Map) -> float:
    """How much of what there is to see on the card (`blankness`) the reference explains, at most 1.

    1: all of it; about 0: no more than a blank card would, or there is hardly anything to see: a
    strip of bare table, an empty part of a card, of which every design with an empty part there
    would be as good an explanation.
    """
    there = float(np.vdot(to_explain, weights))
    return 0.0 if there < LITTLE else 1.0 - float(np.vdot(misfits, weights)) / there
