"""Nothing on a page overlaps, is cut off or scrolls sideways: every game, at every moment, with as
many players as can play, short and long names and large scores, at every size and in every
language. The suite tries a sample; `python -m tests.share.test_pages_fit` tries everything."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from playwright.sync_api import Browser, sync_playwright

from companion.demo.actions import make_players
from companion.live.live_session import LiveSession
from companion.rules import registry
from companion.rules.contract import GAME_OVER
from companion.share import page_connections
from companion.share.access_tokens import WATCH, Purpose
from companion.share.share_server import ShareServer
from companion.views.page_state import build_state
from tests.share.conftest import PROGRAM, shared
from tests.simulated.page_fit import NAMES, SIZES, list_fit_faults
from tests.simulated.phones import chromium

GAMES = ("donkey_valley", "dtc", "ochs_und_esel", "partners", "ascend")
LANGUAGES = ("en", "fr", "de")
SAMPLE = 6
"""Moments of a game that the suite tries."""
DRAWN = "number => document.body.dataset.number === String(number)"


def enlarge_points(*arguments: Any) -> dict[str, Any]:
    """Return a page's state with points that are as large as can be."""
    state = build_state(*arguments)
    for seat in state["seats"]:
        seat["points"] = seat["points"] if len(seat["points"]) > 2 else f"1{seat['points']:0>2}"
    return state


def describe_moment(state: dict[str, Any]) -> tuple[Any, ...]:
    """Return what makes the layout of a state: which parts there are, and how many."""
    moment, gauge = state["moment"], state["gauge"]
    return (
        state["headline"] if len(state["headline"]) < 16 else "",
        state["picture"] is not None,
        len(state["lying"]),
        moment and (len(moment["turned"]), len(moment["won"]), len(moment["takes"])),
        gauge and (gauge["verdict"] != "", len(gauge["parts"])),
        len(state["rounds"]),
        state["result"] is not None,
    )


def play_moments(live: LiveSession, share: ShareServer, most: int | None) -> Iterator[dict[str, Any]]:
    """Play a game; yield its states that are laid out otherwise than all before. At most `most` of
    them, spread over the game, and always the end."""
    players = make_players(live.setup)
    known: set[tuple[Any, ...]] = set()
    for step in itertools.count(1):
        is_over = live.snapshot().view["phase"] == GAME_OVER
        # Ever fewer: the first round has most of what is new.
        has_enough = most is not None and len(known) + 1 >= most
        if is_over or not has_enough:
            share._publish_snapshot(live.snapshot())
            state = build_state(live.snapshot(), share._translator)
            moment = describe_moment(state)
            if is_over or moment not in known:
                known.add(moment)
                yield state
        if (deed := players.next_action(live.list_acts(), live.snapshot().view)) is None:
            return
        # Only moments that are looked at are sent to the pages.
        with patch.object(live._published, "_subscribers", []):
            assert live.submit_request(deed.request) is None, step


def find_faults(
    browser: Browser, game: str, language: str, most: int | None = None, sizes: Iterable[str] = SIZES
) -> Iterator[str]:
    """Play a game; yield what did not fit on the pages that showed it."""
    rules = registry.load_game(game)
    with patch.object(page_connections, "build_state", enlarge_points), ExitStack() as stack:
        live, share = shared(language, game=rules, players=NAMES[: rules.seats.stop - 1])
        stack.enter_context(closing(share))
        context = browser.new_context(reduced_motion="reduce")
        context.set_default_timeout(90_000)
        stack.callback(context.close)
        links = {
            "television": share.build_invite_link(WATCH),
            "stream": share.build_invite_link(WATCH, page="stream"),
            "seat": share.build_invite_link(Purpose("seat", NAMES[0])),
        }
        pages = {kind: context.new_page() for kind in links}
        for kind, page in pages.items():
            page.goto(links[kind])
        for number, _state in enumerate(play_moments(live, share, most)):
            for kind, page in pages.items():
                page.bring_to_front()  # others are painted once in a quarter of a second
                page.wait_for_function(DRAWN, arg=live.snapshot().number)
                for size in sizes:
                    width, height = SIZES[size]
                    page.set_viewport_size({"width": width, "height": height})
                    found = list_fit_faults(page)
                    yield from (f"{kind}, {size}, {language}, {number}: {fault}" for fault in found)
                    if found and PICTURES:
                        page.screenshot(path=PICTURES[0] / f"{game} {kind} {size} {language} {number}.png")
        for page in pages.values():
            page.goto("about:blank")


def find_rules_faults(browser: Browser, game: str, language: str) -> Iterator[str]:
    """Yield what did not fit on the rules page of a game."""
    with ExitStack() as stack:
        rules = registry.load_game(game)
        _live, share = shared(language, game=rules, players=NAMES[: rules.seats.stop - 1])
        stack.enter_context(closing(share))
        page = stack.enter_context(closing(browser.new_page()))
        page.goto(f"{share.place.base_url}/rules")
        assert page.locator("html").get_attribute("lang") == language
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            yield from (f"rules, {size}, {language}: {fault}" for fault in list_fit_faults(page))


PICTURES: list[Path] = []
"""The folder for pictures of pages with faults, if there is one."""


@pytest.mark.parametrize("game", GAMES)
def test_all_fits_at_every_size_in_every_game(browser, game) -> None:
    language = LANGUAGES[GAMES.index(game) % len(LANGUAGES)]
    assert list(find_faults(browser, game, language, SAMPLE)) == []


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_fit_at_every_size(browser, game) -> None:
    language = LANGUAGES[GAMES.index(game) % len(LANGUAGES)]
    assert list(find_rules_faults(browser, game, language)) == []


def main(games: Sequence[str]) -> None:
    """Try every moment of these games at every size in every language; print what does not fit as
    soon as it is found, and leave pictures of it in `PICTURES`."""
    PICTURES.append(Path("out/page_fit"))
    PICTURES[0].mkdir(parents=True, exist_ok=True)
    with sync_playwright() as driver, closing(chromium(driver, program=PROGRAM)) as browser:
        for game, language in itertools.product(games, LANGUAGES):
            count = 0
            print(f"{game}, {language} ...", flush=True)
            for fault in itertools.chain(
                find_rules_faults(browser, game, language), find_faults(browser, game, language)
            ):
                count += 1
                print(f"{game}: {fault}", flush=True)
            print(f"{game}, {language}: {count} faults", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or GAMES)
