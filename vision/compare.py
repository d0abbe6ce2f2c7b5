"""How well reference views, laid over a seen card, explain it, and which of two explains it better.

All maps are in the frame of the seen card (without margin). A pixel's *misfit* is its squared difference in
units of what may differ for harmless reasons: sensor noise, and an edge that is blurred otherwise or lies a
fraction of a pixel aside. It is made robust: one pixel can say "wrong" only so loudly.
"""

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import response
from vision.align import Matrix, Template, light, place, reduce
from vision.patch import MARGIN, Pixels, inner
from vision.response import Matrix3, Told

NOISE = np.array([0.045, 0.08, 0.08], dtype=np.float32) ** 2
"""Harmless squared difference of a pixel after smoothing: brightness, and the two colours, whose cast changes
with light, haze and white balance."""

SHADE = 16.0
"""Brightness may differ harmlessly at this scale and above, in patch pixels: shadows, a lamp's fall-off."""

BLUR = 0.5
"""Harmless displacement of an edge, in patch pixels."""

LOUDEST = 9.0
"""Misfit beyond which a pixel says no more."""

STRETCH, STIFF, HOLD = 3.0, 14.0, 5e-4
"""How far a part of a card may be moved, how wide the parts are (patch pixels), and what holds it in place."""

COARSE = 2.5
"""The field of shifts is worked out on pictures this many times smaller."""

RIM = 12
"""Pixels along the border whose say fades to nothing: cut edges are uneven and the table shines through."""

LITTLE = 1000.0
"""Misfit, summed over the card, below which there is nothing on it to go by; a card with one sign has 7,000 and more."""

DOUBT = 1.3
"""What a misfit of one's own counts against one of the other's: where both fit badly, something else may lie there."""

BLANK = 25.0
"""Scale in patch pixels at which a blank card may change its colour."""

WIDE = 4.0
"""Scale in patch pixels at which the mean colour of a region is compared: of hatching only ink and paper together remain."""

LEAST_WIDE, MOST_WIDE = (
    np.array(levels, dtype=np.float32) ** 2 for levels in ((0.03, 0.035, 0.035), (0.06, 0.08, 0.08))
)
"""What the mean colour of a region may differ by harmlessly, brightness and two colours: the least and the most, squared."""

INK, STRANGE, AT_BORDER = 0.06, 2.0, 0.5
"""How much darker ink is than what should be there; loudness of strange ink from which a card is another; weight at a border.

On tables of epfl52, set81 and two of SET no card of its own design reached 1.2, and two thirds of those whose design was
left out, and that were sure of another, went beyond 4."""

GRAIN, GRAIN_PART = 0.012, 0.35
"""Roughness may differ harmlessly by so much, and by this part of itself: sharpness and ink differ."""

EDGE = np.ones((5, 5), np.uint8)
"""What belongs to an edge: the pixels this near to its steepest ones."""

Map = NDArray[np.float32]


@dataclass(frozen=True)
class View:
    """A picture prepared for comparing: smooth opponent colours and, a channel, its squared slope."""

    colours: Map
    slope: Map

    @cached_property
    def texture(self) -> Map:
        """How rough a picture is around each pixel, in brightness: hatching is, plain ink and paper are not.

        What is rough everywhere, the sensor's noise, is taken away.
        """
        luma = self.colours[:, :, 0]
        fine = luma - cv2.GaussianBlur(luma, (0, 0), 2.5)
        energy = np.asarray(cv2.GaussianBlur(fine * fine, (0, 0), 3.0), dtype=np.float32)
        floor = np.float32(np.percentile(energy[::4, ::4], 20))
        return np.asarray(np.sqrt(np.maximum(energy - floor, 0)), dtype=np.float32)


def opponent(pixels: Pixels) -> Map:
    """Brightness, red against green, blue against both."""
    b, g, r = pixels[:, :, 0], pixels[:, :, 1], pixels[:, :, 2]
    return np.stack([(b + g + r) / 3, r - g, b - (r + g) / 2], axis=-1)


def view(pixels: Pixels) -> View:
    """Prepare a picture for `misfit`."""
    return _view_of(np.asarray(cv2.GaussianBlur(opponent(pixels), (0, 0), 1.0), dtype=np.float32))


def _view_of(colours: Map) -> View:
    dx = cv2.Sobel(colours, cv2.CV_32F, 1, 0, scale=1 / 8)
    dy = cv2.Sobel(colours, cv2.CV_32F, 0, 1, scale=1 / 8)
    return View(colours, np.asarray(dx * dx + dy * dy, dtype=np.float32))


