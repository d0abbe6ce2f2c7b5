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
from companion.typed_lines import listening
from companion.views.evening import Evening, Invitation, ShareSwitch, qr

if TYPE_CHECKING:
    from companion.readers.camera.sources import Phone, Source
    from companion.readers.nfc.pads import PhonePads

HERE, NETWORK = "here", "network"
PLACES = (HERE, NETWORK)
"""Values of `--share`: browsers on this machine only (streaming programs, a second screen), or
those in the local network."""
LOOK = 0.2
"""Seconds between two checks whether the phone sends pictures."""


def sharing_of(
    say: Translator,
    *,
    evening: Evening | None = None,
    camera: Phone | None = None,
    pads: PhonePads | None = None,
) -> ShareSwitch:
    """Return the switch that shares the table (if there is one) and lets phones be our devices.
    Opening it may raise `CannotBegin`."""
    return ShareSwitch(lambda network: share.running.opened(network, say, evening, camera, pads))


@contextmanager
def joined(
    source: Source | None, say: Translator, where: str, *, pads: PhonePads | None = None
) -> Iterator[ShareSwitch | None]:
    """Let a phone be the camera or reader of a command without a table: show the code to scan, and
    wait for the camera.

    Yields None and opens nothing if neither is a phone. May raise `CannotBegin`.
    """
    camera = phone_of(source)
    if camera is None and pads is None:
        yield None
        return
    with closing(sharing_of(say, camera=camera, pads=pads)) as sharing:
        tell(sharing.open(network=where == NETWORK))
        if camera is not None:
            wait_for(camera, say)
        yield sharing


def phone_of(source: Source | None) -> Phone | None:
    """Return the source if it is a phone, else None."""
    if source is None:
        return None
    return source if isinstance(source, cameras.sources.Phone) else None


def phones_at(evening: Evening) -> tuple[Phone | None, PhonePads | None]:
    """Return the phone that is to be a camera, and the phones that read stickers."""
    sources = (getattr(one, "source", None) for one in evening.readers)
    boards = evening.readers if evening.plan.readers else ()  # without readers their libraries are not loaded
    return (
        next((phone for one in sources if (phone := phone_of(one))), None),
        next((one for one in boards if isinstance(one, nfc.pads.PhonePads)), None),
    )


def tell(shown: Invitation) -> None:
    """Print the first QR code in the terminal, with remarks about it."""
    first, width = shown.invites[0], shutil.get_terminal_size().columns
    # Between words: a fingerprint is compared pair for pair.
    remarks = [wrap(one, width, break_on_hyphens=False, break_long_words=False) for one in shown.remarks]
    for line in (*chain(*remarks), "", first.words, *qr(first.link), first.link, ""):
        print(line, flush=True)


def wait_for(phone: Phone, say: Translator) -> None:
    """Wait until the phone sends a picture, or Enter is pressed to go on without."""
    # Without a terminal nobody could press Enter.
    if not sys.stdin.isatty():
        return
    print(say("share.waiting"), flush=True)
    with listening() as lines, suppress(EOFError):
        while not phone.there and lines.next(LOOK) is None:
            pass
