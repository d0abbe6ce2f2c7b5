"""Access to the shared table: a link for each purpose, and a pass for each page that followed a
link.

A link carries a token of 128 bits after its `#`, which browsers never send. The page hands it in
once over its WebSocket and receives a pass, another 128 bits, which it keeps while its tab is open
and sends at the start of each connection. So the acting player is known by the page, whatever else
is open in the same browser, and a browser never sends a pass by itself, as it would a cookie. The
pass is safe from scripts because only our own can run: see the policy in
`companion.web.request_checks`. Tokens are compared in constant time. Renewing a link revokes its
passes.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

import msgspec

TOKEN_BYTES = 16
"""Bytes of a token: 128 bits cannot be guessed."""
CODE_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
"""Alphabet of the four letters that can be typed instead of a link; without vowels, so that they
never form a word."""
TICKET_SECONDS = 20.0
"""Seconds for which a ticket is valid: the next page must load and connect."""
MAX_SESSION_TOKENS = 500
"""Most passes that are kept of spectators, and of seats that went to another phone; the oldest are
dropped. An evening has a dozen. Seats and the camera have one pass each, which spectators can never
push out."""


class CloseCode(IntEnum):
    """Reasons for closing a page's connection, as WebSocket close codes (RFC 6455, 7.4). The page
    explains each in its own words, with what to do."""

    BAD = 1007
    """The message is not one that our pages send."""
    VOID = 4001
    """The link is no longer valid, or never was."""
    ELSEWHERE = 4002
    """Another phone has this seat or is the camera now; the page may take it back."""
    EVENING = 4003
    """The pass belongs to another evening."""
    WRONG = 4005
    """The letters that were typed belong to no link."""
    WAIT = 4007
    """Too many wrong letters, or waiting screens, from one network; the reason holds the seconds to
    wait."""
    GONE = 4006
    """The page moved on to the link it was admitted to, or has left its seat."""
    SILENT = 4004
    """The page has sent or received nothing for too long."""


@dataclass(frozen=True)
class Purpose:
    """Purpose of a link: `watch` (spectators), `camera`, `pad` (enrolling tags), `seat` with the
    player's name, or `join`, where a phone chooses a free seat."""

    kind: str
    player: str = ""

    @property
    def is_exclusive(self) -> bool:
        """Whether only one page at a time may have it: a seat that moves to another phone is closed
        on the first."""
        return self.kind not in ("watch", "join")


WATCH = Purpose("watch")
CAMERA = Purpose("camera")
PAD = Purpose("pad")
JOIN = Purpose("join")

# Ordered by age, so that the oldest can be dropped.
SessionTokens = OrderedDict[str, Purpose]


class SavedAccessTokens(msgspec.Struct, frozen=True):
    """Links and passes as stored on disk, so that pages return to the same evening after a crash.
    `former`: passes whose seat went to another phone."""

    evening: str
    links: tuple[tuple[Purpose, str], ...] = ()
    passes: tuple[tuple[str, Purpose], ...] = ()
    former: tuple[tuple[str, Purpose], ...] = ()

    def with_seats_renamed(self, seats: Mapping[str, str]) -> SavedAccessTokens:
        """Return them with seats renamed by `seats`, and without the seats that it does not
        contain."""

        def rename_purpose(one: Purpose) -> Purpose | None:
            if one.player and one.player not in seats:
                return None
            return Purpose(one.kind, seats.get(one.player, ""))

        links = tuple((new, token) for one, token in self.links if (new := rename_purpose(one)))
        passes, former = (
            tuple((given, new) for given, one in some if (new := rename_purpose(one)))
            for some in (self.passes, self.former)
        )
        return SavedAccessTokens(self.evening, links, passes, former)


