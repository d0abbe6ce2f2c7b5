"""Cards in rows, columns and fans: one that is known tells where the others lie."""

from vision.outlines import occlusion
from vision.outlines.detect import intersection_over_union
from vision.outlines.working_picture import WorkingPicture
from vision.reader import Reader
from vision.steps import run_to_end

COLUMN = (("bench:red:2", 400, 250, 0), ("bench:blue:7", 401, 294, 1), ("bench:orange:5", 400, 338, 0))
FAN = (("bench:red:8", 600, 330, -8), ("bench:blue:3", 640, 326, 0), ("bench:violet:9", 680, 330, 8))


def complete_beside(lay, cards, *known):
    """The cards of which an outline is completed when those with these numbers are known."""
    scene = lay(*cards)
    quads = [scene.quads[i] for i in known]
    found = run_to_end(
        occlusion.complete_displaced_cards_in_steps(WorkingPicture(scene.picture), quads, quads)
    )
    return [
        card
        for (card, *_), quad in zip(cards, scene.quads, strict=True)
        if any(intersection_over_union(one.quad, quad) > 0.85 for one in found)
    ]


def test_the_card_on_top_of_a_column_shows_where_the_next_one_lies(lay):
    assert complete_beside(lay, COLUMN, 2) == ["bench:blue:7"]
    assert complete_beside(lay, COLUMN, 2, 1) == ["bench:red:2"]


def test_two_cards_of_a_fan_show_where_the_one_between_lies_and_the_one_beyond(lay):
    assert complete_beside(lay, FAN, 2, 0) == ["bench:blue:3"]
    assert complete_beside(lay, FAN, 2, 1) == ["bench:red:8"]


def test_nothing_is_sought_beside_a_card_that_lies_alone(lay, monkeypatch):
    monkeypatch.setattr(occlusion, "verify_on_edges", None)
    assert complete_beside(lay, (("bench:red:2", 400, 250, 20), ("bench:blue:7", 700, 300, 0)), 0, 1) == []


def test_a_column_is_read_to_its_end_though_it_was_taken_for_table(library, lay):
    half_hidden = [(card, x, 200 + 75 * i, turn) for i, (card, x, _, turn) in enumerate(COLUMN)]
    scene, reader = lay(*half_hidden), Reader(library)
    (top,) = (one for one in reader.read(scene.picture) if one.card == "bench:orange:5")
    found = run_to_end(
        reader.read_partial_cards_in_steps(WorkingPicture(scene.picture), [top], lambda *_: False)
    )
    assert [one.card for one in found] == ["bench:blue:7", "bench:red:2"]
