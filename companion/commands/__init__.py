"""The commands of the program, one module each; see `companion.__main__`."""

from typing import TYPE_CHECKING

from companion import make_lazy_getattr

if TYPE_CHECKING:
    from companion.commands import cards as cards
    from companion.commands import home_screen_pages as home_screen_pages
    from companion.commands import play as play

__getattr__ = make_lazy_getattr(__name__)
