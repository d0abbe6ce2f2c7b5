"""`make bench-reliability`: what is done to the program so that it loses an evening, and how often
it did. Every figure should be 0.

Counts can be made larger by `RELIABILITY=10 make bench-reliability` (ten times as much of
everything).
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from bench import reliability_evening, reliability_files, reliability_kept
from companion.journal.storage_faults import StorageFault
from companion.journal.store import Store
from companion.referee import Referee
from companion.rules import registry
from companion.rules.contract import Refusal, Request, Setup
from companion.rules.session import Session

Rows = list[tuple[str, str, str, str]]
TIMES = float(os.environ.get("RELIABILITY", "1"))
PLAYERS = ("Ann", "Ben", "Cleo", "Dan")


def kills(count: int) -> Rows:
    """Kill `companion referee --journal` at a random moment of a game; count the answered requests
    that are not in its file."""
    lost = answered = 0
    for number in range(count):
        game = sorted(registry.game_ids())[number % len(registry.game_ids())]
        chance = random.Random(number)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "bot.sqlite3"
            kept_by_answers = _play_until_killed(game, file, chance)
            with Store.look(file) as look:
                kept = len(look.read(1).entries) if look.last() else 0
        answered += kept_by_answers
        lost += max(0, kept_by_answers - kept)
    return [
        (
            "kills: answered requests that were lost",
            str(lost),
            f"{count} SIGKILLs, {answered} answered, all games",
            "0",
        )
    ]


def _play_until_killed(game: str, file: Path, chance: random.Random) -> int:
    lines = [line.encode() + b"\n" for line in game_lines(game, chance)]
    words = [sys.executable, "-m", "companion", "referee", "--journal", str(file)]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as bot:
        assert bot.stdin is not None
        assert bot.stdout is not None
        steps = 0
        for number, line in enumerate(lines[: chance.randrange(2, len(lines))]):
            bot.stdin.write(line)
            bot.stdin.flush()
            reply = json.loads(bot.stdout.readline())
            steps += bool(reply["ok"]) and number > 0
        bot.send_signal(signal.SIGKILL)
    return steps


def game_lines(game_id: str, chance: random.Random) -> Iterator[str]:
    """Give the referee's lines of a game played at random through the menus, 150 acts at most."""
    game = registry.load(game_id)
    setup = Setup(game_id, PLAYERS, dict(game.defaults({})), 1)
    yield json.dumps({"do": "start", "game": game_id, "players": PLAYERS, "seed": 1})
    session = Session(game, setup)
    for _ in range(400):
        if session.over or session.now.number >= 150:
            return
        request = at_random(session, chance)
        line = msgspec.json.encode(request).decode()
        if not isinstance(session.act(request), Refusal):
            yield line


def at_random(session: Session, chance: random.Random) -> Request:
    """Return what a menu offers now, chosen at random."""
    wait = chance.choice(session.view()["waiting_for"])
    choice = chance.choice(list(session.game.choices(session.state, wait["player"])))
    if choice.pick is None:
        return choice.request
    cards = [card for card, copies in choice.pick.cards for _ in range(copies)]
    return choice.with_cards(chance.sample(cards, max(choice.pick.least, 1)))


def damage(count: int) -> Rows:
    """Change bytes of a journal; count the sessions that are read as something else than was
    played, and errors without words."""
    wrong = silent = 0
    with tempfile.TemporaryDirectory() as folder:
        sound, hurt = Path(folder) / "sound.sqlite3", Path(folder) / "hurt.sqlite3"
        game = registry.load("dtc")
        setup = Setup("dtc", PLAYERS, dict(game.defaults({})), 1)
        with Store.open(sound) as store:
            store.begin(setup)
            session = Session(game, setup, store.append)
            _play_some(session, random.Random(1))
        whole = sound.read_bytes()
        acts = session.acts()
        for number in range(count):
            hurt.write_bytes(_hurt(whole, random.Random(number)))
            try:
                with Store.open(hurt) as again:
                    found = again.read(1).session().acts()
                wrong += found != acts
            except StorageFault:
                pass
            except Exception:
                silent += 1
            for rest in Path(folder).glob("hurt*"):
                rest.unlink()
    what = f"{count} journals with 1 to 8 bytes changed, or cut short"
    return [
        ("damage: read as something else", str(wrong), what, "0"),
        ("damage: without words", str(silent), what, "0"),
    ]


def _play_some(session: Session, chance: random.Random) -> None:
    for _ in range(60):
        if not session.over:
            session.act(at_random(session, chance))


def _hurt(data: bytes, chance: random.Random) -> bytes:
    if chance.random() < 0.2:
        return data[: chance.randrange(len(data))]
    changed = bytearray(data)
    for _ in range(chance.randrange(1, 9)):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def lines(count: int) -> Rows:
    """Send the referee hostile lines in the middle of a game; count those that end it, change it,
    or bring no answer of one line."""
    chance = random.Random(7)
    good = list(game_lines("donkey_valley", chance))
    referee = Referee()
    for line in good[:20]:
        referee.answer(line.encode())
    before = referee.answer(b'{"do":"view"}')
    failed = 0
    for number in range(count):
        hostile = _hostile(chance.choice(good).encode(), chance, number)
        try:
            reply = referee.answer(hostile)
            accepted = json.loads(reply)["ok"]
            failed += b"\n" in reply
            if accepted and referee.answer(b'{"do":"view"}') != before:
                referee.answer(b'{"do":"undo"}')
        except Exception:
            failed += 1
    return [("lines: that end the referee or go unanswered", str(failed), f"{count} lines in a game", "0")]


def _hostile(line: bytes, chance: random.Random, number: int) -> bytes:
    made: tuple[Callable[[], bytes], ...] = (
        lambda: bytes(chance.randrange(256) for _ in range(chance.randrange(80))),
        lambda: _hurt(line, chance),
        lambda: b"[" * chance.randrange(1, 5000) + line,
        lambda: line.replace(b":", b":" + b"9" * chance.randrange(1, 5000), 1),
        lambda: line.replace(b'"', b'"\\u202e', 1),
        lambda: (
            b'{"do":"start","game":"dtc","players":["A","B"],"options":'
            + b'{"a":' * 985
            + b"1"
            + b"}" * 985
            + b"}"
        ),
    )
    return made[number % len(made)]()


def run() -> Rows:
    """Return the rows (name, figure, conditions, limit)."""
    parts: tuple[Callable[[], Rows], ...] = (
        lambda: kills(round(40 * TIMES)),
        lambda: damage(round(400 * TIMES)),
        lambda: reliability_kept.run_with(round(200 * TIMES)),
        lambda: lines(round(20_000 * TIMES)),
        lambda: reliability_files.run_with(round(600 * TIMES)),
        lambda: reliability_evening.run_with(8 * TIMES),
    )
    rows: Rows = []
    for part in parts:
        began = time.monotonic()
        found: Any = part()
        rows += found
        print(f"  ... {found[0][0].split(':')[0]}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    return rows


if __name__ == "__main__":
    from bench.__main__ import main

    main(sys.argv[1:], "reliability")
