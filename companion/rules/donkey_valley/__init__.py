"""Donkey Valley: load donkeys, accept or refuse the contract.

The clauses, DV-1 to DV-51, are explained in docs/rules/donkey_valley.en.md; the events are listed in docs/events/donkey_valley.md.
"""

from companion.rules.donkey_valley.game import DonkeyValley

GAME = DonkeyValley()

__all__ = ["GAME"]
