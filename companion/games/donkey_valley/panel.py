"""Donkey Valley on the dashboard: the donkey, how full it is, and what each player has done."""

from __future__ import annotations

from typing import Any

from companion.games.donkey_valley.cards import FAVOURS_A_GAME
from companion.games.donkey_valley.state import limits
from companion.rules.contract import GAME_OVER, View
from companion.texts import Translator
from companion.views.panel import FACTS, NOTHING, Badge, Face, Gauge, RoundResult, Seat, awaited_players


def face(view: View, say: Translator) -> Face:
    """Draw the view of `donkey_valley`."""
    donkey = view["donkey"]
    awaited = awaited_players(view)
    seats = tuple(_seat(row, view, awaited, say) for row in view["players"])
    return Face(
        progress=(min(max(view["round"], 1), view["rounds"]), view["rounds"]),
        progress_label=say("panel.round", round=view["round"], rounds=view["rounds"]),
        headline=say(f"panel.donkey.{donkey}") if donkey else say("panel.no_donkey"),
        meaning=_meaning(view, say) if donkey else say("panel.no_donkey.meaning", left=view["donkeys_left"]),
        seats=seats,
        gauge=_gauge(view, say),
        result=_result(view, say),
        facts=_facts(view, say),
        picture=f"donkey:{donkey}" if donkey else "",
    )


def _meaning(view: View, say: Translator) -> str:
    """Return the donkey's effect. A double that is the last of the pile is void: one load each,
    with the capacity of a normal one (DV-38)."""
    normal, _ = limits("normal", len(view["players"]), void=False)
    void = view["donkey"] == "double" and view["capacity"] == normal
    return say("effect.double_void" if void else f"effect.{view['donkey']}")


def _gauge(view: View, say: Translator) -> Gauge | None:
    if view["donkey"] is None:
        return None
    limit = view["capacity"] if view["spread_limit"] is None else view["spread_limit"]
    label = say("panel.capacity" if view["spread_limit"] is None else "panel.spread")
    verdicts = {
        None: ("", "plain"),
        True: (f"✘ {say('panel.overloaded')}", "bad"),
        False: (f"✔ {say('panel.carried')}", "good"),
    }
    verdict, tone = verdicts[view["overloaded"]]
    parts = tuple(value for row in view["players"] for value in row["loads_up"])
    owners = tuple(seat for seat, row in enumerate(view["players"], 1) for _ in row["loads_up"])
    return Gauge(label, _measured(view), limit, verdict, tone, parts, owners)  # type: ignore[arg-type]


def _result(view: View, say: Translator) -> RoundResult | None:
    """Return the result of the round while its cards still lie there: before the next donkey, and
    at the end of the game."""
    if view["phase"] not in ("donkey", GAME_OVER) or view["overloaded"] is None:
        return None
    gauge = _gauge(view, say)
    assert gauge is not None
    kind = "overloaded" if view["overloaded"] else "carried"
    parts = " + ".join(map(str, gauge.parts)) if view["spread_limit"] is None else ""
    # Not where the donkey removed loads: then the sum shown would not add up.
    sum_of = f"{parts} = " if parts and sum(gauge.parts) == gauge.value else ""
    figures = sum_of + say("panel.result.figures", value=str(gauge.value), limit=str(gauge.limit))
    won = tuple((say.name(row["name"]), _decided(row, say)) for row in view["players"])
    return RoundResult(say(f"panel.{kind}"), figures, "bad" if view["overloaded"] else "good", won)


def _decided(row: dict[str, Any], say: Translator) -> str:
    return "" if row["decision"] is None else say("panel.accepts" if row["decision"] else "panel.refuses")


def _measured(view: View) -> int | None:
    """Return the value to compare with the limit: the total, or the spread for the precision donkey
    (DV-33); None before the reveal."""
    if view["total"] is None:
        return None
    if view["spread_limit"] is None:
        return int(view["total"])
    # The precision donkey removes no load, so that all that lie open count.
    values = [value for row in view["players"] for value in row["loads_up"]]
    return max(values) - min(values) if values else 0


def _facts(view: View, say: Translator) -> tuple[Badge, ...]:
    facts = [
        Badge(
            "🂠",
            say("panel.donkeys_left", view["donkeys_left"]),
            "quiet",
        )
    ]
    if view["set_aside"]:
        facts.append(Badge("↩", say("panel.set_aside", view["set_aside"]), "warn"))
    # The gauge shows the spread, so the total is shown here.
    if view["spread_limit"] is not None and view["total"] is not None:
        facts.append(Badge("Σ", say("panel.total", total=view["total"]), "quiet"))
    return tuple(facts)


def _seat(row: dict[str, Any], view: View, awaited: set[str], say: Translator) -> Seat:
    won = [str(load["value"]) for load in row["loads_won"]]
    detail = say("panel.won", loads=" ".join(won)) if won else say("panel.won_none")
    return Seat(
        name=say.name(row["name"]),
        points=str(row["points"]),
        awaited=row["name"] in awaited,
        first=row["name"] == view["first_player"],
        badges=(_decision(row, say), *_loads(row, say), *_favours(row, say)),
        detail=FACTS.join((detail, say("panel.hand", row["hand"]))),
    )


def _decision(row: dict[str, Any], say: Translator) -> Badge:
    badges = {
        None: Badge("…", say("panel.undecided"), "quiet"),
        True: Badge("✔", say("panel.accepts"), "good"),
        False: Badge("✘", say("panel.refuses"), "bad"),
    }
    return badges[row["decision"]]


def _loads(row: dict[str, Any], say: Translator) -> tuple[Badge, Badge]:
    down, up = row["loads_down"], row["loads_up"]
    return (
        Badge("▮" * down, say("panel.down", down)) if down else NOTHING,
        Badge("".join(f"[{value}]" for value in up), say("panel.up"), "accent") if up else NOTHING,
    )


def _favours(row: dict[str, Any], say: Translator) -> tuple[Badge, Badge]:
    left, used = row["favours_left"], row["favour"]
    sign = "◆" * left + "◇" * (FAVOURS_A_GAME - left)
    return (
        Badge(sign, say("panel.favours", left), "plain" if left else "quiet"),
        NOTHING if used is None else Badge(f"◆{used}", say("panel.favour_used", card=used), "warn"),
    )
