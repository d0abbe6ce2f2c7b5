"""Ascend on the dashboard: the combination to beat, players who are out, the promise, hands and
points."""

from __future__ import annotations

from companion.rules.contract import View
from companion.texts import Translator, format_score
from companion.views.panel import NOTHING, Badge, Face, Seat, find_awaited_players


def build_panel(view: View, translator: Translator) -> Face:
    """Draw the view of `ascend`."""
    awaited = find_awaited_players(view)
    trick, promise = view["trick"], view["promise"]
    if trick is None:
        # Before the exchange nobody leads yet.
        topic = view["phase"] if view["phase"] in ("hands", "exchange") else "lead"
        headline, meaning = (
            translator(f"panel.{topic}"),
            translator(f"panel.{topic}.meaning", leader=translator.display_name(view["leader"])),
        )
    else:
        headline = translator(
            f"panel.kind.{trick['kind']}", count=trick["count"], rank=translator(f"rank.{trick['rank']}")
        )
        player, suits = translator.display_name(trick["player"]), view["suits"]
        meaning = (
            translator(
                "panel.follow",
                len(suits),
                player=player,
                suits=tuple(translator(f"suit.{suit}") for suit in suits),
            )
            if suits
            else translator("panel.to_beat", player=player)
        )
    facts = (
        ()
        if promise is None
        else (
            Badge(
                "!",
                translator(
                    "panel.promise", player=translator.display_name(promise["player"]), worth=promise["worth"]
                ),
                "warn",
            ),
        )
    )
    seats = tuple(
        Seat(
            name=translator.display_name(row["name"]),
            points=format_score(row["points"]),
            awaited=row["name"] in awaited,
            first=row["name"] == view["leader"],
            badges=(
                # The hands are as dealt there, whatever has been played (AS-22).
                NOTHING if view["phase"] == "hands" else Badge("▮", translator("panel.hand", row["hand"])),
                Badge("★", translator("panel.out", place=view["order_out"].index(row["name"]) + 1), "good")
                if row["name"] in view["order_out"]
                else NOTHING,
                Badge("!", translator("panel.promised"), "warn")
                if promise and promise["player"] == row["name"]
                else NOTHING,
            ),
        )
        for row in view["players"]
    )
    return Face(
        None, translator("panel.hand_number", hand=view["hand_number"]), headline, meaning, seats, facts=facts
    )
