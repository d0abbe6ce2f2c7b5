"""State of the table for pages: plain JSON made from a snapshot, in the players' language,
containing only what everybody at the table may know. Also the overlay, a small page for a stream or
a second screen, rewritten after every change.

The overlay is a file that reloads itself, so it needs no server and no open port. Beside it the
view is written as JSON for other programs, with the current names of its players (`names`).
"""

from __future__ import annotations

import errno
import html
import math
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from companion.live.snapshot import ClockFace, Snapshot, list_scored_rounds
from companion.rules.contract import GAME_OVER
from companion.texts import Translator, format_gain, format_score
from companion.user_files import refuse_read_only
from companion.views.moments import RevealMoment, find_moment
from companion.views.panel import Badge, Face, Gauge, load_face_builder
from companion.views.places import format_card, format_reader
from companion.views.victory import describe_victory

MAX_LINES = 6
"""Number of log lines that a page gets, the last ones."""
MAX_ROUNDS = 8
"""Number of rounds that a page shows: as many as Donkey Valley has, and as fit beside the players
on a TV."""


def build_state(snapshot: Snapshot, translator: Translator) -> dict[str, Any]:
    """Return everything that a page shows."""
    # Texts and view have the names at the start; screens show the current ones.
    translator = translator.with_names(snapshot.people.display_names)
    face = load_face_builder(snapshot.setup.game)(snapshot.view, translator)
    order = {translator.display_name(name): number for number, name in enumerate(snapshot.people.seats)}
    victory = describe_victory(snapshot.view, snapshot.rounds, translator)
    return {
        "number": snapshot.number,
        "language": translator.language,
        "game": translator("game.title"),
        "progress": {"label": face.progress_label, "at": face.progress},
        "headline": face.headline,
        "meaning": face.meaning,
        "picture": face.picture,
        "lying": [
            {
                "cards": one.cards,
                "words": translator.display_name(one.player),
                "seat": snapshot.people.seats.index(one.player) + 1,
                "leads": one.leads,
            }
            for one in snapshot.lying
        ],
        "seen": _describe_last_reading(snapshot, translator),
        "gauge": _encode_gauge(face.gauge, translator),
        "facts": [_encode_badge(badge) for badge in face.facts],
        # A paused table waits for nobody.
        "awaited": translator("banner.paused") if snapshot.paused else translator.translate(snapshot.awaited),
        "seats": _encode_seats(face, snapshot, order, translator),
        "board": None if face.board_picture is None else msgspec.to_builtins(face.board_picture),
        "moment": _encode_moment(find_moment(snapshot, face, translator)),
        "rounds": _encode_rounds(snapshot),
        "result": _encode_ranking(snapshot, translator),
        "victory": victory and {"headline": victory.headline, "remarks": victory.remarks},
        "report": [_encode_reason(reason.text, reason.clauses, translator) for reason in snapshot.report],
        "odds": None if snapshot.odds is None else translator.translate(snapshot.odds.text),
        "last": None if snapshot.last is None else translator.translate(snapshot.last),
        "log": [translator.translate(line.text) for line in snapshot.log[-MAX_LINES:] if line.stands],
        "clock": _encode_clock(snapshot.clock),
        "warnings": [translator.translate(text) for text in snapshot.warnings],
    }


def _encode_seats(
    face: Face, snapshot: Snapshot, order: Mapping[str, int], translator: Translator
) -> list[dict[str, Any]]:
    """List the seats; `mark` is the index of the player's sign and colour, the same all evening."""
    # Shown as a badge, so that everybody sees who is still being waited for.
    decided = {
        translator.display_name(name): [{"sign": "▣", "word": translator("share.decided"), "tone": "accent"}]
        for name in snapshot.decided
    }
    return [
        {
            "name": seat.name,
            "mark": order.get(seat.name, place),
            "points": seat.points,
            "awaited": seat.awaited,
            "first": seat.first,
            "badges": [_encode_badge(badge) for badge in seat.badges if badge.sign]
            + decided.get(seat.name, []),
            "detail": seat.detail,
        }
        for place, seat in enumerate(face.seats)
    ]


