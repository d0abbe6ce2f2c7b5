"""Share the table with phones, tablets, televisions and streaming programs: opened on request,
closed with the command that opened it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from itertools import chain
from textwrap import wrap
from typing import TYPE_CHECKING

from companion import share
from companion.readers import camera as cameras
from companion.readers import nfc
from companion.texts import Translator
from companion.typed_lines import open_typed_lines
from companion.views.table_session import Invitation, ShareSwitch, TableSession, draw_qr_code

if TYPE_CHECKING:
    from companion.readers.camera.sources import PhoneCamera, Source
    from companion.readers.nfc.tag_pads import PhonePads

HERE, NETWORK = "here", "network"
PLACES = (HERE, NETWORK)
"""Values of `--share`: browsers on this machine only (streaming programs, a second screen), or
those in the local network."""
POLL_INTERVAL = 0.2
"""Seconds between two checks whether the phone sends pictures."""


def make_share_switch(
    translator: Translator,
    *,
    session: TableSession | None = None,
    camera: PhoneCamera | None = None,
    pads: PhonePads | None = None,
) -> ShareSwitch:
    """Return the switch that shares the table (if there is one) and lets phones be our devices.
    Opening it may raise `CannotBegin`."""
    return ShareSwitch(
        lambda network: share.share_server.open_share(network, translator, session, camera, pads)
    )


@contextmanager
def connect_phone(
    source: Source | None, translator: Translator, place: str, *, pads: PhonePads | None = None
) -> Iterator[ShareSwitch | None]:
    """Let a phone be the camera or reader of a command without a table: show the code to scan, and
    wait for the camera.

    Yields None and opens nothing if neither is a phone. May raise `CannotBegin`.
    """
    camera = as_phone(source)
    if camera is None and pads is None:
        yield None
        return
    with closing(make_share_switch(translator, camera=camera, pads=pads)) as sharing:
        print_invitation(sharing.start_sharing(network=place == NETWORK))
        if camera is not None:
            wait_for_phone(camera, translator)
        yield sharing


def as_phone(source: Source | None) -> PhoneCamera | None:
    """Return the source if it is a phone, else None."""
    if source is None:
        return None
    return source if isinstance(source, cameras.sources.PhoneCamera) else None


def find_phones(session: TableSession) -> tuple[PhoneCamera | None, PhonePads | None]:
    """Return the phone that is to be a camera, and the phones that read stickers."""
    sources = (getattr(one, "source", None) for one in session.readers)
    boards = session.readers if session.plan.readers else ()  # without readers their libraries are not loaded
    return (
        next((phone for one in sources if (phone := as_phone(one))), None),
        next((one for one in boards if isinstance(one, nfc.tag_pads.PhonePads)), None),
    )


def print_invitation(invitation: Invitation) -> None:
    """Print the first QR code in the terminal, with remarks about it."""
    first, width = invitation.invites[0], shutil.get_terminal_size().columns
    # Between words: a fingerprint is compared pair for pair.
    paragraphs = [
        wrap(one, width, break_on_hyphens=False, break_long_words=False) for one in invitation.remarks
    ]
    for line in (*chain(*paragraphs), "", first.words, *draw_qr_code(first.link), first.link, ""):
        print(line, flush=True)


def wait_for_phone(phone: PhoneCamera, translator: Translator) -> None:
    """Wait until the phone sends a picture, or Enter is pressed to go on without."""
    # Without a terminal nobody could press Enter.
    if not sys.stdin.isatty():
        return
    print(translator("share.waiting"), flush=True)
    with open_typed_lines() as lines, suppress(EOFError):
        while not phone.is_sending and lines.next_line(POLL_INTERVAL) is None:
            pass
