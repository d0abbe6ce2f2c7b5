"""What the project needs of the system: what is missing is named, and its tests are skipped."""

import sys

import pytest

from companion.system_needs import NEEDS, Need
from tests import needs


def test_what_is_not_there_is_named(tmp_path):
    (tmp_path / "there").touch()
    need = Need("a test", "some-package", f"{sys.executable} no-such-program", "there not-there")
    assert need.find_missing(tmp_path) == ["no-such-program", "not-there"]


@pytest.mark.parametrize("code", ["pass", "import no_such_module"])
def test_a_command_is_tried_where_its_programs_are(code):
    command = f"{sys.executable} -c '{code}'"
    assert Need("a test", "", sys.executable, command=command).find_missing() == (
        [command] * (code != "pass")
    )
    assert Need("a test", "", "no-such-program", command=command).find_missing() == ["no-such-program"]


def test_a_test_is_skipped_with_the_packages_or_fails_where_all_was_to_be_installed(monkeypatch):
    monkeypatch.setitem(NEEDS, "nothing", Need("a test", "some-package", "no-such-program"))
    monkeypatch.setattr(needs, "_find_missing", lambda name: NEEDS[name].find_missing())
    monkeypatch.delenv("SYSTEM_PACKAGES", raising=False)
    with pytest.raises(pytest.skip.Exception, match=r"no-such-program \(Debian: some-package\)"):
        needs.require("nothing")
    monkeypatch.setenv("SYSTEM_PACKAGES", "install")
    with pytest.raises(pytest.fail.Exception, match="some-package"):
        needs.require("nothing")
