"""Links and passes."""

import pytest

from companion.share.access_tokens import (
    CAMERA,
    JOIN,
    MAX_SESSION_TOKENS,
    TOKEN_BYTES,
    WATCH,
    AccessTokens,
    CloseCode,
    Purpose,
    SavedAccessTokens,
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


class Clock:
    """Time that passes when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("companion.share.access_tokens.time", clock)
    return clock


def test_letters_to_type_are_four_that_form_no_word_and_differ() -> None:
    tokens = AccessTokens()
    codes = [tokens.make_waiting_code() for _ in range(200)]
    assert {len(code) for code in codes} == {4}
    assert {*"".join(codes)} == {*"BCDFGHJKLMNPQRSTVWXZ"}
    code = tokens.ensure_join_code(ANN)
    assert tokens.ensure_join_code(ANN) == code
    assert tokens.ensure_join_code(JOIN) != code
    assert tokens.match_join_code(f" {code.lower()} ") == ANN
    assert tokens.match_join_code("AEIO") is None
    tokens.renew_invite(ANN)
    assert tokens.match_join_code(code) is None


def test_letters_that_are_taken_are_drawn_again(monkeypatch) -> None:
    drawn = iter("BBBB" + "BBBB" + "CDFG")
    monkeypatch.setattr("companion.share.access_tokens.secrets.choice", lambda _letters: next(drawn))
    tokens = AccessTokens()
    assert (tokens.ensure_join_code(ANN), tokens.ensure_join_code(JOIN)) == ("BBBB", "CDFG")


def test_a_ticket_is_good_once_and_for_twenty_seconds(clock) -> None:
    tokens = AccessTokens()
    ticket, late = tokens.make_ticket(ANN), tokens.make_ticket(WATCH)
    assert tokens.owned_seats == {"Ann"}, "a seat to which a page is on its way has an owner"
    clock.now += 19.9
    assert tokens.redeem_invite(ticket)[1] == ANN
    assert tokens.redeem_invite(ticket) is None
    clock.now += 0.2
    assert tokens.redeem_invite(late) is None
    tokens.make_ticket(Purpose("seat", "Bob"))
    clock.now += 20.1
    assert tokens.owned_seats == {"Ann"}


def test_a_seat_that_is_left_is_nobodys_nor_is_its_ticket_good(clock) -> None:
    tokens = AccessTokens()
    given, _ = tokens.redeem_invite(tokens.ensure_invite_token(ANN))
    ticket, other = tokens.make_ticket(ANN), tokens.make_ticket(CAMERA)
    tokens.revoke_session("nothing")
    assert tokens.owned_seats == {"Ann"}
    tokens.revoke_session(given)
    assert tokens.owned_seats == frozenset()
    assert (tokens.redeem_invite(ticket), tokens.redeem_invite(other)[1]) == (None, CAMERA)


def test_a_page_learns_why_it_is_out_and_can_have_its_seat_back() -> None:
    tokens = AccessTokens()
    old, _ = tokens.redeem_invite(tokens.ensure_invite_token(ANN))
    new = tokens.start_session(ANN)
    assert [tokens.find_rejection(one) for one in (old, new)] == [CloseCode.ELSEWHERE, None]
    assert tokens.find_owned_purposes([old, "nothing"]) == {ANN}
    again, purpose = tokens.reclaim_session(old)
    assert (purpose, tokens.find_rejection(new)) == (ANN, CloseCode.ELSEWHERE)
    assert tokens.reclaim_session(again) is None
    other = AccessTokens()
    assert other.find_rejection(again) == CloseCode.EVENING
    evening = again.partition(".")[0]
    assert [tokens.find_rejection(one) for one in (f"{evening}.x", "x", "")] == [CloseCode.VOID] * 3
    tokens.renew_invite(ANN)
    assert [tokens.find_rejection(one) for one in (old, new, again)] == [CloseCode.VOID] * 3


def test_spectators_never_push_out_a_seat_and_former_passes_are_few() -> None:
    tokens = AccessTokens()
    seat, camera = tokens.start_session(ANN), tokens.start_session(CAMERA)
    watching = [tokens.start_session(WATCH if number % 2 else JOIN) for number in range(MAX_SESSION_TOKENS)]
    assert all(tokens.find_purpose(one) for one in (seat, camera, *watching))
    tokens.start_session(JOIN)
    assert [tokens.find_purpose(one) for one in (seat, camera, *watching[:2])] == [ANN, CAMERA, None, WATCH]
    passes = [tokens.start_session(ANN) for _ in range(MAX_SESSION_TOKENS + 1)]
    assert tokens.find_rejection(seat) == CloseCode.VOID
    assert tokens.find_rejection(passes[0]) == CloseCode.ELSEWHERE
    assert tokens.find_purpose(passes[-1]) == ANN


def test_every_change_is_saved_and_what_was_saved_goes_on() -> None:
    saved: list[SavedAccessTokens] = []
    tokens = AccessTokens(None, saved.append)
    link = tokens.ensure_invite_token(ANN)
    tokens.ensure_invite_token(ANN)
    assert len(saved) == 1
    old, _ = tokens.redeem_invite(link)
    new, _ = tokens.redeem_invite(link)
    watching = tokens.start_session(WATCH)
    tokens.revoke_session(watching)
    renewed = tokens.renew_invite(WATCH)
    assert len(saved) == 6
    assert saved[-1] == tokens.export_tokens()
    later = AccessTokens(saved[-1])
    assert (later.ensure_invite_token(ANN), later.ensure_invite_token(WATCH)) == (link, renewed)
    assert [later.find_rejection(one) for one in (old, new, watching)] == [
        CloseCode.ELSEWHERE,
        None,
        CloseCode.VOID,
    ]
    moved = AccessTokens(saved[-1].with_seats_renamed({"Ann": "Zoé"}))
    assert moved.find_purpose(new) == Purpose("seat", "Zoé")
    assert moved.find_owned_purposes([old]) == {Purpose("seat", "Zoé")}
    assert moved.ensure_invite_token(Purpose("seat", "Zoé")) == link
    gone = AccessTokens(saved[-1].with_seats_renamed({}))
    assert [gone.find_rejection(one) for one in (old, new)] == [CloseCode.VOID] * 2
    assert gone.ensure_invite_token(WATCH) == renewed
