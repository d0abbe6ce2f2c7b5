"""The league: many tables, one page, on PostgreSQL.

Each table keeps its own journal and goes on alone; what it has committed is sent to a league server
afterwards, which keeps it, judges it anew by the rules and shows it.
"""

from typing import TYPE_CHECKING

from companion import lazily

if TYPE_CHECKING:
    from companion.league import club as club
    from companion.league import demo as demo
    from companion.league import export as export
    from companion.league import outbox as outbox
    from companion.league import postgres as postgres
    from companion.league import projections as projections
    from companion.league import ratings as ratings
    from companion.league import rounds as rounds
    from companion.league import server as server
    from companion.league import site as site

__getattr__ = lazily(__name__)
