"""Lines found by words: in the door's lists, and among the acts to correct."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence


def found_in(typed: str, lines: Sequence[str]) -> list[int]:
    """Return the numbers of the lines that have every word that was typed; capitals and accents
    make no difference.

    >>> found_in("zoe valley", ["Donkey Valley, Zoé and Bob", "Ascend, Zoé"])
    [0]
    """
    words = bare(typed).split()
    return [number for number, line in enumerate(map(bare, lines)) if all(word in line for word in words)]


def bare(words: str) -> str:
    """Leave accents and capitals off."""
    parted = unicodedata.normalize("NFD", words)
    return "".join(one for one in parted if not unicodedata.combining(one)).casefold()
