"""The wheel on a computer without libGL: it works, and says what is missing where somebody has put
OpenCV's build with windows, which loads libGL and does not carry it, in the place of ours.

In a mount namespace of its own the folder of the library is shown without it; nothing else of this
computer changes. What needs no OpenCV works; what does says in one sentence what is missing.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.commands import CASES
from tests.shipping.conftest import BIN, Installed, checked, once
from tests.simulated.terminal import run

pytestmark = [pytest.mark.network, pytest.mark.skipif(os.name == "nt", reason="mount namespaces")]

HIDE = """set -e
mount --make-rprivate /
mount -t tmpfs none "$1"
mkdir "$1/real" "$1/shown"
mount --bind "$2" "$1/real"
ln -s "$1"/real/* "$1/shown"
rm "$1"/shown/libGL.so*
mount --bind "$1/shown" "$2"
shift 2
exec "$@"
"""
SENTENCE = "libGL.so.1 is missing"
ALL = """
import json, sys
from companion.__main__ import main
for words in json.loads(sys.argv[1]):
    print(json.dumps(["began", words]), file=sys.stderr)
    try:
        status = main(words)
    except SystemExit as end:
        status = end.code
    print(json.dumps(["ended", status]), file=sys.stderr)
"""
"""Give commands, one after the other, in one process: what each says, and how it ends, stands
between two lines."""


def _home_of_libgl() -> str:
    """The folder that the loader finds the library in; "" where this computer has none."""
    ldconfig = shutil.which("ldconfig", path=f"{os.environ.get('PATH', '')}:/sbin:/usr/sbin")
    listed = (
        ""
        if ldconfig is None
        else subprocess.run([ldconfig, "-p"], capture_output=True, text=True, check=False).stdout
    )
    found = [
        line.rpartition(" => ")[2]
        for line in listed.splitlines()
        if line.strip().startswith("libGL.so.1 ") and "x32" not in line
    ]
    return str(Path(found[0]).parent.resolve()) if found else ""


@pytest.fixture(scope="module")
def hidden(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sequence[str]]:
    """What goes before a command so that it finds no libGL."""
    home, unshare = _home_of_libgl(), shutil.which("unshare")
    if not home:
        yield ()  # there is none to hide
        return
    if unshare is None:
        pytest.skip("no unshare here: libGL cannot be hidden from one program")
    folder = tmp_path_factory.mktemp("hidden")
    space = [unshare, "--mount"] if os.geteuid() == 0 else [unshare, "--map-root-user", "--mount"]
    before = [*space, "sh", "-c", HIDE, "sh", str(folder), home]
    tried = subprocess.run([*before, "true"], capture_output=True, text=True, check=False)
    if tried.returncode:
        pytest.skip(f"mount namespaces are not permitted here: {tried.stderr.strip()}")
    yield before


NEEDS = [(name, *words) for name, case in CASES.items() for words in case.with_opencv]
WITHOUT = [(name, *words) for name, case in CASES.items() for words in case.without_opencv]
BEGUN = ("play", *CASES["play"].without_opencv[0])


@pytest.fixture(scope="module")
def windowed(installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The variables with which OpenCV's build with windows stands in the place of ours, in the same
    version."""
    version = installed.run(
        "python", "-c", "import importlib.metadata as m; print(m.version('opencv-python-headless'))"
    )
    folder = once(
        tmp_path_factory,
        "windowed",
        lambda folder: checked(
            [
                *(str(BIN / "uv"), "pip", "install", "--quiet", "--no-deps", "--target", str(folder)),
                f"opencv-python=={version.stdout.strip()}",
            ]
        ),
    )
    return {"PYTHONPATH": str(folder)}


@pytest.fixture(scope="module", autouse=True)
def evening(installed: Installed, hidden: Sequence[str]) -> None:
    """One evening was begun: history and export have something to say, whichever worker tries
    them."""
    begun = installed.run("companion", *BEGUN, before=hidden)
    assert begun.returncode == 0, begun.stderr


@pytest.mark.slow
def test_it_is_hidden_and_opencv_does_not_load(
    installed: Installed, hidden: Sequence[str], windowed: dict[str, str]
) -> None:
    tried = installed.run("python", "-c", "import cv2", before=hidden, **windowed)
    assert "libGL.so.1: cannot open shared object file" in tried.stderr


def give_all(installed: Installed, commands: Sequence[Sequence[str]], **how: Any) -> list[tuple[int, str]]:
    """Give the commands; return how each ended, and what it said."""
    done = installed.run("python", "-c", ALL, json.dumps(commands), **how)
    assert done.returncode == 0, done.stderr
    assert "libGL" not in done.stdout
    parts = re.findall(r'^\["began", .*?$(.*?)^\["ended", (\d)\]$', done.stderr, re.DOTALL | re.MULTILINE)
    assert len(parts) == len(commands), done.stderr
    return [(int(status), told) for told, status in parts]


def test_what_needs_opencv_says_what_is_missing_and_where_it_is(
    installed: Installed, hidden: Sequence[str], windowed: dict[str, str]
) -> None:
    languages = ["en", *("fr" for _ in NEEDS)]  # each in the language that was asked for
    commands = [
        (*words, "--lang", language) for words, language in zip((NEEDS[0], *NEEDS), languages, strict=True)
    ]
    for (status, told), language in zip(
        give_all(installed, commands, before=hidden, **windowed), languages, strict=True
    ):
        assert status == 2, told
        [said] = [line for line in told.splitlines() if "libGL.so.1" in line]
        for way in ("libgl1", "mesa-libGL", "opencv-python-headless"):
            assert way in said
        assert (SENTENCE in said) == (language == "en")
        assert "crash.txt" not in told
    assert not list(installed.home.rglob("crash.txt"))


def test_what_needs_no_opencv_works(
    installed: Installed, hidden: Sequence[str], windowed: dict[str, str]
) -> None:
    for status, told in give_all(installed, WITHOUT, before=hidden, **windowed):
        assert status == 0, told
        assert "libGL" not in told


def test_every_command_is_tried() -> None:
    assert {words[0] for words in NEEDS + WITHOUT} == set(CASES)


def test_the_demo_table_says_it_when_it_comes_to_be_drawn(
    installed: Installed, hidden: Sequence[str], windowed: dict[str, str]
) -> None:
    command = [*hidden, str(installed.bin / "companion"), "play", "--demo", "--new"]
    with run(command, where=installed.home, columns=400, **installed.variables | windowed) as terminal:
        terminal.until(SENTENCE)
        assert terminal.end() != 0
        assert b"Traceback" not in terminal.written
        assert b"crash.txt" not in terminal.written


def test_as_it_is_installed_all_of_it_works(installed: Installed, hidden: Sequence[str]) -> None:
    tried = installed.run("companion", "cards", "print", "--game", "dtc", "--out", "sheets", before=hidden)
    assert tried.returncode == 0, tried.stderr
    assert "references were not made" not in tried.stdout
    assert "libGL" not in tried.stderr + tried.stdout


def test_the_library_says_it_too(
    installed: Installed, hidden: Sequence[str], windowed: dict[str, str]
) -> None:
    tried = installed.run(
        "python", "-m", "vision", "read", "--deck", "deck", "photo.jpg", before=hidden, **windowed
    )
    assert tried.returncode == 2
    assert SENTENCE in tried.stderr
    assert len(tried.stderr.splitlines()) == 1
