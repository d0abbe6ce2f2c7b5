"""The odds at the table: off at first, one key switches them on and off, and says what they are."""

from companion.games.donkey_valley import moves as ask
from companion.language import LANGUAGES
from companion.texts import Translator
from companion.views.plain_view import PlainView
from tests.views.table import SEVEN, dashboard, enter, live_session, on_screen


def session():
    live = live_session(SEVEN[:4])
    enter(live, ask.Donkey("giant"), *(ask.Load(player) for player in live.setup.players))
    return live


async def test_one_key_tells_the_odds_and_ends_it() -> None:
    live = session()
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert "Chance that" not in on_screen(pilot.app)
        await pilot.press("%")
        await pilot.pause()
        assert "Chance that" in on_screen(pilot.app)
        await pilot.press("%")
        await pilot.pause()
        assert live.snapshot().odds is None


def test_in_plain_mode_it_is_a_word_in_every_language() -> None:
    for language in LANGUAGES:
        live, said = session(), []
        translator = Translator(language, live.game)
        plain = PlainView(live, translator, said.append)
        plain.poll_table(0.0)
        plain.enter_line("odds")
        plain.poll_table(0.0)
        assert translator("odds.on") in said
        assert any("%" in line and line != translator("odds.on") for line in said)