def _describe_last_reading(snapshot: Snapshot, translator: Translator) -> str:
    """Return which cards reported the last step, how clearly a camera saw each, and which readers;
    "" without readers."""
    by_readers: dict[str, list[str]] = {}
    for one in snapshot.seen:
        if one.tracks:  # otherwise it is a button, or the players' answer
            readers = ", ".join(format_reader(reader, translator) for reader in one.reader_names)
            named = (
                translator("board.face_down") if one.card is None else format_card(one.card, translator, ())
            )
            if one.card is not None and one.confidence is not None:
                named = translator("share.clear", card=named, percent=round(100 * one.confidence))
            by_readers.setdefault(readers, []).append(named)
    return " · ".join(
        translator("share.seen", cards=", ".join(cards), readers=readers)
        for readers, cards in by_readers.items()
    )


def _encode_badge(badge: Badge) -> dict[str, str]:
    return {"sign": badge.sign, "word": badge.word, "tone": badge.tone}


def _encode_gauge(gauge: Gauge | None, translator: Translator) -> dict[str, Any] | None:
    if gauge is None:
        return None
    numbers = [str(number) for number in (gauge.value, gauge.limit) if number is not None]
    return {
        "words": translator("share.labelled", label=gauge.label, value=" / ".join(numbers))
        if numbers
        else gauge.label,
        "value": gauge.value,
        "limit": gauge.limit,
        "verdict": gauge.verdict,
        "tone": gauge.tone,
        "parts": [
            {"size": size, "mark": owner - 1} for size, owner in zip(gauge.parts, gauge.owners, strict=True)
        ],
    }


def _encode_reason(text: Any, clauses: tuple[str, ...], translator: Translator) -> dict[str, Any]:
    return {"text": translator.translate(text), "clauses": list(clauses)}


def _encode_moment(reveal: RevealMoment | None) -> dict[str, Any] | None:
    """Return what was resolved just now."""
    if reveal is None:
        return None
    won = [
        {"name": gain.name, "mark": gain.seat - 1, "deed": gain.how, "points": gain.signed_points}
        for gain in reveal.gains
    ]
    takes = [{"mark": take.seat - 1, "words": take.calls[0]} for take in reveal.takes]
    said = {"verdict": reveal.verdict, "figures": reveal.figures, "tone": reveal.tone}
    return said | {"won": won, "takes": takes, "cards": reveal.cards, "turned": reveal.turned}


def _encode_rounds(snapshot: Snapshot) -> list[dict[str, Any]]:
    """Return the last rounds, with what each player won in the order of the seats ("" nothing)."""
    players = snapshot.people.seats
    return [
        {
            "label": "" if row.label is None else str(row.label),
            "won": [format_gain(row.won[name], "") for name in players],
        }
        for row in list_scored_rounds(snapshot.rounds)[-MAX_ROUNDS:]
    ]


def _encode_ranking(snapshot: Snapshot, translator: Translator) -> list[dict[str, Any]] | None:
    """Return the ranking when the game is over."""
    result = snapshot.view["result"]
    if snapshot.view["phase"] != GAME_OVER or result is None:
        return None
    seats = snapshot.people.seats
    return [
        {
            "name": translator.display_name(row["player"]),
            "mark": seats.index(row["player"]) if row["player"] in seats else 0,
            "points": format_score(row["points"]),
            "rank": row["rank"],
        }
        for row in result["ranking"]
    ]


def _encode_clock(clock: ClockFace | None) -> dict[str, Any] | None:
    if clock is None:
        return None
    return {"left": clock.left, "paused": clock.paused, "warning": clock.warning}


_PAGE = """<!doctype html><!-- overlay of the Card Table Companion -->
<html lang="{lang}"><meta charset="utf-8"><meta http-equiv="refresh" content="1"><title>{title}</title>
<style>
body{{margin:0;font:600 28px/1.3 system-ui,sans-serif;color:#f4f1e8;background:transparent;text-shadow:0 2px 4px #000}}
main{{display:inline-block;margin:24px;padding:20px 28px;background:#10231ce0;border-radius:14px;border-left:10px solid #f2c14e}}
h1{{font-size:44px;margin:0;color:#f2c14e}}p{{margin:.2em 0 .6em;font-weight:400}}td{{padding:.1em .9em .1em 0}}
.label{{margin:0;color:#a9bdb2;font-size:22px}}.measured{{font-weight:600;font-size:34px}}p:empty{{display:none}}
.wrong{{background:#ff8a70;color:#1b0602;text-shadow:none;border-radius:6px;padding:.2em .6em;max-width:26em}}
.points{{text-align:right;font-size:36px;color:#f2c14e}}.awaited td:first-child::before{{content:"▶ "}}
</style><main><p class="label">{label}</p><h1>{headline}</h1><p>{meaning}</p><p class="measured">{measured}</p><p>{awaited}</p>
<p class="wrong">{warnings}</p><table>{rows}</table></main></html>
"""


