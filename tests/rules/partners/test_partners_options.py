"""Partners by both readings of a sentence: one scene for each option, played from the first deal
through the referee."""

import pytest

from companion.games.partners import GAME
from companion.games.partners.moves import Play
from tests.rules.partners.positions import SAY, board, listed, moves, played, state_of
from tests.rules.talk import Talk

NAMES = ["Ann", "Bob", "Cid", "Dot"]


class Deal(Talk):
    """`play("Ann heart, Ann -4: Ann 1 4:11")` and the like, the others folding unseen when they are
    in turn."""

    def __init__(self, **options):
        super().__init__("partners", NAMES, **options)
        self.ok("exchanged")

    def turn_to(self, name):
        while self.view["waiting_for"][0]["player"] != name:
            self.ok("fold", player=self.view["waiting_for"][0]["player"])

    def moves(self, *steps):
        return [
            {"owner": owner, "pawn": int(pawn), "to": to}
            for owner, pawn, to in (step.split() for step in steps)
        ]

    def play(self, name, card, *steps):
        self.turn_to(name)
        self.ok("play", player=name, card=card, moves=self.moves(*steps))

    def listed(self, name, card):
        """The plays that `moves` lists."""
        found = self.reply("moves", player=name, card=card)["moves"]
        return [" + ".join(f"{one['owner']} {one['pawn']} {one['to']}" for one in play) for play in found]

    def pawns(self, name):
        return self.view["players"][NAMES.index(name)]["pawns"]


@pytest.mark.parametrize(("own_wall", "legal"), [("open", True), ("bars", False)])
def test_ones_own_wall_is_open_before_ones_own_goal_or_bars_the_way_in(own_wall, legal):
    """PA-11: a pawn that went back over the start is almost home; another one has come out behind
    it."""
    deal = Deal(own_wall=own_wall)
    deal.play("Ann", "heart", "Ann 1 start")
    deal.play("Ann", "-4", "Ann 1 4:11")
    deal.play("Ann", "heart", "Ann 2 start")
    assert ("Ann 1 goal:3" in deal.listed("Ann", "5")) == legal
    if legal:
        deal.play("Ann", "5", "Ann 1 goal:3")
    else:
        assert deal.refused("play", player="Ann", card="5", moves=deal.moves("Ann 1 goal:3")) == (
            "illegal_move PA-11"
        )
        deal.play("Ann", "3", "Ann 1 4:14")  # up to the wall it may go


def test_who_turns_before_a_goal_that_is_taken_does_not_pass_the_own_wall():
    """PA-11, PA-13: with goal 4 taken the move ends on the track, by any reading."""
    taken = board(Ann="goal:4 4:13 start")
    assert "Ann 2 4:10" in listed(state_of(taken, own_wall="bars"), "5")
    refusal = played(state_of(board(Ann="goal:3 4:13 start"), own_wall="bars"), "5", "Ann 2 4:12")
    assert refusal.startswith("PA-11: Ann's pawn 2 can't enter the goal")


OPEN = {"back_from_goal": "unlocked"}


def test_the_own_wall_bars_no_pawn_that_comes_out_whether_it_turns_or_goes_back():
    """PA-11, by a 5, a seven and a 4 back: « … peuvent toutefois passer la maison en reculant »."""
    state = state_of(board(Ann="goal:4 start goal:2"), own_wall="bars", **OPEN)
    assert "Ann 1 4:12" in listed(state, "5")
    assert "Ann 1 4:10" in listed(state, "7")
    assert "Ann 1 4:11" in listed(state, "-4")


@pytest.mark.parametrize(
    ("pawns", "options", "plays"),
    [
        ("goal:4", {}, []),
        ("goal:4", OPEN, ["Ann 1 4:11"]),
        ("goal:3", OPEN, ["Ann 1 4:12"]),
        ("goal:2", OPEN, ["Ann 1 4:13"]),
        ("goal:1", OPEN, []),
        ("goal:2 goal:1 goal:4", OPEN, ["Ann 3 4:11"]),
        ("goal:2 goal:3 goal:4", OPEN, ["Ann 3 4:11"]),
        ("goal:3 start", OPEN, ["Ann 1 4:12", "Ann 2 4:11"]),
        ("goal:3 start", OPEN | {"own_wall": "bars"}, ["Ann 1 4:12", "Ann 2 4:11"]),
    ],
)
def test_a_4_back_leaves_the_goal_unless_locked_or_in_the_way(pawns, options, plays):
    """PA-14."""
    assert listed(state_of(board(Ann=pawns), **options), "-4") == plays


@pytest.mark.parametrize(
    ("pawns", "options", "why"),
    [
        ("goal:4", {}, "PA-14: Ann's pawn 1 is in the goal, and a 4 back can't move it there (option "),
        ("goal:1", OPEN, "PA-13: Ann's pawn 1 is locked in the goal"),
        ("goal:3 goal:4", OPEN, "PA-14: Ann's pawn 1 can't go back: another pawn of its colour"),
    ],
)
def test_why_a_4_back_does_not_leave_the_goal(pawns, options, why):
    state = state_of(board(Ann=pawns), **options)
    assert played(state, "-4", "Ann 1 4:12").startswith(why)


def test_who_comes_back_out_of_the_goal_lands_as_anywhere_and_the_option_is_named():
    """PA-12, PA-14."""
    state = state_of(board(Ann="goal:4", Bob="4:11"), **OPEN)
    assert played(state, "-4", "Ann 1 4:11")["Bob"] == "base base base base"
    _, state = GAME.decide(state, Play("Ann", "-4", moves("Ann 1 4:11")))[-1]
    assert [(SAY.translate(reason.text), reason.clauses) for reason in GAME.explain_round(state)][1] == (
        "Ann's pawn 1 goes from goal 4 to square 11 of Dot (option “A 4 back and a pawn in the goal: "
        "a pawn that is not locked goes back onto the track”).",
        ("PA-14", "PA-13"),
    )


