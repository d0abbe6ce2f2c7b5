"""Whole random games with all options mixed, the referee against the plain model that the tests
keep: every answer and every view compared.

`python -m bench random_games` plays for a few seconds a game; more:
`GAMES_A_GAME=500 python -m bench random_games`. The first difference ends it with an error.
"""

from __future__ import annotations

import os
import random
import sys
from typing import Any

from tests.rules.test_models import MACHINES

Row = tuple[str, str, str, str]
GAMES = int(os.environ.get("GAMES_A_GAME", "20"))
WILD = 0.15
"""How often a request is anything of the right shape rather than one that will be accepted."""
LONGEST = 3_000
"""Requests after which a game that does not end is left: nobody tries to win."""


def run() -> list[Row]:
    """Play so many games of each."""
    return [_played(game_id) for game_id in MACHINES]


def _played(game_id: str) -> Row:
    kind: Any = MACHINES[game_id]
    requests, ended, mixes = 0, 0, set()
    for seed in range(GAMES):
        machine, rng = kind(), random.Random(seed)
        machine.start(seed)
        mixes.add(repr(sorted(machine.log.setup.options.items(), key=lambda item: item[0])))
        for _ in range(LONGEST):
            requests += _one(machine, rng)
            if machine.model.legal(rng) is None:
                ended += 1
                break
        machine.teardown()
    figure = f"{GAMES} games, {requests:,} requests"
    conditions = f"{ended} to their end, {len(mixes)} mixes of options; a seventh of the requests at random"
    return (f"random games: {game_id}", figure, conditions, "no difference")


def _one(machine: Any, rng: random.Random) -> int:
    request = machine.model.wild(rng) if rng.random() < WILD else machine.model.legal(rng)
    if request is not None:
        machine.act(request)
    return 1


if __name__ == "__main__":
    from bench.__main__ import main

    main(sys.argv[1:], "random_games")
