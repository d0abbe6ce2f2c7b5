"""The chain is what league-facts says, byte by byte; nothing of it can be changed unseen."""

import hashlib
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.journal import schema
from companion.league import chain
from companion.league.chain import ChainedEntry, ChainedSession

CLUB = UUID(int=7)
KEY = chain.generate_key()
SESSION = ChainedSession.from_head(1_700_000_000.123456, "dtc", b'{"game":"dtc"}')
ENTRIES = [ChainedEntry(1_700_000_001_000_000 + at, "act", at, 2, b"{%d}" % at) for at in range(5)]


def test_it_is_made_of_these_bytes():
    first = SESSION.compute_genesis(CLUB, chain.encode_public_key(KEY))
    told = (
        CLUB.bytes
        + chain.encode_public_key(KEY)
        + SESSION.session.bytes
        + (1_700_000_000_123456).to_bytes(8, "big")
    )
    told += len(SESSION.setup).to_bytes(4, "big") + SESSION.setup
    assert first == hashlib.sha256(b"companion-league/1 session\0" + told).digest()
    one = (0).to_bytes(4, "big") + ENTRIES[0].written.to_bytes(8, "big") + b"\x03act" + bytes(4) + b"\0\2"
    one += (3).to_bytes(4, "big") + b"{0}"
    second = hashlib.sha256(b"companion-league/1 entry\0" + first + one).digest()
    assert chain.compute_digests(first, 0, ENTRIES[:1]) == [second]
    head = CLUB.bytes + SESSION.session.bytes + (1).to_bytes(4, "big") + second
    assert chain.build_signed_head(CLUB, SESSION.session, 1, second) == b"companion-league/1 head\0" + head


@given(cut=st.integers(0, 5))
def test_it_may_be_told_in_parts(cut):
    whole = chain.compute_digests(bytes(32), 0, ENTRIES)
    parts = chain.compute_digests(bytes(32), 0, ENTRIES[:cut])
    assert parts + chain.compute_digests([bytes(32), *whole][cut], cut, ENTRIES[cut:]) == whole


@pytest.mark.parametrize("field", ["written", "kind", "at", "format", "acts"])
def test_any_change_of_an_entry_changes_all_after_it(field):
    other = {"written": 1, "kind": "undo", "at": 9, "format": 1, "acts": b"{9}"}[field]
    lied = [ENTRIES[0], msgspec.structs.replace(ENTRIES[1], **{field: other}), *ENTRIES[2:]]
    true, false = (chain.compute_digests(bytes(32), 0, told) for told in (ENTRIES, lied))
    assert [one == two for one, two in zip(true, false, strict=True)] == [True, False, False, False, False]


def test_it_is_one_clubs_one_tables_one_sessions():
    other = ChainedSession.from_head(1_700_000_000.123457, "dtc", SESSION.setup)
    places = [(one, club, key) for one in (SESSION, other) for club in (CLUB, UUID(int=8)) for key in "ab"]
    firsts = {one.compute_genesis(club, key.encode() * 32) for one, club, key in places}
    assert len(firsts) == 8
    signature = KEY.sign(chain.build_signed_head(CLUB, SESSION.session, 3, bytes(32)))
    assert chain.verify_signature(
        chain.encode_public_key(KEY), signature, chain.build_signed_head(CLUB, SESSION.session, 3, bytes(32))
    )
    for lie in (
        chain.build_signed_head(CLUB, SESSION.session, 4, bytes(32)),
        chain.build_signed_head(UUID(int=8), SESSION.session, 3, bytes(32)),
        chain.build_signed_head(CLUB, other.session, 3, bytes(32)),
    ):
        assert not chain.verify_signature(chain.encode_public_key(KEY), signature, lie)


@given(begun=st.floats(0, 4e9), setup=st.binary(max_size=30))
def test_a_session_has_the_id_that_follows_from_it_and_no_other(begun, setup):
    one = ChainedSession.from_head(begun, "dtc", setup)
    assert one.session == schema.compute_session_id("dtc", setup, begun)
    assert one.has_valid_id
    for lie in ({"setup": setup + b" "}, {"begun": one.begun + 5}, {"game": "ascend"}):
        assert not msgspec.structs.replace(one, **lie).has_valid_id
