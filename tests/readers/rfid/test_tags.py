"""Enrolment of tags: tap after tap, in bulk, twice, look-alikes, a lost sticker, lists."""

from __future__ import annotations

import csv
import dataclasses
import io

import pytest

from companion.readers.rfid.events import TagId
from companion.readers.rfid.tag_enrolment import (
    TagEnrolment,
    TagListError,
    Tap,
    assign_tag,
    export_csv,
    import_csv,
    replace_tag,
)
from companion.table.decks import Deck, Design
from tests.simulated.lock_step import card


@pytest.fixture
def deck():
    designs = (
        Design("red-1", "load:red:1"),
        Design("red-2", "load:red:2"),
        Design("donkey", "donkey:small", copies=3),
    )
    return Deck(name="mine", game="donkey_valley", designs=designs)


def test_tap_after_tap_through_the_deck_s_order(deck):
    enrolment = TagEnrolment(deck)
    assert enrolment.cards_left == 5
    asked = []
    for n in range(5):
        asked.append(enrolment.next_design)
        assert enrolment.enrol_tag(card(n)).meaning == "enrolled"
    assert asked == ["red-1", "red-2", "donkey", "donkey", "donkey"]
    assert enrolment.next_design is None
    assert enrolment.enrol_tag(card(9)).meaning == "finished"
    assert enrolment.deck.find_design_by_tag(card(3).hex()) == "donkey"
    assert TagEnrolment(enrolment.deck).cards_left == 0, "what has its tags is not asked for again"


def test_the_same_card_tapped_again_is_not_the_next_one(deck):
    enrolment = TagEnrolment(deck)
    enrolment.enrol_tag(card(1))
    tap = enrolment.enrol_tag(card(1))
    assert (tap.meaning, tap.design) == ("taken", "red-1")
    assert enrolment.next_design == "red-2"


def test_a_tag_of_another_card_is_left_where_it_is_and_named(deck):
    after, _ = assign_tag(deck, "red-1", card(1))
    same, tap = assign_tag(after, "red-2", card(1))
    assert (tap.meaning, tap.design) == ("taken", "red-1")
    assert same.find_design_by_tag(card(1).hex()) == "red-1"
    moved, tap = assign_tag(after, "red-2", card(1), move=True)
    assert tap.meaning == "enrolled"
    assert moved.find_design_by_tag(card(1).hex()) == "red-2"


def test_tags_whose_first_levels_are_alike_are_warned_of(deck):
    """Of seven bytes the first three are the first level, of four all: so none has another's."""
    after = deck
    for design, tag in (("red-1", "04010203040501"), ("donkey", "04010203040502"), ("donkey", "04010299")):
        after, _ = assign_tag(after, design, TagId.from_hex(tag))
    _, tap = assign_tag(after, "red-2", TagId.from_hex("04010203040503"))
    assert tap.lookalikes == ("donkey", "red-1")
    assert tap.describe().args == {"design": "red-2"}
    _, tap = assign_tag(after, "red-2", TagId.from_hex("04010298"))
    assert (tap.meaning, tap.lookalikes) == ("enrolled", ())


def test_a_phone_is_no_card(deck):
    enrolment = TagEnrolment(deck)
    assert enrolment.enrol_tag(TagId(b"\x08\x01\x02\x03")).meaning == "random"
    assert enrolment.next_design == "red-1"


def test_a_pile_of_copies_is_enrolled_at_once_and_no_more_than_there_are(deck):
    enrolment = TagEnrolment(deck, only=["donkey"])
    taps = enrolment.enrol_tags([card(n) for n in range(5)])
    assert [tap.meaning for tap in taps] == ["enrolled"] * 3
    assert enrolment.next_design is None


def test_undo_and_later(deck):
    enrolment = TagEnrolment(deck)
    enrolment.skip()
    assert enrolment.next_design == "red-2"
    enrolment.enrol_tag(card(1))
    assert enrolment.undo()
    assert enrolment.next_design == "red-2"
    assert enrolment.deck.find_design_by_tag(card(1).hex()) is None
    assert not enrolment.undo()


def test_a_lost_sticker_is_replaced(deck):
    deck, _ = assign_tag(deck, "red-1", card(1))
    deck, tap = replace_tag(deck, "red-1", card(2))
    assert tap.meaning == "enrolled"
    assert deck.find_design_by_tag(card(1).hex()) is None
    assert deck.find_design_by_tag(card(2).hex()) == "red-1"


