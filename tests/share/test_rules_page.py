"""The rules page that phones open: every phase of every game leads to a clause that stands on
it."""

from __future__ import annotations

import re
from importlib import import_module
from typing import get_args

import pytest

from companion.games.donkey_valley.moves import ROUND
from companion.language import LANGUAGES
from companion.rules import registry
from companion.rules.contract import GAME_OVER
from companion.share.pages import PARTS, render_rules
from companion.web.request_checks import POLICY


def phases(game: str) -> set[str]:
    if game == "donkey_valley":
        return {"donkey", *ROUND, "told", GAME_OVER}
    return set(get_args(import_module(f"companion.games.{game}.state").Phase))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", registry.list_game_ids())
def test_every_phase_leads_to_its_clause(game: str, language: str) -> None:
    clauses = registry.load_game(game).clauses
    page = render_rules(game, language)
    assert set(clauses) == phases(game)
    for clause in clauses.values():
        assert page.count(f'id="{clause}"') == 1


@pytest.mark.parametrize("game", registry.list_game_ids())
def test_the_page_keeps_the_servers_policy(game: str) -> None:
    assert "style-src 'self'" in POLICY
    page = render_rules(game, "en")
    assert not re.search(r"\sstyle=|<script|<a |<img|\son\w+=", page)
    assert "<table>" in page


@pytest.mark.parametrize("file", sorted(PARTS.glob("*.js")), ids=lambda file: file.name)
def test_scripts_leave_punctuation_to_the_catalogues(file) -> None:
    """French has a space before a colon, which only a catalogue knows."""
    assert re.findall(r".*\$\{.*\}[:!?] .*", file.read_text(encoding="utf-8")) == []


def test_a_game_without_a_page_has_none() -> None:
    assert render_rules("../../pyproject", "en") == ""
