"""What a release consists of, made as `make release` makes it."""

import hashlib
import json
import subprocess
import zipfile
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


@pytest.mark.slow
def test_the_parts_are_listed_and_summed(wheel: Path, tmp_path: Path) -> None:
    (tmp_path / wheel.name).write_bytes(wheel.read_bytes())
    release.list_parts(tmp_path / wheel.name, tmp_path)
    release.sum_up(tmp_path)
    names = {part["name"] for part in json.loads((tmp_path / "sbom.cdx.json").read_text())["components"]}
    assert {"card-table-companion", "opencv-python", "textual", "pyserial"} <= names
    sums = dict(reversed(line.split("  ")) for line in (tmp_path / "SHA256SUMS").read_text().splitlines())
    assert sums[wheel.name] == hashlib.sha256(wheel.read_bytes()).hexdigest()
    assert sorted(sums) == sorted([wheel.name, "sbom.cdx.json"])


def test_the_reader_s_firmware_lies_beside_the_wheel_with_sums_that_sha256sum_accepts(tmp_path: Path) -> None:
    release.add_firmware(tmp_path)
    release.sum_up(tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {
        "reader-mega2560.hex",
        "reader-nano.hex",
        "SHA256SUMS",
    }
    done = subprocess.run(
        ["sha256sum", "-c", "SHA256SUMS"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.count(": OK") == 2
    for file in tmp_path.glob("*.hex"):
        assert file.read_text().splitlines()[-1] == ":00000001FF", "the end of an Intel HEX file"


def test_what_people_print_and_order_is_one_archive_and_a_missing_part_is_no_release(tmp_path: Path) -> None:
    built = tmp_path / "build"
    for name in (
        "stl/box.stl",
        "sheets/bench.en.pdf",
        "mat/mat-4.pdf",
        "boards/tray-strip.zip",
        "boards/tray-strip.kicad_pcb",
    ):
        (built / name).parent.mkdir(parents=True, exist_ok=True)
        (built / name).write_bytes(b"x")
    release.add_plans(tmp_path, built)
    assert len(zipfile.ZipFile(tmp_path / "reader-plans.zip").namelist()) == 5
    (built / "boards/tray-strip.zip").unlink()
    with pytest.raises(release.Unready, match="boards"):
        release.add_plans(tmp_path, built)
