"""`moves` is complete and exact: it agrees with walks made square by square, on thousands of random
positions."""

import random
from collections import Counter

import pytest

from companion.games.partners import GAME
from companion.games.partners.cards import KINDS
from companion.games.partners.moves import Move, Moves, Play
from companion.rules.contract import Refusal
from tests.rules.partners import oracle
from tests.rules.partners.positions import NAMES, as_oracle, drawn, state_of

OTHERS = [card for card in KINDS if card != "7"]


def positions(seed, count):
    """Random positions with a player in turn and a table's options; `capture` only where no two own
    pawns share a square."""
    rng = random.Random(seed)
    for _ in range(count):
        table = {
            "own_wall": rng.choice(["open", "bars"]),
            "back_from_goal": rng.choice(["never", "unlocked"]),
            "seven_bounce": rng.choice(["may", "never"]),
            "swap_start": rng.choice(["barred", "allowed"]),
        }
        position, turn = drawn(rng, table["swap_start"] == "allowed"), rng.randint(1, 4)
        if oracle.all_locked(position, turn) and oracle.all_locked(position, oracle.left_of(turn, 2)):
            continue
        shared = any(
            place[0].isdigit() and place in oracle.mates(position, who) for who, place in position.items()
        )
        table["own_pawn"] = "stack" if shared else rng.choice(["stack", "capture"])
        yield rng, position, turn, table, state_of(position, NAMES[turn - 1], **table)


def agree(position, turn, table, state, card):
    found = GAME.answer(state, Moves(NAMES[turn - 1], card))["moves"]
    listed = [oracle.outcome(position, as_oracle(play), card, table) for play in found]
    walked = {
        oracle.outcome(position, play, card, table) for play in oracle.plays(position, turn, card, table)
    }
    assert len(listed) == len(set(listed)), (position, turn, card)
    assert set(listed) == walked, (position, turn, card, table)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_every_card_but_the_seven_agrees_with_the_walker(seed):
    for rng, position, turn, table, state in positions(seed, 700):
        for card in rng.sample(OTHERS, 5):
            agree(position, turn, table, state, card)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_all_splits_of_the_seven_agree_with_the_walker(seed):
    for _, position, turn, table, state in positions(100 + seed, 130):
        agree(position, turn, table, state, "7")


def test_every_play_that_is_listed_can_be_played_and_has_the_walked_result():
    for rng, position, turn, table, state in positions(7, 120):
        for card in ["7", *rng.sample(OTHERS, 3)]:
            for play in GAME.answer(state, Moves(NAMES[turn - 1], card))["moves"]:
                done = GAME.decide(state, Play(NAMES[turn - 1], card, play))
                assert not isinstance(done, Refusal), (position, turn, card, play)
                _, after = done[-1]
                rows = [row["pawns"] for row in GAME.view(after)["players"]]
                shape = oracle.outcome(position, as_oracle(play), card, table)[0]
                assert tuple(tuple(sorted(row)) for row in rows) == shape


def in_places(position, play, table):
    """A split as the table sees it: who went from where to where, in order."""
    steps = []
    for who, place in play:
        steps.append((who[0], position[who], place))
        position = oracle.settle(position, who, place, table)
    return tuple(steps)


def bent(rng, play):
    """A play with its order, a pawn, an owner or a place changed."""
    play = list(play)
    at = rng.randrange(len(play))
    who, place = play[at]
    match rng.randrange(5):
        case 0:
            rng.shuffle(play)
        case 1:
            play[at] = ((who[0], rng.randint(1, 4)), place)
        case 2:
            play[at] = ((rng.randint(1, 4), who[1]), place)
        case 3:
            play[at] = (
                who,
                rng.choice(
                    [f"goal:{rng.randint(1, 4)}", f"{rng.randint(1, 4)}:{rng.randint(1, 14)}", "start"]
                ),
            )
        case 4:
            play.append(rng.choice(play))
    return play


@pytest.mark.slow
def test_what_is_not_a_walked_split_is_refused_and_what_is_one_is_accepted_in_any_order_and_by_any_twin():
    accepted = refused = 0
    for rng, position, turn, table, state in positions(11, 120):
        splits = oracle.splits(position, turn, table)
        legal = {in_places(position, play, table) for play in splits}
        for play in rng.sample(splits, min(len(splits), 12)):
            for candidate in (play, bent(rng, play), bent(rng, bent(rng, play))):
                entries = tuple(Move(NAMES[who[0] - 1], who[1], place) for who, place in candidate)
                done = GAME.decide(state, Play(NAMES[turn - 1], "7", entries))
                fits = in_places(position, candidate, table) in legal
                assert isinstance(done, Refusal) != fits, (position, turn, candidate, done)
                accepted, refused = accepted + fits, refused + (not fits)
    assert accepted > 500
    assert refused > 500


@pytest.mark.slow
def test_the_published_counts_are_those_of_the_walker():
    """Of sequences of plays and folds from the start, any card in any hand: `docs/library.md`."""
    board, left = dict.fromkeys(oracle.PAWNS, "base"), dict.fromkeys((1, 2, 3, 4), 4)
    counts = [walked_sequences(board, 1, left, Counter(), depth) for depth in (1, 2, 3, 4, 5, 6)]
    assert counts == [4, 16, 64, 256, 4_331, 73_346]


def walked_sequences(board, turn, left, gone, depth):
    if depth == 0:
        return 1
    if not any(left.values()):  # PA-5: the same dealer deals again; one request says that partners exchanged
        return walked_sequences(board, 1, dict.fromkeys(left, 4), gone, depth - 1)
    ends = [(board, left | {turn: 0}, gone)]
    for card in KINDS:
        if gone[card] < 4:
            plays = {oracle.outcome(board, play, card): play for play in oracle.plays(board, turn, card)}
            after = (moved(board, play, card) for play in plays.values())
            ends += [(one, left | {turn: left[turn] - 1}, gone + Counter([card])) for one in after]
    return sum(walked_sequences(one, due(turn, hands), hands, cards, depth - 1) for one, hands, cards in ends)


def moved(board, play, card):
    if card == "swap":
        return board | dict(play)
    for who, place in play:
        board = oracle.settle(board, who, place)
    return board


def due(turn, left):
    """The next player to the left who has cards; the same one if nobody has."""
    order = [oracle.left_of(turn, by) for by in (1, 2, 3, 4)]
    return next((player for player in order if left[player]), turn)
