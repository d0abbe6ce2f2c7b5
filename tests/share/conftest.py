"""A table that is shared, and a browser that none of us wrote."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import expect, sync_playwright
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Origin

from companion.journal.journal import Journal
from companion.live.clocks import ClockOptions
from companion.live.live_session import LiveSession
from companion.plan import Plan
from companion.rules import registry
from companion.rules.contract import Game, Setup
from companion.share.access_tokens import WATCH, Purpose
from companion.share.share_server import ShareServer
from companion.table.decks import Deck
from companion.table.table import Table
from companion.texts import Translator
from companion.views.table_session import TableSession
from companion.web.addresses import listen_locally
from tests.needs import require
from tests.simulated.phones import chromium

GAME = registry.load_game("donkey_valley")
PLAYERS = ("Ann", "Bob", "<b>Chloé</b>")
PROGRAM = "chromium-headless-shell" if shutil.which("chromium-headless-shell") else "chromium"
"""Without a browser's windows, where that build is there, pages take a third less of the
processor."""
# A busy machine fails nothing: Playwright by itself looks for five seconds.
expect.set_options(timeout=30_000)


def shared(
    language: str = "en",
    options: dict | None = None,
    deck: Deck | None = None,
    game: Game = GAME,
    clock: ClockOptions | None = None,
    journal: Journal | None = None,
    players: tuple[str, ...] = PLAYERS,
    **more,
) -> tuple[LiveSession, ShareServer]:
    """Open a table without devices, of Donkey Valley if no other, and share it on this machine."""
    setup = Setup(game.id, players, {**game.default_options({}), **(options or {})}, 7)
    live = LiveSession(
        game, setup, table=Table(deck or Deck.load_by_name(game.id)), clock=clock, journal=journal
    )
    share = ShareServer(listen_locally(0), Translator(language, game), TableSession(Plan(), live), **more)
    share.start()
    return live, share


@pytest.fixture
def table() -> Iterator[tuple[LiveSession, ShareServer]]:
    live, share = shared()
    yield live, share
    share.close()


@pytest.fixture(scope="module")
def driver():
    # Not for the whole run: as long as it lives, an event loop runs in this thread, and no
    # asynchronous test of another file can start its own.
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="module")
def browser(driver):
    """Debian's Chromium."""
    require("chromium")
    opened = chromium(driver, program=PROGRAM)
    yield opened
    opened.close()


class Line:
    """A page's line to the table, by a client that none of us wrote; `hello`: how it begins, by the
    link for `purpose` if nothing is said. `base_url`: where the table was, if it may have ended."""

    def __init__(self, share: ShareServer, purpose: Purpose = WATCH, root: str = "", **hello: object) -> None:
        root = root or share.place.base_url
        self.wire = connect(f"{root.replace('http', 'ws')}/line", origin=Origin(root)).__enter__()
        self.say("hello", **(hello or {"token": share.tokens.ensure_invite_token(purpose)}))
        self.you = self.next("you")

    def say(self, kind: str, **what: object) -> None:
        self.wire.send(json.dumps({"type": kind, **what}))

    def next(self, name: str) -> Any:
        """Return what is said next under this name. Raises `ConnectionClosed`."""
        while True:
            said = json.loads(self.wire.recv(timeout=20))
            if name in said:
                return said[name]

    def ask(self, kind: str, number: str = "1", **what: object) -> Any:
        """Ask, and return the answer."""
        self.say(kind, id=number, **what)
        while True:
            said = json.loads(self.wire.recv(timeout=20))
            if said.get("re") == number:
                return said["answer"]

    def ended(self) -> int:
        """Wait for the end; return the code that tells why."""
        with pytest.raises(ConnectionClosed) as closed:
            self.next("no such word")
        assert closed.value.rcvd is not None
        return closed.value.rcvd.code

    def __enter__(self) -> Line:
        return self

    def __exit__(self, *_error: object) -> None:
        self.wire.close()


def refused(share: ShareServer, **hello: object) -> int:
    """Begin a line that is not let in; return the code that tells why."""
    with pytest.raises(ConnectionClosed) as closed:
        Line(share, **hello)
    assert closed.value.rcvd is not None
    return closed.value.rcvd.code


def until(true: Callable[[], object], seconds: float = 30.0) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)
