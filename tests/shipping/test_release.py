"""What a release consists of, made as `make release` makes it."""

import hashlib
import json
from pathlib import Path

import pytest

from tests.shipping.conftest import release

pytestmark = pytest.mark.network


@pytest.mark.parametrize(
    ("changelog", "day"),
    [
        ("## 1.2.0 — 2026-11-22\n", "2026-11-22"),
        ("## 1.2.0 — unreleased\n", None),
        ("## 1.1.0 — 2026-11-22\n", None),
    ],
)
def test_a_version_needs_its_day_in_the_changelog(changelog: str, day: str | None) -> None:
    if day is None:
        with pytest.raises(release.Unready, match=r"1\.2\.0"):
            release.dated("1.2.0", changelog)
    else:
        assert release.dated("1.2.0", changelog) == day


def test_the_parts_are_listed_and_summed(wheel: Path, tmp_path: Path) -> None:
    (tmp_path / wheel.name).write_bytes(wheel.read_bytes())
    release.list_parts(tmp_path / wheel.name, tmp_path)
    release.sum_up(tmp_path)
    names = {part["name"] for part in json.loads((tmp_path / "sbom.cdx.json").read_text())["components"]}
    assert {"card-table-companion", "opencv-python", "textual", "pyserial"} <= names
    sums = dict(reversed(line.split("  ")) for line in (tmp_path / "SHA256SUMS").read_text().splitlines())
    assert sums[wheel.name] == hashlib.sha256(wheel.read_bytes()).hexdigest()
    assert sorted(sums) == sorted([wheel.name, "sbom.cdx.json"])
