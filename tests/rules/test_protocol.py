"""The referee's reference: every example in it is sent, every request, view field and error code
stands in it."""

import re
from pathlib import Path

import msgspec
import pytest

from companion import referee
from companion.referee import Referee
from companion.rules import registry
from companion.rules.contract import CommonView
from tests.rules.asking import say
from tests.rules.talk import Talk
from tools import write_protocol

PROJECT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", [write_protocol.EVERY, *write_protocol.GAMES])
def test_the_page_is_what_the_referee_answers(name):
    """Made by `make pages`: each refusal's code, clause and words, and each request that is
    accepted."""
    assert (write_protocol.PAGES / f"{name}.md").read_text(encoding="utf-8") == write_protocol.build_page(
        name
    )


@pytest.mark.parametrize("name", write_protocol.GAMES)
def test_the_schema_is_that_of_the_types(name):
    """Made by `make pages`."""
    assert (write_protocol.SCHEMAS / f"{name}.json").read_text(
        encoding="utf-8"
    ) == write_protocol.build_schema(name)


@pytest.mark.parametrize("name", [write_protocol.EVERY, *write_protocol.GAMES])
def test_events_and_views_are_of_the_types_that_the_schema_is_made_from(name):
    """An event of no such type, or a field of another, is a fault that `convert` raises."""
    told = [one.reply for one in write_protocol.send_examples(name) if one.reply["ok"] and one.reply["view"]]
    kinds = set()
    for reply in told:
        types = write_protocol.collect_types(registry.load_game(reply["view"]["game"]))
        event = types["event"]
        events = msgspec.convert(reply["events"], list[event])
        msgspec.convert(reply["view"], types["view"])
        assert msgspec.json.decode(msgspec.json.encode(events)) == reply["events"]
        kinds |= {one["type"] for one in reply["events"]}
    assert kinds >= {"session_started"}
    if name == write_protocol.EVERY:
        assert kinds >= {"request_undone", "request_redone", "request_corrected"}


@pytest.mark.parametrize("name", [write_protocol.EVERY, *write_protocol.GAMES])
def test_replies_are_of_the_types_that_the_schema_is_made_from(name):
    """A field of another type is a fault that `convert` raises; one of no type is lost."""
    fields = set()
    for one in write_protocol.send_examples(name):
        game_id = one.reply["view"]["game"] if one.reply.get("view") else "dtc"
        types = write_protocol.collect_types(registry.load_game(game_id))
        kind = types["accepted" if one.reply["ok"] else "refused"]
        known = {name: value for name, value in one.reply.items() if name not in ANSWERS.get(one.do, ())}
        # Views and requests leave out what has its default: only the fields are compared.
        assert msgspec.convert(known, kind).keys() == known.keys()
        fields |= known.keys()
    if name == write_protocol.EVERY:
        optional = referee.AcceptedReply.__annotations__.keys()
        assert fields >= {*optional, "error"}


ANSWERS = {"moves": ("moves",)}
"""What a game's own question adds to its reply, by the question's `do`."""


def test_a_program_learns_the_version_of_the_protocol():
    assert say(Referee(), {"do": "games"})["protocol"] == referee.PROTOCOL


IN_PLAY = [
    ("ascend", {"deck": "basic"}, {"excuse"}),
    ("partners", {"copies": {"heart": 0}}, {"heart"}),
    ("ochs_und_esel", {}, {"ox"}),
    ("donkey_valley", {"donkey_copies": {"normal": 20}}, {"giant", "double"}),
]


@pytest.mark.parametrize(("game_id", "options", "absent"), IN_PLAY)
def test_games_tells_the_cards_that_are_in_play(game_id, options, absent):
    talk = Talk(game_id, ["Ann", "Ben", "Cid", "Dot"], **options)
    [row] = [one for one in talk.reply("games")["games"] if one["id"] == game_id]
    [usual] = [one for one in say(Referee(), {"do": "games"})["games"] if one["id"] == game_id]
    played, all_cards = ({card["name"] for card in one["cards"]} for one in (row, usual))
    assert absent <= all_cards - played
    assert played <= all_cards


def test_games_tells_rank_and_suits_of_a_card_whose_name_does_not():
    [ascend] = [one for one in say(Referee(), {"do": "games"})["games"] if one["id"] == "ascend"]
    cards = {card["name"]: card["attributes"] for card in ascend["cards"]}
    assert cards["author"] == {"rank": "2", "suits": ["moons", "knots"], "personality": True}
    assert cards["excuse"] == {"rank": "excuse", "suits": [], "personality": True}


def test_every_game_that_we_ship_has_a_page():
    assert set(write_protocol.GAMES) <= set(registry.list_game_ids())


@pytest.mark.parametrize("game_id", write_protocol.GAMES)
def test_every_request_is_sent_and_every_code_of_the_sources_is_caused(game_id):
    examples = list(write_protocol.send_examples(game_id))
    game = registry.load_game(game_id)
    accepted = {one.do for one in examples if one.reply["ok"]}
    assert {kind.__struct_config__.tag for kind in (*game.requests, *game.questions)} <= accepted
    sources = (PROJECT / "companion" / "games" / game_id).glob("*.py")
    codes = set(re.findall(r'refuse\(\s*"(\w+)"', "".join(path.read_text() for path in sources)))
    assert codes <= set(write_protocol.find_refusals(examples))


@pytest.mark.parametrize("game_id", write_protocol.GAMES)
def test_every_field_of_a_view_is_documented(game_id):
    shows = registry.load_game(game_id).view_type
    fields = {*write_protocol.describe_view_fields(CommonView), *write_protocol.describe_view_fields(shows)}
    fields |= {"players[].name", "players[].points"}
    views = [one.reply["view"] for one in write_protocol.send_examples(game_id) if one.reply["ok"]]
    assert views
    for view in views:
        rows = {f"players[].{name}" for row in view["players"] for name in row}
        assert {*view, *rows} == fields


def test_nobody_is_sent_to_a_readme_that_is_not_in_the_project():
    files = [*(PROJECT / "companion").rglob("*.py"), *(PROJECT / "companion").rglob("*.po")]
    assert [path.name for path in files if "rules' README" in path.read_text(encoding="utf-8")] == []
