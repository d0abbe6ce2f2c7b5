"""What the table hears of each fact, and which clauses an explanation cites."""

import pytest
from msgspec.structs import replace

from companion.games.donkey_valley import GAME
from companion.games.donkey_valley.cards import Card
from companion.games.donkey_valley.moves import (
    Donkey,
    LimitAdjusted,
    LoadsRevealed,
    LoadSwapped,
    LoadsWeighed,
)
from companion.texts import Translator
from tests.rules.donkey_valley.evening import Evening
from tests.rules.talk import setup_of

SAY = Translator("en", GAME)


def round_of(donkey, **limits):
    """The state after a donkey was turned up, with these limits now."""
    _, state = GAME.decide(GAME.start(setup_of(GAME, "ABC")), Donkey(donkey))[-1]
    return replace(state, round=replace(state.round, **limits))


NORMAL, PRECISE = round_of("normal"), round_of("precision")
TOLD = [
    (NORMAL, LoadSwapped("A"), "A exchanges a load."),
    (NORMAL, LoadSwapped("A", 7), "A exchanges the load for the 7, face up."),
    (NORMAL, LimitAdjusted("A", 2, 17, None), "A adds two: capacity 17."),
    (NORMAL, LimitAdjusted("A", -2, 13, None), "A takes off two: capacity 13."),
    (NORMAL, LimitAdjusted("A", 0, 15, None), "A leaves the limit: capacity 15."),
    (PRECISE, LimitAdjusted("A", 2, None, 7), "A adds two: largest difference allowed 7."),
    (NORMAL, LoadsRevealed("A", (3,)), "A shows 3."),
    (NORMAL, LoadsRevealed("A", (3,), overruled=True), "A shows 3; the table overrules the reader."),
    (NORMAL, LoadsWeighed((), 15, 9, False), "Total 15, capacity 15: not overloaded."),
    (NORMAL, LoadsWeighed((), 16, 9, True), "Total 16, capacity 15: overloaded!"),
    (PRECISE, LoadsWeighed((), 16, 5, False), "Difference 5, largest difference allowed 5: not overloaded."),
    (PRECISE, LoadsWeighed((), 16, 6, True), "Difference 6, largest difference allowed 5: overloaded!"),
    (
        round_of("attacked"),
        LoadsWeighed((Card("B", 9),), 16, 6, True),
        "Removed: B's 9. Total 16, capacity 15: overloaded!",
    ),
]


@pytest.mark.parametrize(("state", "event", "words"), TOLD, ids=[words for _, _, words in TOLD])
def test_what_is_said_of_a_fact(state, event, words):
    assert SAY.translate(event.describe(state)) == words


def test_a_draw_cites_a_removal_only_where_a_load_was_removed():
    """DV-19; DV-41 is the hand-picked donkey's."""
    evening = Evening("ABC", draws="table")
    evening.round("normal", [10, 9, 8], "RAA")
    evening.ok("draw", player="A", card={"owner": "B", "value": 9})
    assert evening.explained("A")[0]["clauses"] == ["DV-10", "DV-17", "DV-30", "DV-19"]


def test_a_donkey_that_most_refuse_says_how_many_of_how_many():
    """DV-39."""
    evening = Evening("ABCDE")
    evening.round("stubborn", [1, 2, 3, 4, 5], "RARAR")
    [verdict, *_] = GAME.explain_round(evening.referee.session.state)
    assert SAY.translate(verdict.text).endswith("3 of 5 refused, more than half.")
    assert verdict.clauses == ("DV-39",)
