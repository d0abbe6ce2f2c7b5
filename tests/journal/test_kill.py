"""The referee is killed at random moments; everything that it had answered with ok is in its
journal."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys

import pytest

from companion.journal.saved_session import verify_commitments
from companion.journal.store import Store
from companion.referee import Referee

START = {"do": "start", "game": "toy", "players": ["Ann", "Ben"], "options": {"rounds": 100}, "seed": 5}


def start_referee(file, *more):
    return subprocess.Popen(
        [sys.executable, "-m", "tests.toy_referee", "referee", "--journal", file, *more],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def converse(file, *requests, arguments=()):
    referee = start_referee(file, *arguments)
    said, complaint = referee.communicate(
        "".join(json.dumps(r) + "\n" for r in requests).encode(), timeout=60
    )
    return [json.loads(line) for line in said.splitlines()], complaint.decode(), referee.returncode


def requests_of_an_evening(chance):
    """A hundred rounds with refused requests, undos and redos in between."""
    for _ in range(100):
        for do in ("lay", "show"):
            for player in ("Ann", "Ben"):
                yield {"do": do, "player": player} | ({"value": chance.randint(0, 9)} if do == "show" else {})
        if chance.random() < 0.3:
            yield {"do": chance.choice(["undo", "redo", "view", "undo", "nonsense"])}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_what_was_answered_is_there_after_a_kill(file, seed):
    chance = random.Random(seed)
    requests = [START, *requests_of_an_evening(chance)]
    referee = start_referee(file)
    referee.stdin.write("".join(json.dumps(r) + "\n" for r in requests).encode())
    referee.stdin.flush()
    answers = [referee.stdout.readline() for _ in range(chance.randint(1, 120))]
    referee.send_signal(signal.SIGKILL)
    answers += referee.stdout.read().splitlines()
    referee.communicate()
    answered = [json.loads(line) for line in answers if line.endswith((b"\n", b"}"))]

    with Store.open_read_only(file) as look:
        kept = look.read_session(1)
    # The same requests in memory: the journal holds those that were answered, and at most one step
    # that was not answered yet.
    twin = Referee()
    steps = 0
    for request, answer in zip(requests, answered, strict=False):
        assert json.loads(twin.answer_line(json.dumps(request).encode()))["ok"] == answer["ok"]
        steps += answer["ok"] and request["do"] not in ("start", "view")
    # Lines may have been lost in the pipe's buffer, but never an answered step.
    assert len(kept.entries) >= steps
    for request in requests[len(answered) :]:
        if len(kept.entries) == steps:
            break
        answer = json.loads(twin.answer_line(json.dumps(request).encode()))
        steps += answer["ok"] and request["do"] not in ("start", "view")
    assert kept.restore_session(print).view() == twin.session.view()

    (seen, *_), complaint, status = converse(file, {"do": "view"})
    assert (seen["ok"], complaint, status) == (True, "", 0)
    assert seen["view"] == twin.session.view()


def test_a_referee_started_again_goes_on_with_undo_and_redo(file):
    lay = [{"do": "lay", "player": "Ann"}, {"do": "lay", "player": "Ben"}]
    show = [{"do": "show", "player": "Ann", "value": 3}, {"do": "show", "player": "Ben", "value": 8}]
    before, _, _ = converse(file, START, *lay, *show, {"do": "undo"}, {"do": "undo"})
    again, _, _ = converse(file, {"do": "view"}, {"do": "redo"}, {"do": "redo"}, {"do": "redo"})
    assert again[0]["view"] == before[-1]["view"]
    assert again[2]["view"] == before[4]["view"]
    assert again[3]["error"]["code"] == "nothing_to_undo"
    undone, _, _ = converse(file, *[{"do": "undo"}] * 5)
    assert [answer["ok"] for answer in undone] == [True] * 4 + [False]
    assert undone[3]["view"] == before[0]["view"]


def test_a_donkey_that_was_drawn_is_the_same_one_however_often_the_referee_is_killed(file):
    """DV-3: also after an undo, and with a seed that was lost with the program that knew it."""
    start = {"do": "start", "game": "donkey_valley", "players": ["Ann", "Ben", "Cid"]}
    draw, undo, redo, view = ({"do": do} for do in ("draw_donkey", "undo", "redo", "view"))
    _, drawn = killed(file, start, draw)
    face_up = drawn["view"]["donkey"] == "difficult"
    lay = {"do": "load", "player": "Ann"} | ({"values": [3]} if face_up else {})
    (laid,) = killed(file, lay)
    for _ in range(4):
        seen, _, undone, *again = killed(file, view, undo, undo, draw, lay)
        assert seen["view"] == laid["view"]
        assert undone["view"]["donkey"] is None
        assert [one["view"] for one in again] == [drawn["view"], laid["view"]]
    assert killed(file, undo, undo, redo)[-1]["view"] == drawn["view"]
    with Store.open_read_only(file) as look:
        assert verify_commitments(look.read_session(1)).is_valid


def test_loads_that_were_drawn_stay_drawn_when_a_referee_started_again_puts_an_act_right(file):
    """DV-19: the round is played out, the seed lost, and what the second one weighs read wrong."""
    names = ("Ann", "Ben", "Cid", "Dee", "Eve")
    loads = dict(zip(names, (10, 9, 8, 7, 6), strict=True))
    killed(
        file,
        {"do": "start", "game": "donkey_valley", "players": names},
        {"do": "donkey", "type": "hurried"},
        *({"do": "load", "player": name} for name in names),
        *({"do": "decide", "player": name, "accept": name not in ("Ann", "Ben")} for name in names),
        *({"do": "reveal", "player": name, "values": [loads[name]]} for name in names),
    )
    with Store.open_read_only(file) as look:
        drawn = drawn_last(look.read_session(1))
    for value in (5, 4, 5, 4):
        wanted = {"do": "reveal", "player": "Ben", "values": [value]}
        (corrected,) = killed(file, {"do": "correct", "at": 12, "request": wanted})
        assert corrected["ok"]
        with Store.open_read_only(file) as look:
            kept = look.read_session(1)
            assert drawn_last(kept) == drawn
            assert verify_commitments(kept).is_valid


def drawn_last(kept):
    """Who has whose load, as the program drew them last."""
    events = kept.entries[-1].acts[-1].events
    return [(one.player, one.card.owner) for event in events for one in getattr(event, "draws", ())]


def killed(file, *requests):
    """The answers of a referee that is killed after the last."""
    referee = start_referee(file)
    referee.stdin.write("".join(json.dumps(r) + "\n" for r in requests).encode())
    referee.stdin.flush()
    answers = [json.loads(referee.stdout.readline()) for _ in requests]
    referee.kill()
    referee.communicate()
    return answers


def test_a_second_start_begins_another_session_in_the_same_file(file):
    converse(file, START, {"do": "lay", "player": "Ann"}, {**START, "players": ["Cleo", "Dan"]})
    seen, _, _ = converse(file, {"do": "view"})
    assert [row["name"] for row in seen[0]["view"]["players"]] == ["Cleo", "Dan"]
    with Store.open_read_only(file) as look:
        assert [row.entries for row in look.list_sessions()] == [1, 0]


@pytest.mark.parametrize(("language", "word"), [("en", "left as it is"), ("fr", "reste tel quel")])
def test_a_referee_says_before_it_begins_that_it_cannot_keep_anything(file, language, word):
    file.write_text("shopping list")
    said, complaint, status = converse(file, START, arguments=("--lang", language))
    assert (said, status) == ([], 2)
    assert word in complaint
    assert "Traceback" not in complaint
    assert file.read_text() == "shopping list"


def test_a_second_referee_is_turned_away(file):
    first = start_referee(file)
    first.stdin.write(json.dumps(START).encode() + b"\n")
    first.stdin.flush()
    first.stdout.readline()
    said, complaint, status = converse(file, {"do": "view"})
    assert (said, status) == ([], 2)
    assert f"process {first.pid}" in complaint
    first.communicate(b'{"do":"lay","player":"Ann"}\n')
    assert first.returncode == 0


def test_an_empty_journal_has_no_session_yet(file):
    (answer,), _, _ = converse(file, {"do": "view"})
    assert answer["error"]["code"] == "no_session"
