"""Run the demo table: simulated players, a printed deck, a rendered table, the real camera code."""

from typing import TYPE_CHECKING

from companion import make_lazy_getattr

if TYPE_CHECKING:
    from companion.demo import table as table

__getattr__ = make_lazy_getattr(__name__)
