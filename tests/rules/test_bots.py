"""The bots of docs/bots.md: taken out of the page, each plays whole games without one refusal."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "bots.md").read_text(encoding="utf-8")


def play(program, language, bot, game, count, options):
    """Let the page's bot in this language play a game: it says the result, and nothing else."""
    [code] = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.M | re.S)
    bot.write_text(code, encoding="utf-8")
    players = ["Ann", "Ben", "Cid", "Dot", "Eve"][:count]
    start = json.dumps({"game": game, "players": players, "seed": 7, "options": options})
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        [program, bot, start], check=False, capture_output=True, env=os.environ | {"PATH": path}, timeout=120
    )
    assert done.stderr == b""
    result = json.loads(done.stdout)
    assert {row["player"] for row in result["ranking"]} == {*players}
    assert result["winners"]


GAMES = [
    ("donkey_valley", 4, {}),
    ("donkey_valley", 5, {"draws": "table"}),
    ("dtc", 3, {"variant": "all_higher"}),
    ("ochs_und_esel", 4, {}),
    ("ochs_und_esel", 4, {"ox": True}),
    ("partners", 4, {}),
    ("ascend", 4, {"bidding": True}),
]


@pytest.mark.parametrize(("game", "count", "options"), GAMES)
def test_a_bot_of_any_game_plays_to_the_end_without_a_refusal(game, count, options, tmp_path):
    play(sys.executable, "python", tmp_path / "bot.py", game, count, options)


@pytest.mark.slow
@pytest.mark.node
@pytest.mark.parametrize(("game", "count", "options"), {row[0]: row for row in GAMES}.values())
def test_a_bot_in_another_language_does_too(game, count, options, tmp_path):
    play("node", "js", tmp_path / "bot.mjs", game, count, options)
