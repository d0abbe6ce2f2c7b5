"""Donkey Valley on the dashboard: the donkey, how full it is, and what each player has done."""

from __future__ import annotations

from typing import Any

from companion.games.donkey_valley.cards import FAVOURS_A_GAME, find_removed_values
from companion.games.donkey_valley.state import compute_limits
from companion.games.donkey_valley.words import describe_effect, has_loads_won_only
from companion.rules.contract import GAME_OVER, View
from companion.texts import Translator
from companion.views.panel import (
    FACTS,
    NOTHING,
    Badge,
    Face,
    Gauge,
    RoundResult,
    Seat,
    Tone,
    find_awaited_players,
)


def build_panel(view: View, translator: Translator) -> Face:
    """Draw the view of `donkey_valley`."""
    donkey = view["donkey"]
    awaited = find_awaited_players(view)
    if has_loads_won_only(view):
        return _build_told_face(view, awaited, translator)
    seats = tuple(_build_seat(row, view, awaited, translator) for row in view["players"])
    # A lost donkey is played after the others, in the round in which it was lost.
    number = view["rounds"] if view["phase"] == GAME_OVER else view["round"]
    return Face(
        progress=(min(max(view["round"], len(view["donkeys_seen"]), 1), view["rounds"]), view["rounds"]),
        progress_label=translator("panel.round", round=number, rounds=view["rounds"]),
        headline=translator(f"panel.donkey.{donkey}") if donkey else translator("panel.no_donkey"),
        meaning=_format_meaning(view, translator)
        if donkey
        else translator("panel.no_donkey.meaning", left=view["donkeys_left"]),
        seats=seats,
        gauge=_build_gauge(view, translator),
        result=_build_round_result(view, translator),
        facts=_build_facts(view, translator),
        picture=f"donkey:{donkey}" if donkey else "",
    )


def _build_told_face(view: View, awaited: set[str], translator: Translator) -> Face:
    """Draw a game of which only the loads won are entered (DV-24)."""
    seats = tuple(
        Seat(
            name=translator.display_name(row["name"]),
            points=str(row["points"]),
            awaited=row["name"] in awaited,
            first=False,
            badges=(),
            detail="" if row["name"] in awaited else _format_won_loads(row, translator),
        )
        for row in view["players"]
    )
    # The banner says what is to be entered.
    return Face(None, "", translator("panel.told"), "", seats)


def _format_meaning(view: View, translator: Translator) -> str:
    """Return the donkey's effect. A double that is the last of the pile is void: one load each,
    with the capacity of a normal one (DV-38)."""
    normal, _ = compute_limits("normal", len(view["players"]), void=False)
    void = view["donkey"] == "double" and view["capacity"] == normal
    return translator.translate(describe_effect(view["donkey"], void=void))


def _build_gauge(view: View, translator: Translator) -> Gauge | None:
    if view["donkey"] is None:
        return None
    limit = view["capacity"] if view["spread_limit"] is None else view["spread_limit"]
    label = translator("panel.capacity" if view["spread_limit"] is None else "panel.spread")
    verdicts = {
        None: ("", "plain"),
        True: (f"✘ {translator('panel.overloaded')}", "bad"),
        False: (f"✔ {translator('panel.carried')}", "good"),
    }
    verdict, tone = verdicts[view["overloaded"]]
    if view["spread_limit"] is not None:
        # A difference has no parts that add up: it is shown as one from the first card on.
        return Gauge(label, _measure_load(view), limit, verdict, tone)  # type: ignore[arg-type]
    parts = tuple(value for row in view["players"] for value in row["loads_up"])
    owners = tuple(seat for seat, row in enumerate(view["players"], 1) for _ in row["loads_up"])
    return Gauge(label, _measure_load(view), limit, verdict, tone, parts, owners)  # type: ignore[arg-type]


def _build_round_result(view: View, translator: Translator) -> RoundResult | None:
    """Return the result of the round while its cards still lie there: before the next donkey, and
    at the end of the game."""
    if view["phase"] not in ("donkey", GAME_OVER) or view["donkey"] is None:
        return None
    if view["overloaded"] is None:
        return _build_unweighed_result(view, translator)
    gauge = _build_gauge(view, translator)
    assert gauge is not None
    kind = "overloaded" if view["overloaded"] else "carried"
    if not view["total"] and any(row["loads_up"] for row in view["players"]):
        kind = "emptied"  # the donkey removed every load
    parts = " + ".join(map(str, gauge.parts)) if view["spread_limit"] is None else ""
    # Not where the donkey removed loads: then the sum shown would not add up.
    sum_of = f"{parts} = " if parts and sum(gauge.parts) == gauge.value else ""
    figures = sum_of + translator("panel.result.figures", value=str(gauge.value), limit=str(gauge.limit))
    won = tuple(
        (translator.display_name(row["name"]), _format_decision(row, translator)) for row in view["players"]
    )
    return RoundResult(translator(f"panel.{kind}"), figures, "bad" if view["overloaded"] else "good", won)


