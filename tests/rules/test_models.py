"""The plain models play every option that their games have: one that is added is drawn with all its
values, and no model that does not know it can be made. Whole random games are played beside them,
with moves taken back and done again:

    REQUESTS_A_GAME=100000 pytest -rP tests/rules/test_models.py

plays more, and tells how many.
"""

import os
import pickle
import random
from collections import Counter
from itertools import chain, combinations, count
from typing import Literal

import msgspec
import pytest

from companion.rules import registry
from companion.rules.contract import Option
from tests.rules.ascend.ascend_model import Ascend
from tests.rules.donkey_valley.model import DonkeyValley
from tests.rules.dtc.dtc_model import Dtc
from tests.rules.machine import drawn, values
from tests.rules.ochs_und_esel.oe_model import OchsUndEsel
from tests.rules.partners.partners_model import Partners

MACHINES = {one.game: one for one in (Ascend, DonkeyValley, Dtc, OchsUndEsel, Partners)}
REQUESTS = int(os.environ.get("REQUESTS_A_GAME", "3000"))
WILD, BACK, LONGEST = 0.15, 0.02, 3_000
"""How often a request is anything of the right shape, how often some are taken back and some of
them done again (at times more than there are), and after how many a game that nobody tries to win
is left."""
LAPS = Option("laps", 1, Literal[1, 2, 3], "X-1")


class WithLaps:
    """A game to which an option was added."""

    def __init__(self, game):
        self.options = (*game.options, LAPS)


def test_every_game_has_a_model():
    assert sorted(MACHINES) == sorted(registry.list_game_ids())


def written(options):
    """Each option with its value, as it can be looked up."""
    return {(name, msgspec.json.encode(value)) for name, value in options.items()}


def seeds_for_every_value(kind):
    """The seeds of a few games in which every value comes up that an option lists."""
    options = registry.load_game(kind.game).options
    owed = set().union(*(written({one.name: value}) for one in options for value in values(one.kind)))
    for seed in range(200):
        drawn_here = written(kind().begin(random.Random(seed))[1])
        if owed & drawn_here:
            owed -= drawn_here
            yield seed
    assert owed == set()


@pytest.mark.parametrize("kind", MACHINES.values(), ids=MACHINES)
def test_an_option_that_lists_no_values_is_drawn_with_several(kind):
    machine, rng = kind(), random.Random(1)
    starts = [machine.begin(rng)[1] for _ in range(200)]
    for option in registry.load_game(kind.game).options:
        assert len({msgspec.json.encode(start[option.name]) for start in starts}) > 1, option.name


@pytest.mark.parametrize("kind", MACHINES.values(), ids=MACHINES)
def test_a_model_that_does_not_know_an_option_fails(kind, monkeypatch):
    game = WithLaps(registry.load_game(kind.game))
    monkeypatch.setattr(registry, "load_game", lambda game_id: game)
    machine = kind()
    with pytest.raises(TypeError, match="laps"):
        machine.begin(random.Random(1))


def test_an_added_option_with_three_whole_numbers_is_drawn_with_all_three(monkeypatch):
    game = WithLaps(registry.load_game("dtc"))
    monkeypatch.setattr(registry, "load_game", lambda game_id: game)
    assert {drawn("dtc", random.Random(seed))["laps"] for seed in range(30)} == {1, 2, 3}


@pytest.mark.slow
@pytest.mark.parametrize("kind", MACHINES.values(), ids=MACHINES)
def test_whole_random_games_go_as_the_model_has_them_with_every_value_of_every_option(kind):
    games = requests = ended = 0
    for seed in chain(seeds_for_every_value(kind), count(1_000)):
        if seed >= 1_000 and requests >= REQUESTS:
            break
        games += 1
        machine, rng = kind(), random.Random(seed)
        machine.start(seed)
        machine.undo()
        for _ in range(LONGEST):
            request = machine.model.wild(rng) if rng.random() < WILD else machine.model.legal(rng)
            if request is not None:
                machine.act(request)
            requests += 1
            if rng.random() < BACK:
                for _ in range(rng.randint(1, 4)):
                    machine.undo()
                for _ in range(rng.randint(0, 5)):
                    machine.redo()
            if machine.model.legal(rng) is None:
                ended += 1
                break
        machine.replay()
    print(f"{kind.game}: {games} games, {requests:,} requests, {ended} to their end, no difference")


