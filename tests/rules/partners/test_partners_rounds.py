"""Worked moves and hands of Partners, clause by clause."""

import pytest

from companion.rules.partners import GAME
from companion.rules.partners.board import TRACK, goal_spots, occupants, spot
from companion.rules.partners.cards import KINDS
from companion.rules.partners.requests import Play
from tests.rules.partners.positions import HOME, NAMES, board, listed, moves, played, state_of
from tests.rules.talk import Talk


@pytest.fixture
def talk():
    return Talk("partners", NAMES)


def play(talk, player, card, *steps):
    entries = [dict(zip(("owner", "pawn", "to"), step.split(), strict=True)) for step in steps]
    for entry in entries:
        entry["pawn"] = int(entry["pawn"])
    return talk.ok("play", player=player, card=card, moves=entries)


# PA-1 to PA-3: the board


def test_the_track_has_sixty_spots_clockwise_and_four_goals_of_four():
    assert len(TRACK) == len(set(TRACK)) == 60
    assert TRACK[:3] == ("start 1", "1:1", "1:2")
    assert TRACK[13:17] == ("1:13", "1:14", "start 2", "2:1")
    assert TRACK[-1] == "4:14"
    assert goal_spots(2) == ("goal 2:4", "goal 2:3", "goal 2:2", "goal 2:1")


def test_who_stands_where_on_the_board_is_found_from_the_view():
    view = GAME.view(state_of(board(Ann="start 2:3 goal:1", Dot="2:3 start")))
    found = occupants([row["pawns"] for row in view["players"]])
    assert found["2:3"] == [(1, 2), (4, 1)]
    assert found["start 1"] == [(1, 1)]
    assert found["start 4"] == [(4, 2)]
    assert found["goal 1:1"] == [(1, 3)]
    assert found["base 2"] == [(2, 1), (2, 2), (2, 3), (2, 4)]
    assert spot(3, "goal:2") == "goal 3:2"


# PA-5: cards, deals, dealers


def test_the_fourth_player_deals_first_and_partners_exchange_before_the_first_card(talk):
    assert (talk.view["deal"], talk.view["dealer"], talk.view["phase"]) == (1, "Dot", "exchange")
    assert talk.column("cards_left") == [4, 4, 4, 4]
    assert talk.waiting == ["exchanged table"]
    talk.ok("exchanged")
    assert talk.waiting == ["play Ann", "fold Ann"]


def fold_all(talk):
    talk.ok("exchanged")
    for _ in NAMES:
        talk.ok("fold", player=talk.view["waiting_for"][0]["player"])


def test_a_dealer_deals_three_times_then_the_player_to_the_left(talk):
    seen = []
    for _ in range(7):
        seen.append((talk.view["dealer"], talk.view["deal"]))
        fold_all(talk)
    dealers = [(dealer, deal) for dealer in ("Dot", "Ann", "Bob") for deal in (1, 2, 3)]
    assert seen == dealers[:7]


def test_the_player_at_the_dealers_left_begins(talk):
    for _ in range(3):
        talk.ok("exchanged")
        assert talk.waiting[0] == "play Ann"
        talk.ok("undo")
        fold_all(talk)
    talk.ok("exchanged")
    assert talk.waiting[0] == "play Bob"


def test_each_plays_a_card_in_turn_and_those_without_cards_are_passed_over(talk):
    talk.ok("exchanged")
    play(talk, "Ann", "heart", "Ann 1 start")
    talk.ok("fold", player="Bob")
    talk.ok("fold", player="Cid")
    talk.ok("fold", player="Dot")
    assert talk.column("cards_left") == [3, 0, 0, 0]
    for place in ("1:2", "1:4", "1:6"):
        assert talk.waiting[0] == "play Ann"
        play(talk, "Ann", "2", f"Ann 1 {place}")
    assert (talk.view["phase"], talk.view["deal"]) == ("exchange", 2)
    assert talk.column("cards_left") == [4, 4, 4, 4]


