"""Anybody may be put right, stand in, swap, leave or join, in any order: what is said of it, and
who plays then. After a change that is meant: `WRITE=1 pytest
tests/rules/test_people_to_the_letter.py`, and read the difference."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from companion.rules.contract import Refusal
from companion.rules.people import (
    DEEDS,
    NAMED,
    People,
    SeatChange,
    check_seat_change,
    describe_menu_action,
    list_seat_labels,
)
from companion.texts import Translator
from tests.letters import compare_with_file
from tests.toy import TOY

SAY = Translator("en").translate
NAMES = ("Zoé", "Max", "Kim", "Eve", "Leo", "Ida", "Ann", "ben", "")


def tell(people):
    """Yield who is at the table."""
    yield f"  now: {dict(people.display_names)}, really {dict(people.real_names)}"
    yield f"  next: {people.next_players}, guests {dict(people.guests)}"


@pytest.mark.parametrize("labelled", [False, True])
def test_people_come_and_go_to_the_letter(labelled):
    rng = random.Random(f"people {labelled}")
    seats = list_seat_labels(3) if labelled else ("Ann", "Ben", "Cid")
    people = People.from_players(
        seats, dict(zip(seats, ("Ann", "Ben", "Cid"), strict=True)) if labelled else None
    )
    assert people.uses_seat_labels is labelled
    lines, said = list(tell(people)), set()
    for number in range(70):
        deed = rng.choice(DEEDS)
        seat = rng.choice([*seats, *seats, "nobody"])
        seat = "" if deed == "join" and rng.random() < 0.8 else seat
        name = rng.choice(NAMES) if deed in NAMED else rng.choice([*seats, *people.order])
        change = SeatChange(deed, seat, name)
        found = check_seat_change(people, change, TOY)
        # Where names are stored elsewhere, the journal has a guest's label.
        if labelled and found is None and deed in NAMED - {"rename"}:
            label = people.make_guest_label()
            people, change = people.with_name(label, name), SeatChange(deed, seat, label)
        lines.append(f"{deed} {seat} {name}")
        if isinstance(found, Refusal):
            lines.append(f"  refused: {SAY(found.text)}")
            continue
        people = people.with_change(change, number)
        news = people.described_changes[-1]
        lines.append(f"  {news.at} {news.deed}: {SAY(news.text)}")
        lines += tell(people)
        if deed not in said:
            said.add(deed)
            menu = [SAY(describe_menu_action(one, seat)) for one in people.list_possible_actions(seat)]
            lines += [f"  may: {one}" for one in menu]
    compare_with_file(Path(__file__).with_name("letters") / f"people_{labelled}.txt", lines)
