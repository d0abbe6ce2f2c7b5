"""What goes over the air, against ISO/IEC 14443-3: pauses, tries, and nothing told that was not
said."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from companion.readers.rfid.events import CardArrived, CardLeft, ReaderFault, TagId
from tests.simulated.lock_step import HERTZ, LockStep, card

CARRIER = 13_560_000
REQA, WUPA, LEVEL_1, LEVEL_2, HALT = 0x26, 0x52, 0x93, 0x95, 0x50
TWINS = tuple(TagId(bytes([4, 1, 2, 3, 4, 5, n])) for n in (6, 7, 8))


def on_air(table, milliseconds: float) -> list[dict]:
    """The exchanges of the first pad, as they happen."""
    table.air.clear()
    table.board.send_command("trace", 0, "on")
    table.run(milliseconds)
    return table.air


def carriers(cycles: int) -> float:
    return cycles / HERTZ * CARRIER


@pytest.mark.parametrize("tags", [TWINS, (card(1), card(2))], ids=["twins", "stack"])
def test_tags_are_left_in_peace_as_long_as_the_standard_says(table, tags):
    table.board.put_tags(0, *tags)
    said = on_air(table, 500)
    requests = [one["from"] for one in said if one["command"] in (REQA, WUPA)]
    assert len(requests) > 100
    assert min(carriers(b - a) for a, b in pairwise(requests)) >= 7000, "6.2.2"


REMOTE = (TagId(bytes([4, 0x53, 2, 3, 4, 5, 6])), TagId(bytes([4, 0x13, 2, 3, 4, 5, 6])))
TOGETHER = {
    "one card": ((card(1),), "26 93 93 95 95 50"),
    "a short id": ((TagId(b"\x12\x34\x56\x78"),), "26 93 93 50"),
    "two cards": (REMOTE, "26 93 93 93 93 95 26 93 95 26 93 95 50 26 93 95 50"),
    "two cards, the other first": (REMOTE[::-1], "26 93 93 93 93 95 26 93 95 26 93 95 50 26 93 95 50"),
    "two short ids": (
        (TagId(b"\x12\x34\x56\x78"), TagId(b"\x12\x34\x56\xf8")),
        "26 93 93 93 93 50 26 93 50 26",
    ),
    "twins to the last bit": (
        (TagId(bytes([4, 1, 2, 3, 4, 5, 6])), TagId(bytes([4, 1, 2, 3, 4, 5, 0x86]))),
        "26 93 93 95 95 95 26",
    ),
}
"""Cards laid down at once, and the first byte of each frame until they sleep, or the next sweep
begins: REQA; for each level, anticollision (once more for each half after a collision) and SELECT;
HLTA. Of several each is found first, then put to sleep in a sweep of its own; twins are asked for
in between."""


@pytest.mark.parametrize("what", TOGETHER)
def test_no_more_is_said_than_it_takes(table, what):
    tags, frames = TOGETHER[what]
    table.board.put_tags(0, *tags)
    said = [f"{one['command']:02x}" for one in on_air(table, 60)]
    first = said.index("93") - 1
    assert said[first : first + len(frames.split())] == frames.split()
    assert {e.tag for e in table.of(CardArrived)} == set(tags)
    table.run(100)
    asleep = {one["command"] for one in on_air(table, 150)}
    assert asleep == {REQA, WUPA, LEVEL_1} | ({LEVEL_2} if "twins" in what else set()), "nobody is selected"
    assert not table.of(CardLeft)


def test_the_next_question_follows_as_soon_as_tags_hear_again():
    """They are deaf for 1172 carrier periods after an answer (6.2.1.2); the rest is the bus."""
    with LockStep(native=True) as table:
        table.open()
        table.board.put_tags(0, card(1))
        said = on_air(table, 60)
        first = [one["command"] for one in said].index(LEVEL_1) - 1
        pauses = [(b["from"] - a["to"]) / HERTZ for a, b in pairwise(said[first : first + 6])]
        assert max(pauses) < 1172 / CARRIER + 0.000_050


@pytest.mark.parametrize("count", [13, 14])
def test_of_more_cards_than_fit_as_many_as_fit_are_found_in_one_sweep(table, count):
    """Each differs from all before it in one bit more: no tree of ids keeps more halves waiting."""
    comb = [TagId(bytes([4, (1 << n) - 1 & 0xFF, (1 << n) - 1 >> 8, n, 4, 5, 6])) for n in range(count)]
    table.board.put_tags(0, *comb)
    said = [one["command"] for one in on_air(table, 150)]
    assert said[: said.index(HALT)].count(LEVEL_2) == 12 + 1, "one each, and a SELECT before the first HLTA"
    assert len(table.of(CardArrived)) == 12


def test_an_id_of_three_levels_is_said_to_be_unreadable(table):
    """Its second level begins with a cascade tag, as its first does (6.5.4)."""
    table.board.put_tags(0, TagId(bytes([4, 1, 2, 0x88, 4, 5, 6])))
    table.run(150)
    assert not table.of(CardArrived)
    assert [e.health for e in table.of(ReaderFault)] == [8]


def test_the_field_is_off_and_on_again_long_enough_before_a_card_has_left(table):
    table.board.put_tags(0, card(3))
    table.run(60)
    table.board.take_tags(0)
    said = on_air(table, 300)
    assert len(table.of(CardLeft)) == 1
    gaps = [(b["from"] - a["to"]) * 1000 / HERTZ for a, b in pairwise(said)]
    assert max(gaps) > 5.1 + 5, "5.1 ms without a field reset a tag, and it has 5 ms to wake up"
    assert sum(one["command"] == WUPA for one in said[gaps.index(max(gaps)) + 1 :]) == 3, "three times more"


def test_an_answer_that_comes_garbled_is_asked_for_three_times_in_a_sweep(table):
    table.board.send_command("noise", 0, 100)
    table.board.put_tags(0, card(4))
    said = on_air(table, 200)
    tries: list[int] = []
    for one in said:
        if one["command"] == REQA:
            tries.append(0)
        elif one["command"] == LEVEL_1 and tries:
            tries[-1] += 1
    assert Counter(n for n in tries if n).most_common(1)[0][0] == 3


def test_what_cannot_be_told_apart_five_times_running_is_said(table):
    table.board.send_command("noise", 0, 100)
    table.board.put_tags(0, card(5))
    table.air.clear()
    table.board.send_command("trace", 0, "on")
    table.until(lambda: any(e.health == 8 for e in table.of(ReaderFault)), at_most=150)
    requests = [n for n, one in enumerate(table.air) if one["command"] == REQA]
    answered = sum(
        any(one["command"] == LEVEL_1 for one in table.air[a:b])
        for a, b in zip(requests, [*requests[1:], None], strict=True)
    )
    assert 5 <= answered <= 7


@pytest.mark.parametrize("seed", range(3))
def test_whatever_the_noise_no_card_is_told_that_does_not_lie_there(table, seed):
    """A reply with two bits turned has the right parity; levels have check bytes, and a SAK a
    CRC."""
    laid = set()
    for pad in range(3):
        table.board.send_command("noise", pad, 30 + 10 * seed)
        stack = {card(100 * seed + 10 * pad + n) for n in range(4)}
        laid |= stack
        table.board.put_tags(pad, *stack)
    table.run(1500, step=10)
    assert {e.tag for e in table.of(CardArrived)} <= laid


def test_a_garbled_word_of_a_tag_does_not_make_half_an_id_a_whole_one(table):
    """Bit 3 of a SAK says that more of the id follows: two bits turned in one byte hide from
    parity, not from the CRC."""
    for pad in range(3):
        table.board.send_command("noise", pad, 40)
    for n in range(300):
        for pad in range(3):
            table.board.take_tags(pad)
            table.board.put_tags(pad, card(n))
        table.run(25, step=5)
    assert {len(e.tag.hex()) for e in table.of(CardArrived)} == {14}


def test_a_collision_where_no_bit_of_an_id_is_left_is_no_collision(table):
    """Tags alike to the last bit of a level answer with a check byte only: what noise makes of it
    lies beyond the level."""
    sibling = TagId(bytes([4, 1, 0x82, 3, 4, 5, 6]))
    twins = [TagId(bytes([4, 1, 2, 3, 4, 5, n])) for n in (7, 8)]
    table.board.send_command("noise", 0, 30)
    for _ in range(60):
        table.board.take_tags(0)
        table.board.put_tags(0, sibling, *twins)
        table.run(40, step=5)
    assert {e.tag for e in table.of(CardArrived)} <= {sibling, *twins}
