"""The referee of Donkey Valley against the plain model."""

import pytest
from hypothesis import settings

from tests.rules.donkey_valley.model import Model
from tests.rules.donkey_valley.whims import TYPES
from tests.rules.machine import GameMachine, drawn


class DonkeyValley(GameMachine):
    game = "donkey_valley"

    def begin(self, rng):
        copies = dict.fromkeys(TYPES, 1) | {rng.choice(TYPES): 5, "normal": 5}
        copies["giant"] = copies["giant"] + 20 - sum(copies.values())
        options = drawn(self.game, rng, donkey_copies=[None, None, copies])
        return Model(list("ABCDEFG"[: rng.randint(3, 7)]), rng.random(), **options), options

    def send(self, request):
        self.last = super().send(request)
        return self.last

    def compare(self, view):
        self.model.learn(self.last.get("events", []))
        super().compare(view)


TestDonkeyValleyAgainstAPlainModel = DonkeyValley.TestCase
TestDonkeyValleyAgainstAPlainModel.pytestmark = [pytest.mark.slow]
TestDonkeyValleyAgainstAPlainModel.settings = settings(max_examples=120, stateful_step_count=40)
