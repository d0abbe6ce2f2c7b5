from __future__ import annotations

import msgspec
import pytest
from evening import WITH_BACK, Evening

from companion.rules.contract import BoardClaim, Text
from companion.table.decks import Deck, Design
from companion.table.fusion import Placement
from companion.table.identification import CardState
from companion.table.sightings import ActivityReport, Battery, BoardSighting, Health, Press, Sighting
from companion.table.table import Table


@pytest.fixture
def evening():
    return Evening()


def tap(evening, design, track=1, reader="rfid a", where="pad 1"):
    evening.sees(design, where, track, reader).later(0.2).gone(track, reader, where)


def test_a_card_laid_at_a_seat_is_claimed_with_its_owner(evening):
    evening.sees("load:blue:7", "seat:1").later()
    (claim,) = evening.claims()
    assert (claim.what, claim.zone, claim.face, claim.owner) == ("load:blue:7", "seat:1", "up", 2)


def test_a_colour_that_nobody_plays_has_no_owner(evening):
    (claim,) = evening.sees("load:green:7", "seat:1").later().claims()
    assert claim.owner is None


def test_a_pack_without_colours_is_owned_by_the_seat_it_lies_at():
    pack = Deck("pack", "donkey_valley", (Design("7S", "load:any:7"), Design("KS", None)), "seat")
    evening = Evening(pack).sees("7S", "seat:3").sees("KS", "seat:4", 2).later()
    assert [(c.what, c.owner) for c in evening.claims()] == [("load:any:7", 3)]


def test_a_donkey_in_the_middle_is_nobodys(evening):
    (claim,) = evening.sees("donkey:giant", "middle").later().claims()
    assert (claim.what, claim.owner) == ("donkey:giant", None)


def test_a_reading_that_does_not_hold_is_no_claim(evening):
    evening.sees("load:red:7", "seat:1").later(0.1).sees("load:red:1", "seat:1").later(0.1)
    assert evening.lying() == []
    assert evening.later(0.2).lying() == [("load:red:1", "seat:1")]


def test_a_reading_that_is_said_again_and_again_counts_from_the_first_time(evening):
    for _ in range(3):
        evening.sees("load:red:7", "seat:1").later(0.1)
    assert evening.lying() == [("load:red:7", "seat:1")]


def test_a_card_shown_for_half_a_second_counts_even_if_nobody_looked_meanwhile(evening):
    evening.sees("load:red:7", "seat:1").later(0.5).gone().later(0.5)
    assert evening.lying() == [("load:red:7", "seat:1")]
    assert evening.lying() == []


def test_a_card_that_flashed_past_is_no_claim(evening):
    evening.sees("load:red:7", "seat:1").later(0.1).gone().later()
    assert evening.lying() == []


def test_a_hand_over_the_card_makes_the_reading_unsure_and_changes_nothing(evening):
    evening.sees("load:red:7", "seat:1").later()
    before = evening.claims()
    evening.sees("load:red:1", "seat:1", sure=False).later(4)
    assert evening.claims() == before
    assert evening.table.list_hints(evening.now) == ()


def test_a_used_card_is_not_given_again_while_it_lies_there(evening):
    evening.sees("donkey:giant", "middle").later().use_all()
    assert evening.later(60).lying() == []


def test_a_second_identical_donkey_is_new_once_the_first_was_taken_away(evening):
    first = evening.sees("donkey:giant", "middle").later().claims()[0].id
    evening.use_all().gone().later(2).sees("donkey:giant", "middle", 2).later()
    (second,) = evening.claims()
    assert second.id != first


def test_a_second_identical_donkey_is_new_once_the_first_was_moved_to_the_pile(evening):
    evening.sees("donkey:giant", "middle").later().use_all()
    evening.sees("donkey:giant", "pile").sees("donkey:giant", "middle", 2).later()
    assert evening.lying() == [("donkey:giant", "pile"), ("donkey:giant", "middle")]


def test_two_identical_donkeys_that_lie_there_are_two(evening):
    evening.sees("donkey:giant", "middle").later().use_all()
    evening.sees("donkey:giant", "middle", 2).later(2)
    assert evening.lying() == [("donkey:giant", "middle")]
    assert evening.disputes() == ()


