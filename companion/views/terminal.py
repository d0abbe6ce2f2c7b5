"""Whether there is a terminal that can be drawn on."""

from __future__ import annotations

import os
import sys


def has_screen() -> bool:
    """Tell whether full screens can be drawn; else everything is told line by line."""
    known = os.name == "nt" or os.environ.get("TERM", "dumb") != "dumb"
    return known and sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()
