"""Which of two designs a seen card is, where they differ."""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.fitting.compare import (
    BLUR,
    FEW,
    SHADE,
    Map,
    View,
    equally_soft,
    levelled,
    loud,
    noise_everywhere,
    over_channels,
    quarter,
    shading,
)
from vision.fitting.patch import blurred

DOUBT = 1.3
"""What a misfit of one's own counts against one of the other's: where both fit badly, something
else may lie there."""

WIDE = 4.0
"""Scale in patch pixels at which the mean colour of a region is compared: of hatching only ink and
paper together remain."""

LEAST_WIDE, MOST_WIDE = (
    np.array(levels, dtype=np.float32) ** 2 for levels in ((0.03, 0.035, 0.035), (0.06, 0.08, 0.08))
)
"""What the mean colour of a region may differ by harmlessly, brightness and two colours: the least
and the most, squared."""

MORE_INK, UNLIKE = (-0.4, 0.5), 0.15**2
"""How much less and more ink a card may show than the enrolled one, in parts; squared difference
that no ink explains."""

GRAIN, GRAIN_PART = 0.012, 0.35
"""Roughness may differ harmlessly by so much, and by this part of itself: sharpness and ink
differ."""


@dataclass(frozen=True)
class Contest:
    """The better explanation against another: where they differ, whom the seen card sides with.

    `lead`: 1 when the card looks just as the first says, 0 and below when undecided, `-DOUBT` when
    as the second. `evidence`: how much the two differ at all, in misfit units summed over the card.
    """

    lead: float
    evidence: float


def contest(seen: View, first: View, second: View, weights: Map, to_explain: Map | None) -> Contest:
    """Ask the seen card whether it is as the first or as the second says, where they differ.

    `to_explain`: where there is print (`blankness`); None leaves the regions out, for a card that
    is partly hidden: what covers it would speak in the means around it.

    All three are compared with one tolerance a pixel. Were each design judged by its own, hatching,
    which is all edges, would be allowed to be anything, and fit a blank card as well as a hatched
    one.
    """
    first, second = equally_soft(first, second)
    seen, _ = equally_soft(seen, first)
    if to_explain is not None:
        first, second = (_printed_alike(seen, one, weights) for one in (first, second))
    harmless = np.maximum(first.slope, second.slope)
    harmless += seen.slope
    harmless *= np.float32(BLUR**2)
    harmless += noise_everywhere(*weights.shape)
    between = first.colours - second.colours
    apart = _squared(between, harmless)
    grains = None if to_explain is None else _grains(seen, first, second)
    regions = None if to_explain is None else [region_mean(between)]
    expected = _loud_with(apart, regions, 0, MOST_WIDE, grains) * weights
    # the light is judged where the two agree: else it would take up what the card says where they
    # do not
    agreed = weights / (1 + expected)
    off = [_lit_alike(seen.colours - one.colours, agreed) for one in (first, second)]
    noise = MOST_WIDE
    if regions is not None and to_explain is not None:
        regions += [region_mean(one) for one in off]
        noise = measured_noise(
            regions[1], regions[2], quarter(np.asarray(agreed * to_explain, dtype=np.float32))
        )
        expected = _loud_with(apart, regions, 0, noise, grains) * weights
    norm = float(np.vdot(expected, expected))
    if norm < 1e-6:
        return Contest(0.0, 0.0)
    first_off, second_off = (
        _loud_with(_squared(off[i - 1], harmless), regions, i, noise, grains) for i in (1, 2)
    )
    lead = float(np.vdot(expected, second_off) - DOUBT * np.vdot(expected, first_off)) / norm
    return Contest(lead, float(expected.sum()))


def _printed_alike(seen: View, one: View, weights: Map) -> View:
    """The design with as much ink as the seen card has: another print, lens or exposure has more or
    less of it everywhere.

    So what is left to tell two designs apart is where ink is and where none, not how dark its lines
    are.
    """
    ink = levelled(one.few, 1.0, -one.paper)
    off, heed = seen.few - one.few, quarter(weights)
    # what so much more ink leaves unexplained, squared, by its three terms
    without, both, all_ink = (over_channels(a * b) for a, b in ((off, off), (ink, off), (ink, ink)))
    by = 0.0
    for _ in range(2):
        left = without - np.float32(2 * by) * both + np.float32(by * by) * all_ink
        heavy = heed / (1 + left / np.float32(UNLIKE))
        by = float(np.vdot(heavy, both)) / max(float(np.vdot(heavy, all_ink)), 1e-6)
        by = float(np.clip(by, *MORE_INK))
    colours = levelled(one.colours, 1 + by, -by * one.paper)
    return View(colours, one.slope * np.float32((1 + by) ** 2))


def _squared(off: Map, harmless: Map) -> Map:
    return over_channels(np.asarray(off * off / harmless, dtype=np.float32))


def _loud_with(fine: Map, regions: list[Map] | None, which: int, noise: Map, grains: list[Map] | None) -> Map:
    """The loudness of the pixels' difference together with that of the regions round them."""
    if regions is None or grains is None:
        return loud(fine)
    region = regions[which]
    broad = cv2.transform(region * region, (1 / noise)[None]) + grains[which]
    return loud(fine + cv2.resize(broad, fine.shape[::-1], interpolation=cv2.INTER_LINEAR))


def _grains(seen: View, first: View, second: View) -> list[Map]:
    """How much the two designs differ in roughness, and the seen card from each, squared, in units
    of the harmless."""
    rough = [one.texture for one in (first, second, seen)]
    harmless = np.float32(GRAIN**2) + np.float32(GRAIN_PART**2) * np.maximum(rough[0], rough[1]) ** 2
    return [
        (a - b) ** 2 / harmless for a, b in ((rough[0], rough[1]), (rough[2], rough[0]), (rough[2], rough[1]))
    ]


def _lit_alike(off: Map, heed: Map) -> Map:
    off[:, :, 0] -= shading(off[:, :, 0], heed)
    return off


def region_mean(off: Map) -> Map:
    """The mean difference around each pixel against that further around: what is wider still is
    light and wear, not print.

    In a picture `FEW` times smaller: means have no finer detail.
    """
    few = quarter(off)
    near, far = (blurred(few, width / FEW) for width in (WIDE, SHADE))
    return np.asarray(near - far, dtype=np.float32)


def measured_noise(first: Map, second: Map, heed: Map) -> Map:
    """What the mean colour of a region may differ by on this card, a channel, squared: measured
    where both designs say the same.

    `first`, `second`: the region means of the seen card against each. `heed` is great where there
    is print: paper fits well in any light, and the print tells how well the print is known.
    """
    least = np.minimum(first * first, second * second).reshape(-1, 3)
    mean = heed.ravel() @ np.minimum(least, MOST_WIDE) / max(float(heed.sum()), 1.0)
    return np.asarray(np.clip(3 * mean, LEAST_WIDE, MOST_WIDE), dtype=np.float32)
