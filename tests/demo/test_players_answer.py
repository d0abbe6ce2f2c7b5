"""What the demo's players answer when readers contradict each other: the truth about the place that
is asked about."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from companion.demo.actions import Gesture
from companion.demo.director import Director
from companion.live.snapshot import ShownQuestion
from companion.live.table_listener import CardIs
from companion.rules.contract import Choice, Text
from companion.table.zones import describe_zone

CARDS = ("donkey:giant", "donkey:puny", "load:blue:9")


class Live:
    """A session that asks one question, whatever happens."""

    def __init__(self, code, **said):
        choices = tuple(Choice(Text("x"), CardIs(card)) for card in CARDS)
        self._snapshot = SimpleNamespace(
            questions=(ShownQuestion(1, Text(code, said), None, choices),), moves=()
        )
        self.answered = []

    def subscribe(self, subscriber):
        pass

    def list_acts(self):
        return []

    def snapshot(self):
        return self._snapshot

    def answer_question(self, question, choice):
        self.answered.append(CARDS[choice])


LAID = (
    (Gesture("lay", "middle", "donkey:puny"),),
    (Gesture("clear", "middle"), Gesture("lay", "middle", "donkey:giant")),
    (Gesture("lay", "seat:2", "load:blue:9"),),
)


@pytest.mark.parametrize(
    ("code", "said", "truth"),
    [
        ("table.dispute.readers", {"place": describe_zone("middle")}, ["donkey:giant"]),
        ("table.unsure", {"place": describe_zone("seat:2")}, ["load:blue:9"]),
        ("table.dispute.copies", {"last": describe_zone("seat:2")}, ["load:blue:9"]),
        ("table.unsure", {"place": describe_zone("seat:3")}, []),
    ],
)
def test_a_question_about_one_place_is_not_answered_with_a_card_of_another(code, said, truth):
    live = Live(code, **said)
    director = Director(live, players=None, hands=SimpleNamespace(speed=1e9, idle=True), laid=LAID)
    director._answer_conflict(0.0)
    director._answer_conflict(1.0)
    assert live.answered[:1] == truth
    assert (director.answered_conflicts > 0) == bool(truth)
