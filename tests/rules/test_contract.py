"""What every game has from the contract without saying so, and the values that pass through it."""

from __future__ import annotations

from functools import reduce
from types import ModuleType
from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec.structs import replace

from companion.rules import registry
from companion.rules.choices import Choice, Domain, OpenRequest, Pick, _get_field_type
from companion.rules.claims import CardId, Claim, SetupStep, ZoneId, format_card_name
from companion.rules.contract import Event, Option, Phase, Question, Request, Setup, Text
from companion.rules.options import OptionValue, OptionWords, describe_options
from companion.rules.positions import (
    check_cards,
    check_names,
    check_range,
    format_position,
    restore_position,
)
from companion.rules.start import Start, prepare_game
from tests.rules.talk import Talk
from tests.toy import TOY, Lay, Show, Toy, toy_setup

STATE = TOY.start(toy_setup("Ann", "Ben"))


def test_what_a_game_leaves_to_the_contract():
    assert TOY.list_sides(3) == ((0,), (1,), (2,))
    assert TOY.count_tie_break({"points": 3}) == 0
    assert TOY.default_options({}) == {"rounds": 3}
    assert (TOY.draws, TOY.requests) == (frozenset(), (Lay, Show))
    nothing = (TOY.automatic_request(STATE), TOY.compute_odds(STATE), TOY.check_options(STATE.setup))
    assert nothing == (None, None, None)
    lists = (TOY.list_attempts, TOY.list_visible_cards, TOY.list_setup_steps, TOY.simultaneous_players)
    assert [tuple(each(STATE, "Ann") if each == TOY.list_attempts else each(STATE)) for each in lists] == [
        ()
    ] * 4
    refusal = TOY.check_position(STATE)
    assert (refusal.code, refusal.text.code) == ("bad_position", "refusal.position_unsupported")


def test_who_has_nothing_to_do_is_told_who_has():
    refusal = TOY.refuse_idle_player(STATE, "Ann")
    assert (refusal.code, refusal.clause, refusal.text.code) == ("not_your_turn", "TOY-2", "refusal.idle")
    assert refusal.text.args == {"player": "Ann", "awaited": TOY.describe_awaited(STATE)}


@pytest.mark.parametrize(
    ("view", "number"),
    [({"round": 2}, 2), ({"hand_number": 3}, 3), ({"round": None, "hand_number": 1}, 1), ({}, None)],
)
def test_rounds_and_hands_are_numbered(view, number):
    assert TOY.find_round(view) == number


@pytest.mark.parametrize(
    ("picked", "accepted"),
    [
        ("7", True),
        ("7 7", True),
        ("7 joker", True),
        ("", False),
        ("7 7 7", False),
        ("7 7 joker", False),
        ("8", False),
    ],
)
def test_a_pick_takes_so_many_of_the_cards_that_there_are(picked, accepted):
    pick = Pick((("7", 2), ("joker", 1)), 1, 2)
    assert pick.accepts(picked.split()) is accepted
    assert pick.domain == Domain(("7", "7", "joker"), 1, 2)
    assert replace(pick, most=9).domain.most == 3
    assert msgspec.to_builtins(pick.domain) == {"of": ("7", "7", "joker"), "least": 1, "most": 2}


def test_cards_that_are_picked_go_into_the_field_as_it_has_them():
    """As text, or as a number; a choice without a pick is its request."""
    donkeys, partners = (registry.load_game(game_id).moves for game_id in ("donkey_valley", "partners"))
    assert _get_field_type(partners.Fold, "player") is str
    pick = Pick((("7", 1),), 1, 1, field="values")
    choice = Choice(Text("choice.reveal"), donkeys.Reveal("Ann", ()), pick=pick)
    assert choice.with_cards(["7"]).values == (7,)
    fold = Choice(Text("choice.fold"), partners.Fold("Ann"), pick=Pick((("7", 1),), 1, 1))
    assert fold.with_cards(["7"]) == partners.Fold("Ann", ("7",))
    assert replace(fold, pick=None).with_cards(["7"]) == partners.Fold("Ann")


@pytest.mark.parametrize(
    ("what", "name"),
    [("load:red:7", "red:7"), ("dtc:joker", "joker"), ("summary", ""), ("a:b:c:d", "b:c:d")],
)
def test_a_card_on_the_table_has_its_name_on_the_wire(what, name):
    assert format_card_name(Claim(1, what, "middle")) == name


@pytest.mark.parametrize(
    ("text", "zone"),
    [
        ("seat:3", ("seat", 3)),
        ("middle", ("middle", None)),
        ("seat:x", ("seat", None)),
        ("pad:12", ("pad", 12)),
    ],
)
def test_a_zone_is_a_kind_and_a_number(text, zone):
    assert ZoneId.from_text(text) == zone
    assert CardId.from_text("load:red:a_b:c").display_words == ("red", "a_b:c")


DONKEYS = SetupStep(Text("step.deal"), "X-1", count=(("donkey:", 3), ("load:red:7", 1)))
PLACED = SetupStep(Text("step.deal"), "X-1", cards=(("contract:", 1), ("hat", None)))


