"""A name that was put right is right everywhere.

The oracle: an evening in which names were put right (once, twice, swapped between two players) says
what the same evening says that was played under the right names from its first card. What shows
names is listed from the program itself; a new command, format, page or word belongs here.
"""

from __future__ import annotations

import ast
import json
import re
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from companion.__main__ import main
from companion.commands import home_screen_pages
from companion.commands.home_screen_pages import PAGE_OPENERS
from companion.commands.play import _matches_plan
from companion.demo.actions import make_players
from companion.evening.home_screen_entries import format_session_summary
from companion.evening.session_opening import remember_group
from companion.evening.sharing import make_share_switch
from companion.journal.export import FORMATS
from companion.journal.journal import Journal
from companion.journal.saved_session import SavedSession
from companion.journal.store import Store
from companion.journal.summaries import summarise_session
from companion.language import LANGUAGES
from companion.live.live_session import LiveSession
from companion.plan import Plan
from companion.rules import registry
from companion.rules.people import SeatChange
from companion.settings import Settings, load_settings, try_change_settings
from companion.share.seat_controller import SeatController
from companion.texts import Translator
from companion.views.announcements import Speaker
from companion.views.page_state import Overlay, build_state
from companion.views.plain_view import PlainView
from companion.views.plain_words import COMMANDS as WORDS
from companion.views.session_page import render_session_page
from companion.views.table_session import TableSession
from tests import commands
from tests.views.screens import PLACES
from tests.views.table import Heard, dashboard, live_session, steady

FIRST = ("Quilla", "Brocko", "Zimfi", "Nolwen")
CHANGES = {
    "once": [(0, "Wexa")],
    "twice": [(0, "Wexo"), (0, "Wexa")],
    "swapped": [(0, "Thirza"), (1, FIRST[0]), (0, FIRST[1])],
    "swapped_and_back_in": [(0, "Thirza"), (1, FIRST[0]), (2, FIRST[1]), (0, FIRST[2])],
}
"""Seat and name, one after the other."""
SHORTER: dict[str, dict[str, Any]] = {"ascend": {"target": 10}}
"""A game that would last for 794 acts, and these tests for as long as those of all others."""
SAID = re.compile(r"(is called|s’appelle|heißt)")
"""The line that tells that a name was put right, in each language: it alone says the old one."""


def right(changes, first=FIRST):
    names = list(first)
    for seat, name in changes:
        names[seat] = name
    return tuple(names)


@cache
def deeds(game: str) -> tuple[Any, ...]:
    """What the simulated players do in an evening, as plain values."""
    live = live_session(FIRST[: players(game)], game, **SHORTER.get(game, {}))
    sitting = make_players(live.setup)
    while (deed := sitting.next_action(live.list_acts(), live.snapshot().view)) and live.submit_request(
        deed.request
    ) is None:
        continue
    return tuple((type(act.request), msgspec.to_builtins(act.request)) for act in live.list_acts())


def acts(live: LiveSession, count: int) -> None:
    """So many acts of that evening, each by whoever sits in that seat here."""
    seats = live.snapshot().people.seats
    here = dict(zip(FIRST, seats, strict=False))

    def called(value: Any) -> Any:
        match value:
            case dict():
                return {called(key): called(one) for key, one in value.items()}
            case list() | tuple():
                return [called(one) for one in value]
        return here.get(value, value) if isinstance(value, str) else value

    for kind, request in deeds(live.game.id)[len(live.list_acts()) : count]:
        assert live.submit_request(msgspec.convert(called(request), kind)) is None


class Clock:
    """The time that a journal writes, so that two evenings are alike to the second."""

    now = 1.79e9

    def time(self) -> float:
        self.now += 10
        return self.now


@pytest.fixture(autouse=True)
def journals_are_closed(monkeypatch):
    """The evenings that are compared are open side by side, until the end of a test."""
    opened, real = [], Journal.open
    monkeypatch.setattr(Journal, "open", lambda file: opened.append(real(file)) or opened[-1])
    yield
    for journal in opened:
        journal.close()


def played(file: Path | None, game: str, names, changes, monkeypatch, *, ends: bool = False) -> LiveSession:
    """An evening with changes of names in its middle, after an undo too."""
    deeds(game)
    monkeypatch.setattr("companion.journal.journal.time", Clock())
    journal = None if file is None else Journal.open(file)
    live = live_session(names[: players(game)], game, journal=journal, **SHORTER.get(game, {}))
    acts(live, 6)
    for seat, name in changes:
        assert live.change_seats(SeatChange("rename", live.snapshot().people.seats[seat], name)) is None
        live.undo()
        live.redo()
    acts(live, 10_000 if ends else 14)
    return live