def test_cards_are_counted_until_the_dealer_changes(talk):
    for _ in range(2):
        talk.ok("exchanged")
        for player, card in (("Ann", "heart"), ("Bob", "8"), ("Cid", "13"), ("Dot", "heart")):
            pawn = 1 + sum(place != "base" for place in talk.view["players"][NAMES.index(player)]["pawns"])
            play(talk, player, card, f"{player} {pawn} start")
        for _ in NAMES:
            talk.ok("fold", player=talk.view["waiting_for"][0]["player"])
    talk.ok("exchanged")
    heart = {"player": "Ann", "card": "heart", "moves": [{"owner": "Ann", "pawn": 3, "to": "start"}]}
    assert talk.refused("play", **heart) == "no_such_card PA-5"
    assert talk.refused("moves", player="Ann", card="heart") == "no_such_card PA-5"
    assert talk.refused("fold", player="Ann", cards=["heart", "2", "2", "2"]) == "no_such_card PA-5"
    for _ in NAMES:
        talk.ok("fold", player=talk.view["waiting_for"][0]["player"])
    talk.ok("exchanged")
    play(talk, "Bob", "heart", "Bob 3 start")


# PA-4, PA-7, PA-10: leaving, and what each card does


@pytest.mark.parametrize("card", KINDS)
def test_only_heart_8_and_13_leave_the_base(card):
    state = state_of(board())
    assert listed(state, card) == (["Ann 1 start"] if card in ("heart", "8", "13") else [])


@pytest.mark.parametrize(
    ("card", "places"),
    [
        ("heart", []),
        ("8", ["1:10"]),
        ("13", ["2:1"]),
        ("-4", ["4:12"]),
        ("1/14", ["1:3", "2:2"]),
        ("2", ["1:4"]),
        ("3", ["1:5"]),
        ("5", ["1:7"]),
        ("6", ["1:8"]),
        ("9", ["1:11"]),
        ("10", ["1:12"]),
        ("12", ["1:14"]),
        ("7", ["1:9"]),
    ],
)
def test_how_far_each_card_takes_a_pawn(card, places):
    three = "goal:1 goal:2 goal:3 1:2"
    assert listed(state_of(board(Ann=three)), card) == sorted(f"Ann 4 {place}" for place in places)


def test_pawns_share_the_start_and_starts_are_not_counted():
    after = played(state_of(board(Ann="start 1:13")), "heart", "Ann 3 start")
    assert after["Ann"] == "start 1:13 start base"
    assert played(state_of(board(Ann="start 1:13")), "2", "Ann 2 2:1")["Ann"] == "start 2:1 base base"
    assert played(state_of(board(Ann="start")), "3", "Ann 1 1:3")["Ann"] == "1:3 base base base"


# PA-2, PA-13: the goal


def test_a_pawn_that_would_pass_its_own_start_turns_into_its_goal():
    assert listed(state_of(board(Ann="4:13")), "3") == ["Ann 1 goal:3"]
    assert listed(state_of(board(Cid="2:13"), "Cid"), "3") == ["Cid 1 goal:3"]


def test_a_pawn_goes_in_as_far_as_it_can_and_back_out_by_the_rest():
    assert listed(state_of(board(Ann="4:14")), "6") == ["Ann 1 goal:3"]
    assert listed(state_of(board(Ann="4:14")), "10") == ["Ann 1 4:12"]
    assert played(state_of(board(Ann="goal:2 goal:4")), "5", "Ann 2 4:12")["Ann"] == "goal:2 4:12 base base"


def test_with_goal_4_taken_a_pawn_turns_at_square_14():
    assert listed(state_of(board(Ann="4:13 goal:4")), "3") == ["Ann 1 4:12", "Ann 2 goal:1"]


def test_a_move_may_end_where_it_began():
    assert (
        played(state_of(board(Ann="goal:3")), "-4")
        == "PA-7: Say which pawn goes where with the card “4 back”."
    )
    assert listed(state_of(board(Ann="goal:3")), "6") == ["Ann 1 4:14"]
    assert played(state_of(board(Ann="4:13")), "10", "Ann 1 4:13")["Ann"] == "4:13 base base base"


def test_a_pawn_does_not_turn_twice_nor_pass_an_own_pawn_in_the_goal():
    assert listed(state_of(board(Ann="goal:2 goal:4")), "3") == ["Ann 1 goal:3", "Ann 2 4:14"]
    refusal = played(state_of(board(Ann="goal:2 goal:3")), "3", "Ann 1 goal:4")
    assert refusal.startswith("PA-13: Ann's pawn 1 would have to turn")


