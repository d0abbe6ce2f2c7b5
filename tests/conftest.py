"""What every test has: folders of a new user, so that nobody's own decks and settings come into
play, nor another test's; and nothing that only costs time: looks for garbage as seldom as in the
program itself, no waiting for the disk."""

import gc
import itertools
import os
import shutil
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import HealthCheck, settings

from tests import message_codes  # isort: skip - before any other module takes `Text` for its own

import companion
from companion import texts
from companion.__main__ import GARBAGE
from companion.journal import database_file
from companion.settings import take_damage_notice
from companion.system_needs import NEEDS
from tests.leaks import find_resources, wait_for_leaks
from tests.needs import require
from tools.build_catalogues import compile_catalogues

# A busy machine fails nothing: no example has a time limit, and slow data are no fault of a test.
settings.register_profile(
    "unhurried", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("unhurried")

FOLDER = Path(__file__).parent
SLOW = {
    "browsers": (
        "evening/test_long_evening.py",
        "share/test_browser_warning.py",
        "share/test_in_chromium.py",
        "share/test_invitation.py",
        "share/test_other_browsers.py",
        "share/test_pages_fit.py",
        "share/test_phones_alone.py",
    ),
    "terminals": (
        "evening/test_first_paint.py",
        "league/test_whole_evening.py",
        "views/test_in_a_terminal.py",
        "views/test_long_work.py",
    ),
    "boards and readers, simulated": (
        "equipment/test_equipment_check.py",
        "firmware",
        "readers/at_the_table",
        "readers/nfc/test_pad_places.py",
        "readers/nfc/test_pcsc.py",
        "readers/nfc/test_pcsc_at_the_table.py",
        "readers/rfid/test_flash.py",
        "readers/rfid/test_link.py",
        "readers/rfid/test_simulator.py",
        "readers/rfid/test_trays.py",
    ),
    "cameras and films": (
        "evening/test_film_evening.py",
        "evening/test_real_photos.py",
        "readers/camera/test_learning.py",
        "readers/camera/test_real_table.py",
        "readers/camera/test_rtsp_camera.py",
        "vision/test_vision_hidden.py",
    ),
    "whole evenings": (
        "demo",
        "evening/test_a_name_put_right.py",
        "evening/test_any_pack.py",
        "evening/test_reveals.py",
    ),
    "shipping": ("hardware", "rules/test_sixth_game.py", "shipping"),
    "kills and faults": ("faults", "journal/test_kill.py", "league/test_kills.py", "league/test_postgres.py"),
    "clubs": ("league/test_league_commands.py", "league/test_league_pages.py"),
    "attacks": ("web/test_attacks.py",),
    "hostile files": (
        "evening/test_streams.py",
        "table/test_hostile_files.py",
        "test_strange_streams_and_files.py",
        "views/test_any_bytes.py",
    ),
}
"""Folders and files whose tests are `slow`, all of them: `make test` leaves them to `make
test-all`. A slow test in another file bears the mark itself."""
SLOW_PATHS = {FOLDER / path for paths in SLOW.values() for path in paths}
LONGEST = {
    FOLDER / path
    for path in (
        "demo/test_demo_evening.py",
        "faults/test_exploration.py",
        "share/test_in_chromium.py",
        "share/test_pages_fit.py",
        "views/test_every_entry_typed.py",
    )
}
"""Files that take minutes."""


def pytest_configure(config: pytest.Config) -> None:
    """Compile the catalogues that have changed, once for all workers."""
    gc.set_threshold(GARBAGE)
    for name, need in NEEDS.items():
        config.addinivalue_line("markers", f"{name}: needs {need.packages}")
    if not hasattr(config, "workerinput"):
        compile_catalogues(Path(companion.__file__).parent)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Spare each worker the import of files of which `-m "not slow"` leaves nothing."""
    return True if config.option.markexpr == "not slow" and collection_path in SLOW_PATHS else None


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what `SLOW` lists, and begin with the longest files, then with the others that have slow
    tests: a file is one worker's, and who began a long one late would end with it alone."""
    for item in items:
        if not SLOW_PATHS.isdisjoint((item.path, *item.path.parents)):
            item.add_marker("slow")
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: (item.path not in LONGEST, item.path not in slow))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what this computer lacks something for."""
    for mark in item.iter_markers():
        if mark.name in NEEDS:
            require(mark.name)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests were skipped, for each reason."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count:5} skipped: {reason}")


def pytest_collection_finish() -> None:
    """Thousands of tests that stay to the end are looked through for garbage no more."""
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def nobody_waits_for_the_disk():
    """A third of an evening's test was spent in waiting for `fsync`, which no test can see:
    `tests/journal/test_store.py` asks that the program waits."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database_file, "DURABLE", ("PRAGMA synchronous = OFF",))
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
def every_message_is_known_and_filled():
    """At a table a message without words is shown as its code, and an unfilled one as it is; in a
    test either is a failure."""

    def fail_unknown(text):
        # the games and plug-ins of tests have no catalogues
        if not text.code.startswith("toy.") and text.code != "phase.lay":
            message_codes.fail(f"no catalogue has {text.code!r}")
        return text.code

    def fail_unfilled(text, template, error):
        message_codes.fail(f"{text.code}: {template!r} with {text.args} ({error!r})")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(texts, "show_unknown", fail_unknown)
        patch.setattr(texts, "show_unfilled", fail_unfilled)
        yield


