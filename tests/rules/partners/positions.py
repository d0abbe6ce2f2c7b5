"""Positions of Partners for the tests: written down by hand, or drawn at random, and how to ask the
program about them."""

from __future__ import annotations

from msgspec.structs import replace

from companion.games.partners import GAME
from companion.games.partners.board import parse_place
from companion.games.partners.moves import Move, Moves, Play
from companion.rules.contract import Refusal
from companion.texts import Translator
from tests.rules.partners import oracle
from tests.rules.talk import setup_of

NAMES = ["Ann", "Bob", "Cid", "Dot"]
SAY = Translator("en", GAME)
HOME = "goal:1 goal:2 goal:3 goal:4"


def board(**pawns):
    """`board(Ann="start 2:3", Bob=HOME)`: pawns in their order; those not named are in the base."""
    places = {name: [*pawns.get(name, "").split(), "base", "base", "base", "base"][:4] for name in NAMES}
    return {
        (NAMES.index(name) + 1, pawn): place for name in NAMES for pawn, place in enumerate(places[name], 1)
    }


def state_of(position, turn="Ann", **options):
    """The game's state in this position, with `turn` to play."""
    state = GAME.start(setup_of(GAME, NAMES, **options))
    pawns = tuple(parse_place(player - 1, position[player, pawn]) for player, pawn in oracle.PAWNS)
    return replace(state, phase="play", turn=NAMES.index(turn), pawns=pawns)


def moves(*steps):
    """`moves("Ann 1 2:3", "Ann 2 goal:4")` as entries of a play."""
    return tuple(Move(name, int(pawn), to) for name, pawn, to in (step.split() for step in steps))


def played(state, card, *steps):
    """The view's pawns after a play, by name, or `CLAUSE: the reason in words` when it is
    refused."""
    name = NAMES[state.turn]
    done = GAME.decide(state, Play(name, card, moves(*steps)))
    if isinstance(done, Refusal):
        assert done.code == "illegal_move"
        return f"{done.clause}: {SAY.translate(done.text)}"
    _, state = done[-1]
    return {row["name"]: " ".join(row["pawns"]) for row in GAME.view(state)["players"]}


def listed(state, card):
    """What `moves` lists: each play as `Ann 1 2:3, Ann 2 2:4`, sorted."""
    found = GAME.answer(state, Moves(NAMES[state.turn], card))["moves"]
    return sorted(", ".join(f"{move.owner} {move.pawn} {move.to}" for move in play) for play in found)


def as_oracle(play):
    """A play as the oracle writes it."""
    return [((NAMES.index(move.owner) + 1, move.pawn), move.to) for move in play]


def drawn(rng, strangers=False):
    """A random position, crowded where the rules are hard: goals, starts, and the last squares
    before them.

    With `strangers` some pawns stand on others' starts, as an exchange can bring them there.
    """
    taken, position = {}, {}
    for player in (1, 2, 3, 4):
        crowd = rng.choice([0.1, 0.4, 0.85])
        for pawn in (1, 2, 3, 4):
            position[player, pawn] = _place(rng, player, crowd, taken, position)
    for start in rng.sample((1, 2, 3, 4), rng.randint(0, 2) if strangers else 0):
        guest = oracle.left_of(start, rng.randint(1, 3)), rng.randint(1, 4)
        if not oracle.has_wall(position, start):
            position[guest] = f"{start}:0"
    return position


def _place(rng, player, crowd, taken, position):
    while True:
        chance = rng.random()
        if chance < crowd:
            place = f"goal:{rng.randint(1, 4)}"
            if any(position.get((player, pawn)) == place for pawn in (1, 2, 3, 4)):
                continue
            return place
        if chance < crowd + 0.2:
            return rng.choice(["base", "start"])
        stretch = oracle.left_of(player, 3) if rng.random() < 0.5 else rng.randint(1, 4)
        square = f"{stretch}:{rng.choice([1, 2, 3, 4, 8, 10, 11, 12, 13, 14, 14])}"
        if taken.setdefault(square, player) == player:
            return square
