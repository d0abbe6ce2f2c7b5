"""Measure the program as a player would have it, in a pseudo-terminal and in browsers.

In a terminal of 120 x 40: start-up, the way to the first round, the demo table, and the processor
while nothing moves. In browsers: the time from an accepted act to the page, what the server costs,
and a phone as camera.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Playwright, sync_playwright
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from bench.harness import Figure, Options, format_spread, resident_megabytes, time_call
from bench.program import FOUR, WATCHED, serve_table, start_game
from companion.decks import render_drawings
from companion.games.donkey_valley.moves import Donkey
from companion.live.live_session import LiveSession
from companion.plan import Plan
from companion.readers.camera.reader import CameraReader
from companion.readers.camera.sources import PhoneCamera, Source, VideoFile
from companion.rules import registry
from companion.settings import Settings
from companion.share.access_tokens import CAMERA, WATCH
from companion.share.page_connections import PICTURE_HEADER_BYTES
from companion.share.share_server import ShareServer
from companion.table import zones
from companion.table.decks import Deck
from companion.table.sightings import Report, Sighting
from companion.texts import Translator
from companion.views.table_session import TableSession
from companion.web.addresses import LOOPBACK, ServerAddress, listen_locally
from tests.simulated.phones import PLAYERS, chromium, phones
from tests.simulated.room import LiveFilm
from tests.simulated.terminal import Terminal, run
from vision.library import Library

COLUMNS, ROWS = 120, 40
BARE = """
from textual.app import App
from textual.widgets import Static
class Bare(App):
    def compose(self):
        yield Static("bare")
Bare().run()
"""
"""The peer: Textual's own time to its first screen, one line of text."""
BY_HAND = ("play", "--by-hand", "--new", "--lang", "en", "--players", ",".join(FOUR))
KINDS = {
    "bare": (("-c", BARE), "bare", "–"),
    "the home screen": (("-m", "companion", "welcome", "--lang", "en"), "Settings", "–"),
    "by hand": (("-m", "companion", *BY_HAND), "Quit", "1.5 x bare"),
    "demo table": (("-m", "companion", "play", "--demo", "--new", "--lang", "en"), "Quit", "1.8 x bare"),
}
"""The command, a text on its first screen, and the limit of its start-up."""


@contextmanager
def run_in_terminal(*words: str, **env: str) -> Iterator[Terminal]:
    """Run Python with these arguments in a terminal of its own, and end it afterwards."""
    with run([sys.executable, *words], columns=COLUMNS, rows=ROWS, where=None, **env) as started:
        yield started


def bench_home_screen(options: Options) -> Iterator[Figure]:
    """Measure start-up beside Textual's own bare app in the same run, keys to the first round, and
    the processor while nobody acts. With a new user's folders; drawings of the cards are cached by
    the first run."""
    with tempfile.TemporaryDirectory() as folder:
        env = {f"XDG_{kind}_HOME": folder for kind in ("DATA", "CONFIG")}
        # an installed program has its byte code, as Textual has: if none may be written, all of
        # ours would be compiled at every start
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        env["PYTHONPYCACHEPREFIX"] = folder
        yield from _measure_start_up(options.scale_count(5), env)
        yield from _measure_first_round(Path(folder), env)
        with run_in_terminal("-m", "companion", *BY_HAND, **env) as started:
            started.until("Quit", 60)
            # until the work of starting up is done
            time.sleep(3)
            used = _measure_cpu_percent(started)
    yield Figure("CPU with nobody there", f"{used:.1f} %", "5 %", "by hand, 20 s, of one core", used <= 5)


