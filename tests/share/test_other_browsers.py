"""Each page once in Firefox and in WebKit: join by letters, take a seat, decide, film, watch."""

from __future__ import annotations

from contextlib import closing

import pytest

from companion.games.donkey_valley.moves import Donkey
from companion.readers.camera.sources import PhoneCamera
from companion.share.access_tokens import CAMERA, JOIN, WATCH
from tests.needs import require
from tests.share.conftest import shared, until
from tests.simulated.other_browsers import BROWSERS, WebDriver
from tests.simulated.page_fit import FAULTS
from tests.simulated.phones import Ticking


def check_fit(browser: WebDriver) -> None:
    assert browser.run(f"return ({FAULTS})()") == []


@pytest.mark.parametrize("name", BROWSERS)
def test_a_guest_joins_sits_down_decides_and_watches(name) -> None:
    require(name)
    phone = PhoneCamera()
    live, share = shared(camera=phone)
    live.submit_request(Donkey("giant"))
    with closing(share), Ticking(live), BROWSERS[name]() as browser:
        browser.resize(420, 900)
        browser.visit(f"{share.place.base_url}/join")
        browser.wait("document.activeElement.id === 'code'")
        browser.type_letters("#code", share.tokens.ensure_join_code(JOIN).lower())
        browser.tap("#free li:nth-child(2) button")
        browser.wait("document.getElementById('name').textContent === 'Bob'")
        browser.wait("!document.getElementById('turn') === false")
        check_fit(browser)
        before = live.step_count
        browser.tap("#choices .rows button")
        until(lambda: live.step_count > before or "Bob" in live.snapshot().decided)
        browser.wait("document.getElementById('decided') || document.getElementById('sealed')")
        check_fit(browser)
        # the camera, or what to do about one that is not there
        browser.visit(share.build_invite_link(CAMERA))
        browser.tap("#page button")
        until(lambda: phone._there or browser.run("return !document.getElementById('trouble').hidden"))
        browser.resize(1280, 800)
        browser.visit(share.build_invite_link(WATCH))
        browser.wait("document.getElementById('headline').textContent === 'Giant'")
        browser.wait("document.querySelectorAll('#seats .points').length === 3")
        check_fit(browser)
        browser.visit("about:blank")
