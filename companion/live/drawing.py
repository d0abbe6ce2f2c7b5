"""The snapshot of a session in play, drawn from its parts; nothing here changes any of them."""

from __future__ import annotations

from typing import NamedTuple

from companion.journal.journal import Journal
from companion.live.checking import Checklist
from companion.live.clocks import Clock
from companion.live.letterbox import Letterbox
from companion.live.listener import Listener
from companion.live.sealing import Together
from companion.live.snapshot import Snapshot
from companion.live.timeline import Timeline
from companion.rules.contract import Setup, Text
from companion.table.table import Table


class Parts(NamedTuple):
    """What a live session is made of, as far as it is shown."""

    setup: Setup
    table: Table
    journal: Journal
    timeline: Timeline
    listener: Listener
    checklist: Checklist
    together: Together
    letters: Letterbox


class Hour(NamedTuple):
    """What stands beside the parts at one moment.

    `now`: monotonic seconds. `held`: no card is played until the players say that all lies right.
    `closed`: whose cards lie under seals that nobody can open any more. `tells_odds`: the chances
    are shown.
    """

    now: float
    clock: Clock | None
    held: bool
    paused: bool
    closed: tuple[str, ...]
    tells_odds: bool


def drawn(parts: Parts, hour: Hour, number: int) -> Snapshot:
    """Draw the snapshot; before the first act its report is what is to be set up, with what the
    readers see or have counted ticked off."""
    course, session = parts.timeline, parts.timeline.session
    begun = session.can_undo
    to_do = () if begun or course.report else parts.checklist.lines(parts.table.claims(hour.now))
    return Snapshot(
        number=number,
        setup=parts.setup,
        view=course.view,
        awaited=course.awaited,
        report=course.report or to_do,
        last=course.last,
        refusal=course.refusal,
        log=course.lines,
        questions=parts.listener.questions.open(),
        moves=course.moves,
        unasked=course.unasked,
        health=parts.table.health,
        clock=hour.clock.face(hour.now) if hour.clock else None,
        keeping=parts.journal.trouble,
        waiting=parts.journal.waiting,
        can_undo=begun,
        can_redo=session.can_redo,
        notice=_notice(parts, hour),
        rounds=course.rounds,
        can_count=can_count(parts, held=hour.held),
        decided=parts.together.decided,
        people=course.people,
        paused=hour.paused,
        resolved=course.resolved,
        gained=course.gained,
        odds=session.game.odds(course.state) if hour.tells_odds else None,
    )


def can_count(parts: Parts, *, held: bool) -> bool:
    """Tell whether the deck can be counted: nothing was played, and a reader sees the cards."""
    begun = parts.timeline.session.can_undo
    return not (begun or held) and parts.checklist.counts and bool(parts.table.health)


def _notice(parts: Parts, hour: Hour) -> Text | None:
    """Say the most urgent of what the players should know besides the game."""
    if parts.listener.fault:
        return Text("refusal.fault", {"kind": parts.listener.fault})
    begun, decided = parts.timeline.session.can_undo, parts.together.decided
    held = parts.checklist.held(begun=begun) if hour.held else None
    sealed = Text("live.decided", {"players": decided}, len(decided)) if decided else None
    closed = Text("live.closed", {"players": hour.closed}) if hour.closed else None
    return (
        parts.timeline.notice
        or held
        or sealed
        or parts.letters.said(hour.now)
        or parts.listener.hint(hour.now)
        or closed
        or parts.journal.moved
    )
