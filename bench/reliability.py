"""What is done to the program so that it loses an evening, and how often it did: every figure
should be 0. `--times 10`: ten times as much of everything."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import random
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from bench.harness import Figure, Options, megabytes, timed
from bench.program import begun
from companion.demo.actions import players_of
from companion.journal.export import as_json
from companion.journal.history import records
from companion.journal.journal import EACH, Journal
from companion.journal.place import StorageFault
from companion.journal.store import Store
from companion.live.live import Live
from companion.plan import Plan
from companion.readers.recorded import read as read_recording
from companion.rules import registry
from companion.rules.contract import Choice, Problem, Refusal, Request, Setup
from companion.rules.session import Session
from companion.table import pads, zones
from companion.table.deckfile import DeckError
from companion.table.decks import Deck
from companion.table.sightings import Sighting, Unrest
from companion.table.table import MOST_CARDS, Table
from companion.views import evening as opened
from companion.views.dashboard.app import Dashboard

Rows = Iterator[Figure]
PLAYERS = ("Ann", "Ben", "Cleo", "Dan")


def _none(what: str, number: int, conditions: str) -> Figure:
    return Figure(what, str(number), "0", conditions, number == 0)


def kills(options: Options) -> Rows:
    """Answered requests that are not in the file of a `companion referee --journal` that was killed
    at a random moment of a game."""
    lost = answered = 0
    count = options.many(40)
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
    yield _none(
        "kills: answered requests that were lost", lost, f"{count} SIGKILLs, {answered} answered, all games"
    )


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
    return _with_some(choice, chance)


def _with_some(choice: Choice, chance: random.Random) -> Request:
    """The choice with as few cards as it takes, at random."""
    if choice.pick is None:
        return choice.request
    cards = [card for card, copies in choice.pick.cards for _ in range(copies)]
    return choice.with_cards(chance.sample(cards, max(choice.pick.least, 1)))


ENTRIES = 60
_BESIDE = ("", "-journal", "-wal", "-shm", ".mark")


def play(file: Path, entries: int) -> tuple[Journal, Session]:
    """Begin a session, or go on with the last, until it has so many entries; the journal stays
    open."""
    journal = Journal.open(file)
    kept = journal.read(1) if journal.sessions() else None
    game = registry.load("dtc")
    if kept is None:
        setup = Setup("dtc", PLAYERS, dict(game.defaults({})), 1)
        journal.begin(setup)
        session = Session(game, setup, journal.append)
    else:
        journal.go_on(kept)
        session = kept.session(journal.append)
    act_some(session, entries - (len(kept.entries) if kept else 0))
    return journal, session


def act_some(session: Session, count: int) -> None:
    """Do and take back what a menu offers first: as many entries as one wants."""
    for _ in range(count):
        if session.can_undo:
            session.undo()
        else:
            player = session.view()["waiting_for"][0]["player"]
            choice = next(iter(session.game.choices(session.state, player)))
            cards = [card for card, copies in choice.pick.cards for _ in range(copies)] if choice.pick else []
            session.act(choice.with_cards(cards[: max(choice.pick.least, 1)] if choice.pick else ()))


def kept(options: Options) -> Rows:
    """Entries that are missing without a word where what a killed program left is damaged, copied
    in part or replaced by what was there before; or the file under a program that plays."""
    count = options.many(200)
    with tempfile.TemporaryDirectory() as folder:
        left = Path(folder) / "left"
        older = _killed(left / "older.sqlite3", 23)
        whole = _killed(left / "older.sqlite3", ENTRIES)
        chance = random.Random(1)
        after = [
            _found_after(Path(folder) / f"{n}", _harmed(dict(whole), older, chance)) for n in range(count)
        ]
        alone = _found_after(Path(folder) / "alone", {"": whole[""]})
        playing = [_found_while_playing(Path(folder) / f"p{n}", random.Random(n)) for n in range(count)]
    what = f"{count} damages to files of killed programs (changed, cut, deleted, older), {ENTRIES} entries"
    while_playing = f"{count} damages to the file of a program that plays, {ENTRIES} entries"
    yield _none("kept: entries missing, copy of the one file", ENTRIES - alone[0], "after a kill, file alone")
    unsaid = sum(found < ENTRIES and not said for found, said in after)
    yield _none("kept: losses without a word", unsaid, what)
    losses = sum(found < ENTRIES for found, _ in after)
    yield Figure("kept: losses, all of them said", str(losses), "–", what)
    yield _none("kept: damage while playing, unseen", sum(not seen for seen, _ in playing), while_playing)
    yield _none("kept: damage while playing, entries lost", sum(lost for _, lost in playing), while_playing)


def _killed(file: Path, entries: int) -> dict[str, bytes]:
    """Play in a program that is killed; return what it left, by what is added to the name."""
    file.parent.mkdir(exist_ok=True)
    program = (
        "import os, signal, sys; from pathlib import Path; from bench.reliability import play;"
        "kept = play(Path(sys.argv[1]), int(sys.argv[2])); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", program, str(file), str(entries)], check=False)
    names = {end: file.with_name(file.name + end) for end in _BESIDE}
    return {end: path.read_bytes() for end, path in names.items() if path.exists()}


def _harmed(files: dict[str, bytes], older: dict[str, bytes], chance: random.Random) -> dict[str, bytes]:
    """Harm one of the files."""
    end = chance.choice(sorted(files))
    data = files[end]
    way = chance.choice(("flip", "cut", "delete", "older"))
    at = chance.randrange(len(data))
    if way == "delete":
        del files[end]
    elif way == "older" and end in older:
        files[end] = older[end]
    else:
        files[end] = data[:at] if way == "cut" else data[:at] + bytes([data[at] ^ 0x40]) + data[at + 1 :]
    return files


def _found_after(folder: Path, files: dict[str, bytes]) -> tuple[int, bool]:
    """Open what is left: how many entries are there, and whether something was said."""
    folder.mkdir()
    file = folder / "hurt.sqlite3"
    for end, data in files.items():
        file.with_name(file.name + end).write_bytes(data)
    try:
        with Store.open(file) as store:
            found = len(store.read(1).entries) if store.last() else 0
            return found, store.notice is not None
    except StorageFault:
        return 0, True
    finally:
        shutil.rmtree(folder)


def _found_while_playing(folder: Path, chance: random.Random) -> tuple[bool, int]:
    """Damage the file of an open journal: whether it is seen within one look, and how many entries
    are in no file after the next act."""
    folder.mkdir()
    file = folder / "hurt.sqlite3"
    journal, session = play(file, ENTRIES)
    size = file.stat().st_size
    harms: tuple[Callable[[], object], ...] = (
        lambda: os.truncate(file, chance.randrange(size)),
        file.unlink,
        lambda: _overwrite(file, chance.randrange(size), bytes(chance.randrange(1, 5000))),
        lambda: shutil.copyfile(Path(__file__), file),
    )
    before = file.read_bytes()
    chance.choice(harms)()
    same = file.exists() and file.read_bytes() == before
    journal.look_after(EACH)
    seen = same or journal.trouble is not None or journal.path != file or _sound(file)
    act_some(session, 1)
    kept = journal.evening()
    lost = ENTRIES + 1 - (len(kept.entries) if kept is not None else 0)
    journal.close()
    shutil.rmtree(folder)
    return seen, lost


def _sound(file: Path) -> bool:
    """Tell whether every entry is there: the damage hit what means nothing."""
    try:
        with Store.look(file) as look:
            return len(look.read(1).entries) == ENTRIES and look.notice is None
    except StorageFault:
        return False


def _overwrite(file: Path, at: int, data: bytes) -> None:
    with file.open("r+b") as opened:
        opened.seek(at)
        opened.write(data)


READERS: tuple[Callable[[Path], object], ...] = (Deck.load, zones.load, pads.load, read_recording)
SEEDS = (
    b'[deck]\nname = "Mine"\ngame = "dtc"\n[[design]]\nname = "dtc:4"\ncopies = 3\n',
    b'[[zone]]\nname = "seat:1"\ncorners = [[0, 0], [1, 0], [1, 1]]\n',
    b'[[pad]]\nzone = "seat:1"\nname = "seat1"\n',
    b'{"recording": 1}\n{"kind":"sighting","reader":"c","track":1,"design":null,"where":"middle","at":1}\n',
)
PIECES = (
    b"[",
    b"{a=",
    b"a.",
    b"9",
    b'"',
    b"'''",
    b"\\",
    b"=",
    b"\n[[design]]\n",
    b"0x",
    b"f",
    b"\0",
    b"\xff",
    "\u202e".encode(),
    b"#",
)


def files(options: Options) -> Rows:
    """Hostile decks, layouts, plans of pads and recordings about which nothing is said in words,
    the slowest, and the memory taken."""
    failed, slowest, count = 0, 0.0, options.many(600)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "given"
        for number in range(count):
            file.write_bytes(_hostile_file(random.Random(number)))
            for read in READERS:
                began = time.perf_counter()
                try:
                    read(file)
                except (Problem, DeckError):
                    pass
                except Exception:
                    failed += 1
                slowest = max(slowest, time.perf_counter() - began)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    what = f"{count} files of up to 400 kB, by 4 readers"
    yield _none("files: about which nothing is said", failed, what)
    yield Figure("files: the slowest", f"{slowest:.2f} s", "10 s", what, slowest < 10)
    yield Figure("files: memory taken at most", f"{grown:.0f} MB", "300 MB", what, grown < 300)


def _hostile_file(chance: random.Random) -> bytes:
    data = bytearray(chance.choice(SEEDS))
    for _ in range(chance.randrange(1, 5)):
        piece = chance.choice(PIECES) * chance.choice((1, 3, 70, 5_000, 100_000))
        at = chance.randrange(len(data) + 1)
        data[at:at] = piece[:400_000]
    return bytes(data)


GAME = "ochs_und_esel"
SECONDS_AN_ACT = 6.0
FRAMES_A_SECOND = 2
"""Frames that have something to say, as the camera reader sends them; three cards each, which move
a little."""


class Evening:
    """One session at one table; `act` is one act with all that the camera reports meanwhile."""

    def __init__(self, file: Path) -> None:
        game = registry.load(GAME)
        self.setup = Setup(GAME, PLAYERS, {**game.defaults({}), "rounds": 1_000}, 1)
        self.now = 0.0
        self.chance = random.Random(1)
        self.track = 0
        self.game = game
        deck = Deck.find(GAME)
        self.live = Live(
            game,
            self.setup,
            table=Table(deck, {}, {}),
            journal=Journal.open(file),
            cards=tuple(deck.cards),
            now=0.0,
        )
        self.designs = [one.name for one in deck.designs]

    def act(self) -> float:
        """Return the seconds of processor time that one act took."""
        began = time.process_time()
        for _ in range(round(SECONDS_AN_ACT * FRAMES_A_SECOND)):
            self.now += 1 / FRAMES_A_SECOND
            self._frame()
            self.live.tick(self.now)
        self._choose()
        return time.process_time() - began

    def _frame(self) -> None:
        self.track += self.chance.random() < 0.05  # now and then another card lies there
        for number in range(3):
            track = self.track + number
            design = self.designs[track % len(self.designs)] if track % 3 else None
            self.live.post(Sighting("camera", track, design, "pile", self.now, sure=design is not None))
        self.live.post(Sighting("camera", self.track - 1, None, "pile", self.now, present=False))
        self.live.post(Unrest("camera", False, self.now))

    def _choose(self) -> None:
        for _ in range(50):
            view = self.live.snapshot().view
            if not view["waiting_for"]:
                return
            wait = self.chance.choice(view["waiting_for"])
            choice = self.chance.choice(list(self.live.choices(wait["player"])))
            if not isinstance(self.live.submit(_with_some(choice, self.chance)), Refusal):
                return


def memory(options: Options) -> Rows:
    """What one process holds after four games, each with its dashboard: an evening of four hours.

    By hand: what a camera's reader needs is not in it.
    """
    games = options.many(4)
    held = asyncio.run(_games(games))
    figure = f"{held[-1]:.0f} MB (+{held[-1] - held[0]:.1f})"
    conditions = f"{games} games, dashboard open; + since the first"
    yield Figure("memory after a simulated evening", figure, "300 MB", conditions, held[-1] < 300)


async def _games(games: int) -> list[float]:
    held = []
    for _ in range(games):
        live = begun("donkey_valley", {})
        players = players_of(live.setup)
        async with Dashboard(opened.Evening(Plan(), live), clock=lambda: 0.0).run_test(
            size=(120, 40)
        ) as pilot:
            while (deed := players.next(live.acts(), live.snapshot().view)) is not None:
                live.submit(deed.request)
                await pilot.pause()
        held.append(megabytes(os.getpid()))
    return held


def hours(options: Options) -> Rows:
    """Memory, and the cost of an act in the first and in the last hour, of an evening of eight
    hours on a simulated clock."""
    count = options.many(8)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "evening.sqlite3"
        evening = Evening(file)
        an_hour = round(3600 / SECONDS_AN_ACT)
        tracemalloc.start()
        first = [evening.act() for _ in range(an_hour)]
        memory = [_memory()]
        last = first
        for _ in range(max(1, count - 1)):
            last = [evening.act() for _ in range(an_hour)]
            memory.append(_memory())
        tracemalloc.stop()
        acts = len(evening.live.acts())
        corrected = timed(lambda: evening.live.apply(evening.live.correction(acts - 1, None)))[0]
        evening.live.close()
        what = f"{count} h simulated, {acts} acts of {GAME}, {round(evening.now * FRAMES_A_SECOND)} frames of 3 cards"
        journal = Journal.open(file)
        resumed = timed(journal.unfinished)[0]
        kept = journal.read(1)
        assert kept is not None
        told, exported = timed(lambda: records(kept))[0], timed(lambda: "".join(as_json([kept])))[0]
        journal.close()
    ratio = statistics.median(last) / statistics.median(first)
    each = (memory[-1] - memory[0]) / 1024 / max(1, acts - an_hour)
    yield Figure(
        "evening: an act in the last hour to the first", f"{ratio:.2f} x", "1.2 x", what, ratio < 1.2
    )
    yield Figure(
        "evening: an act in the first hour, median", f"{statistics.median(first) * 1e3:.2f} ms", "–", what
    )
    yield Figure(
        "evening: memory after the first hour",
        f"{memory[0] / 2**20:.1f} MB",
        "–",
        f"{what}; Python's objects",
    )
    end = f"{what}; every act can be undone"
    yield Figure("evening: memory at the end", f"{memory[-1] / 2**20:.1f} MB", "–", end)
    yield Figure("evening: memory an act keeps", f"{each:.1f} kB", "10 kB", what, each < 10)
    yield Figure(
        "evening: correcting the last act", f"{corrected * 1e3:.1f} ms", "100 ms", what, corrected < 0.1
    )
    for name, seconds, limit in (
        ("taking it up again", resumed, 2),
        ("telling it (history)", told, 5),
        ("exporting it (JSON)", exported, 10),
    ):
        yield Figure(f"evening: {name}", f"{seconds:.2f} s", f"{limit} s", what, seconds < limit)


def flood(options: Options) -> Rows:
    """The longest tick, and what the table follows, where 100,000 cards are posted at once."""
    deck = Deck.find(GAME)
    game = registry.load(GAME)
    table = Table(deck, {}, {})
    live = Live(game, Setup(GAME, PLAYERS, dict(game.defaults({})), 1), table=table)
    for number in range(100_000):
        live.post(Sighting("camera", number, deck.designs[number % len(deck.designs)].name, "pile", 1.0))
    longest = 0.0
    while live.due(1.0) == 1.0:
        longest = max(longest, timed(lambda: live.tick(1.0))[0])
    longest = max(longest, timed(lambda: live.tick(2.0))[0])  # when all has lain long enough to count
    what = "100,000 sightings of other cards at once"
    followed = len(table.claims(2.0))
    yield Figure("flood: the longest tick", f"{longest * 1e3:.0f} ms", "250 ms", what, longest < 0.25)
    yield Figure("flood: cards followed", str(followed), f"{MOST_CARDS}", what, followed <= MOST_CARDS)


def _memory() -> int:
    gc.collect()
    return tracemalloc.get_traced_memory()[0]
