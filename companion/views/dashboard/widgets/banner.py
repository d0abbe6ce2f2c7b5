"""The banner: what is awaited, and from whom; or the question that the table must answer first."""

from __future__ import annotations

from textual.content import Content

from companion.views.bigtext import big
from companion.views.dashboard.widgets.part import Part, Shown, wrapped


class Banner(Part):
    """Large where it fits. A question to the table or a pause comes before what is awaited."""

    def lines(self, shown: Shown, width: int, height: int) -> list[Content]:
        """Draw the sentence, centred."""
        sentence, style = self._sentence(shown)
        letters = big(sentence) if height >= 3 else ()
        if letters and len(letters[0]) <= width - 2:
            drawn = [Content.styled(line, style) for line in letters]
        else:
            drawn = wrapped(sentence, width - 2, style)[:height]
        above = max((height - len(drawn)) // 2, 0)
        return [Content("")] * above + [
            Content(" " * max((width - line.cell_length) // 2, 0)) + line for line in drawn
        ]

    def _sentence(self, shown: Shown) -> tuple[str, str]:
        snapshot, _, say = shown
        if snapshot.questions:
            self.set_classes("question")
            return say("banner.question", text=snapshot.questions[0].text), "bold"
        if snapshot.clock is not None and snapshot.clock.paused:
            self.set_classes("question")
            return say("banner.paused"), "bold"
        self.set_classes("over" if snapshot.view["phase"] == "game_over" else "")
        return say.say(snapshot.awaited), "bold"
