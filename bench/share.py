"""The shared pages: from the accepted act to the browser, what watching costs the table, and a
phone's picture beside a film's."""

from __future__ import annotations

import http.client
import json
import multiprocessing
import resource
import socket
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np

from companion.decks import drawings
from companion.live.live import Live
from companion.readers.camera.phone import Phone
from companion.readers.camera.reader import CameraReader
from companion.readers.camera.sources import Film, Source
from companion.rules import registry
from companion.rules.contract import Setup
from companion.rules.donkey_valley.requests import Donkey
from companion.share.access import WATCH
from companion.share.address import here
from companion.share.running import Share
from companion.table import zones
from companion.table.decks import Deck
from companion.table.sightings import Report, Sighting
from companion.table.table import Table
from companion.texts import Translator
from vision.library import Library

Row = tuple[str, str, str, str]
ACTS = 40
PAUSE = 0.05
IDLE = 3.0
RATE = 15


def run() -> Iterator[Row]:
    """Measure with one page and with fifty, beside the bare transport in the same run; then a phone
    beside a film."""
    yield _row("bare transport, one socket, median / p95", *_bare())
    for clients in (1, 50):
        with _table() as (live, share):
            took, cost = _watched(live, share, clients)
            yield _row(
                f"act to page, {clients} watching, median / p95",
                took,
                "limit 100 ms; the bare transport above",
            )
            yield (
                f"server's and table's CPU, {clients} watching",
                f"{cost:.1f} %",
                f"of one core, {1 / PAUSE:.0f} acts a second",
                "-",
            )
    with _table() as (live, _):
        began = time.process_time()
        time.sleep(IDLE)
        yield (
            "server's CPU, nobody watching",
            f"{100 * (time.process_time() - began) / IDLE:.2f} %",
            "of one core",
            "-",
        )
    yield (
        "peak memory of all this",
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB",
        "one process",
        "-",
    )
    yield from _cameras()


def _row(name: str, seconds: list[float], remark: str) -> Row:
    ordered = sorted(seconds)
    p95 = ordered[min(int(len(ordered) * 0.95), len(ordered) - 1)]
    return (
        name,
        f"{1000 * statistics.median(ordered):.1f} / {1000 * p95:.1f} ms",
        f"{len(ordered)} arrivals",
        remark,
    )


@contextmanager
def _table() -> Iterator[tuple[Live, Share]]:
    game = registry.load("donkey_valley")
    setup = Setup(game.id, ("Ann", "Bob", "Chloé", "Dan"), game.defaults({}), 7)
    live = Live(game, setup, table=Table(Deck.find(game.id)))
    share = Share(here(0), Translator("en", game), live=live)
    live.subscribe(share.show)
    share.show(live.snapshot())
    share.start()
    try:
        yield live, share
    finally:
        share.close()


def _watched(live: Live, share: Share, clients: int) -> tuple[list[float], float]:
    """Play and undo in turn while so many pages watch from another process; return each arrival's
    delay and the CPU in per cent."""
    mine, theirs = multiprocessing.get_context("spawn").Pipe()
    arguments = (share.place.port, share.doors.link(WATCH), clients, theirs)
    watching = multiprocessing.get_context("spawn").Process(target=_watch, args=arguments)
    watching.start()
    mine.recv()
    sent: dict[int, float] = {}
    cpu, began = time.process_time(), time.monotonic()
    for number in range(ACTS):
        moment = time.monotonic()
        if number % 2:
            live.undo()
            live.confirm_moves()
        else:
            live.submit(Donkey("giant"))
        sent[live.snapshot().number] = moment
        time.sleep(PAUSE)
    cost = 100 * (time.process_time() - cpu) / (time.monotonic() - began)
    mine.send("enough")
    arrived = mine.recv()
    watching.join()
    return [moment - sent[number] for number, moment in arrived if number in sent], cost


