"""Games and their parts as other packages bring them: found, and harmless when they are not."""

import sys
import threading
from types import ModuleType, SimpleNamespace

import pytest

from companion.rules import registry
from companion.rules.registry import GameUnavailable
from tests.toy import Toy


@pytest.fixture
def installed(monkeypatch):
    """Install entry points: `installed(chess=function)`, whose result they are."""

    def install(**points):
        found = {
            name: SimpleNamespace(name=name, value=f"{name}:GAME", load=load) for name, load in points.items()
        }
        monkeypatch.setattr(registry, "list_entry_points", lambda group: found)
        registry.load_game.cache_clear()
        registry.load_part.cache_clear()

    yield install
    monkeypatch.undo()
    registry.load_game.cache_clear()
    registry.load_part.cache_clear()


def test_a_game_that_is_installed_is_found(installed):
    game = Toy()
    installed(toy=lambda: game, absent=lambda: None)
    assert registry.load_game("toy") is game
    assert registry.list_game_ids() == ["absent", "toy"]
    with pytest.raises(GameUnavailable, match="game 'chess' is not installed"):
        registry.load_game("chess")


@pytest.mark.parametrize(
    ("brings", "said"),
    [
        (lambda: 1 // 0, "ZeroDivisionError: integer division or modulo by zero"),
        (lambda: sys.exit(3), r"ImportError: it would end the program \(SystemExit\)"),
        (
            lambda: threading.Event().wait(5),
            "ImportError: it was not imported within 0 s, and is left out until its files change",
        ),
        (lambda: 7, "7 is no Game"),
    ],
    ids=["fails", "ends", "waits", "no game"],
)
def test_one_that_is_broken_is_said_and_takes_nothing_down(installed, monkeypatch, brings, said):
    monkeypatch.setattr(registry, "IMPORT_TIMEOUT", 0.02)
    installed(chess=brings)
    with pytest.raises(GameUnavailable, match=said) as caught:
        registry.load_game("chess")
    assert caught.value.game_id == "chess"
    told = caught.value.refusal
    assert (told.code, told.text.code) == ("unknown_game", "refusal.broken_game")
    assert told.text.args == {"game": "chess", "reason": caught.value.reason}


def test_what_it_prints_is_not_among_our_answers(installed, capsys):
    installed(toy=lambda: print("loading") or Toy())
    registry.load_game("toy")
    assert capsys.readouterr() == ("", "loading\n")


def test_a_part_is_in_the_games_own_folder_or_nowhere(installed, monkeypatch):
    game, package, panel = Toy(), ModuleType("chess"), ModuleType("chess.panel")
    package.__path__ = []
    panel.build_panel = object()
    panel.__spec__ = SimpleNamespace(name="chess.panel")
    monkeypatch.setitem(sys.modules, "chess", package)
    monkeypatch.setitem(sys.modules, "chess.panel", panel)
    installed()
    monkeypatch.setattr(registry, "load_game", lambda game_id: game)
    home = sys.modules[type(game).__module__]
    monkeypatch.setattr(home, "__package__", "chess")
    assert registry.load_part("toy", "panel:build_panel") is panel.build_panel
    assert registry.load_part("toy", "player:Players") is None
    monkeypatch.setattr(home, "__package__", "")
    registry.load_part.cache_clear()
    assert registry.load_part("toy", "panel:build_panel") is None
    assert registry.load_part("dtc", "panel:build_panel") is not None
