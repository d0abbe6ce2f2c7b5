"""Who may come in: a link for each purpose, and a pass for each page that followed one.

A link carries a token of 128 bits behind its `#`, which browsers never send; the page hands it in
once on its line and gets a pass, another 128 bits, which it keeps for as long as its tab is open
and begins each line with. So who acts is the page's player, whatever else is open in the same
browser; and a browser sends no pass by itself, to whomever it is made to ask. What protects it from
scripts is that there are none but ours: the policy of `guard`. Tokens are compared in constant
time. A link that is renewed makes its passes void.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum

import msgspec

BYTES = 16
"""128 bits: not to be guessed."""
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
"""What is typed instead of a link, four of them: no vowels, so that no words come of it."""
GUESSES = 20
"""Wrong letters after which all letters are others: of 160,000 a guest types two or three."""
MOST_PASSES = 500
"""PassesHeld of those who watch that are remembered, and of seats that went to another phone; the
oldest goes first. An evening has a dozen. Of a seat and a camera there is one each, which nobody
who only watches can drive out."""


class End(IntEnum):
    """Why the table closes a page's line, as the WebSocket's code (RFC 6455, 7.4): each is told in
    words of its own, with what to do."""

    BAD = 1007
    """What came is nothing that a page of ours says."""
    VOID = 4001
    """The link is no longer good, or never was one."""
    ELSEWHERE = 4002
    """Another phone has this seat now, or is the camera: the page may take it back."""
    EVENING = 4003
    """The pass is one of another evening."""
    WRONG = 4005
    """The letters that were typed are nobody's."""
    GONE = 4006
    """The page has gone on to where it was let in, or has left its seat."""
    SILENT = 4004
    """The page has said nothing for too long, or takes nothing of what it is sent."""


@dataclass(frozen=True)
class Purpose:
    """What a link is for: `watch` (anybody who may look), `camera`, `pad` (tags are enrolled),
    `seat` with the player's name, or `join`, where a phone chooses one of the seats that are
    free."""

    kind: str
    player: str = ""

    @property
    def alone(self) -> bool:
        """Whether one page at a time has it: a seat that went to another phone is closed on the
        first."""
        return self.kind not in ("watch", "join")


WATCH = Purpose("watch")
CAMERA = Purpose("camera")
PAD = Purpose("pad")
JOIN = Purpose("join")

PassesHeld = OrderedDict[str, Purpose]


class KeptDoors(msgspec.Struct, frozen=True):
    """Links and passes as they are kept on disk, so that pages come back to the same evening after
    a crash. `former`: passes whose seat went to another phone."""

    evening: str
    links: tuple[tuple[Purpose, str], ...] = ()
    passes: tuple[tuple[str, Purpose], ...] = ()
    former: tuple[tuple[str, Purpose], ...] = ()

    def seated(self, seats: Mapping[str, str]) -> KeptDoors:
        """Return them with every seat called as `seats` says, without those that it does not
        name."""

        def now(one: Purpose) -> Purpose | None:
            if one.player and one.player not in seats:
                return None
            return Purpose(one.kind, seats.get(one.player, ""))

        links = tuple((new, token) for one, token in self.links if (new := now(one)))
        passes, former = (
            tuple((given, new) for given, one in some if (new := now(one)))
            for some in (self.passes, self.former)
        )
        return KeptDoors(self.evening, links, passes, former)


