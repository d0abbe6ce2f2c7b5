"""A card at first sight: what the contest among the prints that are known says of it, and the
network that knows any pack."""

import numpy as np
import pytest

from vision.library import Library
from vision.naming import pack52, verifier
from vision.naming.pack52 import NAMES, NO_NAME
from vision.outlines.detect import Outline
from vision.reader import Reader
from vision.reading import Reading, demote_unlike_cards, split_uppermost
from vision.steps import NETWORK, finish_at_once, run_to_end
from vision.unenrolled_cards import LIKELIEST, name_partial_card_in_steps, name_whole_card_in_steps

QUAD = np.array([[10, 10], [73, 10], [73, 98], [10, 98]], np.float32)
PICTURE = np.full((110, 90, 3), 255, np.uint8)
PACK = dict.fromkeys(NAMES, 1)
NOBODY = Reading(None, False, 0.3, QUAD)


@pytest.fixture
def network(monkeypatch):
    """Let the network say how likely some names are, in each view (`logs`: one a view, or one for
    all); `none`: that it is no card of a pack; `index`: whether an index shows of a card under
    others."""

    def says(none=-25.0, index=True, **names):
        views = np.full((3, NO_NAME + 1), -30.0)
        views[:, NO_NAME] = none
        for name, logs in names.items():
            views[:, NAMES.index(name.lstrip("_"))] = logs
        monkeypatch.setattr(pack52, "quad_log_likelihoods_in_steps", lambda *_: finish_at_once(views))
        monkeypatch.setattr(
            pack52,
            "index_log_likelihoods_in_steps",
            lambda *_: finish_at_once(views if index else None),
        )

    return says


def knowing(*designs, pack=PACK):
    """A library in which these designs have a view each."""
    library = Library(pack=pack)
    for design in designs:
        library.add_view(design, PICTURE, QUAD)
    return library


def read(reading=NOBODY, *known, pack=PACK):
    found = name(reading, knowing(*known, pack=pack))
    return found.card, found.sure


def name(reading, library):
    return run_to_end(name_whole_card_in_steps(PICTURE, reading, library))


def check(reading, library):
    return run_to_end(name_partial_card_in_steps(PICTURE, reading, library, []))


def of(card, sure, *candidates):
    return Reading(card, sure, 0.9, QUAD, ((card, 0.9), *candidates))


def test_what_three_views_are_sure_of_is_sure(network):
    network(KS=-0.01)
    assert read() == ("KS", True)
    network(KS=-0.01, KC=[-30, -30, -3])
    assert read() == ("KS", False)


def test_what_is_not_sure_is_offered_likeliest_first(network):
    network(_4H=-0.4, _6H=-1.2, _8H=-4)
    found = name(NOBODY, knowing())
    assert [name for name, _ in found.candidates[:3]] == ["4H", "6H", "8H"]
    assert (found.card, found.sure, len(found.candidates)) == ("4H", False, LIKELIEST)


def test_a_name_that_another_print_has_is_no_rival_and_is_offered_later(network):
    network(_4H=-0.01, _6H=-4.9)
    assert read() == ("4H", False)
    assert read(NOBODY, "6H") == ("4H", True)
    network(_4H=-0.7, _6H=-0.8)
    found = name(NOBODY, knowing("4H"))
    assert (found.card, found.sure) == ("6H", False)
    assert [name for name, _ in found.candidates[:2]] == ["6H", "4H"]


def test_a_card_that_is_known_but_shows_itself_badly_is_asked_about(network):
    network(_4H=-0.01)
    assert read(NOBODY, "4H") == ("4H", False)
    assert read(of("4H", False), "4H") == ("4H", False)


def test_a_print_that_is_found_holds_unless_a_card_without_one_is_much_likelier(network):
    network(_4H=-2, _6H=-0.2)
    assert read(of("4H", True), "4H") == ("4H", True)
    network(_4H=-8, _6H=-0.01)
    assert read(of("4H", True), "4H") == ("6H", False)
    assert read(of("4H", True), "4H", "6H") == ("4H", True)
    assert read(of("4H", True), "4H", "4H", "4H") == ("4H", True)  # people said so three times


def test_what_a_pack_has_not_and_what_is_no_card_of_it_is_nobody(network):
    network(none=-0.01)
    assert read() == (None, False)
    assert read(of("donkey:giant", True)) == ("donkey:giant", True)
    network(KS=-0.01)
    assert read(of("donkey:giant", True)) == ("KS", False)


