"""Whether the cards of a photo show the print of the designs that they were named by, all asked at
once."""

from collections.abc import Sequence
from dataclasses import replace

from vision.geometry import Quad
from vision.naming.verifier import odds
from vision.outlines.covers import over
from vision.reading import Reading

SAME = 0.4
"""Log odds of the same print from which a card is sure, whether or not its design leads by much:
chosen by `bench.vision_limits`.

One for all cards: six of them, for cards that lead and others, explained wholly or not, in the
enrolled ink or another, did well on the tables that they were chosen from, and named 8 of 352 cards
of no design on tables left out."""

FITS = 0.6
"""Likeness that a card needs all the same which leads by less than the deck's margin: below it
three green cards of set81 passed for the purple ones, with log odds of 1.1 to 1.6 and leads up to
0.2. In dim light a pale print is explained no better, though it leads by more."""


def verified(found: Sequence[Reading]) -> list[Reading]:
    """The readings, sure or not by what the verifier says of their print.

    One that shows another print than its design's is unsure, unless another card lies on it; one
    that leads, by however little, and certainly shows its design's is sure. Asked only where the
    answer can change something. In a film it is asked once a reading, and not where cards lie over
    one another (`vision.film.schedule`).
    """
    sure = [r.quad for r in found if r.sure]
    result = [replace(r, case=None) for r in found]
    asked = [i for i, r in enumerate(found) if _is_open(r, [q for q in sure if q is not r.quad])]
    cases = [found[i].case for i in asked]
    says = odds([case.pair() for case in cases if case is not None], SAME)
    for i, same in zip(asked, says.tolist(), strict=True):
        result[i] = replace(result[i], sure=same >= SAME, same=same)
    return result


def _is_open(reading: Reading, others: Sequence[Quad]) -> bool:
    """Whether the print decides of a reading: it is sure with no other card on it, or may become
    so."""
    if reading.sure:
        return reading.case is not None and not over(reading.quad, others)
    return may_become_sure(reading)


def may_become_sure(reading: Reading) -> bool:
    """Whether an unsure reading leads or fits so well that its print is asked for."""
    if reading.case is None or reading.confidence <= 0.5:
        return False
    return reading.leads or reading.candidates[0][1] >= FITS
