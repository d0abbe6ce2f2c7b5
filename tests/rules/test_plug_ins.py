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
    assert registry.load_game("dtc").id == "dtc", "our own are found without an entry point"
    with pytest.raises(GameUnavailable, match="game 'chess' is not installed"):
        registry.load_game("chess")


@pytest.mark.parametrize(
    ("brings", "said"),
    [
        (lambda: 1 // 0, "ZeroDivisionError: integer division or modulo by zero"),
        (lambda: sys.exit(3), r"ImportError: it would end the program \(SystemExit\)"),
        (
            lambda: threading.Event().wait(0.2),
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


def test_one_that_hung_is_not_tried_again_before_it_has_come_to_its_end(installed, monkeypatch):
    monkeypatch.setattr(registry, "IMPORT_TIMEOUT", 0.02)
    registry.use_hang_memory(registry.HangMemory())
    go_on, tried = threading.Event(), []

    def load():
        tried.append(threading.current_thread())
        go_on.wait(10)

    installed(chess=load)
    for _ in range(2):
        with pytest.raises(GameUnavailable, match="not imported within"):
            registry.load_game("chess")
        registry.load_game.cache_clear()
    (thread,) = tried
    assert thread.daemon, "the program can end all the same"
    go_on.set()
    thread.join(10)
    with pytest.raises(GameUnavailable, match="game 'chess' is not installed"):
        registry.load_game("chess")
    assert len(tried) == 2


def test_one_that_takes_a_moment_is_waited_for(installed):
    game = Toy()
    installed(toy=lambda: threading.Event().wait(0.05) or game)
    assert registry.load_game("toy") is game


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


PARTS = {"panel:build_panel": "companion.panels", "player:Players": "companion.players"}
"""The parts that another package may bring, and their groups of entry points."""


@pytest.mark.parametrize(("part", "group"), PARTS.items())
def test_a_part_is_found_in_its_group_of_entry_points_and_said_where_it_fails(monkeypatch, part, group):
    def install(load):
        point = SimpleNamespace(name="toy", value="toy_parts", load=load)
        monkeypatch.setattr(
            registry, "list_entry_points", lambda asked: {"toy": point} if asked == group else {}
        )
        registry.load_part.cache_clear()

    monkeypatch.setattr(registry, "load_game", lambda game_id: Toy())
    install(lambda: registry.load_game)
    assert registry.load_part("toy", part) is registry.load_game
    assert (registry.has_part("toy", part), registry.find_broken_parts("toy")) == (True, {})
    install(lambda: 1 // 0)
    assert registry.load_part("toy", part) is None
    assert not registry.has_part("toy", part)
    reason = "ZeroDivisionError: integer division or modulo by zero"
    assert registry.find_broken_parts("toy") == {part: reason}
    monkeypatch.setattr(sys.modules[Toy.__module__], "__package__", "")
    install(lambda: None)
    assert registry.find_broken_parts("toy") == {}
    registry.load_part.cache_clear()


def test_the_programs_own_games_have_their_parts_and_none_is_looked_at(monkeypatch):
    own = [
        (registry.has_part(game_id, part), part)
        for game_id in ("ascend", "partners")
        for part in (*registry.PARTS, "nothing")
    ]
    assert (
        own
        == [(True, "panel:build_panel"), (True, "player:Players"), (True, "drawing"), (False, "nothing")] * 2
    )
    for name in ("_import_part", "load_part"):
        monkeypatch.setattr(registry, name, lambda *_: 1 // 0)
    assert registry.has_part("dtc", "drawing")
    assert registry.find_broken_parts("dtc") == {}


@pytest.mark.parametrize(
    ("game_id", "players", "sides"),
    [
        ("partners", 4, [(0, 2), (1, 3)]),
        ("partners", 3, [(0,), (1,), (2,)]),
        ("dtc", 2, [(0,), (1,)]),
        ("chess", 2, [(0,), (1,)]),
    ],
)
def test_who_plays_together_is_the_games_to_say_for_as_many_as_can_play(game_id, players, sides):
    assert [tuple(side) for side in registry.list_sides(game_id, players)] == sides
