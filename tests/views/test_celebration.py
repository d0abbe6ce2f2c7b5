"""The donkey's picture, and the end of a game: who is celebrated, and by how much."""

import re

import pytest

from companion.language import LANGUAGES
from companion.views.block_letters import SIZES as LETTERS
from companion.views.block_letters import draw_block_letters
from companion.views.dashboard.widgets.stage import count_picture_columns, draw_mosaic
from tests.views.table import SEVEN, dashboard, played_out, steady


def test_a_picture_fills_its_cells_and_what_has_none_takes_no_room() -> None:
    columns = count_picture_columns("donkey_valley", "donkey:giant", 15)
    lines = draw_mosaic("donkey_valley", "donkey:giant", columns, 15)
    assert [line.cell_length for line in lines] == [columns] * 15
    assert len({span.style for line in lines for span in line.spans}) > 50
    assert count_picture_columns("donkey_valley", "load:red:7", 15) == 0
    assert draw_mosaic("donkey_valley", "load:red:7", 20, 15) == ()


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60), (30, 10)])
async def test_the_winner_is_celebrated_and_nothing_is_explained_unasked(size: tuple[int, int]) -> None:
    live = played_out(SEVEN[:4])
    first, second = live.snapshot().view["result"]["ranking"][:2]
    async with dashboard(live).run_test(size=size) as pilot:
        seen = await steady(pilot)
        assert "[DV-" not in seen
        if size[1] >= 24:
            assert f"{first['points'] - second['points']} points ahead of {second['player']}" in seen
            assert size[0] < 100 or len(re.findall(r"=\s+\d+", seen)) == 4  # the table of rounds is whole
            assert all(f"{row['rank']}. " in seen for row in live.snapshot().view["result"]["ranking"])


async def test_where_fewest_points_win_it_is_said_so_and_two_winners_win_together() -> None:
    async with dashboard(played_out(("Ann", "Bob", "Cy"), "dtc")).run_test(size=(120, 40)) as pilot:
        assert " fewer than " in await steady(pilot)
    partners = played_out(("Ann", "Bob", "Cy", "Dan"), "partners")
    async with dashboard(partners, language="fr").run_test(size=(120, 40)) as pilot:
        seen = await steady(pilot)
        assert "avance" not in seen
        assert seen.count("★ 1.") == 2


@pytest.mark.parametrize("language", LANGUAGES)
async def test_both_winners_are_named_where_their_names_fit(language: str) -> None:
    partners = played_out(("Ann", "Bob", "Cy", "Dan"), "partners")
    names = " + ".join(partners.snapshot().view["result"]["winners"])
    async with dashboard(partners, language=language).run_test(size=(80, 24)) as pilot:
        seen = await steady(pilot)
    assert any(all(row.strip() in seen for row in draw_block_letters(names, size)) for size in LETTERS)
