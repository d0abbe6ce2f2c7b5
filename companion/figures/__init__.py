"""Statistics over many sessions, counted from the journal by pure functions."""
