"""Addresses of network cameras: recognise them, and remove passwords before they are shown or
saved.

Cameras take credentials wherever their makers liked: `user:password@`, `?-pwd=`, in the path
(`/user=admin_password=...`); and passwords contain any character, `/` and `@` too. So credentials
are not searched for: what is not certainly a host, a plain path or a plain parameter is dropped.
"""

from __future__ import annotations

import re
from typing import Final

SCHEMES = frozenset({"http", "https", "rtsp"})
_HOST: Final = re.compile(r"([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?")
_PATH: Final = re.compile(r"/[A-Za-z0-9./_-]*")
_PARAMETER: Final = re.compile(r"[A-Za-z0-9_]+=[A-Za-z0-9._,-]*")
_SECRET: Final = re.compile(
    "pass|pw|token|auth|key(?!frame)|usr|user|login|account|secret|credential|sign(?!al)|hash|session"
    "|sid(?!e)|(?<!en)(?<!de)code(?!c)|pin",
    re.IGNORECASE,
)
"""Parts of names of parameters and folders that hold credentials, and not those of common harmless
ones (`codec`, `encoder`, `side`, `keyframe`, `signal`)."""
UNKNOWN = "?"


def is_camera_url(text: str) -> bool:
    """Check whether a camera setting is an address (of any scheme) and not a device, file or
    folder."""
    return "://" in text


def find_host(address: str) -> str:
    """Return the host name, the only part of an address that is ever shown; `?` if it is not
    certain which part that is."""
    host, _ = _split_address(address)
    found = _HOST.fullmatch(host)
    return found[1].strip("[]").lower() if found else UNKNOWN


def strip_credentials(text: str) -> str:
    """Return a camera's address without anything that may be a user name or password, safe to
    save. Any other setting is returned unchanged."""
    if not is_camera_url(text):
        return text
    scheme = text.partition("://")[0]
    host, rest = _split_address(text)
    if not _HOST.fullmatch(host):
        return f"{scheme}://{UNKNOWN}"
    path, _, query = rest.partition("#")[0].partition("?")
    if path and (not _PATH.fullmatch(path) or _SECRET.search(path)):
        path, query = "/", ""
    parameters = [
        one
        for one in query.split("&")
        if _PARAMETER.fullmatch(one) and not _SECRET.search(one.partition("=")[0])
    ]
    return f"{scheme}://{host}{path}{'?' if parameters else ''}{'&'.join(parameters)}"


def _split_address(address: str) -> tuple[str, str]:
    """Return the host with its port, and what follows it; no host if it is not certain which part
    that is."""
    rest = address.partition("://")[2]
    before, at, after = rest.rpartition("@")
    first = re.split("[/?#]", before, maxsplit=1)[0]
    # A `/` before the last `@` belongs to a password, or else the `@` to the path.
    if at and first != before and _HOST.fullmatch(first):
        # `admin:12/34@host` may be a password; without a colon nothing before the `/` is one.
        if ":" in first:
            return "", ""
        after = rest
    host = re.split("[/?#]", after, maxsplit=1)[0]
    return host, after[len(host) :]
