"""Ascend: a climbing game for the extended Decktet. The clauses AS-1 to AS-30 are in `docs/rules/ascend.en.md`."""

from companion.rules.ascend.game import GAME

__all__ = ["GAME"]
