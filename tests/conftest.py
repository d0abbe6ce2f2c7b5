"""What every test has: folders of a new user, so that nobody's own decks and settings come into
play, nor another test's; and nothing that only costs time: looks for garbage as seldom as in the
program itself, no waiting for the disk."""

import gc
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import companion
from companion import texts
from companion.__main__ import GARBAGE
from companion.folders import user_settings
from companion.journal import place
from tools.build_catalogues import compile_below

# A busy machine fails nothing: no example has a time limit, and slow data are no fault of a test.
settings.register_profile(
    "unhurried", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("unhurried")


def pytest_configure(config: pytest.Config) -> None:
    """Compile the catalogues that have changed, once for all workers."""
    gc.set_threshold(GARBAGE)
    if not hasattr(config, "workerinput"):
        compile_below(Path(companion.__file__).parent)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that have slow tests: a file is one worker's, and who began a long one
    late would end with it alone."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


def pytest_collection_finish() -> None:
    """Thousands of tests that stay to the end are looked through for garbage no more."""
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def nobody_waits_for_the_disk():
    """A third of an evening's test was spent in waiting for `fsync`, which no test can see:
    `tests/journal/test_store.py` asks that the program waits."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(place, "DURABLE", ("PRAGMA synchronous = OFF",))
        yield


@pytest.fixture(autouse=True, scope="session")
def style_sheets_are_parsed_once():
    """Each app parses its style sheets anew, a quarter of what it takes to open one: hundreds of
    tests do."""
    if (textual := sys.modules.get("textual.css.stylesheet")) is None:
        yield
        return
    parse, parsed = textual.Stylesheet._parse_rules, {}

    def once(sheet, *css, **where):
        key = (css, *where.items(), frozenset(sheet._variables.items()))
        if key not in parsed:
            parsed[key] = parse(sheet, *css, **where)
        return parsed[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(textual.Stylesheet, "_parse_rules", once)
        yield


@pytest.fixture(autouse=True, scope="session")
def every_placeholder_is_filled():
    """At a table an unfilled sentence is shown as it is; in a test it is a failure."""

    def fail(text, template, error):
        raise AssertionError(f"{text.code}: {template!r} with {text.args}") from error

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(texts, "show_unfilled", fail)
        yield


@pytest.fixture(autouse=True, scope="session")
def a_new_user(tmp_path_factory):
    folder = tmp_path_factory.mktemp("user")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder / "data"))
        patch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
        yield


@pytest.fixture(autouse=True)
def nothing_remembered(a_new_user):
    user_settings().unlink(missing_ok=True)
