"""Check whether the cards of a photo show the print of their designs, all at once; and before that,
whether their coloured ink has the hue of the design's.

Pale print, a pale picture, another white balance or a dim lamp make all ink of a card weaker or
stronger, relative to its own paper, and turn its hue a little; nothing makes green ink purple while
the paper beside it stays white. Where ink is thin and pale that difference is below what may differ
harmlessly at a pixel (`compare.NOISE`), but not below it on all of the ink together.

The print itself is compared by a network (`vision.naming.verifier`), which gives log
odds that two pictures show the same print. `verify_prints` applies it to whole cards,
`verify_partial_print_in_steps`, with higher limits, to partly hidden ones.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.fitting.compare import Map, downscale_by_few
from vision.fitting.patch import Pixels
from vision.geometry import Quad
from vision.naming.evidence import Evidence
from vision.naming.ink_response import ink_density
from vision.naming.verifier import IN_FULL, SMALLER, Rounds, score_pair_in_steps
from vision.outlines.covers import find_covers
from vision.reading import Reading
from vision.steps import Steps, run_to_end

CHROMA = np.array([[0, 1, -1], [1, -0.5, -0.5]], dtype=np.float32)
"""Green against red, and blue against both, from densities of blue, green and red."""

SOFT, RIM = 1.0, 2
"""`SOFT`: small pixels by which densities are blurred, so that a displaced edge does not matter.
`RIM`: those left out along the border, where the table shows through."""

COARSE = 2.0
"""Pixels of a patch by which cards are blurred before: cameras store colour coarser than
brightness, and sharpen thin lines to black. Without it, two of 352 red signs, as a small webcam
with a sharpened picture shows them, passed for purple ones."""

COLOURED = 0.1
"""Chroma, in parts of the ink's density, from which ink is coloured: black ink has a hue, too, from
the sensor's noise."""

FAINT, NOISE = 0.03, 3.0
"""`FAINT`: chroma from which ink counts; `NOISE`: how many times that of the bare paper it must be
as well. The palest hatching of `bench tables` has 0.06, black ink hardly any, and then its hue
means nothing."""

PALEST = 0.25
"""Chroma, in parts of the design's, below which a card shows no hue: printed in grey, or nearly
faded."""


def hue_difference(observed: Pixels, laid: Pixels) -> float:
    """Return by how many degrees, 0 to 180, the coloured ink of a seen card differs in hue from
    that of the aligned design; 0 where either has hardly any.

    Both are without margin. Hue is relative to each one's own paper, so the light does not matter.
    """
    dark_seen, dark_laid = _ink_densities(observed), _ink_densities(laid)
    ink = dark_laid.sum(axis=1)
    # the paler half: paper, and what is printed too faintly to count
    bare = ink <= np.median(ink)
    (has, noise), (had, noise_laid) = _measure_chroma(dark_seen, bare), _measure_chroma(dark_laid, bare)
    least = np.maximum(max(FAINT, NOISE * noise, NOISE * noise_laid), COLOURED * ink)
    counts = np.hypot(had[:, 0], had[:, 1]) > least
    has, had = has[counts], had[counts]
    # the turn between the two hues over all ink, strong ink counting most
    along = float((had * has).sum())
    aside = float((had[:, 0] * has[:, 1] - had[:, 1] * has[:, 0]).sum())
    if np.hypot(along, aside) <= PALEST * float((had * had).sum()):
        return 0.0
    return float(abs(np.degrees(np.arctan2(aside, along))))


def _ink_densities(pixels: Pixels) -> Map:
    """Return the densities of small pixels, n x 3."""
    coarse = np.asarray(cv2.GaussianBlur(pixels, (0, 0), COARSE), dtype=np.float32)
    dark = cv2.GaussianBlur(ink_density(downscale_by_few(coarse)), (0, 0), SOFT)[RIM:-RIM, RIM:-RIM]
    return np.asarray(dark.reshape(-1, 3), dtype=np.float32)


def _measure_chroma(dark: Map, bare: NDArray[np.bool_]) -> tuple[Map, float]:
    """Return the chroma, n x 2, relative to that of the bare paper, and its spread there."""
    chroma = np.asarray((dark - np.median(dark[bare], axis=0)) @ CHROMA.T, dtype=np.float32)
    return chroma, float(np.sqrt((chroma[bare] ** 2).sum(axis=1).mean()))


SAME_PRINT_SCORE = 0.5
"""Log odds of the same print from which a card is sure, whether or not its design leads by much. Of
pairs tested by the network on tables of SET enrolled from one another and on all tables, each
quarter of the designs left out in turn, 2,571 of 2,607 right ones are sure by it, and 1 of 435
unknown cards is identified; at 0.3 2,577 and 3, at 0.7 2,536 and 1. `bench limits` prints what it
would choose.

One limit for all cards: six of them, for cards that lead and others, explained completely or not,
in the enrolled ink or another, did well on the tables from which they were chosen, and identified 8
of 352 cards of no design on tables left out. Blurring the pictures by 2 pixels of a patch first did
as well, but through a median filter or a webcam's sharpening, hatched signs then passed for empty
ones.
"""

