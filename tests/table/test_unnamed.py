"""A card that no reader can name for sure: the table is asked, and its word holds as long as it is
the same card."""

from __future__ import annotations

import pytest
from evening import WITH_BACK, Evening

from companion.table.sightings import ActivityReport

BEFORE_SEAT_1 = ((100.0, 100.0), (160.0, 100.0), (160.0, 190.0), (100.0, 190.0))


def pushed(x, y=0.0):
    return tuple((a + x, b + y) for a, b in BEFORE_SEAT_1)


@pytest.fixture
def evening():
    return Evening()


def lies_unsure(
    evening, where="seat:1", track=1, quad=BEFORE_SEAT_1, candidates=("load:red:1", "load:red:6")
):
    return evening.sees(
        "load:red:6", where, track, sure=False, candidates=candidates, quad=quad, confidence=0.6
    )


def rule(evening, card):
    (one,) = evening.unsure()
    evening.table.resolve_question(one.id, card)
    return evening


def test_a_card_that_stays_unsure_is_asked_about_with_the_likely_cards_first(evening):
    lies_unsure(evening).later(2)
    assert evening.unsure() == ()
    (one,) = evening.later().unsure()
    assert (one.zone, one.cards) == ("seat:1", ("load:red:6", "load:red:1"))
    assert evening.later(60).unsure() == (one,)
    assert evening.disputes() == ()


def test_what_an_unsure_card_would_be_is_a_claim_of_its_own(evening):
    lies_unsure(evening).later(0.1).claims()
    (one,) = evening.table.unsure_questions
    claim = evening.table.make_hypothetical_claim(one, "load:blue:6")
    assert (claim.what, claim.zone, claim.face, claim.owner) == ("load:blue:6", "seat:1", "up", 2)
    assert claim.id < 0


def test_the_table_is_woken_when_it_is_time_to_ask(evening):
    lies_unsure(evening).later(2).claims()
    due = evening.table.next_due_time(evening.now)
    evening.now = due
    assert evening.table.update(due)
    assert len(evening.unsure()) == 1


def test_a_camera_that_is_still_looking_is_given_more_time(evening):
    evening.table.add_report(ActivityReport("camera", True, evening.now))
    lies_unsure(evening).later(7)
    assert evening.unsure() == ()
    assert len(evening.later().unsure()) == 1
    lies_unsure(evening, "seat:2", 2).later(5)
    assert len(evening.unsure()) == 1
    evening.table.add_report(ActivityReport("camera", False, evening.now))
    assert len(evening.later(0.5).unsure()) == 2


def test_a_card_is_asked_about_in_a_moment_of_calm_for_a_hand_may_be_about_to_cover_it(evening):
    """Hands that come and go rest for a moment, too."""
    lies_unsure(evening)
    for _ in range(20):
        evening.table.add_report(ActivityReport("camera", True, evening.now))
        evening.later(0.1)
        evening.table.add_report(ActivityReport("camera", False, evening.now))
        assert evening.later(0.2).unsure() == ()
    evening.table.update(evening.now)
    evening.now = evening.table.next_due_time(evening.now)
    assert evening.table.update(evening.now)
    assert len(evening.unsure()) == 1


def test_what_the_table_says_lies_there_and_the_hint_goes(evening):
    lies_unsure(evening).later(4)
    assert evening.hints() == ["table.hint.unsure"]
    rule(evening, "load:red:9")
    assert evening.lying() == [("load:red:9", "seat:1")]
    assert (evening.unsure(), evening.hints()) == ((), [])
    assert evening.use_all().later(60).lying() == []


def test_a_card_that_is_named_or_taken_away_is_asked_about_no_more(evening):
    lies_unsure(evening).later(4)
    assert evening.unsure()
    evening.sees("load:red:6", "seat:1").later(0.3)
    assert (evening.unsure(), evening.lying()) == ((), [("load:red:6", "seat:1")])
    lies_unsure(evening, "seat:2", 2).later(4)
    assert evening.unsure()
    assert evening.gone(2).unsure() == ()