def test_a_covered_card_that_reappears_in_the_very_same_place_never_left(evening):
    quad = ((100.0, 100.0), (160.0, 100.0), (160.0, 190.0), (100.0, 190.0))
    evening.sees("donkey:giant", "middle", quad=quad).later().use_all().gone().later(2)
    evening.sees("donkey:giant", "middle", 2, quad=tuple((x + 1, y) for x, y in quad[1:] + quad[:1])).later()
    assert evening.lying() == []
    turned = (quad[0], *((x + 5, y) for x, y in quad[1:]))
    evening.gone(2).later(2).sees("donkey:giant", "middle", 3, quad=turned)
    assert evening.later().lying() == [("donkey:giant", "middle")]


@pytest.mark.parametrize(("reader", "where"), [("camera", "middle"), ("rfid a", "pad 1")])
def test_a_second_copy_laid_over_one_that_was_found_again_is_a_second_card(evening, reader, where):
    quad = ((100.0, 100.0), (160.0, 100.0), (160.0, 190.0), (100.0, 190.0)) if reader == "camera" else ()
    evening.sees("donkey:giant", where, 1, reader, quad=quad).later(0.5).claims()
    evening.gone(1, reader).later(0.2).sees("donkey:giant", where, 2, reader, quad=quad).later(0.5)
    assert len(evening.claims()) == 1, "found again"
    evening.sees("donkey:giant", where, 3, reader, quad=quad).later(0.5)
    assert len(evening.claims()) == 2


def test_what_one_camera_knew_of_a_card_that_two_others_turn_out_to_share_is_kept(evening):
    """Two entries for one card become one, which any reader that saw either knows again."""
    here, there = (
        tuple((x + left, y) for x, y in ((0.0, 0.0), (60.0, 0.0), (60.0, 90.0), (0.0, 90.0)))
        for left in (100.0, 400.0)
    )
    evening.sees("donkey:giant", "middle", quad=here).later().use_all()
    evening.gone().later(0.5).sees("donkey:giant", "middle", 2, quad=there)
    evening.sees("donkey:giant", "middle", 1, "top", quad=there)
    evening.sees("donkey:giant", "middle", 1, "side", quad=there).later(0.5).use_all()
    evening.sees("donkey:giant", "middle", 3, quad=here).later(0.5)
    assert evening.lying() == [], "what was covered lies there still"
    evening.gone(2).gone(1, "top").later(0.5)
    assert evening.lying() == []
    evening.gone(3).gone(1, "side").later(0.5).claims()
    evening.sees("donkey:giant", "middle", 2, "top", quad=there).later(0.5)
    assert evening.lying() == [], "it lay under a hand"


def test_two_entries_that_turn_out_to_be_one_card_end_when_no_reader_sees_it_any_more(evening):
    evening.sees("donkey:giant", "middle", 1).sees("donkey:giant", "middle", 2).later()
    assert len(evening.claims()) == 2
    evening.sees("donkey:giant", "middle", 1, "top").later(0.5).gone(1).later(0.5)
    assert len(evening.claims()) == 1
    evening.gone(1, "top").later(5)
    assert evening.lying() == [("donkey:giant", "middle")]
    evening.gone(2).later(5).claims()
    assert evening.lying() == []


def test_turning_a_card_over_is_news(evening):
    evening.sees(None, "seat:1").later()
    (down,) = evening.claims()
    assert (down.what, down.face, down.owner) == (None, "down", 1)
    evening.use_all().sees("load:red:7", "seat:1").later()
    assert [(c.what, c.face) for c in evening.claims()] == [("load:red:7", "up")]


@pytest.mark.parametrize("is_used", [False, True])
def test_a_card_that_was_turned_over_can_be_looked_up_until_the_game_has_used_it(evening, is_used):
    evening.sees(None, "seat:1").later()
    (down,) = evening.claims()
    if is_used:
        evening.use_all()
    evening.sees("load:red:7", "seat:1").later()
    assert evening.lying() == [("load:red:7", "seat:1")]
    assert len(evening.table.list_placed_cards([down.id])) == (not is_used)


def test_camera_and_pad_see_one_card(evening):
    evening.sees("load:red:7", "seat:1").sees("load:red:7", "pad 1", 1, "rfid a").later()
    assert evening.lying() == [("load:red:7", "seat:1")]


