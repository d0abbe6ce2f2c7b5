"""Packs of playing cards that strangers drew (Debian's `gnome-cards-data`), enrolled from one
photograph a design and read on other tables."""

import shutil

import numpy as np
import pytest

from bench import vision_drawn as bench
from bench.vision_tables import without
from vision.decks import separation
from vision.decks.measure import AccuracyRow
from vision.reader import Reader

pytestmark = pytest.mark.skipif(
    not bench.packs() or shutil.which("rsvg-convert") is None, reason="no packs of cards installed"
)


@pytest.mark.slow
def test_a_strangers_pack_is_read_on_other_tables_and_what_it_lacks_is_not_named():
    rng = np.random.default_rng(5)
    (sheet,) = bench.packs("anglo_poker")
    cards = bench.drawings(sheet)
    assert len(cards) == 52
    library = bench.enrolled(cards, rng)
    readers = [Reader(one, separation.run(one).margins) for one in (library, without(library, first=1))]
    tally, strangers = AccuracyRow(), np.zeros(2, np.int64)
    for camera in bench.CAMERAS.values():
        strangers += bench.read(*readers, bench.photographs(cards, camera, 1, rng), tally)
    assert tally.cards == 2 * bench.A_PHOTO
    assert (tally.wrong_sure, tally.false_sure) == (0, 0)
    assert tally.right_sure >= 0.9 * tally.cards
    assert strangers[0] > 0 == strangers[1]
