"""The demo table: simulated players who play with the printed deck on a rendered table, read by the
real camera code."""
