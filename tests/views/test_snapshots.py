"""What the dashboard looks like, as text and as a picture, at the three sizes. Renew with
`pytest tests/views --snapshot-update`."""

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from companion.games.donkey_valley import moves as ask
from tests.views.table import SEVEN, THREE, Characters, dashboard, enter, first_round, live_session, steady

SIZES = [(80, 24), (120, 40), (200, 60)]


class Picture(SingleFileSnapshotExtension):
    """A picture of its own for each snapshot, in a format that a browser shows."""

    _write_mode = WriteMode.TEXT
    file_extension = "svg"


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("language", ["en", "fr"])
async def test_seven_players_in_the_second_round(
    size: tuple[int, int], language: str, snapshot: SnapshotAssertion
) -> None:
    live = live_session(SEVEN)
    first_round(live)
    enter(live, ask.Donkey("hand_picked"), *(ask.Load(player) for player in SEVEN[:4]))
    async with dashboard(live, language=language).run_test(size=size) as pilot:
        assert await steady(pilot) == snapshot(extension_class=Characters)


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("theme", ["baize", "high-contrast"])
async def test_a_picture_of_three_players_deciding(
    size: tuple[int, int], theme: str, snapshot: SnapshotAssertion
) -> None:
    live = live_session()
    first_round(live)
    enter(live, ask.Donkey("precision"), *(ask.Load(player) for player in THREE))
    first = live.snapshot().view["first_player"]
    enter(live, ask.Favour(first, 6))
    async with dashboard(live, theme=theme).run_test(size=size) as pilot:
        await steady(pilot)
        assert pilot.app.export_screenshot(title="Donkey Valley") == snapshot(extension_class=Picture)
