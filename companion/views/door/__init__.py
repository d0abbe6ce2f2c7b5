"""The front door: what one can go on with, play, look at, and set, before a table opens."""
