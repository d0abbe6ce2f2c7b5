"""The overlay: one small page for a stream or a second screen, written anew after every change; any
browser shows it.

The page is a file that reloads itself, so no server runs and no port is open. Beside it stands the
view as JSON, for other programs, with what each of its players is called by now (`names`). Nothing
is in it that the table does not know: it is made from the snapshot alone.
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

from companion.live.snapshot import Snapshot
from companion.texts import Translator
from companion.views.state import state_of

_PAGE = """<!doctype html><!-- overlay of the Card Table Companion -->
<html lang="{lang}"><meta charset="utf-8"><meta http-equiv="refresh" content="1"><title>{title}</title>
<style>
body{{margin:0;font:600 28px/1.3 system-ui,sans-serif;color:#f4f1e8;background:transparent;text-shadow:0 2px 4px #000}}
main{{display:inline-block;margin:24px;padding:20px 28px;background:#10231ce0;border-radius:14px;border-left:10px solid #f2c14e}}
h1{{font-size:44px;margin:0;color:#f2c14e}}p{{margin:.2em 0 .6em;font-weight:400}}td{{padding:.1em .9em .1em 0}}
.label{{margin:0;color:#a9bdb2;font-size:22px}}.measured{{font-weight:600;font-size:34px}}p:empty{{display:none}}
.points{{text-align:right;font-size:36px;color:#f2c14e}}.awaited td:first-child::before{{content:"▶ "}}
</style><main><p class="label">{label}</p><h1>{headline}</h1><p>{meaning}</p><p class="measured">{measured}</p><p>{awaited}</p>
<table>{rows}</table></main></html>
"""


_MARK = _PAGE[: _PAGE.index("<html")]
_VIEW = b'{"game":"'
"""How the two files begin, by which those of an earlier evening are known."""


class Overlay:
    """Writes `file` (HTML) and, beside it, the same name with `.json`."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._begun = False

    def show(self, snapshot: Snapshot, say: Translator) -> None:
        """Write both files, each whole or not at all. Raises `OSError`."""
        if not self._begun:
            for file in (self._file, self._file.with_suffix(".json")):
                _spare(file)
            self._begun = True
        _write(self._file, page(state_of(snapshot, say)).encode())
        names = {seat: snapshot.people.shown.get(seat, seat) for seat in snapshot.people.seats}
        _write(self._file.with_suffix(".json"), msgspec.json.encode({**snapshot.view, "names": names}))


def page(state: Mapping[str, Any]) -> str:
    """Return the page's HTML, made of what browsers are told (`companion.views.state`); every name
    and sentence is escaped."""
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
        "label": _joined(state["game"], state["progress"]["label"], _clock(state["clock"])),
        "headline": _joined(*first) or state["headline"],
        "meaning": state["meaning"],
        "measured": _measured(state),
        "awaited": state["awaited"],
    }
    return _PAGE.format(rows=rows, **{name: html.escape(said) for name, said in words.items()})


def _joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)


def _measured(state: Mapping[str, Any]) -> str:
    """Say how the round stands against its limit, and at the result what it came to."""
    moment, gauge = state["moment"], state["gauge"]
    if moment is not None:
        return _joined(moment["verdict"], moment["figures"])
    return "" if gauge is None else _joined(gauge["words"], gauge["verdict"])


def _clock(clock: Mapping[str, Any] | None) -> str:
    if clock is None or clock["left"] is None:
        return ""
    left = max(math.ceil(clock["left"]), 0)
    return "‖" if clock["paused"] else f"{left // 60}:{left % 60:02}"


def _write(file: Path, content: bytes) -> None:
    with tempfile.NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", delete=False) as draft:
        draft.write(content)
    Path(draft.name).replace(file)  # atomic: a browser never sees half a page


def _spare(file: Path) -> None:
    """Raise `FileExistsError` where something lies that no overlay wrote: it is not replaced."""
    if file.exists() and not (file.is_file() or file.is_dir()):  # a pipe would be waited for
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(file))
    try:
        with file.open("rb") as there:
            begin = there.read(len(_PAGE))
    except FileNotFoundError:
        return
    if begin and not begin.startswith((_MARK.encode(), _VIEW)):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(file))
