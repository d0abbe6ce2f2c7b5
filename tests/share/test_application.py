"""The web application of an evening, asked without a server."""

from __future__ import annotations

import asyncio
import json
import re
from types import SimpleNamespace
from typing import get_args

import pytest
from starlette.routing import WebSocketRoute

from companion.readers.nfc.tag_pads import HoldPlace
from companion.rules import registry
from companion.share.pages import PARTS, TITLES, WORDS
from companion.share.web_application import build_application
from companion.texts import Translator

PATHS = (
    "/",
    "/join",
    "/stream",
    "/camera",
    "/seat",
    "/pad",
    "/rules",
    "/board.svg",
    "/cards",
)


def application(rules: str = "<p>The rules</p>", game: str = "dtc", board: str = ""):
    connections = SimpleNamespace(make_route=lambda: WebSocketRoute("/line", lambda _socket: None))
    known = registry.load_game(game) if game else None
    return build_application(connections, lambda language: Translator(language or "fr", known), rules, board)


def ask(app, path: str, query: str = "", method: str = "GET") -> tuple[int, str, str]:
    """Return the status, the type and the body of an answer."""
    sent = []
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [],
    }

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    body = b"".join(one.get("body", b"") for one in sent[1:])
    return sent[0]["status"], headers.get("content-type", ""), body.decode()


def test_each_path_has_its_page_in_the_language_that_is_asked_for() -> None:
    app = application(board="<svg/>")
    found = {path: ask(app, path) for path in PATHS}
    assert {status for status, _, _ in found.values()} == {200}
    pages = ("tv", "join", "stream", "camera", "seat", "pad", "rules")
    for path, name in zip(PATHS, pages, strict=False):
        _, kind, body = found[path]
        assert kind == "text/html; charset=utf-8"
        assert f'<html lang="fr" data-page="{name}">' in body
        assert '<html lang="de"' in ask(app, path, "lang=de")[2]
        assert ("<p>The rules</p>" in body) is (name == "rules")
    assert found["/board.svg"][1:] == ("image/svg+xml", "<svg/>")


def test_cards_are_drawn_for_the_game_that_is_played() -> None:
    _, kind, body = ask(application(), "/cards", "lang=en")
    drawn = json.loads(body)
    assert kind == "application/json"
    assert set(drawn) >= {"1", "2"}
    assert all(side.startswith("<svg") for side in drawn.values())
    assert ask(application(game=""), "/cards")[2] == "{}"


def test_without_rules_there_is_no_page_for_them() -> None:
    app = application(rules="")
    assert ask(app, "/rules")[0] == 404
    assert ask(app, "/")[0] == 200


@pytest.mark.parametrize("path", PATHS)
def test_nothing_can_be_sent_to_a_page(path: str) -> None:
    assert ask(application(board="<svg/>"), path, method="POST")[0] == 405


def test_modules_use_the_words_that_a_page_has_and_no_others():
    """A word that is missing would be drawn as nothing."""
    modules = "\n".join(
        file.read_text(encoding="utf-8") for file in PARTS.glob("*.js") if file.stem != "preact"
    )
    named = set(re.findall(r"\bwords\.(\w+)", modules))
    # looked up by a value: the place where a sticker is held, a code or a fault
    looked_up = {*re.findall(r'"(\w+)"', modules), *(f"pad_{place}" for place in get_args(HoldPlace))}
    assert named - {*WORDS, *TITLES.values()} == {"languages", "length"}
    assert set(WORDS) <= named | looked_up
