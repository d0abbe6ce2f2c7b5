"""Arguments shared by several commands, such as the language, and the usual files and camera."""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress
from pathlib import Path

import msgspec

from companion.evening.sharing import NETWORK, PLACES
from companion.folders import user_data_folder
from companion.journal.spreadsheets import SEPARATORS, SheetStyle
from companion.journal.store import Store, default_journal_path
from companion.language import LANGUAGES
from companion.rules.contract import Problem
from companion.settings import load_settings
from companion.table import pad_plan, zones
from companion.texts import Translator


def add_language_option(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add `--lang`; its default is the language of the settings, else the computer's."""
    parser.add_argument(
        "--lang", choices=LANGUAGES, default=load_settings().resolve_language(), help="common.lang"
    )


def add_journal_option(parser: argparse.ArgumentParser) -> None:
    """Add `--journal`, the journal to read."""
    set_help_default(
        parser.add_argument("--journal", metavar="FILE", type=Path, help="common.journal"),
        default_journal_path(),
    )


def add_sheet_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for the form of CSV files."""
    parser.add_argument("--separator", choices=[*SEPARATORS], default="comma", help="common.separator")
    parser.add_argument("--bom", action="store_true", help="common.bom")


def read_sheet_style(arguments: argparse.Namespace) -> SheetStyle:
    """Return what `add_sheet_options` was given."""
    return SheetStyle(arguments.separator, arguments.bom)


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """Add `--json`, which prints for programs what else is printed for people."""
    parser.add_argument("--json", action="store_true", help="common.json")


def print_json(value: object) -> None:
    """Print a value as JSON, in UTF-8 whatever the terminal shows; texts are as they are stored."""
    # As bytes: a terminal in another encoding could not show all names.
    sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n")
    sys.stdout.buffer.flush()


def set_help_default(option: argparse.Action, value: object) -> None:
    """Set the text for `%(usual)s` in the help of an option whose default is determined later."""
    # argparse formats help with all attributes of an action, this one included.
    vars(option)["usual"] = value


def add_share_option(parser: argparse.ArgumentParser) -> None:
    """Add `--share`: from where a phone that is a camera or reader may connect."""
    parser.add_argument("--share", default=NETWORK, choices=PLACES, help="common.share")


def report_missing_entries(store: Store, translator: Translator, command: str) -> bool:
    """Print on standard error what the journal has lost; return whether there was anything."""
    if store.notice is not None:
        print(f"companion {command}: {translator.translate(store.notice)}", file=sys.stderr)
    return store.notice is not None


def refuse_overwriting_source(out: Path, source: Path) -> None:
    """Raise `Problem` if writing to `out` would replace `source`, also under another name."""
    is_same_file = False
    with suppress(OSError):  # either is not there: nothing can be lost
        is_same_file = out.samefile(source)
    if is_same_file:
        raise Problem("export.over_source", file=str(out))


def choose_output_file(out: Path | None, default: Path) -> Path:
    """Return where to write: the named file, else the usual one, which may be replaced.

    Raises `Problem` if a named file exists already: nobody asked to lose it.
    """
    if out is not None and out != default and out.exists():
        raise Problem("output.there", file=str(out))
    return out or default


def default_layout_path() -> Path:
    """Return the file for the layout of this computer's table."""
    return user_data_folder() / zones.FILE


def default_pads_path() -> Path:
    """Return the file for the places of this table's readers."""
    return user_data_folder() / pad_plan.FILE


def default_camera() -> str:
    """Return the camera of the settings, else the first one."""
    return load_settings().camera or "0"
