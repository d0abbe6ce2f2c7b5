"""Evenings that the camera alone reads, one with everything that happens to families, and the first
hour with one's own cards.

The first hour goes as the README tells it: install the wheel, make a phone the camera above a
playmat, show it an ordinary pack, say where the table is, type three names, play two rounds of
Donkey Valley from the cards, and look at the score. Only the README's words are typed, and what had
to be entered by hand besides is counted. The phone is a real browser before a film that is drawn as
the person lays cards (`room`): an ordinary pack that strangers drew (Debian's `gnome-cards-data`),
our printed donkeys and slips beside it. Two words are not the README's: `--share here`, since
browser and program are on one machine.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import cv2
import msgspec
import numpy as np
from playwright.sync_api import sync_playwright

from bench.harness import Figure, Options, spread
from companion.decks import drawings
from companion.games.donkey_valley.moves import Decide, Donkey, Load, NoFavour, Reveal
from companion.journal.place import StorageFault
from companion.journal.store import Store
from companion.rules.contract import GAME_OVER, Request
from companion.table.decks import Deck
from tests.simulated.film_evening import CONDITIONS, LONGEST, FilmEvening
from tests.simulated.long_evening import LONG, SHORT, evening, told
from tests.simulated.packs import cells, packs
from tests.simulated.photo_evenings import evenings
from tests.simulated.room import Device, Laptop, LiveFilm, Never, Picture, Room, room, until
from tests.simulated.scenes import Faults, Placed, render, table


class Read(msgspec.Struct):
    """An evening by film, played to its end: how it came out, and what the camera did not see."""

    condition: str
    seed: int
    over: bool
    score: str
    cards: int
    asked: list[str]
    entered: int
    missed: list[str]
    wrong: list[str]
    seconds: float
    cost: str

    @property
    def told(self) -> bool:
        """Whether somebody was asked, or had to enter something."""
        return bool(self.asked or self.entered)


def by_film(options: Options) -> Iterator[Mapping[str, object] | Figure]:
    """Evenings of Donkey Valley by film, the camera alone, under other light and other cameras,
    each beside the same evening as drawn; aimed at: one in fifty cards asked for or entered, none
    wrong and sure, no other score that nobody was asked about. `--times 20`: so many evenings of
    each; what `--keep` holds of a run that was broken off is not played again."""
    kept = Path(os.devnull) if options.keep is None else options.keep / "by_film.jsonl"
    kept.parent.mkdir(parents=True, exist_ok=True)
    lines = kept.read_bytes().splitlines() if kept.exists() else []
    known = {(one.condition, one.seed): one for one in map(_decoder.decode, lines)}
    told: list[str] = []
    silent = evenings_read = 0
    for seed in range(options.seed, options.seed + options.many(1)):
        drawn = ""
        for name in CONDITIONS:
            if not options.wants(name) and name != "as drawn":
                continue
            one = known.get((name, seed))
            if one is None:
                one = _read(name, seed)
                with kept.open("ab") as file:
                    file.write(msgspec.json.encode(one) + b"\n")
            drawn = drawn or one.score
            evenings_read += 1
            silent += one.score != drawn and not one.told
            yield {
                "condition": name,
                "seed": seed,
                "to the final score": "yes" if one.over else "no",
                "score": one.score,
                "as drawn": "yes" if one.score == drawn else "no",
                "cards read": one.cards,
                "questions": len(one.asked),
                "entered for the camera": one.entered,
                "wrong and sure": len(one.wrong),
                "film seconds": f"{one.seconds:.0f}",
                "ms of the processor a frame": one.cost,
            }
            told += [f"{name}, {seed}: asked: {question}" for question in sorted(one.asked)]
            told += [f"{name}, {seed}: entered at {missed}" for missed in one.missed]
            told += [f"{name}, {seed}: wrong and sure: {wrong}" for wrong in one.wrong]
    yield from ({"what the camera did not see": line} for line in told)
    figure = f"{silent} of {evenings_read}"
    yield Figure("another score that nobody was asked about", figure, "0", "evenings by film", not silent)


_decoder = msgspec.json.Decoder(Read)


def _read(name: str, seed: int) -> Read:
    with tempfile.TemporaryDirectory() as folder:
        one = FilmEvening(CONDITIONS[name], Path(folder), seed)
        while one.live.snapshot().view["phase"] != GAME_OVER and one.now < LONGEST:
            one.step()
    view = one.live.snapshot().view
    return Read(
        name,
        seed,
        view["phase"] == GAME_OVER,
        ", ".join(f"{row['name']} {row['points']}" for row in view["players"]),
        len(one.read),
        [repr(question) for question in one.asked],
        one.entered,
        one.missed,
        one.wrong,
        one.now,
        spread(one.cost, ".0f"),
    )


def by_photo(options: Options) -> Iterator[Mapping[str, object]]:
    """Two evenings of Donkey Valley read from strangers' photographs: each is one reveal of four
    players, cards as read beside cards as labelled."""
    photos = options.shared / "photos"
    if not photos.is_dir():
        raise SystemExit(f"No photos at {photos}: name their folder with --shared.")
    for row in evenings(photos):
        if options.wants(row.photo):
            yield {
                "photo": row.photo,
                "donkey": row.donkey,
                "cards read": " ".join(map(str, row.cards)),
                "labelled": " ".join(map(str, row.labelled)),
                "total": row.total,
                "limit": row.limit,
                "overloaded": "yes" if row.overloaded else "no",
                "points": ", ".join(f"{name} +{won}" for name, won in row.points.items() if won) or "nobody",
            }


def long(options: Options) -> Iterator[Figure]:
    """Three games in ten minutes with phones, sleeping laptops, lost lines, kills and slips: what
    was told wrongly, and for how long. `--only GAME`: one of them; `--times 0`: the evening of the
    tests."""
    games = [game for game in (LONG if options.times else SHORT) if options.wants(game.game)]
    began = time.monotonic()

    def tell(what: str) -> None:
        print(f"{time.monotonic() - began:6.0f} s  {what}", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory() as folder:
        one = evening(games, Path(folder), options.seed, tell)
    for row in one.rows():
        yield Figure(row.name, row.figure, row.limit, row.conditions, row.well)
    for what, times in Counter(one.faults).items():
        print(f"  {times} x {what}", file=sys.stderr)


PLAYERS = ("Ann", "Bob", "Cleo")
SUITS = {"club": "C", "diamond": "D", "heart": "H", "spade": "S"}
RANKS = ("A", *map(str, range(2, 11)), "J", "Q", "K")
DECK = "donkey_valley_52"
HOLD = 12.0
"""Seconds for which a person waits for the camera before they type."""

ROUNDS: tuple[tuple[str, tuple[int, ...], tuple[bool, ...]], ...] = (
    ("normal", (3, 4, 5), (True, True, False)),
    ("giant", (2, 6, 7), (True, False, True)),
)
"""Two rounds: the donkey, everybody's load, and who accepts, from the first seat on."""

