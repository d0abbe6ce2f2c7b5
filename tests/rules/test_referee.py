"""`companion referee` as a conversation: what every game has in common, and that no line ever ends
it."""

import inspect
import io
import json
import tracemalloc
from pathlib import Path

import pytest

from companion.referee import Referee, serve_lines
from companion.rules import registry
from tests.rules.asking import START, code, say


@pytest.fixture
def referee():
    return Referee()


@pytest.fixture
def begun(referee):
    assert say(referee, START)["ok"]
    return referee


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"   ",
        b"nonsense",
        b"{",
        b"[]",
        b"null",
        b"true",
        b'"start"',
        b"{}",
        b'{"do":null}',
        b'{"do":["start"]}',
        b'{"do":"dance"}',
        b'{"do":"start"}',
        b'{"do":"start","game":"donkey_valley"}',
        b'{"do":"start","game":"donkey_valley","players":"Ann"}',
        b'{"do":"start","game":"donkey_valley","players":["Ann",2,"Cid"]}',
        b'{"do":"start","game":"donkey_valley","players":["A","B","C"],"options":[]}',
        b'{"do":"start","game":"donkey_valley","players":["A","B","C"],"seed":1.5}',
        b'{"do":"start","game":"donkey_valley","players":["A","B","C"],"seed":true}',
        b'{"do":"explain"}',
        b"\xff\xfe",
        b'{"do":"explain","player":"\xff"}',
        b'{"do":"view","note":"\xff"}',
        b'{"do":"view","\xff":1}',
        b'{"do":"explain","player":"\\ud800"}',
        b"[" * 100_000,
        b'{"do":' * 5_000,
        b'{"do":"view","x":' + b"9" * 6_000 + b"}}",
        b'\xef\xbb\xbf{"do":"view"}',
    ],
)
def test_what_is_no_request_is_answered_and_the_game_goes_on(referee, line):
    assert code(referee, line) == "bad_request"
    say(referee, START)
    assert code(referee, line) == "bad_request"
    assert say(referee, {"do": "view"})["view"]["phase"] == "donkey"


@pytest.mark.parametrize("do", ["view", "undo", "redo", "peeks_done"])
def test_without_a_session_there_is_nothing_to_ask(referee, do):
    assert code(referee, {"do": do}) == "no_session"


def test_a_request_of_any_game_is_well_formed_before_a_session_and_of_its_own_game_only_in_one(referee):
    offer = {"do": "offer", "player": "Ann", "count": 1, "value": 2}
    assert code(referee, offer) == "no_session"
    assert code(referee, {"do": "explain", "player": "Ann"}) == "no_session"
    say(referee, START)
    assert code(referee, offer) == "bad_request"


def test_a_game_that_is_not_installed(referee):
    assert code(referee, START | {"game": "chess"}) == "unknown_game"
    assert code(referee, START | {"game": "../../etc/passwd"}) == "unknown_game"
    assert code(referee, START | {"game": ""}) == "unknown_game"
    message = say(referee, START | {"game": "chess"})["error"]["message"]
    assert message == "The game chess is not installed."


def test_a_slip_of_the_pen_is_no_field_left_out(begun):
    """`sed` for `seed` would begin a game with another seed, `overule` would overrule nothing."""
    for sent, nearest in [
        (START | {"sed": 3}, "seed"),
        ({"do": "reveal", "player": "Ann", "values": [5], "overule": True}, "overrule"),
        ({"do": "explain", "player": "Ann", "Player": "Ben"}, "player"),
        ({"do": "undo", "d0": 1}, "do"),
    ]:
        before = say(begun, {"do": "view"})["view"]
        error = say(begun, sent)["error"]
        assert (error["code"], error["clause"]) == ("bad_request", None)
        assert error["message"].endswith(f'Did you mean "{nearest}"?')
        assert say(begun, {"do": "view"})["view"] == before


def test_a_byte_order_mark_before_the_first_line_is_passed_over_and_before_another_it_is_not(referee):
    start, marked = json.dumps(START).encode(), b'\xef\xbb\xbf{"do":"view"}'
    answers = io.BytesIO()
    serve_lines(referee, io.BytesIO(b"\xef\xbb\xbf" + start + b"\n" + marked + b"\n"), answers)
    first, second = map(json.loads, answers.getvalue().splitlines())
    assert first["ok"]
    assert second["error"]["code"] == "bad_request"


@pytest.mark.parametrize(
    "players",
    [
        ["Ann", "Ben"],
        [*"ABCDEFGH"],
        ["Ann", "Ben", "Ann"],
        ["Ann", "Ben", " Ann "],
        ["Ann", "Ben", "Ａｎｎ"],
        ["Ann", "Ben", "A\u200enn"],
        ["Ann", "Ben", ""],
        ["Ann", "Ben", "   "],
        ["Ann", "Ben", "\u200b\u200e"],
        ["Ann", "Ben", "C\nid"],
        ["Ann", "Ben", "C\x1b[2Jid"],
        ["Ann", "Ben", "Cid\u2028"],
        ["Ann", "Ben", "C\u202eid"],
    ],
)
def test_players_who_cannot_be_told_apart_or_shown(referee, players):
    assert code(referee, START | {"players": players}) == "bad_players"


