"""Partners: two teams, pawns round the track by cards. The clauses PA-1 to PA-18 are in
`docs/rules/partners.en.md`.

A pawn leaves its base by a heart, not by a two:

>>> from companion.games.partners.moves import Exchanged, Move, Play
>>> from companion.rules.session import Session
>>> from companion.rules.start import Start, prepare_game
>>> table = Session(*prepare_game(Start("partners", ["Ann", "Bob", "Cid", "Dot"], seed=1)))
>>> exchanged = table.act(Exchanged())
>>> refused = table.act(Play("Ann", "2", (Move("Ann", 1, "1:2"),)))
>>> refused.code, refused.clause
('illegal_move', 'PA-10')
>>> moved = table.act(Play("Ann", "heart", (Move("Ann", 1, "start"),)))
>>> table.view()["players"][0]["pawns"]
['start', 'base', 'base', 'base']
"""

from companion.games.partners.game import GAME

__all__ = ["GAME"]
