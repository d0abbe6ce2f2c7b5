"""Packs of playing cards that strangers drew (Debian's `gnome-cards-data`), enrolled from one
photograph a design and read on other tables."""

import numpy as np
import pytest

from tests.simulated.packs import A_PHOTO, CAMERAS, drawings, enrolled, packs, photographs
from vision.command_line import AccuracyRow, score_photo
from vision.decks import separation
from vision.library import Library
from vision.reader import Reader

pytestmark = pytest.mark.packs


@pytest.mark.slow
def test_a_strangers_pack_is_read_on_other_tables_and_what_it_lacks_is_not_named():
    rng = np.random.default_rng(5)
    (sheet,) = packs("anglo_poker")
    cards = drawings(sheet)
    assert len(cards) == 52
    library = enrolled(cards, rng)
    lacking = set(sorted(cards)[1::4])
    less = Library(one for one in library.references if one.card not in lacking)
    reader, ignorant = (Reader(one, separation.measure_separation(one).margins) for one in (library, less))
    tally, strangers = AccuracyRow(), 0
    for camera in CAMERAS.values():
        for picture, lying in photographs(cards, camera, 1, rng):
            score_photo(tally, "", lying, reader.read(picture))
            strangers += sum(label.card in lacking for label in lying)
            assert not {r.card for r in ignorant.read(picture) if r.sure} - {label.card for label in lying}
    assert tally.card_count == 2 * A_PHOTO
    assert (tally.wrong_sure, tally.false_sure) == (0, 0)
    assert tally.right_sure >= 0.9 * tally.card_count
    assert strangers > 0
