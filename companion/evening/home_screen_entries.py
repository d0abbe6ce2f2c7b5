"""Entries of the home screen: evenings to resume, groups to play with, the demo table,
pages and settings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from companion.evening.sharing import PLACES
from companion.journal.summaries import SessionSummary
from companion.plan import Plan
from companion.rules.contract import Text
from companion.settings import Settings
from companion.texts import Translator, clean_text
from companion.views.home_screen.home_screen import HomeScreenEntry

OFFERED = 3
"""Number of evenings to resume that the home screen lists itself; a key opens the complete list."""


class PastSessions(NamedTuple):
    """Earlier evenings: those to resume, the last played first, and the group that last finished
    one."""

    unfinished: Sequence[SessionSummary] = ()
    finished: Plan | None = None


def list_home_entries(
    settings: Settings, past_sessions: PastSessions, translator: Translator
) -> list[HomeScreenEntry]:
    """List all entries, likeliest first."""
    return [
        *_list_continue_entries(past_sessions, translator),
        *_list_play_entries(settings, past_sessions.finished, translator),
        *_list_page_entries(settings, translator),
    ]


def _list_continue_entries(past: PastSessions, translator: Translator) -> Iterator[HomeScreenEntry]:
    for number, summary in enumerate(past.unfinished[:OFFERED], 1):
        words = f"{_format_game_title(summary.game, translator)}  {_format_players(summary, translator)}"
        yield HomeScreenEntry(
            str(number),
            words,
            _format_progress(summary, translator),
            translator("home_screen.go_on"),
            Plan(resume=summary.number),
        )
    if past.unfinished:
        words, explanation = translator("home_screen.evenings"), translator("home_screen.evenings.beside")
        yield HomeScreenEntry("g", words, explanation, translator("home_screen.go_on"), "evenings")


def format_session_summary(summary: SessionSummary, translator: Translator) -> str:
    """Describe an evening: the game, the players, when, and how far it came."""
    players = _format_players(summary, translator)
    return f"{_format_game_title(summary.game, translator)} · {players} · {_format_progress(summary, translator)}"


def _format_players(summary: SessionSummary, translator: Translator) -> str:
    """List the players by their current names."""
    return ", ".join(map(translator.with_names(summary.shown).display_name, summary.names))


def _format_progress(summary: SessionSummary, translator: Translator) -> str:
    last = datetime.fromtimestamp(summary.last)
    progress = Text(
        "home_screen.begun" if summary.round is None else "home_screen.round", {"round": str(summary.round)}
    )
    # Some games play hands, and not rounds.
    where = Translator.for_game(translator.language, summary.game).translate(progress)
    return translator("home_screen.since", when=f"{last:%Y-%m-%d %H:%M}", where=where)


def _list_play_entries(
    settings: Settings, finished: Plan | None, translator: Translator
) -> Iterator[HomeScreenEntry]:
    heading = translator("home_screen.play")
    groups = list(settings.groups[:4])
    # The group's own plan, if it is still known, also has its devices and clock.
    if finished is not None:
        last_group = next(
            (one for one in groups if (one.game, one.players) == (finished.game, finished.players)), finished
        )
        yield HomeScreenEntry(
            "a", translator("home_screen.again"), _format_group(last_group, translator), heading, last_group
        )
    for key, group in zip("pxyz", groups, strict=False):
        yield HomeScreenEntry(
            key,
            ", ".join(map(clean_text, group.players)),
            _format_group(group, translator, names=False),
            heading,
            group,
        )
    yield HomeScreenEntry(
        "n", translator("home_screen.new"), translator("home_screen.new.beside"), heading, Plan()
    )
    yield HomeScreenEntry(
        "d", translator("home_screen.demo"), translator("home_screen.demo.beside"), heading, Plan(demo=True)
    )


def _format_group(group: Plan, translator: Translator, *, names: bool = True) -> str:
    devices = [translator("home_screen.camera", camera=one) for one in group.cameras]
    devices_used = ", ".join((*devices, *group.readers)) or translator("home_screen.by_hand")
    players = [", ".join(map(clean_text, group.players))] if names else []
    return " · ".join([_format_game_title(group.game, translator), *players, devices_used])


def _list_page_entries(settings: Settings, translator: Translator) -> Iterator[HomeScreenEntry]:
    sharing = (
        translator(f"share.who_{settings.share}")
        if settings.share in PLACES
        else translator("share.who_nobody")
    )
    yield HomeScreenEntry(
        "j", translator("home_screen.share"), sharing, translator("home_screen.look"), "share"
    )
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
        yield HomeScreenEntry(
            key,
            translator(f"home_screen.{name}"),
            translator(f"home_screen.{name}.beside"),
            translator("home_screen.look"),
            runs,
        )


def _format_game_title(game: str, translator: Translator) -> str:
    return Translator.for_game(translator.language, game).find_words(Text("game.title")) or game
