"""A learner beside cameras that only note what they are told to know and to forget."""

from __future__ import annotations

from contextlib import suppress

import pytest
from filming import NAMES, deck_folder, one, rows, take_sheet, until

from companion.enrolment.learner import Learner, forget_design, learn_view
from companion.enrolment.picture_analysis import find_cards
from companion.readers.camera.pictures import Closeup
from companion.rules.contract import Text
from companion.table.deck_file import DeckError, make_fault
from companion.table.decks import Deck, Design
from companion.texts import Translator
from vision.errors import LibraryError
from vision.library import Library

AT_ONCE = Deck(
    "learnt",
    "donkey_valley",
    tuple(Design(n, f"load:any:{n[0]}") for n in ("7S", "9H")),
    "seat",
    at_once=True,
)


LEARNT = "The camera has learnt another view of this card: any colour {}."


class Camera:
    """A camera that has close-ups of some tracks."""

    def __init__(self, name="camera", **closeups):
        self.name = name
        self.closeups = closeups
        self.told = []
        self.first_sight = None

    def find_closeup(self, track):
        return self.closeups.get(f"track_{track}")

    def on_first_sight(self, callback):
        self.first_sight = callback

    def learn_design(self, design, _view):
        self.told.append(f"learn {design}")

    def forget_design(self, design):
        self.told.append(f"forget {design}")


def closeup(card, *candidates, place="seat:1", seed=3):
    picture = one(card, place, seed)
    return Closeup(picture, find_cards(picture)[0], candidates)


@pytest.fixture
def learner(tmp_path):
    said, begun = [], []

    def begin(deck, folder, *cameras):
        begun.append(Learner(deck, folder, cameras, said.append))
        begun[-1].said = said
        return begun[-1]

    yield begin
    for one_of_them in begun:
        one_of_them.close()


@pytest.fixture
def enrolled(begin, pack):
    take_sheet(begin(), rows(NAMES))
    return pack


def kept(folder):
    with suppress(LibraryError):
        return [view.card for view in Library.load(folder).references]
    return []


def tell(learner):
    learner.close()
    return [Translator.for_game("en", "donkey_valley").translate(text) for text in learner.said]


def test_what_people_say_is_told_to_all_cameras_and_to_people(enrolled, learner):
    deck = Deck.load(enrolled)
    seen, beside = Camera(track_4=closeup("9H", "KD", "9H")), Camera("top")
    someone = learner(deck, enrolled, seen, beside)
    assert seen.first_sight is None, "a deck that was enrolled has views of everything"
    someone.record_identification([("rfid a", 4), ("camera", 5), ("top", 4), ("camera", 4)], "load:any:9")
    assert tell(someone) == [LEARNT.format(9)]
    assert (seen.told, beside.told) == (["learn 9H"], ["learn 9H"])
    assert kept(enrolled).count("9H") == 2


def test_a_card_that_is_another_for_sure_is_not_learnt_whatever_people_say(enrolled, learner):
    seen = Camera(track_4=closeup("KD"))
    someone = learner(Deck.load(enrolled), enrolled, seen)
    someone.record_identification([("camera", 4)], "load:any:9")
    assert (tell(someone), seen.told, kept(enrolled)) == ([], [], NAMES)


def test_in_a_pack_that_is_learnt_at_once_the_word_of_people_counts(tmp_path, learner):
    """The camera called the nine a seven; people say what it is."""
    seen = Camera(track_4=closeup("9H"), track_5=closeup("7S"))
    someone = learner(AT_ONCE, tmp_path, seen)
    seen.first_sight("7S", closeup("9H", seed=5))
    someone.record_identification([("camera", 4)], "load:any:9")
    assert tell(someone) == [LEARNT.format(9)]
    assert seen.told == ["forget 7S", "learn 9H"]
    assert kept(tmp_path) == ["9H"]
    again = learner(AT_ONCE, tmp_path, seen)
    again.record_identification([("camera", 4)], "load:any:9")
    again.record_identification([("camera", 5)], "load:any:7")
    assert tell(again)[1:] == [LEARNT.format(9), LEARNT.format(7)]
    assert seen.told[2:] == ["learn 9H", "learn 7S"]
    assert kept(tmp_path) == ["9H", "9H", "7S"]


