"""The program's own decks: deck files, card drawings, and sheets to print."""

from companion.decks.drawings import back_drawing, drawings

__all__ = ["back_drawing", "drawings"]