def test_a_used_card_stays_used_when_a_second_reader_notices_it_late(evening):
    evening.sees("load:red:7", "pad 1", 1, "rfid a").later().use_all()
    evening.sees("load:red:7", "seat:1").later()
    assert evening.lying() == []


@pytest.mark.parametrize(
    ("meanwhile", "waits"),
    [
        (lambda evening: evening, True),
        (lambda evening: evening.sees("load:red:7", "seat:1").later(0.3), False),
        (lambda evening: evening.gone(1, "rfid a", "pad 1"), False),
        (lambda evening: evening.health("lost"), False),
        (lambda evening: evening.health("look"), False),
        (lambda evening: evening.health("lost", "rfid a"), False),
    ],
    ids=["nothing", "the camera names it", "taken off", "camera lost", "camera looks", "pad lost"],
)
def test_a_card_that_only_a_pad_has_read_waits_for_the_camera(evening, meanwhile, waits):
    evening.health("ok").health("ok", "rfid a").sees("load:red:7", "pad 1", 1, "rfid a").later(0.2)
    assert evening.lying() == []
    due = evening.table.next_due_time(evening.now)
    assert due == pytest.approx(evening.now + 1.3)
    meanwhile(evening)
    assert evening.lying() == ([] if waits else [("load:red:7", "seat:1")])
    evening.now = due - 0.01
    assert (evening.lying() == []) == waits
    evening.now = due
    assert evening.lying() == [("load:red:7", "seat:1")]


@pytest.mark.parametrize(
    ("level", "charging", "low"), [(21, False, False), (20, False, True), (0, False, True), (0, True, False)]
)
def test_a_phone_is_low_from_twenty_per_cent_on_unless_it_is_charged(level, charging, low):
    assert Battery(level, charging).is_low is low
    for state in ("ok", "starting", "off", "lost", "look"):
        health = Health("phone", state, Text("x"), 1.0, Battery(level, charging))
        assert health.needs_attention is (low or state in ("lost", "look"))
        assert msgspec.structs.replace(health, battery=None).needs_attention is (state in ("lost", "look"))


def test_a_pad_alone_is_believed_at_once(evening):
    evening.health("ok", "rfid a").health("ok", "rfid b").sees("load:red:7", "pad 1", 1, "rfid a").later(0.1)
    assert evening.lying() == [("load:red:7", "seat:1")]


def test_a_tap_counts_until_the_phase_moves_on(evening):
    tap(evening, "load:red:7")
    assert evening.later(30).lying() == [("load:red:7", "seat:1")]
    evening.table.end_phase()
    assert evening.lying() == []


def test_tapping_the_same_card_twice_is_one_showing_until_it_has_been_used(evening):
    tap(evening, "load:red:7")
    evening.later(0.1).claims()
    tap(evening, "load:red:7", 2)
    assert len(evening.later().claims()) == 1
    evening.use_all().later(3)
    tap(evening, "load:red:7", 3)
    assert evening.lying() == [("load:red:7", "seat:1")]


@pytest.mark.parametrize(
    ("used", "apart", "showings"),
    [(False, 0.3, 1), (False, 30, 1), (True, 0.3, 1), (True, 0.9, 1), (True, 1.1, 2), (True, 3, 2)],
    ids=["bounce", "shown again unused", "bounce of a used one", "late bounce", "soon", "a new move"],
)
def test_a_card_tapped_twice_is_shown_anew_only_once_used_and_no_bounce(evening, used, apart, showings):
    tap(evening, "load:red:7")
    first = {claim.id for claim in evening.claims()}
    if used:
        evening.use_all()
    evening.later(apart)
    tap(evening, "load:red:7", 2)
    assert len(first | {claim.id for claim in evening.claims()}) == showings


