"""Context of a view: the open evening, what runs in the background of its table (demo players, a
folder of photos), and how people join with their devices.

Links are shown as QR codes, the same in terminal and dashboard.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from companion import libraries
from companion.live.live_session import LiveSession
from companion.plan import Plan
from companion.rules.contract import Choice, Request, Text
from companion.table.sightings import Post, TableReader, discard_report
from companion.texts import Translator
from companion.views.announcements import Speaker

if TYPE_CHECKING:
    from companion.readers.rfid.simulator import VirtualTrays
    from companion.views.dashboard.widgets.camera_preview import (
        EnlargedCardSource,
        LabelsSource,
        PictureSource,
    )


class Invite(NamedTuple):
    """One link to join by, with its purpose in words.

    `letters`: typed at the short address instead. `page_count`: number of pages connected by it
    now. `seat`: the seat it leads to (0: none); `is_owned`: that seat belongs to a phone. `let_in`:
    admits the screen with these letters; `send_away`: revokes the link.
    """

    words: str
    link: str
    letters: str = ""
    page_count: int = 0
    seat: int = 0
    let_in: Callable[[str], object] = str
    send_away: Callable[[], object] = str
    is_owned: bool = False


def describe_connected_pages(invite: Invite, translator: Translator) -> str:
    """Return in words how many pages are connected by this link, or that a seat is free or its
    owner away."""
    if invite.page_count:
        return translator("share.inside", count=str(invite.page_count))
    return translator("share.owner_away" if invite.is_owned else "share.free") if invite.seat else ""


class Invitation(msgspec.Struct, frozen=True):
    """All that can be joined, with remarks (who may join, the certificate's fingerprint, how to end
    it).

    `delete_saved_state`: revokes every link and pass for good; otherwise pages reconnect after a
    crash. `hand_over`: lets connected people return to the next game.
    """

    invites: tuple[Invite, ...]
    remarks: tuple[str, ...] = ()
    delete_saved_state: Callable[[], object] = lambda: None
    address: str = ""
    """The address that a screen opens to show letters, or to type them."""
    waiting_codes: tuple[str, ...] = ()
    """Letters of the screens that wait to be admitted."""
    hand_over: Callable[[], object] = lambda: None


class ShareSwitch:
    """Switch for sharing the table, which can be turned on and off at any moment.

    `opening`: opens the pages to browsers on this computer, or (True) in the local network, inside
    its context, and yields a function that returns what can be joined now. It may raise `Problem`.
    """

    def __init__(self, opening: Callable[[bool], AbstractContextManager[Callable[[], Invitation]]]) -> None:
        self._opening = opening
        self._open = ExitStack()
        self._invited: Callable[[], Invitation] | None = None

    def start_sharing(self, *, network: bool) -> Invitation:
        """Start sharing with browsers on this computer or in the local network. Raises
        `Problem`."""
        self.close()
        # After closing what was open: changing from this computer to the network is a new server.
        self._invited = self._open.enter_context(self._opening(network))
        return self._invited()

    @property
    def invitation(self) -> Invitation | None:
        """What can be joined, with current names; None while nothing is shared."""
        return None if self._invited is None else self._invited()

    def end_sharing(self) -> None:
        """Close every page and revoke every link, as at the end of the evening."""
        if self._invited is not None:
            # Nobody can come back by an old link.
            self._invited().delete_saved_state()
        self.close()

    def hand_over(self) -> None:
        """Close every page; connected people return to the next game."""
        if self._invited is not None:
            self._invited().hand_over()
        self.close()

    def close(self) -> None:
        """Close every page; if the evening did not end but broke off, they reconnect to it."""
        self._open.close()
        self._invited = None


def draw_qr_code(link: str) -> list[str]:
    """Return the link as a QR code in half blocks, with the light modules drawn, so that it can be
    scanned from dark and from light screens."""
    rows = [list(row) for row in libraries.segno.make(link, error="m", micro=False).matrix_iter(border=3)]
    if len(rows) % 2:
        # A cell is two modules high; the missing half of the last row stays dark, outside the
        # code's border.
        rows.append([1] * len(rows[0]))
    blocks = {(0, 0): "█", (0, 1): "▀", (1, 0): "▄", (1, 1): " "}
    return [
        "".join(blocks[(int(bool(above)), int(bool(below)))] for above, below in zip(*pair, strict=True))
        for pair in zip(rows[::2], rows[1::2], strict=True)
    ]


class Command(NamedTuple):
    """A key for something in the background of the table (the demo's speed, the next photo), listed
    in footer and palette.

    If `act` returns a `Text`, it is shown to the person who pressed the key. `key`: Textual's name
    of the key (`plus`); `typed`: what is printed on it, and typed in the plain view.
    """

    key: str
    label: Text
    act: Callable[[], object]
    typed: str


class Backstage:
    """Background of a table: here nothing.

    `commands`: its keys. `people`: players whose seats at the demo table a person has taken over;
    the demo then moves the drawn cards as this person chooses.
    """

    commands: Sequence[Command] = ()
    people: Collection[str] = ()

    def tick(self, now: float) -> None:
        """Take the next small step; called as often as the live session's `tick`."""

    def set_paused(self, paused: bool) -> None:
        """Pause or go on."""

    def list_playable_choices(self, _player: str) -> Sequence[Choice]:
        """List what the person at this seat may do now with the cards there."""
        return ()

    def perform_request(self, _request: Request) -> Text | None:
        """Let the demo's players do it; return a message that only this person sees."""
        return None


POSE = 5.0
"""Seconds from asking for a photo of the people until it is taken: enough to join them."""

NO_BACKSTAGE: Final = Backstage()
"""A table without anything in the background."""


def find_no_card() -> None:
    """Return None: there is no card to look at."""


class TableSession(msgspec.Struct, eq=False):
    """Everything that is open while people play.

    `plan`: what people chose. `readers`: report to `post` what is on the table. `picture_of`: the
    camera's newest annotated picture, None without a camera; `labels_of`: the names of its cards;
    `enlarged_of`: the card that it examines most closely; `photograph`: saves a photo of the people
    and returns a message, None without a camera. `virtual_trays`: the simulated trays. `speaker`:
    receives every change. `sharing`: how other screens may join. `messages`: messages for the start
    (there is no voice). `closing`: what to close, the last first. `next_plan`: the game chosen on a
    phone, for which the view is left.
    """

    plan: Plan
    live: LiveSession
    backstage: Backstage = NO_BACKSTAGE
    readers: Sequence[TableReader] = ()
    post: Post = discard_report
    picture_of: PictureSource | None = None
    labels_of: LabelsSource = tuple
    enlarged_of: EnlargedCardSource = find_no_card
    photograph: Callable[[], Text] | None = None
    virtual_trays: VirtualTrays | None = None
    speaker: Speaker | None = None
    sharing: ShareSwitch | None = None
    messages: Sequence[Text] = ()
    closing: ExitStack = msgspec.field(default_factory=ExitStack)
    next_plan: Plan | None = None

    def start_readers(self) -> None:
        """Start all readers."""
        for reader in self.readers:
            reader.start(self.post)

    def plan_next_game(self) -> Plan:
        """Return the plan of another game with the same options and players."""
        snapshot = self.live.snapshot()
        return self.plan.for_next_game(snapshot.setup, snapshot.people.next_players)

    def switch_to_game(self, plan: Plan) -> None:
        """Leave this game for another; a different game starts with its usual deck."""
        # A deck belongs to one game.
        self.next_plan = plan if plan.game == self.live.game.id else plan.with_changes(deck="")

    def close(self) -> None:
        """Stop demo players and readers, write what was learnt, then close recording and
        journal."""
        self.closing.close()
