"""History of a saved session: its entries in words, and its points round by round."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from fractions import Fraction
from typing import Any

import msgspec
from msgspec.structs import replace

from companion.journal.narration import Narration
from companion.journal.saved_session import SavedSession
from companion.rules import registry
from companion.rules.contract import Text, View, format_points
from companion.rules.people import RIGHT, SeatChange
from companion.rules.session import Session


class Record(msgspec.Struct, frozen=True):
    """One entry in words.

    `number`: its place, from 1. `time`: seconds since 1970. `player`: who acted, None for the
    table. `extract_points`: of all players, after it. `renames`: it reports that a name was
    corrected, and so contains the wrong one.
    """

    number: int
    time: float
    player: str | None
    text: Text
    points: Mapping[str, Any]
    renames: bool = False


def iter_by_day(begun: float, records: Iterable[Record]) -> Iterator[tuple[date | None, datetime, Record]]:
    """Yield each record with its local time, and with its date if that differs from the one before.
    `begun`: seconds since 1970."""
    day = datetime.fromtimestamp(begun).date()
    for record in records:
        time = datetime.fromtimestamp(record.time)
        yield None if time.date() == day else time.date(), time, record
        day = time.date()


class ScoreRow(msgspec.Struct, frozen=True):
    """One row of the score sheet: the round (None: none), and what each player won in it."""

    round: int | str | None
    points: Mapping[str, Any]


def build_records(saved: SavedSession) -> list[Record]:
    """Describe a session's entries in the order they were made, undos and corrections included."""
    game = registry.load_game(saved.setup.game)
    session = Session(game, saved.setup)
    narration = Narration(session, saved.names)
    found: list[Record] = []
    changes: list[int] = []
    for number, (entry, time) in enumerate(zip(saved.entries, saved.times, strict=True), 1):
        text = narration.replay_entry(entry)
        player = getattr(entry.acts[0].request, "player", None) if entry.kind == "act" else None
        found.append(Record(number, time, player, text, extract_points(session.view())))
        changes += [number - 1 for note in entry.notes if isinstance(note, SeatChange)]
    # Described at the end, when everybody's correct name is known.
    for place, news in zip(changes, narration.people.described_changes, strict=True):
        if saved.entries[place].kind == "note":
            found[place] = replace(found[place], text=news.text, renames=news.deed in RIGHT)
    return found


def build_score_sheet(saved: SavedSession) -> list[ScoreRow]:
    """Return what each player won in each round, without undone acts. The rows add up to the points
    at the end."""
    session = saved.restore_session()
    before = session.game.view(session.current_moment.moment_at(0).state)
    rows = {session.game.find_round(before): _extract_exact_points(before)}
    for moment in session.current_moment.list_moments():
        after = session.game.view(moment.state)
        # Labelled by the view before the act: after a round's last act it may show the next round
        # already.
        row = rows.setdefault(session.game.find_round(before), dict.fromkeys(saved.people.seats, Fraction()))
        then = _extract_exact_points(before)
        for player, now in _extract_exact_points(after).items():
            row[player] += now - then[player]
        before = after
    return [
        ScoreRow(label, {name: format_points(won) for name, won in row.items()})
        for label, row in rows.items()
    ]


def extract_points(view: View) -> dict[str, Any]:
    """Return each player's points."""
    return {row["name"]: row["points"] for row in view["players"]}


def _extract_exact_points(view: View) -> dict[str, Fraction]:
    """Return each player's points as fractions: shared points are text in a view (`7/3`)."""
    return {name: Fraction(total) for name, total in extract_points(view).items()}
