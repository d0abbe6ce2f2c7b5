"""A key means one thing, or asks: Enter once too often enters nothing, and the table's keys and the
rows' keys never mix."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Awaitable, Callable, Sequence

import pytest
from textual.pilot import Pilot

from companion.demo.actions import make_players
from companion.games.donkey_valley import moves as ask
from companion.games.partners.moves import Fold
from companion.journal.journal import Journal
from companion.live.live_session import LiveSession
from companion.live.snapshot import ShownQuestion
from companion.plan import Plan
from companion.rules import registry
from companion.rules.contract import Refusal, Request, Text
from companion.rules.session import Session
from companion.rules.start import Start, prepare_game
from companion.table.decks import Deck
from companion.table.table import Table
from companion.texts import Translator
from companion.views.conversations import prompt_for_entry
from companion.views.dashboard.app import Dashboard
from companion.views.dashboard.entry_controller import SETTLE_SECONDS
from companion.views.dashboard.screens.dialog import ChoiceScreen
from companion.views.dashboard.widgets.entry_panel import _PAUSE, EntryPanel
from companion.views.entry_options import TABLE_KEYS, find_enterable
from companion.views.plain_view import PlainView
from companion.views.table_session import NO_BACKSTAGE, TableSession
from tests.rules.evenings import EVENINGS, ONE_OF_EACH_GAME, evenings_of
from tests.simulated.by_hand import answers, keys, same
from tests.views.table import (
    SEVEN,
    dashboard,
    enter,
    live_session,
    on_screen,
    steady,
    wait_until,
)

FOUR = SEVEN[:4]


def at_the_favours() -> LiveSession:
    live = live_session(FOUR)
    enter(live, ask.Donkey("normal"), *map(ask.Load, FOUR), ask.NoFavour("Ann"))
    return live


def at_the_decisions() -> LiveSession:
    live = live_session(FOUR)
    enter(live, ask.Donkey("normal"), *map(ask.Load, FOUR), *map(ask.NoFavour, FOUR))
    return live


def by_hand(game: str, number: int = 0) -> LiveSession:
    evening, deck = evenings_of(game)[number], Deck.load_builtin(game)
    return LiveSession(evening.game, evening.setup, table=Table(deck, {}), cards=tuple(deck.card_counts))


async def test_enter_after_the_last_card_enters_nothing_of_the_next_panel() -> None:
    live = by_hand("dtc")
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        await pilot.press("enter")
        await _a_pick(pilot)
        acts = len(live.list_acts())
        await pilot.press("enter", "enter")
        assert "Choose a line first" in await steady(pilot)
    assert len(live.list_acts()) == acts


async def _a_pick(pilot: Pilot[object]) -> None:
    """An offer of two cards, the challenge, and the two cards turned up: the last commits."""
    await pilot.press("2", "2")
    await steady(pilot)
    panel = pilot.app.screen.query_one(EntryPanel)
    for label in ("Challenge", "turn"):
        rows = [number for number, words in enumerate(panel._words) if label.lower() in words.plain.lower()]
        await pilot.press(*panel._keys[rows[0]])
        await steady(pilot)
    assert panel.is_picking
    await pilot.press("3", "3")
    await steady(pilot)
    assert not panel.is_picking


async def test_backspace_after_cards_were_picked_breaks_nothing() -> None:
    live = by_hand("dtc")
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        await pilot.press("enter")
        await _a_pick(pilot)
        await pilot.press("backspace", "backspace")
        await steady(pilot)
        assert pilot.app._exception is None


@pytest.mark.parametrize(
    ("typed", "loads"),
    [("310", (3, 10)), ("0131", (1, 1, 3, 10)), ("30", (3, 10)), ("1101", (1, 1, 10))],
)
async def test_a_ten_among_loads_is_typed_as_it_is_written_and_one_enter_ends_them(typed, loads) -> None:
    live = live_session(FOUR, hands_only=True)
    async with dashboard(live).run_test(size=(80, 24)) as pilot:
        await pilot.press("enter", "w", *typed)
        await pilot.pause(1.5 * _PAUSE)  # however slowly: a 1 waits for what follows
        await pilot.press("enter")
        await steady(pilot)
    (event, *_) = live.list_acts()[0].events
    assert (event.player, event.loads) == ("Ann", loads)


async def test_after_an_undo_r_is_redo_where_no_row_has_it() -> None:
    live = at_the_favours()
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        await pilot.press("enter", "n", "u")
        await steady(pilot)
        assert pilot.app._entering.is_open
        acts = len(live.list_acts())
        await pilot.press("r")
        await steady(pilot)
        assert live.list_acts()[acts:][0].request == ask.NoFavour("Bob")
        assert pilot.app._entering.is_open
        before = live.list_acts()
        await pilot.press("r")  # nothing is left to redo
        await steady(pilot)
        assert "No line has the key r" in " ".join(_told(pilot).split())
    assert live.list_acts() == before


async def test_after_an_undo_r_refuses_only_the_second_time_where_a_row_says_so() -> None:
    live = at_the_decisions()
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        await pilot.press("enter", "a", "u")
        acts = live.list_acts()
        await pilot.press("r")
        await steady(pilot)
        assert live.list_acts() == acts
        assert "U redoes" in " ".join(_told(pilot).split())
        await pilot.press("U")
        await steady(pilot)
        assert live.list_acts()[-1].request == ask.Decide("Ann", True)
        await pilot.press("u", "r", "r")
        await steady(pilot)
        assert live.list_acts()[-1].request == ask.Decide("Ann", False)
        acts = live.list_acts()
        await pilot.press("u", "escape", "r")
        await steady(pilot)
    assert live.list_acts() == acts


async def test_a_seat_that_is_not_awaited_opens_nobody_elses_list() -> None:
    live = at_the_favours()
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        await pilot.press("1", "2")  # Ann has no favour left to ask; Bob's favour would be 2
        await steady(pilot)
    assert [act.request for act in live.list_acts()][-1] == ask.NoFavour("Ann")


async def test_a_choice_by_arrow_is_entered_by_enter() -> None:
    live = at_the_decisions()
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        await pilot.press("enter", "down", "down", "down", "enter")
        await steady(pilot)
    assert live.list_acts()[-1].request == ask.Decide("Ann", True)


def _told(pilot: Pilot[object]) -> str:
    return str(pilot.app.screen.query_one("#entry-wrong").render())


async def test_a_key_meant_for_what_stood_there_before_is_asked_again() -> None:
    live, now = at_the_decisions(), [100.0]
    app = Dashboard(TableSession(Plan(), live), clock=lambda: now[0])
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("enter")
        await steady(pilot)
        enter(live, ask.Decide("Ann", False))  # by a card, a phone
        await wait_until(pilot, lambda: app._settled == live.snapshot())
        acts = len(live.list_acts())
        await pilot.press("a")  # meant for Ann
        await steady(pilot)
        assert "look, then type it again" in " ".join(_told(pilot).split())
        assert len(live.list_acts()) == acts
        now[0] += SETTLE_SECONDS + 0.1
        await pilot.press("a")
        await steady(pilot)
    assert live.list_acts()[-1].request == ask.Decide("Bob", True)


async def test_a_question_that_comes_by_itself_takes_no_key_that_was_on_its_way() -> None:
    live, now = at_the_decisions(), [100.0]
    asked = ShownQuestion(1, Text("doubt.foreign_card", {"card": "x"}), None, tuple(live.list_choices("Ann")))
    answered: list[int | None] = []
    live.answer_question = lambda number, choice: answered.append(choice)  # type: ignore[method-assign]
    app = Dashboard(TableSession(Plan(), live), clock=lambda: now[0])
    async with app.run_test(size=(120, 40)) as pilot:
        await steady(pilot)
        live._listener.questions.list_open = lambda: (asked,)  # type: ignore[method-assign]
        live.set_odds_shown(False)
        await wait_until(pilot, lambda: app._entering.is_open)
        await pilot.press("a", "escape")
        await steady(pilot)
        assert answered == []
        now[0] += SETTLE_SECONDS + 0.1
        await pilot.press("a")
        await steady(pilot)
    assert len(answered) == 1


async def test_a_refusal_is_said_where_it_was_typed() -> None:
    live = at_the_decisions()
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        await pilot.press("enter")
        await steady(pilot)
        late = pilot.app._entering._talk.menu.replies[-1]
        enter(live, *(ask.Decide(name, True) for name in FOUR))
        pilot.app._entering.handle_answer(late, None)
        shown = await steady(pilot)
        assert "✘" in _told(pilot)
        assert shown.count("✘") == 1


async def test_equal_words_do_not_pile_up() -> None:
    live = at_the_favours()
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        await pilot.press(*"1111")  # Ann has nothing to enter
        await steady(pilot)
        assert [told.message.split(".")[0] for told in pilot.app._notifications] == [
            "Ann has nothing to enter now"
        ]


async def test_a_refused_card_is_told_where_everybody_looks() -> None:
    live = at_the_favours()
    live.submit_request(ask.Favour("Bob", 3))
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        seen = await steady(pilot)
        assert "✘" in "".join(seen.splitlines()[:14])


def test_in_plain_lines_a_seat_that_is_not_awaited_leaves_nobody_there() -> None:
    live, heard = at_the_favours(), []
    plain = PlainView(live, Translator("en", live.game), heard.append)
    plain.poll_table(0.0)
    heard.clear()
    plain.enter_line("1")  # Ann
    assert heard[0].startswith("Ann has nothing to enter now. ")
    plain.enter_line("n")  # and this is Bob's
    assert live.list_acts()[-1].request == ask.NoFavour("Bob")


class Full(Journal):
    """A disk that takes nothing more."""

    @property
    def pending_count(self) -> int:
        return 2


async def test_leaving_asks_before_what_no_disk_has_taken_is_thrown_away() -> None:
    live = live_session(FOUR, journal=Full())
    enter(live, ask.Donkey("giant"), ask.Load("Ann"))
    app = dashboard(live)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("q")
        asked = " ".join((await steady(pilot)).split())
        assert "2 steps are not saved" in asked
        await pilot.press("1")
        await steady(pilot)
        assert app.is_running
        await pilot.press("q", "q")
    assert app.return_code == 0


async def test_ctrl_q_in_another_menu_asks_too_and_ends_the_second_time() -> None:
    live = live_session(FOUR, journal=Full())
    enter(live, ask.Donkey("giant"), ask.Load("Ann"))
    app = dashboard(live)
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(ChoiceScreen("Who may join?", ["this computer"]))
        await steady(pilot)
        await pilot.press("ctrl+q")
        assert "2 steps are not saved" in " ".join((await steady(pilot)).split())
        assert app.is_running
        await pilot.press("ctrl+q")
    assert app.return_code == 0


def test_in_plain_lines_leaving_asks_too() -> None:
    live, heard = live_session(FOUR, journal=Full()), []
    enter(live, ask.Donkey("giant"), ask.Load("Ann"))
    plain = PlainView(live, Translator("en", live.game), heard.append)
    assert plain.enter_line("quit")
    assert any("2 steps are not saved" in line for line in heard)
    assert not plain.enter_line("quit")


@pytest.mark.parametrize(
    "evening",
    [
        pytest.param(one, marks=() if one is ONE_OF_EACH_GAME[one.game.id] else pytest.mark.slow)
        for one in EVENINGS
    ],
    ids=lambda one: f"{one.setup.game}-{one.name}",
)
def test_no_row_of_any_game_begins_with_a_key_of_the_table(evening) -> None:
    deck = Deck.load_builtin(evening.setup.game)
    live = LiveSession(evening.game, evening.setup, table=Table(deck, {}), cards=tuple(deck.card_counts))
    players = evening.players
    for _ in range(60):
        for seat in (None, *evening.setup.players):
            ways = find_enterable(live, player=seat).ways
            picks = itertools.chain.from_iterable(way.choice.pick.keys for way in ways if way.choice.pick)
            assert not {key[:1] for key in (*(way.key for way in ways), *picks)} & set(TABLE_KEYS)
        deed = players.next_action(live.list_acts(), live.snapshot().view)
        if deed is None or live.submit_request(deed.request) is not None:
            break


def at_once(app: Dashboard) -> Callable[[float], Awaitable[None]]:
    """Wait as Textual's pilot does after each key until nothing is left to do, by what the loop has
    to do, where the pilot sleeps and looks whether the processor has slept too."""
    loop = asyncio.get_running_loop()

    async def idle() -> None:
        rests = 0
        while rests < 3:
            await asyncio.sleep(0)
            rests = 0 if loop._ready else rests + 1  # type: ignore[attr-defined]

    async def wait(_least: float) -> None:
        await idle()
        app.screen._on_timer_update()  # what waits for the next time the screen is drawn
        await idle()

    return wait


SHORT = {
    "ascend": Start("ascend", ["Ann", "Bob", "Cy"], {"target": 1, "bidding": True}, 18),
    "donkey_valley": Start("donkey_valley", ["Ann", "Bob", "Cy"], {}, 24),
    "dtc": Start("dtc", ["Ann", "Bob", "Cy", "Dan", "Eve", "Fay"], {}, 115),
    "ochs_und_esel": Start("ochs_und_esel", ["Ann", "Bob", "Cy"], {"deal": 5, "rounds": 2, "ox": True}, 7),
    "partners": Start("partners", ["Ann", "Bob", "Cy", "Dan"], {}, 15),
}
"""Games of few acts."""
TYPED = 40
"""Acts at the end that are typed: before, the evening was left, and is gone on with."""

LETTERS = "1234567890*aArRnNcdefghijklmopstvwxyz-+%é"
TYPED_AMISS = (
    *((one,) for one in LETTERS),
    *(tuple(name) for name in ("Bob", "Ann")),
    *((one,) * 9 for one in "a1"),
    *(("enter",), ("enter", "enter")) * 12,
    *(("down",), ("down", "down", "up"), ("tab",), ("backspace",)) * 4,
    *(("u",), ("u", "u"), ("u", "r"), ("escape",), ("escape", "escape", "r"), ("escape", "c", "enter")) * 3,
    *(("escape", one, "escape") for one in "cepv?gm"),
    *(("space", "space"), ("escape", "0"), ("escape", "1"), ("escape", "2")),
)
"""What fingers do between the right keys: none of it leaves the program."""


class Family:
    """People who play `wanted` by keys, slip, look what came of it, and put it right."""

    def __init__(
        self, pilot: Pilot[object], live: LiveSession, wanted: Sequence[Request], slips: random.Random
    ):
        assert isinstance(pilot.app, Dashboard)
        self.pilot, self.app, self.live, self.wanted, self.slips = pilot, pilot.app, live, wanted, slips
        self.arrow = False
        self.slipped = 0
        self.sure = False
        """Whether nothing but the right keys was pressed since the panel opened."""

    async def press(self, *keys: str) -> None:
        """Press keys; Enter enters only what an arrow has chosen, or cards that were named."""
        for key in keys:
            on_the_table, acts = self.app.screen is self.app._table, len(self.live.list_acts())
            panel = self.app._table.entry_panel
            chosen = self.arrow or panel.is_picking
            await self.pilot.press(key)
            assert self.app.is_running, key
            # what an arrow chose stays so where another key finds nothing to do
            self.arrow = (self.arrow or key in ("down", "up")) and panel.has_chosen_row
            assert key != "enter" or not on_the_table or chosen or len(self.live.list_acts()) == acts

    async def slip(self) -> None:
        self.slipped += 1
        self.sure = False
        if self.slips.random() < 0.03:
            await self.pilot.resize_terminal(*self.slips.choice([(60, 20), (120, 40), (80, 24)]))
        await self.press(*self.slips.choice(TYPED_AMISS))

    async def begin_again(self) -> None:
        """Go back to the table, and open what can be entered."""
        while self.app.screen is not self.app._table or self.app._entering.is_open:
            await self.press("escape")
        await self.press("enter")
        self.sure = True

    async def play(self) -> None:
        """Play to the end; what is there too much, or is another, is taken back."""
        for _ in range(5 * len(self.wanted)):
            acts = [act.request for act in self.live.list_acts()]
            alike = (same(*two) for two in zip(acts, self.wanted, strict=False))
            right = sum(itertools.takewhile(bool, alike))
            if len(acts) > right:
                await self.press(*("escape",) * (self.app.screen is not self.app._table), "u")
            elif right < len(self.wanted):
                await self.enter(self.wanted[right])
            elif self.app.screen is not self.app._table:
                await self.press("escape")
            else:
                return
        raise AssertionError(on_screen(self.app))

    async def enter(self, wanted: Request) -> None:
        """Type what enters this; a slip may come before it, or between its keys."""
        say, player = Translator("en", self.live.game), getattr(wanted, "player", None)
        if not (self.sure and self.app._entering.is_open):
            await self.begin_again()
        try:
            given = answers(lambda: prompt_for_entry(self.live, NO_BACKSTAGE, None, say), wanted, say)
        except LookupError:  # somebody else is awaited first
            self.sure = False
            await self.press("escape", str(self.live.setup.players.index(player) + 1))
            given = answers(lambda: prompt_for_entry(self.live, NO_BACKSTAGE, player, say), wanted, say)
        typed: list[str] = []
        for at, key in enumerate(keys(given)):
            if self.slips.random() < (0.03 if at else 0.15):
                await self.press(*typed)
                typed = []
                await self.slip()
                if self.slips.random() < 0.5 or not self.app._entering.is_open:
                    return  # it was seen
            typed.append({"\r": "enter"}.get(key, key))
        await self.press(*typed)


def by_keys(request: Request) -> Request:
    """By hand the cards of a fold are not named."""
    return Fold(request.player) if isinstance(request, Fold) else request


def replayed(rules: Session, live: LiveSession) -> Session:
    """Tell the rules directly what was entered."""
    for act in live.list_acts():
        assert not isinstance(rules.act(act.request), Refusal)
    return rules


@pytest.mark.slow
@pytest.mark.parametrize("game", registry.list_game_ids())
async def test_a_game_by_keys_full_of_slips_ends_as_its_moves_do(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = prepare_game(SHORT[game])
    assert not isinstance(begun, Refusal)
    told, players = Session(*begun), make_players(begun[1])
    while (deed := players.next_action(told.list_acts(), told.view())) is not None:
        assert not isinstance(told.act(by_keys(deed.request)), Refusal)
    deck = Deck.load_builtin(game)
    live = LiveSession(*begun, table=Table(deck, {}), cards=tuple(deck.card_counts))
    wanted = [act.request for act in told.list_acts()]
    enter(live, *wanted[:-TYPED])
    async with dashboard(live).run_test(size=(80, 24)) as pilot:
        monkeypatch.setattr("textual.app.wait_for_idle", at_once(pilot.app))
        family = Family(pilot, live, wanted, random.Random(f"slips in {game}"))
        await family.play()
        await family.press("u", "u", "r")  # the end is not believed
        await family.play()
        assert live.snapshot().view == replayed(Session(*begun), live).view()
        assert live.snapshot().view["result"] == told.view()["result"]
        assert all(name in on_screen(pilot.app) for name in told.view()["result"]["winners"])
    assert family.slipped > 4
