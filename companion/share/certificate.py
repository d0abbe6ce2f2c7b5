"""A certificate for one evening: a phone's browser gives its camera only to pages that come by
HTTPS.

It is made anew each time, signed by nobody, and lives in memory and in a private folder for as long
as it takes to load it. What makes it worth trusting is its fingerprint, which the laptop shows and
the browser's warning shows too.
"""

from __future__ import annotations

import datetime
import ipaddress
import ssl
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

VALID = datetime.timedelta(days=2)
"""An evening that goes on after midnight, with a laptop whose clock is some hours off."""


class Certificate(NamedTuple):
    """What a server needs, and the SHA-256 fingerprint in pairs of hexadecimal digits, as browsers
    show it."""

    context: ssl.SSLContext
    fingerprint: str


def make(addresses: Sequence[str], now: datetime.datetime) -> Certificate:
    """Make a certificate for these IP addresses, valid about `now` (with a time zone)."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Card Table Companion")])
    places = [x509.IPAddress(ipaddress.ip_address(address)) for address in addresses]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - VALID / 2)
        .not_valid_after(now + VALID)
        .add_extension(x509.SubjectAlternativeName(places), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    with tempfile.TemporaryDirectory(prefix="card-table-") as folder:  # ssl reads from files only; 0700
        file = Path(folder) / "both.pem"
        file.touch(mode=0o600)
        file.write_bytes(secret + certificate.public_bytes(serialization.Encoding.PEM))
        context.load_cert_chain(file)
    return Certificate(context, certificate.fingerprint(hashes.SHA256()).hex(":").upper())
