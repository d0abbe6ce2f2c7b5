"""Ascend on the dashboard: the combination to beat, players who are out, the promise, hands and
points."""

from __future__ import annotations

from companion.rules.contract import View
from companion.texts import Translator
from companion.views.panel import NOTHING, Badge, Face, Seat, awaited_players


def face(view: View, say: Translator) -> Face:
    """Draw the view of `ascend`."""
    awaited = awaited_players(view)
    trick, promise = view["trick"], view["promise"]
    if view["phase"] == "hands":
        headline, meaning = say("panel.hands"), say("panel.hands.meaning", leader=say.name(view["leader"]))
    elif trick is None:
        headline, meaning = say("panel.lead"), say("panel.lead.meaning", leader=say.name(view["leader"]))
    else:
        headline = say(f"panel.kind.{trick['kind']}", count=trick["count"], rank=say(f"rank.{trick['rank']}"))
        meaning = say("panel.to_beat", player=say.name(trick["player"]))
    facts = (
        ()
        if promise is None
        else (
            Badge(
                "!", say("panel.promise", player=say.name(promise["player"]), worth=promise["worth"]), "warn"
            ),
        )
    )
    seats = tuple(
        Seat(
            name=say.name(row["name"]),
            points=str(row["points"]),
            awaited=row["name"] in awaited,
            first=row["name"] == view["leader"],
            badges=(
                # The hands are as dealt there, whatever has been played (AS-22).
                NOTHING if view["phase"] == "hands" else Badge("▮", say("panel.hand", row["hand"])),
                Badge("★", say("panel.out", place=view["order_out"].index(row["name"]) + 1), "good")
                if row["name"] in view["order_out"]
                else NOTHING,
                Badge("!", say("panel.promised"), "warn")
                if promise and promise["player"] == row["name"]
                else NOTHING,
            ),
        )
        for row in view["players"]
    )
    return Face(
        None, say("panel.hand_number", hand=view["hand_number"]), headline, meaning, seats, facts=facts
    )
