"""Lines of any bytes and requests with any JSON in any field: every one is answered by one line of JSON, and a refusal changes nothing."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from companion.referee import Referee

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
    """Lines: bytes, JSON, and requests of the right name with the right fields and any values in them."""
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


def every_line_is_answered(start, lines):
    """Feed the lines to a referee in the middle of a game."""
    referee = Referee()
    view = json.loads(referee.answer(json.dumps(start).encode()))["view"]
    for line in lines:
        answer = referee.answer(line)
        assert b"\n" not in answer
        reply = json.loads(answer)
        assert reply["ok"] is True or set(reply["error"]) == {"code", "message", "clause"}
        if reply["ok"]:
            view = reply["view"]
        assert json.loads(referee.answer(b'{"do":"view"}'))["view"] == view
