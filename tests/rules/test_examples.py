"""The examples in the docstrings of the rules hold."""

import doctest
import pkgutil
from importlib import import_module

from companion import rules


def test_the_examples_in_the_rules_hold():
    modules = [import_module(one.name) for one in pkgutil.walk_packages(rules.__path__, "companion.rules.")]
    results = {module.__name__: doctest.testmod(module) for module in modules}
    assert [name for name, result in results.items() if result.failed] == []
    assert sum(result.attempted > 0 for result in results.values()) >= 10
