"""Identify a card without reference views, by the faces that all packs of 52 cards share.

Used as long as not all of a pack's own prints are known (`Library.pack`). A comparison among few
prints cannot show that the right one is missing: nines are much like tens. So a result that is sure
must also be plausible to a classifier that never saw the pack (`vision.naming.pack52`), and a card
that cannot be identified by prints is identified by that classifier alone, where it is sure. A name
whose print is known is not given to a card with another print.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad
from vision.library import Library
from vision.naming import pack52
from vision.naming.pack52 import NAMES, NO_NAME
from vision.print_check import FITS
from vision.reading import Reading
from vision.steps import Steps

CONTRADICTED = 3.0
"""How much likelier (difference of logarithms), for each view that a design has, a card without a
view must be than the design whose print was found."""

CONFIDENCE = 0.8
"""Confidence of a card identified without a view: below `vision.video.track.CLEAR`, so that in a
video several frames must agree."""

STRANGE = 2.0
"""How much likelier (difference of logarithms) it must be that a card belongs to no pack of 52 than
that it is any of its cards, for the players not to be asked which it is."""

LIKELIEST = 6
"""Most names suggested for a card that is not sure."""


def name_whole_card_in_steps(image: NDArray[np.uint8], reading: Reading, library: Library) -> Steps[Reading]:
    """Correct the reading of a fully visible card in a BGR picture by what any pack of 52 shows;
    unchanged once every design has a view. In small steps."""
    if not library.missing_designs or _is_named_by_sticker(reading):
        return reading
    log_likelihoods = yield from pack52.quad_log_likelihoods_in_steps(image, reading.quad)
    if reading.sure and not _is_contradicted(log_likelihoods, reading, library):
        return reading
    together = log_likelihoods.mean(axis=0)
    # not a card of any pack: the players need not be asked about it
    if together[NO_NAME] - together[:NO_NAME].max() > STRANGE:
        return replace(reading, sure=False, evidence=None)
    found = pack52.guess_name(log_likelihoods, _list_taken_names(reading, library))
    if found.sure and not reading.sure and _is_open(found.name, library):
        return _make_reading(reading, True, CONFIDENCE, found.likely[:LIKELIEST])
    chance = float(np.exp(together[NAMES.index(found.likely[0])]))
    return _make_reading(reading, False, chance / 2, found.likely[:LIKELIEST])


def name_partial_card_in_steps(
    image: NDArray[np.uint8], reading: Reading, library: Library, covers: Sequence[Quad]
) -> Steps[Reading]:
    """Correct the reading of a partly hidden card in the same way: one that is sure may be made
    unsure, and one that is not may be named by an index that shows outside its covers."""
    if not library.missing_designs or _is_named_by_sticker(reading):
        return reading
    if reading.sure:
        log_likelihoods = yield from pack52.quad_log_likelihoods_in_steps(image, reading.quad)
        wrong = _is_contradicted(log_likelihoods, reading, library)
        return replace(reading, sure=False) if wrong else reading
    by_index = yield from pack52.index_log_likelihoods_in_steps(image, reading.quad, covers)
    if by_index is None:
        return reading
    taken = _list_taken_names(reading, library)
    found = pack52.guess_name(by_index, taken, pack52.OF_PACK_PARTIAL)
    if found.sure and _is_open(found.name, library):
        return _make_reading(reading, True, CONFIDENCE, found.likely[:LIKELIEST])
    return reading


def _list_taken_names(reading: Reading, library: Library) -> set[str]:
    """List the names of which the print is known and is not what a card shows."""
    looks, unseen = dict(reading.candidates), set(library.missing_designs)
    return {name for name in NAMES if name not in unseen and looks.get(name, 0.0) < FITS}


def _is_open(name: str | None, library: Library) -> bool:
    """Check whether a card may get a name without its print: it has none yet, and there is colour,
    without which a heart is much like a spade."""
    return name in library.missing_designs and not library.is_colourless


def _is_named_by_sticker(reading: Reading) -> bool:
    return reading.sure and reading.confidence == 1.0


def _is_contradicted(log_likelihoods: pack52.Logs, reading: Reading, library: Library) -> bool:
    """Check whether a card is likelier one of those without a view than the one it was read as."""
    together = log_likelihoods.mean(axis=0)
    own = NAMES.index(reading.card) if reading.card in NAMES else NO_NAME
    best = max(float(together[NAMES.index(name)]) for name in library.missing_designs)
    return best - float(together[own]) > CONTRADICTED * max(1, library.count_views(reading.card or ""))


def _make_reading(reading: Reading, sure: bool, confidence: float, names: Sequence[str]) -> Reading:
    candidates = tuple((name, confidence) for name in names)
    return Reading(names[0], sure, confidence, reading.quad, candidates)