@pytest.mark.parametrize("seen", ["back", "face", "shown"])
def test_the_table_says_what_a_claimed_card_is(evening, seen):
    if seen == "shown":
        tap(evening, "load:red:7")
    else:
        evening.sees(None if seen == "back" else "load:red:7", "seat:1").later()
    (claim,) = evening.claims()
    evening.table.correct_claim(99, "load:red:1")
    if claim.what is not None:
        evening.table.correct_claim(claim.id, claim.what)
    assert evening.claims() == (claim,)
    evening.table.correct_claim(claim.id, "load:red:1")
    assert evening.lying() == evening.later(60).lying() == [("load:red:1", "seat:1")]
    assert evening.claims()[0].id != claim.id
    evening.table.end_phase()
    assert evening.lying() == ([] if seen == "shown" else [("load:red:1", "seat:1")])


def test_how_clear_a_card_was_is_the_surest_cameras_word_and_nobody_elses(evening):
    evening.sees("load:red:7", "seat:1", confidence=0.71).later()
    evening.sees("load:red:7", "seat:1", confidence=0.2, sure=False).later()  # a hand over it
    (claim,) = evening.claims()
    assert evening.table.list_placed_cards([claim.id])[0].confidence == 0.71
    evening.sees("load:red:7", "seat:1", 7, "camera 2", confidence=0.93).later()
    assert [one.id for one in evening.claims()] == [claim.id]
    assert evening.table.list_placed_cards([claim.id])[0].confidence == 0.93
    evening.table.correct_claim(claim.id, "load:red:1")  # the table's own word
    (claim,) = evening.claims()
    assert evening.table.list_placed_cards([claim.id])[0].confidence is None
    tap(evening, "load:red:5")
    (shown,) = (one for one in evening.claims() if one.what == "load:red:5")
    assert evening.table.list_placed_cards([shown.id])[0].confidence is None


def test_what_a_track_sees_can_be_used_and_what_lies_behind_a_claim_be_found(evening):
    evening.sees("load:red:7", "seat:1").sees("load:red:1", "seat:1", 2).later()
    claims = evening.claims()
    assert evening.table.list_placed_cards([one.id for one in claims]) == (
        ("load:red:7", (("camera", 1),), 1.0),
        ("load:red:1", (("camera", 2),), 1.0),
    )
    assert evening.table.list_placed_cards([99]) == ()
    evening.table.mark_tracks_used([("camera", 1), ("camera", 9)])
    assert evening.lying() == [("load:red:1", "seat:1")]


def test_a_card_that_lies_on_its_pad_is_not_forgotten_when_the_phase_moves_on(evening):
    evening.sees("load:red:7", "pad 1", 1, "rfid a").later().claims()
    evening.table.end_phase()
    assert evening.lying() == [("load:red:7", "seat:1")]


def test_a_button_counts_once_and_the_last_one_pressed_wins(evening):
    evening.table.add_report(Press("rfid a", 2, "accept", evening.now))
    evening.table.add_report(Press("rfid a", 2, "refuse", evening.now))
    assert [(c.what, c.zone, c.owner) for c in evening.claims()] == [("button:refuse", "seat:2", 2)]
    assert evening.use_all().lying() == []


def test_a_card_of_another_game_is_no_claim_but_a_hint(evening):
    evening.sees("pa:heart", "middle").later()
    assert evening.lying() == []
    assert evening.table.list_hints(evening.now) == ()
    evening.later(2)
    assert [hint.code for hint in evening.table.list_hints(evening.now)] == ["table.hint.foreign"]


def test_a_card_that_stays_unrecognised_gets_a_hint_and_no_claim(evening):
    evening.sees("load:red:6", "seat:1", sure=False).later(3)
    assert evening.lying() == []
    assert [hint.code for hint in evening.table.list_hints(evening.now)] == ["table.hint.unsure"]


QUAD = ((0, 0), (9, 0), (9, 9), (0, 9))


def lay_loads(evening, *loads):
    for track, (load, seat) in enumerate(loads, 1):
        evening.sees(f"load:{load}", f"seat:{seat}", track, quad=QUAD)
    return evening.later().hints()


def test_a_picture_that_is_upside_down_gets_a_hint(evening):
    """In silence no load would count: each lies in front of another player."""
    assert lay_loads(evening, ("red:7", 2), ("red:6", 2)) == []
    assert lay_loads(evening, ("red:7", 2), ("red:6", 2), ("blue:3", 1)) == ["table.hint.turned"]
    evening.sees("load:blue:3", "pad 1", 1, "rfid a")
    assert evening.later().hints() == ["table.hint.turned"], "though a pad has no picture"
    assert evening.health("lost", "camera").hints() == []


