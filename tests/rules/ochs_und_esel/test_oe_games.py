"""Whole games of Ochs & Esel by the simulated players: what holds in this game only."""

from collections import Counter

import pytest

from companion.games.ochs_und_esel import GAME
from companion.games.ochs_und_esel.player import Players
from companion.rules.session import Session
from tests.rules.talk import setup_of


@pytest.mark.parametrize("ox", [False, True])
def test_cards_are_conserved(ox):
    """What was dealt is in hands, on the table, in front of a player or shed; each known card lies
    in one place."""
    setup = setup_of(GAME, list("ABCDEF"), 6, ox=ox, rounds=2)
    players, session = Players(setup), Session(GAME, setup)
    while (deed := players.next_action(session.list_acts(), session.view())) is not None:
        view, layout = session.view(), GAME.layout_cards(session.state)
        known = Counter(card for place, cards in layout.items() for card in cards)
        assert all(count <= (1 if card in ("oe:donkey", "oe:ox") else 8) for card, count in known.items())
        if view["phase"] != "hands":
            animals_in_hand = sum(len(cards) for place, cards in layout.items() if place.endswith(" hand"))
            in_hands = sum(row["hand"] for row in view["players"])
            assert in_hands - animals_in_hand + known.total() == 6 * 13 + (2 if ox else 1)
        session.act(deed.request)
    assert session.is_over
