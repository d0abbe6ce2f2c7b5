"""What can be wrong with a reader, as values the views can say: no traceback ever reaches a
player."""

from __future__ import annotations

from companion.rules.contract import Problem


class ReaderProblem(Problem):
    """Something the people at the table can do something about; `text` is what to show. Holds no
    tag id."""