@pytest.mark.parametrize(
    "loads",
    [
        [("red:7", 1), ("red:6", 1), ("blue:3", 2)],
        [("red:7", 2), ("red:6", 1), ("blue:3", 1)],
        [("red:7", 2), ("red:6", 2), ("red:3", 2)],
    ],
)
def test_cards_that_lie_right_or_before_one_player_only_get_no_hint(evening, loads):
    assert lay_loads(evening, *loads) == []


def test_cards_that_players_win_from_each_other_get_no_hint(evening):
    lay_loads(evening, ("red:7", 1), ("red:6", 1), ("blue:3", 2))
    assert lay_loads(evening, ("red:7", 2), ("red:6", 2), ("blue:3", 1)) == []


def test_a_hint_goes_with_the_camera_that_saw_the_card_and_comes_back_with_it(evening):
    evening.sees("pa:heart", "middle").sees("load:red:6", "seat:1", 2, sure=False).later(3)
    assert len(evening.hints()) == 2
    assert evening.health("lost", "camera").hints() == []
    assert evening.health("ok", "camera").hints() == []
    evening.sees("pa:heart", "middle", 3).later(3)
    assert evening.hints() == ["table.hint.foreign"]


def test_a_summary_card_of_the_deck_needs_no_words(evening):
    evening.sees("summary", "seat:1").later(5)
    assert evening.lying() == []
    assert evening.table.list_hints(evening.now) == ()


def test_with_its_back_enrolled_only_a_back_is_a_face_down_card():
    evening = Evening(WITH_BACK).sees(None, "seat:1").sees("back", "seat:2", 2).later(3)
    assert [(c.what, c.zone, c.face) for c in evening.claims()] == [(None, "seat:2", "down")]
    assert [hint.code for hint in evening.table.list_hints(evening.now)] == ["table.hint.foreign"]


def test_what_lies_outside_every_zone_means_nothing(evening):
    evening.sees("load:red:7", "").later(5)
    assert evening.lying() == []


def test_two_readers_that_name_different_cards_ask_the_table(evening):
    evening.sees("load:red:7", "seat:1").sees("load:red:1", "pad 1", 1, "rfid a").later(0.3)
    assert evening.lying() == []
    assert evening.disputes() == ()
    (dispute,) = evening.later().disputes()
    assert (dispute.zone, dispute.cards) == ("seat:1", ("load:red:1", "load:red:7"))
    assert evening.table.unsure_questions == ()
    evening.table.resolve_question(dispute.id, "load:red:9")
    assert evening.lying() == [("load:red:9", "seat:1")]
    assert evening.disputes() == ()


def test_the_table_may_say_that_nothing_counts(evening):
    evening.sees("load:red:7", "seat:1").sees("load:red:1", "pad 1", 1, "rfid a").later(0.3).claims()
    evening.table.resolve_question(evening.later().disputes()[0].id, None)
    assert evening.lying() == []
    assert evening.later(5).disputes() == ()


def test_a_word_on_a_card_that_has_just_gone_holds_for_the_other(evening):
    evening.sees("load:red:7", "seat:1").sees("load:red:1", "pad 1", 1, "rfid a").later(0.3).claims()
    (dispute,) = evening.later().disputes()
    evening.gone(1, "rfid a", "pad 1")
    evening.table._fusion.update(evening.now)
    evening.table.resolve_question(dispute.id, "load:red:9")
    assert ("load:red:9", "seat:1") in evening.lying()


def test_what_a_lost_pad_saw_lies_there_however_often_the_camera_finds_it_anew(evening):
    evening.sees(None, "seat:1").sees("load:red:7", "under 1", 1, "rfid a").later().claims()
    evening.health("lost", "rfid a").gone(1).sees(None, "seat:1", 2).later().claims()
    evening.gone(2).later(5).claims()
    assert evening.lying() == [(None, "seat:1")]


def test_a_ruling_ends_though_the_camera_gives_its_number_to_another_card_at_once(evening):
    evening.sees("load:red:7", "seat:1").sees("load:red:1", "pad 1", 1, "rfid a").later(0.3).claims()
    evening.table.resolve_question(evening.later().disputes()[0].id, "load:red:9")
    evening.gone(1, "rfid a").later().claims()
    evening.gone().sees("load:red:7", "seat:1").later()
    assert ("load:red:7", "seat:1") in evening.lying()


