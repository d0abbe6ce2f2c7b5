"""A card at first sight: named by what any pack of 52 shows, as long as its own pack's prints are
not all known (`Library.pack`).

A contest among few prints cannot tell that the right one is missing: nines are much like tens. So
what it is sure of must also look so to whoever never saw the pack (`vision.naming.pack52`), and
what it cannot name is named by that alone, where it is sure. A name that another card's print has
is no longer given to one that shows another print.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.library import Library
from vision.naming import pack52
from vision.naming.pack52 import NAMES, NO_NAME
from vision.reading import Reading
from vision.same_print import FITS

CONTRADICTED = 3.0
"""By how much likelier (a difference of logarithms) a card without a view must be, for each view
that the design has, than the design whose print was found."""

CONFIDENCE = 0.8
"""Of a card that is sure at first sight: below `vision.film.track.CLEAR`, so that in a film several
frames must agree."""

STRANGE = 2.0
"""By how much likelier (a difference of logarithms) a card must be none of any pack of 52 than each
of its cards for nobody to be asked which it is."""

LIKELIEST = 6
"""Names that are told of a card that is not sure."""


def at_first_sight(image: NDArray[np.uint8], reading: Reading, library: Library) -> Reading:
    """The reading of a whole card in a BGR picture in view of what any pack of 52 shows; as it is
    once every design has a view."""
    if not library.unseen or _by_sticker(reading):
        return reading
    says = pack52.views_of(image, reading.quad)
    if reading.sure and not _contradicted(says, reading, library):
        return reading
    looks = dict(reading.candidates)
    unseen = set(library.unseen)
    given = {name for name in NAMES if name not in unseen and looks.get(name, 0.0) < FITS}
    together = says.mean(axis=0)
    if together[NO_NAME] - together[:NO_NAME].max() > STRANGE:
        return replace(reading, sure=False, evidence=None)
    found = pack52.guess(says, given)
    if found.sure and found.name in unseen and not reading.sure:
        return _named(reading, True, CONFIDENCE, found.likely[:LIKELIEST])
    chance = float(np.exp(together[NAMES.index(found.likely[0])]))
    return _named(reading, False, chance / 2, found.likely[:LIKELIEST])


def in_part(image: NDArray[np.uint8], reading: Reading, library: Library) -> Reading:
    """The same of a card of which only a part is in sight: it may be made unsure, but is not named
    by that."""
    if not library.unseen or not reading.sure or _by_sticker(reading):
        return reading
    wrong = _contradicted(pack52.views_of(image, reading.quad), reading, library)
    return replace(reading, sure=False) if wrong else reading


def _by_sticker(reading: Reading) -> bool:
    return reading.sure and reading.confidence == 1.0


def _contradicted(says: pack52.Logs, reading: Reading, library: Library) -> bool:
    """Whether a card seems to be one of those without a view rather than what it was named."""
    together = says.mean(axis=0)
    own = NAMES.index(reading.card) if reading.card in NAMES else NO_NAME
    best = max(float(together[NAMES.index(name)]) for name in library.unseen)
    return best - float(together[own]) > CONTRADICTED * max(1, library.views(reading.card or ""))


def _named(reading: Reading, sure: bool, confidence: float, likely: Sequence[str]) -> Reading:
    candidates = tuple((name, confidence) for name in likely)
    return Reading(likely[0], sure, confidence, reading.quad, candidates)
