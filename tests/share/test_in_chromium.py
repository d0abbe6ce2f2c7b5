"""The pages in a browser that none of us wrote."""

from __future__ import annotations

import datetime
import re
import socket
import ssl
import subprocess
import threading
import time
from collections import Counter
from contextlib import closing, contextmanager

import msgspec
import numpy as np
import pytest
from playwright.sync_api import expect

from companion.decks import render_drawings
from companion.demo.actions import make_players
from companion.games.donkey_valley.moves import Decide, Donkey, Favour, Load, NoFavour, Reveal
from companion.live.clocks import ClockOptions
from companion.live.snapshot import ShownQuestion
from companion.plan import Plan
from companion.readers.camera.frames import FrameForwarder
from companion.readers.camera.reader import CameraReader
from companion.readers.camera.sources import PhoneCamera
from companion.readers.nfc.tag_pads import PhonePads
from companion.rules import registry
from companion.rules.contract import Choice, Text
from companion.rules.session import Session
from companion.share.access_tokens import CAMERA, JOIN, WATCH, CloseCode, Purpose
from companion.share.share_server import ShareServer
from companion.table import zones
from companion.table.decks import Deck
from companion.table.sightings import Battery, Health
from companion.texts import Translator
from companion.views.page_state import build_state
from companion.views.table_session import TableSession
from companion.web import connections
from companion.web.addresses import ServerAddress, listen_locally
from companion.web.limits import TABLE_LIMITS
from tests import filmed
from tests.share.conftest import GAME, PLAYERS, PROGRAM, shared, until
from tests.simulated.page_fit import list_axe_faults
from tests.simulated.phones import Ticking, chromium
from tests.simulated.terminal import companion, play
from tests.views.test_part_by_part import before_a_seven
from vision.library import Library

pytestmark = pytest.mark.slow


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1920, "height": 1080}, reduced_motion="reduce")
    context.set_default_timeout(
        90_000
    )  # a page is there when its cards are, and a busy machine draws them first
    opened = context.new_page()
    opened.faults = []
    opened.on("pageerror", lambda fault: opened.faults.append(str(fault)))
    opened.on(
        "console", lambda message: opened.faults.append(message.text) if message.type == "error" else None
    )
    yield opened
    context.close()
    assert not opened.faults


def test_the_television_follows_the_table_and_forgets_the_links_token(table, page) -> None:
    live, share = table
    page.goto(share.build_invite_link())
    expect(page.locator("#awaited")).to_have_text("Turn up the next donkey.")
    assert share.tokens.ensure_invite_token(WATCH) not in page.url
    assert page.evaluate("document.cookie") == ""
    expect(page.locator("#seats .name").nth(2)).to_have_text("<b>Chloé</b>")  # text, whatever it says
    assert page.locator("#seats b").count() == 0
    live.submit_request(Donkey("giant"))
    expect(page.locator("#headline")).to_have_text("Giant", ignore_case=True)
    expect(page.locator("#measured")).to_contain_text("18")


def test_a_stream_sees_through_the_page(table, page) -> None:
    _, share = table
    page.goto(share.build_invite_link(page="stream"))
    expect(page.locator("#seats .points")).to_have_count(3)
    corner = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert corner == "rgba(0, 0, 0, 0)"


def test_the_page_speaks_french(page) -> None:
    _, share = shared("fr")
    try:
        page.goto(share.build_invite_link())
        expect(page.locator("#awaited")).to_have_text("Révélez l’âne suivant.")
        assert page.locator("html").get_attribute("lang") == "fr"
        page.goto("about:blank")
    finally:
        share.close()


def test_a_link_that_is_no_good_is_said(table, page) -> None:
    _, share = table
    page.goto(f"{share.place.base_url}/#guess")
    expect(page.locator("#trouble")).to_contain_text("no longer valid")
    page.faults.clear()  # the refused request itself


def test_pages_come_back_when_the_server_does(page) -> None:
    live, share = shared()
    page.goto(share.build_invite_link())
    expect(page.locator("#seats .points")).to_have_count(3)
    port = share.place.port
    share.close()
    expect(page.locator("#trouble")).to_contain_text("lost", timeout=15000)
    live.submit_request(Donkey("giant"))
    again = ShareServer(
        listen_locally(port), Translator("en", GAME), TableSession(Plan(), live), tokens=share.tokens
    )
    assert again.place.port == port
    again.start()
    try:
        expect(page.locator("#headline")).to_have_text("Giant", ignore_case=True, timeout=20000)
        expect(page.locator("#trouble")).to_be_hidden()
        page.goto("about:blank")
    finally:
        again.close()
    page.faults.clear()  # the line that was cut


def test_a_tap_is_heard_at_once_and_entered_once_though_the_laptop_sleeps(table, page) -> None:
    live, share = table
    live.submit_request(Donkey("normal"))
    awake = threading.Event()
    page.clock.install()
    with Ticking(live):
        page.goto(share.build_invite_link(Purpose("seat", "Ann")))
        first = page.locator("#choices button").first
        expect(first).to_be_visible()
        for day in (1, -1):  # the phone's clock is set, for better or worse, and nobody notices
            page.clock.set_system_time(datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=day))
            page.clock.run_for(3000)
            expect(page.locator("#trouble")).to_be_hidden()
        share.broadcast.loop.call_soon_threadsafe(awake.wait)
        first.click()
        expect(first).to_have_attribute("aria-busy", "true")
        page.clock.run_for(9000)  # in steps: had the phone itself slept, it would say nothing
        expect(page.locator("#trouble")).to_contain_text("Is it asleep?")
        awake.set()
        expect(page.locator("#turn")).to_be_hidden()
        expect(page.locator("#trouble")).to_be_hidden()
        assert live.step_count == 2
    page.goto("about:blank")
    page.faults.clear()  # the line that was given up


def test_a_television_shows_letters_and_is_let_in_and_a_phone_types_them(table, page) -> None:
    _, share = table
    page.goto(f"{share.place.base_url}/")
    letters = page.locator("#letters")
    expect(letters).to_have_text(re.compile("^[B-Z]{4}$"))
    share.build_invitation().invites[1].let_in(letters.text_content())
    expect(page.locator("#seats .points")).to_have_count(3)
    phone = page.context.new_page()
    phone.set_viewport_size({"width": 390, "height": 844})
    phone.goto(f"{share.place.base_url}/")
    for typed in ("aeio", share.tokens.ensure_join_code(JOIN).lower()):
        expect(phone.locator("#code")).to_be_focused()
        phone.keyboard.type(typed)  # the fourth letter sends them
        if typed == "aeio":
            expect(phone.locator("#refused")).to_contain_text("Those aren't the letters")
    phone.get_by_role("button", name="Bob").click()
    expect(phone.locator("#name")).to_have_text("Bob")
    expect(page.locator("#seats li").nth(2).get_by_label("connected by phone")).to_be_visible()
    phone.locator("#wishes summary").click()
    phone.locator("#wishes button").click()
    expect(phone.locator("#trouble")).to_contain_text("You have left")
    expect(page.get_by_label("connected by phone")).to_have_count(0)
    phone.locator("#trouble button").click()
    expect(phone.locator("#free button")).to_have_count(3)
    phone.close()


