"""Positions: what `view` gives, `start` begins with; what cannot occur is refused."""

import json
import random
import zlib
from pathlib import Path

import pytest
from msgspec.structs import replace

from companion.referee import Referee
from companion.rules import registry
from companion.rules.contract import Refusal
from companion.rules.positions import _encode_value, _list_left_out, format_position, restore_position
from companion.rules.session import Session
from companion.texts import Translator
from tests.letters import compare_with_file
from tests.rules.asking import say
from tests.rules.evenings import EVENINGS, Recorded, titled
from tests.rules.random_games import GAMES, draw_session, play_at_random
from tests.rules.talk import Talk
from tests.toy import TOY, toy_setup

POSITIONED = [
    one for one in EVENINGS if one.golden and one.name in ("3", "5", "6", "capture", "readings", "hands")
]


def reread(session):
    """The state that a line with the session's position brings back."""
    return restore_position(
        session.game, session.setup, json.loads(json.dumps(format_position(session.game, session.state)))
    )


def without_report(game_id, state):
    """A state without what positions leave out."""
    return replace(state, last=()) if game_id == "partners" else state


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("game_id", GAMES)
def test_a_position_brings_back_the_state(game_id, seed):
    rng = random.Random(f"position {game_id} {seed}")
    session = draw_session(game_id, rng)
    for _ in range(60):
        assert reread(session) == without_report(game_id, session.state), session.view()
        if session.is_over:
            break
        play_at_random(session, rng)


@pytest.mark.parametrize("game_id", GAMES)
def test_the_same_game_goes_on_from_a_position(game_id):
    """Also what the program draws is drawn again, by the same seed."""
    rng = random.Random(f"on from {game_id}")
    session = draw_session(game_id, rng)
    for _ in range(20):
        play_at_random(session, rng)
    other = Session(session.game, session.setup, first_state=reread(session))
    for _ in range(20):
        before = len(session.list_acts())
        play_at_random(session, rng)
        for act in session.list_acts()[before:]:
            assert other.act(act.request) == act.events
    assert other.view() == session.view()


def lists_in(value):
    """Every place in a position where something can be changed: the container and the key."""
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from lists_in(value[key])


def bend(position, rng, words):
    """Change one value of a position as a slip of the pen may."""
    bent = json.loads(json.dumps(position))
    where, key = rng.choice([*lists_in(bent)])
    value = where[key]
    match value:
        case bool():
            where[key] = not value
        case int():
            where[key] = rng.choice([value + 1, value - 1, 0, 1, -1, 7, 10**12, None])
        case str():
            where[key] = rng.choice(words)
        case list():
            where[key] = rng.choice([value[1:], value + value[:1], value[::-1], [], None])
        case _:
            where[key] = rng.choice([0, 1, [], "x", None])
    return bent


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("game_id", GAMES)
def test_a_bent_position_is_refused_or_can_be_played(game_id, seed):
    """No line ends the conversation, whatever its position says."""
    rng = random.Random(f"bent {game_id} {seed}")
    session = draw_session(game_id, rng)
    words = [*session.setup.players, *map(str, session.game.cards), *session.game.phases, "moons", ""]
    start = {
        "do": "start",
        "game": game_id,
        "players": session.setup.players,
        "options": session.setup.options,
        "seed": 1,
    }
    refused = 0
    for _ in range(25):
        play_at_random(session, rng)
        bent = bend(format_position(session.game, session.state), rng, words)
        referee = Referee()
        reply = say(referee, {**start, "position": bent})
        if not reply["ok"]:
            assert reply["error"]["code"] == "bad_position"
            refused += 1
            continue
        for name in session.setup.players:
            assert say(referee, {"do": "explain", "player": name})["ok"]
        for _ in range(4):
            if referee.session.view()["waiting_for"]:
                play_at_random(referee.session, rng)
        assert say(referee, {"do": "view"})["ok"]
    assert refused


def list_changes(before, after, path=""):
    """Yield where two positions differ, and what stands there now."""
    if type(before) is type(after) and isinstance(before, dict) and before.keys() == after.keys():
        for key in before:
            yield from list_changes(before[key], after[key], f"{path}.{key}" if path else key)
    elif type(before) is type(after) is list and len(before) == len(after):
        for at, pair in enumerate(zip(before, after, strict=True)):
            yield from list_changes(*pair, f"{path}[{at}]")
    elif before != after:
        yield f"{path} = {json.dumps(after)}"


