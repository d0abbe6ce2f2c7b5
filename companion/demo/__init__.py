"""Run the demo table: simulated players, a printed deck, a rendered table, the real camera code."""

from typing import TYPE_CHECKING

from companion import lazily

if TYPE_CHECKING:
    from companion.demo import table as table

__getattr__ = lazily(__name__)
