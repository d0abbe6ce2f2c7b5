"""Which combination some cards are: by hand, clause by clause, and against a search through
everything an ace could stand for."""

import random
from itertools import combinations
from pathlib import Path

import pytest

from companion.games.ascend import GAME
from companion.games.ascend.cards import CARDS, DECKS, RANKS, SUITS
from companion.games.ascend.combinations import recognise_combination
from companion.games.ascend.moves import Exchanged, Play
from companion.games.ascend.words import describe_needed_play
from companion.rules.contract import Refusal
from companion.rules.session import Session
from companion.texts import Translator
from tests.letters import compare_with_file
from tests.rules.talk import setup_of

ALIASES = {f"a:{suit}": f"ace_of_{suit}" for suit in SUITS}


def named(cards):
    """`run of 3, 7` or None, for names with aces as `a:moons`."""
    found = recognise_combination([CARDS[ALIASES.get(name, name)] for name in cards.split()])
    return found and f"{found.kind} of {found.count}, {found.rank_name}"


def test_the_decktet_has_45_cards_36_of_them_basic():
    assert len(CARDS) == 45
    assert len(DECKS["basic"]) == 36
    assert not {"excuse", "harvest", "rite", "watchman"} & set(DECKS["basic"])
    assert [sum(card.rank == rank for card in CARDS.values()) for rank in range(13)] == [
        1,
        6,
        *[3] * 8,
        4,
        4,
        6,
    ]
    assert sum(card.personality for card in CARDS.values()) == 15


@pytest.mark.parametrize(
    ("cards", "found"),
    [
        ("castle", "single of 1, 7"),
        ("excuse", "single of 1, excuse"),
        ("sea", "single of 1, crown"),
        # AS-11
        ("castle cave", "set of 2, 7"),
        ("castle cave chance_meeting", "set of 3, 7"),
        ("a:moons a:suns a:knots", "set of 3, ace"),
        ("borderland harvest watchman", "set of 3, pawn"),
        ("sea end", None),
        ("sea end calamity windfall", None),
        ("castle cave mill", None),
        # AS-13: personalities only are a bomb, never a set; crowns may form one
        ("painter savage", "bomb of 2, 3"),
        ("lunatic penitent", "bomb of 2, 6"),
        ("lunatic market", "set of 2, 6"),
        ("huntress bard", "bomb of 2, crown"),
        ("huntress sea", None),
        ("author consul bard", "bomb of 3, 2"),
        ("watchman light_keeper", "bomb of 2, pawn"),
        # AS-15
        ("excuse bard", "bomb of 2, excuse"),
        ("excuse a:moons", None),
        ("excuse castle", None),
        # AS-12
        ("origin sailor savage", "run of 3, 4"),
        ("author mountain journey", "run of 3, 4"),
        ("author journey", None),
        ("author journey sailor", None),
        ("betrayal darkness watchman", None),
        ("a:leaves savage origin", "run of 3, 4"),
        ("a:moons author mountain", "run of 3, 4"),
        ("a:suns diplomat pact", "run of 3, 9"),
        ("a:suns castle diplomat", "run of 3, 9"),
        ("a:waves author journey", None),
        ("a:moons a:suns journey mountain", None),
        ("a:moons author journey mountain forest lunatic chance_meeting diplomat", "run of 8, 9"),
        ("a:moons author journey mountain forest lunatic chance_meeting diplomat pact", None),
        ("author journey mountain forest lunatic chance_meeting diplomat pact", "run of 8, 9"),
        ("a:moons journey mountain forest lunatic chance_meeting diplomat pact", "run of 8, 9"),
        ("a:moons author forest mountain", "run of 4, 5"),
        ("a:moons author forest", None),
        ("author author journey", None),
    ],
)
def test_combinations_by_hand(cards, found):
    assert named(cards) == found
    assert named(" ".join(reversed(cards.split()))) == found


def plainly(cards, bombs="any"):
    """The same question, answered by trying everything."""
    if len(cards) == 1:
        return ("single", cards[0].rank)
    pairs = [(one.rank == two.rank, bool(one.suits & two.suits)) for one, two in combinations(cards, 2)]
    barred = {"any": False, "unlike": (True, True) in pairs, "strict": any(map(any, pairs))}
    if all(card.personality for card in cards) and not barred[bombs]:
        return ("bomb", min(card.rank for card in cards))
    if len({card.rank for card in cards}) == 1:
        return None if RANKS[cards[0].rank] == "crown" else ("set", cards[0].rank)
    tops = []
    for suit in SUITS:
        if len(cards) < 3 or any(suit not in card.suits for card in cards):
            continue
        for stands_for in range(2, 10):
            ranks = sorted(stands_for if RANKS[card.rank] == "ace" else card.rank for card in cards)
            if ranks == list(range(ranks[0], ranks[0] + len(ranks))) and 2 <= ranks[0] <= ranks[-1] <= 9:
                tops.append(ranks[-1])
    return ("run", max(tops)) if tops else None


def agree(cards):
    for bombs in ("strict", "unlike", "any"):
        found = recognise_combination(cards, bombs)
        assert (found and (found.kind, found.rank)) == plainly(cards, bombs), (cards, bombs)
        assert found is None or found.count == len(cards)
    return found is not None


def test_every_pair_and_every_three_cards_are_recognised_as_by_trying_everything():
    deck = list(CARDS.values())
    assert sum(agree(pair) for pair in combinations(deck, 2)) > 100
    assert sum(agree(three) for three in combinations(deck, 3)) > 300


def test_longer_combinations_are_recognised_as_by_trying_everything():
    rng, runs = random.Random(5), 0
    for _ in range(4000):
        suit = rng.choice(SUITS)
        row = [card for card in CARDS.values() if suit in card.suits and card.rank < 11]
        cards = rng.sample(row, rng.randint(4, 9))
        if rng.random() < 0.5:  # all different ranks, often in a row
            cards = list({card.rank: card for card in row if rng.random() < 0.8}.values())
        if cards:
            runs += agree(cards)
    assert runs > 100


def test_what_can_answer_a_combination_is_said_for_each_kind():
    """After a change that is meant: `WRITE=1 pytest tests/rules/ascend`."""
    said, session = [], Session(GAME, setup_of(GAME, ["Ann", "Ben", "Cy"]))
    translate = Translator("en", GAME).translate
    session.act(Exchanged())
    personalities = sorted(name for name, card in CARDS.items() if card.personality)
    singles = [[name] for name in CARDS]
    alike = [[a for a in CARDS if CARDS[a].rank == rank][:count] for rank in range(12) for count in (2, 3)]
    bombs = [personalities[at : at + count] for count in (2, 3, 4, 6) for at in range(0, 12, 2)]
    for cards in (*singles, *alike, *bombs):
        events = session.act(Play("Ann", tuple(cards)))
        if not isinstance(events, Refusal):
            said.append(
                f"{events[0].kind} of {len(cards)}, {events[0].rank}: {translate(describe_needed_play(session.state))}"
            )
            session.undo()
    compare_with_file(Path(__file__).with_name("needed.txt"), dict.fromkeys(said))
