"""What a release consists of, made as `make release` makes it."""

import email
import hashlib
import json
import re
import subprocess
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import bundled_libraries
import cv2
import pytest

from companion.__main__ import list_commands
from tests.shipping.conftest import HOME_PAGE, ROOT, release

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
        with pytest.raises(release.ReleaseError, match=r"1\.2\.0"):
            release.find_release_date("1.2.0", changelog)
    else:
        assert release.find_release_date("1.2.0", changelog) == day


def test_the_page_of_the_package_shows_its_pictures_and_leads_back(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        page = email.message_from_bytes(archive.read(name))
    assert f"Source, {HOME_PAGE}" in page.get_all("Project-URL", [])
    text = page.get_payload(decode=True).decode()
    addresses = re.findall(r"]\(([^)]+)\)", text)
    assert len(addresses) > 10
    assert all(one.startswith("https://") for one in addresses)
    for one in addresses:
        if one.startswith(HOME_PAGE):
            assert (ROOT / one.split("/", 6)[6].partition("#")[0]).exists(), one
    assert f"]({HOME_PAGE}/raw/v{release.read_version()}/docs/pictures/round.webp)" in text


def test_the_manual_page_tells_every_command_and_nothing_of_who_made_it(tmp_path: Path) -> None:
    release.add_manual(tmp_path)
    page = (tmp_path / "companion.1").read_text(encoding="utf-8").replace("\\-", "-")
    assert page.startswith(".TH COMPANION")
    assert {name for name in list_commands() if f"COMMAND \\fI\\,'companion {name}'" not in page} == set()
    assert str(Path.home()) not in page
    assert "~/.local/share" in page


def test_what_the_camera_s_library_carries_is_named() -> None:
    """What reads a network camera's pictures, and its encrypted address; no windows."""
    carried = {
        part["name"]: part.get("version", "")
        for part in (
            *bundled_libraries.list_components(distribution("opencv-python-headless")),
            *bundled_libraries.list_static_libraries(cv2.getBuildInformation()),
        )
    }
    assert {"libavcodec", "libssl", "libcrypto", "JPEG", "TIFF"} <= carried.keys()
    assert re.fullmatch(r"\d+\.\d+\.\d+\w*", carried["libcrypto"])
    assert not any("Qt" in name for name in carried)


@pytest.mark.slow
def test_the_parts_are_listed_and_summed(wheel: Path, tmp_path: Path) -> None:
    (tmp_path / wheel.name).write_bytes(wheel.read_bytes())
    release.list_parts(tmp_path / wheel.name, tmp_path)
    release.write_checksums(tmp_path)
    names = {part["name"] for part in json.loads((tmp_path / "sbom.cdx.json").read_text())["components"]}
    assert {"card-table-companion", "opencv-python-headless", "textual", "pyserial"} <= names
    parts = json.loads((tmp_path / "sbom.cdx.json").read_text())["components"]
    (opencv,) = (part for part in parts if part["name"] == "opencv-python-headless")
    assert {"libavcodec", "libssl", "JPEG"} <= {part["name"] for part in opencv["components"]}
    sums = dict(reversed(line.split("  ")) for line in (tmp_path / "SHA256SUMS").read_text().splitlines())
    assert sums[wheel.name] == hashlib.sha256(wheel.read_bytes()).hexdigest()
    assert sorted(sums) == sorted([wheel.name, "sbom.cdx.json"])


def test_the_reader_s_firmware_lies_beside_the_wheel_with_sums_that_sha256sum_accepts(tmp_path: Path) -> None:
    release.add_firmware(tmp_path)
    release.write_checksums(tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {
        "reader-nano.hex",
        "reader-pico.uf2",
        "SHA256SUMS",
    }
    done = subprocess.run(
        ["sha256sum", "-c", "SHA256SUMS"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.count(": OK") == 2
    for file in tmp_path.glob("*.hex"):
        assert file.read_text().splitlines()[-1] == ":00000001FF", "the end of an Intel HEX file"
    assert (tmp_path / "reader-pico.uf2").read_bytes() == (
        release.ROOT / "firmware/build/pico/reader.uf2"
    ).read_bytes()


def test_what_people_print_and_order_is_one_archive_and_a_missing_part_is_no_release(tmp_path: Path) -> None:
    made = (
        "build/stl/pad_tray-base.stl",
        "build/sheets/bench.en.pdf",
        "build/mat/mat-4.pdf",
        "build/wiring/pico-tray.svg",
        "guide.en.md",
        "guide.fr.md",
        "first_pico.fr.md",
        "mat_and_camera.en.md",
        "pictures/tray-pico.png",
        "LICENSE.CERN-OHL-P-2.0",
    )
    for name in made:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "build/wiring/pico-tray.yml").write_bytes(b"what the drawing is made from")
    release.add_plans(tmp_path, tmp_path)
    names = zipfile.ZipFile(tmp_path / "reader-plans.zip").namelist()
    assert sorted(names) == sorted(name.removeprefix("build/") for name in made)
    (tmp_path / "build/wiring/pico-tray.svg").unlink()
    with pytest.raises(release.ReleaseError, match="wiring"):
        release.add_plans(tmp_path, tmp_path)


def test_the_guides_pictures_and_licence_are_there_to_be_packed() -> None:
    folder = release.ROOT / "hardware"
    assert all(list(folder.glob(pattern)) for pattern in release.PLANS["."])
