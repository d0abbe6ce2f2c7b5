"""Ascend by both readings of a sentence: one scene for each option, the same cards, another
result."""

import pytest

from tests.rules.ascend.ascend_talk import FOUR, THREE, refusal
from tests.rules.talk import Talk


def begun(**options):
    talk = Talk("ascend", ["Ann", "Ben", "Cy"], **options)
    talk.ok("exchanged")
    return talk


@pytest.mark.parametrize(("bombs", "kind"), [("any", "bomb"), ("unlike", "set")])
def test_personalities_that_share_rank_and_suit_are_a_bomb_or_a_set(bombs, kind):
    """AS-13: both pawns have knots. A lower bomb answers the set, but not the bomb."""
    talk = begun(bombs=bombs)
    talk.ok("play", player="Ann", cards=["watchman", "light_keeper"])
    assert talk.view["trick"] == {"kind": kind, "count": 2, "rank": "pawn", "player": "Ann"}
    if kind == "bomb":
        assert talk.refused("play", player="Ben", cards=["author", "consul"]) == "does_not_beat AS-14"
    else:
        talk.ok("play", player="Ben", cards=["author", "consul"])
        assert talk.view["trick"]["kind"] == "bomb"
        assert talk.refused("play", player="Cy", cards=["desert", "cave"]) == "not_a_combination AS-11"


@pytest.mark.parametrize(
    ("cards", "trick"),
    [
        ("consul bard", ("bomb", "court")),
        ("excuse author savage", ("bomb", "excuse")),
        ("lunatic penitent", ("set", "6")),
        ("huntress bard", None),
        ("author consul", None),
        ("author savage consul", None),
    ],
)
def test_a_strict_bomb_shares_no_rank_and_no_suit(cards, trick):
    """AS-13: what makes a set is that set; all other personalities together are nothing."""
    talk = begun(bombs="strict")
    if trick is None:
        assert refusal(talk, "Ann", cards).split(": ")[0] == "not_a_combination"
        told = talk.reply("play", player="Ann", cards=cards.split())["error"]
        assert told["clause"] == "AS-13"
        assert "so this isn't a bomb here (option bombs=strict). To lead," in told["message"]
        assert "no two share a rank or a suit (option bombs=strict)." in told["message"]
    else:
        talk.ok("play", player="Ann", cards=cards.split())
        assert (talk.view["trick"]["kind"], talk.view["trick"]["rank"]) == trick


@pytest.mark.parametrize(
    ("bombs", "led", "answer", "needed"),
    [
        ("strict", "consul bard", "author savage", "Play a bomb of 2, rank court."),
        ("any", "consul huntress bard", "author savage sailor", "Play a bomb of 3, rank court."),
        (
            "strict",
            "origin savage sailor forest market",
            "castle",
            "Play a run of 5 up to 6 or higher.",
        ),
        (
            "strict",
            "ace_of_moons ace_of_suns ace_of_waves ace_of_leaves ace_of_wyrms",
            "castle",
            "Play a set of 5, rank ace or higher.",
        ),
    ],
)
def test_no_bomb_is_asked_for_that_there_is_not(bombs, led, answer, needed):
    talk = begun(bombs=bombs)
    talk.ok("play", player="Ann", cards=led.split())
    assert refusal(talk, "Ben", answer).endswith(needed)


@pytest.mark.parametrize(
    ("cards", "rank"), [("painter savage author", "2"), ("huntress bard", "crown"), ("lunatic penitent", "6")]
)
def test_personalities_that_differ_in_rank_or_in_suit_are_a_bomb(cards, rank):
    """AS-13: « … qui ne coïncident pas par la couleur ou par le rang »."""
    talk = begun(bombs="unlike")
    talk.ok("play", player="Ann", cards=cards.split())
    assert (talk.view["trick"]["kind"], talk.view["trick"]["rank"]) == ("bomb", rank)


def test_more_personalities_than_the_two_that_share_rank_and_suit_are_nothing():
    talk = begun(bombs="unlike")
    told = talk.reply("play", player="Ann", cards=["watchman", "light_keeper", "author"])["error"]
    assert (told["code"], told["clause"]) == ("not_a_combination", "AS-13")
    assert "share both rank and suit, so this isn't a bomb here (option bombs=unlike)" in told["message"]


def test_where_an_option_refuses_it_is_named():
    talk = begun(bombs="unlike")
    talk.ok("play", player="Ann", cards=["island", "rite"])
    told = refusal(talk, "Ben", "watchman light_keeper")
    assert told.startswith(
        "does_not_beat: That is a set of 2, rank pawn (personalities, option bombs=unlike), which"
    )
    assert "bomb_size" not in refusal(talk, "Ben", "lunatic huntress light_keeper")
    talk = begun()
    talk.ok("play", player="Ann", cards=["author", "consul"])
    told = refusal(talk, "Ben", "lunatic huntress light_keeper")
    assert told.startswith(
        "wrong_count: That is a bomb of 3, rank 6; a bomb needs as many cards as the bomb it answers"
    )
    assert "(option bomb_size=same)" in told


