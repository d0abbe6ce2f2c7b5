"""What is played next, chosen on a phone: by one at a time, until it begins; and those who are in
come back to it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, nullcontext

import pytest
from playwright.sync_api import expect

from companion.commands import play
from companion.evening.sharing import sharing_of
from companion.games.donkey_valley.moves import Donkey
from companion.journal.journal import Journal
from companion.live.live import Live
from companion.plan import CannotBegin, Plan
from companion.rules import registry
from companion.rules.contract import Setup, Text
from companion.rules.people import Seated
from companion.share.access import Doors, End, Purpose
from companion.share.address import here
from companion.share.running import Share
from companion.share.seats import Desk, Given, Heard, Speech
from companion.table.decks import Deck
from companion.table.table import Table
from companion.texts import Translator
from companion.views import plain
from companion.views.dashboard.app import Dashboard
from companion.views.evening import Evening, ShareSwitch
from tests.share.conftest import Line, refused
from tests.simulated.phones import Ticking

PLAYERS = ("Ann", "Bob", "Cy")


def evening_of(game: str, players: tuple[str, ...] = PLAYERS, journal: Journal | None = None) -> Evening:
    rules = registry.load(game)
    live = Live(
        rules, Setup(game, players, rules.defaults({}), 7), table=Table(Deck.find(game)), journal=journal
    )
    return Evening(Plan(game, players, deck="mine"), live)


class Phone:
    """A phone's page, as far as it chooses what is played next."""

    def __init__(self, desk: Desk, player: str) -> None:
        self.desk, self.player, self.given = desk, player, tuple[Given, ...]()
        self.say()

    def say(self, said: Given | None = None) -> Heard:
        told = self.menu["number"] if said else 0
        self.heard = self.desk._talk(self.player, Speech("next", self.given, said, told))
        self.given = (*self.given, *([said] if said else []))[: self.heard.hold]
        return self.heard

    @property
    def menu(self) -> dict:
        assert self.heard.menu is not None
        return self.heard.menu

    @property
    def words(self) -> str:
        return json.dumps(self.menu, ensure_ascii=False) + self.heard.words

    def press(self, *rows: str) -> None:
        for words in rows:
            self.say(Given(next(one["row"] for one in self.menu["rows"] if one["words"].startswith(words))))


@pytest.fixture
def evening() -> Evening:
    return evening_of("donkey_valley")


@pytest.fixture
def desk(evening) -> Desk:
    return Desk(evening, Translator("en", evening.live.game))


def test_options_are_chosen_on_a_phone_and_the_game_begins(evening, desk) -> None:
    ann = Phone(desk, "Ann")
    ann.press("Game")
    ann.press("DTC", "Begin")
    assert (ann.heard.menu, ann.heard.words) == (None, "")
    assert evening.wanted == Plan("dtc", PLAYERS), "the deck of one game is no other's"


def test_an_option_that_was_chosen_is_told_and_kept(evening, desk) -> None:
    ann = Phone(desk, "Ann")
    option = next(one for one in ann.menu["rows"] if "line" not in one and one["key"].isdecimal())
    ann.press(option["words"])
    ann.press(ann.menu["rows"][1]["words"])
    assert option["words"] not in ann.words, "it holds another value now"
    ann.press("Begin")
    assert evening.wanted is not None
    assert len(evening.wanted.options) == 1
    assert evening.wanted.deck == "mine"


def test_one_phone_at_a_time_chooses_and_the_others_are_told_whose(evening, desk) -> None:
    ann = Phone(desk, "Ann")
    assert [desk.mine()[one]["next"] for one in PLAYERS] == [
        "",
        *["Ann is choosing the game on a phone."] * 2,
    ]
    evening.live.tick(0.0)
    notice = evening.live.snapshot().notice
    assert notice is not None
    assert notice.code == "share.chooses", "the laptop is told, too"
    bob = Phone(desk, "Bob")
    assert [row["words"] for row in bob.menu["rows"]] == ["I'll choose instead"]
    ann.press("Game")
    assert "DTC" in ann.words, "who only looked took nothing away"
    bob.press("I'll choose instead")
    assert "Begin" in bob.words
    ann.press("DTC")
    assert [row["words"] for row in ann.menu["rows"]] == ["I'll choose instead"]
    assert evening.wanted is None


def test_at_the_laptop_the_game_goes_on_and_nothing_is_chosen_any_more(evening, desk) -> None:
    ann = Phone(desk, "Ann")
    assert evening.live.submit(Donkey("giant")) is None
    assert {one["next"] for one in desk.mine().values()} == {None}
    ann.press("Begin")
    assert ann.heard.menu is None
    assert evening.wanted is None


