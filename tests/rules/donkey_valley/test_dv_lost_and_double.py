"""Lost and double donkeys (DV-37, DV-38): what is set aside, what leaves unseen, and who is
first."""

import pytest

from tests.rules.donkey_valley.evening import Evening

NORMAL = ("normal", [1, 1, 1], "AAA")


def rounds(evening, count, start=2):
    """Play normal rounds in which nobody wins much: everybody refuses a light donkey."""
    for value in range(start, start + count):
        evening.round("normal", [value] * 3, "RRR" if value * 3 <= 15 else "AAA")


def test_a_lost_donkey_goes_aside_with_its_loads_and_the_first_player_moves():
    evening = Evening()
    evening.donkey("lost")
    view = evening.load(4, 5, 6)
    assert (view["phase"], view["set_aside"], view["first_player"], view["donkey"]) == (
        "donkey",
        1,
        "B",
        "lost",
    )
    assert (evening.column("loads_down"), evening.column("hand")) == ([0, 0, 0], [9, 9, 9])
    assert (view["total"], view["round"], view["donkeys_left"]) == (None, 1, 7)


def test_it_goes_on_with_favours_after_the_last_donkey_and_shows_its_own_round():
    evening = Evening()
    evening.round(*NORMAL)
    evening.donkey("lost")
    evening.load(4, 5, 6)
    rounds(evening, 1)
    rounds(evening, 1, 3)
    for value in (7, 8, 9, 10):
        evening.round("normal", [value] * 3, "AAA")
    view = evening.view
    assert (view["phase"], view["donkey"], view["round"], view["set_aside"]) == ("favours", "lost", 2, 0)
    assert (view["capacity"], view["first_player"], view["donkeys_left"]) == (15, "C", 0)
    assert (evening.column("loads_down"), evening.column("loads_up")) == ([1, 1, 1], [[], [], []])
    assert evening.waiting == ["favour C", "no_favour C"]
    evening.favours()
    evening.decide("AAR")
    evening.reveal(A=[4], B=[5], C=[6])
    assert evening.view["phase"] == "game_over"
    assert evening.points == [5, 6, 1]
    assert evening.view["first_player"] == "A"


def test_favours_spent_while_it_was_lost_are_gone_when_it_returns():
    evening = Evening()
    evening.donkey("lost")
    evening.load(3, 3, 3)
    evening.round("normal", [1, 1, 1], "AAA", A=10)
    evening.round("normal", [2, 2, 2], "AAA", A=6)
    evening.ok("adjust", player="A", delta=0)
    evening.reveal()
    for value in (5, 7, 9, 4, 8):
        evening.round("normal", [value] * 3, "AAA")
    assert evening.view["donkey"] == "lost"
    assert evening.waiting == ["favour C", "no_favour C"]
    evening.favours()
    assert evening.refused("reveal", player="A", values=[10]) == "wrong_phase DV-17"
    evening.decide("AAA")
    assert evening.refused("reveal", player="A", values=[10]) == "card_spent DV-50"
    evening.ok("reveal", player="A", values=[3])


def test_several_lost_donkeys_return_in_their_order():
    evening = Evening()
    evening.donkey("lost")
    evening.load(1, 1, 1)
    evening.donkey("lost")
    view = evening.load(2, 2, 2)
    assert view["set_aside"] == 2
    for value in (3, 4, 5, 6, 7, 8):
        evening.round("normal", [value] * 3, "AAA")
    assert (evening.view["round"], evening.view["set_aside"], evening.view["first_player"]) == (1, 1, "C")
    evening.favours()
    evening.decide("AAA")
    evening.reveal(A=[1], B=[1], C=[1])
    assert (evening.view["round"], evening.view["set_aside"], evening.view["first_player"]) == (2, 0, "A")
    evening.favours()
    evening.decide("AAA")
    evening.reveal(A=[2], B=[2], C=[2])
    assert (evening.view["phase"], evening.view["first_player"]) == ("game_over", "B")