def players(game: str) -> int:
    seats = registry.load_game(game).seats
    return min(max(seats[0], 4), seats[-1])


def pair(tmp_path, game, changes, monkeypatch, *, ends=False):
    """The evening and its twin, which was played under the right names; each with its journal."""
    changes = [change for change in changes if change[0] < players(game)]
    for folder, names, made in (
        ("put_right", FIRST, changes),
        ("from_the_start", right(changes), [(seat, right(changes)[seat]) for seat, _ in changes]),
    ):
        (tmp_path / folder).mkdir()
        file = tmp_path / folder / "journal.sqlite3"
        yield file, played(file, game, names, made, monkeypatch, ends=ends)


def without_renames(words: str) -> list[str]:
    return [line for line in words.splitlines() if not SAID.search(line)]


def kept_of(file: Path) -> SavedSession:
    with Store.open_read_only(file) as store:
        return store.read_session(1)


def command(capsys, *words) -> list[str]:
    main([*map(str, words)])
    return without_renames(capsys.readouterr().out)


CASES = [
    *(
        (game, "swapped", LANGUAGES[row % len(LANGUAGES)])
        for row, game in enumerate(registry.list_game_ids())
    ),
    *(("donkey_valley", change, language) for change, language in zip(CHANGES, LANGUAGES, strict=False)),
    ("donkey_valley", "swapped_and_back_in", "en"),
]
"""Each game with names swapped, which is two names put right; the other changes with one game: they
are made before any game sees them, and a language knows none."""


@pytest.mark.slow
@pytest.mark.parametrize(("game", "change", "language"), CASES)
def test_what_is_kept_says_the_right_names_only(
    game, change, language, tmp_path, monkeypatch, capsys
) -> None:
    (one, live), (other, twin) = pair(tmp_path, game, CHANGES[change], monkeypatch, ends=True)
    for table in (live, twin):
        table.close()
    kept, other_kept = kept_of(one), kept_of(other)
    for words in (
        ["history"],
        ["history", "1"],
        ["figures"],
        ["figures", "--player", right(CHANGES[change])[0]],
    ):
        said = [command(capsys, *words, "--journal", file, "--lang", language) for file in (one, other)]
        assert said[0] == said[1]
        assert said[0], words
    assert render_session_page(kept, language) == render_session_page(other_kept, language)
    counted = [summarise_session(evening) for evening in (kept, other_kept)]
    assert len({format_session_summary(found, Translator(language)) for found in counted}) == 1
    for name, export in FORMATS.items():
        texts = ["".join(export([evening], language)) for evening in (kept, other_kept)]
        assert _exported(name, texts[0]) == _exported(name, texts[1]), name


def _exported(name: str, text: str):
    """What of an export two evenings have in common: all but ids of the evening and, in JSON, how
    the journal calls the seats."""
    if name == "bgstats":
        return re.sub(r'("plays": \[\s*\{\s*"uuid": )"[^"]+"', r"\1", text)
    if name != "json":
        return text
    [session] = json.loads(text)["sessions"]
    seats, names = session["players"], session["names"]
    assert list(names) == seats
    return (
        list(names.values()),
        [entry["text"] for entry in session["entries"] if not SAID.search(entry["text"])],
        [[reason["text"] for reason in session["explanation"][seat]] for seat in seats],
        [[row["points"][seat] for seat in seats] for row in session["score_sheet"]],
    )


@pytest.mark.parametrize(("game", "change", "language"), CASES)
def test_what_is_shown_while_people_play_says_the_right_names_only(
    game, change, language, tmp_path, monkeypatch
) -> None:
    shown = []
    for file, live in pair(tmp_path, game, CHANGES[change], monkeypatch):
        say, seats = Translator(language, live.game), live.snapshot().people.seats
        state = {name: value for name, value in build_state(live.snapshot(), say).items() if name != "number"}
        desk = [
            own
            for _, own in sorted(
                SeatController(TableSession(Plan(), live), say).build_seat_states().items(),
                key=lambda item: seats.index(item[0]),
            )
        ]
        overlay = file.with_name("overlay.html")
        Overlay(overlay).write_snapshot(live.snapshot(), say)
        beside = json.loads(overlay.with_suffix(".json").read_text("utf-8"))["names"]
        heard = Heard()
        Speaker(heard).announce_changes(live.snapshot(), say)
        lines: list[str] = []
        monkeypatch.chdir(tmp_path)  # `page` is among the words: it is kept where the program was started
        plain = PlainView(live, say, lines.append)
        plain.poll_table(0.0)
        for word in WORDS:
            plain.enter_line(word)
            plain.enter_line("")
            plain.poll_table(0.0)
        plain.enter_line(f"{right(CHANGES[change])[1]}")
        shown.append(
            (
                state,
                desk,
                overlay.read_text("utf-8"),
                list(beside.values()),
                list(heard),
                without_renames("\n".join(lines)),
            )
        )
    for one, other in zip(*shown, strict=True):
        assert one == other


