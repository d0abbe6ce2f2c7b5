"""The banner: what is awaited and from whom, or a question to the table, in the largest letters
that fit, on a band of colour over the whole width."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from textual.content import Content

from companion.rules.contract import Text
from companion.rules.people import AsIs
from companion.views.bigtext import SIZES, big, writable
from companion.views.dashboard.widgets.part import ScreenState, wrapped
from companion.views.places import moves_in_words


class Notice(NamedTuple):
    """Contents of the banner: the call for block letters in every wording, the best first; the
    whole sentence; and the kind that decides its colour.

    A call of two lines contains a line break.
    """

    calls: tuple[str, ...]
    sentence: str
    kind: str = ""


_WHOLE, _LEAST = 20, 3
"""Characters of a name in a call, and the least to which it is cut to get larger letters."""


def notice_of(shown: ScreenState) -> Notice:
    """Return the most urgent notice."""
    snapshot, _, say, *_ = shown
    # The order is that of urgency.
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
    # The call stays in the largest letters; what must be done first is written below it.
    if snapshot.moves:
        first = moves_in_words(snapshot.moves, say, snapshot.people.seats)[0]
        return Notice(_calls(shown), f"{say('moves.title')} {first}", "question")
    if snapshot.refusal is not None:
        return Notice(_calls(shown), f"✘ {say.say(snapshot.refusal.text)}", "bad")
    return Notice(_calls(shown), say.say(snapshot.awaited))


def _calls(shown: ScreenState) -> tuple[str, ...]:
    """Return the game's short call for what is awaited first, `call.<do>`, with the name if it
    concerns one player alone."""
    say, waiting = shown.say, shown.snapshot.view["waiting_for"]
    words = _call(waiting[0]["do"], shown) if waiting else ""
    if not words:
        return ()
    # Several players may be asked for the same: the call then names nobody.
    called = {one["player"] for one in waiting if _call(one["do"], shown) == words}
    player = next(iter(called))
    if len(called) != 1 or player is None:
        return (words,)

    def named(most: int, what: str = words) -> str:
        return say("of_whom", who=_name(player, most, shown), what=what)

    # On two lines before any name is cut: who must act should be read from afar.
    return (named(_WHOLE), f"{named(_WHOLE, '').rstrip()}\n{words}", *_ways(named)[1:])


def _call(do: str, shown: ScreenState) -> str:
    code = f"call.{do}"
    words = shown.say(code)
    return "" if words == code else words


def _ways(say: Callable[[int], str]) -> tuple[str, ...]:
    """Return it with full names, then with shorter and shorter ones."""
    return tuple(dict.fromkeys(say(most) for most in range(_WHOLE, _LEAST - 1, -1)))


def _name(player: str, most: int, shown: ScreenState) -> str:
    """Return a player's name, cut to `most` characters, or the seat number if block letters cannot
    write the name."""
    name = shown.say.name(player)
    if not writable(name):
        return str(shown.snapshot.people.seats.index(player) + 1)
    return name if len(name) <= most else f"{name[:most].rstrip()}."


BANDS = {
    "": "$background on $primary",
    "question": "$background on $warning",
    "over": "$background on $success",
    "bad": "$background on $error",
    "good": "$background on $success",
}
"""Colours of the band, by kind of notice."""


def band(notice: Notice, width: int, height: int, style: str) -> list[Content]:
    """Draw the call in letters as large as fit, and the whole sentence."""
    sentence = wrapped(notice.sentence, width - 2)
    return on_ground([*map(Content, called(notice, width, height)), *sentence], width, height, style)


def called(notice: Notice, width: int, height: int) -> Sequence[str]:
    """Return the call in letters as large as fit into a band of this size, with room for the
    sentence if possible; () if no block letters fit."""
    rows = height - 1 if height >= 4 else height
    return written(notice.calls, width - 2, rows, sizes(rows))


def written(calls: Sequence[str], width: int, height: int, letters: Sequence[int]) -> Sequence[str]:
    """Return the first of these calls that fits, in the largest possible of these sizes; () if none
    fits.

    Shortened wordings are only used in the smallest size: a name matters more than its size.
    """
    for size in letters:
        for call in calls if size == letters[-1] else calls[:2]:
            lines = [line for part in call.split("\n") for line in big(part, size)]
            if lines[0] and len(lines) <= height and all(len(line) <= width for line in lines):
                return lines
    return ()


def on_ground(lines: Sequence[Content], width: int, height: int, style: str) -> list[Content]:
    """Centre lines in `height` rows of one colour, each in the middle of its row."""
    shown = lines[:height]
    above = (height - len(shown)) // 2
    rows = [Content("")] * above + [centred(line, width) for line in shown]
    rows += [Content("")] * (height - len(rows))
    return [row.pad_right(max(width - row.cell_length, 0)).stylize(f"bold {style}") for row in rows]


def centred(line: Content, width: int) -> Content:
    """Centre a line in `width` columns."""
    return line.pad_left(max((width - line.cell_length) // 2, 0))


def sizes(rows: int) -> tuple[int, ...]:
    """Return the sizes of letters that fit into so many rows, largest first; accents need rows
    too."""
    return tuple(size for size in sorted(SIZES, reverse=True) if size <= rows)