@pytest.mark.parametrize(
    ("step", "claims", "most", "done"),
    [
        (DONKEYS, [], {"donkey:small": 2, "donkey:giant": 1, "load:red:7": 1}, True),
        (DONKEYS, [], {"donkey:small": 2, "load:red:7": 5}, False),
        (DONKEYS, [], {"donkey:small": 9}, False),
        (DONKEYS, [], {"donkeys": 9, "load:red:7": 1}, False),
        (DONKEYS, [], {"donkey:small": 3, "load:red:71": 1}, False),
        (PLACED, [Claim(1, "contract:red", "seat:1"), Claim(2, "hat", "middle")], {}, True),
        (PLACED, [Claim(1, "contract:red", "middle", owner=1), Claim(2, "hat", "pile")], {}, True),
        (PLACED, [Claim(1, "contract:red", "seat:2", owner=2), Claim(2, "hat", "middle")], {}, False),
        (PLACED, [Claim(1, "contract:red", "seat:1"), Claim(2, None, "middle")], {}, False),
        (SetupStep(Text("step.deal"), "X-1"), [Claim(1, "hat", "middle")], {"hat": 1}, False),
    ],
)
def test_a_step_of_the_setup_is_done_once_its_cards_were_shown(step, claims, most, done):
    assert step.is_done(claims, most) is done
    assert DONKEYS.card_total == 4
    assert DONKEYS.count_shown_cards({"donkey:small": 5, "load:red:7": 2}) == 4


def test_options_are_described_as_they_are_written():
    def described(game_id, name):
        return next(one for one in describe_options(registry.load_game(game_id)) if one.name == name)

    def values(code, *written):
        return tuple(OptionValue(one, Text(f"{code}.{one}"), not at) for at, one in enumerate(written))

    code, silent = "option.hands_only", Text("option.silent")
    told = values(code, "false", "true")
    assert described("dtc", "hands_only") == OptionWords(
        "hands_only", Text(code), "false", told, "DTC-11", "", silent, is_preference=False
    )
    code = "option.donkey_copies"
    copies = described("donkey_valley", "donkey_copies")
    assert (copies.usual, copies.values, copies.is_preference) == ("null", values(code, "null"), False)
    sheet = described("partners", "own_wall")
    assert sheet.source == Text("option.sheet", {"sheet": sheet.sheet})
    ours = described("partners", "swap_start")
    assert described("donkey_valley", "draws").is_preference
    assert ours.source == Text("option.sheet_ours", {"sheet": ours.sheet})
    assert not OptionWords("a", Text(code), "c", (), "d", "e", silent).is_preference


@pytest.mark.parametrize(
    ("kind", "value", "accepted"),
    [(int, 3, True), (int, "3", False), (bool, 1, False), (Literal[1, 2], "1", False)],
)
def test_a_value_of_an_option_is_of_its_type(kind, value, accepted):
    assert Option("target", 1, kind, "X-1").accepts_value(value) is accepted


def test_what_a_hand_too_large_to_list_leaves_open_is_of_its_cards(monkeypatch):
    monkeypatch.setattr("companion.rules.contract.MOST_LISTED", 1)
    talk = Talk("ochs_und_esel", ["Ann", "Ben", "Cy"])
    [one] = talk.reply("legal", player="Ann", cards=["7", "7", "8"])["open"]
    assert one["free"]["cards"]["of"] == ["7", "7", "8"]
    assert one["request"]["do"] == "play"


LOOSE = [("setup", Setup), ("more", Any, None), ("count", Annotated[int, msgspec.Meta(ge=0)], 0)]


class Loose(Toy):
    """A game whose state may hold anything."""

    def start(self, setup):
        return msgspec.defstruct("State", LOOSE)(setup)


def test_a_position_is_refused_with_what_was_wrong():
    game, setup = prepare_game(Start("dtc", ["Ann", "Ben"]))
    position = format_position(game, game.start(setup))
    misspelt = restore_position(game, setup, {**position, "zzzz": 0})
    assert misspelt.text.args == {"field": "zzzz", "nearest": "told"}
    deep = reduce(lambda inner, _: [inner], range(2000), [])
    assert restore_position(Loose(), STATE.setup, {"more": deep}).text.args == {"reason": "too deep"}
    few = restore_position(Loose(), STATE.setup, {"count": -1}).text.args["reason"]
    assert few == "Expected `int` >= 0 - at `$.count`"


def test_a_games_requests_questions_events_and_draws_are_those_of_its_moves():
    moves, own = ModuleType("moves"), {"module": "moves", "frozen": True}
    moves.PHASES = {}
    kinds = {
        "Draw": (Request, {"draw_key": lambda request, state: None}),
        "Pass": (Request, {}),
        "Ask": (Question, {}),
        "Drawn": (Event, {"recorded_draw": lambda event, state: None}),
        "Passed": (Event, {}),
        "_Base": (Event, {}),
    }
    for name, (base, methods) in kinds.items():
        setattr(moves, name, msgspec.defstruct(name, [], bases=(base,), namespace=methods, **own))
    moves.Foreign = Lay
    kind = type("Own", (Toy,), {"moves": moves})
    assert (kind.requests, kind.questions) == ((moves.Draw, moves.Pass), (moves.Ask,))
    assert (kind.events, kind.draws) == ((moves.Drawn, moves.Passed), {moves.Draw, moves.Drawn})


def test_one_card_is_played_where_a_request_says_no_number():
    one = OpenRequest(Show("Ann", 1), {"cards": Domain(("7", "8"))}, "cards")
    assert sorted(TOY.generate_plays(STATE, one, ("7", "8"))) == [("7",), ("8",)]


def test_a_moment_in_which_nobody_is_asked_has_no_clause():
    moves = ModuleType("moves")
    moves.PHASES = {"play": Phase("X-1"), "between": Phase(None)}
    kind = type("Short", (Toy,), {"moves": moves})
    assert (kind.clauses, kind.phases, kind.requests) == ({"play": "X-1"}, moves.PHASES, ())


def test_what_is_wrong_in_a_position_is_quoted_in_part():
    assert check_names("turn", ["ä" * 50], ()).text.args == {"field": "turn", "name": ascii("ä" * 50)[1:41]}
    assert check_cards("row", ["ä" * 50], {}).text.args["card"] == ascii("ä" * 50)[:40]
    assert check_range("row", [10**20], 0, 3).text.args["value"] == "1" + "0" * 11
