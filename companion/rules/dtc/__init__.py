"""DTC: bluff, accept or challenge the offer. The clauses DTC-1 to DTC-10 are in `docs/rules/dtc.en.md`."""

from companion.rules.dtc.game import GAME

__all__ = ["GAME"]
