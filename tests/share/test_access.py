"""Links and passes."""

from companion.share.access import BYTES, CAMERA, MOST_PASSES, WATCH, Doors, Purpose

ANN = Purpose("seat", "Ann")


def test_a_link_gives_a_pass_for_its_purpose_and_nothing_else_does() -> None:
    doors = Doors()
    given, purpose = doors.enter(doors.link(ANN))
    assert purpose == ANN
    assert doors.holds(given) == ANN
    assert doors.enter("") is None
    assert doors.enter(given) is None
    assert doors.holds(doors.link(ANN)) is None
    assert doors.holds("café\ud800") is None


def test_links_and_passes_cannot_be_guessed() -> None:
    doors = Doors()
    links = {doors.link(WATCH), doors.link(CAMERA), doors.link(ANN)}
    passes = {doors.enter(doors.link(WATCH))[0] for _ in range(50)}
    assert len(links) == 3
    assert len(passes) == 50
    assert all(len(key) >= BYTES * 8 // 6 for key in links | passes)


def test_many_may_watch_but_a_seat_is_on_one_phone() -> None:
    doors = Doors()
    first, _ = doors.enter(doors.link(WATCH))
    doors.enter(doors.link(WATCH))
    assert doors.holds(first) == WATCH
    old, _ = doors.enter(doors.link(ANN))
    new, _ = doors.enter(doors.link(ANN))
    assert doors.holds(old) is None
    assert doors.holds(new) == ANN


def test_a_renewed_link_closes_the_old_one_and_its_passes() -> None:
    doors = Doors()
    old = doors.link(CAMERA)
    given, _ = doors.enter(old)
    assert doors.renew(CAMERA) != old
    assert doors.enter(old) is None
    assert doors.holds(given) is None


def test_passes_do_not_grow_without_end() -> None:
    doors = Doors()
    first, _ = doors.enter(doors.link(WATCH))
    for _ in range(MOST_PASSES):
        doors.enter(doors.link(WATCH))
    assert doors.holds(first) is None
