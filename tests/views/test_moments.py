"""What the table waits for: every game's moment, the loads that add up in their players' colours,
who leads."""

import pytest

from companion.rules.donkey_valley import requests as ask
from companion.rules.dtc import requests as dtc
from companion.texts import LANGUAGES, Translator
from companion.views.moments import moment_of
from companion.views.panel import face_of
from tests.views.table import SEVEN, dashboard, enter, first_round, live_session, on_screen


def moment(live, language: str = "en"):
    snapshot = live.snapshot()
    say = Translator(language, live.game)
    return moment_of(snapshot, face_of(snapshot.setup.game)(snapshot.view, say), say)


@pytest.mark.parametrize(
    ("cards", "verdict", "taker"), [(("2", "2"), "True!", "Bob"), (("1", "2"), "A bluff!", "Ann")]
)
def test_a_challenge_in_dtc_is_a_moment(cards: tuple[str, ...], verdict: str, taker: str) -> None:
    live = live_session(SEVEN[:3], "dtc")
    enter(live, dtc.Offer("Ann", 2, 2))
    assert moment(live) is None
    enter(live, dtc.Challenge("Bob"), dtc.Reveal(cards))
    happened = moment(live)
    assert happened is not None
    assert happened.verdict == verdict
    assert [(gain.name, gain.signed) for gain in happened.winners] == [(taker, "+2")]
    assert all(moment(live, language) is not None for language in LANGUAGES)


def test_the_next_act_ends_it() -> None:
    live = live_session(SEVEN[:3], "dtc")
    enter(live, dtc.Offer("Ann", 2, 2), dtc.Challenge("Bob"), dtc.Reveal(("1", "2")))
    enter(live, dtc.Offer("Ann", 1, 3))
    assert moment(live) is None


async def test_loads_add_up_under_their_players_marks_and_the_result_can_be_called_back() -> None:
    live = live_session()
    first_round(live)
    players = live.setup.players[1:] + live.setup.players[:1]
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert "◂ leads" in on_screen(pilot.app)
        enter(live, ask.Donkey("giant"), *(ask.Load(one) for one in players))
        enter(live, *(ask.NoFavour(one) for one in players), *(ask.Decide(one, True) for one in players))
        enter(live, ask.Reveal("Bob", (7,)))
        await pilot.pause(0.3)
        assert "●7" in on_screen(pilot.app)
        assert "Ann +7" not in on_screen(pilot.app)
        await pilot.press("v")
        await pilot.pause()
        assert "Ann +7" in on_screen(pilot.app)
