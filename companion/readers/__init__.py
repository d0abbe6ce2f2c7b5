"""The readers: what sees cards and buttons. They know nothing of rules."""