SCREENS = [
    (name, keys)
    for place in PLACES
    if place.name in ("donkey_valley", "glance")
    for name, keys in place.screens.items()
]
LEADS_BACK = {"paused": ("space",), "undone": ("r",), "glance": ("g",)}
"""What leads from a screen back to the table, where Escape does not."""


async def test_every_screen_of_the_table_says_the_right_names_only(tmp_path, monkeypatch) -> None:
    drawn = []
    for _, live in pair(tmp_path, "donkey_valley", CHANGES["swapped"], monkeypatch):
        shown = {}
        async with dashboard(live).run_test(size=(200, 60)) as pilot:
            await steady(pilot)
            for name, keys in SCREENS:
                await pilot.press(*keys)
                await steady(pilot)
                # The row of keys is laid out when there is time for it.
                shown[name] = (await steady(pilot)).splitlines()[:-1]
                await pilot.press(*LEADS_BACK.get(name, ("escape",) * len(keys)))
        drawn.append(shown)
    assert len({*map(tuple, drawn[0].values())}) == len(SCREENS), "a key led nowhere"
    for shown in drawn:  # Cards to move stand in the order of what the game calls their owners.
        shown["moves"] = sorted(" ".join(shown["moves"]).split())
    for name, lines in drawn[0].items():
        assert lines == drawn[1][name], name
        assert not any(old in line for line in lines for old in set(FIRST) - set(right(CHANGES["swapped"])))


@pytest.mark.parametrize("game", ["donkey_valley", "partners"])  # won by one, and by two together
async def test_the_podium_says_the_right_names_only(game, tmp_path, monkeypatch) -> None:
    drawn = []
    for _, live in pair(tmp_path, game, CHANGES["swapped"], monkeypatch, ends=True):
        app = dashboard(live)
        app.animation_level = "none"
        async with app.run_test(size=(120, 40)) as pilot:
            drawn.append((await steady(pilot)).splitlines()[:-1])
            await pilot.press("e")
            drawn.append((await steady(pilot)).splitlines()[:-1])
    assert drawn[:2] == drawn[2:]


async def test_both_ways_of_putting_a_name_right_keep_the_same() -> None:
    by_keys, in_lines = live_session(FIRST), live_session(FIRST)
    plain = PlainView(in_lines, Translator("en", in_lines.game), lambda _: None)
    app = dashboard(by_keys)
    async with app.run_test(size=(120, 40)) as pilot:
        for seat, name in CHANGES["swapped"]:
            await pilot.press("p", str(seat + 1), "r", *name, "enter", "escape")
            await pilot.pause()
            plain.enter_line("people")
            plain.enter_line(f"{seat + 1} rename {name}")
        said = await steady(pilot)
    assert tuple(by_keys.snapshot().people.real_names.values()) == right(CHANGES["swapped"])
    assert by_keys.snapshot().people == in_lines.snapshot().people
    assert re.search(rf"{FIRST[1]}.*{FIRST[0]}", said, re.DOTALL)


def test_who_is_called_by_a_name_now_is_meant_by_it_in_lines() -> None:
    live = live_session(FIRST)
    lines: list[str] = []
    plain = PlainView(live, Translator("en", live.game), lines.append)
    for seat, name in CHANGES["swapped"]:
        live.change_seats(SeatChange("rename", FIRST[seat], name))
    assert plain._find_player(FIRST[0].lower()) == FIRST[1]
    assert plain._find_player(FIRST[1]) == FIRST[0]
    assert plain._find_player("Thirza") is None


def test_links_for_phones_name_players_as_they_are_called_when_the_sheet_is_opened() -> None:
    live = live_session(FIRST)
    with closing(
        make_share_switch(Translator("en", live.game), session=TableSession(Plan(), live))
    ) as sharing:
        sharing.start_sharing(network=False)
        live.change_seats(SeatChange("rename", FIRST[0], "Wexa"))
        assert sharing.invitation is not None
        words = " ".join(one.words for one in sharing.invitation.invites)
    assert "Wexa" in words
    assert FIRST[0] not in words