def test_the_camera_may_come_to_say_the_same_without_it_being_news_or_otherwise(evening):
    rule(lies_unsure(evening).later(4), "load:red:6").use_all()
    evening.sees("load:red:6", "seat:1").later()
    assert evening.lying() == []
    evening.sees("load:red:1", "seat:1").later()
    assert evening.lying() == [("load:red:1", "seat:1")]


def test_what_is_put_aside_is_not_asked_again_until_it_moves(evening):
    rule(lies_unsure(evening).later(4), None)
    assert evening.later(600).unsure() == ()
    assert evening.hints() == []
    lies_unsure(evening, quad=pushed(4, 3)).later(
        60
    )  # its outline is found a little otherwise: a hand went over it
    assert evening.unsure() == ()
    lies_unsure(evening, quad=pushed(40)).later(2)
    assert evening.unsure() == ()
    assert len(evening.later().unsure()) == 1


def test_a_card_that_the_camera_lost_for_a_moment_keeps_what_the_table_said_of_it(evening):
    rule(lies_unsure(evening).later(4), None)
    evening.gone().later(0.5)
    lies_unsure(evening, track=2, quad=pushed(0.5)).later(9)
    assert evening.unsure() == ()
    evening.gone(2).later(0.5)
    lies_unsure(evening, track=3, quad=pushed(9)).later(9)
    rule(evening, "load:red:6").use_all().gone(3).later(0.5)
    lies_unsure(evening, track=4, quad=pushed(9.5)).later(9)
    assert (evening.unsure(), evening.lying()) == ((), [])
    evening.gone(4).later(5)
    lies_unsure(evening, track=5, quad=pushed(9.5)).later(9)
    assert len(evening.unsure()) == 1


def test_a_card_with_a_name_from_the_table_keeps_it_when_it_is_pushed_to_another_zone(evening):
    rule(lies_unsure(evening).later(4), "donkey:giant").use_all()
    lies_unsure(evening, "middle", quad=pushed(300)).later()
    assert evening.lying() == [("donkey:giant", "middle")]


@pytest.mark.parametrize(
    "sighting",
    [
        {"design": None},
        {"design": "back", "candidates": ("back", "load:red:6")},
        {"design": "summary", "candidates": ("summary", "load:red:6")},
        {"design": "load:red:6", "face": "down"},
        {"design": "load:red:6", "where": "under 1", "reader": "rfid a"},
        {"design": "load:red:6", "where": ""},
    ],
)
def test_nobody_is_asked_about_backs_summaries_and_what_lies_face_down_or_off_the_table(sighting):
    evening = Evening(WITH_BACK).sees(**{"where": "seat:1", "sure": False, **sighting}).later(9)
    assert evening.unsure() == ()


def test_a_card_whose_tag_lies_on_the_pad_there_needs_no_other_name(evening):
    lies_unsure(evening).sees("load:red:6", "pad 1", 1, "rfid a").later(9)
    assert evening.unsure() == ()
    lies_unsure(evening, track=2, quad=pushed(200))
    assert len(evening.later(9).unsure()) == 1
    evening.gone(1, "rfid a", "pad 1")
    assert len(evening.unsure()) == 2


def test_a_contract_on_the_pad_does_not_name_a_load(evening):
    lies_unsure(evening).sees("contract:red:accept", "pad 1", 1, "rfid a").later(9)
    assert len(evening.unsure()) == 1


def test_a_camera_that_is_unplugged_asks_nothing(evening):
    lies_unsure(evening).later(9)
    assert evening.health("lost").unsure() == ()


def test_of_what_lay_there_before_only_that_is_old(evening):
    lies_unsure(evening).later(1)
    before = evening.now
    lies_unsure(evening, "seat:2", 2, pushed(300)).later(1)
    evening.table.mark_all_used(before - 0.5)
    assert [one.zone for one in evening.later(9).unsure()] == ["seat:2"]


def test_what_lay_there_when_a_session_is_taken_up_again_is_old(evening):
    lies_unsure(evening).later(1)
    evening.table.mark_all_used(evening.now)
    assert evening.later(9).unsure() == ()
    lies_unsure(evening, "seat:2", 2, pushed(300)).later(9)
    assert [one.zone for one in evening.unsure()] == ["seat:2"]
