"""A seven pawn by pawn: pawn, steps, what is left; a step back; one request at the end; the board
in sight all the while."""

from itertools import permutations

import pytest

from companion.demo.players import players_of
from companion.live.live import Live
from companion.views.entry import Way, entry
from companion.views.part_by_part import PartByPart, gathered
from tests.views.table import dashboard, live_session, on_screen, steady

FOUR = ("Ann", "Bob", "Chloé", "Dan")


def before_a_seven(least: int = 6) -> tuple[Live, PartByPart]:
    """A game in which the player in turn can share a seven out in several ways."""
    live = live_session(FOUR, "partners")
    hands = players_of(live.setup)
    while True:
        deed = hands.next(live.acts(), live.snapshot().view)
        assert deed is not None
        rows = [one for one in gathered(entry(live).ways) if isinstance(one, PartByPart)]
        if rows and len(rows[0].ways) >= least and any(len(_parts(way)) == 2 for way in rows[0].ways):
            return live, rows[0]
        assert live.submit(deed.request) is None


def _parts(way: Way):
    assert way.choice.parts is not None
    return way.choice.parts.parts


def test_every_play_of_a_seven_is_reached_by_its_parts_in_any_order() -> None:
    _, seven = before_a_seven(least=12)
    for way in seven.ways:
        assert sum(part.size for part in _parts(way)) == 7
        for order in permutations(_parts(way)):
            now = seven
            for part in order:
                assert part in now.following
                now = now.and_then(part)
            assert now.used == 7
            assert way in now.whole
            assert now.following == []


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_pawn_and_steps_are_typed_and_one_request_is_kept(size: tuple[int, int]) -> None:
    live, seven = before_a_seven()
    way = next(one for one in seven.ways if len(_parts(one)) == 2 and len({p.key for p in _parts(one)}) == 2)
    first, second = _parts(way)
    acts = len(live.acts())
    async with dashboard(live).run_test(size=size) as pilot:
        await pilot.press("enter", "7")
        assert "0 of 7 used, 7 left" in await steady(pilot)
        await pilot.press(*first.key)
        seen = await steady(pilot)
        assert f"{first.size} of 7 used, {second.size} left" in seen
        assert "◇" in seen or "◎" in seen  # the board
        await pilot.press("backspace")
        assert "0 of 7 used" in await steady(pilot)
        await pilot.press(*second.key, *first.key)  # the other way round
        await steady(pilot)
        assert "of 7 used" not in on_screen(pilot.app)
    assert len(live.acts()) == acts + 1
    assert set(live.acts()[-1].request.moves) == set(way.choice.request.moves)


async def test_a_step_back_and_every_part_by_mouse() -> None:
    live, _ = before_a_seven()
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        await pilot.press("enter", "7")
        await steady(pilot)
        listing = pilot.app.screen.query_one("#entry-list")
        await pilot.click(listing, offset=(6, 0))
        assert "0 of 7 used" not in await steady(pilot)
        await pilot.press("backspace", "backspace")
        assert "of 7 used" not in await steady(pilot)
        assert pilot.app.screen.query_one("#entry").display
