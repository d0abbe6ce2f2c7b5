"""The banner: what is awaited, and from whom; or the question that the table must answer first."""

from __future__ import annotations

from typing import NamedTuple

from textual.content import Content

from companion.texts import clean
from companion.views.bigtext import fitting
from companion.views.dashboard.widgets.part import Part, Shown, wrapped
from companion.views.panel import awaited_players


class Notice(NamedTuple):
    """What the banner says: a short call in block letters, the whole sentence, and the class that colours it."""

    call: str
    sentence: str
    kind: str = ""


class Banner(Part):
    """The call from two metres, the sentence from near. A question to the table or a pause comes before what is awaited."""

    def lines(self, shown: Shown, width: int, height: int) -> list[Content]:
        """Draw call and sentence, centred."""
        notice = notice_of(shown)
        self.set_class(notice.kind == "question", "question")
        self.set_class(notice.kind == "over", "over")
        room = width - 2
        sentence = wrapped(notice.sentence, room, "bold")
        sizes = (5, 3) if height >= 8 else (3,) if height >= 3 else ()
        letters = fitting(notice.call, room, sizes) if notice.call and sizes else ()
        drawn = sentence[:height]
        if len(letters) > 1:
            drawn = [*(Content.styled(line, "bold") for line in letters), *sentence][:height]
        above = (height - len(drawn) + 1) // 2 if height > 1 else 0
        return [Content("")] * above + [
            Content(" " * max((width - line.cell_length) // 2, 0)) + line for line in drawn
        ]


def notice_of(shown: Shown) -> Notice:
    """Choose what is most urgent."""
    snapshot, _, say, paused = shown
    if snapshot.questions:
        return Notice(
            say("call.question"), say("banner.question", text=snapshot.questions[0].text), "question"
        )
    if paused:
        return Notice(say("clock.paused"), say("banner.paused"), "question")
    if snapshot.moves:
        return Notice(say("call.moves"), say("moves.title"), "question")
    result = snapshot.view["result"]
    if result is not None:
        winners = " + ".join(clean(winner, 20) for winner in result["winners"])
        return Notice(say("call.won", winners=winners), say.say(snapshot.awaited), "over")
    return Notice(_call(shown), say.say(snapshot.awaited))


def _call(shown: Shown) -> str:
    """Return the game's short call for what is awaited first, `call.<do>`, with the name where one player alone is awaited."""
    waiting = shown.snapshot.view["waiting_for"]
    code = f"call.{waiting[0]['do']}" if waiting else ""
    words = shown.say(code) if code else ""
    if words == code:
        return ""
    awaited = awaited_players(shown.snapshot.view)
    return f"{clean(next(iter(awaited)), 20)}: {words}" if len(awaited) == 1 else words
