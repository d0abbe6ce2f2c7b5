"""How much work a reading takes, counted: no test of ours measures time."""

from collections import Counter

import numpy as np
import pytest

from vision import same_print, second_look
from vision.naming import bout, candidates, explain, hearing, rough_look, verifier
from vision.naming.identify import identify
from vision.reader import Reader


@pytest.fixture
def work(monkeypatch):
    """How often each costly step was done."""
    done = Counter()

    def counted(module, name):
        step = getattr(module, name)

        def count(*args, **kwargs):
            done[name] += 1
            return step(*args, **kwargs)

        monkeypatch.setattr(module, name, count)

    counted(candidates, "align_all")
    counted(candidates, "_shortlist")
    counted(Reader, "naming_again")
    counted(explain, "align")
    counted(explain, "coarse")
    counted(hearing, "explain")
    counted(bout, "contest")
    return done


def test_a_clear_card_costs_three_batches_of_alignment_and_one_contest_a_rival(library, lay, work):
    cards = [("bench:red:6", 200, 200, 0), ("bench:blue:10", 700, 400, 30), ("bench:violet:3", 1000, 300, 47)]
    scene = lay(*cards)
    readings = [identify(scene.picture, quad, library) for quad in scene.quads]
    assert [r.card for r in readings] == [card for card, *_ in cards]
    # roughly, then well, then the designs most like it; in a clear picture no shadow is looked for
    assert work["align_all"] <= 3 * len(cards)
    assert work["align"] == 0
    # of eight designs the nearest at a rough look, and one more where a look-alike comes nearer
    assert work["contest"] < work["explain"] <= (rough_look.CLOSELY + 1) * len(cards)
    # what the designs are bent onto is made once, however many they are
    assert work["coarse"] == len(cards)


def test_a_card_that_is_read_again_in_other_ink_is_not_sought_again(library, lay, work, monkeypatch):
    """Where the designs lie that came near is known already: only those that are looked at closely
    are laid over the card anew."""
    cards = [("bench:red:6", 200, 200, 0), ("bench:blue:10", 700, 400, 30), ("bench:violet:3", 1000, 300, 47)]
    scene, twice = lay(*cards), Reader(library)
    twice.read(scene.picture)
    sought = work["_shortlist"]
    anew = []
    realign = candidates._realign
    monkeypatch.setattr(
        candidates, "_realign", lambda query, known: anew.extend(known) or realign(query, known)
    )
    monkeypatch.setattr(second_look, "of_picture", lambda told: 0.9 * np.eye(3))
    monkeypatch.setattr(second_look, "CLEAR", 1.1)
    readings = twice.read(scene.picture)
    assert {r.card for r in readings if r.sure} == {card for card, *_ in cards}
    assert work["naming_again"] == len(cards)
    assert work["_shortlist"] == 2 * sought
    assert len(anew) <= (rough_look.CLOSELY + 1) * len(cards)


def test_a_photo_asks_once_for_all_cards_whether_they_are_the_same_print(library, lay, monkeypatch):
    cards = [("bench:red:6", 200, 200, 0), ("bench:blue:10", 700, 400, 30), ("bench:violet:3", 1000, 300, 47)]
    asked = []
    monkeypatch.setattr(
        same_print, "odds", lambda pairs, *how: asked.append(len(pairs)) or verifier.odds(pairs, *how)
    )
    readings = Reader(library).read(lay(*cards).picture)
    assert {r.card for r in readings if r.sure} == {card for card, *_ in cards}
    assert asked == [len(cards)]


def test_a_bare_table_costs_no_explanation_at_all(library, bare, work):
    assert Reader(library).read(bare) == []
    assert work["explain"] == work["contest"] == 0
