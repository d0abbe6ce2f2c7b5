"""How browsers and tables recognize the league's server: by the certificate that people gave, or
by one of our own.

Our own key is stored and stays the same, because tables remember it; its certificate is renewed
when it would expire or this computer has another address.
"""

from __future__ import annotations

import datetime
import ssl
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from companion.folders import make_private_folder, user_data_folder
from companion.rules.contract import Problem, Text
from companion.texts import describe_os_error
from companion.user_files import read_limited_bytes, write_file_atomically
from companion.web.addresses import LOOPBACK
from companion.web.certificates import (
    Certificate,
    encode_key_check,
    load_certificate,
    make_identity,
    refresh_identity,
)

LIFETIME = datetime.timedelta(days=397)
"""How long our own certificate is valid: browsers accept up to 398 days, and a club meets for
longer than one evening."""


class ServerIdentity(NamedTuple):
    """Identity of a server. `check`: characters of the key, for the join code, "" if computers
    trust the certificate by themselves."""

    certificate: Certificate
    check: str


def load_given_identity(certificate: Path, key: Path | None) -> ServerIdentity:
    """Load a certificate that people gave (PEM; the key may be in the same file). Raises
    `Problem`."""
    try:
        # The key first: `load_certificate` takes both in one text, in either order. A file may lack
        # its last line's end.
        files = [file for file in (key, certificate) if file is not None]
        text = "\n".join(read_limited_bytes(file).decode("ascii") for file in files)
        return ServerIdentity(load_certificate(text), "")
    except OSError as fault:
        raise Problem(
            "league.bad_certificate", file=str(fault.filename or certificate), reason=describe_os_error(fault)
        ) from None
    except (ValueError, ssl.SSLError):
        raise Problem(
            "league.bad_certificate", file=str(certificate), reason=Text("league.no_pair")
        ) from None


def ensure_own_identity(address: str) -> ServerIdentity:
    """Return the stored identity for this address and this computer itself; it is made if there is
    none. Raises `OSError` if it cannot be stored."""
    file = user_data_folder() / "league-server.pem"
    now, addresses = datetime.datetime.now(datetime.UTC), sorted({address, LOOPBACK})
    stored = identity = ""
    # An unreadable file is replaced; the tables then have to join again, and are told so.
    with suppress(OSError, ValueError):
        stored = file.read_text(encoding="ascii")
        identity = refresh_identity(stored, addresses, now, LIFETIME)
    if not identity:
        identity = make_identity(addresses, now, LIFETIME)
    if identity != stored:
        make_private_folder(file.parent)
        write_file_atomically(file, identity, is_private=True)
    certificate = load_certificate(identity)
    return ServerIdentity(certificate, encode_key_check(certificate.key_digest))
