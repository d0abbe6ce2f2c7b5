"""Keys and certificates: made by the program for the addresses at which it is found, or given by
people as a PEM file.

A self-signed certificate can be trusted by its fingerprint, which browsers show, and by programs by
a short code for its key (`encode_key_check`).
"""

from __future__ import annotations

import datetime
import hashlib
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

from companion.folders import open_private_file

CERTIFICATE_LIFETIME = datetime.timedelta(days=30)
"""How long a certificate is valid: a holiday during which the evening stays open, with clocks that
are days off. A certificate that expired or was renewed would have to be accepted again on every
phone. Browsers accept up to 398 days."""


def make_identity(
    addresses: Sequence[str], now: datetime.datetime, lifetime: datetime.timedelta = CERTIFICATE_LIFETIME
) -> str:
    """Make a key and its certificate for these IP addresses, valid around `now` (with a time zone);
    return both as PEM."""
    return _sign_certificate(ec.generate_private_key(ec.SECP256R1()), addresses, now, lifetime)


def _sign_certificate(
    key: ec.EllipticCurvePrivateKey,
    addresses: Sequence[str],
    now: datetime.datetime,
    lifetime: datetime.timedelta,
) -> str:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Card Table Companion")])
    places = [x509.IPAddress(ipaddress.ip_address(address)) for address in addresses]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        # Half before now: the clock of a phone may be days behind.
        .not_valid_before(now - min(lifetime, CERTIFICATE_LIFETIME) / 2)
        .not_valid_after(now + lifetime)
        .add_extension(x509.SubjectAlternativeName(places), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return (secret + certificate.public_bytes(serialization.Encoding.PEM)).decode()


def refresh_identity(
    identity: str, addresses: Sequence[str], now: datetime.datetime, lifetime: datetime.timedelta
) -> str:
    """Return `identity` if its certificate names these IP addresses and is valid for another week;
    else its key with a new certificate. Raises `ValueError` if it is not one of ours."""
    key = serialization.load_pem_private_key(identity.encode(), None)
    certificate = x509.load_pem_x509_certificate(identity.encode())
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise ValueError("not a key of ours")
    named = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    known = {str(address) for address in named.get_values_for_type(x509.IPAddress)}
    # A week: an evening must not begin with a certificate that ends during it.
    lasts = certificate.not_valid_after_utc > now + datetime.timedelta(days=7)
    return identity if lasts and known >= set(addresses) else _sign_certificate(key, addresses, now, lifetime)


class Certificate(NamedTuple):
    """A server's certificate.

    `context`: its TLS context. `fingerprint`: SHA-256 in pairs of hexadecimal digits, as browsers
    show it. `names`: the names and addresses that it is for. `key_digest`: SHA-256 of its public
    key.
    """

    context: ssl.SSLContext
    fingerprint: str
    names: tuple[str, ...]
    key_digest: bytes


def load_certificate(identity: str) -> Certificate:
    """Load a key and certificate (PEM, with the chain after the certificate). Raises `ValueError`
    or `ssl.SSLError` if they are not a pair."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    with tempfile.TemporaryDirectory(prefix="card-table-") as folder:  # ssl reads from files only; 0700
        file = Path(folder) / "both.pem"
        with open_private_file(file) as written:
            written.write(identity)
        context.load_cert_chain(file)
    certificate = x509.load_pem_x509_certificate(identity.encode())
    try:
        san = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        names: tuple[str, ...] = ()
    else:
        addresses = map(str, san.get_values_for_type(x509.IPAddress))
        names = (*san.get_values_for_type(x509.DNSName), *addresses)
    return Certificate(
        context,
        certificate.fingerprint(hashes.SHA256()).hex(":").upper(),
        names,
        compute_key_digest(certificate.public_bytes(serialization.Encoding.DER)),
    )


def compute_key_digest(certificate: bytes) -> bytes:
    """Return SHA-256 of the public key in a certificate (DER), which survives its renewal."""
    key = x509.load_der_x509_certificate(certificate).public_key()
    # The usual encoding for pinned keys (RFC 7469, 2.4).
    info = key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return hashlib.sha256(info).digest()


TYPED_LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Characters of codes that people type, without those easily confused when read aloud or typed."""
CHECK_LENGTH = 8


def encode_key_check(key_digest: bytes) -> str:
    """Return eight characters by which a program that is told them recognizes a server's key.

    They hold 40 bits, stretched by scrypt (RFC 7914) at about 0.1 s each: to find a key with the
    same characters takes thousands of years of computing.
    """
    stretched = hashlib.scrypt(
        key_digest, salt=b"card table companion", n=2**15, r=8, p=1, maxmem=2**26, dklen=5
    )
    bits = int.from_bytes(stretched, "big")
    return "".join(TYPED_LETTERS[bits >> 5 * place & 31] for place in reversed(range(CHECK_LENGTH)))
