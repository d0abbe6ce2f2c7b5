"""The page of the evening, written at the table: one key at the end of a game, one word in the
plain view."""

from __future__ import annotations

import io
import subprocess
import threading

import pytest
from PIL import Image

from companion.evening.cameras import take_photo
from companion.journal.journal import Journal
from companion.rules.contract import GAME_OVER, Text
from companion.texts import Translator
from companion.views.plain_view import PlainView
from companion.views.session_page import save_session_page
from tests.rules.evenings import EVENINGS
from tests.views.table import dashboard, live_session


@pytest.fixture
def journal(tmp_path, monkeypatch):
    monkeypatch.setattr("companion.views.session_page.user_documents_folder", lambda: tmp_path)
    kept = Journal.open(tmp_path / "journal.sqlite3")
    yield kept
    kept.close()


def played(journal: Journal, acts: int | None = None):
    """The shortest of the simulated evenings, to its end or for so many acts."""
    evening = next(one for one in EVENINGS if one.game.id == "ascend")
    live = live_session(evening.setup.players, "ascend", journal=journal)
    players = evening._replace(setup=live.setup).players
    session = live._timeline.session
    while (acts is None or len(session.list_acts()) < acts) and (
        deed := players.next_action(session.list_acts(), session.view())
    ):
        assert live.submit_request(deed.request) is None
    return live


async def test_k_writes_the_page_when_a_game_has_ended(journal, tmp_path) -> None:
    live = played(journal)
    assert live.snapshot().view["phase"] == GAME_OVER
    app = dashboard(live)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.press("k")
        await pilot.pause()
        assert any(".html" in told.message and "picture" in told.message for told in app._notifications)
    (page,) = tmp_path.glob("ascend-*.html")
    assert page.read_text(encoding="utf-8").count("<polyline") == len(live.setup.players)
    with Image.open(page.with_suffix(".png")) as card:
        assert card.size == (1200, 630)
        assert len(card.getcolors()) > len(live.setup.players)


async def test_before_the_end_the_key_does_nothing(journal, tmp_path) -> None:
    app = dashboard(played(journal, 3))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("k")
        await pilot.pause()
    assert not list(tmp_path.glob("*.html"))


def test_in_the_plain_view_it_is_a_word_at_any_time(journal, tmp_path) -> None:
    live, lines = played(journal, 3), []
    plain = PlainView(live, Translator("fr", live.game), lines.append)
    plain.enter_line("page")
    (page,) = tmp_path.glob("*.html")
    assert str(page) in lines[-1]
    assert '<html lang="fr">' in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("screen", ["", ":0"])
def test_the_page_opens_where_there_is_a_desktop(journal, tmp_path, monkeypatch, screen: str) -> None:
    opened = []
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("DISPLAY", screen)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr("shutil.which", lambda program: f"/usr/bin/{program}")
    monkeypatch.setattr("subprocess.run", lambda words, **streams: opened.append((words, streams)))
    played(journal, 3)
    told = save_session_page(journal, "en")
    for thread in threading.enumerate():
        if thread.name == "desktop":
            thread.join()
    (page,) = tmp_path.glob("*.html")
    assert told.code == ("page.saved.open" if screen else "page.saved")
    assert [words for words, _ in opened] == ([["xdg-open", str(page)]] if screen else [])
    assert all(set(streams.values()) == {subprocess.DEVNULL} for _, streams in opened)


def test_a_folder_that_cannot_be_written_and_a_journal_that_keeps_nothing(
    journal, tmp_path, monkeypatch
) -> None:
    played(journal, 3)
    monkeypatch.setattr("companion.views.session_page.user_data_folder", lambda: tmp_path / "home")
    (tmp_path / "home").mkdir()
    monkeypatch.setattr("companion.views.session_page.user_documents_folder", lambda: tmp_path / "gone")
    assert str(tmp_path / "home") in save_session_page(journal, "en").args["file"]
    assert save_session_page(Journal(), "en").code == "page.no_journal"


class Camera:
    """One that shows what it is given: a JPEG."""

    def __init__(self, shows: bytes) -> None:
        self.encode_photo = lambda: shows


def picture() -> bytes:
    taken = io.BytesIO()
    Image.new("RGB", (40, 30), "teal").save(taken, "JPEG")
    return taken.getvalue()


@pytest.mark.parametrize(
    ("shows", "told", "kept"),
    [
        (picture(), "evening.photo.kept", 1),
        (b"", "evening.photo.dark", 0),
        (b"noise", "evening.photo.no_picture", 0),
    ],
)
def test_the_camera_takes_a_photo_of_the_people(journal, tmp_path, shows, told, kept) -> None:
    live = played(journal, acts=2)
    assert take_photo(live, Camera(shows)).code == told
    assert len([*tmp_path.glob("*-notes/*.jpg")]) == kept
    assert take_photo(live_session(("Ann", "Bob", "Cy"), "ascend"), Camera(shows)).code == "page.no_journal"


async def test_f_takes_it_once_there_was_time_to_join_them(journal, monkeypatch) -> None:
    monkeypatch.setattr("companion.views.dashboard.app.POSE", 0.01)
    taken = []
    app = dashboard(played(journal, acts=2), photograph=lambda: taken.append(1) or Text("evening.photo.kept"))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.press("f")
        for _ in range(100):
            await pilot.pause(0.02)
            if taken:
                break
        assert [told.message for told in app._notifications][-1:] == [app.translator("evening.photo.kept")]
    assert taken == [1]


def test_line_by_line_it_is_taken_five_seconds_after_the_word(journal) -> None:
    told, taken = [], []
    plain = PlainView(
        played(journal, acts=2),
        Translator.for_game("en", "ascend"),
        told.append,
        photograph=lambda: taken.append(1),
    )
    plain.poll_table(1.0)
    plain.enter_line("photo")
    plain.poll_table(5.9)
    assert not taken
    plain.poll_table(6.1)
    plain.poll_table(6.2)
    assert taken == [1]
    PlainView(played(journal, acts=2), Translator.for_game("en", "ascend"), told.append).enter_line("photo")
    assert told[-1] == Translator("en")("evening.photo.no_camera")
