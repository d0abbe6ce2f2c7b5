"""Pawns that the camera sees: the play that was made, what is asked, what is waited for."""

import random

import pytest

from companion.games.partners import GAME
from companion.games.partners.board import (
    CELLS,
    MARKS,
    SIZE,
    TRACK,
    format_places,
    list_base_spots,
    list_goal_spots,
    map_occupants,
    parse_place,
)
from companion.games.partners.cards import KINDS
from companion.games.partners.movement import apply_play, list_plays
from companion.games.partners.moves import Exchanged, PawnLocked, Play, build_moves
from companion.games.partners.table import describe_strange_board, find_seen_plays
from companion.rules.contract import BoardClaim, Claim, Proposal
from companion.texts import Translator
from tests.rules.partners.positions import NAMES, board, drawn, moves, state_of
from tests.rules.talk import setup_of

SAY = Translator("en", GAME)
COLOURS = dict(zip(NAMES, ("red", "blue", "green", "yellow"), strict=True))


def seen(hidden="", **pawns):
    """What a camera sees of `seen(Ann="start 2:3")`; the other pawns stand in their bases."""
    places = board(**pawns)
    return camera(
        [[places[player, pawn] for pawn in (1, 2, 3, 4)] for player in (1, 2, 3, 4)], hidden.split(";")
    )


def camera(views, hidden=()):
    held = {}
    for name, there in map_occupants(views).items():
        spots = list_base_spots(int(name[5:]))[: len(there)] if name.startswith("base") else (name,)
        held |= dict.fromkeys(spots, COLOURS[NAMES[there[0][0] - 1]])
    return BoardClaim(
        tuple(sorted((spot, colour) for spot, colour in held.items() if spot not in hidden)),
        tuple(one for one in hidden if one),
    )


def said(state, what, *cards):
    text = describe_strange_board(state, what, cards or KINDS)
    return None if text is None else SAY.translate(text)


def read(state, *claims):
    return list(GAME.interpret_claims(state, claims))


TWO = {"Ann": "1:1 1:3", "Bob": "2:5"}


def test_the_pawn_that_was_moved_plays_the_card_without_a_key():
    state = state_of(board(**TWO))
    card = Claim(4, "pa:6", "middle")

    def lies(what):
        return read(state, card, Claim(9, "board", "middle", board=what))

    [asked] = lies(seen(**TWO))
    assert asked.text.code == "doubt.which_play", "nobody has moved yet"
    assert lies(seen(Ann="1:7 1:3", Bob="2:5")) == [Proposal(Play("Ann", "6", moves("Ann 1 1:7")), (4,))]
    assert lies(seen(Ann="1:1 1:9", Bob="2:5")) == [Proposal(Play("Ann", "6", moves("Ann 2 1:9")), (4,))]
    assert read(state, Claim(9, "board", "middle", board=seen(Ann="1:7 1:3", Bob="2:5"))) == [], (
        "a pawn may be moved before its card is laid"
    )


def test_what_a_hand_hides_is_waited_for():
    state = state_of(board(**TWO))
    assert find_seen_plays(state, seen(Ann="1:7 1:3", Bob="2:5", hidden="1:7"), "6") == ()
    assert find_seen_plays(state, seen(Ann="1:3", Bob="2:5", hidden="1:7"), "6") == (), "a hand may have it"
    [play] = find_seen_plays(state, seen(Ann="1:7 1:3", Bob="2:5", hidden="1:1;1:3;3:4;base 1:1"), "6")
    assert build_moves(state, play) == moves("Ann 1 1:7")


def test_a_play_that_ends_where_it_began_is_not_taken_for_made():
    """Ten from square 13 is in to goal 1 and back out to where it was."""
    state = state_of(board(Ann="4:13"))
    assert (
        apply_play(
            state.pawns, *list_plays(state.pawns, 0, "10", state.setup.options), "10", state.setup.options
        )
        == state.pawns
    )
    assert find_seen_plays(state, seen(Ann="4:13"), "10") == ()


