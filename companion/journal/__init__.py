"""The journal: SQLite, append only, durable before anything is shown."""

from typing import TYPE_CHECKING

from companion import lazily

if TYPE_CHECKING:
    from companion.journal import store as store

__getattr__ = lazily(__name__)
