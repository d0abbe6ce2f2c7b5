"""Which of two designs a seen card is, where they differ; and whether it shows ink that the better one has not."""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.compare import BLUR, NOISE, SHADE, Map, View, equally_soft, loud, over_channels, shading

DOUBT = 1.3
"""What a misfit of one's own counts against one of the other's: where both fit badly, something else may lie there."""

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


def strange_ink(seen: View, laid: View, misfits: Map, weights: Map) -> float:
    """How loud the loudest spot is, 0..LOUDEST, where the card shows ink and the design none: then it is another design.

    A lamp's reflection makes a card brighter, and a finger, another card or a cut edge comes in from the border (or from
    what is hidden): none of these is the card's print.
    """
    darker = seen.colours[:, :, 0] < laid.colours[:, :, 0] - INK
    spots = np.asarray(cv2.GaussianBlur(misfits * weights * darker, (0, 0), WIDE), dtype=np.float32)
    count, names = cv2.connectedComponents((spots > 0.5 * STRANGE).astype(np.uint8))
    inside = np.setdiff1d(np.arange(1, count), names[weights < AT_BORDER])
    return float(spots[np.isin(names, inside)].max(initial=0.0))


@dataclass(frozen=True)
class Contest:
    """The better explanation against another: where they differ, whom the seen card sides with.

    `lead`: 1 when the card looks just as the first says, 0 and below when undecided, `-DOUBT` when as the second.
    `evidence`: how much the two differ at all, in misfit units summed over the card.
    """

    lead: float
    evidence: float


def contest(seen: View, first: View, second: View, weights: Map, to_explain: Map | None) -> Contest:
    """Ask the seen card whether it is as the first or as the second says, where they differ.

    `to_explain`: where there is print (`blankness`); None leaves the regions out, for a card that is partly hidden: what covers
    it would speak in the means around it.

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
        fine = over_channels(np.asarray(colours * colours / (NOISE + steep), dtype=np.float32))
        if to_explain is None:
            return loud(fine)
        wide = region_mean(colours)
        broad = over_channels(np.asarray(wide * wide / noise, dtype=np.float32))
        return loud(fine + broad + grain * grain / (np.float32(GRAIN**2) + rougher))

    between = first.colours - second.colours
    expected = apart(MOST_WIDE, between, rough[1] - rough[2]) * weights
    # the light is judged where the two agree: else it would take up what the card says where they do not
    agreed = weights / (1 + expected)
    off = [_lit_alike(seen.colours - one.colours, agreed) for one in (first, second)]
    noise = measured_noise(
        off[0], off[1], np.asarray(agreed if to_explain is None else agreed * to_explain, dtype=np.float32)
    )
    expected = apart(noise, between, rough[1] - rough[2]) * weights
    norm = float((expected * expected).sum())
    if norm < 1e-6:
        return Contest(0.0, 0.0)
    first_off, second_off = (apart(noise, off[i], rough[0] - rough[i + 1]) for i in (0, 1))
    lead = float((expected * (second_off - DOUBT * first_off)).sum()) / norm
    return Contest(lead, float(expected.sum()))


def _lit_alike(off: Map, heed: Map) -> Map:
    off[:, :, 0] -= shading(off[:, :, 0], heed)
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