def test_a_lost_donkey_at_the_very_end_goes_on_at_once():
    evening = Evening()
    for value in range(1, 8):
        evening.round("normal", [value] * 3, "AAA")
    assert evening.view["first_player"] == "B"
    evening.donkey("lost")
    view = evening.load(8, 9, 10)
    assert (view["phase"], view["first_player"], view["set_aside"], view["round"]) == ("favours", "B", 0, 8)
    assert [event["type"] for event in evening.events] == ["load_played", "phase_began"]


def test_a_lost_donkey_at_the_end_waits_behind_another():
    evening = Evening()
    evening.donkey("lost")
    evening.load(1, 1, 1)
    for value in range(2, 8):
        evening.round("normal", [value] * 3, "AAA")
    assert evening.view["first_player"] == "B"
    evening.donkey("lost")
    view = evening.load(8, 9, 10)
    assert (view["round"], view["set_aside"], view["first_player"], view["phase"]) == (1, 1, "C", "favours")


def test_a_double_counts_as_two_rounds_and_the_last_donkey_leaves_unseen():
    evening = Evening()
    view = evening.donkey("double")
    assert (view["round"], view["donkeys_left"], view["capacity"]) == (1, 6, 30)
    assert "donkey_removed" in [event["type"] for event in evening.events]
    evening.load((1, 2), (3,), (4, 5))
    assert (evening.column("loads_down"), evening.column("hand")) == ([2, 1, 2], [8, 9, 8])
    evening.favours()
    evening.decide("AAR")
    evening.reveal()
    assert evening.view["total"] == 15
    assert evening.points == [3, 3, 0]
    assert evening.donkey("normal")["round"] == 3


def test_a_double_that_takes_the_last_donkey_ends_the_game():
    evening = Evening()
    for value in range(1, 7):
        evening.round("normal", [value] * 3, "AAA")
    view = evening.donkey("double")
    assert (view["round"], view["donkeys_left"]) == (7, 0)
    evening.load((7, 8), (7, 8), (7, 8))
    evening.favours()
    evening.decide("AAA")
    assert evening.reveal()["phase"] == "game_over"


def test_a_double_as_the_last_donkey_is_a_normal_one():
    evening = Evening()
    for value in range(1, 8):
        evening.round("normal", [value] * 3, "AAA")
    view = evening.donkey("double")
    assert (view["donkey"], view["capacity"], view["round"], view["donkeys_left"]) == ("double", 15, 8, 0)
    assert evening.refused("load", player="A", count=2) == "bad_value DV-38"
    evening.load(8, 9, 10)
    evening.favours()
    evening.decide("RAA")
    assert evening.reveal()["overloaded"] is True
    assert evening.won("A") != ""
    assert "no donkey" not in evening.explained("A")[-1]["text"]
    assert "last of the pile" in evening.explained("A")[-1]["text"]


@pytest.mark.parametrize(("option", "good", "bad"), [("may", [1, 2], [0, 3]), ("must", [2], [0, 1, 3])])
def test_how_many_loads_a_double_takes(option, good, bad):
    for count in good:
        evening = Evening(double_loads=option)
        evening.donkey("double")
        assert evening.ok("load", player="A", count=count)["players"][0]["loads_down"] == count
    for count in bad:
        assert evening.refused("load", player="B", count=count) == "bad_value DV-38"
    if option == "must":
        assert evening.refused("load", player="B") == "bad_value DV-38"


def test_one_favour_a_round_and_one_load_exchanged_also_on_a_double():
    evening = Evening()
    evening.round("double", [(1, 2), (3, 4), (5, 6)], "AAA", A=4, B=10)
    evening.ok("swap_load", player="A", swap=True)
    assert evening.refused("swap_load", player="A", swap=True) == "wrong_phase DV-16"
    assert evening.column("favours_left") == [1, 1, 2]
    evening.ok("reveal", player="A", values=[1, 9])
    assert evening.refused("reveal", player="B", values=[3]) == "bad_value DV-17"
    evening.ok("reveal", player="B", values=[4, 3])