def nested(depth, left=b"[", right=b"]"):
    """An option's value that holds a list in a list, `depth` deep."""
    start = b'{"do":"start","game":"donkey_valley","players":["A","B","C"],"options":{"draws":'
    return start + left * depth + b"1" + right * depth + b"}}"


def test_an_option_however_deep_is_refused_and_the_next_line_answered(referee):
    """Some depth below a thousand could be read but not be said: the sentence about it ended the
    program."""
    for depth in (1, 7, 500, *range(850, 1_000), 1_100, 20_000):
        for line in (nested(depth), nested(depth, b'{"a":', b"}")):
            assert code(referee, line) in ("bad_option", "bad_request")
            assert len(referee.answer_line(line)) < 1_000
    assert say(referee, START)["ok"]


def test_an_option_nested_a_little_is_quoted_in_its_refusal(referee):
    start = START | {"options": {"draws": [["app"]]}}
    assert '[["app"]]' in say(referee, start)["error"]["message"]


def test_no_answer_repeats_a_giant_name(referee):
    """A name of ten megabytes was accepted, and came back with every answer."""
    longest = "x" * 100
    assert say(referee, START | {"players": [longest, "Ben", "Cid"]})["ok"]
    for giant in ("x" * 101, "x" * 60_000, "x" * 10_000_000):
        for request in (
            START | {"players": [giant, "Ben", "Cid"]},
            START | {"game": giant},
            START | {"options": {giant: 1}},
            START | {"options": {"draws": giant}},
            {"do": giant},
            {"do": "explain", "player": giant},
            {"do": "load", "player": giant},
            {"do": "donkey", "type": giant},
        ):
            answer = referee.answer_line(json.dumps(request).encode())
            assert json.loads(answer)["ok"] is False
            assert len(answer) < 1_000, request["do"][:20]


@pytest.mark.parametrize("end", [b"\n", b""])
def test_a_line_without_end_is_answered_once_and_never_held_whole(end):
    """Fifty megabytes without a line's end: refused once, and read in pieces that are forgotten."""

    class Endless(io.RawIOBase):
        """Sends `left` bytes of nonsense, then what comes after them."""

        left = 50_000_000

        def readable(self):
            return True

        def readinto(self, buffer):
            piece = b"x" * min(len(buffer), self.left) or rest.read(len(buffer))
            self.left -= min(len(buffer), self.left)
            buffer[: len(piece)] = piece
            return len(piece)

    rest, target = io.BytesIO(end + b'{"do":"view"}\n' if end else b""), io.BytesIO()
    tracemalloc.start()
    serve_lines(Referee(), io.BufferedReader(Endless()), target)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    replies = [json.loads(line)["error"]["code"] for line in target.getvalue().splitlines()]
    assert replies == (["bad_request", "no_session"] if end else ["bad_request"])
    assert most < 5_000_000


def test_names_of_all_kinds_can_play(referee):
    names = ["x" * 40, "עדי\u200f", "李小龍", "Zoë de la {braces}", "👩‍👩‍👧", 'O\'Neil "Red"', "<b>"]
    reply = say(referee, START | {"players": names})
    assert [row["name"] for row in reply["view"]["players"]] == names
    for name in names:
        assert say(referee, {"do": "explain", "player": name})["ok"]
    refused = say(referee, {"do": "peek", "player": names[3], "at": [names[3]]})
    assert refused["error"]["code"] == "wrong_phase"
    say(referee, {"do": "donkey", "type": "normal"})
    say(referee, {"do": "load", "player": names[3]})
    assert names[3] in say(referee, {"do": "load", "player": names[3]})["error"]["message"]


def test_a_seed_is_a_number_of_any_size_or_a_word_and_one_is_made_when_there_is_none(referee):
    for seed in (0, -5, 10**40, "", "friday", "🃏"):
        assert say(referee, START | {"seed": seed})["events"][0]["seed"] == seed
    without = {key: value for key, value in START.items() if key != "seed"}
    begun = [say(referee, without)["events"][0] for _ in range(4)]
    assert {event["seed"] for event in begun} == {None}, "a seed that the program chose is told at the end"
    assert len({event["commitment"] for event in begun}) == 4


def test_start_tells_every_option_and_a_second_start_begins_anew(begun):
    say(begun, {"do": "donkey", "type": "normal"})
    reply = say(begun, START | {"options": {"draws": "table"}})
    (event,) = reply["events"]
    assert event["type"] == "session_started"
    usual = {option.name: option.default for option in registry.load_game("donkey_valley").options}
    assert usual["draws"] == "app"
    assert event["options"] == usual | {"draws": "table"}
    assert reply["view"]["donkey"] is None
    assert code(begun, {"do": "undo"}) == "nothing_to_undo"


