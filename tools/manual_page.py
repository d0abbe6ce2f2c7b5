"""Print the manual page, `companion.1`: `make release` puts it into `dist/`; `man -l` shows it."""

from __future__ import annotations

from pathlib import Path

from argparse_manpage.manpage import Manpage

from companion import __version__
from companion.__main__ import EXAMPLES, list_commands
from companion.commands.parsing import set_help_language, translate_help, translated_parser

SAID = {
    "EXIT STATUS": {
        "0": "done",
        "1": "done, but a problem was found",
        "2": "not done; a message on standard error says why",
        "70": "an internal error; the message names the report",
        "130": "interrupted by Ctrl-C",
    },
    "ENVIRONMENT": {
        "LC_ALL, LC_MESSAGES, LANG": "the language, if neither --lang nor the settings name one",
        "NO_COLOR": "every screen in shades of grey",
        "XDG_DATA_HOME, XDG_CONFIG_HOME, XDG_CACHE_HOME": "where the files below are",
    },
    "FILES": {
        "~/.local/share/card-table-companion/journal.sqlite3": "the journal: every evening, act by act"
        " (companion history, companion export)",
        "~/.local/share/card-table-companion/crash.txt": "the report of the latest internal error:"
        " functions and lines, no cards",
        "~/.config/card-table-companion/settings.json": "settings saved between evenings",
        "~/.cache/card-table-companion": "drawings of the cards; recreated if deleted",
    },
    "LOG": {
        "companion play --record FILE": "writes everything the readers see, for companion play --replay FILE",
        "companion check": "writes its findings into a file that you can send to someone who helps",
    },
}
"""Texts by section and subject."""


def build_page() -> str:
    """Return the manual page in roff."""
    # the page is in English, whatever language this machine speaks
    set_help_language(["--lang", "en"])
    manpage = Manpage(translated_parser(list_commands()))
    manpage.manual, manpage.source = "Card Table Companion", f"companion {__version__}"
    manpage.description = "the companion for real card tables"
    examples = {typed: translate_help(code) for typed, code in EXAMPLES.items()}
    for heading, lines in {**SAID, "EXAMPLES": examples}.items():
        words = "".join(f".TP\n{_escape_roff(name)}\n{_escape_roff(text)}\n" for name, text in lines.items())
        manpage.add_section(heading, ">", words)
    # defaults are paths of this machine: the page names them for everybody
    return str(manpage).replace(_escape_roff(str(Path.home())), "~")


def _escape_roff(text: str) -> str:
    """Escape a text for roff."""
    return text.replace("\\", "\\e").replace("-", r"\-")


if __name__ == "__main__":
    print(build_page())