def test_a_captured_pawn_need_not_be_home_yet():
    state = state_of(board(Ann="1:1 1:3", Bob="1:7"))
    captured = seen(Ann="1:7 1:3")
    beside = BoardClaim(tuple(one for one in captured.pawns if one[0] != "base 2:4"))
    for what in (captured, beside):
        [play] = find_seen_plays(state, what, "6")
        assert build_moves(state, play) == moves("Ann 1 1:7")


def test_a_pawn_that_joins_one_on_its_start_is_missed_in_the_base():
    state = state_of(board(Ann="start"))
    [play] = find_seen_plays(state, seen(Ann="start start"), "8")
    assert build_moves(state, play) == moves("Ann 2 start")
    assert find_seen_plays(state, seen(Ann="start"), "8") == ()


def test_a_board_that_cannot_be_is_a_question_that_names_the_pawn():
    state = state_of(board(Ann="1:1", Bob="3:5"))
    assert said(state, seen(Ann="1:1", Bob="3:7")) == (
        "One of Bob's pawns is on square 7 of Cid. It was on square 5 of Cid, and nobody moved it."
    )
    assert said(state, seen(Ann="1:1", Bob="3:5", Cid="2:2 goal:1")).startswith("One of Cid's pawns is on")
    assert said(state, seen(Ann="1:7", Bob="3:5"), "5").startswith("One of Ann's pawns"), "one square too far"
    assert said(state, seen(Ann="1:7", Bob="3:5")) is None, "by a six, which may yet be laid"
    assert said(state, seen(Ann="1:1")) is not None, "it went home, and nobody took it"
    held = seen(Ann="1:1", Bob="3:5")
    assert said(state, BoardClaim(tuple(one for one in held.pawns if one[0] != "3:5"))) is None, "in a hand"
    [doubt] = read(state, Claim(9, "board", "middle", board=seen(Ann="1:1", Bob="3:7")))
    assert (doubt.about, doubt.choices) == ((9,), None)


@pytest.mark.parametrize(
    ("stands", "told"),
    [
        ("goal 1:4", "goal 4"),
        ("goal 2:1", "goal 1 of Bob"),
        ("start 1", "start"),
        ("start 4", "Dot's start"),
        ("1:1", "square 1 of Ann"),
        ("4:14", "square 14 of Dot"),
    ],
)
def test_a_spot_is_named_as_it_is_for_the_pawn_that_stands_there(stands, told):
    state = state_of(board())
    there = BoardClaim((*seen().pawns, (stands, "red")))
    assert said(state, there, "2") == f"One of Ann's pawns is on {told}, where none should be."


def test_these_are_all_places_of_a_pawn_and_no_other_name_is_one():
    squares = [f"{stretch}:{number}" for stretch in range(6) for number in range(16)]
    names = ["base", "start", *squares, *(f"goal:{number}" for number in range(6))]
    own = {"base", "start", "goal:1", "goal:2", "goal:3", "goal:4"}
    round_it = {f"{stretch}:{number}" for stretch in (1, 2, 3, 4) for number in range(1, 15)}
    for seat in range(4):
        starts = {f"{other + 1}:0" for other in range(4) if other != seat}
        found = {name: parse_place(seat, name) for name in names}
        known = {name for name, place in found.items() if place is not None}
        assert known == own | round_it | starts
        assert [found[name] for name in ("base", "start", f"{seat + 1}:1", "goal:4", "goal:1")] == [
            -1, 0, 1, 57, 60,
        ]  # fmt: skip
        assert sorted(found[name] for name in known) == list(range(-4, 61))


def test_the_board_looks_alike_from_all_four_sides():
    """A quarter turn puts each player's spots where the next one's are; none lies on another."""

    def cells(seat):
        track = TRACK[seat * 15 : seat * 15 + 15]
        return [{CELLS[name]} for name in (*track, *list_goal_spots(seat + 1))] + [
            {CELLS[name] for name in list_base_spots(seat + 1)}
        ]

    assert cells(0)[:2] == [{(0, 15)}, {(0, 14)}], "the first start is lower left, and the way goes up"
    assert cells(0)[-1] == {(3, 11), (4, 11), (3, 12), (4, 12)}
    assert cells(0)[15:19] == [{(1, 14)}, {(1, 13)}, {(1, 12)}, {(1, 11)}]
    for seat in range(4):
        turned = [{(15 - row, column) for column, row in spots} for spots in cells(seat)]
        assert turned == cells((seat + 1) % 4)
    assert len({*CELLS.values()}) == len(CELLS) == 60 + 4 * 8


