"""Sharing the evening with phones, tablets, televisions and streaming programs: opened when asked for, closed with the evening."""

from __future__ import annotations

import select
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from companion.evening.plan import CannotBegin
from companion.live.live import Live
from companion.readers.camera.phone import Phone
from companion.rules.contract import Text
from companion.texts import Translator
from companion.views.invitation import Invitation, Invite, qr

if TYPE_CHECKING:
    from companion.share.running import Share

HERE, NETWORK = "here", "network"
PLACES = (HERE, NETWORK)
"""What `--share` may say: browsers of this machine only (streaming programs, a second screen), or those of the local network."""
LOOK = 0.2
"""Seconds between two looks whether the phone sends."""


@contextmanager
def opened(where: str, live: Live, say: Translator, phone: Phone | None) -> Iterator[Share]:
    """Open the server for as long as the block lasts; its pages follow the table.

    Raises `CannotBegin` when there is no such network or it does not start.
    """
    from companion.share import address  # noqa: PLC0415 - who does not share does not even load the server
    from companion.share.running import NotStarted, Share  # noqa: PLC0415

    try:
        place = address.network() if where == NETWORK else address.here()
    except OSError as fault:
        raise CannotBegin(Text("share.no_network", {"why": fault.strerror or str(fault)})) from fault
    take, left = (None, _nothing) if phone is None else (phone.take, phone.leave)
    share = Share(place, say, live=live, take_picture=take, phone_left=left)
    try:
        share.start()
        live.subscribe(share.show)
        share.show(live.snapshot())
        yield share
    except NotStarted as fault:
        raise CannotBegin(Text("share.not_started")) from fault
    finally:
        share.close()


def invitation(share: Share, say: Translator, players: Sequence[str], *, camera: bool) -> Invitation:
    """Put into words what can be joined; `players`: whose seats phones may take."""
    from companion.share.access import Purpose  # noqa: PLC0415 - as above

    invites = [
        Invite(say("share.watch"), share.link()),
        Invite(say("share.stream"), share.link(page="stream")),
    ]
    invites += [
        Invite(say("share.seat", player=player), share.link(Purpose("seat", player))) for player in players
    ]
    if camera:
        invites.insert(0, Invite(say("share.camera"), share.camera_link))
    reach = "share.reach_network" if share.place.secure else "share.reach_here"
    remarks = [say(reach, address=share.place.address)]
    if share.place.secure:
        remarks.append(say("share.fingerprint", fingerprint=share.fingerprint))
    return Invitation(tuple(invites), tuple(remarks))


def wait_for_phone(share: Share, phone: Phone, say: Translator) -> None:
    """Show the camera's code in the terminal until the phone sends a picture, or Enter is pressed to go on without."""
    shown = invitation(share, say, (), camera=True)
    for line in (*shown.remarks, "", shown.invites[0].words, *qr(share.camera_link), share.camera_link, ""):
        print(line)
    if not sys.stdin.isatty():
        return
    print(say("share.waiting"), flush=True)
    while not phone.there:
        if select.select([sys.stdin], [], [], LOOK)[0]:
            sys.stdin.readline()
            return


def _nothing() -> None:
    """There is no camera that could be left."""
