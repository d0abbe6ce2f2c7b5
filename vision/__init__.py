"""Frames in, identified cards out. Knows no game."""
