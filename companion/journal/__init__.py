"""The journal: an append-only SQLite file; every entry is durable before its result is shown."""

from typing import TYPE_CHECKING

from companion import make_lazy_getattr

if TYPE_CHECKING:
    from companion.journal import store as store

__getattr__ = make_lazy_getattr(__name__)
