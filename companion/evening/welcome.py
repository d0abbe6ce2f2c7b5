"""Entries of the front door: evenings to resume, groups to play with, the demo table, and pages and
settings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from companion.evening.sharing import PLACES
from companion.journal.summaries import SessionSummary
from companion.plan import Plan
from companion.rules import registry
from companion.rules.contract import Text
from companion.settings import Settings
from companion.texts import Translator, clean
from companion.views.door.door import DoorEntry

OFFERED = 3
"""Number of evenings to resume that the door lists itself; a key opens the complete list."""


class Past(NamedTuple):
    """Earlier evenings: those to resume, the last played first, and the group that last finished
    one."""

    unfinished: Sequence[SessionSummary] = ()
    finished: Plan | None = None


def doings(settings: Settings, past: Past, say: Translator) -> list[DoorEntry]:
    """List all entries, likeliest first."""
    return [
        *_go_on(past, say),
        *_play(settings, past.finished, say),
        *_look(settings, say),
    ]


def _go_on(past: Past, say: Translator) -> Iterator[DoorEntry]:
    for number, kept in enumerate(past.unfinished[:OFFERED], 1):
        words = f"{_title(kept.game, say)}  {_who(kept, say)}"
        yield DoorEntry(str(number), words, _since(kept, say), say("door.go_on"), Plan(resume=kept.number))
    if past.unfinished:
        words, beside = say("door.evenings"), say("door.evenings.beside")
        yield DoorEntry("g", words, beside, say("door.go_on"), "evenings")


def evening_in_words(kept: SessionSummary, say: Translator) -> str:
    """Describe an evening: the game, the players, when, and how far it came."""
    who = _who(kept, say)
    return f"{_title(kept.game, say)} · {who} · {_since(kept, say)}"


def _who(kept: SessionSummary, say: Translator) -> str:
    """List the players by their current names."""
    return ", ".join(map(say.calling(kept.shown).name, kept.names))


def _since(kept: SessionSummary, say: Translator) -> str:
    last = datetime.fromtimestamp(kept.last)
    where = Text("door.begun" if kept.round is None else "door.round", {"round": str(kept.round)})
    return say("door.since", when=f"{last:%Y-%m-%d %H:%M}", where=where)


def _play(settings: Settings, finished: Plan | None, say: Translator) -> Iterator[DoorEntry]:
    heading = say("door.play")
    groups = list(settings.groups[:4])
    # The group's own plan, if it is still known, also has its devices and clock.
    if finished is not None:
        again = next(
            (one for one in groups if (one.game, one.players) == (finished.game, finished.players)), finished
        )
        yield DoorEntry("a", say("door.again"), _named(again, say), heading, again)
    for key, group in zip("pxyz", groups, strict=False):
        yield DoorEntry(
            key,
            ", ".join(map(clean, group.players)),
            _named(group, say, names=False),
            heading,
            group,
        )
    yield DoorEntry("n", say("door.new"), say("door.new.beside"), heading, Plan())
    yield DoorEntry("d", say("door.demo"), say("door.demo.beside"), heading, Plan(demo=True))


def _named(group: Plan, say: Translator, *, names: bool = True) -> str:
    devices = [say("door.camera", camera=one) for one in group.cameras]
    by = ", ".join((*devices, *group.readers)) or say("door.by_hand")
    who = [", ".join(map(clean, group.players))] if names else []
    return " · ".join([_title(group.game, say), *who, by])


def _look(settings: Settings, say: Translator) -> Iterator[DoorEntry]:
    who = say(f"share.who_{settings.share}") if settings.share in PLACES else say("share.who_nobody")
    yield DoorEntry("j", say("door.share"), who, say("door.look"), "share")
    for key, name, runs in (
        ("h", "history", "history"),
        ("w", "people", "people"),
        ("f", "figures", "figures"),
        ("k", "decks", "cards"),
        ("e", "enrol", "enrol"),
        ("b", "calibrate", "calibrate"),
        ("c", "check", "check"),
        ("s", "settings", "settings"),
    ):
        yield DoorEntry(key, say(f"door.{name}"), say(f"door.{name}.beside"), say("door.look"), runs)


def _title(game: str, say: Translator) -> str:
    try:
        return Translator(say.language, registry.load(game))("game.title")
    except registry.GameUnavailable:
        return game