def _measure_start_up(times: int, env: Mapping[str, str]) -> Iterator[Figure]:
    """Start each kind in turn, so that they share the load of the machine; the median of each, on
    the wall and of the processor."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in KINDS}
    for number in range(times + 1):
        for name, (words, shown, _) in KINDS.items():
            began = time.perf_counter()
            with run_in_terminal(*words, **env) as started:
                started.until(shown, 120)
                once = (time.perf_counter() - began, processor_seconds(started.process))
            if number:  # the first start of each writes byte code and draws the cards
                taken[name].append(once)
    bare = [statistics.median(column) for column in zip(*taken["bare"], strict=True)]
    for name, every in taken.items():
        wall, used = (statistics.median(column) for column in zip(*every, strict=True))
        figure = f"{wall:.2f} s, {wall / bare[0]:.2f} x"
        conditions = f"processor {used:.2f} s, {used / bare[1]:.2f} x; median of {times}, in turns"
        yield Figure(f"start-up to the first screen: {name}", figure, KINDS[name][2], conditions)


def _measure_first_round(folder: Path, env: Mapping[str, str]) -> Iterator[Figure]:
    """Measure the way from the home screen to the first round with a known group: the keys typed,
    and the program's time."""
    settings = folder / "card-table-companion" / "settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_bytes(msgspec.json.encode(Settings(language="en", groups=(Plan("donkey_valley", FOUR),))))
    steps = (("Settings", "p"), ("Quit", "\r"), ("iant", "g"))
    began = time.perf_counter()
    with run_in_terminal("-m", "companion", "welcome", **env) as started:
        for shown, key in steps:
            started.until(shown, 60)
            # what was shown before must not count for the next step
            started.written = b""
            started.type(key)
        started.until("Capacity", 60)
    took = time.perf_counter() - began
    known = "a known group, Donkey Valley, by hand"
    yield Figure("welcome to the first round, keys", f"{len(steps)}", "6", known)
    typed = "the program's part, typed without a pause"
    yield Figure("welcome to the first round", f"{took:.1f} s", "30 s", typed, took < 30)


def bench_demo(options: Options) -> Iterator[Figure]:
    """Measure the demo table as a whole: start-up, peak memory, and the processor while nothing
    moves."""
    with tempfile.TemporaryDirectory() as folder:
        words = ("play", "--seed", "7", "--new", "--journal", f"{folder}/a.sqlite", "--speed", "16")
        with run_in_terminal("-m", "companion", *words) as started:
            seconds, _ = time_call(partial(started.until, "Quit", 60))
            yield Figure(
                "start-up to a usable screen", f"{seconds:.1f} s", "5 s", "demo table, drawings cached"
            )
            took, _ = time_call(partial(started.until, "Score sheet", 900))
            most = resident_megabytes(started.process, "VmHWM")
            conditions = f"8 rounds, 4 players, speed 16, {took:.0f} s"
            yield Figure("peak memory of a demo evening", f"{most:.0f} MB", "300 MB", conditions, most < 300)
            time.sleep(5)
            used = _measure_cpu_percent(started)
            conditions = "after the evening, camera looking, 20 s, of one core"
            yield Figure("CPU with a still table", f"{used:.1f} %", "5 %", conditions, used <= 5)