FADED, FADED_OPEN = 1.5, 4.0
"""Further log odds required where all contrast of a card has faded, in proportion to it: if its
design leads by the deck's margin, and if the contest leaves open which it is. In haze an empty sign
was read as striped, with a confidence of 0.53. Of 54 right cards of three tables of SET none is
lost by it: the most faded one has 0.70 of its contrast, and log odds of 2.7."""

DOUBTED = 1.5
"""How much more than the log odds required a card's print must have for the other designs that fit
it not to be tested, too, though its own leads: with another edition enrolled, a striped oval led as
the empty one and showed its print at 0.9, that of the striped one at 1.7."""

SAME_COLOURLESS = 2.75
"""Log odds required in a picture without colour, where a coloured ink may have any brightness: a
camera in night mode shows red as paper. Of 11 printed loads and contracts in grey, in the red
channel alone and as infrared, 23 right ones had 2.6 and more, and all six wrong ones 1.0 to 2.5."""

SAME_PROVEN = -1.5
"""The limit for a card of which so many points were found that only another print speaks against
it: under lamps and shadows six such Magic cards had -0.5 to 1.1; cards that share a frame or a
picture with a design, -5.4 and less."""

FITS = 0.6
"""Least likeness of a card that leads by less than the deck's margin: below it three green cards of
set81 passed for the purple ones, with log odds of 1.1 to 1.6 and leads up to 0.2. In dim light a
pale print is not explained better, though it leads by more."""

APART = 0.5
"""Log odds by which the print of one design must be the more certain where the contest does not
decide between some. Of 80 such cards, on tables of SET enrolled from one another and on all tables
as twelve cameras might have rendered them, all that were sure by it were right."""

OPEN = 0.4
"""Confidence of an unsure reading from which its print is tested: its lead, or its distance behind
another design, is so small that the contest does not decide."""

SAME_PART, SAME_CLEAR_PART = 1.6, 1.2
"""Log odds of the same print from which a partly hidden card is sure; the lower one if it is also
explained as well as a whole one must be. Higher than for whole cards: the part that would show the
difference may be hidden."""

VAGUE, SAME_VAGUE_PART = 0.8, 2.4
"""`VAGUE`: likeness below which the visible part of such a card is explained only vaguely;
`SAME_VAGUE_PART`: the log odds required then. Of 131 right parts of `bench covered` on tables of
SET and of playing cards ten are unsure by it, and three of four that were taken for another design
because theirs was not enrolled."""

NEAR = 0.2
"""Likeness from which another design is a rival for a partly hidden card: no other print may be as
certain as its own (`APART`). By the tip of its sign a wavy sign was taken for an oval, with log
odds of 2.1, and 1.8 for the wavy one.

Of three throws of `bench covered`, 470 cards, 221 parts are identified by it, none wrongly, and 6
of designs not enrolled; without rivals 232, two wrongly, and 9; and at limits of 2.0 and 1.6, from
a quarter of the print visible (`PRINT_IN_SIGHT`), 211, one wrongly, and 5.
"""

TURNED = 45.0
"""Degrees by which the ink of a card may differ in hue from its design's: an eighth of the circle.
Of 2,679 right cards of `bench changed`, eight kinds of light and colour, one was turned by 54 and
all others by less than 44, of 614 of SET enrolled from another edition and of playing cards all by
35 at most; of cards not enrolled, in pale colour, eight greens that passed for purple by 127 and
more, and a red by 68, and a drawn dark green, as dark as the deck's blue, from it by 47 to 59."""

PRINT_IN_SIGHT = 0.2
"""Part of its design's print that must be visible on it: the tips of two signs do not show how they
are filled."""


def verify_prints(readings: Sequence[Reading]) -> list[Reading]:
    """Make readings sure or unsure by the verifier's comparison of their print.

    A card that shows another print than its design's becomes unsure; one whose design leads by less
    than the deck's margin gets the design whose print it clearly shows, among all that fit. Parts
    hidden by other sure cards are ignored. The network is used only where its answer can change
    something. In a video it is used once a reading, and not where cards overlap
    (`vision.video.work_queue`).
    """
    return run_to_end(verify_prints_in_steps(readings))


def verify_prints_in_steps(readings: Sequence[Reading]) -> Steps[list[Reading]]:
    """Do the work of `verify_prints` in small steps."""
    sure = [r.quad for r in readings if r.sure]
    result = []
    for reading in readings:
        result.append((yield from _verify_print_in_steps(reading, sure)))
    return result


def _verify_print_in_steps(reading: Reading, sure: Sequence[Quad]) -> Steps[Reading]:
    """Verify one reading's print, the cards in the quads `sure` lying on it."""
    evidence = reading.evidence
    # evidence takes megabytes: it is dropped once the print is decided
    decided = replace(reading, evidence=None)
    if evidence is None or not (reading.sure or may_become_sure(reading)):
        return decided
    evidence = evidence.with_covers(_find_covers(reading, sure))
    rivals = _list_rivals(reading, evidence)
    limit = _required_score(reading, evidence)
    scores = yield from _score_same_print([evidence], limit)
    # a design that leads has rivals only if its own print shows with little certainty
    if not reading.leads or limit <= scores[0] < limit + DOUBTED:
        scores += yield from _score_same_print(rivals, limit)
    return _choose_design(decided, list(zip(scores, [evidence, *rivals], strict=False)), limit)