SEATS = ((470, 600), (150, 170), (1000, 170))
"""Where each player's load lies in the picture; the slip lies beside it."""


def pack() -> dict[str, Picture]:
    """An ordinary pack by the names of the deck file, its joker and back, and our printed cards."""
    grid = cells(packs("anglo_poker")[0])
    cards = {
        f"{rank}{letter}": grid[row][column]
        for row, letter in enumerate(SUITS.values())
        for column, rank in enumerate(RANKS)
    }
    printed = {name: np.asarray(face) for name, face in drawings(Deck.builtin(DECK), "en").items()}
    return {**cards, "joker": grid[4][0], "back": grid[4][2], **printed}


def playmat() -> Picture:
    """A pale table with a dark mat on it, as players of card games have it."""
    scene = table("pale", 1280, 720)
    cv2.rectangle(scene, (52, 46), (1228, 674), (60, 40, 30), -1)
    cv2.rectangle(scene, (66, 60), (1214, 660), (90, 70, 60), 2)
    return scene


class Person:
    """Somebody who has the program for the first time: lays cards, reads the screen, types.
    `typed`: keys that were pressed, by what for."""

    def __init__(self, around: Room, laptop: Laptop, bare: Picture) -> None:
        self.room, self.laptop, self.bare = around, laptop, bare
        self.cards = pack()
        self.typed: dict[str, int] = {}
        self.phone = Device("camera", around.context())

    def lay(self, *cards: tuple[str, float, float, float]) -> None:
        """Let these cards lie there, each its design, its middle and its width in pixels; no
        others."""
        placed = [Placed(name, self.cards[name], x, y, width, 2.0) for name, x, y, width in cards]
        self.room.film.show(render(self.bare, placed, Faults(noise=0, blur=0.6, jpeg=100)).picture)

    def press(self, keys: str, why: str) -> None:
        """Type, and count it."""
        self.typed[why] = self.typed.get(why, 0) + len(keys)
        self.laptop.type(keys)

    def start(self, *words: str) -> None:
        """Run a command of the README with the phone as camera."""
        self.laptop.start(*words, "--camera", "phone", "--share", "here", "--lang", "en")
        self.phone.open(self.room.reach(self.laptop.camera_link()))
        self.phone.film()

    # the deck

    def print_cards(self) -> None:
        """Print donkeys and slips."""
        self.laptop.start("cards", "print", "--game", DECK, "--lang", "en")
        self.laptop.ended()

    def own_the_deck(self) -> tuple[int, int]:
        """Show the camera every card that is asked for; return how many were taken, and how often
        one was said to be taken that was not there."""
        self.lay()
        self.start("enrol", "--deck", DECK)
        self.laptop.shows("Lay one card")
        wanted = [one.name for one in Deck.builtin(DECK).designs if one.name not in drawn()] + ["back"]
        with suppress(Never):  # to read what the screen says, and take the first card from the pack
            until(lambda: self._taken() > 0, "a card that is none", 8)
        wrong = taken = self._taken()
        if wrong:
            print(f"  nothing but the mat lies there: {self._note()}", file=sys.stderr, flush=True)
        for name in wanted:
            self.lay((name, 640, 360, 190))
            if not self._shown(taken):
                print(f"  {name} lies there, and: {self._note()}", file=sys.stderr, flush=True)
                break
            taken = self._taken()
            self.lay()
            time.sleep(1.0)  # to take the next card from the pack
        self.press("q", "enrolling")
        time.sleep(1)
        self.laptop.kill()
        return taken - wrong, wrong

    def _shown(self, before: int) -> bool:
        """Let the card lie until it is taken; where the screen asks for Space, press it."""
        for _ in range(5):
            with suppress(Never):
                until(lambda: self._taken() > before, "taken", HOLD / 2)
                return True
            if "press Space" in self._note():
                self.press(" ", "enrolling")
        return False

    def _taken(self) -> int:
        """How many cards the first line says are known."""
        said = re.search(r"(\d+) of \d+", self.laptop.screen)
        return int(said[1]) if said else 0

    def _note(self) -> str:
        notes = [line.strip() for line in self.laptop.screen.splitlines()[6:-1] if "▀" not in line]
        return " ".join(line for line in notes if line)

    # the table

    def calibrate(self) -> None:
        """Put the four corners where the table's are: they are there already."""
        self.lay()
        self.start("calibrate")
        self.laptop.shows("Next corner")
        until(lambda: "▀" in self.laptop.screen, "the picture")
        self.press("\r", "calibrating")
        time.sleep(1)
        self.laptop.kill()

    # the rounds

    def play(self) -> tuple[list[Request], list[Request]]:
        """Play two rounds; return the acts that were played, and those that no camera saw."""
        self.lay()
        self.start("play", "--deck", DECK, "--players", ",".join(PLAYERS), "--new")
        self.typed["names"] = len(",".join(PLAYERS))
        self.laptop.shows("Quit")
        played: list[Request] = []
        by_hand: list[Request] = []
        for number, (donkey, loads, accepts) in enumerate(ROUNDS):
            first = number % len(PLAYERS)
            order = [(first + step) % len(PLAYERS) for step in range(len(PLAYERS))]
            lying = [(f"donkey:{donkey}", 520.0, 330.0, 80.0)]
            self._do([Donkey(donkey)], lying, "", played, by_hand)
            for seat in order:
                lying = [*lying, ("back", *SEATS[seat], 72.0)]
                self._do([Load(PLAYERS[seat])], lying, f"{seat + 1}1", played, by_hand)
            self._do([NoFavour(PLAYERS[seat]) for seat in order], lying, "0N", played, by_hand, ask=False)
            for seat in order:
                word = "accept" if accepts[seat] else "refuse"
                x, y = SEATS[seat]
                lying = [*lying, (f"contract:any:{word}", x + 110.0, y, 72.0)]
                self._do(
                    [Decide(PLAYERS[seat], accepts[seat])], lying, f"{seat + 1}{word[0]}", played, by_hand
                )
            for seat in order:
                face = f"{RANKS[loads[seat] - 1]}{'SHD'[seat]}"
                lying = [one if one[1:3] != SEATS[seat] else (face, *one[1:]) for one in lying]
                keys = f"{seat + 1}{loads[seat] % 10}"
                self._do([Reveal(PLAYERS[seat], (loads[seat],))], lying, keys, played, by_hand)
            print(
                f"  round {number + 1}: {len(played)} acts, {len(by_hand)} by hand",
                file=sys.stderr,
                flush=True,
            )
            self.lay()  # the round's cards go to where they belong
            time.sleep(3)
        self.laptop.type("q")
        time.sleep(1)
        self.laptop.kill()
        return played, by_hand

    def _do(
        self,
        acts: Sequence[Request],
        lying: Sequence[tuple[str, float, float, float]],
        keys: str,
        played: list[Request],
        by_hand: list[Request],
        *,
        ask: bool = True,
    ) -> None:
        """Let the cards lie so, and wait for what that means; who waits in vain types it."""
        expected = [*played, *acts]
        if ask:
            self.lay(*lying)
            with suppress(Never):
                until(lambda: self._acts()[: len(expected)] == expected, "seen", HOLD)
        if self._acts() == played:
            self.laptop.type("\x1b", 0.3)
            self.press(keys or "0" + {"normal": "n", "giant": "g"}[acts[0].type], "acts")  # type: ignore[attr-defined]
            by_hand += acts
        until(
            lambda: self._acts() == expected,
            lambda: f"{acts}, not {self._acts()[-3:]}:\n{self.laptop.screen}",
        )
        played += acts

    def _acts(self) -> list[Request]:
        try:
            with Store.look(self.laptop.folder / "card-table-companion" / "journal.sqlite3") as look:
                return [act.request for act in look.read(look.last() or 0).session().acts()]
        except StorageFault:
            return []

    def score(self, played: Sequence[Request]) -> tuple[str, bool]:
        """Return the score that was kept, and whether a referee who was told the same has it."""
        with Store.look(self.laptop.folder / "card-table-companion" / "journal.sqlite3") as look:
            kept = look.read(look.last() or 0)
        # The program's own seed is hidden; the players deal here, nothing hangs on it.
        answers = told(msgspec.structs.replace(kept.setup, seed=1), played)
        theirs = [player["points"] for player in answers[-1]["view"]["players"]]
        ours = [player["points"] for player in kept.session().view()["players"]]
        return " ".join(map(str, ours)), ours == theirs and all(one["ok"] for one in answers)


