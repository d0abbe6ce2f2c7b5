"""The home screen: evenings to resume, games to start, pages and settings, before a table opens."""

from typing import TYPE_CHECKING

from companion import make_lazy_getattr

if TYPE_CHECKING:
    from companion.views.home_screen import list_pages as list_pages

__getattr__ = make_lazy_getattr(__name__)