def test_a_ruling_ends_when_the_card_is_taken_away(evening):
    evening.sees("load:red:7", "seat:1").sees("load:red:1", "pad 1", 1, "rfid a").later(0.3).claims()
    evening.table.resolve_question(evening.later().disputes()[0].id, "load:red:9")
    evening.claims()
    evening.gone().gone(1, "rfid a").later().claims()
    evening.table.end_phase()
    evening.later(1).sees("load:red:7", "seat:1", 2).later()
    assert evening.lying() == [("load:red:7", "seat:1")]


def test_a_card_that_the_camera_cannot_name_may_be_the_one_on_the_pad(evening):
    evening.sees("load:red:4", "seat:1").sees(None, "seat:1", 2, sure=False)
    evening.sees("load:red:7", "pad 1", 1, "rfid a").later(2)
    assert evening.disputes() == ()
    assert evening.lying() == [("load:red:4", "seat:1"), ("load:red:7", "seat:1")]


def test_a_contract_on_the_pad_is_no_misread_load(evening):
    evening.sees("load:red:4", "seat:1").sees("contract:red:accept", "pad 1", 1, "rfid a").later(2)
    assert evening.disputes() == ()


def test_one_card_at_two_seats_asks_about_the_newer_one(evening):
    evening.sees("load:red:7", "seat:1").later().use_all()
    evening.sees("load:red:7", "seat:2", 2).later()
    assert evening.lying() == []
    (dispute,) = evening.later().disputes()
    assert (dispute.zone, dispute.text.code) == ("seat:2", "table.dispute.copies")
    evening.table.resolve_question(dispute.id, "load:red:1")
    assert evening.lying() == [("load:red:1", "seat:2")]


def test_a_card_carried_from_one_seat_to_another_is_no_dispute(evening):
    evening.sees("load:red:7", "seat:1").later().use_all()
    evening.sees("load:red:7", "seat:2", 2).later(0.5).gone(1).later(1)
    assert evening.disputes() == ()
    assert evening.lying() == [("load:red:7", "seat:2")]


def test_a_slow_camera_that_has_yet_to_find_the_old_place_empty_is_waited_for(evening):
    evening.sees("contract:red:accept", "seat:1").later().use_all()
    evening.table.add_report(ActivityReport("camera", True, evening.now))
    evening.sees("contract:red:accept", "seat:1", 2).later(0.5).claims()
    assert evening.later(3).disputes() == ()
    evening.gone(1).later(0.5)
    assert evening.disputes() == ()
    assert evening.lying() == [("contract:red:accept", "seat:1")]


def test_a_camera_that_stays_unsure_is_not_waited_for_for_ever(evening):
    evening.table.add_report(ActivityReport("camera", True, evening.now))
    evening.sees("load:red:7", "seat:1").sees("load:red:7", "seat:2", 2).later().claims()
    assert evening.disputes() == ()
    evening.now = evening.table.next_due_time(evening.now + 1)
    assert [one.text.code for one in evening.later(0.01).disputes()] == ["table.dispute.copies"]


def test_a_contradiction_is_told_at_once_when_the_camera_has_made_out_everything(evening):
    evening.table.add_report(ActivityReport("camera", True, evening.now))
    evening.sees("load:red:7", "seat:1").sees("load:red:7", "seat:2", 2).later(0.5).claims()
    assert evening.later(2).disputes() == ()
    evening.table.add_report(ActivityReport("camera", False, evening.now))
    assert len(evening.disputes()) == 1


def test_a_board_is_claimed_as_it_was_seen_last_until_its_camera_goes(evening):
    for pawns in ((), (("1:3", "red"),)):
        evening.table.add_report(BoardSighting("camera", BoardClaim(pawns), evening.now))
        (claim,) = evening.later().claims()
        assert (claim.what, claim.board) == ("board", BoardClaim(pawns))
    evening.table.mark_used([claim.id])
    assert evening.later().claims() == (claim,), "no card that is used up"
    evening.sees("load:red:7", "seat:1").later()
    assert len({one.id for one in evening.claims()}) == 2
    evening.health("lost").later(5)
    assert [one.board for one in evening.claims()] == [None]


