"""The program's own decks: deck files, card drawings, and sheets to print."""

from typing import TYPE_CHECKING

from companion import lazily
from companion.decks.drawings import back_drawing, drawings

if TYPE_CHECKING:
    from companion.decks import faces as faces
    from companion.decks import sheets as sheets

__all__ = ["back_drawing", "drawings"]

__getattr__ = lazily(__name__)
