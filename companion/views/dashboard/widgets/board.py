"""The board of a game that has one, drawn by the game's panel at the size there is."""

from __future__ import annotations

from textual.content import Content

from companion.views.dashboard.widgets.part import Part, ScreenState


class Board(Part):
    """Hidden by the screen where the game has no board."""

    def lines(self, shown: ScreenState, width: int, height: int) -> list[Content]:
        """Draw the board."""
        draw = shown.face.board
        return [] if draw is None else list(draw(width, height).split("\n"))
