"""Addresses of network cameras: recognise them, and remove passwords before they are shown or
saved."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

SCHEMES = frozenset({"http", "https", "rtsp"})
_SECRET = ("pass", "pwd", "token", "auth", "key", "user", "usr", "login")
"""Beginnings of query parameters that hold credentials: cameras accept `?usr=..&pwd=..` as often as
`usr:pwd@`."""


def is_address(what: str) -> bool:
    """Check whether a camera setting is an address (of any scheme) and not a device, file or
    folder."""
    return "://" in what


def host(address: str) -> str:
    """Return the host name, the only part of an address that is ever shown; `?` if there is
    none."""
    try:
        return urlsplit(address).hostname or "?"
    except ValueError:
        return "?"


def without_password(what: str) -> str:
    """Return a camera's address without user name and password, safe to save. Any other setting is
    returned unchanged."""
    if not is_address(what):
        return what
    try:
        parts = urlsplit(what)
    except ValueError:
        # Brackets of an IPv6 address do not match: no part of it can be trusted.
        return f"{what.partition('://')[0]}://?"
    asked = [
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if not name.lower().startswith(_SECRET)
    ]
    kept = parts._replace(netloc=parts.netloc.rpartition("@")[2], fragment="")
    # A query is rewritten only if something was removed: `urlencode` might spell the rest
    # differently.
    return urlunsplit(kept if len(asked) == parts.query.count("=") else kept._replace(query=urlencode(asked)))
