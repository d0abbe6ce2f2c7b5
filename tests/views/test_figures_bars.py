"""The page of figures: bars that fit every size in every language, sections by key and by mouse."""

import pytest
from msgspec.structs import replace
from rich.cells import cell_len

from companion.figures.rendering import FiguresWording
from companion.figures.tables import Column, FiguresTable, build_tables
from companion.journal.saved_session import SavedSession
from companion.journal.summaries import summarise_session
from companion.language import LANGUAGES
from companion.rules import registry
from companion.rules.contract import Text
from companion.rules.session import Session
from companion.views.home_screen.figures_page import (
    _LEAST,
    TableRoom,
    draw_table,
    number_players,
)
from tests.rules.evenings import evenings_of
from tests.views.screens import PLACES, SIZES
from tests.views.table import on_screen

FIGURES = next(place for place in PLACES if place.name == "figures")


@pytest.fixture(scope="module")
def everything():
    """The tables of an evening of every game."""
    plays = []
    for number, game in enumerate(registry.list_game_ids(), 1):
        evening, entries = evenings_of(game)[0], []
        session = Session(evening.game, evening.setup, entries.append)
        while len(entries) < 120 and (
            deed := evening.players.next_action(session.list_acts(), session.view())
        ):
            session.act(deed.request)
        plays.append(
            summarise_session(SavedSession(number, evening.setup, 0.0, tuple(entries), (0.0,) * len(entries)))
        )
    return build_tables(plays)


def lines(table, width, language="en", rows=1, seats=None):
    """A table as it is drawn, line by line."""
    return draw_table(
        table, FiguresWording(language), seats or number_players([table]), TableRoom(width, rows)
    ).plain.split("\n")


def people(*names, kind="share", values):
    """A table of players with one figure each."""
    columns = (Column(Text("figures.player"), "words"), Column(Text("figures.rate"), kind))
    return FiguresTable(Text("figures.standings"), columns, tuple(zip(names, values, strict=True)), bars=1)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("width", [76, 94, 116, 196])
def test_every_table_of_every_game_fits_the_width_in_every_language(everything, width, language):
    seats = number_players(everything)
    for table in everything:
        for rows in (1, 4):
            shown = lines(table, width, language, rows, seats)
            assert max(map(cell_len, shown)) <= width, table.title
            assert "…" not in "".join(shown), table.title


def test_a_share_is_measured_against_all_of_it_and_every_player_has_a_symbol_and_a_figure():
    *_, ann, ben = lines(people("Ann", "Ben", values=(0.5, 0.25)), 60)
    assert ann.startswith("▲ Ann")
    assert ben.startswith("● Ben")
    assert ann.count("█") == ann.count("░") == 2 * ben.count("█")
    assert ann.endswith("50%")
    assert ben.endswith("25%")


def test_what_is_below_nothing_goes_to_the_other_side_of_the_axis():
    *_, more, less = lines(people("Ann", "Ben", kind="change", values=(2.0, -4.0)), 60)
    assert less.rindex("█") + 1 == more.index("█")
    assert less.count("█") == 2 * more.count("█")
    assert less.endswith("−4.0")


def test_head_to_head_is_a_row_for_two_from_both_ends():
    headings = ("pair", "together", "first_ahead", "second_ahead", "level")
    columns = tuple(Column(Text(f"figures.{one}"), "words" if one == "pair" else "count") for one in headings)
    pair = Text("figures.versus", {"one": "Ann", "other": "Ben"})
    table = FiguresTable(Text("figures.head_to_head"), columns, ((pair, 4, 2, 1, 1),))
    row = lines(table, 71, seats={"Ann": 1, "Ben": 2})[-1]
    assert row.split()[:3] == ["▲", "Ann", "2"]
    assert row.split()[-5:] == ["1", "●", "Ben", "1", "4"]
    assert row.count("█") == row.count("▒") + row.count("·")
    long = ("Maximiliane-Friederike-A", "Bartholomäus-Konstantin-B")
    pair = Text("figures.versus", {"one": long[0], "other": long[1]})
    bars = set()
    for width in (71, 72):
        row = lines(replace(table, rows=((pair, 4, 4, 0, 0),)), width, seats={long[0]: 1, long[1]: 2})[-1]
        assert row.count("…") == 2
        assert cell_len(row) == width
        bars.add(row.count("█"))
    assert bars == {_LEAST, _LEAST + 1}


@pytest.mark.parametrize("size", SIZES)
async def test_sections_are_turned_by_key_and_by_mouse(size):
    app = FIGURES.open("en")
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert "▸Games◂" in on_screen(app)
        await pilot.press("right")
        await pilot.pause()
        assert "▸Wins◂" in on_screen(app)
        await click_on(pilot, " Donkey Valley")
        assert "▸Donkey Valley◂" in on_screen(app)
        await click_on(pilot, " favours")
        assert "8: choose a load" in on_screen(app)
        await click_on(pilot, "Next")
        assert "▸decisions◂" in on_screen(app)
        await click_on(pilot, "Next")
        assert "▸Games◂" in on_screen(app)
        await pilot.press("left")
        await pilot.pause()
        assert "▸decisions◂" in on_screen(app)


async def click_on(pilot, words):
    """Click where these words stand first on the screen."""
    rows = on_screen(pilot.app).split("\n")
    y = next(number for number, row in enumerate(rows) if words in row)
    await pilot.click(offset=(rows[y].index(words) + 1, y))
    await pilot.pause()
