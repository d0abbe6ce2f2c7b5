"""The row of keys at the foot of the table."""

from __future__ import annotations

from textual.widgets import Footer


class KeysRow(Footer):
    """A footer that is drawn anew all evening long, whenever other keys are offered, and holds only the keys of now."""

    async def recompose(self) -> None:
        """Draw the keys anew and let those of before go.

        Textual (8.x) drops what watches a value when that value is set, and the footer's never is: 14 widgets
        stayed each time, 350 a minute in the demo at speed 4.
        """
        await super().recompose()
        self.mutate_reactive(Footer.compact)
