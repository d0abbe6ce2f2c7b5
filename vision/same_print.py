"""Whether the cards of a photo show the print of the designs that they were named by, all asked at
once."""

from collections.abc import Sequence
from dataclasses import replace

from vision.geometry import Quad
from vision.naming.verifier import odds
from vision.outlines.covers import over
from vision.reading import Reading

PROVEN, FITS = 0.8, 0.6
"""Log odds of the same print from which a card of a photo is sure that leads or fits by less than
it should, and the likeness it needs all the same.

This limit and the next are chosen by `bench.vision_limits` from seven tables, all designs known and
each quarter of them left out: with these 334 of 352 cards are right and sure, and one of 352 cards
of no design is named; of tables that had no part in the choice, 333 and 8."""

WHOLLY, NOT_ANOTHER = 0.96, 0.0
"""Likeness from which a card is explained down to its grain, and the log odds that it needs then:
of stripes so faint that the network doubts them only those of the design fit so well."""

AS_ENROLLED, RENDERED = 0.8, 0.6
"""Log odds asked of a card where the picture renders ink as the deck was enrolled, and where it
does so otherwise, as another print or light does."""


def verified(found: Sequence[Reading], least: float) -> list[Reading]:
    """The readings, sure or not by what the verifier says of their print; `least`: the log odds
    asked of it.

    One that shows another print than its design's is unsure, unless another card lies on it; one
    that leads, by however little, and certainly shows its design's is sure. Asked only where the
    answer can change something. In a film it is asked once a reading, and not where cards lie over
    one another (`vision.film.schedule`).
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
