import pytest

from companion.rules import registry
from tests.toy import TOY


@pytest.fixture(autouse=True)
def toy_is_installed(monkeypatch):
    real = registry.load_game
    monkeypatch.setattr(registry, "load_game", lambda game_id: TOY if game_id == "toy" else real(game_id))


@pytest.fixture
def file(tmp_path):
    return tmp_path / "evening.sqlite3"
