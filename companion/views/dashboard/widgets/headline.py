"""The big word of the moment (the donkey) with its meaning, and the gauge beside it (capacity and how full it is)."""

from __future__ import annotations

from textual.content import Content

from companion.views.bigtext import fitting
from companion.views.dashboard.widgets.part import Part, Shown, wrapped
from companion.views.panel import Gauge
from companion.views.themes import STYLES


class Headline(Part):
    """The word in block letters where there is room, its meaning in words below."""

    def lines(self, shown: Shown, width: int, height: int) -> list[Content]:
        """Draw word and meaning."""
        face = shown.face
        sizes = (5, 3) if height >= 8 else (3,) if height >= 4 else ()
        word = [Content.styled(line, "bold $primary") for line in fitting(face.headline, width, sizes)]
        return [*word, *wrapped(face.meaning, width)]


class GaugeView(Part):
    """A number against its limit, as figures in block letters and as a bar with words."""

    def lines(self, shown: Shown, width: int, height: int) -> list[Content]:
        """Draw the gauge, or the game's facts where it has none."""
        gauge = shown.face.gauge
        facts = [Content.styled(f"{fact.sign} {fact.word}", STYLES[fact.tone]) for fact in shown.face.facts]
        if gauge is None:
            return facts
        drawn = self._figures(gauge, width, height)
        if gauge.limit and gauge.value is not None and height >= 2:
            drawn.append(self._bar(gauge, width))
        return [*drawn, Content("   ").join(facts)] if facts else drawn

    def _figures(self, gauge: Gauge, width: int, height: int) -> list[Content]:
        limit = "–" if gauge.limit is None else str(gauge.limit)
        figures = limit if gauge.value is None else f"{gauge.value}/{limit}"
        style = f"bold {STYLES[gauge.tone]}"
        label = Content.assemble((gauge.label + "  ", "bold"), (gauge.verdict, style))
        if height < 5:
            return [
                Content.assemble((gauge.label + " ", "bold"), (figures + "  ", style), (gauge.verdict, style))
            ]
        sizes = (5, 3) if height >= 8 else (3,)
        return [label, *(Content.styled(line, style) for line in fitting(figures, width, sizes))]

    def _bar(self, gauge: Gauge, width: int) -> Content:
        limit = gauge.limit or 1
        room = max(min(width, 60) - 2, 1)
        filled = min(round(room * (gauge.value or 0) / max(limit, gauge.value or 0)), room)
        return Content.assemble(
            "▕", ("█" * filled, STYLES[gauge.tone]), ("░" * (room - filled), "$foreground-muted"), "▏"
        )