def test_hands_that_are_late_are_waited_for():
    state = state_of(board(Ann="1:1 1:3", Bob="1:7"))
    before = seen(Ann="1:1 1:3", Bob="1:7")
    _, state = GAME.decide(state, Play("Ann", "6", moves("Ann 1 1:7")))[-1]
    assert said(state, before) is None
    assert said(state, seen(Ann="1:7 1:3")) is None
    assert said(state, seen(Ann="1:8 1:3")) is not None


def test_a_seven_is_waited_for_until_its_last_pawn():
    state = state_of(board(Ann="1:1 2:1"))
    assert find_seen_plays(state, seen(Ann="1:4 2:1"), "7") == ()
    assert said(state, seen(Ann="1:4 2:1"), "7") is None
    [play] = find_seen_plays(state, seen(Ann="1:4 2:5"), "7")
    assert set(build_moves(state, play)) == set(moves("Ann 1 1:4", "Ann 2 2:5"))


def test_a_game_begins_with_nobody_on_the_board():
    state = GAME.start(setup_of(GAME, NAMES))
    assert said(state, BoardClaim(())) is None, "the pawns are still in their box"
    [doubt] = read(state, Claim(9, "board", "middle", board=seen(Ann="1:4")))
    assert doubt.text.code == "doubt.pawn_strange"
    [turned_up] = read(state, Claim(3, "pa:2", "middle"), Claim(9, "board", "middle", board=BoardClaim(())))
    assert turned_up == Proposal(Exchanged(), ())


@pytest.mark.parametrize("seed", range(4))
def test_no_play_is_ever_taken_for_another(seed):
    rng = random.Random(seed)
    told = 0
    for _ in range(25):
        state = state_of(drawn(rng), turn=rng.choice(NAMES))
        card = rng.choice(KINDS)
        for play in list_plays(state.pawns, state.turn, card, state.setup.options)[:12]:
            after = apply_play(state.pawns, play, card, state.setup.options)
            found = find_seen_plays(state, camera([format_places(seat, after) for seat in range(4)]), card)
            ends = [apply_play(state.pawns, one, card, state.setup.options) for one in found]
            looks = [format_places(seat, after) for seat in range(4)]
            alike = [camera([format_places(seat, end) for seat in range(4)]) == camera(looks) for end in ends]
            assert all(alike)
            assert after in ends or camera(looks) == camera(
                [format_places(seat, state.pawns) for seat in range(4)]
            )
            told += len(found) == 1
    assert told > 50


def test_of_a_seven_one_pawn_that_is_seen_to_have_come_is_enough():
    state = state_of(board(**TWO))
    for hidden in ("1:6", "1:5", "1:6;1:5"):
        plays = find_seen_plays(state, seen(Ann="1:5 1:6", Bob="2:5", hidden=hidden), "7")
        assert bool(plays) is (";" not in hidden), hidden


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("pawn", [1, 2, 3, 4])
def test_a_pawn_that_is_locked_is_told_by_its_number(name, pawn):
    last = f"{NAMES.index(name) or 4}:13"
    state = state_of(board(**{name: " ".join(["base"] * (pawn - 1) + [last])}), turn=name)
    ((event, _), *more) = GAME.decide(state, Play(name, "5", moves(f"{name} {pawn} goal:1")))
    locked = [one for one, _ in [(event, None), *more] if isinstance(one, PawnLocked)]
    assert [(one.owner, one.pawn, one.place) for one in locked] == [(name, pawn, "goal:1")]


def test_the_marks_of_the_printed_board_lie_beside_its_ring():
    """Boards are printed already: a mark that moves would be looked for in the wrong place."""
    (left, right), (top, bottom) = (0.5, 20.1), (0.5, 13.3)
    assert SIZE == (23.0, 16.2)
    assert {number: tuple(round(one, 9) for one in mark) for number, mark in MARKS.items()} == {
        4: (left, top, 2.4),
        5: (right, top, 2.4),
        6: (right, bottom, 2.4),
        7: (left, bottom, 2.4),
    }
