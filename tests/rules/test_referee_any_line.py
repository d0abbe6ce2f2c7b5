"""Lines that are nearly requests: each is answered by one object, and a refusal changes nothing."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from companion.referee import Referee
from tests.rules.asking import START, say

words = st.sampled_from(
    [
        "do",
        "player",
        "at",
        "card",
        "with",
        "count",
        "values",
        "sealed",
        "accept",
        "value",
        "swap",
        "owner",
        "type",
    ]
)
scraps = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(
        ["Ann", "Ben", "load", "donkey", "favour", "peek", "exchange", "choose", "draw", "reveal"]
    ),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(words | st.text(max_size=4), inner, max_size=5)
    ),
    max_leaves=12,
)
lines = st.binary(max_size=80) | scraps.map(lambda value: json.dumps(value).encode())


@settings(max_examples=400)
@given(st.lists(lines, min_size=1, max_size=4), st.integers(0, 9))
def test_any_line_is_answered_by_one_object_and_refusals_change_nothing(sent, progress):
    referee = Referee()
    say(referee, START)
    for request in [
        {"do": "donkey", "type": "holed"},
        *({"do": "load", "player": name} for name in START["players"]),
        {"do": "favour", "player": "Ann", "card": 10},
        {"do": "no_favour", "player": "Ben"},
        {"do": "no_favour", "player": "Cid"},
        {"do": "peeks_done"},
        {"do": "decide", "player": "Ann", "accept": True},
    ][:progress]:
        assert say(referee, request)["ok"]
    for line in sent:
        before = say(referee, {"do": "view"})["view"]
        reply = say(referee, line)
        assert reply["ok"] in (True, False)
        if not reply["ok"]:
            assert say(referee, {"do": "view"})["view"] == before
