"""Cards of which the contest leaves open which of two designs they are: the print of each is asked
for, and only what is clearly the one is it."""

from dataclasses import replace

import numpy as np
import pytest

from tests.vision.test_vision_strangers import GREEN, sign
from vision import print_check
from vision.library import Library
from vision.naming import candidates
from vision.naming.identify import NamingTerms, identify_card
from vision.print_check import DOUBTED, OPEN, SAME_PRINT_SCORE, verify_partial_print_in_steps, verify_prints
from vision.reader import Reader
from vision.reading import Reading
from vision.steps import finish_at_once, run_to_end

CARDS = {"empty": sign("empty"), "hatched": sign("hatched"), "green": sign("empty", GREEN)}


@pytest.fixture
def open_between(lay):
    """The reading of a card for which a contest named one design, hardly before the other."""

    def read(seen: str, named: str, other: str) -> Reading:
        scene = lay((CARDS[seen], 400, 330, 5), width=140)
        library = Library.from_drawings({card: CARDS[card] for card in (named, other)})
        best, rival = (
            identify_card(scene.picture, scene.quads[0], library, NamingTerms(without=card))
            for card in (other, named)
        )
        assert best.evidence is not None
        assert rival.evidence is not None
        evidence = replace(best.evidence, others=(rival.evidence.look,))
        whole = Reader(library).apply_margins(replace(best, likeness=0.9, lead=0.04, evidence=evidence))
        return replace(whole, candidates=((named, 0.9), (other, 0.9)))

    return read


@pytest.mark.parametrize(("named", "other"), [("empty", "hatched"), ("hatched", "empty")])
@pytest.mark.parametrize("seen", ["empty", "hatched"])
def test_what_the_contest_leaves_open_is_the_design_whose_print_it_shows(open_between, seen, named, other):
    """Under a lamp's reflection an empty sign was taken for the striped one, by two hundredths, and
    its print passed for that: nobody had asked whether it was the empty one's more."""
    (decided,) = verify_prints([open_between(seen, named, other)])
    assert (decided.card, decided.sure) == (seen, True)
    assert decided.candidates[0] == (seen, 0.9)


def test_what_shows_two_prints_alike_is_neither_for_sure(open_between, monkeypatch):
    open_ = open_between("empty", "hatched", "empty")
    monkeypatch.setattr(print_check, "score_pair_in_steps", lambda *_: finish_at_once(2.0))
    (decided,) = verify_prints([open_])
    assert (decided.card, decided.sure) == ("hatched", False)


@pytest.mark.parametrize(("leads", "same"), [(True, 0.8), (False, 1.4)])
@pytest.mark.parametrize(("haze", "sure"), [(0.0, True), (0.4, False)])
def test_the_fainter_a_card_the_more_certain_its_print_must_be(lay, monkeypatch, leads, same, haze, sure):
    """In haze an empty sign was read as striped."""
    picture = lay((CARDS["empty"], 400, 330, 5), width=140)
    veiled = np.clip(picture.picture * (1 - haze) + 200 * haze, 0, 255).astype(np.uint8)
    library = Library.from_drawings({"empty": CARDS["empty"], "hatched": CARDS["hatched"]})
    verdict = identify_card(veiled, picture.quads[0], library)
    reading = replace(Reader(library).apply_margins(replace(verdict, likeness=0.9)), sure=leads, leads=leads)
    monkeypatch.setattr(print_check, "score_pair_in_steps", lambda *_: finish_at_once(same))
    (decided,) = verify_prints([replace(reading, candidates=(("empty", 0.9),))])
    assert (decided.card, decided.sure) == ("empty", sure)


def test_what_is_far_behind_is_not_asked(open_between):
    """Half a card is like nothing much: it is not asked which design it is most like."""
    (decided,) = verify_prints([replace(open_between("empty", "hatched", "empty"), confidence=OPEN)])
    assert (decided.card, decided.sure) == ("hatched", False)


def test_a_design_of_another_hue_is_not_in_question(open_between, monkeypatch):
    """The network hardly sees a hue."""
    # these two are so unlike that nobody would come to ask
    monkeypatch.setattr(candidates, "PROMISING", 0.3)
    (decided,) = verify_prints([open_between("empty", "green", "empty")])
    assert (decided.card, decided.sure) == ("empty", True)


@pytest.mark.parametrize(("own", "rival", "sure"), [(0.9, 1.7, False), (1.7, 0.9, True), (0.1, -1.0, False)])
def test_a_design_that_leads_and_shows_its_print_hardly_must_show_it_more_than_any_other(
    open_between, monkeypatch, own, rival, sure
):
    """The striped oval of another edition led as the empty one, with log odds of 0.9."""
    leading = replace(open_between("hatched", "empty", "hatched"), sure=True, leads=True)
    says = iter([own, rival])
    monkeypatch.setattr(print_check, "score_pair_in_steps", lambda *_: finish_at_once(next(says)))
    (decided,) = verify_prints([leading])
    assert (decided.card, decided.sure) == ("empty", sure)


def test_a_design_that_leads_and_shows_its_print_clearly_is_asked_alone(open_between, monkeypatch):
    asked = []
    monkeypatch.setattr(
        print_check,
        "score_pair_in_steps",
        lambda pair, *_: asked.append(pair) or finish_at_once(SAME_PRINT_SCORE + DOUBTED + 0.3),
    )
    (decided,) = verify_prints([replace(open_between("empty", "empty", "hatched"), sure=True, leads=True)])
    assert (decided.card, decided.sure, len(asked)) == ("empty", True, 1)


@pytest.mark.parametrize(
    ("likeness", "rival", "sure"), [(0.4, 1.8, False), (0.4, 1.0, True), (0.1, 1.8, True)]
)
def test_a_part_that_shows_a_rivals_print_nearly_as_much_is_neither_for_sure(
    open_between, monkeypatch, likeness, rival, sure
):
    """The tip of a wavy sign under another card passed for the oval's, with log odds of 2.1, and
    1.8 for its own; what is unlike the card altogether is no rival."""
    leading = replace(
        open_between("hatched", "empty", "hatched"),
        leads=True,
        candidates=(("empty", 0.85), ("hatched", likeness)),
    )
    says = iter([2.1, rival])
    monkeypatch.setattr(print_check, "score_pair_in_steps", lambda *_: finish_at_once(next(says)))
    part = run_to_end(verify_partial_print_in_steps(leading))
    assert (part.card, part.sure) == ("empty", sure)


@pytest.mark.parametrize(
    ("likeness", "same", "sure"), [(0.7, 2.1, False), (0.7, 2.6, True), (0.85, 2.1, True)]
)
def test_a_part_that_is_explained_but_vaguely_must_show_its_print_the_more_certainly(
    open_between, monkeypatch, likeness, same, sure
):
    """Green signs that nobody had enrolled passed for the purple ones, with log odds of 2.3."""
    leading = replace(
        open_between("hatched", "empty", "hatched"), leads=True, candidates=(("empty", likeness),)
    )
    monkeypatch.setattr(print_check, "score_pair_in_steps", lambda *_: finish_at_once(same))
    assert run_to_end(verify_partial_print_in_steps(leading)).sure == sure
