"""Links and passes."""

from companion.share.access_tokens import (
    CAMERA,
    MAX_SESSION_TOKENS,
    TOKEN_BYTES,
    WATCH,
    AccessTokens,
    Purpose,
)

ANN = Purpose("seat", "Ann")


def test_a_link_gives_a_pass_for_its_purpose_and_nothing_else_does() -> None:
    tokens = AccessTokens()
    given, purpose = tokens.redeem_invite(tokens.ensure_invite_token(ANN))
    assert purpose == ANN
    assert tokens.find_purpose(given) == ANN
    assert tokens.redeem_invite("") is None
    assert tokens.redeem_invite(given) is None
    assert tokens.find_purpose(tokens.ensure_invite_token(ANN)) is None
    assert tokens.find_purpose("café\ud800") is None


def test_links_and_passes_cannot_be_guessed() -> None:
    tokens = AccessTokens()
    links = {
        tokens.ensure_invite_token(WATCH),
        tokens.ensure_invite_token(CAMERA),
        tokens.ensure_invite_token(ANN),
    }
    passes = {tokens.redeem_invite(tokens.ensure_invite_token(WATCH))[0] for _ in range(50)}
    assert len(links) == 3
    assert len(passes) == 50
    assert all(len(key) >= TOKEN_BYTES * 8 // 6 for key in links | passes)


def test_many_may_watch_but_a_seat_is_on_one_phone() -> None:
    tokens = AccessTokens()
    first, _ = tokens.redeem_invite(tokens.ensure_invite_token(WATCH))
    tokens.redeem_invite(tokens.ensure_invite_token(WATCH))
    assert tokens.find_purpose(first) == WATCH
    old, _ = tokens.redeem_invite(tokens.ensure_invite_token(ANN))
    new, _ = tokens.redeem_invite(tokens.ensure_invite_token(ANN))
    assert tokens.find_purpose(old) is None
    assert tokens.find_purpose(new) == ANN


def test_a_renewed_link_closes_the_old_one_and_its_passes() -> None:
    tokens = AccessTokens()
    old = tokens.ensure_invite_token(CAMERA)
    given, _ = tokens.redeem_invite(old)
    ticket, another = tokens.make_ticket(CAMERA), tokens.make_ticket(WATCH)
    assert tokens.renew_invite(CAMERA) != old
    assert tokens.redeem_invite(old) is None
    assert tokens.redeem_invite(ticket) is None
    assert tokens.find_purpose(given) is None
    assert tokens.redeem_invite(another)[1] == WATCH


def test_passes_do_not_grow_without_end() -> None:
    tokens = AccessTokens()
    first, _ = tokens.redeem_invite(tokens.ensure_invite_token(WATCH))
    for _ in range(MAX_SESSION_TOKENS):
        tokens.redeem_invite(tokens.ensure_invite_token(WATCH))
    assert tokens.find_purpose(first) is None
