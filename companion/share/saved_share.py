"""How pages return to the same evening after a crash, or to the next game: its address,
certificate, links and passes are stored until it ends, in a file that only its owner can read."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

import msgspec

from companion.folders import user_data_folder
from companion.live.live_session import LiveSession
from companion.share.access_tokens import SavedAccessTokens
from companion.web.certificates import CERTIFICATE_LIFETIME


class SavedShare(msgspec.Struct, frozen=True):
    """Data with which pages return to the same evening after a crash: the address, the server's
    identity (PEM, "" for HTTP), links and passes."""

    root: str
    identity: str
    doors: SavedAccessTokens


def find_state_file(live: LiveSession | None) -> Path | None:
    """Return the file that stores how to return to this evening; None without a journal, since
    after a crash it would be another evening."""
    evening = None if live is None or live.journal.path is None else live.journal.read_current_session()
    return None if evening is None else user_data_folder() / "share" / f"{evening.id}.json"


HANDOVER_FILE = "next.json"
"""File name for what one game hands over to the next; its seats are names of people."""
HANDOVER_SECONDS = 3600.0
"""Seconds for which that file is valid: a form may be filled in between."""


def load_handed_over(file: Path | None, live: LiveSession | None) -> SavedShare | None:
    """Return what the previous game handed over, with each person's link and pass moved to the seat
    that they have now; those who do not play are not admitted."""
    if file is None or live is None:
        return None
    passed = file.with_name(HANDOVER_FILE)
    kept = (
        load_saved_share(passed)
        if passed.exists() and time.time() - passed.stat().st_mtime < HANDOVER_SECONDS
        else None
    )
    passed.unlink(missing_ok=True)
    # People may sit elsewhere in the next game, so what is handed over names people, not seats.
    seats = {name: seat for seat, name in live.snapshot().people.real_names.items()}
    return kept and msgspec.structs.replace(kept, doors=kept.doors.with_seats_renamed(seats))


def load_saved_share(file: Path | None) -> SavedShare | None:
    """Return what an evening that did not end has left; None if there is nothing. Files of any
    evening that are too old are deleted."""
    if file is None:
        return None
    with suppress(OSError):
        # These files hold valid passes and a private key, so none may lie around longer than
        # needed.
        for one in file.parent.iterdir():
            if time.time() - one.stat().st_mtime > (CERTIFICATE_LIFETIME / 2).total_seconds():
                one.unlink()
    with suppress(OSError, msgspec.MsgspecError):
        return msgspec.json.decode(file.read_bytes(), type=SavedShare)
    return None