async def test_the_laptop_leaves_for_the_game_that_was_chosen(evening, monkeypatch) -> None:
    evening.leave_for(Plan("dtc", PLAYERS))
    dashboard = Dashboard(evening)
    async with dashboard.run_test():
        dashboard.tick()
    assert dashboard.return_value == evening.wanted
    monkeypatch.setattr(plain, "listening", nullcontext)
    assert plain.run(evening) == evening.wanted


def test_a_network_that_is_gone_ends_no_evening_that_goes_on(evening, monkeypatch) -> None:
    def gone(_network: bool) -> None:
        raise CannotBegin(Text("share.not_started"))

    monkeypatch.setattr(play, "sharing_of", lambda *_, **__: ShareSwitch(gone))
    evening.plan = evening.plan.but(share="network")
    play._share(evening, asked=False)
    evening.live.tick(0.0)
    assert evening.live.snapshot().notice == Text("share.not_started")
    with pytest.raises(CannotBegin):
        play._share(evening, asked=True)


@pytest.fixture
def journal(tmp_path) -> Iterator[Journal]:
    with closing(Journal.open(tmp_path / "journal.sqlite")) as opened:
        yield opened


def shared(evening: Evening) -> ShareSwitch:
    return sharing_of(Translator("en", evening.live.game), evening=evening)


def test_who_is_in_comes_back_to_the_next_game_to_their_own_seat(journal) -> None:
    before = evening_of("donkey_valley", journal=journal)
    before.live.seat(Seated("rename", "Cy", "Dan"))
    with closing(shared(before)) as sharing:
        root = sharing.open(network=False).address
        passes = {}
        for player, invite in zip(PLAYERS, sharing.open(network=False).invites[-3:], strict=True):
            root, _, token = invite.link.partition("/seat#")
            with Line(None, root=root, token=token) as line:
                passes[player] = line.you["pass"]
        sharing.pass_on()
    after = evening_of("dtc", ("Dan", "Ann", "Eve"), journal)
    with closing(shared(after)) as sharing:
        assert sharing.open(network=False).address == root
        for player, seat in (("Ann", "Ann"), ("Cy", "Dan")):
            with Line(None, root=root, **{"pass": passes[player]}) as line:
                assert (line.you["seat"], line.you["game"]) == (seat, "dtc")
        assert refused(None, root=root, **{"pass": passes["Bob"]}) == End.VOID
        sharing.end()
    with closing(shared(after)) as sharing:
        root = sharing.open(network=False).address
        assert refused(None, root=root, **{"pass": passes["Ann"]}) == End.EVENING, "it has ended"


def test_a_tap_that_waits_for_the_line_does_not_keep_its_phone_out_of_the_next_game(browser) -> None:
    """Cy's seat is called by Cy's new name there: no table takes what Cy has tapped."""
    first = evening_of("donkey_valley")
    assert first.live.submit(Donkey("giant")) is None
    share = Share(here(0), Translator("en", first.live.game), first)
    share.start()
    port, page = share.place.port, browser.new_page()
    with closing(page):
        page.goto(share.link(Purpose("seat", "Cy")))
        tap = page.locator("#choices button").first
        expect(tap).to_be_visible()
        share.close()
        expect(page.locator("#trouble")).to_be_visible()
        tap.click()
        then = evening_of("donkey_valley", ("Ann", "Bob", "Dan"))
        seats = {"Ann": "Ann", "Bob": "Bob", "Cy": "Dan"}
        again = Share(
            here(port), Translator("en", then.live.game), then, doors=Doors(share.doors.kept().seated(seats))
        )
        with closing(again), Ticking(then.live):
            again.start()
            expect(page.locator("#name")).to_have_text("Dan")
            expect(page.locator("[aria-busy=true]")).to_have_count(0)
            expect(page.locator("#trouble")).to_be_hidden()


def test_a_phone_that_is_loaded_anew_goes_on_and_shows_the_game_that_it_has_chosen(browser) -> None:
    first = evening_of("donkey_valley")
    share = Share(here(0), Translator("en", first.live.game), first)
    share.start()
    port, page = share.place.port, browser.new_page()
    page.goto(share.link(Purpose("seat", "Ann")))
    rows = page.locator("#next .rows button")
    with closing(page), Ticking(first.live):
        page.click("#upcoming summary")
        rows.first.click()
        rows.filter(has_text="DTC").click()
        expect(rows.first).to_have_text("Game: DTC")
        page.reload()
        page.click("#upcoming summary")
        rows.filter(has_text="Begin").click()
        expect(page.locator("#upcoming")).not_to_have_attribute("open", "")
        page.evaluate("window.before = true")
        share.close()
        assert first.wanted is not None
        then = evening_of(first.wanted.game)
        again = Share(here(port), Translator("en", then.live.game), then, doors=share.doors)
        with closing(again):
            again.start()
            page.wait_for_function("() => !window.before")
            expect(page.locator("#rules")).to_contain_text("DTC")
