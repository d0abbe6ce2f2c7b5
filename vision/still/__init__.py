"""What only still pictures need: cards under cables, lamps, and on cloths as pale as they are."""
