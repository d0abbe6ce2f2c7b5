"""The examples in the docstrings of the rules hold, and every game shows a scene of its own."""

import doctest
import pkgutil
from importlib import import_module

from companion import rules
from companion.rules import registry


def test_the_examples_in_the_rules_hold():
    modules = [import_module(one.name) for one in pkgutil.walk_packages(rules.__path__, "companion.rules.")]
    results = {module.__name__: doctest.testmod(module) for module in modules}
    assert [name for name, result in results.items() if result.failed] == []
    public = [f"companion.rules.{name}" for name in ("registry", "contract", "session", "start")]
    games = [name for name in results if name.removeprefix("companion.rules.") in registry.game_ids()]
    assert len(games) == 5
    assert [name for name in public + games if not results[name].attempted] == []
