"""The table of two players at which most tests of the live session play."""

from __future__ import annotations

import pytest

from companion.rules import registry
from tests.live.seats import Seats
from tests.toy import TOY


@pytest.fixture
def seats():
    return Seats("Ann", "Ben")


@pytest.fixture
def toy_is_installed(monkeypatch):
    monkeypatch.setattr(registry, "load_game", lambda game_id: {"toy": TOY}[game_id])
