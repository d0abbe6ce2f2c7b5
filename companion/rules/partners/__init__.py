"""Partners: two teams, pawns round the track by cards. The clauses PA-1 to PA-18 are in `docs/rules/partners.en.md`."""

from companion.rules.partners.game import GAME

__all__ = ["GAME"]
