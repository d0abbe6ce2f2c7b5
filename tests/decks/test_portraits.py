"""The small pictures of cards that screens show are those of the cards' art."""

import numpy as np

from companion.decks.assets import load_portrait
from companion.games.donkey_valley.cards import DONKEYS
from tools.card_portraits import CARDS, draw_portraits


def test_every_donkey_has_its_portrait_and_what_is_no_card_of_ours_has_none() -> None:
    assert all(load_portrait("donkey_valley", f"donkey:{kind}") for kind in DONKEYS)
    assert load_portrait("donkey_valley", "donkey:../../x") is None
    assert load_portrait("donkey_valley", "") is None


def test_portraits_are_as_the_art_is_drawn_now() -> None:
    for card, fresh in zip(CARDS, draw_portraits(CARDS), strict=True):
        kept = load_portrait(*card)
        assert kept is not None
        assert kept.size == fresh.size, f"{card}: make portraits"
        apart = np.abs(np.asarray(kept, int) - np.asarray(fresh, int)).mean()
        assert apart < 3, f"{card}: make portraits"
