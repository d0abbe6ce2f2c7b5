"""Donkey Valley by both readings of a sentence: one scene for each option, the same cards, another
result."""

import random

import pytest
from msgspec.structs import replace

from companion.games.donkey_valley import GAME
from companion.games.donkey_valley.moves import (
    Decide,
    Donkey,
    DrawDonkey,
    GameEnded,
    Load,
    LoadsDrawn,
    Reveal,
    ScoreLoads,
)
from companion.games.donkey_valley.player import Players
from companion.rules.commitments import HiddenSeed
from companion.rules.contract import Claim, Proposal, Refusal
from companion.rules.session import Session
from tests.rules.donkey_valley.evening import Evening
from tests.rules.talk import played_out, setup_of


@pytest.mark.parametrize(
    ("barred", "waiting"), [("players", ["draw D"]), ("loads", ["draw B"])], ids=["players", "loads"]
)
def test_equal_loads_of_a_hand_picked_donkey_bar_their_players_or_are_only_lost_themselves(barred, waiting):
    """DV-41: B's and C's nines are removed; the rest weighs 36, one more than seven players' donkey
    carries."""
    evening = Evening("ABCDEFG", draws="table", barred=barred)
    view = evening.round("hand_picked", [10, 9, 9, 8, 7, 6, 5], "ARRRAAA")
    assert (view["total"], view["overloaded"], evening.waiting) == (36, True, waiting)


def test_who_lost_only_a_load_draws_another_one_and_is_told_why():
    evening = Evening("ABCDEFG", draws="table", barred="loads")
    evening.round("hand_picked", [10, 9, 9, 8, 7, 6, 5], "ARRRAAA")
    evening.ok("draw", player="B", card={"owner": "A", "value": 10})
    (row,) = evening.explained("B")
    assert {"DV-19", "DV-41"} <= set(row["clauses"])
    assert evening.refused("draw", player="C", card={"owner": "C", "value": 9}) == "not_available DV-19"


def test_who_accepted_wins_what_is_left_of_the_own_loads_which_is_nothing():
    """DV-41, DV-20: and with nothing to exchange favour 8 can only be declined."""
    evening = Evening("ABC", barred="loads")
    evening.round("hand_picked", [7, 7, 6], "AAA", A=8)
    assert evening.waiting == ["exchange A"]
    assert evening.refused("exchange", player="A", **{"with": "C"}) == "not_available DV-20"
    evening.ok("exchange", player="A", **{"with": None})
    assert evening.points == [0, 0, 6]
    (row,) = evening.explained("A")
    assert "option barred = loads" in row["text"]


def test_fewer_loads_left_than_players_who_were_right_are_drawn_as_far_as_they_go():
    evening = Evening("ABC", draws="table", barred="loads")
    evening.round("hand_picked", [9, 9, 10], "RRR", A=6, B=6, C=6)
    for name in "ABC":
        evening.ok("adjust", player=name, delta=-2)
    evening.reveal()
    assert (evening.view["capacity"], evening.view["overloaded"]) == (9, True)
    assert evening.waiting == ["draw A"]
    evening.ok("draw", player="A", card={"owner": "C", "value": 10})
    assert (evening.points, evening.view["phase"]) == ([10, 0, 0], "donkey")
    assert "no load was left to draw" in evening.explained("B")[0]["text"]


@pytest.mark.parametrize(("double_draws", "draws"), [("played", "AABB"), ("one", "AB")])
def test_an_overloaded_double_donkey_gives_as_many_loads_as_were_played_or_one_each(double_draws, draws):
    """DV-19."""
    evening = Evening("ABC", draws="table", double_draws=double_draws)
    evening.round("double", [(10, 9), (8, 7), (6,)], "RRA")
    drawn = []
    for card in (("C", 6), ("A", 10), ("A", 9), ("B", 8)):
        if evening.view["phase"] == "claims":
            drawn.append(evening.view["waiting_for"][0]["player"])
            evening.ok("draw", player=drawn[-1], card={"owner": card[0], "value": card[1]})
    assert "".join(drawn) == draws
    assert ("option double_draws = one" in evening.explained("A")[0]["text"]) == (double_draws == "one")


