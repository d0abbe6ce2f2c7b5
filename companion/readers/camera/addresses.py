"""Addresses of network cameras: recognise them, and remove passwords before they are shown or
saved."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

SCHEMES = frozenset({"http", "https", "rtsp"})
_SECRET = ("pass", "pwd", "token", "auth", "key", "user", "usr", "login")
"""Beginnings of query parameters that hold credentials: cameras accept `?usr=..&pwd=..` as often as
`usr:pwd@`."""


def is_camera_url(text: str) -> bool:
    """Check whether a camera setting is an address (of any scheme) and not a device, file or
    folder."""
    return "://" in text


def find_host(address: str) -> str:
    """Return the host name, the only part of an address that is ever shown; `?` if there is
    none."""
    try:
        return urlsplit(address).hostname or "?"
    except ValueError:
        return "?"


def strip_credentials(text: str) -> str:
    """Return a camera's address without user name and password, safe to save. Any other setting is
    returned unchanged."""
    if not is_camera_url(text):
        return text
    try:
        parts = urlsplit(text)
    except ValueError:
        # Brackets of an IPv6 address do not match: no part of it can be trusted.
        return f"{text.partition('://')[0]}://?"
    query = [
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if not name.lower().startswith(_SECRET)
    ]
    cleaned = parts._replace(netloc=parts.netloc.rpartition("@")[2], fragment="")
    # A query is rewritten only if something was removed: `urlencode` might spell the rest
    # differently.
    return urlunsplit(
        cleaned if len(query) == parts.query.count("=") else cleaned._replace(query=urlencode(query))
    )
