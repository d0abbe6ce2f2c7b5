"""Lines of any bytes, and the requests of each game's reference with any JSON in any field.

Every one is answered by one line of JSON, and a refusal changes nothing.
"""

from __future__ import annotations

import json
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.referee import Referee
from tools import write_protocol

anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.sampled_from(["Ann", "Ben", "7", "joker", "donkey", 10**40, -1, 0, 1, 2, 3]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def lines_of(requests):
    """Lines: bytes, JSON, and requests of the right name with the right fields and any values in
    them."""
    request = st.sampled_from([*requests, {"do": "undo"}, {"do": "view"}, {"do": "explain", "player": "Ann"}])
    bent = st.tuples(
        request, st.dictionaries(st.sampled_from(["player", "cards", "count", "value", "do", "x"]), anything)
    )
    return st.lists(
        st.binary(max_size=60)
        | anything.map(lambda value: json.dumps(value).encode())
        | request.map(lambda one: json.dumps(one).encode())
        | bent.map(lambda pair: json.dumps({**pair[0], **pair[1]}).encode()),
        max_size=12,
    )


@cache
def requests_of(game_id):
    """The examples of the game's reference: the first `start` that is accepted, and all that
    follows in any scene."""
    sent = [one for one in write_protocol.send_examples(game_id) if one.reply["ok"] or one.do != "start"]
    requests = [json.loads(one.line) for one in sent]
    return requests[0], [request for request in requests if request["do"] != "start"]


@pytest.mark.slow
@pytest.mark.parametrize("game_id", write_protocol.GAMES)
@given(data=st.data())
@settings(max_examples=60)
def test_every_line_is_answered(game_id, data):
    """Feed the lines to a referee at the beginning of a game."""
    start, requests = requests_of(game_id)
    lines = data.draw(lines_of(requests))
    referee = Referee()
    view = json.loads(referee.answer_line(json.dumps(start).encode()))["view"]
    for line in lines:
        answer = referee.answer_line(line)
        assert b"\n" not in answer
        reply = json.loads(answer)
        assert reply["ok"] is True or set(reply["error"]) == {"code", "message", "clause"}
        if reply["ok"]:
            view = reply["view"]
        assert json.loads(referee.answer_line(b'{"do":"view"}'))["view"] == view
