"""The story of a game, told by its moments: what was resolved and whose points it changed, with
what made it special (a favour, a promise). Ordinary acts are left out.

An act is a moment if screens show a short call for its result (`companion.views.moments`), except
for a trick that changed no points and harmed nobody. An event is remembered for the next moment if
the game's catalogue has a sentence for it, `tale.<code>`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from companion.live.snapshot import RoundRow, ScoreHistory
from companion.rules.acts import Moment
from companion.rules.contract import Game, Reason, Text
from companion.rules.session import Session
from companion.texts import Translator
from companion.views.moments import Gain, is_bad, list_moment_codes


class Chapter(NamedTuple):
    """One moment: its short call, the sentence about it ("": the points say it), what led to it,
    and the points that it changed."""

    call: str
    sentence: str
    remarks: tuple[str, ...]
    gains: tuple[Gain, ...]


class Story(NamedTuple):
    """The moments of a game in their order, and its rounds with the points won in each."""

    chapters: tuple[Chapter, ...]
    rounds: tuple[RoundRow, ...]


def tell_story(session: Session, seats: Sequence[str], translator: Translator) -> Story:
    """Tell the game as it stands: what was undone or corrected is not part of it. `seats`: as in
    `People`."""
    scores, chapters, remarks = ScoreHistory(session.game), [], list[str]()
    for moment in _list_moments(session):
        scores.list_rounds(moment)
        remarks += _list_remarks(moment, translator)
        chapter = _build_chapter(session.game, seats, moment, scores, translator)
        if chapter is not None:
            chapters.append(chapter._replace(remarks=tuple(remarks)))
            remarks = []
    return Story(tuple(chapters), scores.list_rounds(session.current_moment))


def _list_moments(session: Session) -> list[Moment]:
    moments = [session.current_moment]
    while moments[-1].before is not None:
        moments.append(moments[-1].before)
    return moments[::-1]


def _list_remarks(moment: Moment, translator: Translator) -> Iterator[str]:
    for text in moment.words:
        words = translator.find_words(Text(f"tale.{text.code}", text.args, text.n))
        if words is not None:
            yield words


def _build_chapter(
    game: Game[Any], seats: Sequence[str], moment: Moment, scores: ScoreHistory, translator: Translator
) -> Chapter | None:
    """Return the chapter of one act, still without remarks; None for an ordinary act."""
    if moment.before is None:
        return None
    report = game.explain_round(moment.state)
    if not report or tuple(report) == tuple(game.explain_round(moment.before.state)):
        return None
    called = next(iter(_list_calls(report, translator)), None)
    if called is None:
        return None
    reason, code, call = called
    # A trick like others is an ordinary act.
    if "trick" in code and not scores.last_gains and not is_bad(code):
        return None
    gains = tuple(
        Gain(seat, translator.display_name(player), scores.last_gains[player])
        for seat, player in enumerate(seats, 1)
        if scores.last_gains.get(player, "0") != "0"
    )
    # A sentence about one player's hand is no sentence about the hand.
    about_one = {"player", "hand"} <= reason.text.args.keys()
    return Chapter(call, "" if about_one else translator.translate(reason.text), (), gains)


def _list_calls(report: Sequence[Reason], translator: Translator) -> Iterator[tuple[Reason, str, str]]:
    """Yield each reason that has a short call, with the call's code and words."""
    for reason in report:
        for code in list_moment_codes(reason):
            words = translator.find_words(Text(code, reason.text.args, reason.text.n))
            if words is not None:
                yield reason, code, words
