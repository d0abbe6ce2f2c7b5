"""The line at the top: game, round, whose clock runs, the readers' health, and whether the journal
keeps everything."""

from __future__ import annotations

from textual.content import Content

from companion.live.snapshot import ClockFace
from companion.texts import Translator
from companion.views.dashboard.widgets.part import Part, ScreenState, right

_HEALTH = {
    "ok": ("●", "$success"),
    "starting": ("◌", "$warning"),
    "lost": ("✖", "$error"),
    "look": ("◐", "$warning"),
    "off": ("○", "$foreground-muted"),
}


class TopBar(Part):
    """One line; what matters most stands left and survives at 80 columns."""

    def lines(self, shown: ScreenState, width: int, height: int) -> list[Content]:
        """Draw the line."""
        snapshot, face, say, *_ = shown
        left = [Content.styled(f" {say('game.title')} ", "bold reverse $primary"), Content("  ")]
        if shown.demo:
            left.append(Content.styled(f" {say('demo.label')} ", "bold reverse $accent"))
            left.append(Content("  "))
        if face.progress:
            now, of = face.progress
            left.append(Content.styled(f"{face.progress_label} ", "bold"))
            if width >= 100:
                left.append(Content.styled("●" * max(now - 1, 0) + "◉", "$primary"))
                left.append(Content.styled("○" * max(of - now, 0) + "  ", "$foreground-muted"))
        elif face.progress_label:
            left.append(Content.styled(face.progress_label, "bold"))
        ends = [*self._health(shown, width), *self._keeping(shown, width)]
        if snapshot.clock is not None:
            ends.insert(0, clock_text(snapshot.clock, say))
        return [right(Content.assemble(*left), Content("  ").join(ends), width)]

    def _health(self, shown: ScreenState, width: int) -> list[Content]:
        marks = []
        for health in shown.snapshot.health:
            sign, style = _HEALTH[health.state]
            name = _named(health.reader, shown.say, short=width < 100)
            state = "" if health.state == "ok" or width < 100 else " " + shown.say(f"health.{health.state}")
            left = "" if health.battery is None else f" {health.battery.level} %"
            marks.append(
                Content.styled(
                    f"{sign} {name}{state}{left}",
                    "$warning" if health.warns and health.state == "ok" else style,
                )
            )
        return marks

    def _keeping(self, shown: ScreenState, width: int) -> list[Content]:
        if shown.snapshot.keeping is None:
            if shown.pictures:  # whose hands are about should know at any width
                return [Content.styled(f"◉ {shown.say('pictures.kept')} ", "$warning")]
            if width < 100:  # only bad news needs the room
                return []
            return [Content.styled(f"● {shown.say('journal.kept')} ", "$success")]
        return [Content.styled(f"✖ {shown.say('journal.not_kept')} ", "$error")]


def clock_text(clock: ClockFace, say: Translator) -> Content:
    """Draw the clock: time left, or that it is paused."""
    if clock.paused:
        return Content.styled(f"‖ {say('clock.paused')}", "bold $warning")
    if clock.left is None:
        return Content("")
    style = {"none": "bold", "soon": "bold $warning", "up": "bold reverse $error"}[clock.warning]
    # Rounded up: 0:00 stands there only when time is up.
    minutes, seconds = divmod(max(int(clock.left + 0.999), 0), 60)
    sign = {"none": "◷", "soon": "◷ !", "up": "◷ !!"}[clock.warning]
    return Content.styled(f"{sign} {minutes}:{seconds:02d}", style)


def _named(reader: str, say: Translator, *, short: bool) -> str:
    """Name a reader (`rfid 2`) in words; one no catalogue names, a plug-in's, by its own name."""
    kind, _, number = reader.partition(" ")
    words = say(f"reader.name.{kind}")
    name = kind if words == f"reader.name.{kind}" else words
    return name if short or not number else f"{name} {number}"