@pytest.mark.parametrize(("seven_bounce", "legal"), [("may", True), ("never", False)])
def test_a_pawn_may_bounce_in_a_seven_or_never_does(seven_bounce, legal):
    """PA-15: from 4:13 the goal takes five steps, the last two lead back out."""
    deal = Deal(seven_bounce=seven_bounce)
    deal.play("Ann", "heart", "Ann 1 start")
    deal.play("Ann", "-4", "Ann 1 4:11")
    deal.play("Ann", "2", "Ann 1 4:13")
    assert deal.listed("Ann", "7") == (["Ann 1 goal:3"] if legal else [])
    if legal:
        deal.play("Ann", "7", "Ann 1 goal:3")
    else:
        assert deal.refused("play", player="Ann", card="7", moves=deal.moves("Ann 1 goal:3")) == (
            "illegal_move PA-15"
        )
        assert deal.refused("fold", player="Ann", cards=["9"]) == "could_play PA-6"  # one pawn may bounce
        deal.ok("fold", player="Ann", cards=["7"])


def exchanged(**options):
    deal = Deal(**options)
    deal.play("Ann", "heart", "Ann 1 start")
    deal.play("Bob", "heart", "Bob 1 start")
    deal.turn_to("Ann")
    deal.play("Ann", "heart", "Ann 2 start")
    deal.play("Bob", "5", "Bob 1 2:5")
    deal.play("Ann", "2", "Ann 2 1:2")
    return deal


def test_a_pawn_on_its_start_cannot_be_exchanged():
    """PA-16."""
    deal = exchanged()
    swap = deal.moves("Ann 1 2:5", "Bob 1 1:0")
    assert deal.refused("play", player="Bob", card="swap", moves=swap) == "illegal_move PA-16"
    assert deal.listed("Bob", "swap") == ["Ann 2 2:5 + Bob 1 1:2"]


def test_where_it_may_be_the_other_pawn_stands_on_that_start_is_no_wall_and_walks_on():
    """PA-16: `1:0` is Ann's start for Bob's pawn; four back from it is square 11 before it; one
    forward is `1:1`."""
    deal = exchanged(swap_start="allowed")
    deal.play("Bob", "swap", "Ann 1 2:5", "Bob 1 1:0")
    assert (deal.pawns("Ann")[0], deal.pawns("Bob")[0]) == ("2:5", "1:0")
    deal.ok("fold", player="Ann")
    assert deal.listed("Bob", "1/14") == ["Bob 1 1:1", "Bob 1 1:14"]
    assert deal.listed("Bob", "-4") == ["Bob 1 4:11"]
    deal.play("Bob", "3", "Bob 1 1:3")


def test_who_comes_out_sends_a_stranger_on_the_start_home():
    """PA-10, PA-12: the start is landed on by a pawn that leaves its base."""
    deal = exchanged(swap_start="allowed")
    deal.play("Bob", "swap", "Ann 1 2:5", "Bob 1 1:0")
    deal.play("Ann", "8", "Ann 3 start")
    assert (deal.pawns("Ann")[2], deal.pawns("Bob")[0]) == ("start", "base")
    assert [event["owner"] for event in deal.events if event["type"] == "pawn_sent_home"] == ["Bob"]


@pytest.mark.parametrize(("copies", "refused"), [(4, False), ({"2": 0}, True)])
def test_a_card_that_is_not_in_the_deck_cannot_be_played(copies, refused):
    """PA-4."""
    deal = Deal(copies=copies)
    deal.play("Ann", "heart", "Ann 1 start")
    deal.turn_to("Ann")
    done = deal.reply("play", player="Ann", card="2", moves=deal.moves("Ann 1 1:2"))
    assert (not done["ok"] and done["error"]["code"] == "no_such_card") == refused


@pytest.mark.parametrize(("own_pawn", "pawns"), [("stack", "1:3 1:3"), ("capture", "1:3 base")])
def test_a_pawn_that_lands_on_one_of_its_own_colour_shares_the_square_or_sends_it_home(own_pawn, pawns):
    """PA-12."""
    state = state_of(board(Ann="1:1 1:3"), own_pawn=own_pawn)
    assert played(state, "2", "Ann 1 1:3")["Ann"] == f"{pawns} base base"


@pytest.mark.parametrize(("back_from_goal", "plays"), [("never", []), ("unlocked", ["Ann 1 4:11"])])
def test_a_4_back_moves_no_pawn_out_of_the_goal_or_one_that_is_not_locked(back_from_goal, plays):
    """PA-14."""
    assert listed(state_of(board(Ann="goal:4"), back_from_goal=back_from_goal), "-4") == plays


@pytest.mark.parametrize(("swap_start", "plays"), [("barred", []), ("allowed", ["Ann 1 1:4, Bob 1 1:0"])])
def test_a_pawn_on_its_start_is_exchanged_or_not(swap_start, plays):
    """PA-16."""
    assert listed(state_of(board(Ann="start", Bob="1:4"), swap_start=swap_start), "swap") == plays


@pytest.mark.parametrize(("hands_only", "waiting"), [(False, "exchanged table"), (True, "home Ann")])
def test_a_game_is_played_with_the_companion_or_only_its_end_is_told(hands_only, waiting):
    """PA-19."""
    assert Talk("partners", NAMES, hands_only=hands_only).waiting[0] == waiting