def drawn() -> set[str]:
    """The designs that the camera knows from our drawings."""
    return set(drawings(Deck.builtin(DECK), "en"))


def install(folder: Path) -> tuple[tuple[str, ...], float]:
    """Build the wheel and install it as the README says; return the command, and the seconds."""
    uv = str(Path(sys.executable).parent / "uv")
    root = Path(__file__).resolve().parents[1]
    subprocess.run([uv, "build", "--quiet", "--wheel", "--out-dir", str(folder), str(root)], check=True)
    began = time.monotonic()
    where = {"UV_TOOL_DIR": str(folder / "tools"), "UV_TOOL_BIN_DIR": str(folder / "bin"), "PYTHONPATH": ""}
    wheel = next(folder.glob("*.whl"))
    words = ["env", *(f"{name}={value}" for name, value in where.items()), uv, "tool", "install", "--quiet"]
    subprocess.run([*words, "--python", sys.executable, str(wheel)], check=True)
    return (str(folder / "bin" / "companion"),), time.monotonic() - began


def first_hour(options: Options) -> Iterator[Figure]:
    """The first hour with one's own cards, as the README tells it: from the wheel to the score of
    two rounds, and what had to be entered by hand."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command, seconds = install(folder)
        yield Figure("wheel installed", f"{seconds:.0f} s", "–", "uv tool install, from the package index")
        bare = playmat()
        with (
            sync_playwright() as driver,
            room(driver, LiveFilm(folder / "table.y4m", bare)) as around,
        ):
            laptop = Laptop(folder, command)
            try:
                yield from _hour(Person(around, laptop, bare))
            finally:
                laptop.kill()


def _hour(person: Person) -> Iterator[Figure]:
    begun = time.monotonic()
    person.print_cards()
    wanted = len(Deck.builtin(DECK).designs) - len(drawn()) + 1
    taken, wrong = person.own_the_deck()
    empty = "the empty playmat, before the first card"
    yield Figure("cards taken that were none", str(wrong), "0", empty, wrong == 0)
    each = "an ordinary pack, one card after the other"
    yield Figure("cards owned on the playmat", f"{taken} of {wanted}", str(wanted), each, taken == wanted)
    if taken < wanted:
        shutil.rmtree(person.laptop.folder / "card-table-companion" / "decks")
        person.print_cards()
        person.bare = table("wood", 1280, 720)
        taken, _ = person.own_the_deck()
        then = "cards owned on a bare table, then"
        yield Figure(then, f"{taken} of {wanted}", str(wanted), "the mat was taken away", taken == wanted)
        person.bare = playmat()
    keys = str(person.typed["enrolling"])
    yield Figure("keys for it", keys, "1", "Space for cards that it takes for others; one leaves")
    person.calibrate()
    keys = str(person.typed["calibrating"])
    yield Figure("keys for the table's corners", keys, "1", "the mat fills the picture")
    if taken < wanted:
        said, rounds = "the camera does not know the cards", len(ROUNDS)
        yield Figure("rounds played", f"0 of {rounds}", f"{rounds}", said, kept=False)
        return
    played, by_hand = person.play()
    favours = f"{len(ROUNDS)} rounds; nobody wants a favour: no card says so"
    yield Figure("acts entered by hand", f"{len(by_hand)} of {len(played)}", "6", favours, len(by_hand) <= 6)
    keys = str(person.typed.get("acts", 0))
    yield Figure("keys for them", keys, "4", "N: nobody wants a favour")
    points, same = person.score(played)
    yield Figure("score after two rounds", points, "the referee's, told the same", "from the journal", same)
    minutes = (time.monotonic() - begun) / 60
    conditions = "without the wheel; nobody had to read"
    yield Figure("the hour", f"{minutes:.1f} min", "60 min", conditions, minutes < 60)
