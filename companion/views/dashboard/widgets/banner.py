"""The banner: what is awaited and from whom, or a question to the table, in the largest letters
that fit, on a band of colour over the whole width."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from textual.content import Content

from companion.rules.contract import Text
from companion.rules.people import VerbatimName
from companion.views.block_letters import SIZES, can_draw_letters, draw_block_letters
from companion.views.conversations import describe_refusal
from companion.views.dashboard.widgets.screen_part import ScreenState, truncate_rows, wrap_text
from companion.views.places import format_moves


class Notice(NamedTuple):
    """Contents of the banner: the call for block letters in every wording, the best first; the
    whole sentence; and the kind that decides its colour.

    A call of two lines contains a line break.
    """

    calls: tuple[str, ...]
    sentence: str
    kind: str = ""


_MAX_NAME, _MIN_NAME = 20, 3
"""Characters of a name in a call, and the least to which it is cut to get larger letters."""


def select_notice(screen_state: ScreenState) -> Notice:
    """Return the most urgent notice."""
    snapshot, _, translator, *_ = screen_state
    # The order is that of urgency.
    if snapshot.questions:
        text = translator("banner.question", text=snapshot.questions[0].text)
        return Notice((translator("call.question"),), text, "question")
    if snapshot.paused:
        return Notice((translator("clock.paused"),), translator("banner.paused"), "question")
    result = snapshot.view["result"]
    if result is not None:
        winners = result["winners"]

        def join_winners(max_length: int) -> str:
            return " + ".join(_fit_name(winner, max_length, screen_state) for winner in winners)

        def describe_winners(max_length: int) -> str:
            names = VerbatimName(join_winners(max_length))
            return translator.translate(Text("call.won", {"winners": names}, len(winners)))

        # The podium names them too.
        many = (translator("call.won_by", number=str(len(winners))),) if len(winners) > 1 else ()
        full, *shorter = _shorten_names(describe_winners)
        # Names and verb on two lines, or no verb, before any name is cut or left out.
        calls = (full, "\n".join(full.rsplit(" ", 1)), join_winners(_MAX_NAME), *shorter, *many)
        return Notice(calls, translator.translate(snapshot.awaited), "over")
    # The call stays in the largest letters; what must be done first is written below it.
    if snapshot.moves:
        first = format_moves(snapshot.moves, translator, snapshot.people.seats)[0]
        return Notice(_list_calls(screen_state), f"{translator('moves.title')} {first}", "question")
    if snapshot.refusal is not None:
        return Notice(_list_calls(screen_state), f"✘ {describe_refusal(snapshot.refusal, translator)}", "bad")
    return Notice(_list_calls(screen_state), translator.translate(snapshot.awaited))


def _list_calls(screen_state: ScreenState) -> tuple[str, ...]:
    """Return the game's short call for what is awaited first, `call.<do>`, with the name if it
    concerns one player alone."""
    translator, waiting = screen_state.translator, screen_state.snapshot.view["waiting_for"]
    words = _translate_call(waiting[0]["do"], screen_state) if waiting else ""
    if not words:
        return ()
    # Several players may be asked for the same: the call then names nobody.
    called = {one["player"] for one in waiting if _translate_call(one["do"], screen_state) == words}
    player = next(iter(called))
    if len(called) != 1 or player is None:
        return (words,)

    def format_call(max_length: int, what: str = words) -> str:
        return translator("of_whom", who=_fit_name(player, max_length, screen_state), what=what)

    # On two lines before any name is cut: who must act should be read from afar.
    return (
        format_call(_MAX_NAME),
        f"{format_call(_MAX_NAME, '').rstrip()}\n{words}",
        *_shorten_names(format_call)[1:],
    )


def _translate_call(do: str, screen_state: ScreenState) -> str:
    return screen_state.translator.find_words(Text(f"call.{do}")) or ""


def _shorten_names(format_with: Callable[[int], str]) -> tuple[str, ...]:
    """Return it with full names, then with shorter and shorter ones."""
    return tuple(dict.fromkeys(format_with(most) for most in range(_MAX_NAME, _MIN_NAME - 1, -1)))


def _fit_name(player: str, max_length: int, screen_state: ScreenState) -> str:
    """Return a player's name, cut to `max_length` characters, or the seat number if block letters
    cannot write the name."""
    name = screen_state.translator.display_name(player)
    if not can_draw_letters(name):
        return str(screen_state.snapshot.people.seats.index(player) + 1)
    # A full stop in place of one letter saves nothing.
    return name if len(name) <= max_length + 1 else f"{name[:max_length].rstrip()}."


BANNER_STYLES = {
    "": "$background on $primary",
    "question": "$background on $warning",
    "over": "$background on $success",
    "bad": "$background on $error",
    "good": "$background on $success",
}
"""Colours of the band, by kind of notice."""


CROWDED = 9
"""Size of letters from which they fill their rows to the edges, so that lines need a row between
them."""


def draw_banner(notice: Notice, width: int, height: int, style: str) -> list[Content]:
    """Draw the call in letters as large as fit, and the whole sentence."""
    sentence = wrap_text(notice.sentence, width - 2)
    # A refusal or a question says more than the call, which gets smaller letters or none for it.
    rows = max(height - len(sentence), 0) if notice.kind in ("bad", "question") else None
    call = draw_call(notice, width, height, rows)
    sentence = truncate_rows(sentence, max(height - len(call), 0))
    return fill_band([*map(Content, call), *sentence], width, height, style)


def draw_call(notice: Notice, width: int, height: int, rows: int | None = None) -> Sequence[str]:
    """Return the call in letters as large as fit into a band of this size, with room for the
    sentence if possible; () if no block letters fit. `rows`: how many the letters may take (None:
    all but one for the sentence, if there are enough)."""
    if rows is None:
        rows = height - 1 if height >= 4 else height
    return draw_fitting_call(notice.calls, width - 2, rows, list_letter_sizes(rows))


def draw_fitting_call(calls: Sequence[str], width: int, height: int, letters: Sequence[int]) -> Sequence[str]:
    """Return the first of these calls that fits, in the largest possible of these sizes; () if none
    fits.

    The first call has full names, as have those on two lines. Others are only used in the smallest
    size: a name matters more than its size.
    """
    full = [call for number, call in enumerate(calls) if number == 0 or "\n" in call]
    for size in letters:
        for call in calls if size == letters[-1] else full:
            parts = [draw_block_letters(part, size) for part in call.split("\n")]
            # The letters of two lines would else touch.
            apart = [""] if size >= CROWDED else []
            lines = [*parts[0], *(line for part in parts[1:] for line in (*apart, *part))]
            if lines[0] and len(lines) <= height and all(len(line) <= width for line in lines):
                return lines
    return ()


def fill_band(lines: Sequence[Content], width: int, height: int, style: str) -> list[Content]:
    """Centre lines in `height` rows of one colour, each in the middle of its row."""
    shown = lines[:height]
    above = (height - len(shown)) // 2
    rows = [Content("")] * above + [centre_line(line, width) for line in shown]
    rows += [Content("")] * (height - len(rows))
    return [row.pad_right(max(width - row.cell_length, 0)).stylize(f"bold {style}") for row in rows]


def centre_line(line: Content, width: int) -> Content:
    """Centre a line in `width` columns."""
    return line.pad_left(max((width - line.cell_length) // 2, 0))


def list_letter_sizes(rows: int) -> tuple[int, ...]:
    """Return the sizes of letters that fit into so many rows, largest first; accents need rows
    too."""
    return tuple(size for size in sorted(SIZES, reverse=True) if size <= rows)
