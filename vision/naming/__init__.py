"""Which design a card is, and whether that is sure."""
