"""`companion` alone: the front door. Whatever is chosen there is a command like any other; when it
ends, the door opens again.

Without a screen the demo table is told line by line, as `companion play` does.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from companion import settings as kept_settings
from companion.commands.common import add_language
from companion.commands.running import run_command
from companion.evening.welcome import doings
from companion.journal.journal import unfinished
from companion.journal.kept import Kept
from companion.journal.storage_faults import StorageFault
from companion.journal.store import Store, default_path
from companion.settings import Group, Settings
from companion.texts import Translator
from companion.views.door.door import Door
from companion.views.terminal import has_screen


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `companion` alone."""
    add_language(parser)
    parser.set_defaults(lang=None)  # the settings' language may change while the door is open


def run(arguments: argparse.Namespace) -> int:
    """Open the door until it is left; return 0."""
    if not has_screen():
        return _command("play", [], Translator(arguments.lang or kept_settings.load().spoken()))
    said = ""
    while True:
        settings = kept_settings.load()
        say = Translator(arguments.lang or settings.spoken())
        going_on, finished = _past()
        chosen = Door(doings(settings, going_on, finished, say), say, settings.theme, said).run()
        if chosen is None:
            return 0
        name, *words = chosen.runs
        said = _done(name, words, settings, say)


def _past() -> tuple[Sequence[Kept], Group | None]:
    """Return the evenings to go on with, and who played to the end last."""
    if not default_path().exists():
        return (), None
    try:
        with Store.look(default_path()) as store:
            going_on = unfinished(store)
            others = {kept.number for kept in going_on}
            ended = [row for row in store.sessions() if row.entries and row.number not in others]
            last = max(ended, key=lambda row: row.last, default=None)
            return going_on, None if last is None else Group(last.game, last.players)
    except StorageFault:
        return (), None


LOOKS = frozenset({"history", "figures", "cards", "settings", "share"})
"""What is no command of its own but a page behind the door."""


def _command(name: str, words: Sequence[str], say: Translator) -> int:
    """Run a command as if it had been typed; return its status."""
    return run_command(name, [*words, "--lang", say.language])


def _opened(name: str, words: Sequence[str], say: Translator) -> str:
    """Run a command from the door."""
    if _command(name, words, say) not in (0, 1):
        input(say("door.enter") + " ")  # what went wrong stands above, where the door would hide it
    return ""


def _done(name: str, words: Sequence[str], settings: Settings, say: Translator) -> str:
    """Do what was chosen; return what the door is to say about it."""
    if name == "form":
        return _opened("play", ["--by-hand", "--new"], say)
    if name not in LOOKS:
        return _opened(name, words, say)
    from companion.commands.looks import LOOKING  # noqa: PLC0415 - the door itself shows none of it

    return LOOKING[name](settings, say)
