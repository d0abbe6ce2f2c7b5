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

from companion import texts
from companion.__main__ import COMMANDS, EXAMPLES, GROUPS, OPTIONS, main
from companion.commands.parsing import SHELLS, all_actions, speak, whole_parser
from tests.commands import CASES
from tests.simulated.terminal import run

LANGUAGES = [language for language in texts.LANGUAGES if language != "en"]


def _said() -> set[str]:
    """Every sentence of the program's own that help may show."""
    speak(["--lang", "en"])
    whole = whole_parser(COMMANDS)
    actions = list(all_actions(whole))
    below = [a for a in actions if isinstance(a, argparse._SubParsersAction)]
    named = {choice.help for action in below for choice in action._choices_actions}
    titles = {g.title for a in below for parser in a.choices.values() for g in parser._action_groups}
    helps = {action.help for action in actions}
    words = {*GROUPS, *EXAMPLES.values(), *OPTIONS.values(), *COMMANDS.values(), "examples:"}
    return {str(told) for told in helps | named | titles | words if told}


def test_every_command_has_its_entry_in_the_registry_of_tests() -> None:
    assert list(CASES) == list(COMMANDS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_has_its_words_and_none_has_them_for_nothing(language: str) -> None:
    folder = Path(texts.__file__).parent / "locale"
    catalogue = gettext.translation("help", folder, [language])
    known = {code for code in catalogue._catalog if code}  # type: ignore[attr-defined]
    own = _said()
    assert own - known == set()
    running = "".join(map(inspect.getsource, (argparse, inspect.getmodule(main), inspect.getmodule(speak))))
    foreign = {code for code in known - own if code.replace("\n", "\\n") not in running}
    assert foreign == set()


def test_a_language_of_the_settings_is_the_language_of_help(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert main(["--help"]) == 0
    assert "ein Abend" in capsys.readouterr().out
    assert main(["--lang=fr", "--help"]) == 0
    assert "une soirée" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["play", "--lang", "fr", "--help"])
    said = capsys.readouterr().out
    assert "qui voit les cartes" in said
    assert "who sees the cards" not in said


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
        assert all(name in said for name in COMMANDS)
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
