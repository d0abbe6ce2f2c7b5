"""Figures of many evenings, counted from the journal by pure functions."""
