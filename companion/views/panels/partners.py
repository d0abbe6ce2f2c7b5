"""Partners on the dashboard: the board, whose turn it is, who has how many pawns home."""

from __future__ import annotations

from functools import partial

from companion.rules.contract import Text, View
from companion.texts import Translator
from companion.views.panel import Badge, Face, Seat, awaited_players
from companion.views.panels.board import draw

_PAWNS = 4
_DEALS = 3
"""A dealer deals three times (PA-5)."""


def face(view: View, say: Translator) -> Face:
    """Draw the view of `partners`."""
    awaited = awaited_players(view)
    names = [say.name(row["name"], 16) for row in view["players"]]
    seats = tuple(
        Seat(
            name=say.name(row["name"]),
            points=f"{row['locked']}/{_PAWNS}",
            awaited=row["name"] in awaited,
            badges=(
                Badge("◨◧"[number % 2], say("panel.team", team="AB"[number % 2]), "accent"),
                Badge(
                    "▮" * row["cards_left"],
                    say.say(Text("panel.cards", {"n": row["cards_left"]}, row["cards_left"])),
                ),
                Badge("⌂", say("panel.dealer"), "quiet") if row["name"] == view["dealer"] else Badge("", ""),
            ),
            detail=say("panel.pawns", pawns="  ".join(map(_place, row["pawns"]))),
        )
        for number, row in enumerate(view["players"])
    )
    return Face(
        progress=(view["deal"], _DEALS),
        progress_label=say("panel.deal", deal=view["deal"], deals=_DEALS),
        headline=say(f"panel.phase.{view['phase']}"),
        meaning=say(f"panel.phase.{view['phase']}.meaning"),
        seats=seats,
        board=partial(draw, [row["pawns"] for row in view["players"]], names),
    )


_SIGNS = {"base": "○", "start": "◇"}


def _place(name: str) -> str:
    """Write a place by the board's signs: base, start, goal; squares as numbered there."""
    return _SIGNS.get(name, name.replace("goal:", "◎").replace(":0", "◇"))
