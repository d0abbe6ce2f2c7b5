"""DTC on the dashboard: the offer on the table, the offer to beat, and the numbers of cards."""

from __future__ import annotations

from companion.rules.contract import GAME_OVER, View
from companion.texts import Translator
from companion.views.panel import NOTHING, Badge, Face, Seat, find_awaited_players


def build_panel(view: View, translator: Translator) -> Face:
    """Draw the view of `dtc`."""
    awaited = find_awaited_players(view)
    offer, beat = view["offer"], view["to_beat"]
    if view["phase"] == "told":
        headline, meaning = translator("panel.told"), translator("panel.told.meaning")
    elif offer is not None:
        headline = f"{offer['count']} × {offer['value']}"
        meaning = translator(
            "panel.offered",
            giver=translator.display_name(offer["giver"]),
            challenger=translator.display_name(offer["challenger"]),
        )
    elif beat is not None:
        headline = f"> {beat['count']} × {beat['value']}"
        meaning = translator("panel.to_beat")
    else:
        headline, meaning = translator("panel.free"), translator("panel.free.meaning")
    pile = translator("panel.pile", view["draw_pile"])
    last = (Badge("!", translator("panel.last_challenge"), "warn"),) if view["last_challenge"] else ()
    seats = tuple(
        Seat(
            name=translator.display_name(row["name"]),
            points=str(row["points"]),
            awaited=row["name"] in awaited,
            first=False,
            badges=(
                NOTHING
                # As dealt, which says nothing until the player has entered the number (DTC-11).
                if view["phase"] == "told" and row["name"] in awaited
                else Badge("▮", translator("panel.hand", row["hand"])),
                NOTHING
                if view["phase"] == "told"
                else Badge(
                    "▼",
                    translator("panel.penalty", row["points"]),
                    "bad" if row["points"] else "quiet",
                ),
                Badge("→", translator("panel.giver"), "accent")
                if row["name"] == view["giver"] and view["phase"] not in ("told", GAME_OVER)
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
