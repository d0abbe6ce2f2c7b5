"""Ochs & Esel on the dashboard: what is to beat, where donkey and ox are and when they may be led,
hands and penalties."""

from __future__ import annotations

from typing import Any

from companion.rules.contract import View
from companion.texts import Translator
from companion.views.panel import NOTHING, Badge, Face, Seat, find_awaited_players


def build_panel(view: View, translator: Translator) -> Face:
    """Draw the view of `ochs_und_esel`."""
    awaited = find_awaited_players(view)
    plays = {play["player"]: play["cards"] for play in view["plays"]}
    return Face(
        progress=(view["hand_number"], view["hands"]),
        progress_label=translator("panel.hand_number", hand=view["hand_number"], hands=view["hands"]),
        headline=_format_headline(view, translator),
        meaning=_format_meaning(view, translator),
        seats=tuple(_build_seat(row, view, plays, awaited, translator) for row in view["players"]),
        facts=tuple(
            _build_animal_badge(animal, view, translator)
            for animal in ("donkey", "ox")
            if view[animal] is not None
        ),
        picture=f"oe:{view['trick_kind']}" if view["trick_kind"] in ("donkey", "ox") else "",
    )


def _format_headline(view: View, translator: Translator) -> str:
    beat = view["to_beat"]
    if view["trick_kind"] in ("donkey", "ox"):
        return translator(f"panel.trick.{view['trick_kind']}")
    if beat is not None:
        return f"> {beat['count']} × {beat['value']}"
    # In the phase `hands` of a hand that was followed there have been tricks.
    if _is_hand_unseen(view):
        return translator("panel.phase.hands_only")
    return translator(f"panel.phase.{view['phase']}")


def _is_hand_unseen(view: View) -> bool:
    """Tell whether the hand is played without the companion and no player has entered a hand
    (OE-12)."""
    return (
        view["trick"] == 0 and len(view["waiting_for"]) == len(view["players"]) and not _is_pile_awaited(view)
    )


def _is_pile_awaited(view: View) -> bool:
    return any(row["do"] == "pile" for row in view["waiting_for"])


def _format_meaning(view: View, translator: Translator) -> str:
    if view["trick_kind"] in ("donkey", "ox"):
        return translator(f"panel.trick.{view['trick_kind']}.meaning")
    # First: with the pile no trick is known either.
    if _is_pile_awaited(view):
        return translator("panel.pile.meaning")
    if view["trick"] == 0:
        return translator("panel.hands_only", leader=translator.display_name(view["leader"]))
    return translator("panel.trick", trick=view["trick"], leader=translator.display_name(view["leader"]))


def _build_animal_badge(animal: str, view: View, translator: Translator) -> Badge:
    holder, wait = view[animal], view[f"{animal}_free_in"]
    where = translator("panel.middle") if holder == "middle" else translator.display_name(holder)
    words = translator(f"panel.{animal}_at", where=where)
    if wait:
        words += " · " + translator("panel.free_in", wait)
    return Badge(translator(f"panel.{animal}_sign"), words, "warn" if wait else "accent")


def _build_holder_badge(player: str, view: View, translator: Translator) -> Badge:
    held = [animal for animal in ("donkey", "ox") if view[animal] == player]
    if not held:
        return NOTHING
    sign = "".join(translator(f"panel.{animal}_sign") for animal in held)
    return Badge(sign, translator(f"panel.holds_{held[0] if len(held) == 1 else 'both'}"), "warn")


def _build_seat(
    row: dict[str, Any], view: View, plays: dict[str, list[str]], awaited: set[str], translator: Translator
) -> Seat:
    played = plays.get(row["name"])
    return Seat(
        name=translator.display_name(row["name"]),
        points=str(row["points"]),
        awaited=row["name"] in awaited,
        first=row["name"] == view["leader"],
        badges=(
            Badge("▮", translator("panel.hand", row["hand"])),
            _build_play_badge(played, translator),
            _build_holder_badge(row["name"], view, translator),
            Badge("▼", translator("panel.pile", row["pile"]), "bad") if row["pile"] else NOTHING,
        ),
    )


def _build_play_badge(cards: list[str] | None, translator: Translator) -> Badge:
    if cards is None:
        return NOTHING
    words = " ".join(translator(f"card.{card}") for card in cards)
    return Badge("■", words, "good") if cards else Badge("–", translator("panel.passed"), "quiet")
