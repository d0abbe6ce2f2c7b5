"""The shared pages: from the accepted act to the browser, and what watching costs the table. Memory
is measured by `share_costs`, the phone as camera by `share_camera`."""

from __future__ import annotations

import http.client
import json
import multiprocessing
import socket
import statistics
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

from companion.live.live import Live
from companion.rules import registry
from companion.rules.contract import Setup
from companion.rules.donkey_valley.moves import Donkey
from companion.share.access import WATCH
from companion.share.address import here
from companion.share.running import Share
from companion.table.decks import Deck
from companion.table.table import Table
from companion.texts import Translator

Row = tuple[str, str, str, str]
ACTS = 40
PAUSE = 0.05


def run() -> Iterator[Row]:
    """Measure with one page and with fifty, beside the bare transport in the same run."""
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
        given = json.loads(entering.getresponse().read())["pass"]
        entering.close()
        following = http.client.HTTPConnection("127.0.0.1", port)
        following.request("GET", "/live", headers={"authorization": f"Bearer {given}"})
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


if __name__ == "__main__":
    from bench.__main__ import main

    main(sys.argv[1:], "share")
