"""What the shared pages cost: memory and processor time of the server, idle and with fifty clients,
in a process that does nothing else; the clients are another one's."""

from __future__ import annotations

import http.client
import json
import multiprocessing
import resource
import socket
import ssl
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from multiprocessing.connection import Connection
from pathlib import Path

Row = tuple[str, str, str, str]
CLIENTS = 50
WATCHED = 5.0
"""Seconds for which the processor time is counted."""


def run() -> Iterator[Row]:
    """Measure by HTTP on this machine, and by HTTPS as on the network."""
    spawn = multiprocessing.get_context("spawn")
    for secure, name in ((False, "HTTP"), (True, "HTTPS")):
        mine, theirs = spawn.Pipe()
        serving = spawn.Process(target=_serve, args=(secure, theirs))
        serving.start()
        port, token, without, idle, spent = mine.recv()
        yield (
            f"{name}: memory of the server, nobody connected",
            f"{idle - without:.1f} MB",
            f"beside {without:.0f} MB of the table alone",
            "-",
        )
        yield f"{name}: processor, nobody connected", _share(spent), f"{WATCHED:.0f} s", "of one core"
        lines = [_follow(port, token, secure) for _ in range(CLIENTS)]
        mine.send("count")
        full, spent = mine.recv()
        yield (
            f"{name}: memory for each client",
            f"{1000 * (full - idle) / CLIENTS:.0f} kB",
            f"{CLIENTS} clients that follow the table",
            "-",
        )
        still = f"{CLIENTS} clients, nothing happens"
        yield f"{name}: processor, {CLIENTS} clients", _share(spent), still, "of one core"
        for line in lines:
            line.close()
        mine.send("end")
        serving.join()


def _share(seconds: float) -> str:
    return f"{100 * seconds / WATCHED:.2f} %"


def _serve(secure: bool, told: Connection) -> None:
    """Be the table and its server; tell what they take."""
    from companion.live.live import Live  # noqa: PLC0415 - in the process that is measured only
    from companion.rules import registry  # noqa: PLC0415
    from companion.rules.contract import Setup  # noqa: PLC0415
    from companion.table.decks import Deck  # noqa: PLC0415
    from companion.table.table import Table  # noqa: PLC0415
    from companion.texts import Translator  # noqa: PLC0415

    game = registry.load("donkey_valley")
    setup = Setup(game.id, ("Ann", "Bob", "Chloé", "Dan"), game.defaults({}), 7)
    live = Live(game, setup, table=Table(Deck.find(game.id)))
    say = Translator("en", game)
    without = _memory()
    from companion.share.access import WATCH  # noqa: PLC0415
    from companion.share.address import LOOPBACK, ServerAddress  # noqa: PLC0415
    from companion.share.running import Share  # noqa: PLC0415

    share = Share(ServerAddress(socket.create_server((LOOPBACK, 0)), LOOPBACK, secure), say, live=live)
    live.subscribe(share.show)
    share.show(live.snapshot())
    share.start()
    with closing(share):
        idle, spent = _watched()
        told.send((share.place.port, share.doors.link(WATCH), without, idle, spent))
        told.recv()
        told.send(_watched())
        told.recv()


def _watched() -> tuple[float, float]:
    """Return the memory in MB, and the processor time in the seconds before."""
    began = time.process_time()
    time.sleep(WATCHED)
    return _memory(), time.process_time() - began


def _memory() -> float:
    """Return what this process holds of the memory now, in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def _follow(port: int, token: str, secure: bool) -> http.client.HTTPConnection:
    """Hand the link in and follow the table, as a page does; at a pace that the server allows."""
    root = f"{'https' if secure else 'http'}://127.0.0.1:{port}"
    with closing(_line(port, secure)) as entering:
        entering.request("POST", "/enter", json.dumps({"token": token}), {"origin": root})
        given = json.loads(entering.getresponse().read())["pass"]
    following = _line(port, secure)
    following.request("GET", "/live", headers={"authorization": f"Bearer {given}"})
    answer = following.getresponse()
    if answer.status != 200:
        raise RuntimeError(f"the server said {answer.status}")
    answer.readline()
    time.sleep(0.12)
    return following


def _line(port: int, secure: bool) -> http.client.HTTPConnection:
    if not secure:
        return http.client.HTTPConnection("127.0.0.1", port)
    trusting = ssl._create_unverified_context()
    return http.client.HTTPSConnection("127.0.0.1", port, context=trusting)


if __name__ == "__main__":
    from bench.__main__ import main

    main(sys.argv[1:], "share_costs")