def test_a_start_that_is_refused_leaves_the_old_session(begun):
    say(begun, {"do": "donkey", "type": "normal"})
    assert code(begun, START | {"players": ["Ann"]}) == "bad_players"
    assert code(begun, START | {"options": {"speed": 3}}) == "bad_option"
    assert say(begun, {"do": "view"})["view"]["donkey"] == "normal"


def test_several_faults_of_a_start_come_in_order(referee):
    assert code(referee, START | {"game": "chess", "players": [], "options": {"x": 1}}) == "unknown_game"
    assert code(referee, START | {"players": [], "options": {"x": 1}}) == "bad_players"


def test_undo_and_redo_take_back_and_give_again(begun):
    first = say(begun, {"do": "view"})["view"]
    second = say(begun, {"do": "donkey", "type": "giant"})["view"]
    third = say(begun, {"do": "load", "player": "Ann"})["view"]
    reply = say(begun, {"do": "undo"})
    assert reply["view"] == second
    assert reply["events"][0]["type"] == "request_undone"
    assert reply["events"][0]["request"]["player"] == "Ann"
    assert say(begun, {"do": "undo"})["view"] == first
    assert code(begun, {"do": "undo"}) == "nothing_to_undo"
    assert say(begun, {"do": "redo"})["view"] == second
    assert say(begun, {"do": "view"})["events"] == []
    assert say(begun, {"do": "explain", "player": "Ann"})["ok"]
    assert code(begun, {"do": "load", "player": "Ann", "count": 2}) == "bad_value"
    assert say(begun, {"do": "redo"})["view"] == third
    assert code(begun, {"do": "redo"}) == "nothing_to_undo"


def test_what_is_accepted_after_an_undo_ends_the_redo(begun):
    say(begun, {"do": "donkey", "type": "giant"})
    say(begun, {"do": "undo"})
    say(begun, {"do": "donkey", "type": "puny"})
    assert code(begun, {"do": "redo"}) == "nothing_to_undo"
    assert say(begun, {"do": "undo"})["view"]["donkey"] is None


def test_explain_needs_a_player_who_plays(begun):
    assert code(begun, {"do": "explain", "player": "Zoe"}) == "unknown_player"
    reply = say(begun, {"do": "explain", "player": "Ann"})
    assert [row["points"] for row in reply["explanation"]] == [0]
    assert reply["events"] == []


def test_french_is_spoken_when_it_is_asked_for(begun):
    french = Referee("fr")
    assert say(french, b"x")["error"]["message"] != say(begun, b"x")["error"]["message"]
    say(french, START)
    assert "Révélez" in say(french, {"do": "load", "player": "Ann"})["error"]["message"]


def test_every_view_has_the_common_fields_in_every_game():
    for game_id in registry.list_game_ids():
        game = registry.load_game(game_id)
        players = [f"P{number}" for number in range(game.seats[0])]
        reply = say(Referee(), {"do": "start", "game": game_id, "players": players, "seed": 1})
        assert reply["ok"], reply
        view = reply["view"]
        assert view["game"] == game_id
        assert [row["name"] for row in view["players"]] == players
        assert {"phase", "waiting_for", "result"} <= view.keys()
        assert all("points" in row for row in view["players"])


@pytest.mark.parametrize("game_id", registry.list_game_ids())
def test_a_rule_refuses_by_a_code_of_its_own(game_id):
    """`bad_request` is for lines that the published schema does not accept."""
    moves = Path(inspect.getfile(registry.load_game(game_id).moves))
    assert [path.name for path in moves.parent.glob("*.py") if '"bad_request"' in path.read_text()] == []


@pytest.mark.parametrize(
    ("value", "written"),
    [(None, "null"), (True, "true"), ([None, {"a": False}], '[null,{"a":false}]'), ("loud", "loud")],
)
def test_a_wrong_value_is_shown_as_requests_write_it(value, written):
    start = {"do": "start", "game": "dtc", "players": ["Ann", "Ben"], "options": {"variant": value}}
    told = say(Referee(), start)["error"]["message"]
    assert told == f"The option variant cannot be {written}; the usual value is off."


def test_a_value_nested_too_deeply_is_refused_too():
    value = "[" * 900 + "]" * 900
    line = f'{{"do":"start","game":"dtc","players":["Ann","Ben"],"options":{{"variant":{value}}}}}'
    assert json.loads(Referee().answer_line(line.encode()))["error"]["code"] in ("bad_option", "bad_request")


def test_a_default_is_shown_as_requests_write_it():
    start = {"do": "start", "game": "donkey_valley", "players": ["A", "B", "C"]}
    told = say(Referee(), start | {"options": {"donkey_copies": 5}})["error"]["message"]
    assert told.endswith("the usual value is null.")
