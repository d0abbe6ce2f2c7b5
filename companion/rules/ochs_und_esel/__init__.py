"""Ochs & Esel: shed cards, do not keep the donkey. The clauses OE-1 to OE-22 are in `docs/rules/ochs_und_esel.en.md`."""

from companion.rules.ochs_und_esel.game import GAME

__all__ = ["GAME"]
