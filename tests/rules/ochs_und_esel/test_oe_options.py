"""Ochs & Esel by its options: one scene for each value, the same cards, another result."""

import pytest

from tests.rules.ochs_und_esel.test_oe_rounds import play, refused, table


@pytest.mark.parametrize(("deal", "hands"), [(None, [14, 13, 13]), (2, [3, 2, 2])])
def test_as_many_cards_are_dealt_as_the_sheet_says_or_as_the_players_chose(deal, hands):
    """OE-2: the first player holds the donkey as well."""
    assert table(deal=deal).column("hand") == hands


@pytest.mark.parametrize("rounds", [5, 1])
def test_the_game_has_as_many_hands_as_chosen(rounds):
    """OE-9."""
    talk = table(rounds=rounds, hands_only=True)
    for hand in range(1, rounds + 1):
        assert (talk.view["phase"], talk.view["hand_number"]) == ("hands", hand)
        play(talk, "Ann: donkey", "Ben:", "Cy: 2")
    assert (talk.view["phase"], talk.column("points")) == ("game_over", [20 * rounds, 0, 2 * rounds])


@pytest.mark.parametrize(("ox", "holders"), [(False, ["Ann", None]), (True, ["middle", "Cy"])])
def test_the_winner_of_the_first_trick_takes_the_ox_where_there_is_one(ox, holders):
    """OE-3, OE-20."""
    talk = table(ox=ox)
    play(talk, "Ann 1", "Ben 2", "Cy 3")
    assert [talk.view["donkey"], talk.view["ox"]] == holders
    assert refused(talk, "Cy ox") == ("animal_barred OE-20" if ox else "not_holding OE-20")


@pytest.mark.parametrize(("hands_only", "waiting"), [(False, "play Ann"), (True, "hand Ann")])
def test_a_hand_is_played_with_the_companion_or_only_its_end_is_told(hands_only, waiting):
    """OE-12."""
    assert table(hands_only=hands_only).waiting[0] == waiting