def processor_seconds(process: int) -> float:
    """Return the processor time that the process and its threads have used (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _measure_cpu_percent(started: Terminal, seconds: float = 20.0) -> float:
    """Return how much of one core the process and its threads use during `seconds`."""
    before, deadline = processor_seconds(started.process), time.monotonic() + seconds
    while time.monotonic() < deadline:
        # the terminal must be read all the time: a full one would block the program
        started.read(0.2)
    return 100 * (processor_seconds(started.process) - before) / seconds


ACTS, PAUSE = 40, 0.05
"""Acts that are watched, and seconds from one to the next."""
CLIENTS = 50
"""Number of pages that follow the table."""
SPAWN = multiprocessing.get_context("spawn")


@contextmanager
def _start_sharing(place: ServerAddress) -> Iterator[tuple[LiveSession, ShareServer]]:
    live = start_game("donkey_valley", {})
    share = ShareServer(place, Translator("en", live.game), TableSession(Plan(), live))
    share.start()
    with closing(share):
        yield live, share


@contextmanager
def _connect_page(port: int, token: str, secure: bool = False) -> Iterator[ClientConnection]:
    """Connect a page by its link."""
    root = f"{'https' if secure else 'http'}://{LOOPBACK}:{port}"
    # the server's certificate is its own
    trusting = ssl._create_unverified_context() if secure else None
    address = f"{root.replace('http', 'ws')}/line"
    with connect(address, origin=Origin(root), ssl=trusting, compression=None) as line:
        line.send(json.dumps({"type": "hello", "token": token}))
        line.recv()
        threading.Thread(target=_send_heartbeats, args=(line,), daemon=True).start()
        yield line


def _send_heartbeats(connection: ClientConnection) -> None:
    """Report now and then that the page is there, as pages do."""
    while True:
        time.sleep(2.0)
        try:
            connection.send('{"type":"beat"}')
        except ConnectionClosed:
            return


def bench_pages(options: Options) -> Iterator[Figure]:
    """Measure the time from the accepted act to the browser, and what watching costs the table: one
    page and fifty, beside the bare transport in the same run."""
    bare = _measure_bare_socket()
    yield Figure(
        "bare transport, one socket", f"{format_spread(bare, '.1f', 1000)} ms", "–", f"{len(bare)} arrivals"
    )
    for clients in (1, CLIENTS):
        with _start_sharing(listen_locally(0)) as (live, share):
            took, cost = _measure_watched_acts(live, share, clients)
        figure = f"{format_spread(took, '.1f', 1000)} ms"
        limit = "100 ms; the bare transport above"
        yield Figure(
            f"act to page, {clients} watching", figure, limit, f"median, p95 of {len(took)} arrivals"
        )
        load_text = f"of one core, {1 / PAUSE:.0f} acts a second"
        yield Figure(f"server's and table's CPU, {clients} watching", f"{cost:.1f} %", "–", load_text)


def _measure_watched_acts(live: LiveSession, share: ShareServer, clients: int) -> tuple[list[float], float]:
    """Play and undo in turn while `clients` pages watch from another process; return each arrival's
    delay and the CPU in per cent."""
    mine, theirs = SPAWN.Pipe()
    # another process: the pages' own time must not count for the server
    watching = SPAWN.Process(
        target=_run_pages, args=(share.place.port, share.tokens.ensure_invite_token(WATCH), clients, theirs)
    )
    watching.start()
    mine.recv()
    sent: dict[int, float] = {}
    cpu, began = time.process_time(), time.monotonic()
    for number in range(ACTS):
        moment = time.monotonic()
        if number % 2:
            live.undo()
            # after an undo, the players have to confirm that they moved the cards back
            live.confirm_moves()
        else:
            live.submit_request(Donkey("giant"))
        sent[live.snapshot().number] = moment
        time.sleep(PAUSE)
    cost = 100 * (time.process_time() - cpu) / (time.monotonic() - began)
    mine.send("enough")
    arrived = mine.recv()
    watching.join()
    return [moment - sent[number] for number, moment in arrived if number in sent], cost


def _run_pages(port: int, token: str, clients: int, pipe: Connection) -> None:
    """Act as `clients` pages: each has its token, and records when which state arrives."""
    arrived: list[tuple[int, float]] = []
    # all pages are connected before the first act
    ready = threading.Barrier(clients + 1)

    def watch_page() -> None:
        with _connect_page(port, token) as line:
            ready.wait(60)
            for message in line:
                state = json.loads(message).get("state")
                if state is not None:
                    arrived.append((state["number"], time.monotonic()))

    for number in range(clients):
        threading.Thread(target=watch_page, daemon=True).start()
        if number % 10 == 9:
            time.sleep(1.0)  # the server slows down clients that connect too quickly
    ready.wait(60)
    pipe.send("ready")
    pipe.recv()
    # the last states may still be on their way
    time.sleep(1.0)
    pipe.send(list(arrived))


def _measure_bare_socket() -> list[float]:
    """Send the same number of bytes through one socket of this machine."""
    with (
        socket.create_server((LOOPBACK, 0)) as server,
        socket.create_connection(server.getsockname()) as near,
    ):
        far, _ = server.accept()

        def send_bytes() -> None:
            near.sendall(b"x" * 3000)
            left = 3000
            # a socket may deliver less than asked for
            while left:
                left -= len(far.recv(left))

        with far:
            return [time_call(send_bytes, time.monotonic)[0] for _ in range(ACTS * 5)]


def bench_server(options: Options) -> Iterator[Figure]:
    """Measure the shared pages: memory and processor of the server, idle and with fifty pages that
    follow, by HTTP on this machine and by HTTPS as on the network; alone in its process."""
    for secure, name in ((False, "HTTP"), (True, "HTTPS")):
        mine, theirs = SPAWN.Pipe()
        serving = SPAWN.Process(target=serve_table, args=(secure, theirs))
        serving.start()
        port, token, without, idle, spent = mine.recv()
        memory_text, still = (
            f"beside {without:.0f} MB of the table alone",
            f"{WATCHED:.0f} s, nothing happens",
        )
        yield Figure(
            f"{name}: memory of the server, nobody connected", f"{idle - without:.1f} MB", "–", memory_text
        )
        yield Figure(f"{name}: processor, nobody connected", _format_percent(spent), "of one core", still)
        with ExitStack() as lines:
            for _ in range(CLIENTS):
                lines.enter_context(_connect_page(port, token, secure))
                time.sleep(0.12)  # no faster than the server allows
            mine.send("count")
            full, spent = mine.recv()
        each, clients = f"{1000 * (full - idle) / CLIENTS:.0f} kB", f"{CLIENTS} pages that follow the table"
        yield Figure(f"{name}: memory for each client", each, "–", clients)
        yield Figure(f"{name}: processor, {CLIENTS} clients", _format_percent(spent), "of one core", still)
        mine.send("end")
        serving.join()


def _format_percent(seconds: float) -> str:
    return f"{100 * seconds / WATCHED:.2f} %"


# by phones alone

GAMES: Mapping[str, Mapping[str, object]] = {
    "dtc": {},
    "donkey_valley": {},
    "ochs_und_esel": {"rounds": 2},
    "ascend": {"target": 20},
    "partners": {},
    "partners hands_only": {"hands_only": True},
}


def bench_taps(options: Options) -> Iterator[Figure]:
    """Count the taps of a whole game of each by phones alone, in a real browser: for a round and an
    act. The players choose as the demo's do."""
    with sync_playwright() as driver, closing(chromium(driver)) as browser:
        for name, mix in GAMES.items():
            if options.wants_row(name):
                game = name.partition(" ")[0]
                with phones(
                    browser, game, PLAYERS[: 4 if game == "partners" else 3], options.seed, **mix
                ) as all_:
                    seconds, _ = time_call(all_.play, time.monotonic)
                rounds, acts = all_.live.snapshot().rounds, len(all_.live.list_acts())
                kind = "game" if rounds[0].label is None else "round"
                figure = f"{all_.taps / len(rounds):.0f} a {kind}, {all_.taps / acts:.1f} an act"
                done = f"{all_.taps} taps, {acts} acts, {len(rounds)} {kind}(s)"
                conditions = f"{done}, {len(all_.pages)} phones, {seconds:.0f} s"
                yield Figure(f"by phones alone: {name}", figure, "–", conditions, not all_.faults)


