"""The referee of Ochs & Esel against a plain model that plays with real cards."""

from tests.rules.machine import SETTINGS, GameMachine
from tests.rules.ochs_und_esel.oe_model import Model


class OchsUndEsel(GameMachine):
    game = "ochs_und_esel"

    def begin(self, rng):
        names = list("ABCDEFGHIJKL"[: rng.choice([3, 3, 3, 4, 4, 5, 12])])
        deal, rounds, ox = rng.choice([1, 2, 3, 4, 9]), rng.randint(1, 3), rng.random() < 0.6
        unheard = rng.random() < 0.3
        if unheard:
            deal = rng.choice([1, 2, 8, 13]) if len(names) < 9 else deal
        options = {"deal": deal, "rounds": rounds, "ox": ox, "hands_only": unheard}
        return Model(names, deal, rounds, ox, unheard), options


TestOchsUndEselAgainstAPlainModel = OchsUndEsel.TestCase
TestOchsUndEselAgainstAPlainModel.settings = SETTINGS
