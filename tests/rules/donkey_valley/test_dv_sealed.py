"""Sealed loads (DV-51): a reader saw what lies face down; the referee keeps it to itself and
notices an exchange without favour."""

import json
import re

import msgspec
import pytest

from companion.games.donkey_valley import GAME
from companion.games.donkey_valley.moves import Donkey, Load, NoFavour, Reveal
from companion.rules.contract import Refusal, Text
from companion.rules.session import Session
from companion.texts import Translator
from tests.correcting import correct
from tests.rules.donkey_valley.evening import Evening
from tests.rules.talk import setup_of


def test_nobody_outside_says_what_lies_under_a_seal():
    evening = sealed([3], [4], [5])
    told = {"seal": "0" * 64, "card": 7, "nonce": "0"}
    assert evening.refused("reveal", player="A", values=[7], opened=[told]) == "bad_request"


def sealed(*laid, kind="normal", **favours):
    """Everybody lays what `laid` says, read by a reader; everybody accepts."""
    evening = Evening("ABC")
    evening.donkey(kind)
    for name, values in zip("ABC", laid, strict=True):
        evening.ok("load", player=name, count=len(values), sealed=values)
    evening.favours(**favours)
    evening.decide("AAA")
    return evening


def test_what_was_laid_can_be_revealed_and_nothing_else():
    evening = sealed([3], [4], [5])
    assert evening.refused("reveal", player="A", values=[7]) == "sealed_mismatch DV-51"
    evening.ok("reveal", player="A", values=[3])
    assert evening.event("loads_revealed") == {
        "type": "loads_revealed",
        "player": "A",
        "values": [3],
        "overruled": False,
    }


def test_the_table_may_overrule_and_that_is_kept():
    evening = sealed([3], [4], [5])
    evening.ok("reveal", player="A", values=[7], overrule=True)
    assert evening.event("loads_revealed")["overruled"] is True
    evening.ok("reveal", player="B", values=[4], overrule=True)
    assert evening.event("loads_revealed")["overruled"] is False
    evening.ok("reveal", player="C", values=[5])
    report = [reason.text.code for reason in GAME.explain_round(evening.referee.session.state)]
    assert report.count("report.overruled") == 1


def test_two_loads_are_compared_in_any_order():
    evening = sealed([3, 8], [4], [5], kind="double")
    assert evening.refused("reveal", player="A", values=[3, 9]) == "sealed_mismatch DV-51"
    evening.ok("reveal", player="A", values=[8, 3])


def test_after_favour_four_the_new_load_counts():
    evening = sealed([3], [4], [5], A=4)
    evening.ok("swap_load", player="A", swap=True, sealed=9)
    assert evening.refused("reveal", player="A", values=[3]) == "sealed_mismatch DV-51"
    evening.ok("reveal", player="A", values=[9])
    [revealed] = evening.referee.session.current_moment.act.events
    assert [one.card for one in revealed.opened] == [9], "the load that went back to the hand stays secret"


def test_after_a_favour_four_that_no_reader_saw_one_load_may_be_anything():
    evening = sealed([3], [4], [5], A=4)
    evening.ok("swap_load", player="A", swap=True)
    evening.ok("reveal", player="A", values=[10])
    assert "loads_revealed" in [event["type"] for event in evening.events]


@pytest.mark.parametrize(
    ("came", "good", "bad"),
    [
        (None, [[3, 9], [9, 8], [3, 8]], [[9, 10]]),
        (9, [[3, 9], [9, 8]], [[3, 8], [3, 10], [9, 10]]),
    ],
)
def test_on_a_double_favour_four_explains_one_load_only(came, good, bad):
    evening = sealed([3, 8], [4], [5], kind="double", A=4)
    evening.ok("swap_load", player="A", swap=True, sealed=came)
    for values in bad:
        assert evening.refused("reveal", player="A", values=values) == "sealed_mismatch DV-51"
    for values in good:
        evening.ok("reveal", player="A", values=values)
        evening.ok("undo")


def test_a_declined_favour_four_explains_nothing():
    evening = sealed([3], [4], [5], A=4)
    evening.ok("swap_load", player="A", swap=False)
    assert evening.refused("reveal", player="A", values=[9]) == "sealed_mismatch DV-51"


def test_a_lost_donkey_keeps_its_seals():
    evening = Evening("ABC")
    for value in range(1, 8):
        evening.round("normal", [value] * 3, "AAA")
    evening.donkey("lost")
    for name in "ABC":
        evening.ok("load", player=name, sealed=[8])
    evening.favours()
    evening.decide("AAA")
    assert evening.refused("reveal", player="A", values=[9]) == "sealed_mismatch DV-51"