_MARK = _PAGE[: _PAGE.index("<html")]
_VIEW = b'{"game":"'
"""Beginnings of the two files, by which those of an earlier evening are recognised."""


class Overlay:
    """Writer of the overlay: `file` (HTML) and, beside it, the same name with `.json`."""

    def __init__(self, file: Path) -> None:
        # `with_suffix` raises `ValueError` for a path without a name, such as `.`.
        self._file, self._data = file, file.parent / f"{file.stem}.json"
        self._begun = False

    def write_snapshot(self, snapshot: Snapshot, translator: Translator) -> None:
        """Write both files atomically. Raises `OSError`."""
        # Only before the first write: after that the files are ours.
        if not self._begun:
            for file in (self._file, self._data):
                _check_replaceable(file)
            self._begun = True
        _write_atomically(self._file, render_overlay(build_state(snapshot, translator)).encode())
        names = {seat: snapshot.people.display_names.get(seat, seat) for seat in snapshot.people.seats}
        _write_atomically(self._data, msgspec.json.encode({**snapshot.view, "names": names}))


def render_overlay(state: Mapping[str, Any]) -> str:
    """Return the overlay's HTML, made from the state for pages; every name and sentence is
    escaped."""
    rows = "".join(
        f'<tr class="{"awaited" if seat["awaited"] else ""}"><td>{html.escape(seat["name"])}</td>'
        f"<td>{html.escape(' '.join(badge['sign'] for badge in seat['badges']))}</td>"
        f'<td class="points">{html.escape(seat["points"])}</td></tr>'
        for seat in state["seats"]
    )
    first = [row["name"] for row in state["result"] or () if row["rank"] == 1]
    words = {
        "lang": state["language"],
        "title": state["game"],
        "label": _join_parts(state["game"], state["progress"]["label"], _format_clock(state["clock"])),
        "headline": _join_parts(*first) or state["headline"],
        "meaning": state["meaning"],
        "measured": _describe_gauge(state),
        "awaited": state["awaited"],
        "warnings": " ".join(state["warnings"]),
    }
    return _PAGE.format(rows=rows, **{name: html.escape(said) for name, said in words.items()})


def _join_parts(*parts: str) -> str:
    return " · ".join(part for part in parts if part)


def _describe_gauge(state: Mapping[str, Any]) -> str:
    """Return how the round stands against its limit or, at the result, what it was."""
    moment, gauge = state["moment"], state["gauge"]
    if moment is not None:
        return _join_parts(moment["verdict"], moment["figures"])
    return "" if gauge is None else _join_parts(gauge["words"], gauge["verdict"])


def _format_clock(clock: Mapping[str, Any] | None) -> str:
    if clock is None or clock["left"] is None:
        return ""
    left = max(math.ceil(clock["left"]), 0)
    return "‖" if clock["paused"] else f"{left // 60}:{left % 60:02}"


def _write_atomically(file: Path, content: bytes) -> None:
    # In the same folder, because a file is replaced atomically only within one file system.
    with tempfile.NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", delete=False) as draft:
        draft.write(content)
    Path(draft.name).replace(file)  # atomic: a browser never sees half a page


def _check_replaceable(file: Path) -> None:
    """Raise `FileExistsError` for an existing file that was not written by an overlay, so that it
    is not replaced, and `PermissionError` for a read-only one."""
    if file.exists() and not (file.is_file() or file.is_dir()):  # a pipe would be waited for
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(file))
    refuse_read_only(file)
    try:
        with file.open("rb") as there:
            begin = there.read(len(_PAGE))
    except FileNotFoundError:
        return
    if begin and not begin.startswith((_MARK.encode(), _VIEW)):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(file))
