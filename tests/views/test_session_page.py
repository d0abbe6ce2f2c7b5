"""The page of an evening: everything in one file, and nothing in it but what we wrote."""

from __future__ import annotations

import html
import re
from collections import Counter
from fractions import Fraction
from html.parser import HTMLParser
from itertools import pairwise
from xml.etree import ElementTree

import msgspec
import pytest

from companion.__main__ import main
from companion.journal.saved_session import SavedSession
from companion.journal.sidecar_files import Picture
from companion.journal.store import Store
from companion.language import LANGUAGES
from companion.rules.session import Session
from companion.texts import Translator
from companion.views.evening_story import tell_story
from companion.views.session_page import _APART, _spread_heights, render_session_page
from tests.rules.evenings import EVENINGS, evenings_of
from tests.share.conftest import browser, driver  # noqa: F401 - fixtures

HOSTILE = ("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "Chloé & {who} %s", "\u202eDan")
GAMES = {evening.game.id: evening for evening in EVENINGS if len(evening.setup.players) <= len(HOSTILE)}


class Tags(HTMLParser):
    """Every tag, every attribute and all the text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags, self.attributes, self.words = set(), set(), ""
        self.feed(page)

    def handle_starttag(self, tag, attrs) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data) -> None:
        self.words += data


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """An evening of each game, by hostile people, in one journal: the first acts of it."""
    file = tmp_path_factory.mktemp("journal") / "evening.sqlite3"
    with Store.open(file) as store:
        for evening in GAMES.values():
            names = HOSTILE[: len(evening.setup.players)]
            setup = msgspec.structs.replace(evening.setup, players=names)
            session = Session(evening.game, setup, store.append)
            store.start_session(setup)
            players = evening._replace(setup=setup).players
            while len(session.list_acts()) < 60 and (
                deed := players.next_action(session.list_acts(), session.view())
            ):
                session.act(deed.request)
        yield file, [store.read_session(number) for number in range(1, len(GAMES) + 1)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_are_text_whatever_they_say(kept, language) -> None:
    for one in kept[1]:
        page = render_session_page(one, language, [Picture(1, b"\xff\xd8")])
        tags = Tags(page)
        assert not tags.tags & {"script", "link", "iframe", "form", "object"}
        assert not any(name.startswith("on") for name in tags.attributes)
        assert "<script>alert(1)</script>" in tags.words
        assert "\u202e" not in page
        assert set(re.findall(r'(?:src|href)="([^"]{0,5})', page)) == {"data:"}


@pytest.mark.parametrize("game", [evening.game.id for evening in GAMES.values()])
def test_the_story_is_told_by_its_moments(game: str) -> None:
    evening, entries = evenings_of(game)[0], []
    session = Session(evening.game, evening.setup, entries.append)
    while deed := evening.players.next_action(session.list_acts(), session.view()):
        session.act(deed.request)
    saved = SavedSession(1, evening.setup, 0.0, tuple(entries), tuple(map(float, range(len(entries)))))
    for language in LANGUAGES:
        translator = Translator(language, evening.game)
        chapters = tell_story(session, evening.setup.players, translator).chapters
        assert 0 < len(chapters) < len(session.list_acts()) / 2
        won = Counter()
        for chapter in chapters:
            for gain in chapter.gains:
                won[evening.setup.players[gain.seat - 1]] += Fraction(gain.points)
        if game != "dtc":  # at its end the cards in hand are added
            assert won == {one["name"]: Fraction(one["points"]) for one in session.view()["players"]} | won
        page = render_session_page(saved, language)
        assert all(html.escape(chapter.call) in page for chapter in chapters)
        assert not re.search(r"\b(?:tale|moment|seal|report)\.|seed|Zufall|graine", page)
    if game == "donkey_valley":
        told = " ".join(
            one.sentence
            for one in tell_story(session, evening.setup.players, Translator("en", evening.game)).chapters
        )
        assert all(f"Round {past.number}, " in told for past in session.state.past)


def test_the_drawing_has_everybodys_points_after_each_round(kept) -> None:
    pages = [(one, re.search("<svg.*</svg>", render_session_page(one, "en"), re.S)) for one in kept[1]]
    assert {one.setup.game for one, svg in pages if svg} == {"donkey_valley", "ochs_und_esel", "ascend"}
    for one, svg in ((one, ElementTree.fromstring(svg[0])) for one, svg in pages if svg):
        lines = svg.findall("polyline")
        assert len(lines) == len(one.setup.players)
        assert len({len(line.get("points").split()) for line in lines}) == 1
        _, _, width, height = map(float, svg.get("viewBox").split())
        for line in lines:
            for point in line.get("points").split():
                x, y = map(float, point.split(","))
                assert 0 <= x <= width
                assert 0 <= y <= height


@pytest.mark.slow
def test_a_phone_shows_every_column_of_the_rounds(kept, browser) -> None:  # noqa: F811
    page = browser.new_page(viewport={"width": 390, "height": 844})
    evening = evenings_of("donkey_valley")[0]
    entries = []
    session = Session(evening.game, evening.setup, entries.append)
    while len(entries) < 60 and (deed := evening.players.next_action(session.list_acts(), session.view())):
        session.act(deed.request)
    times = tuple(map(float, range(len(entries))))
    page.set_content(render_session_page(SavedSession(1, evening.setup, 0.0, tuple(entries), times), "en"))
    assert page.evaluate("(one => one.scrollWidth - one.clientWidth)(document.querySelector('.scroll'))") == 0
    page.close()


def test_names_at_the_lines_ends_do_not_cover_each_other() -> None:
    placed = sorted(_spread_heights([200.0] * 7))
    assert all(after - before >= _APART for before, after in pairwise(placed))


def test_the_page_is_kept_where_one_says(kept, tmp_path, capsys) -> None:
    page = tmp_path / "evening.html"
    words = ["history", "--journal", str(kept[0]), "--page", str(page)]
    assert main([*words, "1"]) == 0
    assert str(page) in capsys.readouterr().out
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert main(words) == 2
    assert main([*words[:-1], str(tmp_path / "no" / "such.html"), "1"]) == 2
    assert "Traceback" not in capsys.readouterr().err
