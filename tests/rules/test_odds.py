"""The chance that is told to onlookers: exactly what counting every possibility gives, and nothing
that is hidden."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from companion.games.ascend.cards import CARDS as TAROT
from companion.games.ascend.moves import Play as Ascends
from companion.games.donkey_valley import moves as ask
from companion.games.donkey_valley.cards import DONKEYS
from companion.games.donkey_valley.state import Player, Round, Stake, State
from companion.games.dtc.state import DECK, ResolvedChallenge, judge_offer
from companion.games.ochs_und_esel.cards import DECK as CARDS
from companion.games.ochs_und_esel.moves import Play
from companion.live.live_session import LiveSession
from companion.rules import registry
from companion.rules.contract import Chance, Refusal
from companion.rules.start import Start, prepare_game
from companion.table.decks import Deck
from companion.table.table import Table
from companion.texts import Translator
from companion.views.plain_view import PlainView
from tests.rules.donkey_valley.evening import Evening
from tests.rules.talk import Talk, setup_of
from tests.views.table import dashboard, on_screen

GAME = registry.load_game("donkey_valley")


@st.composite
def tables(draw):
    """Three players who know what is gone of each other's loads, before any donkey; some loads may
    lie open."""
    kind = draw(st.sampled_from(sorted(DONKEYS)))
    players, stakes = [], []
    for name in "ABC":
        gone = draw(st.frozensets(st.integers(1, 10), max_size=7))
        held = [value for value in range(1, 11) if value not in gone]
        count = 2 if kind == "double" and draw(st.booleans()) else 1
        up = tuple(draw(st.permutations(held))[:count]) if draw(st.booleans()) else (None,) * count
        players.append(Player(name, gone=gone))
        stakes.append(Stake(loads=up))
    limit = draw(st.integers(0, 30))
    capacity, spread = (None, limit % 9 + 1) if kind == "precision" else (limit, None)
    now = Round(1, kind, capacity, spread, tuple(stakes))
    return State(setup_of(GAME, "ABC"), tuple(players), (), phase="decisions", round=now)


def counted_one_by_one(state):
    """Every combination of loads, weighed as the rules weigh it when it is turned up (DV-17, DV-33,
    DV-36, DV-41)."""
    now = state.round
    hands = []
    for player, stake in zip(state.players, now.stakes, strict=True):
        held = set(range(1, 11)) - player.gone - set(stake.face_up_values)
        hands.append(
            [(*stake.face_up_values, *rest) for rest in combinations(sorted(held), stake.face_down_count)]
        )
    results = []
    for laid in product(*hands):
        values = [value for values in laid for value in values]
        times = Counter(values)
        if now.donkey == "attacked":
            values = [value for value in values if value != max(times)]
        if now.donkey == "hand_picked":
            values = [value for value in values if times[value] == 1]
        if now.spread_limit is not None:
            results.append(max(values) - min(values) > now.spread_limit)
        else:
            results.append(sum(values) > now.capacity)
    return sum(results), len(results)


@settings(max_examples=150)
@given(tables())
def test_the_chance_is_what_enumeration_gives(state):
    odds = GAME.compute_odds(state)
    assert (odds.ways, odds.among) == counted_one_by_one(state)


@pytest.mark.parametrize("kind", ["normal", "attacked", "hand_picked", "precision"])
def test_seven_players_before_any_card_is_known(kind):
    """10^7 possibilities are counted without being listed; by symmetry each value is as likely for
    all."""
    talk = Evening("ABCDEFG")
    talk.donkey(kind)
    assert GAME.compute_odds(talk.referee.session.state) is None
    talk.load(*[1] * 7)
    odds = GAME.compute_odds(talk.referee.session.state)
    assert odds.among == 10**7
    if (
        kind == "precision"
    ):  # all within six neighbouring values of ten: 5 windows of six, less the 4 of five that two share
        assert odds.ways == 10**7 - (5 * 6**7 - 4 * 5**7)


def test_nothing_that_a_reader_under_the_table_read_comes_in():
    """The same acts with other cards under the seals: the same chance at every moment."""
    chances = []
    for values in ([10, 10, 10], [1, 1, 1]):
        talk, seen = Evening("ABC"), []
        talk.donkey("normal")
        for name, value in zip("ABC", values, strict=True):
            talk.ok("load", player=name, sealed=[value])
            seen.append(GAME.compute_odds(talk.referee.session.state))
        talk.favours()
        talk.decide("AAA")
        seen.append(GAME.compute_odds(talk.referee.session.state))
        chances.append(seen)
    assert chances[0] == chances[1]
    assert chances[0][-1].among == 1000


def test_a_load_turned_up_narrows_it_until_it_is_certain():
    talk = Evening("ABC")
    talk.donkey("giant")
    talk.load(10, 8, 1)
    talk.favours()
    talk.decide("AAA")
    talk.ok("reveal", player="A", values=[10])
    talk.ok("reveal", player="B", values=[8])
    odds = GAME.compute_odds(talk.referee.session.state)
    assert (odds.ways, odds.among, odds.percent) == (10, 10, 100)
    talk.ok("reveal", player="C", values=[1])
    assert GAME.compute_odds(talk.referee.session.state) is None


@pytest.mark.parametrize("variant", ["off", "all_higher", "at_least"])
def test_dtc_counts_the_cards_that_were_not_shown(variant):
    """A small pack of what is left, every way to take three from it."""
    game = registry.load_game("dtc")
    talk = Talk("dtc", ["Ann", "Ben"], variant=variant)
    talk.ok("offer", player="Ann", count=3, value=4)
    state = talk.referee.session.state
    few = {"3": 2, "4": 3, "5": 2, "6": 1, "joker": 2}
    # what was shown: everything else
    shown = tuple(card for card, copies in DECK.items() for _ in range(copies - few.get(card, 0)))

    state = replace(state, challenges=(ResolvedChallenge(state.offer, shown, "true", 0),))
    left = [card for card, copies in few.items() for _ in range(copies)]
    true = [judge_offer(cards, 4, variant) != "false" for cards in combinations(left, 3)]
    odds = game.compute_odds(state)
    assert (odds.ways, odds.among) == (sum(true), len(true))


@pytest.mark.parametrize(("count", "value"), [(1, 5), (2, 5), (3, 2), (2, 13), (1, 14)])
def test_ochs_und_esel_counts_the_hands_that_beat_the_trick(count, value):
    """A small pack of what is left, every hand of four from it, asked of the rules."""
    game = registry.load_game("ochs_und_esel")
    talk = Talk("ochs_und_esel", ["Ann", "Ben", "Cy"])
    talk.ok("play", player="Ann", cards=[str(min(value, 13))] * count)
    few = {"2": 2, "6": 3, "7": 1, "13": 2, "joker": 2}
    gone = tuple(card for card, copies in CARDS.items() for _ in range(copies - few.get(card, 0)))
    hands = replace(talk.referee.session.state, gone=gone, plays=(), leader=1, to_beat=(count, value))
    state = replace(hands, cards=(4, 4, 4))
    left = [card for card, copies in few.items() for _ in range(copies)]
    free = replace(state, gone=())  # any card may be played, so that only its worth is asked about

    def beats(hand):
        ways = {tuple(sorted(one)) for one in combinations(hand, count)}
        return any(not isinstance(game.decide(free, Play("Ben", cards)), Refusal) for cards in ways)

    beaten = [beats(hand) for hand in combinations(left, 4)]
    odds = game.compute_odds(state)
    assert (odds.ways, odds.among) == (sum(beaten), len(beaten))


@pytest.mark.parametrize("card", ["ace_of_suns", "desert", "lunatic", "watchman", "sea", "excuse"])
def test_ascend_counts_the_hands_that_beat_a_single(card):
    """A few cards that are left, every hand of three from them, asked of the rules."""
    game, left = (
        registry.load_game("ascend"),
        ["origin", "savage", "soldier", "penitent", "mill", "island", "bard"],
    )
    talk = Talk("ascend", ["Ann", "Ben", "Cy"])
    talk.ok("exchanged")
    talk.ok("play", player="Ann", cards=[card])
    spent = tuple(sorted(set(TAROT) - set(left)))
    state = replace(talk.referee.session.state, spent=spent, hands=(3, 3, 3))

    def beats(hand):
        return any(not isinstance(game.decide(state, Ascends("Ben", (one,))), Refusal) for one in hand)

    beaten = [beats(hand) for hand in combinations(left, 3)]
    odds = game.compute_odds(state)
    assert (odds.ways, odds.among) == (sum(beaten), len(beaten))


@pytest.mark.parametrize("game_id", ["ochs_und_esel", "partners", "ascend"])
def test_nothing_is_asked_before_a_card_lies_there(game_id):
    game = registry.load_game(game_id)
    setup = setup_of(game, ["Ann", "Ben", "Cy", "Dee"])
    assert game.compute_odds(game.start(setup)) is None


def test_what_is_not_certain_is_never_told_as_certain():
    assert [Chance("", ways, 1000).percent for ways in (0, 1, 500, 999, 1000)] == [0, 1, 50, 99, 100]


@pytest.mark.parametrize("wished", [False, True])
async def test_on_the_screen_and_in_plain_lines_only_where_it_was_wished(wished):
    begun = prepare_game(Start("donkey_valley", ["Ann", "Bob", "Cy"], {}, 1))
    live = LiveSession(*begun, table=Table(Deck.load_builtin("donkey_valley")), odds=wished)
    for request in (ask.Donkey("giant"), *(ask.Load(name) for name in ("Ann", "Bob", "Cy"))):
        assert live.submit_request(request) is None
    lines = []
    PlainView(live, Translator("en", live.game), lines.append).poll_table(0.0)
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        shown = on_screen(pilot.app)
    told = "Chance that the donkey is overloaded"
    assert (told in shown) == (told in "".join(lines)) == wished
    if wished:
        heavy = sum(a + b + c > 18 for a, b, c in product(range(1, 11), repeat=3))
        assert f"{round(heavy / 10)}%" in shown
