"""Tables recognize the league's server by its key, before they send the code."""

import contextlib
import datetime
import os
import ssl

import pytest
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from companion.league import chain, server_identity
from companion.league.club import open_club
from companion.league.membership import Membership
from companion.league.protocol import JoinCode, RefusedByServer, ServerUnreachable, TableConnection
from companion.league.server import LeagueServer
from companion.league.server_identity import ensure_own_identity, load_given_identity
from companion.rules.contract import Problem
from companion.web.certificates import make_identity, refresh_identity
from tests.league.tables import served

NOW = datetime.datetime.now(datetime.UTC)


@pytest.fixture
def league(database):
    with contextlib.closing(LeagueServer(database, open_club(database))) as server:
        yield server


def refusal(line, code):
    with contextlib.closing(line), pytest.raises(RefusedByServer) as fault:
        line.join_club(code, "One")
    return fault.value.text.code


def test_a_table_joins_by_the_whole_code_and_knows_the_server_again(league):
    own = ensure_own_identity("127.0.0.1")
    with served(league.app, identity=own) as url:
        typed = JoinCode.from_text(f" {JoinCode(league.club.code, own.check)} ".lower())
        assert typed == (league.club.code, own.check)
        with contextlib.closing(TableConnection(url, chain.generate_key(), check=typed.check)) as line:
            joined = line.join_club(typed.code, "One")
            member = Membership(
                url,
                joined.club.hex,
                "Club",
                "One",
                line._key.private_bytes_raw().hex(),
                0.0,
                line.server_key.hex(),
            )
        assert line.server_key == own.certificate.key_digest
    # the certificate is renewed, the key stays
    later = NOW + server_identity.LIFETIME
    renewed = refresh_identity(
        (server_identity.user_data_folder() / "league-server.pem").read_text(),
        ["127.0.0.1"],
        later,
        server_identity.LIFETIME,
    )
    again = server_identity.ServerIdentity(server_identity.load_certificate(renewed), own.check)
    assert again.certificate.fingerprint != own.certificate.fingerprint
    with (
        served(league.app, port=int(url.rpartition(":")[2]), identity=again),
        contextlib.closing(TableConnection.from_membership(member)) as line,
    ):
        line.leave_club()
    # another server at the same address gets nothing
    other = server_identity.ServerIdentity(
        server_identity.load_certificate(make_identity(["127.0.0.1"], NOW)), ""
    )
    with served(league.app, port=int(url.rpartition(":")[2]), identity=other):
        assert refusal(TableConnection.from_membership(member), league.club.code) == "league.other_server"
        assert (
            refusal(TableConnection(url, chain.generate_key(), check=own.check), league.club.code)
            == "league.other_server"
        )
        # and without the rest of the code nobody is trusted
        assert (
            refusal(TableConnection(url, chain.generate_key()), league.club.code)
            == "league.unknown_certificate"
        )
    assert not league.attempts.seconds_to_wait("127.0.0.1")


def test_nothing_older_than_tls_1_2_and_no_plain_text_is_spoken(league):
    own = ensure_own_identity("127.0.0.1")
    with served(league.app, identity=own) as url:
        line = TableConnection(url.replace("https", "http"), chain.generate_key())
        with contextlib.closing(line), pytest.raises(ServerUnreachable):
            line.join_club(league.club.code, "One")
    assert own.certificate.context.minimum_version == ssl.TLSVersion.TLSv1_2


def test_our_own_key_is_kept_for_its_owner_alone_and_made_for_new_addresses():
    first, second = ensure_own_identity("192.0.2.1"), ensure_own_identity("192.0.2.1")
    assert first.certificate.fingerprint == second.certificate.fingerprint
    moved = ensure_own_identity("192.0.2.2")
    assert moved.certificate.fingerprint != first.certificate.fingerprint
    assert moved.check == first.check
    assert "192.0.2.2" in moved.certificate.names
    assert (server_identity.user_data_folder() / "league-server.pem").stat().st_mode & 0o077 == 0


def test_a_given_certificate_is_used_and_a_wrong_file_explained(tmp_path):
    identity = make_identity(["192.0.2.7"], NOW)
    (tmp_path / "both.pem").write_text(identity)
    assert load_given_identity(tmp_path / "both.pem", None).certificate.names == ("192.0.2.7",)
    secret = load_pem_private_key(identity.encode(), None).private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
    )
    (tmp_path / "key.pem").write_bytes(secret)
    (tmp_path / "cert.pem").write_text(identity[identity.index("-----BEGIN CERT") :])
    assert load_given_identity(tmp_path / "cert.pem", tmp_path / "key.pem").check == ""
    (tmp_path / "other.pem").write_text(make_identity(["192.0.2.7"], NOW).partition("-----BEGIN CERT")[0])
    os.mkfifo(tmp_path / "pipe.pem")
    (tmp_path / "huge.pem").write_bytes(b"-" * 1_000_001)
    for name, code in (("pipe.pem", "file.no_file"), ("huge.pem", "file.too_large")):
        with pytest.raises(Problem) as fault:
            load_given_identity(tmp_path / name, None)
        assert fault.value.text.code == code, "nothing is waited for or read without end"
    for certificate, key in (
        ("cert.pem", None),
        ("cert.pem", "other.pem"),
        ("key.pem", None),
        ("none.pem", None),
    ):
        with pytest.raises(Problem) as fault:
            load_given_identity(tmp_path / certificate, key and tmp_path / key)
        assert fault.value.text.code == "league.bad_certificate"
