"""Asking the referee by lines, as another program does."""

import json

START = {"do": "start", "game": "donkey_valley", "players": ["Ann", "Ben", "Cid"], "seed": 7}


def say(referee, request):
    """One request, as an object or as a line."""
    line = request if isinstance(request, bytes) else json.dumps(request).encode()
    answer = referee.answer_line(line)
    assert b"\n" not in answer
    return json.loads(answer)


def code(referee, request):
    reply = say(referee, request)
    assert reply["ok"] is False
    assert set(reply) == {"ok", "error"}
    assert set(reply["error"]) == {"code", "message", "clause"}
    return reply["error"]["code"]
