"""What is awaited, and from whom; or the question that the table must answer first."""

from __future__ import annotations

from typing import NamedTuple

from companion.rules.contract import Text
from companion.rules.people import AsIs
from companion.views.dashboard.widgets.part import ScreenState
from companion.views.panel import awaited_players
from companion.views.places import move_in_words


class Notice(NamedTuple):
    """What the banner says: a short call in block letters, the whole sentence, and the class that
    colours it."""

    call: str
    sentence: str
    kind: str = ""


def notice_of(shown: ScreenState) -> Notice:
    """Choose what is most urgent."""
    snapshot, _, say, *_ = shown
    if snapshot.questions:
        return Notice(
            say("call.question"), say("banner.question", text=snapshot.questions[0].text), "question"
        )
    if snapshot.paused:
        return Notice(say("clock.paused"), say("banner.paused"), "question")
    result = snapshot.view["result"]
    if result is not None:
        winners = " + ".join(say.name(winner, 20) for winner in result["winners"])
        called = Text("call.won", {"winners": AsIs(winners)}, len(result["winners"]))
        return Notice(say.say(called), say.say(snapshot.awaited), "over")
    # Who must act stays in the largest letters: what hands must do first is said below it.
    if snapshot.moves:
        first = move_in_words(snapshot.moves[0], say, snapshot.people.seats)
        return Notice(_call(shown), f"{say('moves.title')} {first}", "question")
    if snapshot.refusal is not None:
        return Notice(_call(shown), f"✘ {say.say(snapshot.refusal.text)}", "bad")
    return Notice(_call(shown), say.say(snapshot.awaited))


def _call(shown: ScreenState) -> str:
    """Return the game's short call for what is awaited first, `call.<do>`, with the name where one
    player alone is awaited."""
    waiting = shown.snapshot.view["waiting_for"]
    code = f"call.{waiting[0]['do']}" if waiting else ""
    words = shown.say(code) if code else ""
    if words == code:
        return ""
    awaited = awaited_players(shown.snapshot.view)
    if len(awaited) != 1:
        return words
    return shown.say("of_whom", who=shown.say.name(next(iter(awaited)), 20), what=words)
