"""Handle what only still pictures need: cards under cables, under lamps, and on cloths as pale as
they are."""