@pytest.mark.parametrize("wrong", [[1, 2], [0], [11], [-3]])
def test_readings_that_cannot_be(wrong):
    evening = Evening("ABC")
    evening.donkey("normal")
    assert evening.refused("load", player="A", sealed=wrong).startswith("bad_value")
    session = evening.referee.session
    refusal = session.game.check_sealed_cards(session.state, "A", [3, "joker"])
    assert (refusal.code, refusal.clause) == ("bad_value", "DV-1")
    assert refusal.text == Text("refusal.value_range", {"value": "?", "least": 1, "most": 10})


def test_a_load_is_there_once_so_it_is_read_once():
    """DV-50: twice on a double, or again after it was shown; nothing stays committed to."""
    evening = Evening("ABC")
    evening.round("normal", [7] * 3, "AAA")
    evening.donkey("double")
    assert evening.refused("load", player="A", count=2, sealed=[3, 3]) == "card_spent DV-50"
    assert evening.refused("load", player="A", count=2, sealed=[7, 3]) == "card_spent DV-50"
    evening.ok("load", player="A", count=2, sealed=[3, 4])


TWICE = {
    "en": "A has only one 3; it was named twice.",
    "fr": "A n’a qu’un seul 3\xa0; il a été donné deux fois.",
    "de": "A hat nur eine 3; sie wurde zweimal genannt.",
}


@pytest.mark.parametrize("language", TWICE)
def test_of_a_value_named_twice_nobody_says_that_it_was_shown(language):
    """Sealed, and at the reveal; it lies face down both times."""
    translator = Translator(language, GAME).translate
    evening = Evening("ABC")
    evening.donkey("double")
    refused = [evening.referee.session.act(Load("A", 2, None, (3, 3)))]
    evening.load((3, 4), (1, 2), (1, 2))
    evening.favours()
    evening.decide("AAA")
    refused.append(evening.referee.session.act(Reveal("A", (3, 3))))
    assert [(one.code, one.clause, translator(one.text)) for one in refused] == [
        ("card_spent", "DV-50", TWICE[language])
    ] * 2


def test_an_empty_reading_seals_nothing():
    evening = sealed([3], [4], [5])
    evening.hidden = {"A": [3], "B": [4], "C": [5]}
    evening.reveal()
    evening.donkey("normal")
    evening.ok("load", player="A", sealed=[])
    assert not evening.referee.session.state.stake_of("A").seals


def test_no_answer_view_or_explanation_tells_a_face_down_value():
    """The same evening with other hidden values gives the very same answers, seals and all, until
    the reveal."""

    def answers(hidden):
        evening = Evening("ABC", seed=4)
        said = [evening.reply("donkey", type="double")]
        for name in "ABC":
            said.append(evening.reply("load", player=name, count=2, sealed=hidden[name]))
        for name in "AB":
            said.append(evening.reply("no_favour", player=name))
        said.append(evening.reply("favour", player="C", card=4))
        for name in "ABC":
            said.append(evening.reply("decide", player=name, accept=True))
        said.append(evening.reply("swap_load", player="C", swap=True, sealed=hidden["new"]))
        said += [evening.reply("undo"), evening.reply("redo"), evening.reply("view")]
        said += [evening.reply("explain", player=name) for name in "ABC"]
        return json.dumps(said)

    one = answers({"A": [1, 2], "B": [3, 5], "C": [6, 7], "new": 9})
    other = answers({"A": [9, 10], "B": [8, 7], "C": [2, 3], "new": 1})
    assert one == other


def test_the_journal_keeps_seals_only_and_they_still_convict_after_a_correction():
    entries = []
    session = Session(GAME, setup_of(GAME, "ABC"), entries.append)
    session.act(Donkey("normal"))
    for name, value in zip("ABC", (9, 8, 7), strict=True):
        session.act(Load(name, 1, None, (value,)))
    correct(session, 0, Donkey("giant"))
    for name in "ABC":
        session.act(NoFavour(name))
    written = msgspec.json.encode(entries)
    assert written.count(b'"sealed":["') == 2 * 6, (
        "three loads twice, in request and event, and all of them seals"
    )
    assert not re.search(rb'"sealed":\[\d', written)
    seals = [act.request.sealed for act in session.list_acts() if isinstance(act.request, Load)]
    assert all(len(seal) == 64 for (seal,) in seals)
    assert len(set(seals)) == 3
    for _ in "ABC":
        session.act(GAME.default_request(session.state))
    refusal = session.act(Reveal("A", (3,)))
    assert isinstance(refusal, Refusal)
    assert refusal.code == "sealed_mismatch"
    assert not isinstance(session.act(Reveal("A", (9,))), Refusal)
