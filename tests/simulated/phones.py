"""A whole game by phones alone: one page of a real browser for each player, and nobody at the
laptop. Who plays presses what stands on the page, as long as anything does; what the game is, is
not known here."""

from __future__ import annotations

import random
import shutil
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from typing import Any

from playwright.sync_api import Browser, Locator, Page, Playwright, ViewportSize

from companion.live.live import Live
from companion.rules import registry
from companion.rules.contract import GAME_OVER, Setup
from companion.share.access import Purpose
from companion.share.address import here
from companion.share.running import Share
from companion.table.decks import Deck
from companion.table.table import Table
from companion.texts import Translator

PLAYERS = ("Ann", "Bob", "Chloé", "Dan")
QUIET = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--mute-audio")
UPRIGHT = ViewportSize(width=390, height=844)
TIMEOUT = 30.0
"""Seconds that a page may take to show what a tap led to, on a busy machine."""
SEEN = """number => {
  return !document.querySelector("#page [aria-busy=true]") && Number(document.body.dataset.number) >= number;
}"""
OFFERED = ":is(#choices, #question):not(#sealed + *) .rows :is(button, .pick:not(form)):not(.pick *)"
"""What somebody whose decision is not made yet may press."""


def chromium(driver: Playwright, *flags: str) -> Browser:
    """Start Debian's Chromium."""
    return driver.chromium.launch(executable_path=shutil.which("chromium"), args=[*QUIET, *flags])


class Ticking:
    """The table's own thread, as the dashboard has it, only quicker."""

    def __init__(self, live: Live) -> None:
        self._live, self._over = live, threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        while not self._over.wait(0.02):
            self._live.tick(time.monotonic())

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_error: object) -> None:
        self._over.set()
        self._thread.join()


class Phones:
    """The phones of one table: `taps` that were heard, and `refused`, what the table did not
    take."""

    def __init__(self, live: Live, pages: Mapping[str, Page], seed: int) -> None:
        self.live, self.pages = live, pages
        self.taps = 0
        self.refused: list[str] = []
        self.faults: list[str] = []
        self._chance = random.Random(seed)
        for page in pages.values():
            page.on("pageerror", lambda fault: self.faults.append(str(fault)))

    def play(self, most: int = 3000) -> None:
        """Tap until the game is over. Raises `AssertionError` where nobody can do anything, or
        after `most` taps."""
        while self.live.snapshot().view["phase"] != GAME_OVER:
            pages = self._chance.sample([*self.pages.values()], len(self.pages))
            page, offered = next(
                ((page, some) for page in pages if (some := self._offered(page))), (None, [])
            )
            assert page is not None, f"nobody can do anything: {self._seen()}"
            assert self.taps < most, f"no end: {self._seen()}"
            self._answer(page, self._chance.choice(offered))

    def _offered(self, page: Page) -> list[Locator]:
        """What can be pressed on a page: its replies, or cards and numbers that are sent."""
        self._settle(page)
        return page.locator(OFFERED).all()

    def _settle(self, page: Page) -> None:
        """Look until the page shows what the last tap of anybody led to."""
        page.wait_for_function(SEEN, arg=self.live.snapshot().number, timeout=1000 * TIMEOUT)

    def _answer(self, page: Page, one: Locator) -> None:
        """Press one of what is offered, and wait for what comes of it."""
        before = self.live.steps
        if one.evaluate("one => one.matches('.pick')"):
            self._pick(one)
        else:
            self._tap(one)
        self._settle(page)
        if self.live.steps == before:
            self.refused += page.locator("#choices > p.bad").all_text_contents()

    def _pick(self, pick: Locator) -> None:
        """Press cards, each time another, or a number, until they can be sent; then send them."""
        send, cards = pick.locator(".send"), pick.locator(".cards button, .grid button").all()
        self._chance.shuffle(cards)
        for card in cards * 4:
            if send.is_enabled():
                break
            self._tap(card)
        self._tap(send)

    def _tap(self, one: Locator) -> None:
        one.click(timeout=1000 * TIMEOUT)
        self.taps += 1

    def _seen(self) -> str:
        return " | ".join(page.locator("#act").inner_text() for page in self.pages.values())


@contextmanager
def phones(
    browser: Browser, game: str, players: Sequence[str] = PLAYERS[:3], seed: int = 1, **options: Any
) -> Iterator[Phones]:
    """Open a table with a phone for each player, who all have scanned their codes."""
    rules = registry.load(game)
    setup = Setup(game, tuple(players), {**rules.defaults(options), **options}, seed)
    deck = Deck.find(game)
    live = Live(rules, setup, table=Table(deck), cards=tuple(deck.cards))
    share = Share(here(0), Translator("en", rules), live=live)
    share.start()
    with closing(share), ExitStack() as contexts:
        pages = {}
        for player in players:
            context = contexts.enter_context(
                closing(browser.new_context(viewport=UPRIGHT, reduced_motion="reduce"))
            )
            pages[player] = context.new_page()
            pages[player].goto(share.link(Purpose("seat", player)))
        with Ticking(live):
            yield Phones(live, pages, seed)
