"""Whether the cards of a photo show the print of the designs that they were named by, all asked at
once."""

from collections.abc import Sequence
from dataclasses import replace

from vision.covers import over
from vision.geometry import Quad
from vision.reading import Reading
from vision.verifier import odds

PROVEN, FITS = 1.0, 0.6
"""Log odds of the same print from which a card of a photo is sure that leads or fits by less than
it should, and the likeness it needs all the same: of the cards of six tables
(`bench.vision_tables`, each design known or left out) none that was named wrongly had more than
0.4."""

WHOLLY, NOT_ANOTHER = 0.96, -1.0
"""Likeness from which a card is explained down to its grain, and the log odds that it needs then:
stripes so faint that the network doubts them fit so well only if they are those of the design
(right cards had -0.5 and more; the jack of clubs taken for the jack of spades, the nearest there,
-1.2)."""

AS_ENROLLED, RENDERED = -0.5, 0.3
"""Log odds asked of a card where the picture renders ink as the deck was enrolled, and where it
does so otherwise, as another print or light does: a stranger's card had -1.0 at most there, and 0.4
here."""


def verified(found: Sequence[Reading], least: float) -> list[Reading]:
    """The readings, sure or not by what the verifier says of their print; `least`: the log odds
    asked of it.

    One that shows another print than its design's is unsure, unless another card lies on it; one
    that leads, by however little, and certainly shows its design's is sure. Asked only where the
    answer can change something. In a film it is asked once a reading, and not where cards lie over
    one another (`vision.schedule`).
    """
    sure = [r.quad for r in found if r.sure]
    result = [replace(r, case=None) for r in found]
    asked = [i for i, r in enumerate(found) if _is_open(r, [q for q in sure if q is not r.quad])]
    cases = [found[i].case for i in asked]
    says = odds([case.pair() for case in cases if case is not None])
    for i, same in zip(asked, says.tolist(), strict=True):
        reading = result[i]
        enough = least if reading.candidates[0][1] < WHOLLY else NOT_ANOTHER
        result[i] = replace(reading, sure=same >= (enough if reading.sure else PROVEN), same=same)
    return result


def _is_open(reading: Reading, others: Sequence[Quad]) -> bool:
    """Whether the print decides of a reading: it is sure with no other card on it, or may become
    so."""
    if reading.case is None:
        return False
    if reading.sure:
        return not over(reading.quad, others)
    return reading.confidence > 0.5 and reading.candidates[0][1] >= FITS
