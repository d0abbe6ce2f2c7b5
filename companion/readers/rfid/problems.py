"""What can be wrong with a reader, as values for views: no traceback reaches a player."""

from __future__ import annotations

from companion.rules.contract import Problem


class ReaderProblem(Problem):
    """Something the people at the table can act on; `text` is what to show. No tag id in it."""
