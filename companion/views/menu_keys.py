"""The keys of a menu, in every view: one or a few characters for each choice."""

from __future__ import annotations

import string
from collections.abc import Sequence

from companion.rules.contract import Pick

TABLE = "um% ?"
"""Keys that mean the same to the table whether or not something is entered: no row begins with
one."""
_KEYS = "1234567890" + "".join(one for one in string.ascii_lowercase if one not in TABLE)


def keyed(keys: Sequence[str]) -> list[str]:
    """Give every choice a key: its own where it asks for one, else a free character; where these
    run out, two characters.

    No key is the beginning of another, so a choice is taken the moment its last character is typed.
    """
    own = {key for key in keys if key}
    starts = {key[0] for key in own}
    bare = sum(not key for key in keys)
    # A key that begins another would be taken before that one is typed.
    single = [key for key in _KEYS if key not in starts]
    if bare > len(single):  # two characters for all that have no key of their own: the same rhythm for each
        single = [first + second for first in single for second in _KEYS]
    free = iter(single)
    used: set[str] = set()
    given = []
    for key in keys:
        given.append(key if key and key not in used else next(free, ""))
        used.add(key)
    return given


def card_keys(pick: Pick) -> list[str]:
    """Return the key of each card of a pick: the game's, the same all evening, else `keyed`'s."""
    return list(pick.keys) or keyed([name if len(name) == 1 else "" for name, _ in pick.cards])