@pytest.mark.parametrize(
    ("led", "answer", "needed"),
    [
        ("huntress bard", "author consul", "Play a bomb of 2, rank crown."),
        ("island rite", "castle cave", "Play a set of 2, rank court, or a bomb of 2."),
        (
            "castle diplomat ace_of_suns",
            "origin savage sailor",
            "Play a run of 3 up to 9, or a bomb of 3.",
        ),
        ("consul huntress", "author lunatic", "Play a bomb of 2, rank court or higher."),
    ],
)
def test_where_nothing_is_higher_nothing_higher_is_asked_for(led, answer, needed):
    talk = begun()
    talk.ok("play", player="Ann", cards=led.split())
    assert refusal(talk, "Ben", answer).endswith(needed)


def test_crowns_make_no_set_by_any_reading():
    talk = begun(bombs="unlike")
    talk.ok("play", player="Ann", cards=["huntress", "bard"])
    assert talk.view["trick"]["kind"] == "bomb"


@pytest.mark.parametrize("bomb_size", ["same", "larger"])
def test_a_bomb_is_answered_by_one_as_large_or_by_a_larger_one_of_any_rank(bomb_size):
    """AS-14: what answers the larger one has its size."""
    talk = begun(bomb_size=bomb_size)
    talk.ok("play", player="Ann", cards=["watchman", "light_keeper"])
    three = ["author", "painter", "sailor"]
    if bomb_size == "same":
        assert talk.refused("play", player="Ben", cards=three) == "wrong_count AS-14"
        return
    talk.ok("play", player="Ben", cards=three)
    assert talk.view["trick"] == {"kind": "bomb", "count": 3, "rank": "2", "player": "Ben"}
    assert talk.refused("play", player="Cy", cards=["huntress", "bard"]) == "wrong_count AS-14"
    talk.ok("play", player="Cy", cards=["castle", "cave", "chance_meeting"])


def test_a_larger_bomb_answers_bombs_only():
    talk = begun(bomb_size="larger")
    talk.ok("play", player="Ann", cards=["castle", "cave"])
    assert talk.refused("play", player="Ben", cards=["author", "painter", "sailor"]) == "wrong_count AS-4"
    assert talk.refused("play", player="Ben", cards=["watchman"]) == "wrong_count AS-4"


@pytest.mark.parametrize(("deck", "hand", "excuse"), [("extended", 15, True), ("basic", 12, False)])
def test_the_basic_deck_lacks_excuse_pawns_and_courts(deck, hand, excuse):
    """AS-1."""
    talk = begun(deck=deck)
    assert talk.column("hand") == [hand] * 3
    if excuse:
        talk.ok("play", player="Ann", cards=["excuse"])
    else:
        assert talk.refused("play", player="Ann", cards=["excuse"]) == "unknown_card AS-1"


@pytest.mark.parametrize(("target", "hands"), [(9, 1), (50, 6)])
def test_the_game_ends_after_the_hand_that_reaches_the_target(target, hands):
    """AS-21: nine points a hand for the same winner."""
    talk = Talk("ascend", THREE, target=target, hands_only=True)
    for _ in range(hands):
        assert talk.view["phase"] == "hands"
        talk.ok("out", player="Ann")
        talk.ok("out", player="Ben")
    assert talk.view["phase"] == "game_over"


@pytest.mark.parametrize(("bidding", "points"), [(False, [9, 4, 0]), (True, [8 + 14, 4, 0])])
def test_a_promise_is_made_where_there_is_bidding(bidding, points):
    """AS-30, AS-20."""
    talk = Talk("ascend", THREE, bidding=bidding, hands_only=True)
    if bidding:
        talk.ok("promised", player="Ann", worth=14)
    else:
        assert talk.refused("promised", player="Ann", worth=14) == "no_promise AS-30"
    talk.ok("out", player="Ann")
    talk.ok("out", player="Ben")
    assert talk.column("points") == points


@pytest.mark.parametrize(("shares", "share"), [("exact", "7/3"), ("floor", 2)])
def test_a_broken_promise_is_shared_exactly_or_the_remainder_is_dropped(shares, share):
    """AS-30: seven among three opponents; Dee is last, and has nothing but her share."""
    talk = Talk("ascend", FOUR, bidding=True, shares=shares, hands_only=True)
    talk.ok("promised", player="Ann", worth=7)
    for player in ("Ben", "Cy", "Ann"):
        talk.ok("out", player=player)
    assert talk.column("points")[3] == share


@pytest.mark.parametrize(("hands_only", "waiting"), [(False, "exchanged table"), (True, "out Ann")])
def test_a_hand_is_played_with_the_companion_or_only_its_end_is_told(hands_only, waiting):
    """AS-22."""
    assert Talk("ascend", THREE, hands_only=hands_only).waiting[0] == waiting
