"""DTC on the dashboard: the offer on the table, the offer to beat, and the numbers of cards."""

from __future__ import annotations

from companion.rules.contract import View
from companion.texts import Translator
from companion.views.panel import NOTHING, Badge, Face, Seat, awaited_players


def face(view: View, say: Translator) -> Face:
    """Draw the view of `dtc`."""
    awaited = awaited_players(view)
    offer, beat = view["offer"], view["to_beat"]
    if view["phase"] == "told":
        headline, meaning = say("panel.told"), say("panel.told.meaning")
    elif offer is not None:
        headline = f"{offer['count']} × {offer['value']}"
        meaning = say(
            "panel.offered", giver=say.name(offer["giver"]), challenger=say.name(offer["challenger"])
        )
    elif beat is not None:
        headline = f"> {beat['count']} × {beat['value']}"
        meaning = say("panel.to_beat")
    else:
        headline, meaning = say("panel.free"), say("panel.free.meaning")
    pile = say("panel.pile", view["draw_pile"])
    last = (Badge("!", say("panel.last_challenge"), "warn"),) if view["last_challenge"] else ()
    seats = tuple(
        Seat(
            name=say.name(row["name"]),
            points=str(row["points"]),
            awaited=row["name"] in awaited,
            first=False,
            badges=(
                NOTHING
                # As dealt, which says nothing until the player has entered the number (DTC-11).
                if view["phase"] == "told" and row["name"] in awaited
                else Badge("▮", say("panel.hand", row["hand"])),
                Badge(
                    "▼",
                    say("panel.penalty", row["points"]),
                    "bad" if row["points"] else "quiet",
                ),
                Badge("→", say("panel.giver"), "accent")
                if row["name"] == view["giver"] and view["phase"] != "told"
                else NOTHING,
            ),
        )
        for row in view["players"]
    )
    return Face(
        None,
        "",
        headline,
        meaning,
        seats,
        facts=() if view["phase"] == "told" else (Badge("▯", pile, "quiet"), *last),
    )
