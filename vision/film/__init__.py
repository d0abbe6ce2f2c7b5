"""The cards on a table over time: what moved, what rests, what is under what."""