def _build_unweighed_result(view: View, translator: Translator) -> RoundResult | None:
    """Return the result of a round whose loads were not weighed: a stubborn donkey that stays
    (DV-39), a lost one that waits aside (DV-37)."""
    kinds: dict[str, tuple[str, Tone]] = {"stubborn": ("refused", "bad"), "lost": ("aside", "warn")}
    if view["donkey"] not in kinds:
        return None
    kind, tone = kinds[view["donkey"]]
    refused = sum(row["decision"] is False for row in view["players"])
    figures = translator(f"panel.{kind}.figures", refused=refused, players=len(view["players"]))
    won = tuple(
        (translator.display_name(row["name"]), _format_decision(row, translator)) for row in view["players"]
    )
    return RoundResult(translator(f"panel.{kind}"), figures, tone, won)


def _format_decision(row: dict[str, Any], translator: Translator) -> str:
    return (
        "" if row["decision"] is None else translator("panel.accepts" if row["decision"] else "panel.refuses")
    )


def _measure_load(view: View) -> int | None:
    """Return the value to compare with the limit: the total, or the spread for the precision donkey
    (DV-33); during the reveal that of the loads that lie open, without those that the donkey would
    remove (DV-36, DV-41). None before the first."""
    values: list[int] = [value for row in view["players"] for value in row["loads_up"]]
    if view["spread_limit"] is not None and values:
        # The precision donkey removes no load, so that all that lie open count.
        return max(values) - min(values)
    if view["total"] is not None or not values:
        total: int | None = view["total"]
        return total
    removed = find_removed_values(view["donkey"], values)
    return sum(value for value in values if value not in removed)


def _build_facts(view: View, translator: Translator) -> tuple[Badge, ...]:
    facts = [
        Badge(
            "🂠",
            translator("panel.donkeys_left", view["donkeys_left"]),
            "quiet",
        )
    ]
    if view["set_aside"]:
        facts.append(Badge("↩", translator("panel.set_aside", view["set_aside"]), "warn"))
    # The gauge shows the spread, so the total is shown here.
    if view["spread_limit"] is not None and view["total"] is not None:
        facts.append(Badge("Σ", translator("panel.total", total=view["total"]), "quiet"))
    return tuple(facts)


def _build_seat(row: dict[str, Any], view: View, awaited: set[str], translator: Translator) -> Seat:
    return Seat(
        name=translator.display_name(row["name"]),
        points=str(row["points"]),
        awaited=row["name"] in awaited,
        first=row["name"] == view["first_player"],
        badges=(
            _build_decision_badge(row, translator),
            *_build_load_badges(row, translator),
            *_build_favour_badges(row, translator),
        ),
        detail=FACTS.join((_format_won_loads(row, translator), translator("panel.hand", row["hand"]))),
    )


def _format_won_loads(row: dict[str, Any], translator: Translator) -> str:
    won = [str(load["value"]) for load in row["loads_won"]]
    return translator("panel.won", loads=" ".join(won)) if won else translator("panel.won_none")


def _build_decision_badge(row: dict[str, Any], translator: Translator) -> Badge:
    badges = {
        None: Badge("…", translator("panel.undecided"), "quiet"),
        True: Badge("✔", translator("panel.accepts"), "good"),
        False: Badge("✘", translator("panel.refuses"), "bad"),
    }
    return badges[row["decision"]]


def _build_load_badges(row: dict[str, Any], translator: Translator) -> tuple[Badge, Badge]:
    down, up = row["loads_down"], row["loads_up"]
    return (
        Badge("▮" * down, translator("panel.down", down)) if down else NOTHING,
        Badge("".join(f"[{value}]" for value in up), translator("panel.up"), "accent") if up else NOTHING,
    )


def _build_favour_badges(row: dict[str, Any], translator: Translator) -> tuple[Badge, Badge]:
    left, used = row["favours_left"], row["favour"]
    sign = "◆" * left + "◇" * (FAVOURS_A_GAME - left)
    return (
        Badge(sign, translator("panel.favours", left), "plain" if left else "quiet"),
        NOTHING if used is None else Badge(f"◆{used}", translator("panel.favour_used", card=used), "warn"),
    )