def test_what_was_learnt_from_an_act_is_forgotten_with_it(tmp_path, learner):
    seen = Camera(track_4=closeup("9H"), track_5=closeup("7S"))
    someone = learner(AT_ONCE, tmp_path, seen)
    someone.update_acts(["first"])
    seen.first_sight("7S", closeup("7S"))
    someone.update_acts(["first", "second"])
    someone.record_identification([("camera", 4)], "load:any:9")
    someone.update_acts(["first", "second", "third"])
    # What stands and what comes after it is nothing to forget.
    someone.update_acts(["first", "second", "other"])
    # The seven was learnt as the second act was made; it is another one now, and the third is gone.
    someone.update_acts(["first", "else"])
    someone.update_acts(["first", "else", "third"])
    someone.update_acts(["first", "else"])
    tell(someone)
    assert [word for word in seen.told if word.startswith("forget")] == ["forget 9H", "forget 7S"]
    assert kept(tmp_path) == []


def test_a_learnt_pack_is_saved_as_a_deck_and_updated_in_its_folder(
    decks_at_home, tmp_path, learner, monkeypatch
):
    monkeypatch.setattr("companion.enrolment.learner.user_decks_folder", lambda: decks_at_home)
    folder = tmp_path / "learning"
    seen = Camera()
    someone = learner(AT_ONCE, folder, seen)
    assert someone.save_pack() == Text("pack.keeping")
    seen.first_sight("7S", closeup("7S"))
    someone.save_pack()
    seen.first_sight("9H", closeup("9H"))
    someone.save_pack()
    assert [text.code for text in tell_codes(someone)] == ["pack.nothing", "pack.kept", "pack.kept"]
    assert [text.args.get("deck") for text in someone.said[1:]] == ["pack_1", "pack_1"]
    assert sorted(place.name for place in decks_at_home.iterdir()) == ["pack_1"]
    deck = Deck.load(decks_at_home / "pack_1")
    assert (deck.name, kept(deck.views_folder)) == ("Pack 1", ["7S", "9H"])
    other = learner(AT_ONCE, folder, seen)
    other.save_pack()
    assert tell_codes(other)[-1].args == {"deck": "pack_2"}


def tell_codes(learner):
    learner.close()
    return learner.said


def test_forgetting_needs_no_views_but_a_folder_that_can_be_read(tmp_path):
    forget_design(tmp_path, "7S")
    assert kept(tmp_path) == []
    (tmp_path / "references" / "index.json").write_text("{")
    with pytest.raises(LibraryError):
        forget_design(tmp_path, "7S")


def test_a_view_is_learnt_from_a_card_that_is_known_or_not(enrolled):
    view = closeup("9H")
    assert learn_view(enrolled, "9H", view.image, view.quad)
    assert not learn_view(enrolled, "7S", view.image, view.quad)
    new = deck_folder(enrolled.parent / "new")
    assert learn_view(new, "7S", view.image, view.quad, lambda _folder: Library())
    assert kept(new) == ["7S"]


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (LibraryError("A link.", "link", "views"), "views.link"),
        (DeckError("deck.toml", [make_fault("unreadable", reason="gone")]), "deck.at.file"),
        (ValueError("x"), "ValueError"),
    ],
)
def test_what_cannot_be_learnt_is_said_and_the_next_is_learnt(enrolled, learner, monkeypatch, fault, reason):
    def fail(*_lesson):
        raise fault

    seen = Camera(track_4=closeup("9H"))
    someone = learner(Deck.load(enrolled), enrolled, seen)
    monkeypatch.setattr("companion.enrolment.learner.learn_view", fail)
    someone.record_identification([("camera", 4)], "load:any:9")
    until(lambda: someone.said)
    monkeypatch.undo()
    someone.record_identification([("camera", 4)], "load:any:9")
    failed, learnt = tell_codes(someone)
    why = failed.args["reason"]
    assert (failed.code, getattr(why, "code", why)) == ("learning.not_kept", reason)
    assert learnt.code == "learning.learnt"
