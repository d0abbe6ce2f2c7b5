"""The commands of the program, one module each; see `companion.__main__`."""

from typing import TYPE_CHECKING

from companion import make_lazy_getattr

if TYPE_CHECKING:
    from companion.commands import cards as cards
    from companion.commands import front_door as front_door
    from companion.commands import play as play

__getattr__ = make_lazy_getattr(__name__)