def test_a_pawn_with_no_free_square_below_it_is_locked_for_good():
    state = state_of(board(Ann="goal:1 goal:2 goal:4"))
    assert [row["locked"] for row in GAME.view(state)["players"]] == [2, 0, 0, 0]
    assert played(state, "2", "Ann 1 goal:3").startswith("PA-13: Ann's pawn 1 is locked")
    assert listed(state, "1/14") == ["Ann 3 4:3", "Ann 3 goal:3"]


# PA-11: walls


def test_nobody_passes_a_wall_in_either_direction():
    state = state_of(board(Ann="1:13 2:2", Bob="start"))
    assert listed(state, "3") == ["Ann 2 2:5"]
    assert (
        played(state, "3", "Ann 1 2:2")
        == "PA-11: Ann's pawn 1 cannot pass: Bob has a pawn on the start, and that is a wall."
    )
    assert listed(state, "-4") == ["Ann 1 1:9"]
    assert listed(state, "1/14") == ["Ann 1 1:14", "Ann 2 2:3", "Ann 2 3:2"]


def test_its_owner_passes_it_backwards_and_enters_the_goal_beside_it():
    state = state_of(board(Ann="start 1:2 4:14"))
    assert listed(state, "-4") == ["Ann 1 4:11", "Ann 2 4:12", "Ann 3 4:10"]
    assert listed(state, "2") == ["Ann 1 1:2", "Ann 2 1:4", "Ann 3 goal:3"]


def test_the_own_wall_is_not_on_the_way_out_of_the_goal():
    inside = board(Ann="goal:4 start 4:13")
    assert listed(state_of(inside), "9") == ["Ann 1 4:12", "Ann 2 1:9", "Ann 3 4:6"]
    assert listed(state_of(inside), "5") == ["Ann 1 goal:3", "Ann 2 1:5", "Ann 3 4:10"]
    assert listed(state_of(board(Ann="start 4:14")), "9") == ["Ann 1 1:9", "Ann 2 4:13"]


def test_a_foreign_wall_stops_a_pawn_that_turned_before_its_goal():
    assert "Ann 2 3:14" in listed(state_of(board(Ann="goal:4 4:14")), "1/14")
    walled = state_of(board(Ann="goal:4 4:14", Dot="start"))
    assert "Ann 2 3:14" not in listed(walled, "1/14")
    assert played(walled, "1/14", "Ann 2 3:14").startswith("PA-11")


# PA-12: landing


def test_landing_on_a_single_pawn_sends_it_home_the_partners_too():
    state = state_of(board(Ann="1:3", Bob="1:6", Cid="1:5"))
    after = played(state, "3", "Ann 1 1:6")
    assert (after["Ann"], after["Bob"]) == ("1:6 base base base", "base base base base")
    assert played(state, "2", "Ann 1 1:5")["Cid"] == "base base base base"


def test_landing_on_two_of_another_player_sends_the_arriving_pawn_home():
    after = played(state_of(board(Ann="1:3", Bob="1:6 1:6")), "3", "Ann 1 1:6")
    assert (after["Ann"], after["Bob"]) == ("base base base base", "1:6 1:6 base base")


def test_own_pawns_stack_or_are_captured_as_the_option_says():
    twins = board(Ann="1:3 1:6 start")
    assert played(state_of(twins), "3", "Ann 1 1:6")["Ann"] == "1:6 1:6 start base"
    capture = state_of(twins, own_pawn="capture")
    assert played(capture, "3", "Ann 1 1:6")["Ann"] == "1:6 base start base"
    assert played(capture, "heart", "Ann 4 start")["Ann"] == "1:3 1:6 start start"


def test_own_is_the_moving_pawns_colour_whoever_moves_it():
    helper = board(Ann=HOME, Cid="1:3 1:6", Bob="1:5")
    assert played(state_of(helper), "3", "Cid 1 1:6")["Cid"] == "1:6 1:6 base base"
    assert played(state_of(helper), "2", "Cid 1 1:5")["Bob"] == "base base base base"


# PA-14: four back


