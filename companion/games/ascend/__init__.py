"""Ascend: a climbing game for the extended Decktet. The clauses AS-1 to AS-30 are in
`docs/rules/ascend.en.md`.

Ann plays the Castle, a seven; Ben's Desert is a two, so he passes:

>>> from companion.games.ascend.moves import Exchanged, Pass, Play
>>> from companion.rules.session import Session
>>> from companion.rules.start import Start, prepare_game
>>> table = Session(*prepare_game(Start("ascend", ["Ann", "Ben", "Cy"], seed=1)))
>>> heard = [table.act(one) for one in (Exchanged(), Play("Ann", ("castle",)))]
>>> refused = table.act(Play("Ben", ("desert",)))
>>> refused.code, refused.clause
('does_not_beat', 'AS-10')
>>> passed = table.act(Pass("Ben"))
>>> table.view()["waiting_for"]
[{'do': 'play', 'player': 'Cy'}, {'do': 'pass', 'player': 'Cy'}]
"""

from companion.games.ascend.game import GAME

__all__ = ["GAME"]
