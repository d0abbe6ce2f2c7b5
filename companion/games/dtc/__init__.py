"""DTC: bluff, accept or challenge the offer. The clauses DTC-1 to DTC-10 are in
`docs/rules/dtc.en.md`.

Ann says that her two cards are fours, and Ben does not believe her:

>>> from companion.games.dtc.moves import Challenge, Offer, Reveal
>>> from companion.rules.session import Session
>>> from companion.rules.start import Start, prepare_game
>>> table = Session(*prepare_game(Start("dtc", ["Ann", "Ben"], seed=1)))
>>> requests = Offer("Ann", 2, 4), Challenge("Ben"), Reveal(("4", "joker"))
>>> heard = [table.act(one) for one in requests]

A joker is whatever was named, so the offer was true, and Ben takes both cards as penalty.

>>> [one["points"] for one in table.view()["players"]]
[0, 2]
"""

from companion.games.dtc.game import GAME

__all__ = ["GAME"]
