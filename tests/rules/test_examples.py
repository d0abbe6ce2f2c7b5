"""The examples in the docstrings of the rules hold, and every game shows a scene of its own."""

import doctest
import pkgutil
from importlib import import_module
from pathlib import Path

from companion import games, rules
from companion.rules import registry


def test_the_examples_in_the_rules_hold():
    found = [
        *pkgutil.walk_packages(rules.__path__, "companion.rules."),
        *pkgutil.walk_packages(games.__path__, "companion.games."),
    ]
    modules = [import_module(one.name) for one in found]
    results = {module.__name__: doctest.testmod(module) for module in modules}
    assert [name for name, result in results.items() if result.failed] == []
    public = [f"companion.rules.{name}" for name in ("registry", "contract", "session", "start")]
    public += [f"companion.games.{game}" for game in registry.list_game_ids()]
    assert [name for name in public if not results[name].attempted] == []


def test_the_examples_in_the_guide_to_the_library_hold():
    page = Path(__file__).parents[2] / "docs" / "library.md"
    result = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert result.attempted > 20
    assert not result.failed
