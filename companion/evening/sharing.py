"""Sharing with phones, tablets, televisions and streaming programs: opened when asked for, closed
with the command that asked."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from companion.live.live import Live
from companion.plan import CannotBegin
from companion.rules.contract import Text
from companion.texts import Translator
from companion.typed_lines import listening
from companion.views.invitation import Invitation, Invite, SharingControl, qr

if TYPE_CHECKING:
    from companion.readers.camera.sources import Phone, Source
    from companion.readers.nfc.phone import PhonePads
    from companion.share.running import Share

HERE, NETWORK = "here", "network"
PLACES = (HERE, NETWORK)
"""What `--share` may say: browsers of this machine only (streaming programs, a second screen), or
those of the local network."""
LOOK = 0.2
"""Seconds between two looks whether the phone sends."""


@contextmanager
def opened(
    where: str,
    say: Translator,
    *,
    live: Live | None = None,
    camera: Phone | None = None,
    pads: PhonePads | None = None,
) -> Iterator[Share]:
    """Open the server for as long as the block lasts; its pages follow the table, if there is one,
    and phones are devices of ours.

    Raises `CannotBegin` when there is no such network or it does not start.
    """
    from companion.share import address  # noqa: PLC0415 - who does not share does not even load the server
    from companion.share.running import NotStarted, Share  # noqa: PLC0415

    try:
        place = address.network() if where == NETWORK else address.here()
    except OSError as fault:
        raise CannotBegin(Text("share.no_network", {"why": fault.strerror or str(fault)})) from fault
    share = Share(place, say, live=live, camera=camera, pads=pads)
    with ExitStack() as ending:
        ending.callback(share.close)
        try:
            share.start()
        except NotStarted as fault:
            raise CannotBegin(Text("share.not_started")) from fault
        if live is not None:
            # Ends before the server does: a stack is undone backwards.
            ending.callback(live.subscribe(share.show))
            share.show(live.snapshot())
        yield share


class ShareSwitch(AbstractContextManager["ShareSwitch"]):
    """Sharing that begins and ends at any moment, with the block at the latest. `live`: the table,
    if there is one."""

    def __init__(
        self, say: Translator, *, live: Live | None = None, camera: Phone | None, pads: PhonePads | None
    ) -> None:
        self._share: Share | None = None
        self._live, self._say, self._camera, self._pads = live, say, camera, pads
        self._open = ExitStack()

    def open(self, *, network: bool) -> Invitation:
        """Begin; raises `CannotBegin`."""
        self.end()
        where = NETWORK if network else HERE
        server = opened(where, self._say, live=self._live, camera=self._camera, pads=self._pads)
        self._share = self._open.enter_context(server)
        return self._invitation(self._share)

    @property
    def invitation(self) -> Invitation | None:
        """What can be joined, everybody by the names that they have now; None while nothing is
        shared."""
        return None if self._share is None else self._invitation(self._share)

    def _invitation(self, share: Share) -> Invitation:
        if self._live is None:
            return invitation(share, self._say)
        people = self._live.snapshot().people
        return invitation(share, self._say.calling(people.shown), people.seats)

    def end(self) -> None:
        """Close every page and make every link void."""
        self._open.close()
        self._share = None

    def __exit__(self, *_error: object) -> None:
        """End with the evening."""
        self.end()


@contextmanager
def joined(
    source: Source | None, say: Translator, where: str, *, pads: PhonePads | None = None
) -> Iterator[SharingControl | None]:
    """Let a phone be the camera or the reader of a command that has no table; the code is shown,
    and the camera waited for.

    Gives None, and opens nothing, where neither is a phone. Raises `CannotBegin` as `opened` does.
    """
    camera = phone_of(source)
    if camera is None and pads is None:
        yield None
        return
    with ShareSwitch(say, camera=camera, pads=pads) as sharing:
        tell(sharing.open(network=where == NETWORK))
        if camera is not None:
            wait_for(camera, say)
        yield sharing


def phone_of(source: Source | None) -> Phone | None:
    """Return the phone, where the source of pictures is one."""
    if source is None:
        return None
    from companion.readers.camera.sources import Phone  # noqa: PLC0415 - OpenCV is loaded with the first camera, not before

    return source if isinstance(source, Phone) else None


def invitation(share: Share, say: Translator, players: Sequence[str] | None = None) -> Invitation:
    """Put into words what can be joined; `players`: whose seats phones may take at a table that can
    be watched; None: there is none."""
    from companion.share.access import CAMERA, PAD, Purpose  # noqa: PLC0415 - as above

    invites = [] if share.camera is None else [Invite(say("share.camera"), share.link(CAMERA))]
    if players is None and share.pads is not None:
        invites.append(Invite(say("share.pad"), share.link(PAD)))
    if players is not None:
        invites += [
            Invite(say("share.watch"), share.link()),
            Invite(say("share.stream"), share.link(page="stream")),
        ]
    invites += [
        Invite(say("share.seat", player=say.name(player)), share.link(Purpose("seat", player)))
        for player in players or ()
    ]
    reach = "share.reach_network" if share.place.secure else "share.reach_here"
    remarks = [say(reach, address=share.place.address)]
    if share.place.secure:
        remarks.append(say("share.fingerprint", fingerprint=share.fingerprint))
    return Invitation(tuple(invites), tuple(remarks))


def tell(shown: Invitation) -> None:
    """Show the first code in the terminal, with what there is to know about it."""
    first = shown.invites[0]
    for line in (*shown.remarks, "", first.words, *qr(first.link), first.link, ""):
        print(line, flush=True)


def wait_for(phone: Phone, say: Translator) -> None:
    """Wait until the phone sends a picture, or Enter is pressed to go on without."""
    if not sys.stdin.isatty():
        return
    print(say("share.waiting"), flush=True)
    with listening() as lines, suppress(EOFError):
        while not phone.there and lines.next(LOOK) is None:
            pass
