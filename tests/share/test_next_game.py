"""What is played next, chosen on a phone: by one at a time, until it begins; and those who are in
come back to it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, nullcontext

import pytest
from playwright.sync_api import expect

from companion.commands import play
from companion.evening.sharing import make_share_switch
from companion.games.donkey_valley.moves import Donkey
from companion.journal.journal import Journal
from companion.live.live_session import LiveSession
from companion.plan import CannotBegin, Plan
from companion.rules import registry
from companion.rules.contract import Setup, Text
from companion.rules.people import SeatChange
from companion.share.access_tokens import AccessTokens, CloseCode, Purpose
from companion.share.seat_controller import (
    ConversationMessage,
    ConversationUpdate,
    SeatController,
    SubmittedAnswer,
)
from companion.share.share_server import ShareServer
from companion.table.decks import Deck
from companion.table.table import Table
from companion.texts import Translator
from companion.views import plain_view
from companion.views.dashboard.app import Dashboard
from companion.views.table_session import ShareSwitch, TableSession
from companion.web.addresses import listen_locally
from tests.share.conftest import Line, refused
from tests.simulated.phones import Ticking

PLAYERS = ("Ann", "Bob", "Cy")


def evening_of(game: str, players: tuple[str, ...] = PLAYERS, journal: Journal | None = None) -> TableSession:
    rules = registry.load_game(game)
    live = LiveSession(
        rules,
        Setup(game, players, rules.default_options({}), 7),
        table=Table(Deck.load_by_name(game)),
        journal=journal,
    )
    return TableSession(Plan(game, players, deck="mine"), live)


class Phone:
    """A phone's page, as far as it chooses what is played next."""

    def __init__(self, desk: SeatController, player: str) -> None:
        self.desk, self.player, self.given = desk, player, tuple[SubmittedAnswer, ...]()
        self.say()

    def say(self, said: SubmittedAnswer | None = None) -> ConversationUpdate:
        told = self.menu["number"] if said else 0
        self.heard = self.desk._replay_conversation(
            self.player, ConversationMessage("next", self.given, said, told)
        )
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
            self.say(
                SubmittedAnswer(
                    next(one["row"] for one in self.menu["rows"] if one["words"].startswith(words))
                )
            )


@pytest.fixture
def evening() -> TableSession:
    return evening_of("donkey_valley")


@pytest.fixture
def desk(evening) -> SeatController:
    return SeatController(evening, Translator("en", evening.live.game))


def test_options_are_chosen_on_a_phone_and_the_game_begins(evening, desk) -> None:
    ann = Phone(desk, "Ann")
    ann.press("Game")
    ann.press("DTC", "Begin")
    assert (ann.heard.menu, ann.heard.words) == (None, "")
    assert evening.next_plan == Plan("dtc", PLAYERS), "the deck of one game is no other's"


def test_an_option_that_was_chosen_is_told_and_kept(evening, desk) -> None:
    ann = Phone(desk, "Ann")
    option = next(one for one in ann.menu["rows"] if "line" not in one and one["key"].isdecimal())
    ann.press(option["words"])
    ann.press(ann.menu["rows"][1]["words"])
    assert option["words"] not in ann.words, "it holds another value now"
    ann.press("Begin")
    assert evening.next_plan is not None
    assert len(evening.next_plan.options) == 1
    assert evening.next_plan.deck == "mine"


