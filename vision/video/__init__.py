"""Follow the cards on a table over time: which moved, which rest, which lie under others."""
