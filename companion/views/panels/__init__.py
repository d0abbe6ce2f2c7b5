"""The games' panels: one module a game, a pure function from view to `Face`."""