class Doors:
    """Links and passes of one evening. Safe from any thread.

    `kept`: those of the same evening before a crash. `keep`: is given them after each change.
    """

    def __init__(
        self, kept: KeptDoors | None = None, keep: Callable[[KeptDoors], object] = lambda _kept: None
    ) -> None:
        kept = kept or KeptDoors(secrets.token_urlsafe(6))
        self._lock = threading.Lock()
        self._keep = keep
        self._evening = kept.evening
        self._links: dict[Purpose, str] = dict(kept.links)
        self._passes: PassesHeld = OrderedDict(kept.passes)
        self._former: PassesHeld = OrderedDict(kept.former)
        self._letters: dict[Purpose, str] = {}
        self._wrong = 0

    def link(self, purpose: Purpose) -> str:
        """Return the token of the link for `purpose`; the same until it is renewed."""
        with self._lock:
            if purpose not in self._links:
                self._links[purpose] = secrets.token_urlsafe(BYTES)
                self._changed()
            return self._links[purpose]

    def letters(self, purpose: Purpose) -> str:
        """Return the four letters that are typed instead of the link for `purpose`."""
        with self._lock:
            if purpose not in self._letters:
                self._letters[purpose] = self._fresh()
            return self._letters[purpose]

    def knock(self) -> str:
        """Return four letters for a screen that waits to be let in."""
        with self._lock:
            return self._fresh()

    def typed(self, letters: str) -> Purpose | None:
        """Return what these letters are for; after many wrong ones all are others."""
        with self._lock:
            wanted = letters.strip().upper()
            found = next((one for one, key in self._letters.items() if _equal(key, wanted)), None)
            self._wrong = 0 if found else self._wrong + 1
            if self._wrong >= GUESSES:
                self._letters.clear()
                self._wrong = 0
            return found

    def leave(self, given: str) -> None:
        """Let a page give up what it has."""
        with self._lock:
            for key in [key for key in self._passes if _equal(key, given)]:
                del self._passes[key]
            self._changed()

    def renew(self, purpose: Purpose) -> str:
        """Make the link and all its passes void; return the token of the new link."""
        with self._lock:
            for passes in (self._passes, self._former):
                for key in [key for key, one in passes.items() if one == purpose]:
                    del passes[key]
            self._letters.pop(purpose, None)
            self._links[purpose] = secrets.token_urlsafe(BYTES)
            self._changed()
            return self._links[purpose]

    def enter(self, token: str) -> tuple[str, Purpose] | None:
        """Return a new pass and what it is for, None for a token of no link. With a seat's link the
        seat goes to this page."""
        with self._lock:
            found = next((one for one, key in self._links.items() if _equal(key, token)), None)
            return None if found is None else (self._admit(found), found)

    def take(self, given: str) -> tuple[str, Purpose] | None:
        """Let a page whose seat went to another phone have it back, with a new pass."""
        with self._lock:
            found = _found(self._former, given)
            return None if found is None else (self._admit(found), found)

    def holds(self, given: str) -> Purpose | None:
        """Return what the pass is for; None when there is no such pass (any more)."""
        with self._lock:
            return _found(self._passes, given)

    def why_not(self, given: str) -> End | None:
        """Say why this pass opens nothing; None when it does."""
        with self._lock:
            if _found(self._passes, given) is not None:
                return None
            if _found(self._former, given) is not None:
                return End.ELSEWHERE
        evening, dot, _ = given.partition(".")
        return End.EVENING if dot and evening != self._evening else End.VOID

    def _fresh(self) -> str:
        while True:
            letters = "".join(secrets.choice(LETTERS) for _ in range(4))
            if letters not in self._letters.values():
                return letters

    def _admit(self, purpose: Purpose) -> str:
        if purpose.alone:
            for key in [key for key, one in self._passes.items() if one == purpose]:
                self._former[key] = self._passes.pop(key)
        given = f"{self._evening}.{secrets.token_urlsafe(BYTES)}"
        self._passes[given] = purpose
        watching = [key for key, one in self._passes.items() if not one.alone]
        if len(watching) > MOST_PASSES:
            del self._passes[watching[0]]
        if len(self._former) > MOST_PASSES:
            self._former.popitem(last=False)
        self._changed()
        return given

    def kept(self) -> KeptDoors:
        """Return links and passes as they are kept."""
        with self._lock:
            return self._kept()

    def _changed(self) -> None:
        self._keep(self._kept())

    def _kept(self) -> KeptDoors:
        links, passes, former = (tuple(some.items()) for some in (self._links, self._passes, self._former))
        return KeptDoors(self._evening, links, passes, former)  # type: ignore[arg-type]


def _found(passes: PassesHeld, given: str) -> Purpose | None:
    return next((one for key, one in passes.items() if _equal(key, given)), None)


def _equal(known: str, given: str) -> bool:
    # As bytes: `compare_digest` takes text of ASCII only, and a stranger's may hold anything.
    return secrets.compare_digest(known.encode(), given.encode("utf-8", "replace"))