def test_a_phone_chooses_its_seat_among_those_that_are_free(table, page, browser) -> None:
    _, share = table
    bob = browser.new_context().new_page()  # a phone of his own
    bob.goto(share.build_invite_link(Purpose("seat", "Bob")))
    expect(bob.locator("#name")).to_have_text("Bob")
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(share.build_invite_link(JOIN))
    expect(page.locator("#free button")).to_have_count(3)
    page.reload()
    page.get_by_role("button", name=re.compile("Bob.*connected by phone")).click()
    expect(page.locator("h1")).to_have_text("Bob already has this seat")
    expect(page.locator("#letters")).to_have_text(re.compile("^[B-Z]{4}$"))
    page.locator("#join-asks button").click()
    page.get_by_role("button", name="Chloé").click()
    expect(page.locator("#name")).to_have_text("<b>Chloé</b>")
    bob.context.close()
    page.reload()
    expect(page.locator("#name")).to_have_text("<b>Chloé</b>")
    # the tab was closed; the same browser finds the seat again
    page.goto("about:blank")
    again = page.context.new_page()
    again.goto(share.build_invite_link(JOIN))
    again.get_by_role("button", name=re.compile("Chloé.*your seat")).click()
    expect(again.locator("#name")).to_have_text("<b>Chloé</b>")
    again.close()


SAID = """() => {
  const [place, said] = [document.getElementById("trouble"), (window.said = [])];
  new MutationObserver(() => place.hidden || said.push(place.innerText)).observe(
    place, { attributes: true, childList: true, subtree: true, characterData: true });
}"""
"""Keep what a page says to be the matter, however short it stands there."""


def test_a_phone_that_slept_until_the_table_gave_it_up_comes_back_without_a_word(table, page) -> None:
    _, share = table
    ann = Purpose("seat", "Ann")
    page.goto(share.build_invite_link(ann))
    expect(page.locator("#name")).to_have_text("Ann")
    page.evaluate(SAID)
    (slept,) = share._pages._open
    share.broadcast.loop.call_soon_threadsafe(slept.request_close, CloseCode.SILENT)
    until(lambda: share._pages.page_counts[ann] and slept not in share._pages._open)
    assert page.evaluate("said") == []
    page.goto("about:blank")


def test_each_end_of_a_line_says_what_to_do(table, page) -> None:
    live, share = table
    ann, trouble = Purpose("seat", "Ann"), page.locator("#trouble")
    page.goto(share.build_invite_link(ann))
    expect(page.locator("#name")).to_have_text("Ann")
    other = page.context.new_page()
    other.goto(share.build_invite_link(ann))
    expect(trouble).to_contain_text("Another phone has this seat")
    trouble.locator("button").click()
    expect(trouble).to_be_hidden()
    expect(other.locator("#trouble")).to_contain_text("Another phone has this seat")
    other.close()
    port = share.place.port
    share.close()
    expect(trouble).to_contain_text("no longer")
    anew = ShareServer(listen_locally(port), Translator("en", GAME), TableSession(Plan(), live))
    anew.start()
    try:
        expect(trouble).to_contain_text("A new evening has begun", timeout=20000)
        page.goto(anew.build_invite_link(ann))
        expect(trouble).to_be_hidden()
        anew.tokens.renew_invite(ann)
        expect(trouble).to_contain_text("no longer valid")
    finally:
        anew.close()
    page.faults.clear()  # the lines that were closed


PRESS = """async ([row, told]) => {
  const { ask } = await import("/parts/session.js");
  return ask({ type: "talk", about: "entering", given: [], next: { row, cards: [] }, told });
}"""


def menu_of(share, player) -> dict:
    return share._desk.build_seat_states()[player]["menu"]


def test_a_seat_enters_its_own_choices_and_is_refused_in_the_tables_words(table, page) -> None:
    live, share = table
    live.submit_request(Donkey("normal"))
    page.set_viewport_size({"width": 390, "height": 844})
    with Ticking(live):
        page.goto(share.build_invite_link(Purpose("seat", "Ann")))
        expect(page.locator("#name")).to_have_text("Ann")
        expect(page.locator("#turn")).to_be_visible()
        page.locator("#choices button").first.click()
        until(lambda: live.snapshot().view["players"][0]["loads_down"] == 1)
        expect(page.locator("#turn")).to_be_hidden()
        bobs = menu_of(share, "Bob")
        for row, told in (
            (77, menu_of(share, "Ann")["number"]),
            (bobs["rows"][0]["row"], bobs["number"]),  # another seat's
        ):
            refused = page.evaluate(PRESS, [row, told])
            assert refused["words"] == "The game has moved on: choose again from what is shown now."
            assert live.step_count == 2


def test_a_keyboard_goes_on_where_it_was_and_the_tab_says_whose_turn_it_is(table, page) -> None:
    live, share = table
    live.submit_request(Donkey("normal"))
    with Ticking(live):
        page.goto(share.build_invite_link(Purpose("seat", "Ann")))
        expect(page).to_have_title("Your turn, Ann")
        page.locator("#choices button").first.focus()
        page.keyboard.press("Enter")
        until(lambda: live.step_count == 2)
        expect(page).to_have_title("Ann · Donkey Valley")
        expect(page.locator("#turn")).to_have_count(0)
        assert page.evaluate("document.activeElement.id") in ("choices", "headline")
        television = page.context.new_page()
        television.goto(share.build_invite_link())
        expect(television).to_have_title(re.compile(".+ · Donkey Valley"))
        television.close()


def test_the_rules_open_at_the_clause_that_matters_now(table, page) -> None:
    live, share = table
    live.submit_request(Donkey("normal"))
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(share.build_invite_link(Purpose("seat", "Ann")))
    expect(page.locator("#rules")).to_have_text("The rules: DV-11")
    page.locator("#rules").click()
    expect(page.locator("#DV-11")).to_be_in_viewport()
    page.go_back()
    expect(page.locator("#name")).to_have_text("Ann")


def test_a_tablet_that_is_handed_round_keeps_each_seat_to_its_own_tab(table, page) -> None:
    live, share = table
    live.submit_request(Donkey("normal"))
    bobs = page.context.new_page()
    with Ticking(live):
        page.goto(share.build_invite_link(Purpose("seat", "Ann")))
        expect(page.locator("#name")).to_have_text("Ann")
        bobs.goto(share.build_invite_link(Purpose("seat", "Bob")))
        expect(bobs.locator("#name")).to_have_text("Bob")
        page.locator("#choices button").first.click()
        until(lambda: any(seat["loads_down"] for seat in live.snapshot().view["players"]))
        assert [seat["loads_down"] for seat in live.snapshot().view["players"]] == [1, 0, 0]
        page.reload()
        expect(page.locator("#name")).to_have_text("Ann")
        bobs.locator("#choices button").first.click()
        until(lambda: live.snapshot().view["players"][1]["loads_down"] == 1)
        bobs.goto(share.build_invite_link(Purpose("seat", "Ann")))  # the same page, with another's link
        expect(bobs.locator("#name")).to_have_text("Ann")
    page.goto("about:blank")
    page.faults.clear()  # Ann's seat went to the other tab
    bobs.close()


