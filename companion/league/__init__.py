"""Run a league: a club's tables send their games to one server with shared pages and standings.

Each table keeps its own journal and works without the league. Committed journal entries are sent
afterwards to a league server on PostgreSQL, which stores them, checks them against the rules and
shows them on web pages.
"""

from typing import TYPE_CHECKING

from companion import make_lazy_getattr

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
    from companion.league import server_identity as server_identity
    from companion.league import site as site

__getattr__ = make_lazy_getattr(__name__)