def test_a_choice_by_favour_eight_is_the_one_load_of_a_double_donkey():
    evening = Evening("ABC", draws="table", double_draws="one")
    evening.round("double", [(10, 9), (8, 7), (6,)], "RRA", A=8)
    evening.ok("choose", player="A", card={"owner": "B", "value": 8})
    assert evening.waiting == ["draw B"]


@pytest.mark.parametrize(("first_player_card", "first"), [("each_end", "B"), ("resolved", "A")])
def test_the_first_player_card_moves_when_a_lost_donkey_is_set_aside_or_only_when_it_is_resolved(
    first_player_card, first
):
    """DV-21."""
    evening = Evening("ABC", first_player_card=first_player_card)
    evening.donkey("lost")
    evening.load(1, 1, 1)
    assert (evening.view["phase"], evening.view["set_aside"]) == ("donkey", 1)
    assert evening.view["first_player"] == first
    evening.round("normal", [2, 2, 2], "AAA")
    assert evening.view["first_player"] == {"A": "B", "B": "C"}[first]


def test_the_last_donkey_of_the_pile_set_aside_behind_another_leaves_the_card_where_it_is():
    """DV-37: the lost ones then go on, and each moves the card when it is resolved."""
    evening = Evening("ABC", first_player_card="resolved")
    for number in range(1, 7):
        evening.round("normal", [number, number, number], "AAA")
    for value in (7, 8):
        evening.donkey("lost")
        evening.load(value, value, value)
    assert (evening.view["phase"], evening.view["first_player"], evening.view["round"]) == ("favours", "A", 7)
    for value in (7, 8):
        evening.favours()
        evening.decide("AAA")
        evening.reveal(A=[value], B=[value], C=[value])
    assert (evening.view["phase"], evening.view["first_player"]) == ("game_over", "C")


@pytest.mark.parametrize(("decision_order", "waiting"), [("clockwise", "A"), ("free", "ABC")])
def test_decisions_come_clockwise_or_in_any_order(decision_order, waiting):
    """DV-15."""
    evening = Evening("ABC", decision_order=decision_order)
    evening.donkey("normal")
    evening.load(1, 2, 3)
    evening.favours()
    assert evening.waiting == [f"decide {name}" for name in waiting]


@pytest.mark.parametrize(("double_loads", "counts"), [("may", [1, 2]), ("must", [2])])
def test_a_double_donkey_takes_one_load_or_two_or_only_two(double_loads, counts):
    """DV-38."""
    for count in (1, 2):
        evening = Evening("ABC", double_loads=double_loads)
        evening.donkey("double")
        if count in counts:
            assert evening.ok("load", player="A", count=count)["players"][0]["loads_down"] == count
        else:
            assert evening.refused("load", player="A", count=count) == "bad_value DV-38"


@pytest.mark.parametrize(("draws", "waiting"), [("app", []), ("table", ["draw C"])])
def test_the_program_draws_the_loads_or_the_players_do(draws, waiting):
    """DV-19: 27 weigh more than three players' donkey carries; C alone refused."""
    evening = Evening("ABC", draws=draws)
    evening.round("normal", [10, 9, 8], "AAR")
    assert [entry for entry in evening.waiting if entry.startswith("draw ")] == waiting
    assert sum(evening.points) > 0 or waiting


@pytest.mark.parametrize(("donkey_copies", "refused"), [(None, False), ({"normal": 20}, True)])
def test_a_donkey_that_is_not_in_the_box_is_refused(donkey_copies, refused):
    """DV-2."""
    reply = Evening("ABC", donkey_copies=donkey_copies).reply("donkey", type="giant")
    assert (not reply["ok"] and reply["error"]["code"] == "no_such_donkey") == refused


