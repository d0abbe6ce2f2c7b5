from __future__ import annotations

import shutil

import cv2
import numpy as np
import pytest
from filming import NAMES, one, rows, table, take_sheet, with_mat

from companion.demo.world import World
from companion.enrolment.album import EnrolmentQueue, list_wanted_designs
from companion.enrolment.picture_analysis import (
    MOST_CARDS,
    Shot,
    find_cards,
    find_gap,
    identify_card,
    is_same_card_unmoved,
)
from companion.rules import registry
from companion.table import zones
from companion.table.decks import Deck
from companion.table.zones import describe_design
from companion.texts import Translator
from companion.views.conversations import Conversation
from companion.views.enrolment_views import prompt_for_sitting_outcome
from companion.views.plain_conversation import PlainConversation
from vision.decks import capture
from vision.library import Library, Margins
from vision.reader import Reader

SAY = Translator("en")


def said(enroller):
    note = enroller.progress.note
    return "" if note is None else note.code.removeprefix("enrol.")


def kept(pack):
    return [view.card for view in Library.load(pack).references]


def test_a_card_that_lies_still_is_taken_and_the_next_is_asked_for(begin, hands, pack):
    enroller = begin()
    assert SAY.translate(enroller.progress.wanted) == "7 of spades"
    hands(enroller).lay("7S")
    assert (said(enroller), enroller.progress.captures) == ("taken", 1)
    assert SAY.translate(enroller.progress.wanted) == "9 of hearts"
    assert (enroller.progress.done, enroller.progress.total) == (1, 5)
    assert kept(pack) == ["7S"]


@pytest.mark.slow
def test_what_was_enrolled_names_the_cards_on_another_table(begin, hands, pack):
    enroller = begin()
    person = hands(enroller)
    for card in (*NAMES, "back"):
        person.lay(card)
    assert enroller.progress.wanted is None
    reader = Reader(Library.load(pack))
    for card in (*NAMES, "back"):
        (read,) = reader.read(one(card, "seat:3", seed=7))
        assert (read.card, read.sure) == (card, True)


@pytest.mark.slow
def test_a_card_is_taken_once_however_long_it_lies_there(begin, hands):
    enroller = begin()
    person = hands(enroller)
    person.lay("7S", seed=1)
    person.show(one("7S"), 3)
    assert enroller.progress.captures == 1


def test_what_was_there_before_is_no_card_until_somebody_says_so(begin, hands, pack):
    enroller = begin()
    person = hands(enroller)
    person.show(one("7S"), 1.4)
    assert said(enroller) == ""
    person.show(one("7S"), 0.6)
    assert (said(enroller), enroller.progress.captures) == ("was_there", 0)
    assert enroller.capture_now()
    assert kept(pack) == ["7S"]


@pytest.mark.slow
def test_an_empty_playmat_is_no_card_and_the_first_card_laid_on_it_is(begin, hands, pack):
    """It was the ace of spades after 0.4 seconds."""
    enroller, person = begin(), None
    person = hands(enroller)
    world = with_mat()
    for _ in range(100):
        person.show(world.render_frame(), 0.2)
    assert enroller.progress.captures == 0
    person.show(world.render_frame([world.pose_hand(2, "middle")]), 0.6)
    world.lay_card("7S", "middle")
    person.show(world.render_frame(), 1)
    assert kept(pack) == ["7S"]
    view = Library.load(pack).references[0].picture
    assert view.mean() > 150  # the card, not the mat


@pytest.mark.slow
def test_a_hand_that_passes_over_the_card_does_not_make_it_the_next_one(begin, hands, pack):
    enroller = begin()
    person = hands(enroller)
    person.lay("7S")
    world = table(2)
    world.lay_card("7S", "middle")
    person.show(world.render_frame([world.pose_hand(2, "middle", "7S")]), 0.5)
    person.show(table().render_frame(), 0.3)  # the hand hides all of it
    person.show(one("7S", seed=2), 1)
    assert said(enroller) == "still"
    assert kept(pack) == ["7S"]


def test_a_second_copy_is_counted_and_not_taken_for_the_next_card(begin, hands, pack):
    enroller = begin()
    person = hands(enroller)
    person.lay("7S")
    person.lay("7S", "seat:1")
    assert SAY.translate(enroller.progress.note) == "One more. 7 of spades: seen 2 of 2."
    assert SAY.translate(enroller.progress.wanted) == "9 of hearts"
    assert kept(pack) == ["7S"]


