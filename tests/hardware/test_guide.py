"""The guide says what the project does: its commands exist, its files are made, its bench sheet can
be walked in its order."""

from __future__ import annotations

import argparse
import re
import shlex

import pytest

from companion.__main__ import list_commands
from companion.commands.parsing import import_command
from hardware import sheets
from hardware.circuit import HARDWARE

GUIDES = {
    language: (HARDWARE / f"guide.{language}.md").read_text(encoding="utf-8") for language in ("en", "fr")
}
PAGES = {
    **GUIDES,
    **{
        f"{page} {one}": (HARDWARE / f"{page}.{one}.md").read_text(encoding="utf-8")
        for page in ("first_pico",)
        for one in ("en", "fr")
    },
    **{
        f"docs {one}": (HARDWARE.parent / "docs" / f"reader.{one}.md").read_text(encoding="utf-8")
        for one in ("en", "fr")
    },
}


def commands(text):
    lines = re.findall(r"^ {4}(companion .*?)(?: {2,}.*)?$", text, re.M)
    return lines + re.findall(r"`(companion [a-z]+ [^`]*--[^`]*)`", text)


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_the_pages_is_one_that_the_program_takes(page):
    found = commands(PAGES[page])
    assert found
    for line in found:
        words = shlex.split(line.replace(" ...", " x"))
        assert words[1] in list_commands(), line
        parser = argparse.ArgumentParser(exit_on_error=False)
        import_command(words[1]).add_arguments(parser)
        try:
            parser.parse_args(words[2:])
        except (argparse.ArgumentError, SystemExit):
            pytest.fail(line)


@pytest.mark.parametrize("language", GUIDES)
def test_volts_are_measured_with_the_firmware_in_and_shorts_before_anything_is_plugged_in(language):
    names, checks = zip(
        *((part["name"], part["checks"]) for part in sheets.load_texts(language)["bench"]["part"]),
        strict=True,
    )
    limited = [
        n for n, rows in enumerate(checks) if any("3.4 V" in row[1] or "3,4 V" in row[1] for row in rows)
    ]
    assert limited == [2]
    assert "firmware" in names[2] or "micrologiciel" in names[2]
    assert [n for n, rows in enumerate(checks) if any("100 ohm" in row[1] for row in rows)] == [1]
    assert [n for n, name in enumerate(names) if "module" in name] == [0], (
        "a module is tried before it is soldered"
    )


@pytest.mark.parametrize("language", GUIDES)
def test_what_the_guide_has_one_make_is_made(language):
    made = (HARDWARE.parent / "Makefile").read_text() + (HARDWARE / "Makefile").read_text()
    for name in re.findall(r"reader-\w+\.(?:hex|uf2)", GUIDES[language]):
        assert name in made
    release = (HARDWARE.parent / "tools" / "release.py").read_text()
    assert "reader-plans.zip" in release
    assert "reader-plans.zip" in GUIDES[language]
    assert "SHA256SUMS" in made