def test_of_several_copies_only_the_named_sticker_goes(deck):
    for n in range(3):
        deck, _ = assign_tag(deck, "donkey", card(n))
    kept, _ = replace_tag(deck, "donkey", card(7))
    assert all(kept.find_design_by_tag(card(n).hex()) == "donkey" for n in (0, 1, 2, 7)), "nobody said which"
    gone, _ = replace_tag(deck, "donkey", card(7), lost=card(1))
    assert gone.find_design_by_tag(card(1).hex()) is None
    assert gone.find_design_by_tag(card(2).hex()) == "donkey"


def test_a_list_goes_out_and_comes_in_again(deck):
    full = deck
    for n, design in enumerate(["red-1", "red-2", "donkey", "donkey"]):
        full, _ = assign_tag(full, design, card(n))
    listed = export_csv(full)
    assert listed.startswith(f"design,tag\nred-1,{card(0).hex()}\n")
    again, taps = import_csv(deck, listed)
    assert again == full
    assert len(taps) == 4
    spoken = " Design , Tag ,note\n\n" + listed.partition("\n")[2].replace(",", " , ").upper().replace(
        "RED", "red"
    )
    again, taps = import_csv(deck, spoken.replace("DONKEY", "donkey"))
    assert again == full
    again, taps = import_csv(full, "\ufeff" + export_csv(full).replace("\n", "\r\n"))
    assert again == full
    assert {tap.meaning for tap in taps} == {"again"}


def test_a_name_that_begins_like_a_formula_is_text_in_a_list_and_itself_again_in_the_deck(deck):
    formula = '=HYPERLINK("http://x")'
    odd = dataclasses.replace(deck, designs=(Design(formula, None), *deck.designs))
    full, _ = assign_tag(odd, formula, card(1))
    listed = list(csv.reader(io.StringIO(export_csv(full))))
    assert listed[1][0] == f"'{formula}"
    again, _ = import_csv(odd, export_csv(full))
    assert again == full


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("", "tags.list.columns", 1),
        ("card;tag\n", "tags.list.columns", 1),
        ('design,tag\n"' + "x" * 200_000, "tags.list.columns", 1),
        ("design,tag\nred-9,04a1b2c3d4e5f6\n", "tags.list.no_design", 2),
        ("design,tag\n\nred-1,xyz\n", "tags.list.bad_tag", 3),
        ("design,tag\nred-1\n", "tags.list.bad_tag", 2),
        ("design,tag\nred-1,deadbeef\nred-2,DE:AD:BE:EF\n", "tags.list.twice", 3),
    ],
)
def test_a_bad_list_names_its_line_and_changes_nothing(deck, text, code, line):
    with pytest.raises(TagListError) as caught:
        import_csv(deck, text)
    assert caught.value.text.code == code
    assert caught.value.text.args["line"] == line
    assert caught.value.text.args.get("first") == (2 if code.endswith("twice") else None)


def test_every_tap_says_which_card_it_is_about_if_any(deck):
    full, tap = assign_tag(deck, "red-1", card(1))
    taps = [tap, assign_tag(full, "red-1", card(1))[1], assign_tag(full, "red-2", card(1))[1]]
    taps += [assign_tag(full, "red-2", TagId.from_hex("08aabbcc"))[1], Tap("finished")]
    assert [(tap.describe().code, tap.describe().args["design"]) for tap in taps] == [
        ("tags.enrolled", "red-1"),
        ("tags.again", "red-1"),
        ("tags.taken", "red-1"),
        ("tags.random", ""),
        ("tags.finished", ""),
    ]


def test_of_two_copies_too_nobody_knows_which_sticker_was_lost(deck):
    for n in range(2):
        deck, _ = assign_tag(deck, "donkey", card(n))
    kept, _ = replace_tag(deck, "donkey", card(7))
    assert len(kept.find_design("donkey").tags) == 3
    same, tap = replace_tag(kept, "donkey", card(7))
    assert (same, tap.meaning) == (kept, "again")


def test_the_first_line_says_what_separates_the_columns(deck):
    listed = "design;tag;note\nred-1;04:0a-0b 0c;a,b,c,d,e\n"
    again, _ = import_csv(deck, listed)
    assert again.find_design_by_tag("040a0b0c") == "red-1"