# a phone as camera

Faces = Mapping[str, NDArray[np.uint8]]
RATE = 15
EMPTY, LAID = 2, 8
"""Seconds of video without the card, and with it."""
QUALITY = 85
"""Quality of the JPEGs: that which `camera.js` requests from the phone's browser."""


def bench_phone(options: Options) -> Iterator[Figure]:
    """Compare a phone as camera with a video of the very same pictures: from the card laid to its
    name, in turns in one run."""
    every = render_drawings(Deck.load_by_name("donkey_valley"), "en")
    faces = {name: np.asarray(face) for name, face in every.items() if name.startswith("donkey:")}
    jpegs, turns = _make_jpegs(faces), options.scale_count(5)
    by_film, by_phone, by_page = list[float](), list[float](), list[float]()
    with TemporaryDirectory() as folder, sync_playwright() as driver:
        film, live = _write_video(Path(folder), jpegs), LiveFilm(Path(folder) / "live.y4m", _bare_table())
        for _ in range(turns):
            by_film.append(_time_by_video(film, faces))
            by_phone.append(_time_by_phone(jpegs, faces))
            by_page.append(_time_by_page(driver, live, jpegs, faces))
    size = f"median, p95; 1280x720, {RATE} a second, {len(jpegs[-1]) // 1000} kB each, {turns} turns"
    yield Figure(
        "card laid to named, film", f"{format_spread(by_film, '.2f')} s", "peer of the next row", size
    )
    for name, took, through in (
        ("phone", by_phone, "the same JPEGs from another process through the real socket"),
        ("phone's page", by_page, "the same pictures as the camera of Chromium, which packs them anew"),
    ):
        ratio = f"{statistics.median(took) / statistics.median(by_film):.2f} x the film"
        yield Figure(f"card laid to named, {name}", f"{format_spread(took, '.2f')} s", ratio, through)


def _make_jpegs(faces: Faces) -> list[bytes]:
    """Return the video's pictures as a phone encodes them: the bare table, then the card, each with
    its own grain."""
    grain = np.random.default_rng(1)
    bare = _bare_table()
    laid = bare.copy()
    laid[250:470, 560:717] = cv2.resize(faces["donkey:giant"], (157, 220), interpolation=cv2.INTER_AREA)
    scenes = [bare] * (EMPTY * RATE) + [laid] * (LAID * RATE)
    noisy = (np.clip(one + grain.normal(0, 2, one.shape), 0, 255).astype(np.uint8) for one in scenes)
    return [cv2.imencode(".jpg", one, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1].tobytes() for one in noisy]


def _decode_jpeg(jpeg: bytes) -> NDArray[np.uint8]:
    return np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)


