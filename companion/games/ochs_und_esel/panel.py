"""Ochs & Esel on the dashboard: what is to beat, where donkey and ox are and when they may be led,
hands and penalties."""

from __future__ import annotations

from typing import Any

from companion.rules.contract import View
from companion.texts import Translator
from companion.views.panel import NOTHING, Badge, Face, Seat, awaited_players


def face(view: View, say: Translator) -> Face:
    """Draw the view of `ochs_und_esel`."""
    awaited = awaited_players(view)
    plays = {play["player"]: play["cards"] for play in view["plays"]}
    return Face(
        progress=(view["hand_number"], view["hands"]),
        progress_label=say("panel.hand_number", hand=view["hand_number"], hands=view["hands"]),
        headline=_headline(view, say),
        meaning=_meaning(view, say),
        seats=tuple(_seat(row, view, plays, awaited, say) for row in view["players"]),
        facts=tuple(_animal(animal, view, say) for animal in ("donkey", "ox") if view[animal] is not None),
        picture=f"oe:{view['trick_kind']}" if view["trick_kind"] in ("donkey", "ox") else "",
    )


def _headline(view: View, say: Translator) -> str:
    beat = view["to_beat"]
    if view["trick_kind"] in ("donkey", "ox"):
        return say(f"panel.trick.{view['trick_kind']}")
    if beat is not None:
        return f"> {beat['count']} × {beat['value']}"
    # In the phase `hands` of a hand that was followed there have been tricks.
    if _hand_unheard(view):
        return say("panel.phase.hands_only")
    return say(f"panel.phase.{view['phase']}")


def _hand_unheard(view: View) -> bool:
    """Tell whether the hand is played without the companion and no player has entered a hand
    (OE-12)."""
    return view["trick"] == 0 and len(view["waiting_for"]) == len(view["players"]) and not _pile_awaited(view)


def _pile_awaited(view: View) -> bool:
    return any(row["do"] == "pile" for row in view["waiting_for"])


def _meaning(view: View, say: Translator) -> str:
    if view["trick_kind"] in ("donkey", "ox"):
        return say(f"panel.trick.{view['trick_kind']}.meaning")
    # First: with the pile no trick is known either.
    if _pile_awaited(view):
        return say("panel.pile.meaning")
    if view["trick"] == 0:
        return say("panel.hands_only", leader=say.name(view["leader"]))
    return say("panel.trick", trick=view["trick"], leader=say.name(view["leader"]))


def _animal(animal: str, view: View, say: Translator) -> Badge:
    sign, holder, wait = {"donkey": "D", "ox": "O"}[animal], view[animal], view[f"{animal}_free_in"]
    where = say("panel.middle") if holder == "middle" else say.name(holder)
    words = say(f"panel.{animal}_at", where=where)
    if wait:
        words += " · " + say("panel.free_in", wait)
    return Badge(f"[{sign}]", words, "warn" if wait else "accent")


def _seat(
    row: dict[str, Any], view: View, plays: dict[str, list[str]], awaited: set[str], say: Translator
) -> Seat:
    played = plays.get(row["name"])
    holds = "".join(
        sign for sign, animal in (("[D]", "donkey"), ("[O]", "ox")) if view[animal] == row["name"]
    )
    return Seat(
        name=say.name(row["name"]),
        points=str(row["points"]),
        awaited=row["name"] in awaited,
        first=row["name"] == view["leader"],
        badges=(
            Badge("▮", say("panel.hand", row["hand"])),
            _played(played, say),
            Badge(holds, say("panel.holds"), "warn") if holds else NOTHING,
            Badge("▼", say("panel.pile", row["pile"]), "bad") if row["pile"] else NOTHING,
        ),
    )


def _played(cards: list[str] | None, say: Translator) -> Badge:
    if cards is None:
        return NOTHING
    words = " ".join(say(f"card.{card}") for card in cards)
    return Badge("■", words, "good") if cards else Badge("–", say("panel.passed"), "quiet")
