"""What every test has: a user's folder of its own, so that nobody's own decks and settings come into play."""

import pytest


@pytest.fixture(autouse=True, scope="session")
def a_new_user(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("user") / "data"))
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("user") / "config"))
        yield
