"""DTC by its options: one scene for each value, the same cards, another result."""

import pytest

from tests.rules.talk import Talk

NAMES = ["Ann", "Ben", "Cy"]


@pytest.mark.parametrize(
    ("variant", "taker"),
    [
        ("off", {"4 5": "Ann", "5 6": "Ann"}),
        ("all_higher", {"4 5": "Ann", "5 6": "Ben"}),
        ("at_least", {"4 5": "Ben", "5 6": "Ben"}),
    ],
)
def test_who_takes_two_cards_that_were_said_to_be_fours(variant, taker):
    """DTC-8: Ann offers, Ben challenges."""
    for cards, player in taker.items():
        talk = Talk("dtc", NAMES, variant=variant)
        talk.ok("offer", player="Ann", count=2, value=4)
        talk.ok("challenge", player="Ben")
        talk.ok("reveal", cards=cards.split())
        assert talk.column("points") == [2 * (name == player) for name in NAMES]


@pytest.mark.parametrize(("hands_only", "waiting"), [(False, "offer Ann"), (True, "count Ann")])
def test_a_game_is_played_with_the_companion_or_only_its_end_is_told(hands_only, waiting):
    """DTC-11."""
    assert Talk("dtc", NAMES, hands_only=hands_only).waiting[0] == waiting
