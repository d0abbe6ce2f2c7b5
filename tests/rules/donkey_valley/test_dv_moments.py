"""What the screens show of a round: the gauge while loads are turned up, and the moments that are
not weighed."""

import itertools

import pytest

from companion.games.donkey_valley import moves as ask
from companion.games.donkey_valley.panel import build_panel
from companion.texts import Translator
from companion.views.dashboard.widgets.stage import _choose_gauge_style
from tests.views.table import enter, live_session, played_out

VALUES = (4, 9, 5), (9, 9, 1), (10, 10, 10), (7, 8, 9), (1, 1, 2)


def until_reveal(live, donkey, accept=True):
    players = live.setup.players
    enter(live, ask.Donkey(donkey), *(ask.Load(player) for player in players))
    enter(live, *(ask.NoFavour(player) for player in players))
    enter(live, *(ask.Decide(player, accept) for player in players))


@pytest.mark.parametrize("donkey", ["precision", "attacked", "hand_picked", "giant", "puny"])
@pytest.mark.parametrize("values", VALUES)
def test_the_gauge_is_never_red_for_a_donkey_that_carries(donkey: str, values: tuple[int, ...]) -> None:
    for order in itertools.permutations(range(3)):
        live = live_session()
        until_reveal(live, donkey)
        seen = []
        for seat in order:
            enter(live, ask.Reveal(live.setup.players[seat], (values[seat],)))
            seen.append(build_panel(live.snapshot().view, Translator("en", live.game)))
        *before, last = seen
        red = [face.gauge for face in seen if "error" in _choose_gauge_style(face.gauge)]
        assert bool(red) == (last.gauge.tone == "bad") == bool(live.snapshot().view["overloaded"])
        assert all(face.gauge not in red for face in before)
        if donkey == "precision":
            shown = [values[seat] for seat in order]
            assert [face.gauge.value for face in seen] == [
                max(shown[:count]) - min(shown[:count]) for count in (1, 2, 3)
            ]


def test_a_stubborn_donkey_that_stays_and_a_lost_one_set_aside_have_their_moments() -> None:
    live = live_session()
    until_reveal(live, "stubborn", accept=False)
    assert build_panel(live.snapshot().view, Translator("en", live.game)).result.verdict == "IT WON'T MOVE"
    enter(live, ask.Donkey("lost"), *(ask.Load(player) for player in live.setup.players))
    result = build_panel(live.snapshot().view, Translator("en", live.game)).result
    assert result.verdict == "SET ASIDE"
    assert result.tone == "warn"


def test_all_loads_removed_have_their_moment() -> None:
    live = live_session()
    until_reveal(live, "hand_picked")
    enter(live, *(ask.Reveal(player, (3,)) for player in live.setup.players))
    assert build_panel(live.snapshot().view, Translator("en", live.game)).result.verdict == "ALL GONE"


def test_a_game_that_ends_with_a_lost_donkey_ends_in_the_last_round() -> None:
    live = played_out(("Ann", "Bob", "Cy"))
    face = build_panel({**live.snapshot().view, "round": 2}, Translator("en", live.game))
    assert face.progress == (8, 8)
    assert face.progress_label == "Round 8 of 8"