def test_a_known_card_out_of_turn_is_asked_about_and_taken_only_by_key(begin, hands, pack):
    enroller = begin()
    person = hands(enroller)
    take_sheet(enroller, rows(["7S", "9H"]))
    person.lay("9H", "seat:1")
    assert (said(enroller), enroller.progress.trouble) == ("known", True)
    assert kept(pack) == ["7S", "9H"]
    assert enroller.capture_now()
    assert kept(pack) == ["7S", "9H", "KD"]


@pytest.mark.slow
def test_back_takes_the_wrong_view_back(begin, hands, pack):
    enroller = begin()
    person = hands(enroller)
    person.lay("7S")
    person.lay("KD")  # but the nine was wanted
    assert kept(pack) == ["7S", "9H"]
    enroller.undo_last()
    assert kept(pack) == ["7S"]
    assert SAY.translate(enroller.progress.wanted) == "9 of hearts"
    person.lay("9H", "seat:1")
    assert kept(pack) == ["7S", "9H"]
    assert Reader(Library.load(pack)).read(one("KD"))[0].sure is False


def test_what_was_passed_over_is_told_and_comes_again_next_time(begin):
    enroller = begin()
    enroller.skip()
    enroller.jump_to("7S")
    assert enroller.skipped_designs == ()
    enroller.skip()
    take_sheet(enroller, rows(["9H", "KD", "2C", "back"]))
    assert enroller.progress.wanted is None
    assert [SAY.translate(words) for words in enroller.skipped_designs] == ["7 of spades"]
    assert SAY.translate(begin().progress.wanted) == "7 of spades"


def test_enrolment_goes_on_where_it_stopped(begin):
    assert take_sheet(begin(), rows(["7S", "9H"])) == 2
    later = begin()
    assert SAY.translate(later.progress.wanted) == "king of diamonds"
    assert later.progress.done == 2


def test_a_second_round_begins_when_every_design_has_a_view(begin, hands, pack):
    assert take_sheet(begin(), rows([*NAMES, "back"])) == 5
    again = begin()
    assert (again.progress.done, SAY.translate(again.progress.wanted)) == (0, "7 of spades")
    hands(again).lay("7S", "seat:1")
    assert kept(pack).count("7S") == 2


def test_one_card_is_taken_anew_and_keeps_its_old_view_until_then(begin, hands, pack):
    assert take_sheet(begin(), rows(["7S", "9H"])) == 2
    before = Library.load(pack).references[0].picture.tobytes()
    again = begin("7S")
    assert (again.progress.total, kept(pack)) == (1, ["7S", "9H"])
    hands(again).lay("7S", "seat:1", seed=5)
    assert again.progress.wanted is None
    after = {view.card: view.picture.tobytes() for view in Library.load(pack).references}
    assert sorted(after) == ["7S", "9H"]
    assert after["7S"] != before


@pytest.mark.slow
def test_two_cards_at_once_are_not_taken_one_by_one(begin, hands):
    enroller = begin()
    person = hands(enroller)
    person.show(table().render_frame(), 0.2)
    person.show(rows(["7S", "9H"]), 3)
    assert enroller.progress.captures == 0
    assert enroller.progress.hint.code == "enrol.several"
    assert not enroller.capture_now()


def test_a_sheet_is_numbered_row_by_row_and_taken_when_accepted(begin, hands, pack):
    enroller = begin()
    enroller.toggle_sheet_mode()
    hands(enroller).show(rows(NAMES), 0.5)
    assert [SAY.translate(words) for words in enroller.progress.sheet] == [
        "7 of spades",
        "9 of hearts",
        "king of diamonds",
        "2 of clubs",
    ]
    assert enroller.progress.captures == 0
    assert enroller.capture_now()
    assert kept(pack) == NAMES
    reader = Reader(Library.load(pack))
    assert [reader.read(one(card, "seat:2", seed=3))[0].card for card in NAMES] == NAMES


def test_back_takes_back_the_whole_sheet_that_was_just_taken(begin, hands, pack):
    enroller = begin()
    enroller.toggle_sheet_mode()
    hands(enroller).show(rows(NAMES), 0.3)
    assert enroller.capture_now()
    enroller.undo_last()
    assert len(enroller.album.library) == 0
    assert SAY.translate(enroller.progress.wanted) == "7 of spades"
    assert enroller.progress.done == 0


