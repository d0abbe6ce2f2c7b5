"""The guide's words for the browser's warning are those that Chromium shows, in each language."""

from __future__ import annotations

import os
import re
import shutil
import socket
from pathlib import Path

import pytest
from playwright.sync_api import Error

from companion.share.share_server import ShareServer
from companion.texts import Translator
from companion.web.addresses import ServerAddress
from tests.share.conftest import GAME
from tests.simulated.phones import QUIET

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.chromium_languages
@pytest.mark.parametrize("language", ["en", "fr"])
def test_the_guide_names_the_buttons_as_the_browser_does(driver, language) -> None:
    place = ServerAddress(socket.create_server(("127.0.0.1", 0)), "127.0.0.1", secure=True)
    share = ShareServer(place, Translator(language, GAME))
    share.start()
    browser = driver.chromium.launch(
        executable_path=shutil.which("chromium"),
        args=(*QUIET, f"--lang={language}"),
        env={**os.environ, "LANGUAGE": language},
    )
    try:
        page = browser.new_page()
        with pytest.raises(Error, match="ERR_CERT_AUTHORITY_INVALID"):
            page.goto(share.build_invite_link())
        parts = ("h1", "#details-button", "#proceed-link")
        named = [(page.locator(part).text_content() or "").strip() for part in parts]
    finally:
        browser.close()
        share.close()
    named[2] = named[2].partition(" 127.")[0]
    guide = re.sub(r"\s+", " ", (DOCS / f"share.{language}.md").read_text("utf-8").replace("’", "'"))
    assert all(named)
    assert [words for words in named if words not in guide] == []
