"""`companion` alone: the home screen. Each entry opens an evening, a page or a command; when that
ends, the home screen opens again.

Without a screen the demo table is played line by line, as by `companion play`.
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys
from pathlib import Path

from companion import commands
from companion import settings as kept_settings
from companion.commands.common import add_language_option
from companion.commands.running import has_screen, run_from_home_screen
from companion.evening.home_screen_entries import PastSessions, list_home_entries
from companion.journal.database_file import StorageFault
from companion.journal.store import Store, default_journal_path, journal_exists
from companion.journal.summaries import iter_last_played
from companion.plan import Plan
from companion.rules.contract import Problem, Text
from companion.settings import Settings
from companion.texts import Translator
from companion.views.home_screen.home_screen import HomeScreen


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `companion` alone."""
    add_language_option(parser)
    parser.set_defaults(lang=None)  # the settings' language may change while the home screen is open


def run(arguments: argparse.Namespace) -> int:
    """Show the home screen until it is left; return 0."""
    if not has_screen():
        language = arguments.lang or kept_settings.load_settings().resolve_language()
        return commands.play.play_games(Plan(demo=True, offers=True, language=language))
    hint = describe_missing_command()
    message = (
        ""
        if hint is None
        else Translator(arguments.lang or kept_settings.load_settings().resolve_language()).translate(hint)
    )
    while True:
        # What was opened from the home screen may have changed them.
        settings = kept_settings.load_settings()
        translator = Translator(arguments.lang or settings.resolve_language())
        damage = kept_settings.take_damage_notice()
        message = message if damage is None else translator.translate(damage)
        past = load_past_sessions(settings)
        entry = HomeScreen(
            list_home_entries(settings, past, translator), translator, settings.theme, message
        ).run()
        if entry is None:
            return 0
        message = _perform_choice(entry.opens, settings, translator)


def describe_missing_command() -> Text | None:
    """Return what to type in a terminal so that it knows the command `companion`, which the guides
    use; None if this one knows it."""
    activate = Path(sys.prefix, "bin", "activate")
    if shutil.which("companion") is not None or not activate.is_file():
        return None
    here = Path.cwd()
    shown = activate.relative_to(here) if activate.is_relative_to(here) else activate
    return Text("home_screen.activate", {"command": f". {shlex.quote(str(shown))}"})


def load_past_sessions(settings: Settings) -> PastSessions:
    """Return what the home screen shows of earlier evenings, without those that were discarded."""
    if not journal_exists(default_journal_path()):
        return PastSessions()
    try:
        with Store.open_read_only(default_journal_path()) as store:
            summaries = list(iter_last_played(store, settings.thrown_away, settings.called))
    # The home screen opens all the same; what is wrong with the journal is told where it is needed.
    except StorageFault:
        return PastSessions()
    last = next((one for one in summaries if one.is_over), None)
    # Only who played what: devices and clock are in the settings' groups.
    finished = None if last is None else Plan(last.game, last.players)
    return PastSessions([one for one in summaries if not one.is_over], finished)


HOME_PAGES = frozenset({"evenings", "history", "people", "figures", "cards", "enrol", "settings", "share"})
"""Entries that open a page of the home screen instead of a command."""


def _perform_choice(choice: Plan | str, settings: Settings, translator: Translator) -> str:
    """Open what was chosen; return the message that the home screen shows afterwards."""
    if isinstance(choice, Plan) or choice not in HOME_PAGES:
        run_from_home_screen(choice, translator)
        return ""
    try:
        return commands.home_screen_pages.PAGE_OPENERS[choice](settings, translator)
    except Problem as fault:
        return translator.translate(fault.text)