def test_enter_pressed_twice_does_not_take_the_same_sheet_twice(begin, hands, pack):
    enroller = begin()
    enroller.toggle_sheet_mode()
    person = hands(enroller)
    person.show(rows(["7S", "9H"]), 0.3)
    assert enroller.capture_now()
    assert not enroller.capture_now()
    person.show(rows(["7S", "9H"]), 0.3)
    assert not enroller.capture_now()
    assert SAY.translate(enroller.progress.note).startswith(
        "Number 1 looks like 7 of spades, not king of diamonds."
    )
    assert kept(pack) == ["7S", "9H"]


def test_a_sheet_in_the_wrong_order_is_questioned_once(begin, hands, pack):
    enroller = begin()
    person = hands(enroller)
    take_sheet(enroller, rows(["7S", "9H"]))
    enroller.jump_to("7S")
    enroller.toggle_sheet_mode()
    person.show(rows(["9H", "7S"]), 0.3)
    assert not enroller.capture_now()
    assert SAY.translate(enroller.progress.note).startswith(
        "Number 1 looks like 9 of hearts, not 7 of spades."
    )
    assert enroller.progress.trouble
    assert kept(pack) == ["7S", "9H"]
    assert enroller.capture_now()
    assert kept(pack) == ["7S", "9H", "7S", "9H"]


def test_a_sheet_with_an_empty_place_is_questioned_for_a_card_may_not_have_been_found(begin, hands, pack):
    enroller = begin()
    enroller.toggle_sheet_mode()
    hands(enroller).show(rows(["7S", None, "9H", "KD", "2C"], columns=3), 0.3)
    assert not enroller.capture_now()
    assert SAY.translate(enroller.progress.note).startswith(
        "There seems to be an empty place in the rows after number 1."
    )
    assert not (pack / "references").exists()
    assert enroller.capture_now()
    assert kept(pack) == NAMES


CARD = np.array([[0, 0], [63, 0], [63, 88], [0, 88]], np.float32)


@pytest.mark.parametrize(
    ("lying", "columns", "gap"),
    [
        ("xxxxx", 2, None),
        ("xxxxxx", 3, None),
        ("xxxx.x", 3, 4),
        ("xx.xxx", 3, 2),
        (".xxxxx", 3, 0),
        ("xxx.xx", 3, 3),
        ("xxx.x", 3, 3),
        ("x", 1, None),
        ("xxx", 1, None),
    ],
)
def test_where_a_card_is_missing_from_the_rows(lying, columns, gap):
    places = [divmod(number, columns) for number, sign in enumerate(lying) if sign == "x"]
    quads = [CARD + np.array([90 * column, 120 * row], np.float32) for row, column in places]
    assert find_gap(quads) == gap


@pytest.mark.parametrize(("outlines", "cards"), [(MOST_CARDS, MOST_CARDS), (MOST_CARDS + 1, 0)])
def test_a_tablecloth_with_a_pattern_is_no_sheet(monkeypatch, outlines, cards):
    monkeypatch.setattr(capture, "detect_cards_in_reading_order", lambda *_: [CARD] * outlines)
    assert len(find_cards(np.zeros((9, 9, 3), np.uint8))) == cards


def test_more_cards_than_are_left_are_no_sheet(begin, hands, pack):
    enroller = begin()
    enroller.jump_to("2C")
    enroller.toggle_sheet_mode()
    hands(enroller).show(rows(NAMES), 0.3)
    assert not enroller.capture_now()
    assert said(enroller) == "too_many"
    assert not (pack / "references").exists()
    for leave in (lambda: enroller.jump_to("7S"), enroller.toggle_sheet_mode):
        enroller._quads = []
        assert not enroller.capture_now()
        assert enroller.progress.trouble
        leave()
        assert (enroller.progress.note, enroller.progress.trouble) == (None, False)


@pytest.mark.slow
def test_keys_without_a_picture_or_a_card_do_no_harm(begin, hands):
    enroller = begin()
    for key in (
        enroller.capture_now,
        enroller.count_copies,
        enroller.undo_last,
        enroller.toggle_sheet_mode,
        enroller.capture_now,
        enroller.toggle_sheet_mode,
    ):
        key()
    assert enroller.check_separation() is None
    hands(enroller).show(table().render_frame(), 2)
    assert not enroller.capture_now()
    assert said(enroller) == "nothing"
    for _ in range(9):
        enroller.skip()
    assert enroller.progress.wanted is None
    assert not enroller.capture_now()
    enroller.undo_last()
    assert SAY.translate(enroller.progress.wanted) == "the back of a card"


