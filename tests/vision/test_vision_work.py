"""How much work a reading takes, counted: no test of ours measures time."""

from collections import Counter

import cv2
import numpy as np
import pytest

from tests.simulated import scenes
from vision import print_check, second_pass
from vision.fitting import thumbnails
from vision.naming import candidates, comparison, explain, verifier
from vision.naming.identify import identify_card
from vision.outlines import occlusion
from vision.outlines.working_picture import WorkingPicture
from vision.reader import Reader
from vision.steps import run_to_end


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

    counted(candidates, "align_references")
    counted(candidates, "_shortlist_views")
    counted(thumbnails, "correlate_descriptors")
    counted(Reader, "rename_with_response_in_steps")
    counted(explain, "align_reference")
    counted(explain, "to_bending_resolution")
    counted(comparison, "explain_without_shadow")
    counted(comparison, "run_contest")
    return done


CARDS = [("bench:red:6", 200, 200, 0), ("bench:blue:10", 700, 400, 30), ("bench:violet:3", 1000, 300, 47)]


def test_a_clear_card_costs_three_batches_of_alignment_and_one_contest(library, lay, work):
    scene = lay(*CARDS)
    readings = [identify_card(scene.picture, quad, library) for quad in scene.quads]
    assert [r.card for r in readings] == [card for card, *_ in CARDS]
    # roughly, then well, then the designs most like it; in a clear picture no shadow is looked for
    assert work["align_references"] <= 3 * len(CARDS)
    assert work["align_reference"] == 0
    # of eight designs it and its nearest rival
    assert work["explain_without_shadow"] == 2 * len(CARDS)
    assert work["run_contest"] == len(CARDS)
    # what the designs are bent onto is made once, however many they are
    assert work["to_bending_resolution"] == len(CARDS)


def test_a_card_that_leads_its_nearest_rival_by_less_is_compared_with_further_ones(
    library, lay, work, monkeypatch
):
    monkeypatch.setattr(comparison, "CLEAR_LEAD", 2.0)
    scene = lay(*CARDS)
    readings = [identify_card(scene.picture, quad, library) for quad in scene.quads]
    assert [r.card for r in readings] == [card for card, *_ in CARDS]
    assert 2 * len(CARDS) < work["explain_without_shadow"] <= comparison.CLOSELY * len(CARDS)


def test_an_outline_that_fits_is_not_shifted_about(library, lay, work):
    scene = lay(*CARDS)
    for quad in scene.quads:
        identify_card(scene.picture, quad, library)
    assert work["correlate_descriptors"] == len(CARDS)
    for quad in scene.quads:
        identify_card(scene.picture, quad + np.float32(4), library)
    assert work["correlate_descriptors"] == 3 * len(CARDS)


def test_a_card_that_is_read_again_in_other_ink_is_not_sought_again(library, lay, work, monkeypatch):
    """Where the designs lie that came near is known already: only those that are looked at closely
    are laid over the card anew."""
    scene, twice = lay(*CARDS), Reader(library)
    twice.read(scene.picture)
    sought = work["_shortlist_views"]
    anew = []
    realign = candidates._realign_candidates
    monkeypatch.setattr(
        candidates, "_realign_candidates", lambda query, known: anew.extend(known) or realign(query, known)
    )
    monkeypatch.setattr(second_pass, "fit_response", lambda told: 0.9 * np.eye(3))
    monkeypatch.setattr(second_pass, "CLEAR", 1.1)
    readings = twice.read(scene.picture)
    assert {r.card for r in readings if r.sure} == {card for card, *_ in CARDS}
    assert work["rename_with_response_in_steps"] == len(CARDS)
    assert work["_shortlist_views"] == 2 * sought
    assert len(anew) <= (comparison.CLOSELY + 1) * len(CARDS)


def test_a_photo_asks_once_for_each_card_whether_it_is_the_same_print(library, lay, monkeypatch):
    asked = []
    monkeypatch.setattr(
        print_check,
        "score_pair_in_steps",
        lambda pair, *how: asked.append(pair) or verifier.score_pair_in_steps(pair, *how),
    )
    readings = Reader(library).read(lay(*CARDS).picture)
    assert {r.card for r in readings if r.sure} == {card for card, *_ in CARDS}
    assert len(asked) == len(CARDS)


def test_where_plain_table_or_paper_shows_beside_a_card_none_is_completed(lay):
    """The corner of the sheet may be a card's on which another lies, but nothing is printed
    there."""
    table = scenes.table("pale", 1280, 720)
    cv2.fillConvexPoly(table, np.int32([[300, 200], [800, 230], [780, 640], [290, 600]]), (205, 215, 220))
    scene = lay(("bench:red:8", 380, 290, 45), ("bench:blue:4", 1000, 400, 10), table=table)
    assert (
        run_to_end(occlusion.complete_outlines_in_steps(WorkingPicture(scene.picture), scene.quads, 1.4))
        == []
    )


@pytest.mark.slow
def test_a_bare_table_costs_no_explanation_at_all(library, bare, work):
    assert Reader(library).read(bare) == []
    assert work["explain_without_shadow"] == work["run_contest"] == 0
