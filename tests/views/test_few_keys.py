"""What is usually meant costs few keys: a value says it all, the cards one by one are the last
resort; on the dashboard, in plain lines and on phones it is the same conversation."""

import pytest

from companion.games.ascend.cards import CARDS
from companion.games.donkey_valley import moves as ask
from companion.games.dtc import moves as dtc
from companion.games.ochs_und_esel.moves import Play
from companion.live.live_session import LiveSession
from companion.plan import Plan
from companion.rules.contract import Refusal, Shortcut
from companion.share.seat_controller import SeatController
from companion.table.decks import Deck
from companion.table.table import Table
from companion.texts import Translator
from companion.views.conversations import prompt_for_entry
from companion.views.entry_options import TABLE_KEYS, find_enterable
from companion.views.plain_view import PlainView
from companion.views.table_session import NO_BACKSTAGE, TableSession
from tests.rules.evenings import EVENINGS, titled
from tests.simulated.by_hand import answers, keys
from tests.views.table import SEVEN, THREE, enter, live_session

PICKED = [next(one for one in EVENINGS if one.setup.game == game) for game in ("ochs_und_esel", "ascend")]


def live_of(evening) -> LiveSession:
    deck = Deck.load_builtin(evening.setup.game)
    return LiveSession(evening.game, evening.setup, table=Table(deck, {}), cards=tuple(deck.card_counts))


def rows(shortcuts: tuple[Shortcut, ...]):
    for one in shortcuts:
        yield one
        yield from rows(one.then)


def test_an_offer_that_was_true_is_turned_up_by_one_key() -> None:
    live = live_session(SEVEN[:3], "dtc")
    enter(live, dtc.Offer("Ann", 3, 4), dtc.Challenge("Bob"))
    say, true = Translator("en", live.game), dtc.Reveal(("4",) * 3)
    assert list(keys(answers(lambda: prompt_for_entry(live, NO_BACKSTAGE, None, say), true, say))) == ["n"]
    said = [row.words for row in next(prompt_for_entry(live, NO_BACKSTAGE, None, say)).rows]
    assert said == ["As named: three 4s", "The 3 cards turned up, card by card"]


@pytest.mark.parametrize("evening", PICKED, ids=titled)
def test_a_play_costs_two_keys_and_a_pair_of_ascend_three(evening) -> None:
    live, say = live_of(evening), Translator("en", evening.game)
    players, most = evening.players, {"ochs_und_esel": 2, "ascend": 3}[evening.setup.game]
    for _ in range(100):
        deed = players.next_action(live.list_acts(), live.snapshot().view)
        if deed is None:
            break
        cards = getattr(deed.request, "cards", ())
        ranks = {CARDS[one].rank for one in cards if one in CARDS} if most == 3 else set(cards)
        if deed.request.__struct_config__.tag == "play" and len(ranks) == 1 and "joker" not in ranks:
            typed = list(
                keys(answers(lambda: prompt_for_entry(live, NO_BACKSTAGE, None, say), deed.request, say))
            )
            assert len(typed) <= most, (deed.request, typed)
        for way in find_enterable(live).ways:
            if way.choice.pick is not None:
                first = [one.key for one in way.choice.pick.likely]
                others = [one.key for one in find_enterable(live).ways]
                assert not [(a, b) for a in first for b in others if b.startswith(a) or a.startswith(b)]
                assert not set("".join(first)) & set(TABLE_KEYS)
                for one in rows(way.choice.pick.likely):
                    assert bool(one.cards) != bool(one.then), one
                    assert len({row.key for row in one.then}) == len(one.then)
                    made = way.with_cards(one.cards).choice.request
                    refusal = one.cards and live.game.decide(live._timeline.state, made)
                    assert not isinstance(refusal, Refusal), (one, refusal)
        assert live.submit_request(deed.request) is None


def test_on_a_phone_what_is_usually_meant_is_shown_as_its_cards() -> None:
    live = live_of(PICKED[0])
    first, second, *_ = live.setup.players
    live.submit_request(Play(first, ("9", "9")))
    rows = SeatController(TableSession(Plan(), live), Translator("en", live.game)).build_seat_states()[
        second
    ]["menu"]["rows"]
    likely = [
        (row["tone"], row["likely"]["cards"], row["likely"]["times"]) for row in rows if "likely" in row
    ]
    # What the rules refuse comes after it, greyed.
    assert likely == [
        *(("", (str(value),), 2) for value in range(10, 14)),
        *(("refused", (str(value),), 2) for value in range(1, 10)),
    ]
    assert not [row for row in rows if "cell" in row]


def test_several_keys_are_typed_as_one_word_or_line_by_line_and_taken_back() -> None:
    live, told = live_of(PICKED[0]), list[str]()
    plain = PlainView(live, Translator("en", live.game), told.append)
    first, second, *_ = live.setup.players
    plain.enter_line("2j9")
    lead = Play(first, ("9", "joker"))
    assert live.list_acts()[-1].request == lead
    for line in ("", "j", "-", "j", ""):
        plain.enter_line(line)
        assert live.list_acts()[-1].request == lead
    assert f"a: {second}: two 10s" in told
    assert f"9: {second}: two 9s" not in told
    for line in ("j", "j"):
        plain.enter_line(line)
    assert live.list_acts()[-1].request == Play(second, ("joker", "joker"))


@pytest.mark.parametrize("typed", ["5", "5 5"])
def test_cards_that_are_too_low_are_refused_by_the_rule(typed) -> None:
    live, told = live_of(PICKED[0]), list[str]()
    plain = PlainView(live, Translator("en", live.game), told.append)
    plain.enter_line("29")
    acts = live.list_acts()
    assert acts[-1].request == Play(live.setup.players[0], ("9", "9"))
    plain.enter_line(typed)
    plain.poll_table(0.0)
    assert live.list_acts() == acts
    assert not [line for line in told if "can't be entered here" in line]
    assert any("doesn't beat 9" in line and "(OE-4)" in line for line in told), told
    plain.enter_line("eleventy")
    assert "eleventy can't be entered here" in told[-1]


def test_once_nobody_may_look_any_more_the_table_goes_on_by_itself() -> None:
    live = live_session()
    enter(live, ask.Donkey("holed"), *(ask.Load(one) for one in THREE), *(ask.NoFavour(one) for one in THREE))
    enter(live, ask.Peek("Ann", ("Bob",)), ask.Peek("Bob", ("Ann",)))
    looked = live.snapshot()
    assert looked.view["phase"] == "peeks"
    enter(live, ask.Peek("Chloé", ("Ann",)))
    assert live.snapshot().view["phase"] == "decisions"
    assert live.snapshot().last.code == "event.loads_looked_at"
    acts = live.list_acts()
    assert live.submit_request(ask.PeeksDone()) is None
    assert live.list_acts() == acts
    assert live.submit_request(ask.PeeksDone()) is not None
    live.undo()
    assert live.snapshot().view == looked.view
    live.redo()
    assert live.snapshot().view["phase"] == "decisions"