def parts_of(cards):
    """Every part of a hand but the empty one, each once whatever the order of its cards."""
    return {
        tuple(sorted(part)): list(part)
        for size in range(1, len(cards) + 1)
        for part in combinations(cards, size)
    }.values()


def climbs(names, hands):
    """Whatever may be tried in Ascend: each is refused or accepted by the model."""
    yield {"do": "exchanged"}
    yield from plays(names, hands)


def sheds(names, hands):
    """Whatever may be tried in Ochs & Esel, where everybody knows who holds the donkey."""
    yield from ({"do": "play", "player": name, "cards": ["donkey"]} for name in names)
    yield from plays(names, hands)


def plays(names, hands):
    for name in names:
        yield {"do": "pass", "player": name}
        for cards in parts_of(hands[name]):
            yield {"do": "play", "player": name, "cards": cards}


def donkey_moves(names, hands):
    """Whatever may be tried between a donkey's loads and its reveal; looks one by one."""
    yield {"do": "peeks_done"}
    for name in names:
        yield {"do": "no_favour", "player": name}
        yield from ({"do": "favour", "player": name, "card": card} for card in hands[name])
        yield from ({"do": "decide", "player": name, "accept": accept} for accept in (True, False))
        yield from ({"do": "peek", "player": name, "at": [other]} for other in names)


def count_by_model(model, tries, hands, depth):
    """How many sequences of 1, 2, ... `depth` requests the model accepts."""
    before, counts = pickle.dumps(model), [0] * depth
    for request in tries(model.names, hands) if depth else ():
        trial = pickle.loads(before)
        if trial.answer(request) is None:
            name, used = request.get("player"), Counter(request.get("cards", ()))
            rest = hands if name is None else hands | {name: [*(Counter(hands[name]) - used).elements()]}
            longer = count_by_model(trial, tries, rest, depth - 1)
            counts = [one + more for one, more in zip(counts, [1, *longer], strict=True)]
    return counts


CLIMB = {
    "Ann": ["castle", "mill", "cave", "chance_meeting"],
    "Bob": ["pact", "darkness", "merchant", "excuse"],
    "Cid": ["bard", "sea", "diplomat", "betrayal"],
}
SETS = {"Ann": ["3", "3", "7", "joker"], "Bob": ["5", "5", "9", "9"], "Cid": ["8", "8", "10", "joker"]}
HOLED = [{"do": "donkey", "type": "holed"}, *({"do": "load", "player": name} for name in CLIMB)]
LOADS = {name: [*range(1, 11)] for name in CLIMB}
COUNTS = [
    ("ascend", [], climbs, CLIMB, [1, 8, 32, 72, 98, 311]),
    ("ochs_und_esel", [], sheds, SETS, [8, 17, 53, 168, 296, 525]),
    pytest.param(
        "donkey_valley", HOLED, donkey_moves, LOADS, [6, 36, 216, 1512, 7560], marks=pytest.mark.slow
    ),
]


@pytest.mark.parametrize(("game_id", "before", "tries", "hands", "counts"), COUNTS)
def test_models_count_as_many_sequences_as_the_guide_to_the_library(game_id, before, tries, hands, counts):
    """The counts published in `docs/library.md`."""
    options = registry.load_game(game_id).default_options({})
    seed = {"seed": 7} if game_id == "donkey_valley" else {}
    model = type(MACHINES[game_id]().begin(random.Random(0))[0])([*hands], **seed, **options)
    for request in before:
        assert model.answer(request) is None
    assert count_by_model(model, tries, hands, len(counts)) == counts
