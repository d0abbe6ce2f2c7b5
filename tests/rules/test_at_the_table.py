"""What the companion tells people who set up a table: the sheets' own steps, who deals how many,
and a donkey from the box."""

from collections import Counter
from pathlib import Path

import pytest

from companion.games.donkey_valley.moves import DrawDonkey
from companion.rules import registry
from companion.rules.contract import Claim
from companion.texts import Translator
from tests.letters import compare_with_row
from tests.rules.talk import Spoken, Talk, setup_of

NAMES = ["Ann", "Ben", "Cy", "Dee"]


def steps(game_id, language="en", players=4, **options):
    game = registry.load_game(game_id)
    state = game.start(setup_of(game, NAMES[:players], **options))
    translator = Translator(language, game)
    return [translator.translate(step.text) for step in game.list_setup_steps(state)]


@pytest.mark.parametrize("game_id", [name for name in registry.list_game_ids() if name != "second_best"])
def test_every_game_says_how_it_is_set_up_in_both_languages(game_id):
    game = registry.load_game(game_id)
    spoken = Spoken(game)
    found = game.list_setup_steps(game.start(setup_of(game, NAMES)))
    assert len(found) >= 3
    for step in found:
        spoken.say(step.text)
        assert step.clause


def test_what_is_not_from_the_sheet_is_marked_where_players_read_it():
    assert "ours: the sheet's table is lost" in " ".join(steps("ochs_und_esel"))
    assert "the sheet gives no numbers" in steps("partners")[1]


def test_partners_are_told_their_colours_by_their_seats():
    assert steps("partners", "fr")[2] == (
        "Les partenaires se font face : Ann prend les pions rouges et Cy les verts, "
        "Ben les bleus et Dee les jaunes, comme à l’écran."
    )


def test_in_ascend_four_players_put_a_card_aside_and_three_deal_them_all():
    assert steps("ascend")[2] == "Dee deals 11 cards to each and puts one aside, face down."
    assert steps("ascend", players=3)[2] == "Cy deals all cards, 15 to each."


def test_ascend_shows_who_deals_and_the_deal_moves_one_to_the_left_each_hand():
    talk = Talk("ascend", NAMES)
    assert (talk.view["dealer"], talk.view["leader"]) == ("Dee", "Ann")


def test_ochs_und_esel_shows_who_deals_how_many_and_how_many_are_put_aside():
    talk = Talk("ochs_und_esel", NAMES, deal=12)
    assert (talk.view["dealer"], talk.view["deal"], talk.view["put_aside"]) == ("Dee", 12, 60)
    assert steps("ochs_und_esel", deal=12)[2].startswith(
        "Dee shuffles the 108 other cards and deals 12 to each; 60"
    )


def test_a_follower_who_holds_only_an_animal_is_offered_a_pass_and_nothing_else():
    """OE-11: the offer and the rule agree."""
    talk = Talk("ochs_und_esel", NAMES[:3], deal=3, ox=True)
    for player, cards in (("Ann", "1"), ("Ben", "2"), ("Cy", "3"), ("Cy", "44"), ("Ann", "55")):
        talk.ok("play", player=player, cards=list(cards))
    talk.ok("pass", player="Ben")
    assert (talk.view["ox"], talk.view["donkey"], talk.waiting) == ("Cy", "Ann", ["pass Ann"])
    talk.ok("pass", player="Ann")
    talk.ok("play", player="Ben", cards=["6"])
    assert talk.waiting == ["pass Cy"]
    assert talk.refused("play", player="Cy", cards=["ox"]) == "animal_barred OE-21"
    talk.ok("pass", player="Cy")


def test_contracts_and_the_first_player_card_are_ticked_off_when_they_lie_there():
    game = registry.load_game("donkey_valley")
    _loads, _donkeys, colours, pile, first = game.list_setup_steps(game.start(setup_of(game, NAMES[:3])))
    lying = [
        Claim(seat, f"contract:{colour}:accept", f"seat:{seat}", "up", seat)
        for seat, colour in ((1, "red"), (2, "blue"))
    ]
    assert not colours.is_done(lying)
    lying.append(Claim(3, "contract:green:refuse", "middle", "up", 3))
    assert colours.is_done(lying)
    assert not first.is_done(lying)
    assert first.is_done([Claim(4, "first_player", "seat:1", "up", None)])
    assert not pile.is_done(lying)


def test_the_companion_can_draw_the_donkeys_of_a_counted_box():
    """DV-2, DV-3: in proportion to its cards, never more of a kind than it holds, and the same one
    again after an undo."""
    game = registry.load_game("donkey_valley")
    copies = {
        "normal": 6,
        "giant": 2,
        "puny": 2,
        "precision": 2,
        "hurried": 2,
        "holed": 2,
        "attacked": 2,
        "stubborn": 2,
    }
    drawn = Counter()
    for seed in range(30):
        talk = Talk("donkey_valley", NAMES[:3], seed=seed, donkey_copies=copies)
        session = talk.referee.session
        choice = game.list_choices(session.state, None)[-1]
        assert choice.request == DrawDonkey()
        donkeys = []
        for _ in range(2):
            donkeys.append(talk.ok("draw_donkey")["donkey"])
            talk.ok("undo")
        assert donkeys[0] == donkeys[1]
        drawn[donkeys[0]] += 1
    assert set(drawn) <= set(copies)
    assert len(drawn) > 3


@pytest.mark.parametrize("game_id", registry.list_game_ids())
def test_the_setup_to_the_letter(game_id):
    """After a change that is meant: `WRITE=1 pytest tests/rules/test_at_the_table.py`."""
    game = registry.load_game(game_id)
    translate = Translator("en", game).translate
    for option in ({}, {"hands_only": True}, {"ox": True}):
        if option.keys() <= {one.name for one in game.options}:
            steps = game.list_setup_steps(game.start(setup_of(game, NAMES, **option)))
            lines = [f"{one.clause} {translate(one.text)} {one.cards} {one.count}" for one in steps]
            file = Path(__file__).with_name("letters") / f"setup_{game_id}.txt"
            compare_with_row(file, " ".join(option) or "usual", " | ".join(lines))