@pytest.fixture(autouse=True)
def message_faults(every_message_is_known_and_filled):
    """Fail a test in which such a failure was caught, as a worker of Textual's does."""
    message_codes.FAULTS.clear()
    yield message_codes.FAULTS
    if message_codes.FAULTS:
        pytest.fail("\n".join(message_codes.FAULTS), pytrace=False)


@pytest.fixture(autouse=True, scope="session")
def separate_temporary_files():
    """Give each worker its own folder, so that what a test leaves there can be told from other
    programs' files. It is not below pytest's: a socket's name may have 107 bytes, on macOS 103; and
    where root runs the tests, PostgreSQL is another user's, who has to get through it."""
    folder = tempfile.mkdtemp(prefix="test")
    Path(folder).chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", folder)
        patch.setattr(tempfile, "tempdir", folder)
        yield
    shutil.rmtree(folder, ignore_errors=True)  # a browser that has just ended may write there still


@pytest.fixture(autouse=True, scope="session")
def new_user(tmp_path_factory):
    """Return what sets the folders of one more new user; they are set now already, for fixtures
    that last longer than a test."""
    base, run = tmp_path_factory.mktemp("user"), tmp_path_factory.getbasetemp()
    # Pictures of cards take seconds to draw: they are drawn once, for all users and workers.
    drawings = (run.parent if "PYTEST_XDIST_WORKER" in os.environ else run) / "drawings"
    drawings.mkdir(exist_ok=True)
    numbers = itertools.count()

    def set_folders(patch):
        home = base / str(next(numbers))
        for kind in ("CONFIG", "DATA", "STATE", "CACHE"):
            patch.setenv(f"XDG_{kind}_HOME", str(home / kind.lower()))
        cache = home / "cache" / "card-table-companion"
        cache.mkdir(parents=True)
        with suppress(OSError):  # Windows lets only administrators make links
            (cache / "drawings").symlink_to(drawings)

    with pytest.MonkeyPatch.context() as patch:
        set_folders(patch)
        yield set_folders


@pytest.fixture(autouse=True, scope="session")
def silence():
    """Hide this machine's speech programs, so that it makes no difference whether there are any."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("companion.views.voice.PROGRAMS", ())
        yield


@pytest.fixture(autouse=True, scope="module")
def collect_garbage(new_user, separate_temporary_files):
    """Warn of what a module did not close before the next one begins; what is left then is not
    looked through again, which took a fifth of the time of all tests."""
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def fail_on_leaks():
    """Fail a test that leaves a process, a thread, an open file or a temporary one."""
    before = find_resources()
    yield
    if leaks := wait_for_leaks(before):
        pytest.fail("left behind:\n" + "\n".join(leaks), pytrace=False)


@pytest.fixture(autouse=True)
def isolate_user(fail_on_leaks, new_user):
    """Make each test a new user, who finds nothing that another has kept, nor the language of a
    program that ran within a test."""
    with mock.patch.dict(os.environ), pytest.MonkeyPatch.context() as patch:
        new_user(patch)
        # What another user's damaged settings left to be told.
        while take_damage_notice() is not None:
            pass
        yield
