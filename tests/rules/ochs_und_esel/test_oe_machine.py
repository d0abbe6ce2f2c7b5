"""The referee of Ochs & Esel against a plain model that plays with real cards."""

import pytest

from tests.rules.machine import SETTINGS, GameMachine, drawn
from tests.rules.ochs_und_esel.oe_model import Model


class OchsUndEsel(GameMachine):
    game = "ochs_und_esel"

    def begin(self, rng):
        names = list("ABCDEFGHIJKL"[: rng.choice([3, 3, 3, 4, 4, 5, 12])])
        options = drawn(self.game, rng, deal=[1, 2, 3, 4, 9, None], rounds=[1, 2, 3])
        if options["hands_only"] and len(names) < 9:
            options["deal"] = rng.choice([1, 2, 8, 13, None])
        return Model(names, **options), options


TestOchsUndEselAgainstAPlainModel = OchsUndEsel.TestCase
TestOchsUndEselAgainstAPlainModel.pytestmark = [pytest.mark.slow]
TestOchsUndEselAgainstAPlainModel.settings = SETTINGS
