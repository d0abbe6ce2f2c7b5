"""Skip what this computer lacks something for, by the table of `companion/system_needs.py`.

A test names its need by a mark, `@pytest.mark.simavr`; a fixture calls `require("simavr")`. Where
everything was to be installed (`SYSTEM_PACKAGES=install`), what is missing fails.
"""

import os
from functools import cache
from typing import NoReturn

import pytest

from companion.system_needs import NEEDS


@cache
def _find_missing(name: str) -> list[str]:
    return NEEDS[name].find_missing()


def require(name: str) -> None:
    """Skip the test unless what `name` stands for in `NEEDS` is installed."""
    if missing := _find_missing(name):
        refuse(f"needs {', '.join(missing)} (Debian: {NEEDS[name].packages})")


def refuse(reason: str) -> NoReturn:
    """Skip the test; fail it where everything was to be installed."""
    if os.environ.get("SYSTEM_PACKAGES") == "install":
        pytest.fail(reason)
    pytest.skip(reason)
