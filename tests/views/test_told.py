"""What is told of typical games, in full: line by line, aloud, to pages, and on the page and the
picture of the evening. `pytest tests/views --snapshot-update` renews it; read the difference."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec
import pytest
from PIL import Image
from syrupy.assertion import SnapshotAssertion

from companion.journal.saved_session import SavedSession
from companion.journal.sidecar_files import Picture, SessionNotes
from companion.live.live_session import LiveSession
from companion.live.snapshot import Snapshot
from companion.rules.session import Session
from companion.texts import Translator
from companion.views.announcements import list_utterances
from companion.views.evening_story import tell_story
from companion.views.page_state import _format_clock, build_state, render_overlay
from companion.views.plain_view import PlainView
from companion.views.result_card import Standing, _draw_words, _list_pixels, draw_result_card
from companion.views.session_page import _write_result_card, render_session_page
from tests.rules.evenings import ONE_OF_EACH_GAME, Evening, evenings_of
from tests.views.looks import INKS
from tests.views.screens import middle
from tests.views.table import Characters, live_session, played_out

LANGUAGE = {"donkey_valley": "de", "dtc": "fr", "ochs_und_esel": "de", "partners": "en", "ascend": "fr"}
"""What each game is told in: every language once or twice."""
GAMES = pytest.mark.parametrize("game", LANGUAGE)
ACTS = 45
"""Acts of each game that are told: a few rounds."""


def acts_of(game: str, acts: int = ACTS) -> Iterator[tuple[LiveSession, str]]:
    """Play the beginning of a game; give the table before it and after each act."""
    evening: Evening = ONE_OF_EACH_GAME[game]
    live = live_session(evening.setup.players, game)
    players = evening._replace(setup=live.setup).players
    yield live, ""
    for _ in range(acts):
        deed = players.next_action(live.list_acts(), live.snapshot().view)
        if deed is None:
            return
        refusal = live.submit_request(deed.request)
        yield live, "" if refusal is None else refusal.code


@GAMES
def test_line_by_line(game: str, snapshot: SnapshotAssertion) -> None:
    """The news of each act, and now and then what can be typed."""
    told: list[str] = []
    plain: PlainView | None = None
    for number, (live, _) in enumerate(acts_of(game)):
        if plain is None:
            plain = PlainView(live, Translator(LANGUAGE[game], live.game), told.append)
            plain.enter_line("?")
        told.append(f"[{number}]")
        plain.poll_table(0.0)
        if number % 7 == 0:
            for typed in ("", "now", "last", "2", "zzz"):
                told.append(f"> {typed}")
                plain.enter_line(typed)
        if number % 20 == 3:
            for typed in (
                "why",
                "undo",
                "redo",
                "%",
                "%",
                "pause",
                "go",
                "count",
                "again",
                "photo",
                "screens",
                "moved",
            ):
                told.append(f"> {typed}")
                plain.enter_line(typed)
                plain.poll_table(0.0)
    assert "\n".join(told) == snapshot(extension_class=Characters)


@pytest.mark.parametrize("language", ["en", "de"])
def test_corrections_and_people_line_by_line(language: str, snapshot: SnapshotAssertion) -> None:
    """What is typed, and what is answered, to the end of each conversation."""
    live, told = middle("donkey_valley"), list[str]()
    plain = PlainView(live, Translator(language, live.game), told.append)
    for typed in (
        *("correct", "13", "a", "yes", "correct", "13 r yes", "correct", "13", "-", "-", "1 zz", ""),
        *(
            "correct",
            "99",
            "14",
            "9",
            "yes",
            "people",
            "2",
            "r Zo\u00e9",
            "people",
            "1 x 3",
            "people",
            "1 r",
            "",
            "",
        ),
        *("people", "j Eve", "people", "zz", "", "Zo\u00e9", "2 n", "2 2", "moved", "n n n", "quit"),
    ):
        told.append(f"> {typed}")
        plain.enter_line(typed)
        plain.poll_table(0.0)
    assert "\n".join(told) == snapshot(extension_class=Characters)


@GAMES
def test_aloud(game: str, snapshot: SnapshotAssertion) -> None:
    """Each sentence with its urgency and sound."""
    before: Snapshot | None = None
    told = []
    for live, _ in acts_of(game):
        now, say = live.snapshot(), Translator(LANGUAGE[game], live.game)
        told += [
            f"{one.urgency.name:6} {one.sound or '-':8} {say.translate(one.text)}"
            for one in list_utterances(before, now)
        ]
        before = now
    assert "\n".join(told) == snapshot(extension_class=Characters)


@GAMES
def test_to_pages(game: str, snapshot: SnapshotAssertion) -> None:
    """The whole state at first, and at every act what has changed in it."""
    told, before = [], dict[str, Any]()
    for number, (live, _) in enumerate(acts_of(game)):
        state = build_state(live.snapshot(), Translator(LANGUAGE[game], live.game))
        if number and state["board"]:
            del state["board"]["spots"]  # they never change
        changed = {
            name: value for name, value in state.items() if name != "number" and before.get(name) != value
        }
        if number % 6 == 0 or "moment" in changed:
            told.append(f"[{number}]")
            for name, value in changed.items():
                told.append(f"{name}: {json.dumps(msgspec.to_builtins(value), ensure_ascii=False)}")
            before = state
    assert "\n".join(told) == snapshot(extension_class=Characters)


@GAMES
def test_on_a_stream(game: str, snapshot: SnapshotAssertion) -> None:
    shown = []
    for number, (live, _) in enumerate(acts_of(game)):
        if number % 15 == 9:
            page = render_overlay(build_state(live.snapshot(), Translator(LANGUAGE[game], live.game)))
            shown.append(page[page.index("<main>") :])
            assert page.startswith("<!doctype html><!-- overlay of the Card Table Companion -->\n<html lang=")
    assert "\n".join(shown) == snapshot(extension_class=Characters)


def test_at_the_end_a_stream_names_the_winners_alone() -> None:
    live = played_out(("Ann", "Bob", "Cy", "Dan"), "partners")
    page = render_overlay(build_state(live.snapshot(), Translator("en", live.game)))
    assert f"<h1>{' · '.join(live.snapshot().view['result']['winners'])}</h1>" in page


def whole(game: str) -> tuple[Evening, Session, SavedSession]:
    """An evening to its end, an act every twenty seconds."""
    evening = min(evenings_of(game), key=lambda one: len(one.setup.players))
    entries: list[Any] = []
    session = Session(evening.game, evening.setup, entries.append)
    players = evening.players
    while (deed := players.next_action(session.list_acts(), session.view())) is not None:
        session.act(deed.request)
    times = tuple(1.79e9 + 20.0 * number for number in range(len(entries)))
    return evening, session, SavedSession(7, evening.setup, 1.79e9, tuple(entries), times)


@GAMES
def test_as_a_story_and_a_page(game: str, snapshot: SnapshotAssertion) -> None:
    evening, session, saved = whole(game)
    translator = Translator(LANGUAGE[game], evening.game)
    story = tell_story(session, evening.setup.players, translator)
    told = [
        f"{one.call} | {one.sentence} | {' / '.join(one.remarks)} | {one.gains}" for one in story.chapters
    ]
    notes = SessionNotes("At <home>", "Notes & more")
    page = render_session_page(saved, LANGUAGE[game], [Picture(9, b"\xff\xd8")], notes, b"\xff\xd8photo")
    when = f"{datetime.fromtimestamp(1.79e9):%Y-%m-%d %H:%M}"
    assert page.count(when) == 2
    lines = page.replace(when, "WHEN").replace("><", ">\n<").split("\n")
    # a whole evening is long
    shown = "\n".join([*told[:20], *lines[:200], "...", *lines[-60:]])
    assert shown == snapshot(extension_class=Characters)


def test_a_page_that_has_little_to_tell(snapshot: SnapshotAssertion) -> None:
    """No drawing, no podium, no pictures, no notes."""
    _, _, saved = whole("dtc")
    begun = SavedSession(8, saved.setup, saved.begun, saved.entries[:3], saved.times[:3])
    page = render_session_page(begun, "en").replace("><", ">\n<")
    when = f"{datetime.fromtimestamp(saved.begun):%Y-%m-%d %H:%M}"
    shown = page[page.index("</style>") :].replace(when, "WHEN")
    assert shown == snapshot(extension_class=Characters)


def test_a_picture_is_written_at_the_end_of_a_game(tmp_path, monkeypatch) -> None:
    _, _, saved = whole("dtc")
    ranked: list[Standing] = []
    monkeypatch.setattr(
        "companion.views.session_page.draw_result_card", lambda *told: ranked.extend(told[3]) or b"PNG"
    )
    begun = SavedSession(8, saved.setup, saved.begun, saved.entries[:3], saved.times[:3])
    for number, (one, is_written) in enumerate(((saved, True), (begun, False))):
        file = tmp_path / f"{number}.png"
        assert _write_result_card(one, file, "en") is is_written
        assert file.exists() is is_written
    assert {one.seat: one.name for one in ranked} == dict(enumerate(saved.people.seats, 1))


def test_the_clock_of_the_overlay_is_rounded_up_and_stops_at_nothing() -> None:
    left = [_format_clock({"left": left, "paused": False}) for left in (61.2, 60, 0.1, 0, -5)]
    assert left == ["1:02", "1:00", "0:01", "0:00", "0:00"]
    assert _format_clock({"left": 9, "paused": True}) == "‖"
    assert _format_clock({"left": None, "paused": False}) == _format_clock(None) == ""


def test_words_are_cut_where_their_dots_do_not_fit() -> None:
    """A dot of a letter is a pixel at least, however long the words are."""
    wide = len(_list_pixels("ANN")[0])
    for room, cut in ((wide, False), (wide - 1, True), (3 * wide, False)):
        picture = Image.new("L", (400, 40))
        _draw_words(picture, "ANN", (0, 0), (room, 9), "white")
        assert (picture.getbbox()[2] < wide) is cut
        assert picture.getbbox()[2] <= room


def test_a_headline_is_as_wide_as_the_picture_less_its_margins() -> None:
    """Were there room for less, its dots would be smaller."""
    wide = len(_list_pixels("H" * 88)[0])
    with Image.open(io.BytesIO(draw_result_card("", "H" * 88, (), ()))) as card:
        lit = card.convert("L").point(lambda light: 255 * (light > 100)).getbbox()
    assert (lit[0], lit[2]) == (60, 60 + 2 * wide)
    assert 3 * wide > 1200 - 2 * 60 > 2 * wide > 1200 - 3 * 60


def test_as_a_picture(snapshot: SnapshotAssertion) -> None:
    """A sign for every eight by ten pixels: what stands where, in whose colour."""
    shown = []
    for lines, standings in (
        ((), ()),
        (
            ("2 points ahead of Bob", "in the lead since round 3"),
            (Standing(2, 1, "Ann", "12"), Standing(1, 2, "Bob", "10")),
        ),
        (
            ("level",),
            [
                Standing(seat, seat, ("Zoé", "李", "Maximilian Alexander Konstantin")[seat % 3], "-3½")
                for seat in range(1, 13)
            ],
        ),
    ):
        png = draw_result_card(
            "Donkey Valley · 2026-11-28",
            "Ann wins!"
            if lines != ("level",)
            else "A headline that is far too long for one line of the card",
            lines,
            standings,
        )
        with Image.open(io.BytesIO(png)) as card:
            assert card.format == "PNG"
            assert card.size == (1200, 630)
            colours: dict[tuple[int, ...], str] = {}
            for top in range(0, 630, 10):
                row = "".join(
                    colours.setdefault(card.getpixel((left, top)), INKS[len(colours)])
                    for left in range(0, 1200, 8)
                )
                shown.append(re.sub(r"(.)\1{4,}", lambda found: f"{found[1]}×{len(found[0])} ", row))
            shown.append(
                str({letter: "#{:02x}{:02x}{:02x}".format(*colour) for colour, letter in colours.items()})
            )
    assert "\n".join(shown) == snapshot(extension_class=Characters)
