"""A pack that nobody has shown to the camera is played at once: named or asked, and learnt."""

from __future__ import annotations

import math
import shutil
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from companion.decks.drawings import render_drawings
from companion.folders import user_decks_folder
from companion.games.donkey_valley.moves import Reveal
from companion.table.decks import Deck
from tests.simulated import packs
from tests.simulated.any_pack import PLAYERS, Pack, PackEvening
from vision.library import Library
from vision.naming import pack52

pytestmark = [pytest.mark.slow, pytest.mark.packs]


@pytest.fixture(scope="module")
def pack():
    (sheet,) = packs.packs("anglo_poker")
    return Pack.of(sheet)


def prints(game):
    """What is kept of the pack that was learnt."""
    return set(Library.load(Deck.load(game.plan.deck).views_folder).designs)


def played(game):
    return [act.request.values[0] for act in game.live.list_acts() if isinstance(act.request, Reveal)]


LOADS = {"Ann": "8S", "Bob": "10H", "Cy": "8D"}


@pytest.fixture(scope="module")
def played_once(pack, tmp_path_factory):
    """A round with a pack that nobody had shown, and the folder that it is kept in."""
    folder = tmp_path_factory.mktemp("first")
    with closing(PackEvening(pack, folder)) as first:
        first.round(LOADS)
    assert (first.wrong, first.typed) == ([], [])
    assert played(first) == [8, 10, 8]
    assert prints(first) == set(LOADS.values())
    return folder, first.plan


@pytest.fixture
def plan_after(played_once, tmp_path):
    """How that evening is gone on with, all that it left in a folder of one's own."""
    folder, plan = played_once
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    [deck, camera] = [str(tmp_path / Path(one).relative_to(folder)) for one in (plan.deck, *plan.cameras)]
    return plan.with_changes(deck=deck, cameras=(camera,))


def test_an_evening_that_broke_off_goes_on_with_what_it_had_learnt(pack, tmp_path, plan_after):
    anew = plan_after.with_changes(deck="any_52")  # as it is said again on the command line
    with closing(PackEvening(pack, tmp_path, anew, resume=1)) as again:
        assert again.plan.deck == plan_after.deck
        again.live.confirm_moves()
        again.round({"Ann": "10H", "Bob": "8S", "Cy": "7H"})
    assert {"10H", "8S"}.isdisjoint(one.card for one in again.asked)
    assert (again.wrong, again.typed) == ([], [])
    assert prints(again) == {*LOADS.values(), "7H"}


def test_a_card_that_was_answered_wrongly_and_put_right_is_learnt_as_what_it_is(pack, tmp_path, monkeypatch):
    monkeypatch.setattr(pack52, "SURE", math.inf)  # every card is asked about
    with closing(PackEvening(pack, tmp_path)) as game:
        first = game.until_revealed()[0]
        game.turn_up(first, "10H", answer="9H")
        assert {one.card for one in game.asked} == {"10H"}
        assert played(game) == [9]
        game.live.undo()
        game.film(0.5)
        game.world.clear_zone()
        game.film(1.5)
        game.live.confirm_moves()
        game.turn_up(first, "10H")
        assert played(game) == [10]
    assert prints(game) == {"10H"}


def test_backs_jokers_and_cards_of_other_games_are_not_named(pack, tmp_path):
    cards = {
        **pack.cards,
        "joker": pack.joker,
        "dtc": np.asarray(render_drawings(Deck.load_builtin("dtc"), "en")["dtc:4"]),
    }
    with closing(PackEvening(pack._replace(cards=cards), tmp_path)) as game:
        order = game.until_revealed()
        game.world.lay_card("joker", "seat:1")
        game.world.lay_card("dtc", "seat:2")
        game.world.lay_card("8S", "seat:3", face="down")
        game.film(8)
        assert {one.design for one in game.told if one.sure} == {None}
        assert len(order) == len(PLAYERS)
        assert played(game) == []


def test_what_was_named_or_asked_once_is_named_without_a_word_in_the_next_game_and_as_a_deck_of_ones_own(
    pack, tmp_path, plan_after
):
    with closing(PackEvening(pack, tmp_path, plan_after, seed=2)) as second:
        keep = second.evening.backstage.commands[-1]
        assert keep.act().code == "pack.keeping"
        keep.act()
        second.round(LOADS)
        keep.act()
    assert (second.asked, second.wrong, second.typed) == ([], [], [])
    assert played(second) == [8, 10, 8]
    own = Deck.load(user_decks_folder() / "pack_1")
    assert own.at_once
    assert set(Library.load(own.views_folder).designs) == set(LOADS.values())
    assert not (user_decks_folder() / "pack_2").exists()
    plan = second.plan.with_changes(deck="pack_1")
    with closing(PackEvening(pack, tmp_path, plan, seed=3)) as another:
        another.turn_up(another.until_revealed()[0], "10H")
    assert (another.asked, another.wrong, another.typed) == ([], [], [])
    assert played(another) == [10]