def _watch(port: int, token: str, clients: int, told: Connection) -> None:
    """Be so many pages: each has its pass, and notes when which state arrives."""
    arrived: list[tuple[int, float]] = []
    ready = threading.Barrier(clients + 1)

    def page() -> None:
        entering = http.client.HTTPConnection("127.0.0.1", port)
        entering.request(
            "POST", "/enter", json.dumps({"token": token}), {"origin": f"http://127.0.0.1:{port}"}
        )
        cookie = (entering.getresponse().getheader("set-cookie") or "").split(";")[0]
        entering.close()
        following = http.client.HTTPConnection("127.0.0.1", port)
        following.request("GET", "/live", headers={"cookie": cookie})
        answer = following.getresponse()
        answer.readline()
        ready.wait(60)
        while line := answer.readline():
            if line.startswith(b"id: "):
                arrived.append((int(line[4:]), time.monotonic()))

    for number in range(clients):
        threading.Thread(target=page, daemon=True).start()
        if number % 10 == 9:
            time.sleep(1.0)  # the server slows who asks for too much at once
    ready.wait(60)
    told.send("ready")
    told.recv()
    time.sleep(1.0)
    told.send(list(arrived))


def _bare() -> tuple[list[float], str]:
    """Send the same number of bytes through one socket of this machine, as the peer of the rows
    below."""
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as near,
    ):
        far, _ = server.accept()
        took = []
        with far:
            for _ in range(ACTS * 5):
                began = time.monotonic()
                near.sendall(b"x" * 3000)
                left = 3000
                while left:
                    left -= len(far.recv(left))
                took.append(time.monotonic() - began)
    return took, "peer of the next rows"


def _cameras() -> Iterator[Row]:
    """Lay one card before a phone and before a film of the same pictures; how long until it is
    named."""
    deck = Deck.find("donkey_valley")
    faces = {name: face for name, face in drawings(deck, "en").items() if name.startswith("donkey:")}
    grain = np.random.default_rng(1)
    bare = np.full((720, 1280, 3), (70, 95, 60), np.uint8)
    laid = bare.copy()
    laid[250:470, 560:717] = cv2.resize(
        np.asarray(faces["donkey:giant"]), (157, 220), interpolation=cv2.INTER_AREA
    )
    scenes = [bare] * (2 * RATE) + [laid] * (4 * RATE)
    pictures = [np.clip(one + grain.normal(0, 2, one.shape), 0, 255).astype(np.uint8) for one in scenes]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "film.avi"
        film = cv2.VideoWriter(str(file), cv2.VideoWriter.fourcc(*"MJPG"), RATE, (1280, 720))
        for picture in pictures:
            film.write(picture)
        film.release()
        named = _named(Film(file), faces, None)
        yield (
            "card laid to named, film",
            _said(named),
            f"1280x720, {RATE} pictures a second",
            "peer of the next row",
        )
    phone = Phone()
    jpegs = [cv2.imencode(".jpg", picture)[1].tobytes() for picture in pictures]
    named = _named(phone, faces, (phone, jpegs))
    yield (
        "card laid to named, phone's JPEGs",
        _said(named),
        "the same pictures, handed in as the socket does",
        "-",
    )


def _named(
    source: Source, faces: dict[str, np.ndarray], sending: tuple[Phone, list[bytes]] | None
) -> float | None:
    """Return the seconds from the card's first picture to its sure name; None when it got none
    before the film's end."""
    found = threading.Event()
    moment = [0.0]

    def post(report: Report) -> None:
        if (
            isinstance(report, Sighting)
            and report.design == "donkey:giant"
            and report.sure
            and not found.is_set()
        ):
            moment[0] = time.monotonic()
            found.set()

    reader = CameraReader(source, Library.from_drawings(faces), zones.default(4))
    began = time.monotonic()
    if sending is not None:
        sending[0].take(sending[1][0])
    reader.start(post)
    for number, jpeg in enumerate(sending[1] if sending else ()):
        time.sleep(max(began + number / RATE - time.monotonic(), 0))
        assert sending is not None
        sending[0].take(jpeg)
        if found.is_set():
            break
    found.wait(10)
    reader.close()
    return moment[0] - (began + 2) if found.is_set() else None


def _said(seconds: float | None) -> str:
    return "not named" if seconds is None else f"{seconds:.2f} s"