def test_an_unplugged_camera_leaves_the_table_as_it_was(evening):
    evening.sees("donkey:giant", "middle").sees("load:red:7", "seat:1", 2).later().use_all()
    evening.health("lost").later(60)
    assert evening.lying() == []
    evening.health("ok").sees("donkey:giant", "middle", 11).later(10)
    assert evening.lying() == []
    evening.sees("load:red:7", "seat:1", 12).later()
    assert evening.lying() == [("load:red:7", "seat:1")]
    assert [(h.reader, h.state) for h in evening.table.reader_health] == [("camera", "ok")]


@pytest.mark.parametrize("named_first", [False, True])
def test_a_camera_that_is_back_has_three_seconds_to_name_what_it_saw(evening, named_first):
    evening.sees("donkey:giant", "middle").sees("load:red:7", "seat:1", 2)
    evening.sees("load:blue:7", "under 2", 1, "rfid a").later().claims()
    evening.health("lost").later(60)
    if named_first:
        evening.sees("donkey:giant", "middle", 11)
    evening.health("ok").later(2.9)
    assert ("load:red:7", "seat:1") in evening.lying()
    evening.later(0.2).claims()
    assert ("load:red:7", "seat:1") not in evening.lying()
    assert (("donkey:giant", "middle") in evening.lying()) == named_first
    assert (None, "seat:2") in evening.lying(), "another reader's cards are nobody's to name again"


def test_a_pad_reader_that_comes_back_finds_its_card_where_the_camera_has_seen_it_anew_meanwhile(evening):
    card = "contract:red:accept"
    evening.sees(card, "seat:1").sees(card, "pad 1", 1, "rfid a").later(2).use_all()
    evening.health("lost", "rfid a").later()
    evening.sees(card, "seat:1", 2).later(0.5).claims()  # a new track before the old one is let go
    evening.gone(1).later()
    assert evening.lying() == [], "it lay there all the time"
    evening.health("ok", "rfid a").sees(card, "pad 1", 1, "rfid a").later(2)
    assert evening.disputes() == ()
    assert evening.lying() == []


def test_a_reader_that_is_switched_off_disputes_nothing(evening):
    evening.sees("load:red:7", "seat:1").later().claims()
    evening.health("off").sees("load:red:1", "pad 1", 1, "rfid a").later(0.1).claims()
    assert evening.later(5).disputes() == ()
    assert evening.lying() == [("load:red:7", "seat:1"), ("load:red:1", "seat:1")]


def test_after_a_resume_what_lies_there_is_old(evening):
    evening.sees("donkey:giant", "middle").later().claims()
    evening.table.mark_all_used()
    assert evening.lying() == []
    assert evening.sees("load:red:7", "seat:1", 2).later().lying() == [("load:red:7", "seat:1")]


def test_settle_tells_whether_anything_changed_and_due_when_it_will(evening):
    assert evening.table.next_due_time(evening.now) is None
    evening.table.update(evening.now)
    evening.sees("load:red:7", "seat:1")
    assert not evening.table.update(evening.now)
    due = evening.table.next_due_time(evening.now)
    assert due == pytest.approx(evening.now + 0.25)
    assert evening.table.update(due)
    assert not evening.table.update(due + 5)
    assert evening.table.next_due_time(due + 5) is None


def test_a_thousand_cards_come_and_go_and_nothing_piles_up(evening):
    for number in range(1000):
        evening.sees("load:red:7", "seat:1", number).later(0.5).claims()
        evening.gone(number).later(0.5).claims()
    evening.later(60).claims()
    assert evening.table._fusion.tracks == {}
    assert evening.table._fusion.placements == {}


def test_a_card_put_on_the_very_spot_of_one_that_went_long_ago_is_another(evening):
    quad = ((100.0, 100.0), (160.0, 100.0), (160.0, 190.0), (100.0, 190.0))
    evening.sees("donkey:giant", "middle", quad=quad).later().use_all().gone().later(10).claims()
    assert evening.sees("donkey:giant", "middle", 2, quad=quad).later().lying() == [
        ("donkey:giant", "middle")
    ]


