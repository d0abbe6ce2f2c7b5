"""What pads are for: the usual plan, the players' own file, and every mistake in it said in
words."""

from __future__ import annotations

import pytest

from companion.evening.card_readers import can_lay_face_down
from companion.language import LANGUAGES
from companion.rules import registry
from companion.table.identification import Pad
from companion.table.pad_plan import PadsError, find_button_seat, find_pad_seat, load_pads, make_default_pads
from companion.texts import Translator


def test_pad_k_belongs_to_seat_k_and_the_last_one_in_the_middle():
    plan = make_default_pads(face_down=True)
    assert plan["1.seat3"] == Pad("seat:3", face_down=True)
    assert plan["1.middle"] == Pad("middle")
    assert len(plan) == 7


def test_a_second_board_goes_on_where_the_first_ends():
    plan = make_default_pads(2, face_down=False)
    assert plan["2.seat1"] == Pad("seat:7")
    assert (find_button_seat(plan, 1, 2), find_button_seat(plan, 2, 2)) == (2, 8)


def test_buttons_go_where_their_pad_goes():
    assert find_button_seat({"2.seat1": Pad("seat:3")}, 2, 1) == 3
    assert find_button_seat({"1.seat1": Pad("middle")}, 1, 1) == 1


@pytest.mark.parametrize(
    ("pad", "seat"), [("seat3", 3), ("seat12", 12), ("seat", None), ("middle", None), ("seat3a", None)]
)
def test_the_buttons_beside_a_pad_are_those_of_its_seat(pad, seat):
    assert find_pad_seat(pad) == seat


def test_only_games_with_hidden_cards_take_what_lies_on_their_pads_for_face_down():
    wanted = {
        game: can_lay_face_down(registry.load_game(game)) for game in ("donkey_valley", "partners", "ascend")
    }
    assert wanted == {"donkey_valley": True, "partners": False, "ascend": False}


def test_the_players_own_plan_is_read_from_a_file_that_may_hold_more(tmp_path):
    file = tmp_path / "table.toml"
    file.write_text(
        'aspect = 1.5\n[[pad]]\nname = "seat1"\nzone = "seat:2"\nunder = true\n'
        '[[pad]]\nboard = 2\nname = "middle"\nzone = "pile"\n'
    )
    assert load_pads(file, face_down=False) == {
        "1.seat1": Pad("seat:2", face_down=True),
        "2.middle": Pad("pile"),
    }


def test_what_a_file_does_not_say_of_faces_the_game_says(tmp_path):
    file = tmp_path / "pads.toml"
    rows = '[[pad]]\nname = "seat1"\nzone = "seat:1"\n[[pad]]\ndevice = "ACR122U 00 00"\nzone = "seat:2"\n'
    file.write_text(rows + '[[pad]]\ndevice = "ACR122U 01 00"\nzone = "middle"\n')
    assert {name: pad.face_down for name, pad in load_pads(file, face_down=True).items()} == {
        "1.seat1": True,
        "ACR122U 00 00": True,
        "ACR122U 01 00": False,
    }
    file.write_text(rows.replace("zone", "face_down = false\nzone"))
    assert not any(pad.face_down for pad in load_pads(file, face_down=True).values())


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[[pad]\n", "pads.no_toml"),
        ('[[pad]]\nname = "seat1"\nzone = "seat:0"\n', "pads.bad_value"),
        ('[[pad]]\nname = "seat1"\nzone = "middle"\nunderneath = true\n', "pads.bad_value"),
        ('[[pad]]\nname = "seat1"\nzone = "middle"\n' * 2, "pads.twice"),
        ('[[pad]]\nzone = "middle"\n', "pads.bad_value"),
        ('[[pad]]\nname = "seat1"\ndevice = "ACR122U"\nzone = "middle"\n', "pads.bad_value"),
        (b'[[pad]]\nname = "\xff"\n', "pads.not_utf8"),
        (None, "pads.unreadable"),
    ],
)
def test_a_mistake_is_named_in_both_languages(tmp_path, text, code):
    file = tmp_path / "pads.toml"
    if text is not None:
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(PadsError) as caught:
        load_pads(file, face_down=True)
    assert caught.value.text.code == code
    for language in LANGUAGES:
        assert "pads.toml" in Translator(language).translate(caught.value.text)
