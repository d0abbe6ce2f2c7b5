"""What is new, in the lines of the plain view: from two snapshots to sentences, each told once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from companion.journal.lines import Lines
from companion.live.snapshot import Snapshot
from companion.rules.contract import Reason, Text
from companion.texts import Translator
from companion.views.places import move_in_words
from companion.views.plain_words import word

_BRACKETS = re.compile(r"\([^)]*\)")
_NUMBER = re.compile(r"-?\d+(?:/\d+)?")


def news(before: Snapshot | None, now: Snapshot, say: Translator) -> Iterator[str]:
    """Tell what is new since `before` (None: everything is), acts first."""
    acts = list(_log_news(Lines() if before is None else before.log, now.log, say))
    yield from acts
    if now.refusal is not None and (before is None or before.refusal != now.refusal):
        clause = f" ({now.refusal.clause})" if now.refusal.clause else ""
        yield say.say(now.refusal.text) + clause
    if before is None or before.report != now.report:
        yield from (told(one, say) for one in now.report if not _is_in(acts, one, say))
    if now.moves and (before is None or before.moves != now.moves):
        yield say("moves.title.plain", moved=word("moved", say))
        for move in now.moves:
            yield move_in_words(move, say, now.people.seats)
    if now.odds is not None and (before is None or before.odds != now.odds):
        yield say.say(now.odds.text)
    for come_or_gone in now.people.told[0 if before is None else len(before.people.told) :]:
        yield say.say(come_or_gone.text)
    yield from _trouble(before, now, say)
    if before is None or _points(before) != _points(now):
        yield standing(now, say)
    elif before.awaited != now.awaited:
        yield say.say(now.awaited)


def standing(snapshot: Snapshot, say: Translator) -> str:
    """Say the points of all, and what is awaited."""
    points = ", ".join(f"{say.name(name)} {worth}" for name, worth in _points(snapshot))
    return f"{points}. {say.say(snapshot.awaited)}"


def told(reason: Reason, say: Translator, *, with_points: bool = False) -> str:
    """Say a reason with its clauses; the box of a step to tick is a drawing: it is said.

    `with_points`: what it was worth too, unless the sentence names that number.
    """
    words = say.say(reason.text).removeprefix("☐ ")
    if words.startswith("☑ "):
        words = say("plain.ticked", step=words[2:])
    if with_points and reason.points and str(reason.points) not in _numbers_at_the_end(words):
        words = say("plain.worth", what=words, points=reason.points)
    return f"{words} ({', '.join(reason.clauses)})"


def _numbers_at_the_end(words: str) -> list[str]:
    """List the numbers after the last colon, options in brackets left aside: a round 7 is not what
    it was worth."""
    return _NUMBER.findall(_BRACKETS.sub("", words).rpartition(":")[2])


def _is_in(acts: Sequence[str], reason: Reason, say: Translator) -> bool:
    """Tell whether a result has just been said with its act: news is told once."""
    return any(say.say(reason.text) in act for act in acts)


def _trouble(before: Snapshot | None, now: Snapshot, say: Translator) -> Iterator[str]:
    """Tell what the players should know besides the game: a notice, a journal that is not kept, a
    reader that is lost."""
    known = () if before is None else _besides(before)
    for text in _besides(now):
        if text not in known:
            yield say.say(text)


def _log_news(told_before: Lines, log: Lines, say: Translator) -> Iterator[str]:
    """Tell each line that is new, and each that no longer stands."""
    same = log.since(told_before)
    known = list(told_before[same:])
    for line in log[same:]:
        if line in known:
            known.remove(line)
        elif line.stands:
            yield say.say(line.text)
        else:
            yield say("plain.struck", line=line.text)


def _points(snapshot: Snapshot) -> list[tuple[str, object]]:
    return [(row["name"], row["points"]) for row in snapshot.view["players"]]


def _besides(snapshot: Snapshot) -> list[Text]:
    lost = [health.text for health in snapshot.health if health.warns]
    return [text for text in (snapshot.notice, snapshot.keeping, *lost) if text is not None]
