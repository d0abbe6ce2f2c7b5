"""Addresses of cameras in the network: which there are, and what of one may be shown and kept. A
password never is."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

SCHEMES = frozenset({"http", "https", "rtsp"})
_SECRET = ("pass", "pwd", "token", "auth", "key", "user", "usr", "login")
"""Beginnings of the words by which cameras ask in an address who looks: `?usr=..&pwd=..` is usual
beside `usr:pwd@`."""


def is_address(what: str) -> bool:
    """Tell whether it is a camera's address, of whatever scheme, and no device, file or folder."""
    return "://" in what


def host(address: str) -> str:
    """Return the host's name, all that is shown of an address; `?` where it has none."""
    try:
        return urlsplit(address).hostname or "?"
    except ValueError:
        return "?"


def without_password(what: str) -> str:
    """Return a camera's address as it may be kept: without the name and password of who looks. What
    is no address stays as it is."""
    if not is_address(what):
        return what
    try:
        parts = urlsplit(what)
    except ValueError:  # brackets of an IPv6 address that do not match: nothing of it is sure
        return f"{what.partition('://')[0]}://?"
    asked = [
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if not name.lower().startswith(_SECRET)
    ]
    kept = parts._replace(netloc=parts.netloc.rpartition("@")[2], fragment="")
    return urlunsplit(kept if len(asked) == parts.query.count("=") else kept._replace(query=urlencode(asked)))