def _bare_table() -> NDArray[np.uint8]:
    return np.full((720, 1280, 3), (70, 95, 60), np.uint8)


def _write_video(folder: Path, jpegs: list[bytes]) -> Path:
    """Put the same JPEGs, byte for byte, into a video: an encoder's own would smooth the grain away
    and be easier to read."""
    stream, film = folder / "film.mjpeg", folder / "film.mkv"
    stream.write_bytes(b"".join(jpegs))
    reading = ["ffmpeg", "-loglevel", "error", "-f", "mjpeg", "-framerate", str(RATE), "-i", str(stream)]
    subprocess.run([*reading, "-c", "copy", str(film)], check=True)
    return film


class _TimedVideo(VideoFile):
    """A video that records when it began."""

    began = 0.0

    def open(self) -> None:
        super().open()
        self.began = time.monotonic()


class _NamingTimer:
    """Reads a source until the card is identified for sure; `at`: the time of that."""

    def __init__(self, source: Source, faces: Faces) -> None:
        self.at = 0.0
        self._found = threading.Event()
        self.reader = CameraReader(source, Library.from_drawings(faces), zones.make_default_zones(4))
        self.reader.start(self._on_report)

    def _on_report(self, report: Report) -> None:
        if isinstance(report, Sighting) and report.design == "donkey:giant" and report.sure:
            # the first sighting counts
            self.at = self.at or time.monotonic()
            self._found.set()

    def wait_for_name(self) -> float:
        """Wait for the name; return its time. Raises `TimeoutError` if there is none."""
        named = self._found.wait(30)
        self.reader.close()
        if not named:
            raise TimeoutError("the card got no name")
        return self.at


def _time_by_video(file: Path, faces: Faces) -> float:
    source = _TimedVideo(file)
    return _NamingTimer(source, faces).wait_for_name() - (source.began + EMPTY)


def _time_by_phone(jpegs: list[bytes], faces: Faces) -> float:
    phone = PhoneCamera()
    share = ShareServer(
        listen_locally(0), Translator("en", registry.load_game("donkey_valley")), camera=phone
    )
    share.start()
    mine, theirs = SPAWN.Pipe()
    arguments = (share.place.port, share.tokens.ensure_invite_token(CAMERA), jpegs, theirs)
    sending = SPAWN.Process(target=_send_as_phone, args=arguments)
    sending.start()
    try:
        mine.recv()
        naming = _NamingTimer(phone, faces)
        mine.send("begin")
        at = naming.wait_for_name()
        mine.send("enough")
        # processes of one machine share the monotonic clock
        return at - (float(mine.recv()) + EMPTY)
    finally:
        sending.join()
        share.close()


def _time_by_page(driver: Playwright, film: LiveFilm, jpegs: list[bytes], faces: Faces) -> float:
    """Lay the card before the camera of a page in Chromium that films the bare table."""
    phone = PhoneCamera()
    share = ShareServer(
        listen_locally(0), Translator("en", registry.load_game("donkey_valley")), camera=phone
    )
    share.start()
    bare, with_card = (
        [_decode_jpeg(one) for one in jpegs[part]] for part in (np.s_[: film.FRAMES], np.s_[-film.FRAMES :])
    )
    film.put(bare)
    browser = chromium(driver, *film.flags())
    try:
        page = browser.new_page(viewport={"width": 390, "height": 844})
        page.goto(share.build_invite_link(CAMERA))
        page.locator("#start").click()
        page.locator("#rate", has_text="kB/s").wait_for()
        naming = _NamingTimer(phone, faces)
        time.sleep(EMPTY)
        laid = time.monotonic()
        film.put(with_card)
        return naming.wait_for_name() - laid
    finally:
        browser.close()
        share.close()


def _send_as_phone(port: int, token: str, jpegs: list[bytes], pipe: Connection) -> None:
    """Act as the phone: send the newest picture as soon as the table has taken the one before, as
    `camera.js` does."""
    with _connect_page(port, token) as line:
        ahead = bytes(PICTURE_HEADER_BYTES)
        line.send(ahead + jpegs[0])
        pipe.send("there")
        pipe.recv()
        began, sent = time.monotonic(), -1
        while not pipe.poll():
            number = min(int((time.monotonic() - began) * RATE), len(jpegs) - 1)
            if number == sent:
                time.sleep(0.002)
                continue
            sent = number
            # other messages of the table are skipped
            while "taken" not in json.loads(line.recv()):
                continue
            line.send(ahead + jpegs[number])
        pipe.send(began)