class AccessTokens:
    """Links and passes of one evening. Safe from any thread.

    `kept`: those of the same evening before a crash. `save`: called with the current ones after
    each change.
    """

    def __init__(
        self,
        saved: SavedAccessTokens | None = None,
        save: Callable[[SavedAccessTokens], object] = lambda _kept: None,
    ) -> None:
        saved = saved or SavedAccessTokens(secrets.token_urlsafe(6))
        self._lock = threading.Lock()
        self._keep = save
        self._evening = saved.evening
        self._links: dict[Purpose, str] = dict(saved.links)
        self._passes: SessionTokens = OrderedDict(saved.passes)
        self._former: SessionTokens = OrderedDict(saved.former)
        self._letters: dict[Purpose, str] = {}
        self._tickets: dict[str, tuple[Purpose, float]] = {}

    def ensure_invite_token(self, purpose: Purpose) -> str:
        """Return the token of the link for `purpose`, which stays the same until it is renewed."""
        with self._lock:
            if purpose not in self._links:
                self._links[purpose] = secrets.token_urlsafe(TOKEN_BYTES)
                self._save_tokens()
            return self._links[purpose]

    def ensure_join_code(self, purpose: Purpose) -> str:
        """Return the four letters that can be typed instead of the link for `purpose`."""
        with self._lock:
            if purpose not in self._letters:
                self._letters[purpose] = self._generate_code()
            return self._letters[purpose]

    def make_waiting_code(self) -> str:
        """Return four letters for a screen that waits to be admitted."""
        with self._lock:
            return self._generate_code()

    def match_join_code(self, letters: str) -> Purpose | None:
        """Return the purpose that these letters belong to; None if they are wrong."""
        with self._lock:
            wanted = letters.strip().upper()
            return next((one for one, key in self._letters.items() if _compare_securely(key, wanted)), None)

    def make_ticket(self, purpose: Purpose) -> str:
        """Return a token that is redeemed once, within `TICKET_SECONDS`: it leads a page that was
        admitted to the page of its purpose, and never reveals the permanent link."""
        with self._lock:
            self._drop_old_tickets()
            ticket = secrets.token_urlsafe(TOKEN_BYTES)
            self._tickets[ticket] = purpose, time.monotonic() + TICKET_SECONDS
            return ticket

    def start_session(self, purpose: Purpose) -> str:
        """Return a new pass for a page that was admitted by other means than a link."""
        with self._lock:
            return self._create_session(purpose)

    @property
    def owned_seats(self) -> frozenset[str]:
        """Players whose seat belongs to a phone, whether it is connected now or not."""
        with self._lock:
            self._drop_old_tickets()
            holders = [*self._passes.values(), *(purpose for purpose, _ in self._tickets.values())]
            return frozenset(one.player for one in holders if one.kind == "seat")

    def revoke_session(self, session_token: str) -> None:
        """Revoke a pass because its page has left."""
        with self._lock:
            for key in [key for key in self._passes if _compare_securely(key, session_token)]:
                self._drop_tickets(self._passes.pop(key))
            self._save_tokens()

    def renew_invite(self, purpose: Purpose) -> str:
        """Revoke the link and all its passes; return the token of the new link."""
        with self._lock:
            for passes in (self._passes, self._former):
                for key in [key for key, one in passes.items() if one == purpose]:
                    del passes[key]
            # The letters open the same link, so a renewal must change them too.
            self._letters.pop(purpose, None)
            self._drop_tickets(purpose)
            self._links[purpose] = secrets.token_urlsafe(TOKEN_BYTES)
            self._save_tokens()
            return self._links[purpose]

    def redeem_invite(self, token: str) -> tuple[str, Purpose] | None:
        """Return a new pass and its purpose, or None for an unknown token. A seat's link moves the
        seat to this page; a ticket is used up."""
        with self._lock:
            self._drop_old_tickets()
            ticket = next((key for key in self._tickets if _compare_securely(key, token)), None)
            if ticket is not None:
                purpose, _ = self._tickets.pop(ticket)
                return self._create_session(purpose), purpose
            found = next((one for one, key in self._links.items() if _compare_securely(key, token)), None)
            return None if found is None else (self._create_session(found), found)

    def reclaim_session(self, session_token: str) -> tuple[str, Purpose] | None:
        """Give a seat that went to another phone back to this page, with a new pass."""
        with self._lock:
            found = _find_purpose(self._former, session_token)
            return None if found is None else (self._create_session(found), found)

    def find_purpose(self, session_token: str) -> Purpose | None:
        """Return the purpose of a pass; None if there is no such pass (any more)."""
        with self._lock:
            return _find_purpose(self._passes, session_token)

    def find_rejection(self, session_token: str) -> CloseCode | None:
        """Return why this pass is not valid; None if it is."""
        with self._lock:
            if _find_purpose(self._passes, session_token) is not None:
                return None
            if _find_purpose(self._former, session_token) is not None:
                return CloseCode.ELSEWHERE
        # A pass begins with its evening, so that a page left open can say that its evening is over.
        evening, dot, _ = session_token.partition(".")
        return CloseCode.EVENING if dot and evening != self._evening else CloseCode.VOID

    def find_owned_purposes(self, session_tokens: Sequence[str]) -> frozenset[Purpose]:
        """Return the purposes of these passes, of those whose seat went to another phone, too."""
        with self._lock:
            found = [
                _find_purpose(passes, token)
                for token in session_tokens
                for passes in (self._passes, self._former)
            ]
            return frozenset(one for one in found if one is not None)

    def _drop_tickets(self, purpose: Purpose) -> None:
        self._tickets = {key: one for key, one in self._tickets.items() if one[0] != purpose}

    def _drop_old_tickets(self) -> None:
        now = time.monotonic()
        self._tickets = {key: one for key, one in self._tickets.items() if one[1] > now}

    def _generate_code(self) -> str:
        while True:
            letters = "".join(secrets.choice(CODE_LETTERS) for _ in range(4))
            if letters not in self._letters.values():
                return letters

    def _create_session(self, purpose: Purpose) -> str:
        if purpose.is_exclusive:
            self._drop_tickets(purpose)
            for key in [key for key, one in self._passes.items() if one == purpose]:
                # Not forgotten: its page can learn why it was closed, and take the seat back.
                self._former[key] = self._passes.pop(key)
        given = f"{self._evening}.{secrets.token_urlsafe(TOKEN_BYTES)}"
        self._passes[given] = purpose
        # Only spectators are counted and dropped: nobody may push out a seat or the camera by
        # opening pages.
        watching = [key for key, one in self._passes.items() if not one.is_exclusive]
        if len(watching) > MAX_SESSION_TOKENS:
            del self._passes[watching[0]]
        if len(self._former) > MAX_SESSION_TOKENS:
            self._former.popitem(last=False)
        self._save_tokens()
        return given

    def export_tokens(self) -> SavedAccessTokens:
        """Return links and passes as they are stored."""
        with self._lock:
            return self._export_unlocked()

    def _save_tokens(self) -> None:
        self._keep(self._export_unlocked())

    def _export_unlocked(self) -> SavedAccessTokens:
        links, passes, former = (tuple(some.items()) for some in (self._links, self._passes, self._former))
        return SavedAccessTokens(self._evening, links, passes, former)  # type: ignore[arg-type]


def _find_purpose(tokens: SessionTokens, session_token: str) -> Purpose | None:
    return next((one for key, one in tokens.items() if _compare_securely(key, session_token)), None)


def _compare_securely(known: str, received: str) -> bool:
    # As bytes: `compare_digest` accepts only ASCII text, and input may be anything.
    return secrets.compare_digest(known.encode(), received.encode("utf-8", "replace"))