def test_copies_that_lie_there_are_counted_into_the_deck_file_and_its_comments_stay(begin, hands, pack):
    enroller = begin()
    person = hands(enroller)
    take_sheet(enroller, rows(["7S", "9H"]))
    person.show(rows(["9H", "7S", "9H"]), 0.2)
    enroller.count_copies()
    assert "9 of hearts: seen 2 of 2" in SAY.translate(enroller.progress.note)
    text = (pack / "deck.toml").read_text()
    assert "# Grandmother's pack, please keep this line" in text
    assert "# one has a coffee stain" in text
    assert Deck.load(pack).count_copies("load:any:9") == 2
    assert [SAY.translate(words) for words in enroller.album.missing_copies] == ["7 of spades: seen 1 of 2"]


def test_views_that_cannot_be_written_are_said_kept_in_mind_and_written_later(begin, pack):
    enroller = begin()
    (pack / "references").write_text("a file where the folder should be")
    enroller.add_frame(one("7S"), 0.0)
    assert enroller.capture_now()
    assert enroller.progress.trouble
    assert "references" in SAY.translate(enroller.progress.note)
    (pack / "references").unlink()
    enroller.add_frame(one("9H"), 1.0)
    assert enroller.capture_now()
    assert enroller.album.save_error is None
    assert kept(pack) == ["7S", "9H"]


def test_a_deck_that_mixes_own_cards_with_ours_asks_for_its_own():
    deck = Deck.load_builtin("donkey_valley_52")
    drawn = [
        design.name for design in deck.designs if design.name.startswith(("donkey", "first", "contract"))
    ]
    names = list_wanted_designs(deck, drawn)
    assert "AS" in names
    assert not set(names) & set(drawn)
    assert list_wanted_designs(deck, [design.name for design in deck.designs])[0] == "AS"
    assert names[-1] == "back"


def test_no_name_of_a_card_is_only_a_code():
    deck = Deck.load_builtin("donkey_valley_52_seat")
    for language in ("en", "fr"):
        translator = Translator(language, registry.load_game("donkey_valley"))
        words = [translator.translate(describe_design(deck, name)) for name in list_wanted_designs(deck, ())]
        assert not [word for word in words if "." in word]
        assert len(set(words)) == len(words)


def test_damaged_views_are_put_aside(begin, hands, pack):
    hands(begin()).lay("7S")
    (pack / "references" / "index.json").write_text("{")
    enroller = begin()
    assert enroller.progress.done == 0
    assert (pack / "references.damaged" / "index.json").read_text() == "{"
    shutil.rmtree(pack / "references.damaged")


def test_back_takes_back_what_was_taken_last_though_it_is_not_the_last_in_the_order(begin, hands, pack):
    enroller = begin()
    person = hands(enroller)
    enroller.skip()
    take_sheet(enroller, rows(["9H", "KD", "2C", "back"]))
    enroller.jump_to("7S")
    person.lay("7S")
    assert enroller.progress.wanted is None
    enroller.undo_last()
    assert kept(pack) == ["9H", "KD", "2C", "back"]
    assert SAY.translate(enroller.progress.wanted) == "7 of spades"


def test_back_after_a_card_was_passed_over_leaves_the_sheet_before_it(begin, pack):
    enroller = begin()
    take_sheet(enroller, rows(["7S", "9H"]))
    enroller.skip()
    enroller.undo_last()
    assert SAY.translate(enroller.progress.wanted) == "king of diamonds"
    assert kept(pack) == ["7S", "9H"]


def test_a_view_that_went_for_a_new_one_is_there_again_when_that_is_taken_back(begin, hands, pack):
    take_sheet(begin(), rows(["7S", "9H"]))
    before = Library.load(pack).references[0].picture.tobytes()
    again = begin("7S")
    hands(again).lay("7S", "seat:1", seed=5)
    assert Library.load(pack).references[-1].picture.tobytes() != before
    again.undo_last()
    assert kept(pack) == ["7S", "9H"]
    assert Library.load(pack).references[0].picture.tobytes() == before