OCHS = registry.load_game("ochs_und_esel")


def test_what_one_is_picking_outlasts_the_running_clock(page) -> None:
    live, share = shared(game=OCHS, clock=ClockOptions("turn", 600.0))
    page.set_viewport_size({"width": 390, "height": 400})
    cards = page.locator("#choices .pick .cards").first.locator("button")
    try:
        page.goto(share.build_invite_link(Purpose("seat", "Ann")))
        cards.nth(4).click()
        cards.nth(4).click()
        cards.nth(6).focus()
        page.locator("#reasons summary").scroll_into_view_if_needed()
        scrolled = page.evaluate("scrollY")
        for second in (1.0, 2.0, 3.0):
            live.tick(second)
            expect(page.locator("body")).to_have_attribute("data-number", str(live.snapshot().number))
        expect(page.locator("#clock")).to_have_text("9:57")
        expect(cards.nth(4).locator(".times")).to_have_text("×2")
        expect(cards.nth(4)).to_have_attribute("aria-pressed", "true")
        expect(cards.nth(6)).to_be_focused()
        assert page.evaluate("scrollY") == scrolled > 0
        with Ticking(live):
            page.locator("#choices .send").first.click()
            expect(page.locator("#headline")).not_to_have_text("")
            until(lambda: live.step_count == 1)
        page.goto("about:blank")
    finally:
        share.close()


SEATS = {"dtc": 0, "ascend": 1, "partners": 1, "donkey_valley": 1}
"""Games, and how many acts of the table come before a player's first choice. Ochs & Esel is entered
as Ascend is."""
FIRST = """() => Math.max(...[...document.querySelectorAll("#choices .rows > button, #choices .grid button")]
  .slice(0, 36).map((one) => one.getBoundingClientRect().bottom), 0)"""
SPILT = """() => [...document.querySelectorAll("button, .cards *")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth).map((one) => one.textContent)"""


