"""What is awaited, and from whom; or the question that the table must answer first."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from companion.rules.contract import Text
from companion.rules.people import AsIs
from companion.views.bigtext import writable
from companion.views.dashboard.widgets.part import ScreenState
from companion.views.places import move_in_words


class Notice(NamedTuple):
    """What the banner says: the call in block letters, in every way in which it can be said, the
    best first; the whole sentence, and the class that colours it.

    A call of two lines has a line break in it.
    """

    calls: tuple[str, ...]
    sentence: str
    kind: str = ""


_WHOLE, _LEAST = 20, 3
"""Characters of a name in a call, and to how many it is cut for the sake of large letters."""


def notice_of(shown: ScreenState) -> Notice:
    """Choose what is most urgent."""
    snapshot, _, say, *_ = shown
    if snapshot.questions:
        text = say("banner.question", text=snapshot.questions[0].text)
        return Notice((say("call.question"),), text, "question")
    if snapshot.paused:
        return Notice((say("clock.paused"),), say("banner.paused"), "question")
    result = snapshot.view["result"]
    if result is not None:
        winners = result["winners"]

        def won(most: int) -> str:
            names = " + ".join(_name(winner, most, shown) for winner in winners)
            return say.say(Text("call.won", {"winners": AsIs(names)}, len(winners)))

        # The podium names them too.
        many = (say("call.won_by", number=str(len(winners))),) if len(winners) > 1 else ()
        return Notice((*_ways(won), *many), say.say(snapshot.awaited), "over")
    # Who must act stays in the largest letters: what hands must do first is said below it.
    if snapshot.moves:
        first = move_in_words(snapshot.moves[0], say, snapshot.people.seats)
        return Notice(_calls(shown), f"{say('moves.title')} {first}", "question")
    if snapshot.refusal is not None:
        return Notice(_calls(shown), f"✘ {say.say(snapshot.refusal.text)}", "bad")
    return Notice(_calls(shown), say.say(snapshot.awaited))


def _calls(shown: ScreenState) -> tuple[str, ...]:
    """Return the game's short call for what is awaited first, `call.<do>`, with the name where one
    player alone is called so."""
    say, waiting = shown.say, shown.snapshot.view["waiting_for"]
    words = _call(waiting[0]["do"], shown) if waiting else ""
    if not words:
        return ()
    called = {one["player"] for one in waiting if _call(one["do"], shown) == words}
    player = next(iter(called))
    if len(called) != 1 or player is None:
        return (words,)

    def named(most: int, what: str = words) -> str:
        return say("of_whom", who=_name(player, most, shown), what=what)

    return (named(_WHOLE), f"{named(_WHOLE, '').rstrip()}\n{words}", *_ways(named)[1:])


def _call(do: str, shown: ScreenState) -> str:
    code = f"call.{do}"
    words = shown.say(code)
    return "" if words == code else words


def _ways(say: Callable[[int], str]) -> tuple[str, ...]:
    """Say it with whole names, then with names that are cut more and more."""
    return tuple(dict.fromkeys(say(most) for most in range(_WHOLE, _LEAST - 1, -1)))


def _name(player: str, most: int, shown: ScreenState) -> str:
    """Return a player's name, cut to `most` characters; the number of the seat where block letters
    cannot write it."""
    name = shown.say.name(player)
    if not writable(name):
        return str(shown.snapshot.people.seats.index(player) + 1)
    return name if len(name) <= most else f"{name[:most].rstrip()}."
