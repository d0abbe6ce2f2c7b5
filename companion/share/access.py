"""Who may come in: a link for each purpose, and a pass for each page that followed one.

A link carries a token of 128 bits behind its `#`, which browsers never send; the page hands it in
once and gets a pass, another 128 bits, which it keeps for as long as its tab is open and sends with
each request. So who acts is the page's player, whatever else is open in the same browser; and a
browser sends no pass by itself, to whomever it is made to ask. What protects it from scripts is
that there are none but ours: the policy of `guard`. Tokens are compared in constant time. A link
that is renewed makes its passes void.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

BYTES = 16
"""128 bits: not to be guessed."""
SCHEME = "Bearer "
"""How a pass begins in the header `Authorization` (RFC 6750)."""
SOCKET = "card-table"
"""The subprotocol of our WebSockets. Browsers let a page choose no header of theirs, but
subprotocols: the second one asked for is the pass."""
MOST_PASSES = 500
"""Passes of those who watch that are remembered; the oldest goes first. An evening has a dozen. Of
a seat and a camera there is one each, which nobody who only watches can drive out."""


@dataclass(frozen=True)
class Purpose:
    """What a link is for: `watch` (anybody who may look), `camera`, `pad` (tags are enrolled), or
    `seat` with the player's name."""

    kind: str
    player: str = ""

    @property
    def alone(self) -> bool:
        """Whether one page at a time has it: a seat that went to another phone is closed on the
        first."""
        return self.kind != "watch"


WATCH = Purpose("watch")
CAMERA = Purpose("camera")
PAD = Purpose("pad")


class Doors:
    """Links and passes of one evening, in memory only. Safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._links: dict[Purpose, str] = {}
        self._passes: OrderedDict[str, Purpose] = OrderedDict()

    def link(self, purpose: Purpose) -> str:
        """Return the token of the link for `purpose`; the same until it is renewed."""
        with self._lock:
            return self._links.setdefault(purpose, secrets.token_urlsafe(BYTES))

    def renew(self, purpose: Purpose) -> str:
        """Make the link and all its passes void; return the token of the new link."""
        with self._lock:
            self._close(purpose)
            self._links[purpose] = secrets.token_urlsafe(BYTES)
            return self._links[purpose]

    def enter(self, token: str) -> tuple[str, Purpose] | None:
        """Return a new pass and what it is for, None for a token of no link. With a seat's link the
        seat's earlier pass is void."""
        with self._lock:
            found = self._purpose(token)
            if found is None:
                return None
            if found.alone:
                self._close(found)
            given = secrets.token_urlsafe(BYTES)
            self._passes[given] = found
            watching = [key for key, one in self._passes.items() if not one.alone]
            if len(watching) > MOST_PASSES:
                del self._passes[watching[0]]
            return given, found

    def holds(self, given: str) -> Purpose | None:
        """Return what the pass is for; None when there is no such pass (any more)."""
        with self._lock:
            return next((one for key, one in self._passes.items() if _equal(key, given)), None)

    def admits(self, given: str, *kinds: str) -> Purpose | None:
        """Return what the pass is for if it is of one of these kinds; else None."""
        purpose = self.holds(given)
        return purpose if purpose is not None and purpose.kind in kinds else None

    def _purpose(self, token: str) -> Purpose | None:
        matching = [purpose for purpose, key in self._links.items() if _equal(key, token)]
        return matching[0] if matching else None

    def _close(self, purpose: Purpose) -> None:
        for key in [key for key, one in self._passes.items() if one == purpose]:
            del self._passes[key]


def given_with(headers: Mapping[str, str]) -> str:
    """Return the pass that a request carries, "" for none."""
    said = headers.get("authorization", "")
    return said.removeprefix(SCHEME) if said.startswith(SCHEME) else ""


def _equal(known: str, given: str) -> bool:
    # As bytes: `compare_digest` takes text of ASCII only, and a stranger's may hold anything.
    return secrets.compare_digest(known.encode(), given.encode("utf-8", "replace"))
