"""What a table says to a league server, and what it hears: msgpack over HTTP, one message a
request.

`POST /join`, `/leave`, `/sessions`, `/entries`, `/seats`. Whatever changes something is signed by
the table's key. The same bytes may be sent again at any time: after a timeout nobody knows whether
they arrived.
"""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

import msgspec

from companion.league import chain
from companion.league.chain import ChainedEntry, ChainedSession, Count, Digest, Key, Micros, Signature
from companion.rules.contract import LONGEST_NAME, Text

MEDIA_TYPE = "application/msgpack"
LARGEST_REQUEST = 4_000_000
"""Bytes: five hundred entries of the largest that were seen are a tenth of it."""

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_NAME)]
SeatLabel = Annotated[str, msgspec.Meta(pattern=r"^[sg][1-9][0-9]?$")]
"""What a league session calls its players (`s1` is the first), and who joins or stands in (`g1`):
names stand in no entry, so that one can be forgotten."""


class Join(msgspec.Struct, frozen=True):
    """A table wants to join by the club's code; `name`: what it is called on the pages."""

    code: Annotated[str, msgspec.Meta(max_length=40)]
    key: Key
    name: Name
    signature: Signature

    @property
    def signed(self) -> bytes:
        """What the signature is of."""
        return chain.said("join", self.code.encode(), self.key, self.name.encode())


class Joined(msgspec.Struct, frozen=True):
    """It has; `club`: what goes into its digests, `name`: what the club is called."""

    club: UUID
    name: str
    table: int


class Leave(msgspec.Struct, frozen=True):
    """A table leaves; what it sent stays."""

    key: Key
    signature: Signature

    @property
    def signed(self) -> bytes:
        """What the signature is of."""
        return chain.said("leave", self.key)


class BeginSession(msgspec.Struct, frozen=True):
    """A session begins. `signature`: of its first digest, as the head of no entries."""

    key: Key
    session: ChainedSession
    signature: Signature


class SendEntries(msgspec.Struct, frozen=True):
    """Entries of a session from number `first` on. `before`: the digest of the one before them.
    `signature`: of the head after them."""

    key: Key
    session: UUID
    first: Count
    before: Digest
    entries: Annotated[list[ChainedEntry], msgspec.Meta(min_length=1, max_length=chain.MOST_ENTRIES)]
    signature: Signature


class TellSeats(msgspec.Struct, frozen=True):
    """Who sits where in a session, by names. `number`: greater than that of all that was told of it
    before, so that nobody who has heard it can tell it again."""

    key: Key
    session: UUID
    number: Micros
    seats: Annotated[dict[SeatLabel, Name], msgspec.Meta(max_length=40)]
    signature: Signature

    @property
    def signed(self) -> bytes:
        """What the signature is of."""
        seats = msgspec.json.encode(self.seats, order="sorted")
        return chain.said("seats", self.session.bytes, b"%d" % self.number, seats)


class Acknowledgement(msgspec.Struct, frozen=True):
    """What becomes of a session or of entries: they are durable (`ok`), or were so already (`had`).

    `gap`: the server has no more than `next`, which is wanted first; of seats, what was told last
    had the number `next`. `fork`: it holds something else at `next`; the session is frozen.
    `not_chained`: they do not follow from what it holds. `not_yours`: it is another table's.
    `conflict`: another set-up has this id, or its parent has one course only. `unknown`: no such
    session was begun. `refused`: `code` and `args` (a `Text`) say why.
    """

    answer: Literal["ok", "had", "gap", "fork", "not_chained", "not_yours", "conflict", "unknown", "refused"]
    next: int = 0
    code: str = ""
    args: dict[str, str | int] = {}

    @property
    def text(self) -> Text:
        """Why it was refused, in words."""
        return Text(self.code, self.args)


def encode(message: msgspec.Struct) -> bytes:
    """Return a message as it travels."""
    return msgspec.msgpack.encode(message)
