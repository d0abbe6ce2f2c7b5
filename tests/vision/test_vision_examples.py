"""The examples in the docstrings of vision hold, by what anyone imports from it."""

import doctest
import pkgutil
from importlib import import_module

import vision


def test_the_examples_in_vision_hold():
    public = {name: getattr(vision, name) for name in vision.__all__}
    modules = [vision, *(import_module(one.name) for one in pkgutil.iter_modules(vision.__path__, "vision."))]
    results = {
        module.__name__: doctest.testmod(module, extraglobs=public if module is vision else None)
        for module in modules
        if not module.__name__.endswith("__main__")
    }
    assert [name for name, result in results.items() if result.failed] == []
    assert results["vision"].attempted
