"""The demo table: simulated players, a printed deck, a rendered table, the real camera code."""
