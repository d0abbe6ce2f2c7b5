"""What the command line says of itself: every command and option in every language, what was
probably meant, and what lets a shell complete it."""

from __future__ import annotations

import argparse
import gettext
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from companion import plug_ins, texts
from companion.__main__ import EXAMPLES, OPTIONS, list_commands, list_groups, main
from companion.commands.parsing import (
    SHELLS,
    all_parsers,
    build_full_parser,
    iter_actions,
    set_help_language,
    translate_help,
    translated_parser,
)
from companion.rules.entry_points import list_entry_points
from tests.commands import CASES
from tests.simulated.terminal import run


def _codes() -> set[str]:
    """Return every code of the help catalogue that the program uses."""
    whole = build_full_parser(list_commands())
    actions = list(iter_actions(whole))
    lines = [choice.help for one in actions for choice in getattr(one, "_choices_actions", ())]
    titles = [group.title for parser in all_parsers(whole) for group in parser._action_groups]
    own = {*list_groups(), *EXAMPLES.values(), *OPTIONS.values(), "overview", "examples", "did_you_mean"}
    used = own.union(lines, titles, [action.help for action in actions])
    return {str(code) for code in used if code} - _ARGPARSE_OWN


_ARGPARSE_OWN = {"options", "positional arguments", "show this help message and exit"}
"""Texts that argparse adds to each parser by itself."""


def _sentences(domain: str, language: str) -> dict[str, str]:
    """Read a catalogue of the program; for `help`, with those of the installed commands."""
    folders = {domain: Path(texts.__file__).parent / "locale"}
    if domain == "help":
        names = list_entry_points(plug_ins.COMMANDS)
        folders |= {f"{name}_help": plug_ins.find_catalogues(name) for name in names}
    found = [gettext.translation(name, folder, [language]) for name, folder in folders.items()]
    return {code: words for one in found for code, words in one._catalog.items() if code}  # type: ignore[attr-defined]


def test_every_command_has_its_entry_in_the_registry_of_tests() -> None:
    assert list(CASES) == list(list_commands())


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_every_code_has_its_sentence_and_no_sentence_is_unused(language: str) -> None:
    set_help_language(["--lang", "en"])
    assert _sentences("help", language).keys() == _codes()


@pytest.mark.parametrize("domain", ["help", "argparse"])
@pytest.mark.parametrize("language", ["fr", "de"])
def test_translations_fill_the_same_placeholders(domain: str, language: str) -> None:
    english = _sentences("help", "en")
    for code, words in _sentences(domain, language).items():
        wanted = re.findall(r"%(?:\(\w+\))?[sr]", english.get(code, code))
        assert sorted(re.findall(r"%(?:\(\w+\))?[sr]", words)) == sorted(wanted), code


@pytest.mark.parametrize("language", ["fr", "de"])
def test_only_argparse_has_sentences_as_ids(language: str) -> None:
    source = inspect.getsource(argparse)
    assert {
        one for one in _sentences("argparse", language) if one.replace("\n", "\\n") not in source
    } == set()


def test_what_a_language_lacks_is_read_in_english() -> None:
    set_help_language(["--lang", "xx"])
    assert translate_help("option.version") == "print the version"
    set_help_language(["--lang", "fr"])
    assert translate_help("option.version") == "afficher la version"


@pytest.mark.parametrize("time", ["at first", "again"])
def test_the_language_of_help_ends_with_the_test_that_set_it(time: str) -> None:
    """Or what a later test starts, `sha256sum` say, speaks it too."""
    assert os.environ.get("LANGUAGE") != "fr:en"
    set_help_language(["--lang", "fr"])
    assert os.environ["LANGUAGE"] == "fr:en"


def test_completion_and_manual_read_sentences_not_codes() -> None:
    set_help_language(["--lang", "en"])
    whole = translated_parser(list_commands())
    codes = _codes()
    for action in iter_actions(whole):
        assert action.help not in codes
    for parser in all_parsers(whole):
        assert {group.title for group in parser._action_groups} & codes == set()


def test_a_language_of_the_settings_is_the_language_of_help(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert main(["--help"]) == 0
    assert "den Tisch öffnen" in capsys.readouterr().out
    assert main(["--lang=fr", "--help"]) == 0
    assert "ouvrir la table" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["play", "--lang", "fr", "--help"])
    said = capsys.readouterr().out
    assert "caméras et lecteurs" in said
    assert "cameras and readers" not in said


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("plya", "play"),
        ("play --sped 3", "--speed"),
        ("play --camra=0", "--camera"),
        ("cards prnt", "print"),
        ("cards list --lnag fr", "--lang"),
        ("export --format jsn", "json"),
    ],
)
def test_what_was_probably_meant_is_asked(typed: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(typed.split())
    assert left.value.code == 2
    assert f"(did you mean {meant}?)" in capsys.readouterr().err


def test_what_is_like_nothing_is_only_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["xyzzy"])
    assert "did you mean" not in capsys.readouterr().err


def test_every_shell_completes_every_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for shell in SHELLS:
        assert main(["--print-completion", shell]) == 0
        said = capsys.readouterr().out
        assert all(name in said for name in list_commands())
        if shell == "bash":
            (tmp_path / "companion").write_text(said)
    ask = f"source {tmp_path}/companion; COMP_WORDS=(companion play --by); COMP_CWORD=2; _shtab_companion; echo ${{COMPREPLY[@]}}"
    done = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["--by-hand"]


@pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals")
@pytest.mark.parametrize("without", [False, True])
def test_no_color_leaves_shades_of_grey(
    without: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    folders = {f"XDG_{kind}_HOME": str(tmp_path) for kind in ("DATA", "CONFIG", "CACHE")}
    words = [sys.executable, "-m", "companion", "play", "--by-hand", "--players", "Ann,Bob,Cy", "--new"]
    colours = {**folders, "COLORTERM": "truecolor", "TERM": "xterm-256color"} | (
        {"NO_COLOR": "1"} if without else {}
    )
    with run(words, where=tmp_path, **colours) as terminal:
        terminal.until("Ann")
        terminal.type("q")
        assert terminal.end() == 0
        drawn = set(re.findall(rb"[34]8;2;(\d+);(\d+);(\d+)", terminal.written))
    coloured = [shade for shade in drawn if len(set(shade)) > 1]
    assert drawn
    assert bool(coloured) != without