def answering(enroller, *typed):
    """What is told when somebody answers what becomes of a sitting."""
    told = []
    here = PlainConversation(
        Conversation(lambda: prompt_for_sitting_outcome(enroller, SAY)),
        SAY,
        told.append,
        "enrol.sitting.kept",
        tells=True,
    )
    here = here.print_menu()
    for line in typed:
        here = here.handle_line(line)
    assert here is None
    return told


@pytest.mark.parametrize(
    ("typed", "views", "said"),
    [
        ("", ["7S", "9H", "7S", "9H", "KD"], "Saved."),
        ("b", ["7S", "9H"], "3 views were discarded."),
        ("r", ["7S", "9H", "KD"], "2 older views were deleted."),
    ],
)
def test_a_sitting_is_kept_taken_back_or_stands_for_the_older_views(begin, pack, typed, views, said):
    take_sheet(begin(), rows(["7S", "9H"]))
    older = [view.picture.tobytes() for view in Library.load(pack).references]
    later = begin()
    later.jump_to("7S")
    take_sheet(later, rows(["7S", "9H", "KD"], seed=4))
    told = answering(later, typed)
    assert told[0] == "You took 3 views this time."
    assert told[-1] == said
    assert kept(pack) == views
    assert any(view.picture.tobytes() in older for view in Library.load(pack).references) is (typed != "r")


def test_a_sheet_tells_how_many_cards_each_row_shows_of_how_many(begin, hands):
    enroller = begin()
    enroller.toggle_sheet_mode()
    hands(enroller).show(rows(["7S", None, "9H", "KD", "2C"], columns=3), 0.3)
    assert SAY.translate(enroller.progress.hint).startswith("4 cards can be seen (row by row: 2 of 3 and 2);")


def pips(count):
    """A card with so many pips."""
    card = np.full((440, 315, 3), 250, np.uint8)
    for number in range(count):
        row, column = divmod(number, 3)
        cv2.circle(card, (75 + 82 * column, 90 + 130 * row), 26, (40, 40, 40), -1, cv2.LINE_AA)
    return card


def test_a_card_with_one_pip_more_is_neither_the_last_one_still_nor_known():
    """Of a pack of 52 the nine was the eight that still lay there: its likeness is great."""
    scene = World({"8": pips(8), "9": pips(9)}, pips(0), zones.make_default_zones(4), (1280, 720), 1)
    shots = []
    for card in ("8", "9", "8"):
        scene.clear_zone()
        scene.lay_card(card, "middle")
        frame = scene.render_frame()
        (quad,) = find_cards(frame)
        shots.append(Shot(frame, quad))
    eight, nine, once_more = shots
    assert is_same_card_unmoved(once_more, eight)
    assert not is_same_card_unmoved(nine, eight)
    width = float(np.ptp(eight.quad, axis=0).min())
    for part, is_same in ((0.4, True), (0.6, False)):
        by = round(part * width)
        pushed = Shot(np.roll(eight.image, by, axis=1), eight.quad + np.array([by, 0], np.float32))
        assert is_same_card_unmoved(pushed, eight) is is_same, "pushed by part of its width"
    library = Library()
    library.add_view("8", *eight)
    assert (identify_card(once_more, library, "9"), identify_card(nine, library, "9")) == ("8", None)


def test_the_self_test_sets_the_margins_of_the_deck_and_saves_them(begin, pack):
    enroller = begin()
    take_sheet(enroller, rows(["7S", "9H"]))
    enroller.album.library.margins = wrong = Margins(0.99, 0.5, 0.9)
    found = enroller.check_separation()
    assert found.margins != wrong
    assert (enroller.album.library.margins, enroller.album.has_changed) == (found.margins, False)
    assert Library.load(pack).margins == found.margins


def test_a_round_asks_for_each_design_that_lacks_a_view_once():
    queue = EnrolmentQueue("abcd", {"d": 1})
    assert (queue.wanted, queue.done_count, queue.total_count) == ("a", 1, 4)
    queue.record_view("a")
    assert (queue.wanted, queue.list_remaining()) == ("b", ["b", "c", "d"])
    queue.skip()
    assert (queue.wanted, queue.skipped_designs) == ("c", ("b",))
    queue.record_view("c")
    assert queue.wanted is None
    assert queue.step_back() == "d"
    queue.jump_to("b")
    assert queue.skipped_designs == ()
    queue.jump_to("d")
    queue.record_view("d")  # more than is needed: from there on to what still lacks one
    assert queue.wanted == "b"
    queue.record_view("b")
    assert (queue.wanted, queue.done_count) == (None, 4)