def over_channels(values: Map) -> Map:
    """The sum over the three channels (much faster so than by NumPy's own sum over a short axis)."""
    return values[:, :, 0] + values[:, :, 1] + values[:, :, 2]


def misfit(a: View, b: View, weights: Map) -> Map:
    """Robust misfit of each pixel, 0..LOUDEST. `weights`: what of the pictures counts, for the shading."""
    allowed = NOISE + np.float32(BLUR**2) * (a.slope + b.slope)
    off = a.colours - b.colours
    off[:, :, 0] -= _shading(off[:, :, 0], weights)
    off *= off
    off /= allowed
    return _loud(over_channels(off))


def _shading(off: Map, weights: Map) -> Map:
    """The part of a difference in brightness that is as wide as shadows are, judged by what counts only.

    Else the table beside a card cut a little wide would cast its difference far into the card.
    """
    height, width = off.shape
    few, heed = (
        cv2.GaussianBlur(
            cv2.resize(m, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA), (0, 0), SHADE / 4
        )
        for m in (off * weights, weights)
    )
    shade = few / np.maximum(heed, np.float32(0.02))
    return np.asarray(cv2.resize(shade, (width, height), interpolation=cv2.INTER_LINEAR), dtype=np.float32)


def softness(of: View, where: Map) -> float:
    """How blurred a picture is: the standard deviation in pixels of the blur of a typical edge; `where`: weight of each pixel.

    For an edge blurred by a Gaussian the energy of the slope is twice its variance times that of the bend.
    """
    bend_energy = cv2.Laplacian(of.colours[:, :, 0], cv2.CV_32F) ** 2
    return float(
        np.sqrt(
            0.5 * float((of.slope[:, :, 0] * where).sum()) / max(float((bend_energy * where).sum()), 1e-6)
        )
    )


def soften(of: View, by: float) -> View:
    """The view blurred by a further Gaussian of `by` pixels, if that is enough to matter."""
    if by < 0.4:
        return of
    return _view_of(np.asarray(cv2.GaussianBlur(of.colours, (0, 0), min(by, 3.0)), dtype=np.float32))


def equally_soft(a: View, b: View) -> tuple[View, View]:
    """Both views at the blur of the more blurred one: a lens out of focus is no other card.

    Judged on edges that both have: else hatching in one would pass for sharpness and be blurred away.
    """
    common = np.minimum(a.slope[:, :, 0], b.slope[:, :, 0])
    steep = (common > 0.25 * float(common.max())).astype(np.float32)
    common = np.asarray(cv2.dilate(steep, EDGE), dtype=np.float32)
    soft_a, soft_b = softness(a, common), softness(b, common)
    by = float(np.sqrt(abs(soft_a**2 - soft_b**2)))
    return (soften(a, by), b) if soft_a < soft_b else (a, soften(b, by))


def rim_weights(height: int, width: int) -> Map:
    """Weight of each pixel by its distance from the border, 0..1."""
    x = np.minimum(np.arange(width), np.arange(width)[::-1])
    y = np.minimum(np.arange(height), np.arange(height)[::-1])
    distance = np.minimum(y[:, None], x[None, :]).astype(np.float32)
    return np.asarray(np.clip((distance - 4) / RIM, 0, 1), dtype=np.float32)


