"""Messages are checked where the program makes them, shown or not: a code that no catalogue has, or
a placeholder that nothing fills, fails the test.

`tests/conftest.py` imports this before any other module of the program, so that all of them take
this `Text` for their own.
"""

import gettext
import string
import sys
from collections import defaultdict
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import NoReturn

from companion.rules import messages

PROGRAM = Path(messages.__file__).parents[1]
OPTIONAL = (
    "asked.*",
    "call.*",
    "card.*",
    "lies.*",
    "moment.*",
    "option.*.sheet",
    "print.*",
    "tale.*",
    "take.*",
)
"""Codes that the program looks up, and does without where no catalogue has them."""


@cache
def read_placeholders() -> dict[str, list[frozenset[str]]]:
    """Read the placeholders of every message: of each catalogue that has it."""
    found = defaultdict(list)
    for path in PROGRAM.rglob("en/LC_MESSAGES/*.mo"):
        own = defaultdict(set)
        with path.open("rb") as source:
            for key, words in gettext.GNUTranslations(source)._catalog.items():
                code = key[0] if isinstance(key, tuple) else key
                own[code].update(name for _, name, _, _ in string.Formatter().parse(words) if name)
        for code, names in own.items():
            found[code].append(frozenset(names))
    return found


FAULTS: list[str] = []
"""What was found in this test: a thread that nobody waits for may have found it."""


def fail(fault: str) -> NoReturn:
    """Fail the test, now and, where that is caught, at its end."""
    FAULTS.append(fault)
    raise AssertionError(fault)


ELSEWHERE = frozenset(("__call__", "_parse_reports"))
"""Functions whose messages are not judged here: what a translator says at once fails there
(`texts.show_unknown`), and what a recording holds is another program's."""


class Text(messages.Text, frozen=True):
    __doc__ = messages.Text.__doc__

    def __post_init__(self):
        maker = sys._getframe(1)
        # what tests make is their own
        if not maker.f_code.co_filename.startswith(str(PROGRAM)) or maker.f_code.co_name in ELSEWHERE:
            return
        known = read_placeholders().get(self.code)
        if known is None:
            if not any(fnmatch(self.code, one) for one in OPTIONAL):
                fail(f"no catalogue has {self.code!r}")
        elif maker.f_code.co_name != "find_template":  # a page fills it
            given = {*self.args, "n"}
            if not any(names <= given for names in known):
                fail(f"{self.code!r} with {self.args} lacks {known}")


Text.__module__, Text.__qualname__ = messages.__name__, messages.Text.__qualname__
messages.Text = Text
