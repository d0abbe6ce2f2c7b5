"""The guides as readers follow them: every command in them is one that the program takes, and those
that end by themselves are run.

The README's commands are typed into a real terminal in `test_readme.py`, and those of the guides
that stay on the screen in `test_guides_in_a_terminal.py`. A command that a guide gains is checked
here without more; when it ends by itself it belongs into `RUN`.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from companion.__main__ import list_commands, main
from companion.commands.parsing import import_command
from companion.journal.store import Store, default_journal_path
from companion.rules.session import Session
from companion.table.decks import Deck
from tests.rules.evenings import evenings_of

ROOT = Path(__file__).resolve().parents[2]
GUIDES = sorted(
    [*ROOT.glob("docs/*.md"), *ROOT.glob("hardware/*.md"), ROOT / "firmware/README.md", ROOT / "README.md"]
)
BLOCK = re.compile(r"^(?:    |\$ )?(?:\.venv/bin/)?(companion [^\n]*)$", re.MULTILINE)
QUOTED = re.compile(r"`(?:\.venv/bin/)?(companion [a-z][^`\n]*)`")
PLACES = {
    "N": "1",
    "FILE": "file",
    "FOLDER": "folder",
    "NAME": "Ann",
    "PORT": "/dev/ttyUSB0",
    "…": "",
    "...": "",
}
"""What stands in a guide for what the reader puts there."""


def commands() -> dict[str, str]:
    """Every command of the guides, without the remark beside it, and where it stands."""
    found = {}
    for guide in GUIDES:
        text = guide.read_text("utf-8")
        for line in (*BLOCK.findall(text), *QUOTED.findall(text)):
            words = re.split(r"\s{2,}|\s#", line)[0].strip()
            found[words] = guide.relative_to(ROOT).as_posix()
    return found


def test_there_are_as_many_as_one_would_think():
    assert len(commands()) > 40


@pytest.mark.parametrize("command", sorted(commands()))
def test_the_program_takes_it_as_it_stands(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = [PLACES.get(word, word) for word in shlex.split(re.sub(r"(?<!--deck) \.\.\.$", "", command))[1:]]
    words = words or ["welcome"]
    assert words[0] in list_commands(), commands()[command]
    parser = argparse.ArgumentParser(exit_on_error=False)
    module = import_command(words[0])
    module.add_arguments(parser)
    if "-" not in command or "--help" in words:  # the command is only named
        return
    try:
        parser.parse_args(words[1:])
    except (argparse.ArgumentError, SystemExit) as fault:
        raise AssertionError((commands()[command], command, str(fault), capsys.readouterr().err)) from fault


RUN = {
    "companion cards list": "donkey_valley",
    "companion cards list donkey_valley": "load:red:7",
    "companion cards list --lang fr": "donkey_valley",
    "companion cards list donkey_valley --lang fr": "load:red:7",
    "companion cards check my-deck/": "deck.toml",
    "companion cards check mon-jeu/ --lang fr": "deck.toml",
    "companion history": "Donkey Valley",
    "companion history 3": "Ann",
    "companion history N": "Ann",
    "companion history 3 --delete-pictures": "0 pictures",
    "companion history --backup FILE": "",
    "companion history --help": "usage",
    "companion export --help": "usage",
    "companion history 3 --page evening.html": "",
    "companion history 3 --page soiree.html": "",
    "companion export": "game,date,session",
    "companion export --format json --session all --out evenings.json": "",
    "companion export --format json --session all --out soirees.json": "",
    "companion export --format bgstats": "players",
    "companion export --format bgstats --out play.bgstats.json": "",
    "companion export --format bgstats --out partie.bgstats.json": "",
    "companion figures": "Donkey Valley: donkeys",
    "companion figures --game donkey_valley --player Ann": "Head to head",
    "companion figures --chart figures.svg": "",
    "companion people --import BGStatsExport.json": "1 player",
    "companion new-game NAME": "my_game",
    "companion tags export tags.csv --deck ...": "tags.csv",
    "companion history 3 --throw-away": "thrown away",
}
"""Commands that end by themselves, with a word of what they say (nothing: they write a file)."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as a reader may have it: a deck, an export of BG Stats, and three evenings in the
    journal."""
    folder = tmp_path_factory.mktemp("home")
    for name in ("my-deck", "mon-jeu"):
        Deck.load_builtin("donkey_valley").save(folder / name)
    (folder / "BGStatsExport.json").write_text(
        json.dumps({"players": [{"name": "Zoé", "uuid": "1"}]}), "utf-8"
    )
    evening = evenings_of("donkey_valley")[0]
    entries = []
    session, players = Session(evening.game, evening.setup, entries.append), evening.players
    while (deed := players.next_action(session.list_acts(), session.view())) is not None:
        session.act(deed.request)
    with Store.open(folder / "journal.sqlite3") as store:
        for acts in (20, 40, None):
            store.start_session(evening.setup)
            for entry in entries[:acts]:
                store.append(entry)
    return folder


@pytest.mark.parametrize("command", RUN)
def test_it_does_what_the_guide_says(
    command: str, home: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert command in commands()
    monkeypatch.chdir(home)
    monkeypatch.setenv("LC_ALL", "C")
    default_journal_path().parent.mkdir(parents=True)
    shutil.copy(home / "journal.sqlite3", default_journal_path())
    deck = command.replace("--deck ...", "--deck my-deck")
    own = {**PLACES, "NAME": "my_game"} if "new-game" in command else PLACES
    words = [own.get(word, word) for word in shlex.split(deck)[1:]]
    if "--help" in words:
        with pytest.raises(SystemExit):
            main(words)
    else:
        assert main(words) == 0
    out = capfdbinary.readouterr().out.decode()
    assert RUN[command] in out
    written = [
        word for word in words if word.endswith((".json", ".svg", ".html")) and "import" not in command
    ]
    assert all((home / name).stat().st_size > 500 for name in written)
