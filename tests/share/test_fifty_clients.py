"""The server is stopped under fifty clients and started again: each comes back once, and has the
newest state."""

from __future__ import annotations

import json
import threading
import time
from contextlib import suppress

from websockets.exceptions import WebSocketException

from companion.games.donkey_valley.moves import Donkey
from companion.plan import Plan
from companion.share.access_tokens import WATCH
from companion.share.share_server import ShareServer
from companion.texts import Translator
from companion.views.table_session import TableSession
from companion.web.addresses import listen_locally
from tests.share.conftest import GAME, Line, shared, until

CLIENTS = 50


class Watcher(threading.Thread):
    """A page without a picture: follows the table with its pass, and takes up a lost line as a
    browser does."""

    def __init__(self, share: ShareServer) -> None:
        super().__init__(daemon=True)
        self._share, self._root = share, share.place.base_url
        self._pass, _ = share.tokens.redeem_invite(share.tokens.ensure_invite_token(WATCH))
        self.opened, self.newest, self.ending = 0, -1, False
        self.start()

    def _line(self) -> Line:
        return Line(self._share, root=self._root, **{"pass": self._pass})

    def run(self) -> None:
        while not self.ending:
            with suppress(OSError, WebSocketException), self._line() as line:
                self.opened += 1
                while not self.ending:
                    line.say("beat")
                    said = json.loads(line.wire.recv(timeout=20))
                    self.newest = said.get("state", {}).get("number", self.newest)
            time.sleep(0.2)


def die() -> None:
    """End the server's loop in the middle of everything, as nothing of ours would."""
    raise SystemExit


def test_fifty_clients_come_back_after_the_server_has_died() -> None:
    live, share = shared()
    watchers = [Watcher(share) for _ in range(CLIENTS)]
    try:
        until(lambda: all(one.newest == live.snapshot().number for one in watchers))
        for _ in range(2):
            before = [one.opened for one in watchers]
            share.broadcast.loop.call_soon_threadsafe(die)
            assert live.submit_request(Donkey("giant")) is None  # the table does not wait for anybody
            # A line that dies may have told the newest state before.
            until(lambda: all(one.opened > count for one, count in zip(watchers, before, strict=True)))  # noqa: B023
            until(lambda: all(one.newest == live.snapshot().number for one in watchers))
            assert [one.opened for one in watchers] == [count + 1 for count in before]
            live.undo()
            live.confirm_moves()
    finally:
        for one in watchers:
            one.ending = True
        share.close()


def test_fifty_clients_come_back_to_a_server_that_was_restarted_under_them() -> None:
    live, share = shared()
    port = share.place.port
    watchers = [Watcher(share) for _ in range(CLIENTS)]
    again = None
    try:
        until(lambda: all(one.newest == live.snapshot().number for one in watchers))
        share.close()
        assert live.submit_request(Donkey("giant")) is None  # the table does not wait for anybody
        again = ShareServer(
            listen_locally(port), Translator("en", GAME), TableSession(Plan(), live), tokens=share.tokens
        )
        assert again.place.port == port
        again.start()
        until(lambda: all(one.newest == live.snapshot().number for one in watchers))
        assert [one.opened for one in watchers] == [2] * CLIENTS
    finally:
        for one in watchers:
            one.ending = True
        (again or share).close()
    for one in watchers:
        one.join(10)
    assert not any(one.is_alive() for one in watchers)