@pytest.mark.parametrize(
    ("place", "to"),
    [
        ("start", "4:11"),
        ("1:1", "4:11"),
        ("1:2", "4:12"),
        ("1:3", "4:13"),
        ("1:4", "4:14"),
        ("1:5", "1:1"),
        ("2:2", "1:12"),
    ],
)
def test_four_back_over_a_start_does_not_count_it(place, to):
    assert listed(state_of(board(Ann=place)), "-4") == [f"Ann 1 {to}"]


def test_a_pawn_that_went_back_over_its_start_is_close_to_its_goal():
    state = state_of(board(Ann="4:13"))
    assert listed(state, "5") == ["Ann 1 goal:1"]


def test_four_back_moves_nobody_in_goal_or_base():
    state = state_of(board(Ann="goal:4"))
    assert listed(state, "-4") == []
    assert played(state, "-4", "Ann 1 4:11").startswith("PA-14: Ann's pawn 1 is in the goal")
    assert played(state, "-4", "Ann 2 4:11").startswith("PA-10: Ann's pawn 2 is in its base")


# PA-7: the swap must be played


def test_a_swap_is_played_also_without_own_pawns_out(talk):
    talk.ok("exchanged")
    play(talk, "Ann", "heart", "Ann 1 start")
    play(talk, "Bob", "heart", "Bob 1 start")
    assert talk.refused("fold", player="Cid", cards=["swap", "2", "8", "3"]) == "could_play PA-6"
    talk.ok("fold", player="Cid", cards=["swap", "2", "2", "3"])
    talk.ok("fold", player="Dot")
    play(talk, "Ann", "2", "Ann 1 1:2")
    play(talk, "Bob", "3", "Bob 1 2:3")
    talk.ok("fold", player="Ann")
    talk.ok("fold", player="Bob")
    talk.ok("exchanged")
    assert talk.refused("fold", player="Ann", cards=["swap", "swap", "swap", "heart"]) == "could_play PA-7"


# PA-6: folds


def test_a_shown_hand_is_checked_and_counts_as_played(talk):
    talk.ok("exchanged")
    assert talk.refused("fold", player="Ann", cards=["heart", "2", "2", "3"]) == "could_play PA-6"
    talk.ok("fold", player="Ann", cards=["2", "2", "2", "3"])
    talk.ok("fold", player="Bob", cards=["2", "5", "5", "3"])
    assert talk.refused("moves", player="Cid", card="2") == "no_such_card PA-5"
    assert talk.column("cards_left") == [0, 0, 4, 4]


def test_a_fold_without_cards_is_believed_and_its_cards_do_not_count(talk):
    talk.ok("exchanged")
    talk.ok("fold", player="Ann")
    assert talk.reply("moves", player="Bob", card="heart")["moves"] == [
        [{"owner": "Bob", "pawn": 1, "to": "start"}]
    ]


# PA-17, PA-18: helping, winning


def test_a_player_whose_four_are_locked_plays_with_the_partners_pawns():
    state = state_of(board(Ann=HOME, Cid="3:1"))
    assert listed(state, "8") == ["Cid 1 3:9", "Cid 2 start"]
    assert played(state, "heart", "Ann 1 start").startswith("PA-17: All four pawns of Ann are locked")
    assert GAME.awaited(state).code == "awaited.play_partner"


def test_the_team_with_eight_locked_pawns_wins_and_deal_and_hands_stay():
    state = state_of(board(Ann=HOME, Cid="goal:1 goal:2 goal:3 2:14", Bob=HOME))
    done = GAME.decide(state, Play("Ann", "1/14", moves("Cid 4 goal:4")))
    for event in done:
        state = GAME.evolve(state, event)
    view = GAME.view(state)
    assert (view["phase"], view["waiting_for"], view["deal"]) == ("game_over", [], 1)
    assert [row["cards_left"] for row in view["players"]] == [3, 4, 4, 4]
    assert view["result"] == {
        "winners": ["Ann", "Cid"],
        "ranking": [
            {"player": "Ann", "points": 4, "rank": 1},
            {"player": "Cid", "points": 4, "rank": 1},
            {"player": "Bob", "points": 4, "rank": 3},
            {"player": "Dot", "points": 0, "rank": 3},
        ],
    }
    assert [reason.points for reason in GAME.explain(state, "Bob")] == [1, 1, 1, 1, 0]