@pytest.mark.parametrize("game", SEATS)
def test_a_seat_lies_well_in_the_hand(page, game) -> None:
    """What axe finds nothing against, in light upright and dark across: contrast, names, sizes of
    what is touched (WCAG 2.2, 24 px)."""
    live, share = shared(game=registry.load_game(game), players=("Ann", "Bob", "Chloé", "Dan"))
    with closing(share):
        for _ in range(SEATS[game]):
            assert live.submit_request(live.list_choices(None)[0].request) is None
        page.goto(share.build_invite_link(Purpose("seat", "Ann")))
        expect(page.locator("#turn")).to_be_visible()
        for theme, width, height in (("light", 390, 844), ("dark", 844, 390)):
            page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
            page.set_viewport_size({"width": width, "height": height})
            assert list_axe_faults(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.evaluate(SPILT) == []
            top = page.locator("#choices button").first.bounding_box()
            assert top["y"] + top["height"] <= height
        if game == "dtc":  # all 36 at once, held across
            assert page.evaluate(FIRST) <= 390
        page.goto("about:blank")


def test_a_seat_asks_for_all_its_cards_at_once(page) -> None:
    """The phones of a table may have one address: a request for each of 45 cards, and the third
    phone is refused half of them."""
    live, share = shared(game=registry.load_game("ascend"), players=("Ann", "Ben", "Cy"))
    assert live.submit_request(live.list_choices(None)[0].request) is None
    with closing(share):
        page.goto(share.build_invite_link(Purpose("seat", "Ann")))
        expect(page.locator(".pick .cards img")).to_have_count(45)
        asked = page.evaluate(
            "performance.getEntriesByType('resource').map(one => new URL(one.name).pathname)"
        )
        assert asked.count("/cards") == 1
        assert len(asked) * 3 < TABLE_LIMITS.burst
        page.goto("about:blank")


def test_what_i_decided_stays_in_sight_and_can_be_taken_back(table, page) -> None:
    live, share = table
    for request in (Donkey("giant"), *map(Load, PLAYERS), *map(NoFavour, PLAYERS)):
        assert live.submit_request(request) is None
    with Ticking(live):
        page.goto(share.build_invite_link(Purpose("seat", "Ann")))
        page.locator("#choices button").first.click()
        expect(page.locator("#decided")).to_contain_text("Ann accepts.")
        expect(page.locator("#awaited")).to_contain_text("Bob")
        page.locator("#decided button").click()
        expect(page.locator("#turn")).to_be_visible()
        expect(page.locator("#decided")).to_have_count(0)
        page.locator("#choices button").nth(1).click()
        expect(page.locator("#decided button")).to_be_visible()
        live.call_soon(lambda: live.submit_request(Decide("Bob", True)))
        expect(page.locator("#decided")).to_contain_text("Ann refuses.")
        expect(page.locator("#decided button")).to_have_count(0)  # it would take Bob's back


def test_the_second_of_two_quick_taps_does_not_take_back_what_the_first_has_entered(table, page) -> None:
    live, share = table
    for request in (Donkey("giant"), *map(Load, PLAYERS), *map(NoFavour, PLAYERS)):
        assert live.submit_request(request) is None
    page.add_init_script("addEventListener('click', (tap) => { window.first ??= tap; }, true)")
    # By the browser's own times of the taps, however slow the machine is.
    again = """(button, later) => {
      const { clientX, clientY, timeStamp } = window.first;
      const tap = new MouseEvent("click", { clientX, clientY, detail: 2, bubbles: true, cancelable: true });
      Object.defineProperty(tap, "timeStamp", { value: timeStamp + later });
      button.dispatchEvent(tap);
    }"""
    with Ticking(live):
        page.goto(share.build_invite_link(Purpose("seat", "Ann")))
        page.locator("#choices button").first.click()
        back = page.locator("#decided button")
        expect(back).to_be_visible()
        back.evaluate(again, 300)
        assert back.is_enabled()  # else it is on its way to the table
        back.evaluate(again, 2000)
        expect(page.locator("#turn")).to_be_visible()
    page.goto("about:blank")


def test_a_phone_speaks_its_owners_language_and_tells_them_that_it_is_their_turn(table, page) -> None:
    live, share = table
    page.add_init_script("navigator.vibrate = (ms) => { window.shaken = (window.shaken ?? 0) + 1; }")
    with Ticking(live):
        page.goto(share.build_invite_link(Purpose("seat", "Bob")))
        page.locator("#wishes summary").click()
        page.locator("select[name=language]").select_option("fr")
        expect(page.locator("#awaited")).to_have_text("Révélez l’âne suivant.")
        expect(page.locator("#mine-points")).to_contain_text("Vos points")
        page.locator("#wishes summary").click()
        page.locator("select[name=theme]").select_option("light")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(246, 241, 227)"
        assert page.evaluate("window.shaken") is None
        live.call_soon(lambda: live.submit_request(Donkey("giant")))
        expect(page.locator("#turn")).to_have_text("À vous")
        assert page.evaluate("window.shaken") == 1
    television = page.context.new_page()
    television.goto(share.build_invite_link())
    expect(television.locator("#awaited")).not_to_contain_text("Révélez")
    television.close()


def test_only_what_changed_is_drawn_anew(table, page) -> None:
    """A screen reader reads out what is drawn, a finger holds on to it: the same state drawn twice
    touches nothing."""
    live, share = table
    live.submit_request(Donkey("normal"))
    for link in (
        share.build_invite_link(),
        share.build_invite_link(page="stream"),
        share.build_invite_link(Purpose("seat", "Ann")),
    ):
        page.goto(link)
        expect(page.locator("body")).to_have_attribute("data-number", str(live.snapshot().number))
        expect(page.locator("span.turned")).to_have_count(0)  # cards' pictures come after their places
        page.evaluate(
            """() => {
              window.touched = [];
              new MutationObserver((all) => touched.push(...all.map((one) => one.target.id || one.target.nodeName)))
                .observe(document.body, { childList: true, subtree: true, characterData: true });
            }"""
        )
        live.show_remark(Text("share.busy"))
        live.tick(time.monotonic())
        expect(page.locator("body")).to_have_attribute("data-number", str(live.snapshot().number))
        assert page.evaluate("touched") == []


def test_the_television_shows_what_the_round_came_to_and_every_round(table, page) -> None:
    live, share = table
    page.goto(share.build_invite_link())
    for request in (Donkey("giant"), *map(Load, PLAYERS), *map(NoFavour, PLAYERS)):
        assert live.submit_request(request) is None
    for name, accept in zip(PLAYERS, (True, True, False), strict=True):
        assert live.submit_request(Decide(name, accept)) is None
    for name, value in zip(PLAYERS, (3, 4, 5), strict=True):
        assert live.submit_request(Reveal(name, (value,))) is None
    expect(page.locator("#figures")).to_contain_text("3 + 4 + 5 = 12")
    expect(page.locator("#won li")).to_have_text(
        [re.compile(r"Ann .*\+3"), re.compile(r"Bob .*\+4"), re.compile("–")]
    )
    expect(page.locator("#seats li").nth(1).locator(".round")).to_have_text("+3")


WAITS = "all => all.map(one => getComputedStyle(one)).map(one => [one.animationName, parseFloat(one.animationDelay)])"
DRAWN = "all => all.map(one => one.complete && one.naturalWidth > 0 && one.dataset.card)"


@pytest.mark.parametrize("game", ["dtc", "ochs_und_esel"])
def test_the_television_draws_the_cards_that_lie_there(page, game) -> None:
    """What is offered lies face down, what is played as it was played; turned up it is shown with
    what it came to, once for each player."""
    live, share = shared(game=registry.load_game(game), players=("Ann", "Ben", "Cy"))
    session, players = Session(live.game, live.setup), make_players(live.setup)

    def act():
        request = players.next_action(session.list_acts(), session.view()).request
        session.act(request)
        assert live.submit_request(request) is None

    with closing(share):
        page.goto(share.build_invite_link())
        while not (lying := build_state(live.snapshot(), share._translator)["lying"]):
            act()
        cards = [card for one in lying for card in one["cards"]]
        expect(page.locator("#lying .card")).to_have_count(len(cards))
        up = [one for one in cards if one]
        until(lambda: page.locator("#lying img").evaluate_all(DRAWN) == up)
        page.goto(share.build_invite_link(page="stream"))
        expect(page.locator("#lying .card")).to_have_count(len(cards))
        page.goto(share.build_invite_link())
        if game == "dtc":
            assert set(cards) == {""}
            while not live.snapshot().gained:
                act()
            expect(page.locator("#turned img").first).to_be_visible()
            until(lambda: False not in page.locator("#turned img").evaluate_all(DRAWN))
            assert page.locator("#won").inner_text().count("+") == 1
            page.emulate_media(reduced_motion="no-preference")
            turned = page.locator("#turned li").count()
            told = page.locator("#came-to, #reasons, #awaited, .points, .badges").evaluate_all(WAITS)
            assert len(told) == 9  # nothing tells the end before the last card is up
            assert told == [["told", pytest.approx(0.35 * turned)]] * 9
            assert page.locator("#awaited").bounding_box()["y"] < 1000
        page.goto("about:blank")


def donkey_trick():
    """Ochs & Esel where the donkey is led, and one has played to it."""
    live, share = shared(game=OCHS, players=("Ann", "Bob", "Chloé", "Dan"))
    session, players = Session(live.game, live.setup), make_players(live.setup)
    while len((shown := build_state(live.snapshot(), share._translator))["lying"]) <= 1:
        request = players.next_action(session.list_acts(), session.view()).request
        session.act(request)
        assert live.submit_request(request) is None
    assert shown["picture"]
    return shown, share


def test_a_seat_shows_what_lies_there_and_the_others_facts_where_it_has_the_room(page) -> None:
    shown, share = donkey_trick()
    with closing(share):
        page.goto(share.build_invite_link(Purpose("seat", "Ann")))
        expect(page.locator("#lying .card")).to_have_count(len(shown["lying"]))
        expect(page.locator("#act #lying .card").first).to_be_visible()
        expect(page.locator("#seats .facts").first).to_be_visible()
        expect(page.locator("#told li").first).to_have_text(shown["log"][-1])
        for size in ((390, 844), (844, 390)):  # it lies before one's eyes, and the choices need the room
            page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
            expect(page.locator("#lying")).to_be_hidden()
        page.goto("about:blank")


def test_what_is_wrong_with_a_reader_stands_on_every_page_until_it_is_well(page) -> None:
    _, share = donkey_trick()
    lost = Health("camera 0", "lost", Text("reader.camera.unplugged", {"device": "/dev/video0"}), 0.0)
    live = share._live
    with closing(share):
        for link in (
            share.build_invite_link(),
            share.build_invite_link(page="stream"),
            share.build_invite_link(Purpose("seat", "Ann")),
        ):
            page.goto(link)
            expect(page.locator("#seats .points")).to_have_count(4)
            warned, first = page.locator("#warnings"), page.locator("#choices button").first
            before = first.bounding_box() if first.count() else None
            live.post_report(lost)
            live.tick(0.0)
            expect(warned).to_contain_text("sends no more pictures. Plug it in again")
            assert (first.bounding_box() if first.count() else None) == before, "nothing moves under a thumb"
            if link == share.build_invite_link():  # two metres away
                assert warned.evaluate("one => parseFloat(getComputedStyle(one).fontSize)") >= 1080 / 30
                box = page.locator("#awaited").bounding_box()
                assert box["y"] + box["height"] <= 1080
            live.post_report(msgspec.structs.replace(lost, state="ok"))
            live.tick(0.0)
            expect(warned).to_have_count(0)
        page.goto("about:blank")


def test_a_phone_that_gets_its_seat_back_does_not_say_what_it_had_chosen_before(page) -> None:
    """The other phone has taken that back, and chosen otherwise."""
    live, share = shared(options={"decision_order": "free"})
    for request in (Donkey("giant"), *map(Load, PLAYERS), *map(NoFavour, PLAYERS)):
        assert live.submit_request(request) is None
    other = page.context.new_page()
    with closing(share), Ticking(live):
        for one, answer in ((page, "Refuse"), (other, "Accept")):
            one.goto(share.build_invite_link(Purpose("seat", "Ann")))
            if one is other:
                expect(one.locator("#sealed")).to_have_count(0)
                one.get_by_role("button", name="Take it back").click()
            one.get_by_role("button", name=answer).click()
            expect(one.locator("#sealed")).to_have_text(f"✔ {answer}")
        page.locator("#trouble button").click()
        expect(page.get_by_role("button", name="Take it back")).to_be_visible()
        expect(page.locator("#sealed")).to_have_count(0)
        for one in (page, other):
            one.goto("about:blank")


def test_a_decision_made_apart_is_told_with_the_others(page, browser) -> None:
    live, share = shared(options={"decision_order": "free"})
    for request in (Donkey("giant"), *map(Load, PLAYERS), *map(NoFavour, PLAYERS)):
        assert live.submit_request(request) is None
    television = browser.new_page()
    try:
        with Ticking(live):
            television.goto(share.build_invite_link())
            page.goto(share.build_invite_link(Purpose("seat", "Ann")))
            expect(page.locator("#choices")).to_contain_text("Nobody sees")
            page.locator("#choices button").first.click()
            expect(page.locator("#choices button")).to_have_text(["Take it back"])
            page.reload()
            expect(page.locator("#sealed")).to_have_text("✔ Accept")
            expect(page.locator("#choices")).to_contain_text("Waiting for Bob and <b>Chloé</b>.")
            expect(television.locator("#seats li").nth(1)).to_contain_text("decided")
            assert [row["decision"] for row in live.snapshot().view["players"]] == [None] * 3
            live.call_soon(lambda: [live.submit_request(Decide(name, False)) for name in PLAYERS[1:]])
            until(lambda: live.snapshot().view["players"][0]["decision"] is True)
        page.goto("about:blank")
    finally:
        television.close()
        share.close()


def test_a_round_is_put_right_from_a_seat_and_everybody_is_told_by_whom(table, page) -> None:
    live, share = table
    for request in (Donkey("giant"), *map(Load, PLAYERS), *map(NoFavour, PLAYERS)):
        assert live.submit_request(request) is None
    page.set_viewport_size({"width": 390, "height": 844})
    told, rows = page.locator("#righting > p"), page.locator("#righting button")
    with Ticking(live):
        page.goto(share.build_invite_link(Purpose("seat", "Ann")))
        page.locator("#right summary").click()
        rows.filter(has_text="Correct an earlier entry").click()
        rows.filter(has_text="Bob uses no favour").click()
        expect(told).to_contain_text(["should have been"])
        rows.filter(has_text=re.compile("^Favour 2")).click()
        expect(told).to_contain_text(["before → after", "Ann: 0 → 0"])
        rows.filter(has_text="Back").click()
        rows.filter(has_text=re.compile("^Favour 2")).click()
        assert live.step_count == 7  # nothing has happened yet
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        rows.filter(has_text="Make this correction").click()
        expect(page.locator("#right")).not_to_have_attribute("open", "")
        until(lambda: Favour("Bob", 2) in [act.request for act in live.list_acts()])
        last = Translator("en", GAME).translate(live.snapshot().last)
        assert last.startswith("Ann, on a phone: Entry 6 corrected")
        page.locator("#right summary").click()
        expect(told).to_have_text([last])
        live.call_soon(live.undo)  # at the table, meanwhile
        expect(told).to_have_text(["The correction was undone."])


def test_people_come_and_go_at_a_seat(table, page) -> None:
    live, share = table
    page.set_viewport_size({"width": 390, "height": 844})
    rows, told = page.locator("#people button"), page.locator("#people > p")
    with Ticking(live):
        page.goto(share.build_invite_link(Purpose("seat", "Ann")))
        page.locator("summary", has_text="stand-ins").click()
        rows.filter(has_text="Bob").click()
        stand_in = page.locator("#people form", has_text="Somebody stands in for Bob")
        for name, said in (("Ann", "same name"), ("Eve", "Eve stands in for Bob.")):
            if name == "Eve":
                rows.filter(has_text="Bob").click()
            stand_in.locator("input").fill(name)
            assert page.evaluate("document.documentElement.scrollWidth") <= 390
            stand_in.locator("button").click()
            expect(told.first).to_contain_text(said)
        expect(rows.filter(has_text="Eve (Bob)")).to_have_count(1)
        expect(page.locator("#seats li").nth(1)).to_contain_text("Eve (Bob)")
        page.locator("#people form input").fill("Zoé")
        page.keyboard.press("Enter")
        expect(told.first).to_contain_text("Zoé joins from the next game on.")
    assert live.snapshot().people.next_players == (*PLAYERS, "Zoé")


def test_a_seven_is_entered_pawn_by_pawn_at_a_seat(page) -> None:
    live, seven = before_a_seven()
    share = ShareServer(listen_locally(0), Translator("en", live.game), TableSession(Plan(), live))
    share.start()
    way = next(one for one in seven.ways if len(one.choice.parts.parts) == 2)
    first, second = (Translator("en", live.game).translate(part.label) for part in way.choice.parts.parts)
    page.set_viewport_size({"width": 390, "height": 844})
    rows, told, acts = page.locator("#choices button"), page.locator("#choices > p"), len(live.list_acts())
    try:
        with Ticking(live):
            page.goto(share.build_invite_link(Purpose("seat", seven.player)))
            rows.filter(has=page.locator('[data-card="7"]')).click()
            rows.filter(has_text=Translator("en", live.game).translate(seven.kind.label)).click()
            expect(told.first).to_contain_text("0 of 7 used, 7 left")
            rows.filter(has_text=first).first.click()
            expect(told.nth(1)).to_contain_text(first)
            rows.filter(has_text="Back").click()
            expect(told.first).to_contain_text("0 of 7 used, 7 left")
            rows.filter(has_text=first).first.click()
            expect(told.nth(1)).to_contain_text(first)  # while a tap is on its way, no other is taken
            rows.filter(has_text=second).first.click()
            until(lambda: len(live.list_acts()) == acts + 1)
            expect(told.filter(has_text="of 7 used")).to_have_count(0)
        assert set(live.list_acts()[-1].request.moves) == set(way.choice.request.moves)
        page.goto("about:blank")
    finally:
        share.close()


def test_a_pawn_is_played_by_a_tap_on_it_and_one_on_where_it_goes(page, browser) -> None:
    live, seven = before_a_seven()
    acts = len(live.list_acts())
    plays = [one for one in live.list_choices(seven.player) if one.parts is None and len(one.spots) == 1]
    pairs = Counter(pair for one in live.list_choices(seven.player) for pair in one.spots)
    chosen = next(one for one in plays if pairs[one.spots[0]] == 1 and not one.spots[0][0].startswith("base"))
    [(source, target)] = chosen.spots
    share = ShareServer(listen_locally(0), Translator("en", live.game), TableSession(Plan(), live))
    share.start()
    television = browser.new_context(viewport={"width": 1920, "height": 1080}).new_page()
    page.set_viewport_size({"width": 390, "height": 844})
    rows, lit = page.locator("#choices button"), page.locator("#board .lit")
    try:
        with Ticking(live):
            television.goto(share.build_invite_link())
            expect(television.locator("#board .pawn")).to_have_count(16)
            expect(television.locator("#board .way")).to_have_count(0)
            page.goto(share.build_invite_link(Purpose("seat", seven.player)))
            plays = [one for one in live.list_choices(seven.player) if one.spots]
            cards = Counter(one.request.card for one in plays)
            every = len(cards) + 1  # and that none can be played
            expect(rows).to_have_count(every)
            card = next(card for card in cards if card != "7")
            one = rows.filter(has=page.locator(f'[data-card="{card}"]'))
            one.click()
            expect(rows).to_have_count(len(cards) + cards[card])
            assert {*lit.evaluate_all("all => all.map((one) => one.dataset.spot)")} == {
                pair[0] for one in plays if one.request.card == card for pair in one.spots
            }
            one.click()
            expect(rows).to_have_count(every)
            lit.and_(page.locator(f'[data-spot="{source}"]')).click()
            expect(rows).not_to_have_count(every)
            page.locator("#board").click(position={"x": 178, "y": 178})
            expect(rows).to_have_count(every)
            lit.and_(page.locator(f'[data-spot="{source}"]')).click()
            lit.and_(page.locator(f'[data-spot="{target}"]')).click()
            until(lambda: len(live.list_acts()) == acts + 1)
            assert live.list_acts()[-1].request == chosen.request
            expect(television.locator("#board .way").first).to_be_attached()
            assert television.evaluate("document.documentElement.scrollHeight") <= 1080
            assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.goto("about:blank")
    finally:
        television.context.close()
        share.close()


def test_a_question_to_the_table_is_answered_at_a_seat(table, page) -> None:
    live, share = table
    live.submit_request(Donkey("giant"))
    answered, choices = [], (Choice(Text("share.send"), Load("Ann")), Choice(Text("share.back"), Load("Bob")))
    question = ShownQuestion(7, Text("doubt.foreign_card", {"card": "x"}), None, choices)
    asked = [question]
    live._listener.questions.list_open = lambda: tuple(asked)
    live.answer_question = lambda number, choice: (answered.append((number, choice)), asked.clear())
    with Ticking(live):
        live.show_remark(Text("share.busy"))
        page.goto(share.build_invite_link(Purpose("seat", "Ann")))
        expect(page.locator("#question p")).to_have_count(1)
        expect(page.locator("#question button")).to_have_count(3)
        page.locator("#question button").nth(1).click()
        expect(page.locator("#question")).to_be_hidden()
    assert answered == [(7, 1)]


@pytest.fixture(scope="module")
def phone(driver, browser, tmp_path_factory):
    """Chromium with a film where its camera would be, the giant donkey on a table, and a person who
    allows it."""
    film = filmed.film(tmp_path_factory.mktemp("film") / "table.mjpeg", 0, 20)
    fake = ("--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream")
    opened = chromium(driver, *fake, f"--use-file-for-fake-video-capture={film}", program=PROGRAM)
    yield opened
    opened.close()


@contextmanager
def sending(phone, link):
    """Open the camera's link and start the camera, as its owner does."""
    page = phone.new_page(viewport={"width": 390, "height": 844})
    page.goto(link)
    page.locator("#start").click()
    yield page
    page.close()


def test_a_phone_is_the_camera(phone) -> None:
    camera, seen = PhoneCamera(), []
    deck = Deck.load_by_name("donkey_valley")
    faces = {name: face for name, face in render_drawings(deck, "en").items() if name.startswith("donkey:")}
    reader = CameraReader(camera, Library.from_drawings(faces), zones.make_default_zones(3))
    reader.start(seen.append)
    _, share = shared(camera=camera)
    try:
        with sending(phone, share.build_invite_link(CAMERA)) as page:
            until(lambda: any(getattr(one, "design", None) == "donkey:giant" and one.sure for one in seen))
            assert share.tokens.ensure_invite_token(CAMERA) not in page.url
            # Chromium's own answer: a machine without a battery is charging, and full
            until(lambda: any(getattr(one, "battery", None) == Battery(100, charging=True) for one in seen))
        until(lambda: any(getattr(one, "state", "") == "lost" for one in seen))
    finally:
        share.close()
        reader.close()


def test_a_phone_films_for_far_longer_than_a_request_may_take(phone, monkeypatch) -> None:
    monkeypatch.setattr(connections, "REQUEST_TIMEOUT", 0.5)
    camera, heard = PhoneCamera(), []
    reader = FrameForwarder(camera, lambda _frame: True)
    reader.start(lambda report: heard.append(report.text.code))
    _, share = shared(camera=camera)
    try:
        with sending(phone, share.build_invite_link(CAMERA)):
            until(lambda: reader.processed_frames >= 1)
            over = time.monotonic() + 8 * connections.REQUEST_TIMEOUT
            until(lambda: time.monotonic() > over)
            assert heard.count("reader.camera.phone_lost") == 0
    finally:
        share.close()
        reader.close()


TAKEN = """() => {
  window.real = navigator.mediaDevices.getUserMedia;
  navigator.mediaDevices.getUserMedia = async () => { throw new DOMException("in use", "NotReadableError"); };
}"""
STOPS = {
    "ends": "() => media().getVideoTracks()[0].stop()",
    "is muted": "() => Object.defineProperty(media().getVideoTracks()[0], 'muted', { value: true })",
    "gives no more pictures": """() => {
      const still = document.createElement("canvas");
      still.getContext("2d");
      document.getElementById("picture").srcObject = still.captureStream(0);
    }""",
}


@pytest.mark.parametrize("how", ["ends", "is muted"])
def test_a_phone_whose_camera_stops_says_so_and_starts_it_again(phone, monkeypatch, how) -> None:
    """A call, or another program, takes the camera from the page."""
    monkeypatch.setattr("companion.readers.camera.frames.RETRY_DELAYS", (0.05,))
    camera, heard = PhoneCamera(), []
    reader = FrameForwarder(camera, lambda _frame: True)
    reader.start(heard.append)
    _, share = shared(camera=camera)
    try:
        with sending(phone, share.build_invite_link(CAMERA)) as page:
            until(lambda: reader.processed_frames >= 1)
            page.evaluate(TAKEN)
            page.evaluate("window.media = () => document.getElementById('picture').srcObject")
            page.evaluate(STOPS[how])
            expect(page.locator("#trouble")).to_contain_text("another app", timeout=20000)
            expect(page.locator("#start")).to_be_visible()
            until(lambda: heard[-1].text.code == "reader.camera.phone_blind")
            assert heard[-1].state == "lost"
            page.evaluate("() => { navigator.mediaDevices.getUserMedia = real; }")
            until(lambda: heard[-1].state == "ok")
            expect(page.locator("#trouble")).to_be_hidden()
            expect(page.locator("#start")).to_be_hidden()
    finally:
        share.close()
        reader.close()


@contextmanager
def filming(monkeypatch):
    """A table that looks at what a phone sends: the phone's source, what was heard, the pictures,
    the sharing."""
    monkeypatch.setattr("companion.readers.camera.sources.FLOW_WINDOW", 0.3)
    camera, heard, pictures = PhoneCamera(), [], []
    reader = FrameForwarder(camera, lambda frame: pictures.append(frame.image) or True)
    reader.start(heard.append)
    _, share = shared(camera=camera)
    try:
        yield camera, heard, pictures, share
    finally:
        share.close()
        reader.close()


def codes(heard):
    return [one.text.code.removeprefix("reader.camera.") for one in heard]


LENS = """() => {
  const can = { torch: true, zoom: { min: 1, max: 4, step: 0.1 } };
  const [real, set] = [MediaStreamTrack.prototype.getCapabilities, MediaStreamTrack.prototype.applyConstraints];
  window.asked = []; window.wanted = [];
  MediaStreamTrack.prototype.getCapabilities = function () { return { ...real.call(this), ...can }; };
  MediaStreamTrack.prototype.applyConstraints = function (one) { asked.push(...one.advanced); return set.call(this, {}); };
  const devices = navigator.mediaDevices;
  const [all, open] = [devices.enumerateDevices.bind(devices), devices.getUserMedia.bind(devices)];
  devices.enumerateDevices = async () => [...await all(), { kind: "videoinput", deviceId: "wide", label: "back, wide" }];
  devices.getUserMedia = (one) => { wanted.push(one.video.deviceId?.ideal); return open(one); };
}"""


def test_a_phones_lens_size_zoom_and_light_are_chosen_and_kept_over_a_reload(phone, monkeypatch) -> None:
    with filming(monkeypatch) as (camera, heard, pictures, share):
        page = phone.new_page(viewport={"width": 390, "height": 844})
        page.add_init_script(f"({LENS})()")
        page.goto(share.build_invite_link(CAMERA))
        page.locator("#start").click()
        until(lambda: pictures)
        page.locator("#settings summary").click()
        page.locator("#lens").select_option("back, wide")
        page.locator("#size").select_option("640")
        page.locator("#zoom").fill("2.5")
        page.locator("#torch").click()
        expect(page.locator("#torch")).to_have_attribute("aria-pressed", "true")
        until(lambda: pictures[-1].shape == (360, 640, 3))
        page.reload()
        pictures.clear()
        until(lambda: pictures)  # by itself, and as before
        assert pictures[-1].shape == (360, 640, 3)
        assert page.evaluate("wanted") == ["wide"]
        until(lambda: {"zoom": 2.5} in page.evaluate("asked") and {"torch": True} in page.evaluate("asked"))
        # what it costs and how late it is, on both sides
        expect(page.locator("#rate")).to_have_text(
            re.compile(r"640 × 360 · \d+/s · \d+ kB/s · \d+\.\d\d s delay")
        )
        until(
            lambda: camera.flow is not None and camera.flow.rate and heard[-1].text.code.endswith("ok_phone")
        )
        page.locator("#stop").click()
        page.reload()
        expect(page.locator("#start")).to_be_enabled()  # whoever stopped it starts it
        assert page.evaluate("wanted") == []
        page.close()


def test_a_phone_turned_sideways_shows_the_table_upright(phone, monkeypatch) -> None:
    """Its screen is locked: the browser goes on showing it upright."""
    lean = "window.dispatchEvent(new DeviceOrientationEvent('deviceorientation', { alpha: 0, beta: 3, gamma: %d }))"
    with (
        filming(monkeypatch) as (_, _, pictures, share),
        sending(phone, share.build_invite_link(CAMERA)) as page,
    ):
        until(lambda: pictures)
        upright = pictures[-1].astype(int)
        for gamma, quarters in ((-80, 1), (80, 3)):
            page.evaluate(lean % gamma)
            turned = np.rot90(upright, quarters)
            until(
                lambda turned=turned: (
                    pictures[-1].shape == turned.shape and np.abs(pictures[-1] - turned).mean() < 8
                )
            )
        page.evaluate(lean % 2)  # laid flat, it stays as it was
        expect(page.locator("#level")).to_have_class("flat")
        pictures.clear()
        until(lambda: len(pictures) > 2)
        assert pictures[-1].shape == turned.shape


def test_an_iphone_is_asked_for_its_level_by_a_tap(phone, monkeypatch) -> None:
    answers = "window.answers = ['denied', 'granted']; DeviceOrientationEvent.requestPermission = async () => answers.shift();"
    with filming(monkeypatch) as (_, _, pictures, share):
        page = phone.new_page()
        page.add_init_script(answers)
        page.goto(share.build_invite_link(CAMERA))
        page.locator("#start").click()
        until(lambda: pictures)
        page.locator("#ask-level").click()
        expect(page.locator("#ask-level")).to_be_hidden()
        page.close()


def test_both_sides_say_when_the_picture_is_older_than_a_second(phone, monkeypatch) -> None:
    with (
        filming(monkeypatch) as (_, heard, pictures, share),
        sending(phone, share.build_invite_link(CAMERA)) as page,
    ):
        until(lambda: pictures)
        page.evaluate("window.media = () => document.getElementById('picture').srcObject")
        page.evaluate(STOPS["gives no more pictures"])
        expect(page.locator("#rate")).to_contain_text("has received no new picture for")
        until(lambda: "phone_late" in codes(heard))
        assert heard[codes(heard).index("phone_late")].state == "look"
        until(lambda: heard[-1].state == "ok")  # the page has started its camera again


def test_a_page_out_of_sight_says_so_and_goes_on_when_it_is_looked_at(phone, monkeypatch) -> None:
    show = """(state) => {
      Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }"""
    with (
        filming(monkeypatch) as (_, heard, pictures, share),
        sending(phone, share.build_invite_link(CAMERA)) as page,
    ):
        until(lambda: pictures)
        page.evaluate(show, "hidden")
        until(lambda: codes(heard)[-1] == "phone_away")
        pictures.clear()
        page.evaluate(show, "visible")
        until(lambda: pictures and heard[-1].state == "ok")


def test_of_two_phones_the_second_is_the_camera_until_the_first_takes_it_back(phone, monkeypatch) -> None:
    with (
        filming(monkeypatch) as (_, _, pictures, share),
        sending(phone, share.build_invite_link(CAMERA)) as first,
    ):
        until(lambda: pictures)
        with sending(phone, share.build_invite_link(CAMERA)) as second:
            expect(first.locator("#trouble")).to_contain_text("Another phone")
            expect(second.locator("#rate")).to_contain_text("s delay")
            first.locator("#trouble button").click()
            expect(second.locator("#trouble")).to_contain_text("Another phone")
            expect(second.locator("#start")).to_be_disabled()
            expect(first.locator("#rate")).to_contain_text("s delay")  # it films again by itself
            expect(first.locator("#trouble")).to_be_hidden()


def test_the_network_gets_encrypted_pages_whose_certificate_has_the_fingerprint_that_is_shown(
    browser,
) -> None:
    place = ServerAddress(socket.create_server(("127.0.0.1", 0)), "127.0.0.1", secure=True)
    live, unused = shared()
    unused.close()
    share = ShareServer(place, Translator("en", GAME), TableSession(Plan(), live))
    share.start()
    context = browser.new_context(ignore_https_errors=True)
    try:
        page = context.new_page()
        page.goto(share.build_invite_link())
        expect(page.locator("#seats .points")).to_have_count(3)
        seen = ssl.get_server_certificate(("127.0.0.1", place.port))
        printed = subprocess.run(
            ["openssl", "x509", "-noout", "-fingerprint", "-sha256"],
            input=seen,
            capture_output=True,
            text=True,
            check=True,
        )
        assert printed.stdout.strip().endswith(share.fingerprint)
        page.goto("about:blank")
    finally:
        context.close()
        share.close()


LINK = re.compile(rb"http://127\.0\.0\.1:\d+/\w+#\S+")


def scanned(terminal) -> str:
    """Return the link that the code in the terminal stands for."""
    return LINK.search(terminal.before)[0].decode()


HERE = ("--camera", "phone", "--share", "here")


def test_an_evening_begins_with_the_card_that_the_phone_sees(tmp_path, phone) -> None:
    with play(tmp_path, *HERE, "--players", "Ann,Bob,Cy", "--new", "--plain") as terminal:
        terminal.until("Waiting for the phone")
        with sending(phone, scanned(terminal)):
            terminal.until("giant donkey", seconds=90)
        terminal.type("quit\n")
        assert terminal.end() == 0
        assert b"Traceback" not in terminal.written


def test_the_table_is_calibrated_in_the_phones_picture(tmp_path, phone) -> None:
    with companion(tmp_path, "calibrate", *HERE, "--out", str(tmp_path / "zones.toml")) as terminal:
        terminal.until("Waiting for the phone")
        with sending(phone, scanned(terminal)):
            terminal.until("▀")  # its picture
            terminal.type("j")
            terminal.until("Use a phone as the camera")
            terminal.type("j\r")
            assert terminal.end() == 0
    assert (tmp_path / "zones.toml").exists()


def test_the_phones_picture_is_looked_over_with_the_equipment(tmp_path, phone) -> None:
    with companion(tmp_path, "check", *HERE, "--plain") as terminal:
        terminal.until("Waiting for the phone")
        with sending(phone, scanned(terminal)):
            terminal.until("In focus")
            terminal.type("q\n")
            terminal.end()
        assert b"Traceback" not in terminal.written


def test_a_card_is_enrolled_by_the_phone(tmp_path, phone) -> None:
    with companion(
        tmp_path, "enrol", *HERE, "--deck", "donkey_valley", "--again", "donkey:giant", "--plain"
    ) as terminal:
        terminal.until("Waiting for the phone")
        with sending(phone, scanned(terminal)):
            terminal.until("was already in the picture", seconds=60)
            terminal.type("\n")
            terminal.until("Taken: giant donkey", seconds=60)
            assert terminal.end() == 0
        assert b"Traceback" not in terminal.written


STICKER = "04:a1:b2:c3:d4:e5:f6"
FAKED = """
window.NDEFReader = class {
  async scan() { window.reader = this; }
  async hold(serialNumber) { await this.onreading({ serialNumber }); }
};
"""
"""Web NFC as the W3C draft has it, as far as our module uses it: Chromium has it on Android
only."""


def with_stickers(browser):
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.add_init_script(FAKED)
    return page


def a_pad(browser, link):
    """A phone that opened the link and waits for a sticker."""
    page = with_stickers(browser)
    page.goto(link)
    page.locator("#pad-start").click()
    expect(page.locator("#pad-said")).to_contain_text("Ready")
    return page


def test_a_card_held_to_a_phone_is_played_at_its_seat(browser) -> None:
    deck = Deck.load_by_name("donkey_valley").with_tag("donkey:giant", STICKER.replace(":", ""))
    pads = PhonePads(deck.find_design_by_tag)
    live, share = shared(pads=pads, deck=deck)
    pads.start(live.post_report)
    page = with_stickers(browser)
    try:
        with Ticking(live):
            page.goto(share.build_invite_link(Purpose("seat", "Bob")))
            page.locator("#pad-start").click()
            expect(page.locator("#pad-said")).to_contain_text("Ready")
            page.locator("[data-where=middle] input").check()
            page.evaluate("tag => reader.hold(tag)", STICKER)
            expect(page.locator("#headline")).to_have_text("Giant", ignore_case=True)
            expect(page.locator("#pad-said")).to_contain_text("read")
            page.evaluate("tag => reader.hold(tag)", "04:00:00:00:00:00:01")
            expect(page.locator("#pad-said")).to_contain_text("belongs to no card")
            assert STICKER not in page.content()
    finally:
        page.close()
        share.close()


def test_a_phone_enrols_stickers(tmp_path, browser) -> None:
    words = ("tags", "enrol", "--reader", "phone", "--share", "here", "--deck", "donkey_valley")
    with companion(tmp_path, *words, "--only", "donkey:giant") as terminal:
        terminal.until("donkey:giant")
        page = a_pad(browser, scanned(terminal))
        page.evaluate("tag => reader.hold(tag)", STICKER)
        terminal.until("now belongs to")
        page.close()
        terminal.type("q\n")
        assert terminal.end() == 0


def test_the_check_tries_a_phone_that_reads_stickers(tmp_path, browser) -> None:
    words = ("check", "--reader", "phone", "--camera", "off", "--share", "here", "--plain", "--lang", "en")
    with companion(tmp_path, *words) as terminal:
        terminal.until("hold a card of your deck to its back")
        page = a_pad(browser, scanned(terminal))
        page.evaluate("tag => reader.hold(tag)", STICKER)
        terminal.until("It read a card")
        terminal.type("q\n")
        page.close()
        assert terminal.end() == 0
        assert b"Traceback" not in terminal.written