# DV-3: the program draws the donkeys

TYPES = [
    *("normal", "giant", "puny", "precision", "hurried", "holed"),
    *("attacked", "lost", "double", "stubborn", "difficult", "hand_picked"),
]


@pytest.mark.parametrize("copies", [None, {"normal": 12, "giant": 2, "double": 6}])
@pytest.mark.parametrize("seen", [(), ("giant",), ("giant", "giant", "normal")])
def test_the_program_draws_a_donkey_that_may_still_come(copies, seen):
    """As anybody can check who knows the seed (docs/journal.en.md)."""
    state = replace(GAME.start(setup_of(GAME, "ABC", "friday", donkey_copies=copies)), revealed=seen)
    box = [
        name
        for name in TYPES
        for _ in range((copies or dict.fromkeys(TYPES, 1)).get(name, 0) - seen.count(name))
    ]
    drawn = random.Random(f"'friday'/donkey/{len(seen)}").choice(box)
    (revealed, _), *_ = GAME.decide(state, DrawDonkey())
    assert revealed.donkey == drawn
    assert DrawDonkey().for_replay([revealed]) == Donkey(drawn)


def test_a_donkey_is_drawn_when_one_is_due_and_the_same_again_after_an_undo():
    evening = Evening("ABC")
    evening.ok("draw_donkey")
    drawn = evening.view["donkey"]
    assert evening.refused("draw_donkey").startswith("wrong_phase")
    evening.ok("undo")
    assert evening.view["donkey"] is None
    evening.ok("draw_donkey")
    assert evening.view["donkey"] == drawn in TYPES


def test_a_donkey_is_drawn_the_same_again_when_another_seed_holds():
    """As after the end, when the seed was told, and an undo goes on. It stands as a donkey turned
    up: by the new seed it might be another."""
    seed = HiddenSeed()
    session = Session(GAME, setup_of(GAME, "ABC", seed))
    session.act(DrawDonkey())
    drawn = Donkey(session.view()["donkey"])
    asked = set()
    for _ in range(200):
        seed.confirm_note(seed.make_due_note(over=True))
        session.undo()
        session.act(DrawDonkey())
        assert session.view()["donkey"] == drawn.type
        asked.add(session.list_acts()[0].request)
    assert asked == {DrawDonkey(), drawn}


def test_loads_that_were_drawn_stay_drawn_when_an_earlier_act_is_put_right_with_another_seed():
    """DV-19: as after a restart, in which the seed is lost. A value that was misread lies on the
    same card: whoever drew it has it still."""
    seed = HiddenSeed()
    session = Session(GAME, setup_of(GAME, "ABCDE", seed))
    for request in [
        Donkey("hurried"),
        *(Load(name, 1) for name in "ABCDE"),
        *(Decide(name, accept=name in "CDE") for name in "ABCDE"),
        *(Reveal(name, (value,)) for name, value in zip("ABCDE", (10, 9, 8, 7, 6), strict=True)),
    ]:
        assert not isinstance(session.act(request), Refusal)
    drawn = [(one.player, one.card.owner) for one in draws(session)]
    for turn in range(30):
        seed.confirm_note(seed.make_due_note(over=True))
        session.undo()
        session.redo()
        assert session.correct_act(14, Reveal("D", (5 if turn % 2 else 7,))) is None
        assert [(one.player, one.card.owner) for one in draws(session)] == drawn
        session.undo()
        session.correct_act(8, Decide("C", accept=False))
        assert len(draws(session)) == 3, "one more draws: from the shuffled loads, as they are now"
        session.undo()


def draws(session):
    """What the program drew last."""
    return next(event.draws for event in session.list_acts()[-1].events if isinstance(event, LoadsDrawn))


# DV-24: only the loads won are entered


