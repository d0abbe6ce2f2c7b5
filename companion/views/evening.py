"""What a view is given: an open evening, what runs behind its table beside the live session (the
demo's hands, a folder of photos that is paged by key), and how people join with their devices:
links as QR codes, in terminal and dashboard alike."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from companion import libraries
from companion.live.live import Live
from companion.plan import Plan
from companion.rules.contract import Choice, Request, Text
from companion.table.sightings import Post, TableReader, nobody
from companion.texts import Translator
from companion.views.spoken import Speaker

if TYPE_CHECKING:
    from companion.readers.rfid.simulator import VirtualBoard
    from companion.views.dashboard.widgets.preview import EnlargedOf, LabelsOf, PreviewOf


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
    without it pages come back after a crash. `pass_on`: those who are in come back to the next
    game."""

    invites: tuple[Invite, ...]
    remarks: tuple[str, ...] = ()
    forget: Callable[[], object] = lambda: None
    address: str = ""
    """What a screen opens to show letters, or to type them."""
    knocking: tuple[str, ...] = ()
    """The letters of the screens that wait to be let in."""
    pass_on: Callable[[], object] = lambda: None


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

    def pass_on(self) -> None:
        """Close every page; those who are in come back to the next game."""
        if self._invited is not None:
            self._invited().pass_on()
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


class Command(NamedTuple):
    """A key of what runs behind the table (the demo's speed, the camera's next photo): shown in the
    footer and the palette.

    What `act` returns, if it is a `Text`, is said to whoever pressed the key. `key`: Textual's name
    of the key (`plus`); `typed`: what is printed on it, and typed in the plain view.
    """

    key: str
    label: Text
    act: Callable[[], object]
    typed: str


class Backstage:
    """What runs behind the table: here nothing.

    `commands`: its keys. `people`: the players whose seats at the demo table a person has taken
    over; hands then do with the drawn cards what the person chooses.
    """

    commands: Sequence[Command] = ()
    people: Collection[str] = ()

    def tick(self, now: float) -> None:
        """Take the next small step; called as often as the live session's `tick`."""

    def pause(self, paused: bool) -> None:
        """Stand still, or go on."""

    def wishes(self, _player: str) -> Sequence[Choice]:
        """List what the person at this seat may do now with the cards there."""
        return ()

    def enact(self, _wish: Request) -> Text | None:
        """Let hands do it; return what only this person sees by it."""
        return None


POSE = 5.0
"""Seconds from the wish for a photo of the people to the photo: enough to join them."""

BARE: Final = Backstage()
"""A table behind which nothing runs."""


def nothing() -> None:
    """There is no card to look at."""


class Evening(msgspec.Struct, eq=False):
    """Everything that is open while people play.

    `plan`: what people chose. `readers`: what reports to `post` what lies on the table.
    `picture_of`: the camera's newest annotated picture, None where there is no camera; `labels_of`:
    the names of its cards; `enlarged_of`: the card that it looks at most closely; `photograph`:
    keeps a photo of the people, and says what came of it, None where there is no camera. `board`:
    the simulated card reader. `speaker`: hears every change. `sharing`: how other screens may join.
    `told`: what is said at the start (there is no voice). `closing`: what is to be closed, the last
    first. `wanted`: the game that a phone has chosen to be played next; the view is left for it.
    """

    plan: Plan
    live: Live
    backstage: Backstage = BARE
    readers: Sequence[TableReader] = ()
    post: Post = nobody
    picture_of: PreviewOf | None = None
    labels_of: LabelsOf = tuple
    enlarged_of: EnlargedOf = nothing
    photograph: Callable[[], Text] | None = None
    board: VirtualBoard | None = None
    speaker: Speaker | None = None
    sharing: ShareSwitch | None = None
    told: Sequence[Text] = ()
    closing: ExitStack = msgspec.field(default_factory=ExitStack)
    wanted: Plan | None = None

    def start(self) -> None:
        """Let every reader begin to report."""
        for reader in self.readers:
            reader.start(self.post)

    def another(self) -> Plan:
        """Return the plan of another game with the same options, by those who play it."""
        snapshot = self.live.snapshot()
        return self.plan.another(snapshot.setup, snapshot.people.next_players)

    def leave_for(self, plan: Plan) -> None:
        """Leave this game for that one; the deck of another game is its usual one."""
        self.wanted = plan if plan.game == self.live.game.id else plan.but(deck="")

    def close(self) -> None:
        """Stop hands and readers, write what was learnt, then close recording and journal."""
        self.closing.close()
