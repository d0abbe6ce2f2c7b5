"""Simulated players: one module a game, named as the game's id, with a class `Players`."""