def _required_score(reading: Reading, evidence: Evidence) -> float:
    """Return the log odds of the same print required of a whole card, more in worse light."""
    if evidence.is_colourless:
        return SAME_COLOURLESS
    faded = max(0.0, 1 - evidence.measure_contrast())
    return SAME_PRINT_SCORE + faded * (FADED if reading.leads else FADED_OPEN)


def _list_rivals(reading: Reading, evidence: Evidence, least_likeness: float = FITS) -> list[Evidence]:
    """Return the evidence for the other designs that fit a card with at least this likeness."""
    fits = {card for card, likeness in reading.candidates if likeness >= least_likeness}
    return [other for other in evidence.list_rival_evidence() if other.card in fits]


def _choose_design(reading: Reading, scores: Sequence[tuple[float, Evidence]], limit: float) -> Reading:
    """Give the reading the design whose print is the most certain, and decide whether it is sure,
    from log odds of `limit`; its own design comes first. Where that leads, no other may be more
    certain."""
    same, evidence = max(scores, key=lambda one: one[0])
    next_best = max((odds for odds, other in scores if other is not evidence), default=-math.inf)
    # no more certain than its lead over the next best print allows
    same = min(same, limit + same - (next_best + (0 if reading.leads else APART)))
    if evidence is scores[0][1]:
        return replace(reading, sure=same >= (SAME_PROVEN if reading.proven else limit), same=same)
    if reading.leads or evidence.may_lack_print:
        # where contest and print disagree, neither is believed; and the difference may lie under
        # the thing that crosses the card, or be saturated
        return replace(reading, sure=False, same=-math.inf)
    candidates = sorted(reading.candidates, key=lambda one: one[0] != evidence.card)
    return replace(
        reading,
        card=evidence.card,
        sure=same >= limit,
        quad=evidence.quad,
        candidates=tuple(candidates),
        same=same,
    )


def _score_same_print(
    cases: Iterable[Evidence], limit: float, rounds: Rounds = SMALLER
) -> Steps[list[float]]:
    """Return the log odds of the same print for each piece of evidence; minus infinity, without
    using the network, if the ink has another hue."""
    scores = []
    for evidence in cases:
        pair = evidence.make_print_pair()
        is_alike = hue_difference(*pair) <= TURNED
        scores.append((yield from score_pair_in_steps(pair, limit, rounds)) if is_alike else -math.inf)
    return scores


def _find_covers(reading: Reading, sure: Sequence[Quad]) -> list[Quad]:
    """Return the other sure cards that lie on a sure one; to make an unsure one sure, all of it
    must show."""
    return find_covers(reading.quad, [q for q in sure if q is not reading.quad]) if reading.sure else []


def is_worth_verifying(reading: Reading) -> bool:
    """Check whether a reading of a part may be sure: it leads by the deck's margin, fits, and
    enough of its design's print is visible."""
    fits = reading.leads and reading.candidates[0][1] >= FITS
    return (
        fits and reading.evidence is not None and reading.evidence.measure_visible_print() >= PRINT_IN_SIGHT
    )


def verify_partial_print_in_steps(reading: Reading) -> Steps[Reading]:
    """Make the reading of a partly hidden card sure if it certainly shows the print of its design,
    and no rival's nearly as much; in small steps."""
    if reading.evidence is None:
        return reading
    limit, same = _required_part_score(reading), -math.inf
    if is_worth_verifying(reading):
        (same,) = yield from _score_same_print([reading.evidence], limit, IN_FULL)
    # rivals are compared only if it would be sure without them
    if same >= limit:
        rivals = _list_rivals(reading, reading.evidence, NEAR)
        next_best = max((yield from _score_same_print(rivals, same - APART, IN_FULL)), default=-math.inf)
        same = min(same, limit + same - (next_best + APART))
    return replace(reading, sure=same >= limit, same=same, evidence=None)


def _required_part_score(reading: Reading) -> float:
    """Return the log odds of the same print required of a partly hidden card."""
    if reading.evidence is not None and reading.evidence.is_colourless:
        return SAME_COLOURLESS
    if reading.candidates and reading.candidates[0][1] < VAGUE:
        return SAME_VAGUE_PART
    return SAME_CLEAR_PART if reading.sure else SAME_PART


def may_become_sure(reading: Reading) -> bool:
    """Check whether an unsure reading leads or fits so well that its print is worth testing."""
    if reading.evidence is None:
        return False
    least = 0.5 if reading.leads or reading.evidence.may_lack_print else OPEN
    return reading.confidence > least and (reading.leads or reading.candidates[0][1] >= FITS)
