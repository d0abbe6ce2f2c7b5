"""Donkey Valley: load donkeys, accept or refuse the contract.

The clauses, DV-1 to DV-51, are explained in docs/rules/donkey_valley.en.md; the events are listed
in docs/events/donkey_valley.md.

A round at the table, as the program hears it:

>>> from companion.games.donkey_valley.moves import Decide, Donkey, Load, NoFavour, Reveal
>>> from companion.rules.session import Session
>>> from companion.rules.start import Start, prepare_game
>>> people = ["Ann", "Ben", "Cy"]
>>> table = Session(*prepare_game(Start("donkey_valley", people, seed=1)))
>>> said = [Donkey("normal"), *map(Load, people), *map(NoFavour, people)]
>>> said += [Decide("Ann", True), Decide("Ben", True), Decide("Cy", False)]
>>> said += [Reveal("Ann", (7,)), Reveal("Ben", (9,)), Reveal("Cy", (4,))]
>>> heard = [table.act(one) for one in said]

Seven, nine and four are more than the donkey carries: Cy, who refused, takes the heaviest load of
the others.

>>> view = table.view()
>>> view["total"], view["capacity"], view["overloaded"]
(20, 15, True)
>>> [one["points"] for one in view["players"]]
[0, 0, 9]
"""

from companion.games.donkey_valley.game import DonkeyValley

GAME = DonkeyValley()

__all__ = ["GAME"]
