"""The program's own decks: deck files, card drawings, and sheets to print."""

from typing import TYPE_CHECKING

from companion import make_lazy_getattr
from companion.decks.drawings import render_back, render_drawings

if TYPE_CHECKING:
    from companion.decks import faces as faces
    from companion.decks import sheets as sheets

__all__ = ["render_back", "render_drawings"]

__getattr__ = make_lazy_getattr(__name__)