def test_who_knows_the_whole_pack_asks_no_network(monkeypatch):
    monkeypatch.setattr(pack52, "quad_log_likelihoods_in_steps", None)
    few = {"4H": 1, "6H": 1}
    assert read(of("4H", True), "4H", "6H", pack=few) == ("4H", True)
    assert read(of("4H", True), "4H", pack={}) == ("4H", True)


def test_a_card_that_lies_under_others_is_named_by_its_index(network):
    network(_6H=-0.01)
    found = check(NOBODY, knowing("4H"))
    assert (found.card, found.sure) == ("6H", True)
    network(_6H=-0.01, index=False)
    assert check(NOBODY, knowing("4H")) is NOBODY
    network(_4H=-0.01)
    assert check(NOBODY, knowing("4H")) is NOBODY


def test_of_a_card_that_lies_under_others_a_name_is_taken(network):
    network(_4H=-8, _6H=-0.01)
    library = knowing("4H")
    assert not check(of("4H", True), library).sure
    network(_4H=-0.01)
    assert check(of("4H", True), library).sure


def test_cards_that_are_known_are_not_judged_again(monkeypatch, deck, library, lay):
    """They may lie outside the picture, which is then only a part of a frame."""
    first, second, *_ = deck
    scene = lay((first, 300, 330, 0), (second, 700, 330, 5))
    known = [Reading(first, True, 0.9, scene.quads[0])]
    judged = []
    monkeypatch.setattr(
        pack52,
        "quad_log_likelihoods_in_steps",
        lambda _image, quad: (
            judged.append(quad.mean(axis=0)) or finish_at_once(np.full((3, NO_NAME + 1), -30.0))
        ),
    )
    reader = Reader(Library(library.references, library.margins, PACK))
    run_to_end(reader.read_in_steps(scene.picture, known))
    (centre,) = judged
    assert centre == pytest.approx(scene.quads[1].mean(axis=0), abs=5)


def test_each_use_of_a_network_is_a_step_whose_cost_is_told(monkeypatch, deck, library, lay):
    """A second look took them for small ones, and a frame did several."""
    used = []

    def count(module, name):
        run = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *of: used.append(name) or run(*of))

    count(verifier, "_run_network")
    count(pack52, "_run_network")
    first, second, *_ = deck
    scene = lay((first, 300, 330, 0), (second, 700, 330, 5))
    work = Reader(Library(library.references, library.margins, PACK)).read_in_steps(scene.picture)
    cost, networks = None, []
    while work.gi_frame is not None:
        before, told = len(used), cost
        cost = next(work, None)
        networks.append((len(used) - before, told))
    assert set(used) == {"_run_network"}
    assert sum(times for times, _ in networks) >= 3
    assert all(times == 0 or (times, told) == (1, NETWORK) for times, told in networks)


def test_under_cards_of_a_pack_a_card_is_taken_for_another_of_them(network):
    network(none=-2.0, KS=-0.6)
    assert read() == ("KS", False)
    part = check(NOBODY, knowing())
    assert (part.card, part.sure) == ("KS", True)
    network(none=-0.01, KS=-5)
    assert not check(NOBODY, knowing()).sure


def test_in_a_column_each_card_whose_index_shows_is_one():
    def lie(card, down):
        return Reading(card, True, 0.8, QUAD + np.float32([0, down]))

    king, queen, again = lie("KS", 0), lie("QS", 23), lie("KS", 23)
    outline = Outline(QUAD, 0.9)
    assert split_uppermost([(king, outline), (queen, outline)]) == ([king, queen], [])
    assert split_uppermost([(king, outline), (again, outline)]) == ([king], [])


@pytest.mark.parametrize(
    ("beside", "how", "is_sure"),
    [
        (2, {}, False),
        (1, {}, True),  # which of two is no card?
        (2, {"leads": True}, True),  # its own print shows that it is one card
        (2, {"partly_hidden": True}, True),  # completed from a corner, and named by its index
    ],
)
def test_an_outline_round_two_cards_is_no_card_of_a_strange_pack(beside, how, is_sure):
    pair = Reading("9H", True, 0.8, QUAD * np.float32([1.55, 1]), **how)
    others = [
        Reading(card, True, 0.8, QUAD + np.float32([0, 130 * i])) for i, card in enumerate("ab"[:beside], 1)
    ]
    judged = demote_unlike_cards([pair, *others], 1.4, lambda _: [])
    assert [r.sure for r in judged] == [is_sure, *[True] * beside]
