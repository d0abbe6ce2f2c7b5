"""`companion` alone: the front door. Each entry opens an evening, a page or a command; when that
ends, the door opens again.

Without a screen the demo table is played line by line, as by `companion play`.
"""

from __future__ import annotations

import argparse

from companion import commands
from companion import settings as kept_settings
from companion.commands.common import add_language
from companion.commands.running import has_screen, run_from_the_door
from companion.evening.welcome import Past, doings
from companion.journal.place import StorageFault
from companion.journal.store import Store, default_path
from companion.journal.summaries import last_played
from companion.plan import Plan
from companion.rules.contract import Problem
from companion.settings import Settings
from companion.texts import Translator
from companion.views.door.door import Door


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `companion` alone."""
    add_language(parser)
    parser.set_defaults(lang=None)  # the settings' language may change while the door is open


def run(arguments: argparse.Namespace) -> int:
    """Show the door until it is left; return 0."""
    if not has_screen():
        language = arguments.lang or kept_settings.load().spoken()
        return commands.play.play(Plan(demo=True, offers=True, language=language))
    said = ""
    while True:
        # What was opened from the door may have changed them.
        settings = kept_settings.load()
        say = Translator(arguments.lang or settings.spoken())
        past = look_back(settings)
        chosen = Door(doings(settings, past, say), say, settings.theme, said).run()
        if chosen is None:
            return 0
        said = _done(chosen.opens, settings, say)


def look_back(settings: Settings) -> Past:
    """Return what the door shows of earlier evenings, without those that were discarded."""
    if not default_path().exists():
        return Past()
    try:
        with Store.look(default_path()) as store:
            played = list(last_played(store, settings.thrown_away, settings.called))
    # The door opens all the same; what is wrong with the journal is told where it is needed.
    except StorageFault:
        return Past()
    last = next((one for one in played if one.over), None)
    # Only who played what: devices and clock are in the settings' groups.
    finished = None if last is None else Plan(last.game, last.players)
    return Past([one for one in played if not one.over], finished)


OWN_PAGES = frozenset({"evenings", "history", "people", "figures", "cards", "settings", "share"})
"""Entries that open a page of the door instead of a command."""


def _done(opens: Plan | str, settings: Settings, say: Translator) -> str:
    """Open what was chosen; return the message that the door shows afterwards."""
    if isinstance(opens, Plan) or opens not in OWN_PAGES:
        run_from_the_door(opens, say)
        return ""
    try:
        return commands.front_door.LOOKING[opens](settings, say)
    except Problem as fault:
        return say.say(fault.text)
