"""The referee as a program: lines in, lines out, its options and its end."""

import io
import json
import os
import subprocess
import sys

import pytest

from companion.__main__ import main
from companion.referee import Referee, serve_lines

START = {"do": "start", "game": "donkey_valley", "players": ["Ann", "Ben", "Cid"], "seed": 7}


def test_the_stream_is_answered_line_by_line_in_order_and_to_the_end():
    source = io.BytesIO(b'zzz\n\n{"do":"view"}\r\n' + json.dumps(START).encode() + b'\n{"do":"view"}')
    target = io.BytesIO()
    serve_lines(Referee(), source, target)
    replies = [json.loads(line) for line in target.getvalue().splitlines()]
    assert [reply["ok"] for reply in replies] == [False, False, False, True, True]
    assert [reply["error"]["code"] for reply in replies[:3]] == ["bad_request", "bad_request", "no_session"]


def test_the_program_answers_at_once_and_ends_with_its_input():
    command = [sys.executable, "-m", "companion", "referee"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        for request, wanted in ((b"nonsense", False), (json.dumps(START).encode(), True)):
            child.stdin.write(request + b"\n")
            child.stdin.flush()
            assert json.loads(child.stdout.readline())["ok"] is wanted
        out, err = child.communicate(timeout=20)
        assert (out, err, child.returncode) == (b"", b"", 0)


def test_nobody_listening_any_more_is_no_fault():
    command = [sys.executable, "-m", "companion", "referee"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        child.stdout.close()
        child.stdin.write(b'{"do":"view"}\n' * 3)
        child.stdin.close()
        assert child.wait(timeout=20) == 0
        assert child.stderr.read() == b""


def test_the_referee_starts_without_screen_camera_or_journal():
    """What the start costs is what is imported: counted, not timed."""
    probe = (
        "import sys; from companion.__main__ import main; import io\n"
        "sys.stdin = io.TextIOWrapper(io.BytesIO(sys.argv[1].encode()))\n"
        "main(['referee']); print(' '.join(sorted(sys.modules)), file=sys.stderr)"
    )
    line = json.dumps(START)
    done = subprocess.run(
        [sys.executable, "-c", probe, line], capture_output=True, check=True, env=os.environ, timeout=60
    )
    loaded = set(done.stderr.decode().split())
    assert "companion.games.donkey_valley" in loaded
    heavy = {"textual", "cv2", "numpy", "sqlite3", "serial", "companion.games.partners", "asyncio", "babel"}
    assert not heavy & loaded


@pytest.mark.parametrize("words", [[], ["--help"], ["--version"], ["referee", "--help"]])
def test_help_is_given(words, capsys):
    status = 0
    try:
        status = main(words)
    except SystemExit as left:
        status = left.code
    assert status == 0
    assert "companion" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["dance"], ["referee", "--lang", "eo"], ["--speed"]])
def test_unknown_words_on_the_command_line_are_explained(words, capsys):
    with pytest.raises(SystemExit) as left:
        main(words)
    assert left.value.code == 2
    assert "usage: companion" in capsys.readouterr().err


def test_a_start_that_a_game_refuses_is_refused_in_that_games_words():
    line = b'{"do":"start","game":"donkey_valley","players":["A","B","C"],"options":{"donkey_copies":{"normal":19}}}'
    error = json.loads(Referee("en").answer_line(line))["error"]
    assert error["code"] == "bad_option"
    assert "20" in error["message"]