def test_one_phone_at_a_time_chooses_and_the_others_are_told_whose(evening, desk) -> None:
    ann = Phone(desk, "Ann")
    assert [desk.build_seat_states()[one]["next"] for one in PLAYERS] == [
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
    assert evening.next_plan is None


def test_at_the_laptop_the_game_goes_on_and_nothing_is_chosen_any_more(evening, desk) -> None:
    ann = Phone(desk, "Ann")
    assert evening.live.submit_request(Donkey("giant")) is None
    assert {one["next"] for one in desk.build_seat_states().values()} == {None}
    ann.press("Begin")
    assert ann.heard.menu is None
    assert evening.next_plan is None


async def test_the_laptop_leaves_for_the_game_that_was_chosen(evening, monkeypatch) -> None:
    evening.switch_to_game(Plan("dtc", PLAYERS))
    dashboard = Dashboard(evening)
    async with dashboard.run_test():
        dashboard.tick()
    assert dashboard.return_value == evening.next_plan
    monkeypatch.setattr(plain_view, "open_typed_lines", nullcontext)
    assert plain_view.run(evening) == evening.next_plan


def test_a_network_that_is_gone_ends_no_evening_that_goes_on(evening, monkeypatch) -> None:
    def gone(_network: bool) -> None:
        raise CannotBegin(Text("share.not_started"))

    monkeypatch.setattr(play, "make_share_switch", lambda *_, **__: ShareSwitch(gone))
    evening.plan = evening.plan.with_changes(share="network")
    play._start_sharing(evening, requested_share=False)
    evening.live.tick(0.0)
    assert evening.live.snapshot().notice == Text("share.not_started")
    with pytest.raises(CannotBegin):
        play._start_sharing(evening, requested_share=True)


@pytest.fixture
def journal(tmp_path) -> Iterator[Journal]:
    with closing(Journal.open(tmp_path / "journal.sqlite")) as opened:
        yield opened


def shared(evening: TableSession) -> ShareSwitch:
    return make_share_switch(Translator("en", evening.live.game), session=evening)


def test_who_is_in_comes_back_to_the_next_game_to_their_own_seat(journal) -> None:
    before = evening_of("donkey_valley", journal=journal)
    before.live.change_seats(SeatChange("rename", "Cy", "Dan"))
    with closing(shared(before)) as sharing:
        root = sharing.start_sharing(network=False).address
        passes = {}
        for player, invite in zip(PLAYERS, sharing.start_sharing(network=False).invites[-3:], strict=True):
            root, _, token = invite.link.partition("/seat#")
            with Line(None, root=root, token=token) as line:
                passes[player] = line.you["pass"]
        sharing.hand_over()
    after = evening_of("dtc", ("Dan", "Ann", "Eve"), journal)
    with closing(shared(after)) as sharing:
        assert sharing.start_sharing(network=False).address == root
        for player, seat in (("Ann", "Ann"), ("Cy", "Dan")):
            with Line(None, root=root, **{"pass": passes[player]}) as line:
                assert (line.you["seat"], line.you["game"]) == (seat, "dtc")
        assert refused(None, root=root, **{"pass": passes["Bob"]}) == CloseCode.VOID
        sharing.end_sharing()
    with closing(shared(after)) as sharing:
        root = sharing.start_sharing(network=False).address
        assert refused(None, root=root, **{"pass": passes["Ann"]}) == CloseCode.EVENING, "it has ended"


def test_a_tap_that_waits_for_the_line_does_not_keep_its_phone_out_of_the_next_game(browser) -> None:
    """Cy's seat is called by Cy's new name there: no table takes what Cy has tapped."""
    first = evening_of("donkey_valley")
    assert first.live.submit_request(Donkey("giant")) is None
    share = ShareServer(listen_locally(0), Translator("en", first.live.game), first)
    share.start()
    port, page = share.place.port, browser.new_page()
    with closing(page):
        page.goto(share.build_invite_link(Purpose("seat", "Cy")))
        tap = page.locator("#choices button").first
        expect(tap).to_be_visible()
        share.close()
        expect(page.locator("#trouble")).to_be_visible()
        tap.click()
        then = evening_of("donkey_valley", ("Ann", "Bob", "Dan"))
        seats = {"Ann": "Ann", "Bob": "Bob", "Cy": "Dan"}
        again = ShareServer(
            listen_locally(port),
            Translator("en", then.live.game),
            then,
            tokens=AccessTokens(share.tokens.export_tokens().with_seats_renamed(seats)),
        )
        with closing(again), Ticking(then.live):
            again.start()
            expect(page.locator("#name")).to_have_text("Dan")
            expect(page.locator("[aria-busy=true]")).to_have_count(0)
            expect(page.locator("#trouble")).to_be_hidden()


@pytest.mark.slow
def test_a_phone_that_is_loaded_anew_goes_on_and_shows_the_game_that_it_has_chosen(browser) -> None:
    first = evening_of("donkey_valley")
    share = ShareServer(listen_locally(0), Translator("en", first.live.game), first)
    share.start()
    port, page = share.place.port, browser.new_page()
    page.goto(share.build_invite_link(Purpose("seat", "Ann")))
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
        assert first.next_plan is not None
        then = evening_of(first.next_plan.game)
        again = ShareServer(listen_locally(port), Translator("en", then.live.game), then, tokens=share.tokens)
        with closing(again):
            again.start()
            page.wait_for_function("() => !window.before")
            expect(page.locator("#rules")).to_contain_text("DTC")