def describe(game, refusal):
    """Return the words of a refusal, but for what the decoder says of a wrong type."""
    words = Translator("en", game).translate(refusal.text)
    return "not of its type" if " - at `$" in words else words.removeprefix("This position cannot be used: ")


@pytest.mark.parametrize("evening", POSITIONED, ids=titled)
def test_what_is_said_of_bent_positions_of_an_evening(evening):
    """After a change that is meant: `WRITE=1 pytest tests/rules/test_positions.py`, and read the
    difference."""
    rng, lines = random.Random(titled(evening)), []
    session = Session(evening.game, evening.setup)
    names = evening.setup.players
    words = [*names, *map(str, evening.game.cards), *evening.game.phases, "moons", ""]
    deeds = Recorded.load(evening).deeds
    for number, deed in enumerate(deeds):
        if number % max(len(deeds) // 20, 1) == 0:
            position = format_position(evening.game, session.state)
            for _ in range(12):
                bent = bend(position, rng, words)
                found = restore_position(evening.game, evening.setup, bent)
                answer = describe(evening.game, found) if isinstance(found, Refusal) else "yes"
                lines += [f"{number}: {what}: {answer}" for what in list_changes(position, bent)]
        session.act(deed.request)
    folder = Path(__file__).parent / evening.game.id
    compare_with_file(folder / f"positions_{evening.name}.txt", lines)


def test_view_gives_the_position_and_start_begins_with_it():
    talk = Talk("dtc", ["Ann", "Ben"], seed=3)
    talk.ok("offer", player="Ann", count=2, value=3)
    position = talk.reply("view")["position"]
    assert position["offer"] == {"giver": 0, "challenger": 1, "count": 2, "value": 3}
    again = Talk("dtc", ["Ann", "Ben"], seed=3, position=position)
    assert again.view == talk.view
    assert again.refused("undo") == "nothing_to_undo"
    assert again.ok("accept", player="Ben") == talk.ok("accept", player="Ben")


def test_the_cards_that_a_pad_read_are_in_no_position():
    """DV-51: the seals neither, since nobody could open them."""
    talk = Talk("donkey_valley", ["Ann", "Ben", "Cid"])
    talk.ok("donkey", type="normal")
    for name, value in (("Ann", 3), ("Ben", 5), ("Cid", 7)):
        talk.ok("load", player=name, sealed=[value])
    position = talk.reply("view")["position"]
    assert position["round"]["stakes"] == [{"loads": [None]}] * 3
    assert Talk("donkey_valley", ["Ann", "Ben", "Cid"], position=position).view == talk.view
    position["round"]["stakes"][1]["lods"] = []
    session = talk.referee.session
    refusal = restore_position(session.game, session.setup, position)
    assert refusal.text.args == {"field": "round.stakes[1].lods", "nearest": "loads"}


DTC = {"hands": [6, 6], "piles": [0, 0], "left": [0, 0], "draw_pile": 54}
PARTNERS = {
    "phase": "play",
    "dealer": 3,
    "deal": 1,
    "turn": 0,
    "left": [4, 4, 4, 4],
    "pawns": [-1] * 16,
    "played": {},
}
FAULTS = [
    ("dtc", {**DTC, "draw_pile": "54"}, "Expected `int`, got `str` - at `$.draw_pile`"),
    ("dtc", {"hands": [6, 6]}, "Object missing required field `piles`"),
    ("dtc", {**DTC, "gver": 1}, 'it has no field "gver". Did you mean "giver"?'),
    ("dtc", {**DTC, "hands": [6]}, "hands has the length 1 instead of 2"),
    ("dtc", {**DTC, "hands": [7, 6]}, "hands contradicts the other fields"),
    ("dtc", {**DTC, "giver": 2}, "2 in giver is not valid; it must be 0 to 1"),
    ("dtc", {**DTC, "phase": "told"}, '"told" is not possible in phase here'),
    ("dtc", {**DTC, "draw_pile": 0, "hands": [60, 6]}, "in the phase offer it lies between two steps"),
    ("partners", {**PARTNERS, "pawns": [60, 60, *[-1] * 14]}, "pawns contradicts the other fields"),
    ("partners", {**PARTNERS, "played": {"heart": 5}}, "'heart' occurs 5 times in played"),
    ("partners", {**PARTNERS, "last": []}, 'it has no field "last"'),
]


@pytest.mark.parametrize(("game_id", "position", "reason"), FAULTS)
def test_a_fault_in_a_position_is_told_with_its_place(game_id, position, reason):
    names = ["Ann", "Ben", "Cid", "Dot"][: registry.load_game(game_id).seats[0]]
    error = say(Referee(), {"do": "start", "game": game_id, "players": names, "position": position})["error"]
    assert error["code"] == "bad_position"
    assert reason in error["message"]


def test_a_session_from_a_position_needs_a_referee_without_a_journal():
    class Log:
        def start_session(self, setup):
            raise AssertionError(setup)

    start = {"do": "start", "game": "dtc", "players": ["Ann", "Ben"], "position": DTC}
    assert say(Referee(log=Log()), start)["error"]["message"].endswith("without --journal.")
    assert say(Referee(), start)["ok"]


def test_a_game_that_does_not_check_positions_takes_none():
    setup = toy_setup()
    refusal = restore_position(TOY, setup, format_position(TOY, TOY.start(setup)))
    assert refusal.text.code == "refusal.position_unsupported"


def test_fractions_are_written_as_in_views():
    position = {
        "phase": "exchange",
        "hand_number": 2,
        "leader": 1,
        "turn": 1,
        "hands": [15, 15, 15],
        "points": ["8", "1/0", 0],
    }
    names = ["Ann", "Ben", "Cid"]
    start = {"do": "start", "game": "ascend", "players": names, "position": position}
    assert "text such as `7/3` - at `$.points[1]`" in say(Referee(), start)["error"]["message"]


def list_variants(value, words):
    """Every slip of the pen in one value."""
    match value:
        case bool():
            return [not value]
        case int():
            return [value - 1, value + 1, -1, 0, 1, 2, 3, 4, 99, None]
        case str():
            return words
        case list():
            return [value[1:], value + value[:1], value[::-1], [], None, *([[value[0]]] if value else [])]
        case None:
            return [0, 1, True, [], {}, *words[:2]]
        case _:
            return [{}, None]


MOST_CHANGES = 20
"""Most changes that are tried in one field, from all over it."""


def answers_to_changes(session, words):
    """For each field of a position, the check sum of what is said of changes in it."""
    game, setup = session.game, session.setup
    whole = json.loads(json.dumps(_encode_value(session.state, _list_left_out(game), with_defaults=True)))
    answers = {}
    for name in whole:
        places = [(whole, name), *lists_in(whole[name])]
        changes = [(*place, other) for place in places for other in list_variants(place[0][place[1]], words)]
        for where, key, other in changes[:: len(changes) // MOST_CHANGES + 1]:
            kept, where[key] = where[key], other
            found = restore_position(game, setup, whole)
            where[key] = kept
            answers.setdefault(name, []).append(
                describe(game, found) if isinstance(found, Refusal) else "yes"
            )
    return {name: f"{len(said)} {zlib.crc32('|'.join(said).encode()):08x}" for name, said in answers.items()}


@pytest.mark.parametrize("part", [1, 2, 3])
@pytest.mark.parametrize("evening", POSITIONED, ids=titled)
def test_what_is_said_of_changes_in_each_field_at_a_moment_of_an_evening(evening, part):
    """After a change that is meant: `WRITE=1 pytest tests/rules/test_positions.py`, and see in the
    other test's file what is said now."""
    session = Session(evening.game, evening.setup)
    deeds = Recorded.load(evening).deeds
    for deed in deeds[: len(deeds) * part // 4 + 3 * part]:
        session.act(deed.request)
    words = [
        *evening.setup.players[:2],
        *map(str, list(evening.game.cards)[:2]),
        *evening.game.phases,
        "moons",
    ]
    lines = [f"{name} {said}" for name, said in answers_to_changes(session, words).items()]
    compare_with_file(Path(__file__).parent / evening.game.id / f"changes_{evening.name}_{part}.txt", lines)
