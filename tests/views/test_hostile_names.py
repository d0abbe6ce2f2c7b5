"""Names that are markup, commands, formulas or turn the text round do nothing but stand there."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
import time

import pytest

from companion.journal.export import format_csv, format_json
from companion.journal.store import Store
from companion.plan import Plan
from companion.texts import Translator
from companion.views.dashboard.app import Dashboard
from companion.views.page_state import Overlay
from companion.views.table_session import TableSession
from companion.views.voice import Voice
from tests.live.seats import Seats
from tests.toy import toy_setup
from vision import MAX_PIXELS


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    from companion.rules import registry  # noqa: PLC0415
    from tests.toy import TOY  # noqa: PLC0415

    monkeypatch.setattr(registry, "load_game", lambda _game: TOY)
    with Store.open(tmp_path / "evening.sqlite3") as store:
        store.start_session(toy_setup('=HYPERLINK("http://x","y")', "@Ben\u202eevil", "+1", "-2"))
        return store.read_session(1)


def test_no_cell_of_a_sheet_is_a_formula_or_turns_round(hostile):
    rows = list(csv.DictReader(io.StringIO("".join(format_csv([hostile], "en")))))
    assert [row["player"] for row in rows if not row["round"]] == [
        '\'=HYPERLINK("http://x","y")',
        "'@Benevil",
        "'+1",
        "'-2",
    ]


def test_a_json_export_shows_what_turns_the_text(hostile):
    text = "".join(format_json([hostile], "en"))
    assert "\u202e" not in text
    assert "\\u202e" in text
    assert json.loads(text)["sessions"][0]["players"][1] == "@Ben\u202eevil"


def test_the_voice_gets_no_commands(tmp_path):
    """`spd-say --pipe-mode` takes what begins with `!-!` as a command; `cat` shows what it would
    have got."""
    heard = tmp_path / "heard"
    voice = Voice(program=("sh", "-c", f"cat > {heard}"))
    voice.queue_sentence("!-!SET SELF RATE 100\n!-!STOP\udcff")
    for _ in range(200):
        if heard.exists() and heard.read_text():
            break
        time.sleep(0.02)
    voice.close()
    assert "!-!" not in heard.read_text()
    assert "\n" not in heard.read_text()


def test_the_overlay_replaces_no_file_that_is_not_its_own(tmp_path):
    page, view = tmp_path / "page.html", tmp_path / "page.json"
    snapshot = Seats("Ann", "Ben").live.snapshot()
    view.write_text('{"name": "somebody\'s package"}')
    with pytest.raises(FileExistsError):
        Overlay(page).write_snapshot(snapshot, Translator())
    assert "package" in view.read_text()
    view.unlink()
    victim = tmp_path / "victim"
    victim.write_text("dear to somebody")
    (tmp_path / "page.html.new").symlink_to(victim)
    Overlay(page).write_snapshot(snapshot, Translator())
    Overlay(page).write_snapshot(snapshot, Translator())  # another evening: its own files it knows
    assert victim.read_text() == "dear to somebody"
    assert not list(tmp_path.glob(".page*"))


async def test_a_crash_of_the_dashboard_shows_no_values(capsys):
    app = Dashboard(TableSession(Plan(), Seats("Ann", "Ben").live))

    def broken():
        card = "load:red:7"
        raise RuntimeError(f"stumbled over {card}")

    async def evening():
        async with app.run_test() as pilot:
            app.call_later(broken)
            await pilot.pause()

    with pytest.raises(RuntimeError):
        await evening()
    shown = capsys.readouterr().err
    assert "RuntimeError" in shown
    assert "load:red:7" not in shown
    assert "red" not in shown


def test_a_picture_of_too_many_pixels_is_refused_before_it_takes_memory(tmp_path):
    """A PNG whose header says 30,000 x 30,000 pixels: 5 GB to read. In a process of its own that
    may have 2 GB."""
    code = """
import sys, zlib, struct
side = 30000
def chunk(kind, data): return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
rows = zlib.compress(b"\\0" * 90001)
head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
open(sys.argv[1], "wb").write(b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b""))
import resource
resource.setrlimit(resource.RLIMIT_AS, (2 * 2**30, 2 * 2**30))
from vision import photo
from vision.errors import PhotoError
try:
    photo.load_photo(sys.argv[1])
except PhotoError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "huge.png")],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert f"more than {MAX_PIXELS // 1_000_000} million pixels" in done.stdout
