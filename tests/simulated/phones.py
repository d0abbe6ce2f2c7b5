"""A whole game by phones alone: one page of a real browser for each player, and nobody at the
laptop. Who plays means what the demo's players mean, and presses what stands on their page for
it."""

from __future__ import annotations

import math
import random
import re
import shutil
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from typing import Any

from playwright.sync_api import Browser, Locator, Page, Playwright, ViewportSize

from companion.demo.actions import make_players
from companion.games.partners.moves import Fold
from companion.live.live_session import LiveSession
from companion.plan import Plan
from companion.rules import registry
from companion.rules.contract import Setup
from companion.share.access_tokens import Purpose
from companion.share.seat_controller import find_moved_card, find_number_grid, list_refused_siblings
from companion.share.share_server import ShareServer
from companion.table.decks import Deck
from companion.table.table import Table
from companion.texts import Translator
from companion.views.conversations import Cards, Menu, Reply, prompt_for_own_entry
from companion.views.table_session import TableSession
from companion.web.addresses import listen_locally
from tests.simulated.by_hand import answers

PLAYERS = ("Ann", "Bob", "Chloé", "Dan")
QUIET = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--mute-audio")
UPRIGHT = ViewportSize(width=390, height=844)
TIMEOUT = 30.0
"""Seconds that a page may take to show what a tap led to, on a busy machine."""
SEEN = """number => {
  return !document.querySelector("#page [aria-busy=true]") && Number(document.body.dataset.number) >= number;
}"""
REPLIES = ".rows > button, .likely button, .grid button"
"""What is one tap, or is chosen by one."""


def chromium(driver: Playwright, *flags: str, program: str = "chromium") -> Browser:
    """Start Debian's Chromium; `program`: the name of one of its builds."""
    return driver.chromium.launch(executable_path=shutil.which(program), args=[*QUIET, *flags])


class Ticking:
    """The table's own thread, as the dashboard has it, only quicker."""

    def __init__(self, live: LiveSession) -> None:
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
    """The phones of one table: `taps` that were heard, and `faults` of their scripts."""

    def __init__(self, live: LiveSession, pages: Mapping[str, Page], seed: int) -> None:
        self.live, self.pages = live, pages
        self.taps = 0
        self.faults: list[str] = []
        self._translator = Translator("en", live.game)
        self._chance = random.Random(seed)
        for page in pages.values():
            page.on("pageerror", lambda fault: self.faults.append(str(fault)))

    def play(self, most: float = math.inf) -> None:
        """Tap until the game is over, or for `most` steps. Raises `LookupError` for an act that
        stands on no page, playwright's `TimeoutError` for what does not stand there although it
        should, and `AssertionError` for what the table refuses."""
        players = make_players(self.live.setup)
        while (
            self.live.step_count < most
            and (deed := players.next_action(self.live.list_acts(), self.live.snapshot().view)) is not None
        ):
            wanted = deed.request
            wanted = Fold(wanted.player) if isinstance(wanted, Fold) else wanted  # its cards are not told
            # What is the table's is anybody's.
            who = getattr(wanted, "player", None) or self._chance.choice([*self.pages])
            before, page = self.live.step_count, self.pages[who]
            for menu, reply, cards in answers(
                partial(prompt_for_own_entry, self.live, who, self._translator), wanted, self._translator
            ):
                self._settle(page)
                self._answer(page.locator("#choices"), reply, cards, menu)
            self._settle(page)
            # A table that takes nothing would be asked for ever.
            assert self.live.step_count > before, page.locator("#choices").inner_text()

    def _settle(self, page: Page) -> None:
        """Look until the page shows what the last tap of anybody led to."""
        page.wait_for_function(SEEN, arg=self.live.snapshot().number, timeout=1000 * TIMEOUT)

    def _answer(self, choices: Locator, reply: Reply, cards: Cards, menu: Menu) -> None:
        """Press what stands there for this reply: cards to pick are sent, and so is one of many
        that are alike but for a number."""
        if cards is None:
            self._choose_card(choices, reply)
            self._tap(choices.locator(REPLIES), reply.words)
            # Numbers that are not possible now have their place in the grid too.
            shown = [*menu.rows, *list_refused_siblings(menu)]
            if shown.index(reply) in find_number_grid(shown):
                self._tap(choices.locator(".send"), self._translator("share.send"))
        else:
            pick = choices.locator(".pick", has_text=reply.words)
            for card in cards:
                self._tap(pick.locator(".cards button"), self._translator(f"card.{card}"))
            self._tap(pick.locator(".send"), self._translator("share.send"))

    def _choose_card(self, choices: Locator, reply: Reply) -> None:
        """Press the card of a move on the board, where the page shows the cards first."""
        card = find_moved_card(reply) if reply.spots else None
        picture = choices.locator(f'> .cards > [aria-pressed=false]:has([data-card="{card}"])')
        if picture.count():
            picture.click(timeout=1000 * TIMEOUT)
            self.taps += 1

    def _tap(self, those: Locator, words: str) -> None:
        named = re.compile(rf"^{re.escape(words)}\s*(×\d+)?$")  # a card that is picked several times
        one = those.and_(those.page.get_by_role("button", name=named)).first
        one.click(timeout=1000 * TIMEOUT)
        self.taps += 1


@contextmanager
def phones(
    browser: Browser, game: str, players: Sequence[str] = PLAYERS[:3], seed: int = 1, **options: Any
) -> Iterator[Phones]:
    """Open a table with a phone for each player, who all have scanned their codes."""
    rules = registry.load_game(game)
    setup = Setup(game, tuple(players), {**rules.default_options(options), **options}, seed)
    deck = Deck.load_by_name(game)
    live = LiveSession(rules, setup, table=Table(deck), cards=tuple(deck.card_counts))
    share = ShareServer(listen_locally(0), Translator("en", rules), TableSession(Plan(), live))
    share.start()
    with closing(share), ExitStack() as contexts:
        pages = {}
        for player in players:
            context = contexts.enter_context(
                closing(browser.new_context(viewport=UPRIGHT, reduced_motion="reduce"))
            )
            pages[player] = context.new_page()
            pages[player].goto(share.build_invite_link(Purpose("seat", player)))
        with Ticking(live):
            yield Phones(live, pages, seed)