@pytest.mark.parametrize(("hands_only", "waiting"), [(False, "donkey table"), (True, "score A")])
def test_a_game_is_played_with_the_companion_or_only_the_loads_won_are_entered(hands_only, waiting):
    assert Evening("ABC", hands_only=hands_only).waiting[0] == waiting


def test_loads_entered_at_the_end_are_the_points_and_a_tie_goes_to_more_loads():
    evening = Evening("ABCD", hands_only=True)
    assert evening.refused("donkey", type="normal") == "wrong_phase DV-10"
    assert evening.refused("favour", player="A", card=2) == "wrong_phase DV-12"
    for name, loads in {"C": [10, 3, 7], "A": [9, 6, 4, 1], "B": [], "D": [10, 10]}.items():
        evening.ok("score", player=name, loads=loads)
    assert (evening.points, evening.view["phase"]) == ([20, 0, 20, 20], "game_over")
    ranks = {row["player"]: row["rank"] for row in evening.view["result"]["ranking"]}
    assert ranks == {"A": 1, "C": 2, "D": 3, "B": 4}
    assert GAME.describe(evening.referee.session.state, GameEnded(("A",))).code == "event.game_ended_by_loads"
    (reason,) = evening.explained("C")
    assert (reason["text"], reason["points"]) == ("C has won three loads, 3, 7 and 10: 20 points.", 20)
    assert reason["clauses"] == ["DV-22", "DV-24"]


@pytest.mark.parametrize(
    ("player", "loads", "code"),
    [
        ("A", [11], "bad_value DV-1"),
        ("A", [0], "bad_value DV-1"),
        ("A", [1, 2, 3, 4, 5, 6, 7, 8, 9], "bad_value DV-3"),
        ("A", [5, 5], "impossible_cards DV-1"),  # three players, three fives: B has two
        ("B", [7], "already_done DV-24"),
    ],
)
def test_loads_that_nobody_can_have_won_are_refused(player, loads, code):
    evening = Evening("ABC", hands_only=True)
    evening.ok("score", player="B", loads=[5, 5])
    assert evening.refused("score", player=player, loads=loads) == code
    evening.ok("score", player="A", loads=[5])


def test_accept_enters_the_loads_before_a_player_and_cards_alone_enter_nothing():
    session = Session(GAME, setup_of(GAME, "ABC", hands_only=True))
    # Cards that were won are of any colour; those face down are of a round that is being played.
    cards = [
        Claim(1, "load:red:9", "seat:2", owner=1),
        Claim(2, "load:blue:4", "seat:2", owner=2),
        Claim(3, None, "seat:2", face="down"),
    ]
    assert list(GAME.interpret_claims(session.state, cards)) == []
    pressed = [*cards, Claim(4, "button:accept", "seat:2"), Claim(5, "button:accept", "seat:3")]
    assert list(GAME.interpret_claims(session.state, pressed)) == [
        Proposal(ScoreLoads("B", (9, 4)), (1, 2, 4)),
        Proposal(ScoreLoads("C", ()), (5,)),
    ]


@pytest.mark.parametrize("seed", range(3))
def test_a_game_and_its_loads_entered_at_the_end_have_the_same_result_and_figures(seed):
    """The same players win the same loads: in the one session the companion counts them, in the
    other the players do."""
    setup = setup_of(GAME, "ABCD", seed)
    followed = played_out(GAME, setup, Players(setup))
    won = {row["name"]: [load["value"] for load in row["loads_won"]] for row in followed.view()["players"]}
    told = Session(GAME, setup_of(GAME, "ABCD", seed, hands_only=True))
    tallies = []
    for name, loads in won.items():
        before = told.state
        (event, *_) = told.act(ScoreLoads(name, tuple(loads)))
        tallies += GAME.tally_event(before, event, GAME.evolve(before, event))
    assert told.view()["result"] == followed.view()["result"]
    assert {one.player: one.points for one in tallies} == {name: sum(loads) for name, loads in won.items()}
    assert {one.table for one in tallies} == {"donkeys"}
