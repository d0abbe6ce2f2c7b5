"""An act that is meant is found in a seat's own conversation, sevens pawn by pawn too."""

import pytest

from companion.demo.actions import make_players
from companion.games.partners.moves import Fold
from companion.live.live_session import LiveSession
from companion.rules.start import Start, prepare_game
from companion.table.decks import Deck
from companion.table.table import Table
from companion.texts import Translator
from companion.views.conversations import Conversation, prompt_for_own_entry
from companion.views.entry_options import PartByPart
from tests.simulated.by_hand import answers


@pytest.mark.parametrize("game", ["partners", "ochs_und_esel"])
def test_what_is_answered_at_a_seat_enters_the_act_that_was_meant(game):
    live = LiveSession(
        *prepare_game(Start(game, ["Ann", "Bob", "Chloé", "Dan"], {}, 3)),
        table=Table(Deck.load_builtin(game)),
    )
    players, say, steps = make_players(live.setup), Translator("en", live.game), 0
    for _ in range(90):
        wanted = players.next_action(live.list_acts(), live.snapshot().view).request
        wanted = Fold(wanted.player) if isinstance(wanted, Fold) else wanted
        if getattr(wanted, "player", None) is None:
            live.submit_request(wanted)
            continue
        talk = Conversation(lambda: prompt_for_own_entry(live, wanted.player, say))  # noqa: B023 - ends within the round
        given = answers(lambda: prompt_for_own_entry(live, wanted.player, say), wanted, say)  # noqa: B023
        steps += any(isinstance(one.reply.value, PartByPart) for one in given)
        for _, reply, cards in given:
            assert talk.give_answer(talk.find_offered(reply), cards)
        assert live.list_acts()[-1].request == wanted
    assert (steps > 0) == (game == "partners")
