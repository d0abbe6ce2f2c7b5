"""How people join with their devices: links as QR codes, in terminal and dashboard alike."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import msgspec


class Invite(NamedTuple):
    """One link: what it is for, in words, and the link."""

    words: str
    link: str


class Invitation(msgspec.Struct, frozen=True):
    """Everything that can be joined, and what there is to know about it (who gets in, the
    certificate's fingerprint, how to end it)."""

    invites: tuple[Invite, ...]
    remarks: tuple[str, ...] = ()


class SharingControl(Protocol):
    """What a screen may do about sharing the table: begin and end it."""

    @property
    def invitation(self) -> Invitation | None:
        """What can be joined; None while nothing is shared."""

    def open(self, *, network: bool) -> Invitation:
        """Begin, for browsers of this computer or of the local network. Raises `Problem`."""

    def end(self) -> None:
        """Close every page and make every link void."""


def qr(link: str) -> list[str]:
    """Return the link as a QR code in half blocks, light modules drawn: it is read from screens
    that are dark and from light ones."""
    import segno  # noqa: PLC0415 - only who shares pays for it

    rows = [list(row) for row in segno.make(link, error="m", micro=False).matrix_iter(border=3)]
    if len(rows) % 2:
        rows.append([1] * len(rows[0]))
    blocks = {(0, 0): "█", (0, 1): "▀", (1, 0): "▄", (1, 1): " "}
    return [
        "".join(blocks[(int(bool(above)), int(bool(below)))] for above, below in zip(*pair, strict=True))
        for pair in zip(rows[::2], rows[1::2], strict=True)
    ]
