"""The league that this laptop's table has joined, as its settings remember it."""

from __future__ import annotations

import msgspec

from companion import settings as saved_settings
from companion.rules.contract import Problem

NAME = "league"
"""The key in the settings file."""


class Membership(msgspec.Struct, frozen=True):
    """What a table needs to send to its league.

    `club`: its id, `key`: the table's own, both hexadecimal; `table`: the table's name in the
    league. `since`: seconds since 1970; evenings that began earlier are not sent. `server_key`:
    SHA-256 of the server's public key, hexadecimal, "" for a server without a certificate of its
    own.
    """

    url: str
    club: str
    club_name: str
    table: str
    key: str
    since: float
    server_key: str = ""


def load_membership() -> Membership | None:
    """Return the table's membership, if any. Raises `Problem` if the settings were changed so that
    it cannot be used."""
    try:
        return saved_settings.load_settings().read_plug_in(NAME, Membership)
    except msgspec.ValidationError as fault:
        raise Problem("league.bad_membership") from fault


def save_membership(membership: Membership | None) -> None:
    """Save the table's membership; None: it has left. Raises `Problem` if it cannot be saved."""
    saved_settings.change_settings(lambda before: before.with_plug_in(NAME, membership))
