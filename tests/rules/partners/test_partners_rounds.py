"""The rounds of Partners, clause by clause: deals, turns, folds, helping and winning."""

import pytest

from companion.games.partners import GAME
from companion.games.partners.board import TRACK, format_spot, list_goal_spots, map_occupants
from companion.games.partners.moves import Play
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
    assert list_goal_spots(2) == ("goal 2:4", "goal 2:3", "goal 2:2", "goal 2:1")


def test_who_stands_where_on_the_board_is_found_from_the_view():
    view = GAME.view(state_of(board(Ann="start 2:3 goal:1", Dot="2:3 start")))
    found = map_occupants([row["pawns"] for row in view["players"]])
    assert found["2:3"] == [(1, 2), (4, 1)]
    assert found["start 1"] == [(1, 1)]
    assert found["start 4"] == [(4, 2)]
    assert found["goal 1:1"] == [(1, 3)]
    assert found["base 2"] == [(2, 1), (2, 2), (2, 3), (2, 4)]
    assert format_spot(3, "goal:2") == "goal 3:2"


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
    assert GAME.describe_awaited(state).code == "awaited.play_partner"


def test_the_team_with_eight_locked_pawns_wins_and_deal_and_hands_stay():
    state = state_of(board(Ann=HOME, Cid="goal:1 goal:2 goal:3 2:14", Bob=HOME))
    _, state = GAME.decide(state, Play("Ann", "1/14", moves("Cid 4 goal:4")))[-1]
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
    assert [reason.points for reason in GAME.explain_points(state, "Bob")] == [1, 1, 1, 1, 0]


def test_a_game_is_told_by_its_end_and_one_team_has_won():
    talk = Talk("partners", ["Ann", "Bob", "Cid", "Dot"], hands_only=True)
    assert talk.refused("exchanged") == "wrong_phase PA-5"
    assert talk.refused("home", player="Bob", pawns=5) == "bad_count PA-2"
    talk.ok("home", player="Bob", pawns=4)
    assert talk.refused("home", player="Bob", pawns=4) == "already_done PA-19"
    talk.ok("home", player="Cid", pawns=2)
    assert talk.refused("home", player="Dot", pawns=3) == "bad_count PA-18", "nobody would have won"
    talk.ok("home", player="Dot", pawns=4)
    assert talk.waiting == ["home Ann"]
    view = talk.ok("home", player="Ann", pawns=4)
    assert (view["result"]["winners"], talk.column("points")) == (["Bob", "Dot"], [4, 4, 2, 4])
    assert [row["points"] for row in talk.explained("Cid")] == [2, 0]


def test_both_teams_cannot_have_won():
    talk = Talk("partners", ["Ann", "Bob", "Cid", "Dot"], hands_only=True)
    for player in ("Ann", "Bob", "Cid"):
        talk.ok("home", player=player, pawns=4)
    assert [one["pawns"] for one in talk.reply("legal", player="Dot")["legal"]] == [0, 1, 2, 3]
    assert talk.refused("home", player="Dot", pawns=4) == "bad_count PA-18"
