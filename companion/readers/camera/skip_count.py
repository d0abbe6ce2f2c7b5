"""Frames that cannot be looked at: each is left out, and people are told when it goes on."""

from __future__ import annotations

GOES_ON = 1.0
"""Seconds from the first bad frame to one worth telling: a single one harms nobody."""


class SkipCount:
    """Counts the frames that were left out (`skipped`), and knows when that is worth saying. Times
    are the frames' own seconds."""

    def __init__(self) -> None:
        self.skipped = 0
        self._since: float | None = None
        self._last = 0.0
        self._good = False
        self._told = False

    def bad(self, at: float) -> bool:
        """Note a frame that could not be looked at; tell whether to say now that this goes on."""
        self.skipped += 1
        self._last = at
        if self._since is None:
            self._since, self._good = at, False
        if self._told or at - self._since < GOES_ON:
            return False
        self._told = True
        return True

    def good(self, at: float) -> bool:
        """Note a frame that was looked at; tell whether a trouble that was told of is over."""
        self._good = True
        if self._since is None or at - self._last < GOES_ON:
            return False
        told, self._since, self._told = self._told, None, False
        return told

    @property
    def blind(self) -> bool:
        """Whether no frame could be looked at since the first bad one."""
        return self._since is not None and not self._good
