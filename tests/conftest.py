"""What every test has: folders of a new user, so that nobody's own decks and settings come into
play, nor another test's."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import companion
from companion.folders import user_config
from companion.settings import FILE
from tools.build_catalogues import compile_below

# A busy machine fails nothing: no example has a time limit, and slow data are no fault of a test.
settings.register_profile(
    "unhurried", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("unhurried")


def pytest_configure(config: pytest.Config) -> None:
    """Compile the catalogues that have changed, once for all workers."""
    if not hasattr(config, "workerinput"):
        compile_below(Path(companion.__file__).parent)


@pytest.fixture(autouse=True, scope="session")
def a_new_user(tmp_path_factory):
    folder = tmp_path_factory.mktemp("user")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder / "data"))
        patch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
        yield


@pytest.fixture(autouse=True)
def nothing_remembered(a_new_user):
    (user_config() / FILE).unlink(missing_ok=True)