@pytest.mark.parametrize("change", CHANGES)
def test_the_group_is_remembered_by_its_right_names(change, tmp_path) -> None:
    """Also after a crash and a second correction, and once only."""
    file = tmp_path / "journal.sqlite3"
    live = live_session(FIRST, journal=Journal.open(file))
    plan = Plan("donkey_valley", FIRST)
    try_change_settings(lambda _: Settings())
    remember_group(plan, live)
    for seat, name in CHANGES[change]:
        live.change_seats(SeatChange("rename", FIRST[seat], name))
    assert [group.players for group in load_settings().groups] == [right(CHANGES[change])]
    live.close()
    journal = Journal.open(file)
    kept = journal.read_session(1)
    assert kept is not None
    again = LiveSession(live.game, kept.setup, table=live.table, journal=journal, saved=kept)
    remember_group(plan, again)
    again.change_seats(SeatChange("rename", FIRST[3], "Yolande"))
    again.close()
    assert [group.players for group in load_settings().groups] == [(*right(CHANGES[change])[:3], "Yolande")]
    assert load_settings().list_known_names() == (*right(CHANGES[change])[:3], "Yolande")


def test_an_evening_is_offered_again_to_its_players_by_their_right_names(tmp_path, monkeypatch) -> None:
    (file, live), _ = pair(tmp_path, "donkey_valley", CHANGES["once"], monkeypatch)
    live.close()
    kept = summarise_session(kept_of(file))
    asked = Plan(players=right(CHANGES["once"]))
    assert _matches_plan(kept, asked)
    assert not _matches_plan(kept, Plan(players=FIRST))


def test_who_stood_in_and_who_left_are_told_by_the_right_names(tmp_path, capsys) -> None:
    file = tmp_path / "journal.sqlite3"
    live = live_session(FIRST, journal=Journal.open(file))
    acts(live, 4)
    live.change_seats(SeatChange("stand_in", FIRST[0], "Eve"))
    live.change_seats(SeatChange("back", FIRST[0]))
    live.change_seats(SeatChange("leave", FIRST[1]))
    for seat in (0, 1):
        live.change_seats(SeatChange("rename", FIRST[seat], f"Right{seat}"))
    live.close()
    told = "\n".join(command(capsys, "history", "1", "--journal", file, "--lang", "en"))
    assert "Eve stands in for Right0" in told
    assert not any(name in told for name in FIRST[:2])
    page = render_session_page(kept_of(file), "en")
    assert not any(name in page for name in FIRST[:2])


def test_nobody_takes_the_name_of_somebody_who_has_gone() -> None:
    """They are in one score sheet: two columns of one name."""
    live = live_session(FIRST)
    live.change_seats(SeatChange("leave", FIRST[1]))
    refusal = live.change_seats(SeatChange("rename", FIRST[0], FIRST[1]))
    assert refusal is not None
    assert refusal.text.code == "refusal.same_name"


TRIED = {"welcome", "play", "history", "figures", "people", "export"}
"""Those that name people: those above; of the home screen, `tests/views/test_home_screen.py`."""
PAGES = {"evenings", "history", "figures", "people"}
"""Pages of the home screen that name people: the commands' words, and how an evening is called."""


def test_every_command_and_page_that_may_name_people_is_tried_here() -> None:
    assert {name for name, case in commands.CASES.items() if case.names_players} == TRIED
    assert set(PAGE_OPENERS) == PAGES | {"cards", "enrol", "settings", "share"}


SEATS = {
    "referee.py",
    "rules",
    "games",
    "live",
    "demo",
    "journal/schema.py",
    "journal/narration.py",
    "evening/session_opening.py",
}
"""Where players are seats of a game, called as the session began with them. Everything else asks
`People`: for who sits where (`seat_controller`), what they are called (`shown`) and rightly are
(`real_names`)."""


def test_nothing_that_shows_names_reads_those_that_a_session_began_with() -> None:
    home = Path(home_screen_pages.__file__).parents[1]
    found = []
    for file in sorted(home.rglob("*.py")):
        where = file.relative_to(home).as_posix()
        if file.name != "panel.py" and {where, where.partition("/")[0]} & SEATS:
            continue
        found += [
            f"{where}:{node.lineno}"
            for node in ast.walk(ast.parse(file.read_text("utf-8")))
            if isinstance(node, ast.Attribute)
            and node.attr == "players"
            and isinstance(node.value, ast.Attribute | ast.Name)
            and (node.value.attr if isinstance(node.value, ast.Attribute) else node.value.id) == "setup"
        ]
    assert found == []
