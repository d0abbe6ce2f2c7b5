"""The overlay: one small page for a stream or a second screen, written anew after every change; any browser shows it.

The page is a file that reloads itself, so no server runs and no port is open. Beside it stands the view as JSON, for other programs.
Nothing is in it that the table does not know: it is made from the snapshot alone.
"""

from __future__ import annotations

import errno
import html
import os
import tempfile
from pathlib import Path

import msgspec

from companion.live.snapshot import Snapshot
from companion.texts import Translator
from companion.views.panel import Face, face_of

_PAGE = """<!doctype html><!-- overlay of the Card Table Companion -->
<html lang="{lang}"><meta charset="utf-8"><meta http-equiv="refresh" content="1"><title>{title}</title>
<style>
body{{margin:0;font:600 28px/1.3 system-ui,sans-serif;color:#f4f1e8;background:transparent;text-shadow:0 2px 4px #000}}
main{{display:inline-block;margin:24px;padding:20px 28px;background:#10231ce0;border-radius:14px;border-left:10px solid #f2c14e}}
h1{{font-size:44px;margin:0;color:#f2c14e}}p{{margin:.2em 0 .6em;font-weight:400}}td{{padding:.1em .9em .1em 0}}
.points{{text-align:right;font-size:36px;color:#f2c14e}}.awaited td:first-child::before{{content:"▶ "}}
</style><main><h1>{headline}</h1><p>{meaning}</p><p>{awaited}</p><table>{rows}</table></main></html>
"""


_MARK = _PAGE[: _PAGE.index("<html")]
_VIEW = b'{"game":"'
"""How the two files begin, by which those of an earlier evening are known."""


class Overlay:
    """Writes `file` (HTML) and, beside it, the same name with `.json`."""

    def __init__(self, file: Path, language: str = "en") -> None:
        self._file = file
        self._language = language
        self._begun = False

    def show(self, snapshot: Snapshot, say: Translator) -> None:
        """Write both files, each whole or not at all. Raises `OSError` when the folder cannot be written."""
        face = face_of(snapshot.setup.game)(snapshot.view, say)
        if not self._begun:
            for file in (self._file, self._file.with_suffix(".json")):
                _spare(file)
            self._begun = True
        _write(self._file, page(snapshot, face, say).encode())
        _write(self._file.with_suffix(".json"), msgspec.json.encode(snapshot.view))


def page(snapshot: Snapshot, face: Face, say: Translator) -> str:
    """Return the page's HTML; every name and sentence is escaped."""
    rows = "".join(
        f'<tr class="{"awaited" if seat.awaited else ""}"><td>{html.escape(seat.name)}</td>'
        f"<td>{html.escape(' '.join(badge.sign for badge in seat.badges if badge.sign))}</td>"
        f'<td class="points">{html.escape(seat.points)}</td></tr>'
        for seat in face.seats
    )
    return _PAGE.format(
        lang=say.language,
        title=html.escape(say("game.title")),
        headline=html.escape(face.headline),
        meaning=html.escape(face.meaning),
        awaited=html.escape(say.say(snapshot.awaited)),
        rows=rows,
    )


def _write(file: Path, content: bytes) -> None:
    with tempfile.NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", delete=False) as draft:
        draft.write(content)
    Path(draft.name).replace(file)  # atomic: a browser never sees half a page


def _spare(file: Path) -> None:
    """Raise `FileExistsError` where something lies that no overlay has written: it is not replaced."""
    try:
        with file.open("rb") as there:
            begin = there.read(len(_PAGE))
    except FileNotFoundError:
        return
    if begin and not begin.startswith((_MARK.encode(), _VIEW)):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(file))