def test_a_load_laid_where_the_last_rounds_load_lay_is_another_load(evening):
    quad = ((10.0, 10.0), (30.0, 10.0), (30.0, 40.0), (10.0, 40.0))
    evening.sees(None, "seat:1", quad=quad).later()
    (first,) = evening.claims()
    evening.table.mark_used([first.id])
    evening.gone(where="seat:1").later(1.2)
    evening.claims()
    evening.table.end_phase()
    evening.sees(None, "seat:1", track=2, quad=quad).later()
    (second,) = evening.claims()
    assert second.id != first.id


def test_a_tag_that_is_not_the_decks_is_no_face_down_card(evening):
    evening.sees(None, "pad 1", 1, "rfid a").sees(None, "seat:2", 2, "rfid a").later(3)
    assert evening.lying() == []
    assert [hint.code for hint in evening.table.list_hints(evening.now)] == ["table.hint.foreign"] * 2


def test_to_ask_what_lies_there_changes_nothing_until_it_is_offered(evening):
    evening.sees("donkey:giant", "middle").later()
    evening.table.update(evening.now)
    evening.gone().later()
    evening.table.update(evening.now)
    (claim,) = evening.table.list_claims(evening.now)
    assert evening.table.list_claims(evening.now) == (claim,)
    evening.table.mark_offered((claim,))
    assert evening.table.list_claims(evening.now) == ()


@pytest.mark.parametrize("name", ["was_tapped", "is_used", "was_offered"])
@pytest.mark.parametrize(("one", "other"), [(False, False), (True, False), (False, True), (True, True)])
def test_two_placements_of_one_card_become_one_with_the_history_of_both(name, one, other):
    placements = Placement(1, CardState("middle", "a"), 3.0), Placement(2, CardState("middle", "a"), 4.0)
    for placement, value, used_at in zip(placements, (one, other), (5.0, 6.0), strict=True):
        setattr(placement, name, value)
        placement.used_at = used_at
    placements[0].merge(placements[1])
    assert getattr(placements[0], name) is (one or other)
    assert (placements[0].id, placements[0].used_at) == (1, 6.0)


def test_a_full_table_takes_no_more_cards_but_lets_those_go_that_lie_there(evening, monkeypatch):
    monkeypatch.setattr("companion.table.table.MOST_CARDS", 3)
    for value in range(1, 6):
        evening.sees(f"load:red:{value}", "seat:1", value)
    assert len(evening.later().lying()) == 3
    evening.gone(1, where="seat:1").later(10)
    assert len(evening.lying()) == 2
    evening.sees("load:red:9", "seat:1", 9).later()
    assert len(evening.lying()) == 3


@pytest.mark.parametrize(("room", "pressed"), [(1, 1), (0, 0)])
def test_a_full_table_takes_no_button_either(evening, room, pressed, monkeypatch):
    monkeypatch.setattr("companion.table.table.MOST_CARDS", 1 + room)
    evening.sees("load:red:7", "seat:1").later().lying()
    evening.table.add_report(Press("rfid a", 1, "accept", evening.now))
    assert len(evening.later(0.1).lying()) == 1 + pressed


def test_three_players_whose_cards_lie_one_seat_further_get_a_hint(evening):
    evening.table = Table(evening.deck, {"red": 1, "blue": 2, "green": 3})
    assert lay_loads(evening, ("red:7", 2), ("blue:3", 3), ("green:1", 2)) == []
    assert lay_loads(evening, ("red:7", 2), ("blue:3", 3), ("green:1", 1)) == ["table.hint.turned"]


@pytest.mark.parametrize(
    ("face", "design", "candidates"),
    [
        ("down", "a", ()),
        ("down", None, ("a", "b")),
        ("down", "a", ("b",)),
        ("down", None, ()),
        ("up", "a", ("b",)),
    ],
)
def test_of_a_card_that_lies_face_down_nothing_is_shown(face, design, candidates):
    seen = Sighting("camera", 1, design, "middle", 0.0, face=face, candidates=candidates)
    shown = seen.redact()
    assert (shown.design, shown.candidates) == ((design, candidates) if face == "up" else (None, ()))
    assert ("'a'" in repr(seen), "'b'" in repr(seen)) == (face == "up", face == "up")
