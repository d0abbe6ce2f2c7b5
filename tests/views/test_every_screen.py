"""Every screen of the dashboard, in every language and at three sizes: no message id, no English in French, nothing cut that matters."""

import re

import pytest

from companion.rules.donkey_valley import requests as ask
from companion.texts import LANGUAGES
from companion.views.dashboard.app import Dashboard
from tests.rules.evenings import EVENINGS
from tests.views.table import SEVEN, dashboard, enter, first_round, live_session, on_screen

SIZES = [(80, 24), (120, 40), (200, 60)]
CODE = re.compile(r"\b[a-z_]+\.[a-z_]+\b(?!\s*=)|\b[a-z]+_[a-z_]+\b|card\.\?")
"""What a message id or a name of the wire looks like."""
ENGLISH = re.compile(
    r"\b(?:the|and|Close|Quit|Undo|Keys|Back|Enter|Round|Rounds|Search|Pause\?|kept|wins|player)\b"
)
SCREENS = {
    "table": (),
    "entry": ("enter",),
    "why": ("e",),
    "corrections": ("c",),
    "a correction": ("c", "enter"),
    "keys": ("question_mark",),
    "palette": ("ctrl+p",),
    "paused": ("space",),
    "undone": ("u",),
}


def played(game: str):
    """A session of a game in the middle of an evening."""
    live = live_session(SEVEN[:4], game)
    if game == "donkey_valley":
        first_round(live)
        enter(live, ask.Donkey("hand_picked"), *(ask.Load(name) for name in SEVEN[:4]))
    else:
        evening = next(one for one in EVENINGS if one.game.id == game)
        live = live_session(evening.setup.players, game)
    return live


async def seen(app: Dashboard, size: tuple[int, int]) -> dict[str, str]:
    """What stands on each screen."""
    found = {}
    async with app.run_test(size=size) as pilot:
        for name, keys in SCREENS.items():
            await pilot.press(*keys)
            await pilot.pause()
            found[name] = on_screen(app)
            for _ in range(3):
                await pilot.press("escape")
            if name == "paused":
                await pilot.press("space")
            await pilot.pause()
    return found


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("language", LANGUAGES)
async def test_no_screen_shows_a_code_or_a_foreign_word(size: tuple[int, int], language: str) -> None:
    for game in ("donkey_valley", "partners") if size[0] == 120 else ("donkey_valley",):
        for name, shown in (await seen(dashboard(played(game), language=language), size)).items():
            assert not CODE.search(shown), (game, name, CODE.findall(shown))
            if language == "fr":
                assert not ENGLISH.search(shown), (game, name, ENGLISH.findall(shown))


@pytest.mark.parametrize("language", LANGUAGES)
async def test_at_24_rows_a_refusal_is_on_the_screen(language: str) -> None:
    live = played("donkey_valley")
    live.submit(ask.Favour("Dora", 3))
    async with dashboard(live, language=language).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "✘" in on_screen(pilot.app)
