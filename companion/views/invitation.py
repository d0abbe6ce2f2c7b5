"""How people join with their devices: links as QR codes, in terminal and dashboard alike."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import NamedTuple

import msgspec

from companion import libraries
from companion.texts import Translator


class Invite(NamedTuple):
    """One link: what it is for, in words, and the link. `letters`: typed instead of it at the short
    address. `inside`: how many pages have followed it and are there now. `seat`: the number of the
    one that it leads to (0: none). `let_in`: lets the screen with these letters in; `send_away`:
    makes the link void."""

    words: str
    link: str
    letters: str = ""
    inside: int = 0
    seat: int = 0
    let_in: Callable[[str], object] = str
    send_away: Callable[[], object] = str


def here(invite: Invite, say: Translator) -> str:
    """Say who is there by this link: how many pages, and of a seat that it is free."""
    if invite.inside:
        return say("share.inside", count=str(invite.inside))
    return say("share.free") if invite.seat else ""


class Invitation(msgspec.Struct, frozen=True):
    """Everything that can be joined, and what there is to know about it (who gets in, the
    certificate's fingerprint, how to end it). `forget`: makes every link and pass void for good;
    without it pages come back after a crash."""

    invites: tuple[Invite, ...]
    remarks: tuple[str, ...] = ()
    forget: Callable[[], object] = lambda: None
    address: str = ""
    """What a screen opens to show letters, or to type them."""
    knocking: tuple[str, ...] = ()
    """The letters of the screens that wait to be let in."""


class ShareSwitch:
    """Sharing the table, which begins and ends at any moment.

    `opening`: opens the pages to browsers of this computer, or (True) of the local network, for as
    long as its context lasts; gives what says what can be joined now. May raise `Problem`.
    """

    def __init__(self, opening: Callable[[bool], AbstractContextManager[Callable[[], Invitation]]]) -> None:
        self._opening = opening
        self._open = ExitStack()
        self._invited: Callable[[], Invitation] | None = None

    def open(self, *, network: bool) -> Invitation:
        """Begin, for browsers of this computer or of the local network. Raises `Problem`."""
        self.close()
        self._invited = self._open.enter_context(self._opening(network))
        return self._invited()

    @property
    def invitation(self) -> Invitation | None:
        """What can be joined, everybody by the names that they have now; None while nothing is
        shared."""
        return None if self._invited is None else self._invited()

    def end(self) -> None:
        """Close every page and make every link void, as at the end of the evening."""
        if self._invited is not None:
            self._invited().forget()
        self.close()

    def close(self) -> None:
        """Close every page; if the evening has not ended but broken off, they come back to it."""
        self._open.close()
        self._invited = None


def qr(link: str) -> list[str]:
    """Return the link as a QR code in half blocks, light modules drawn: it is read from screens
    that are dark and from light ones."""
    rows = [list(row) for row in libraries.segno.make(link, error="m", micro=False).matrix_iter(border=3)]
    if len(rows) % 2:
        rows.append([1] * len(rows[0]))
    blocks = {(0, 0): "█", (0, 1): "▀", (1, 0): "▄", (1, 1): " "}
    return [
        "".join(blocks[(int(bool(above)), int(bool(below)))] for above, below in zip(*pair, strict=True))
        for pair in zip(rows[::2], rows[1::2], strict=True)
    ]
