"""Ochs & Esel: shed cards, do not keep the donkey. The clauses OE-1 to OE-22 are in
`docs/rules/ochs_und_esel.en.md`.

Ann leads two sevens; Ben's two sixes do not beat them, his nine with a joker does:

>>> from companion.games.ochs_und_esel.moves import Pass, Play
>>> from companion.rules.session import Session
>>> from companion.rules.start import Start, prepare_game
>>> table = Session(*prepare_game(Start("ochs_und_esel", ["Ann", "Ben", "Cy"], seed=1)))
>>> led = table.act(Play("Ann", ("7", "7")))
>>> refused = table.act(Play("Ben", ("6", "6")))
>>> refused.code, refused.clause
('too_low', 'OE-4')
>>> heard = [table.act(one) for one in (Play("Ben", ("9", "joker")), Pass("Cy"))]

Each has had one turn: the trick is over, and Ben leads the next.

>>> table.view()["trick"], table.view()["leader"]
(2, 'Ben')
"""

from companion.games.ochs_und_esel.game import GAME

__all__ = ["GAME"]
