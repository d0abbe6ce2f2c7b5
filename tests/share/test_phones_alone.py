"""Games that are played by phones alone: nobody at the laptop, no card seen."""

import pytest

from companion.games.partners.moves import Fold, Play
from companion.live.live_session import LiveSession
from companion.rules.contract import GAME_OVER
from companion.share.seat_controller import find_number_grid
from companion.table.decks import Deck
from companion.table.table import Table
from companion.texts import Translator
from companion.views.conversations import prompt_for_own_entry
from tests.rules.evenings import ONE_OF_EACH_GAME, titled
from tests.simulated.by_hand import answers
from tests.simulated.phones import PLAYERS, phones

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("evening", ONE_OF_EACH_GAME.values(), ids=titled)
def test_every_act_of_an_evening_can_be_entered_on_a_phone(evening) -> None:
    deck = Deck.load_builtin(evening.game.id)
    live = LiveSession(evening.game, evening.setup, table=Table(deck, {}), cards=tuple(deck.card_counts))
    say, players = Translator("en", evening.game), evening.players
    first = evening.setup.players[0]
    while (
        deed := players.next_action(live.list_acts(), live.snapshot().view)
    ) is not None and live.step_count < 120:  # the later acts are like them
        wanted = deed.request
        wanted = Fold(wanted.player) if isinstance(wanted, Fold) else wanted
        who = getattr(wanted, "player", None) or first  # what is the table's is anybody's
        assert answers(lambda who=who: prompt_for_own_entry(live, who, say), wanted, say)
        assert live.submit_request(deed.request) is None


def test_pawns_are_named_in_words_and_make_no_grid_of_numbers() -> None:
    evening = ONE_OF_EACH_GAME["partners"]
    live = LiveSession(evening.game, evening.setup, table=Table(Deck.load_builtin("partners"), {}))
    say, players, swaps = Translator("en", evening.game), evening.players, 0
    while live.step_count < 100:
        assert (
            live.submit_request(players.next_action(live.list_acts(), live.snapshot().view).request) is None
        )
        for who in evening.setup.players:
            rows = next(prompt_for_own_entry(live, who, say)).rows
            swaps += sum(row.words.startswith("swap") for row in rows)
            assert find_number_grid(rows) == {}
    assert swaps


@pytest.mark.parametrize(
    ("game", "players", "options"),
    [
        ("ascend", 3, {"target": 1}),
        ("partners", 4, {"hands_only": True}),
    ],
)
def test_a_whole_game_is_played_by_tapping_what_stands_on_each_phone(browser, game, players, options) -> None:
    with phones(browser, game, PLAYERS[:players], **options) as table:
        table.play()
        assert table.live.snapshot().view["phase"] == GAME_OVER
        for page in table.pages.values():
            assert page.locator("#ranking li").count() == players
        assert table.faults == []


def test_numbers_are_offered_by_a_tap_in_their_grid(browser) -> None:
    with phones(browser, "dtc", PLAYERS[:3]) as table:
        table.play(most=15)
        assert table.live.step_count >= 15
        assert table.faults == []


def test_pawns_are_moved_by_a_card_and_then_what_it_does(browser) -> None:
    # after some deals nothing new comes
    with phones(browser, "partners", PLAYERS) as table:
        table.play(most=40)
        assert any(
            len(act.request.moves) > 1 for act in table.live.list_acts() if isinstance(act.request, Play)
        )
        assert table.faults == []