def lay_over(
    patch: Pixels, reference: Template, matrix: Matrix, in_sight: Map, known: Matrix3 | None = None
) -> tuple[Pixels, Told]:
    """The reference warped into the seen card's frame, lit as the seen card is and printed as it is.

    `matrix` maps reference pixels to patch pixels, margin included, as `align` returns it; `in_sight`: weight
    of each pixel without the margin, 0..1; `known`: how the picture renders the deck's ink, if other cards have told.
    Returns with it what this card tells of that.
    """
    seen = inner(patch)
    height, width = seen.shape[:2]
    without_margin = np.array([[1.0, 0, -MARGIN], [0, 1.0, -MARGIN], [0, 0, 1.0]])
    laid = cv2.warpPerspective(
        reference.pixels,
        without_margin @ matrix,
        (width, height),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    size = (width // 4, height // 4)
    where = place(size[1], size[0])
    target, wanted = (
        np.asarray(cv2.resize(p, size, interpolation=cv2.INTER_AREA), dtype=np.float32).reshape(-1, 3)
        for p in (seen, laid)
    )
    plain = np.ones(len(wanted), dtype=np.float32)
    weights = cv2.resize(in_sight, size, interpolation=cv2.INTER_AREA).ravel() + np.float32(1e-3)
    paper = response.paper_of(wanted)
    render = np.zeros((3, 3)) if known is None else known
    for _ in range(3):
        printed = wanted + (wanted - paper) @ render.T.astype(np.float32)
        lit = light(target, printed, where, weights * plain)
        shown = lit.gain * printed + lit.veil
        off = ((shown - target) ** 2).sum(axis=1)
        plain = 1 / (1 + off / max(0.03**2, 2.25 * float(np.median(off)))) ** 2
        unprinted = lit.gain * wanted + lit.veil
        # ink that is rendered otherwise does not fit yet: only what no rendering explains is left out
        says = response.told(target, unprinted, weights / (1 + off / response.STRANGE) ** 2)
        if known is None:
            render = says.solve(np.zeros((3, 3)), response.STRENGTH, response.COLOUR)
        else:
            render = says.solve(known, response.TOLD_STRENGTH, response.TOLD_COLOUR)
    gain = cv2.resize(lit.gain.reshape(size[1], size[0], 3), (width, height), interpolation=cv2.INTER_LINEAR)
    printed_full = laid + ((laid - paper).reshape(-1, 3) @ render.T.astype(np.float32)).reshape(laid.shape)
    return np.asarray(printed_full * gain + lit.veil, dtype=np.float32), says


def bend(seen: Pixels, laid: Pixels, in_sight: Map) -> Pixels:
    """Move parts of the laid-over reference by up to `STRETCH` pixels onto the seen card.

    Cards bend, and their borders are cut unevenly; a smooth field of shifts (Lucas-Kanade in a wide window)
    follows that but is too stiff to turn one sign into another.
    """
    target = reduce(seen, COARSE)
    height, width = target.shape[:2]
    y, x = np.mgrid[0 : laid.shape[0], 0 : laid.shape[1]].astype(np.float32)
    heed = np.float32(0.3) + np.float32(0.7) * (cv2.resize(in_sight, (width, height)) > 0)[:, :, None]
    field = np.zeros((height, width, 2), dtype=np.float32)
    now = laid
    for _ in range(2):
        small = reduce(now, COARSE)
        gx = cv2.Sobel(small, cv2.CV_32F, 1, 0, scale=1 / 8)
        gy = cv2.Sobel(small, cv2.CV_32F, 0, 1, scale=1 / 8)
        off = (target - small) * heed
        products = (gx * gx, gx * gy, gy * gy, gx * off, gy * off)
        xx, xy, yy, xo, yo = (
            cv2.GaussianBlur(over_channels(np.asarray(p, dtype=np.float32)), (0, 0), STIFF / COARSE)
            for p in products
        )
        xx, yy = xx + HOLD, yy + HOLD
        det = xx * yy - xy * xy
        field += np.stack([(yy * xo - xy * yo) / det, (xx * yo - xy * xo) / det], axis=-1)
        field = np.clip(field, -STRETCH / COARSE, STRETCH / COARSE)
        full = cv2.resize(
            field * np.float32(COARSE), (laid.shape[1], laid.shape[0]), interpolation=cv2.INTER_LINEAR
        )
        moved = cv2.remap(
            laid, x + full[:, :, 0], y + full[:, :, 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        now = np.asarray(moved, dtype=np.float32)
    return now


def blankness(seen: View, in_sight: Map) -> Map:
    """The misfit of a blank card in the same light: what there is to explain of what is in sight of a seen card."""
    heed = in_sight[:, :, None] + np.float32(1e-3)
    even = (
        cv2.GaussianBlur(seen.colours * heed, (0, 0), BLANK)
        / cv2.GaussianBlur(heed, (0, 0), BLANK)[:, :, None]
    )
    return misfit(seen, View(np.asarray(even, dtype=np.float32), np.zeros_like(seen.slope)), in_sight)


def likeness(to_explain: Map, misfits: Map, weights: Map) -> float:
    """How much of what there is to see on the card (`blankness`) the reference explains, at most 1.

    1: all of it; about 0: no more than a blank card would, or there is hardly anything to see: a strip of bare table, an
    empty part of a card, of which every design with an empty part there would be as good an explanation.
    """
    there = float((to_explain * weights).sum())
    return 0.0 if there < LITTLE else 1.0 - float((misfits * weights).sum()) / there


def strange_ink(seen: View, laid: View, misfits: Map, weights: Map) -> float:
    """How loud the loudest spot is, 0..LOUDEST, where the card shows ink and the design none: then it is another design.

    A lamp's reflection makes a card brighter, and a finger, another card or a cut edge comes in from the border (or from
    what is hidden): none of these is the card's print.
    """
    darker = seen.colours[:, :, 0] < laid.colours[:, :, 0] - INK
    loud = np.asarray(cv2.GaussianBlur(misfits * weights * darker, (0, 0), WIDE), dtype=np.float32)
    count, names = cv2.connectedComponents((loud > 0.5 * STRANGE).astype(np.uint8))
    inside = np.setdiff1d(np.arange(1, count), names[weights < AT_BORDER])
    return float(loud[np.isin(names, inside)].max(initial=0.0))


@dataclass(frozen=True)
class Contest:
    """The better explanation against another: where they differ, whom the seen card sides with.

    `lead`: 1 when the card looks just as the first says, 0 and below when undecided, `-DOUBT` when as the second.
    `evidence`: how much the two differ at all, in misfit units summed over the card.
    """

    lead: float
    evidence: float


def contest(seen: View, first: View, second: View, weights: Map, to_explain: Map) -> Contest:
    """Ask the seen card whether it is as the first or as the second says, where they differ.

    All three are compared with one tolerance a pixel. Were each design judged by its own, hatching, which is all edges,
    would be allowed to be anything, and fit a blank card as well as a hatched one.
    """
    first, second = equally_soft(first, second)
    seen, _ = equally_soft(seen, first)
    rough = [one.texture for one in (seen, first, second)]
    steep = np.asarray(
        np.float32(BLUR**2) * (seen.slope + np.maximum(first.slope, second.slope)), dtype=np.float32
    )
    rougher = np.asarray(np.float32(GRAIN_PART**2) * np.maximum(rough[1], rough[2]) ** 2, dtype=np.float32)

    def apart(noise: Map, colours: Map, grain: Map) -> Map:
        wide = region_mean(colours)
        fine, broad = colours * colours / (NOISE + steep), wide * wide / noise
        return _loud(
            over_channels(np.asarray(fine, dtype=np.float32) + broad)
            + grain * grain / (np.float32(GRAIN**2) + rougher)
        )

    between = first.colours - second.colours
    expected = apart(MOST_WIDE, between, rough[1] - rough[2]) * weights
    # the light is judged where the two agree: else it would take up what the card says where they do not
    agreed = weights / (1 + expected)
    off = [_lit_alike(seen.colours - one.colours, agreed) for one in (first, second)]
    noise = measured_noise(off[0], off[1], np.asarray(agreed * to_explain, dtype=np.float32))
    expected = apart(noise, between, rough[1] - rough[2]) * weights
    norm = float((expected * expected).sum())
    if norm < 1e-6:
        return Contest(0.0, 0.0)
    first_off, second_off = (apart(noise, off[i], rough[0] - rough[i + 1]) for i in (0, 1))
    lead = float((expected * (second_off - DOUBT * first_off)).sum()) / norm
    return Contest(lead, float(expected.sum()))


def _lit_alike(off: Map, heed: Map) -> Map:
    off[:, :, 0] -= _shading(off[:, :, 0], heed)
    return off


def region_mean(off: Map) -> Map:
    """The mean difference around each pixel against that further around: what is wider still is light and wear, not print."""
    near, far = (cv2.GaussianBlur(off, (0, 0), width) for width in (WIDE, SHADE))
    return np.asarray(near - far, dtype=np.float32)


def measured_noise(first: Map, second: Map, heed: Map) -> Map:
    """What the mean colour of a region may differ by on this card, a channel, squared: measured where both designs say the same.

    `heed` is great where there is print: paper fits well in any light, and the print tells how well the print is known.
    """
    wide = [region_mean(one) for one in (first, second)]
    least = np.minimum(np.minimum(wide[0] * wide[0], wide[1] * wide[1]), MOST_WIDE)
    mean = (least * heed[:, :, None]).sum(axis=(0, 1)) / max(float(heed.sum()), 1.0)
    return np.asarray(np.clip(3 * mean, LEAST_WIDE, MOST_WIDE), dtype=np.float32)


def _loud(off: Map) -> Map:
    loud = np.maximum(cv2.GaussianBlur(off, (0, 0), 1.0) - 1.0, 0.0)
    return np.asarray(loud / (1 + loud / LOUDEST), dtype=np.float32)
