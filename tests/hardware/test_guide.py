"""The guide says what the project does: its commands exist, its files are made, its bench sheet can
be walked in its order."""

from __future__ import annotations

import argparse
import re
import shlex
from importlib import import_module

import pytest

from companion.__main__ import COMMANDS
from hardware import sheets
from hardware.circuit import HARDWARE

GUIDES = {
    language: (HARDWARE / f"guide.{language}.md").read_text(encoding="utf-8") for language in ("en", "fr")
}
PAGES = {
    **GUIDES,
    **{
        f"{page} {one}": (HARDWARE / f"{page}.{one}.md").read_text(encoding="utf-8")
        for page in ("tray", "first_pico")
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
        assert words[1] in COMMANDS, line
        parser = argparse.ArgumentParser(exit_on_error=False)
        import_module(f"companion.commands.{words[1]}").add_arguments(parser)
        try:
            parser.parse_args(words[2:])
        except (argparse.ArgumentError, SystemExit):
            pytest.fail(line)


@pytest.mark.parametrize("language", GUIDES)
def test_the_limits_of_the_readers_lines_are_measured_with_chips_and_firmware_in_and_no_tray(language):
    parts = sheets.load_texts(language)["bench"]["part"]
    at = [
        number
        for number, part in enumerate(parts)
        if any("3.4 V, never" in row[1] or "3,4 V, jamais" in row[1] for row in part["checks"])
    ]
    assert at == [2]
    names = [part["name"] for part in parts]
    assert "chip" in names[2].lower() or "puces" in names[2].lower()
    assert "firmware" in names[2] or "micrologiciel" in names[2]
    assert [i for i, name in enumerate(names) if "module" in name] == [3], (
        "a module is tried before a tray is soldered"
    )


@pytest.mark.parametrize("language", GUIDES)
def test_what_the_guide_has_one_make_is_made(language):
    made = (HARDWARE.parent / "Makefile").read_text() + (HARDWARE / "Makefile").read_text()
    for name in re.findall(r"reader-(\w+)\.hex", GUIDES[language]):
        assert name in made
    release = (HARDWARE.parent / "tools" / "release.py").read_text()
    assert "reader-plans.zip" in release
    assert "reader-plans.zip" in GUIDES[language]
    for name in set(re.findall(r"`([\w-]+)\.zip`", GUIDES[language])) - {"reader-plans"}:
        assert (HARDWARE / "pcb" / "boards" / f"{name}.kicad_pcb").exists()
        assert name in made
    assert "SHA256SUMS" in made
