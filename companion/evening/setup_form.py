"""Data for the set-up form: the installed games, decks and options, and a preview of the camera.

The camera is opened by a thread for the preview, and closed when the form is left, so that the
evening can open it.
"""

from __future__ import annotations

import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING

from companion import crash
from companion import settings as kept_settings
from companion.decks.collection import available
from companion.plan import OFF, Plan
from companion.readers import camera
from companion.readers.thread import what_happened
from companion.rules import registry
from companion.rules.contract import Problem, Text
from companion.rules.options import OptionWords, in_words
from companion.table.decks import Deck, DeckError
from companion.table.sightings import HealthWatch
from companion.texts import Translator
from companion.views.dashboard.setup import GameRow, OptionRow, SetUp
from companion.views.dashboard.widgets.preview import CameraLook

if TYPE_CHECKING:
    from companion.readers.camera.frames import Onlooker
    from companion.readers.camera.sources import Frame
    from companion.views.dashboard.widgets.preview import Picture


class _Look:
    """State of one camera's preview. Frames that arrive after the form has turned to another camera
    are not shown."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.told = HealthWatch()
        self.fault: Text | None = None
        self.picture: Picture | None = None

    def see(self, frame: Frame) -> bool:
        """Keep the newest frame; return False, so that only the first photo of a folder is used."""
        self.picture = frame.image
        return False

    def seen(self) -> CameraLook:
        """Return the picture, or what is wrong."""
        if self.fault is not None:
            return CameraLook(None, self.fault)
        health = self.told.health
        if health is None:
            return CameraLook(None, None)
        return CameraLook(None if health.state == "lost" else self.picture, health.text)


class PreviewCamera:
    """Preview of one camera after another. Opening and closing may take seconds, so a thread does
    them."""

    def __init__(self) -> None:
        self._look: _Look | None = None
        self._asked: SimpleQueue[_Look | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def look_through(self, what: str) -> CameraLook:
        """Show the camera of this name from now on ("" or `off`: none). Return at once its current
        picture, or why there is none."""
        if self._look is None or self._look.what != what:
            self._look = _Look(what)
            self._asked.put(self._look)
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="preview", daemon=True)
            self._thread.start()
        return self._look.seen()

    def close(self) -> None:
        """Wait until the camera is released, so that the evening can open it."""
        if self._thread is not None:
            self._asked.put(None)
            self._thread.join()
            self._thread = self._look = None

    def _run(self) -> None:
        reader: Onlooker | None = None
        while True:
            look = self._asked.get()
            if reader is not None:
                reader.close()
            # The old camera is closed before the next is opened: it may be the same device.
            if look is None:
                return
            reader = _opened(look) if look is self._look else None  # otherwise another was named meanwhile


def _opened(look: _Look) -> Onlooker | None:
    """Start the preview; None if there is no camera to preview."""
    if look.what in ("", OFF):
        return None
    try:
        # OpenCV is loaded here, when the form is visible already.
        if look.what == camera.sources.PHONE:  # its code is shown at the table
            return None
        reader = camera.frames.Onlooker(camera.sources.find(look.what), look.see)
    except Problem as fault:
        look.fault = fault.text
        return None
    except Exception as error:  # OpenCV may fail to load, for instance: the form is still usable
        failed = Text("reader.failed", {"reader": "camera", "what": what_happened(error)})
        look.fault = crash.wanting(error) or failed
        return None
    reader.start(look.told)
    return reader


def fill_in(plan: Plan, say: Translator) -> Plan | None:
    """Ask for what the plan leaves open; None if the form was left.

    If the plan names no device, the camera that people here usually use is suggested.
    """
    settings = kept_settings.load()
    games = [game_row(name, say) for name in registry.game_ids()]
    named = plan.cameras or plan.readers or plan.replay
    camera = None if named else settings.camera
    preview = PreviewCamera()
    form = SetUp(games, say, plan, camera=camera, people=settings.names(), look_through=preview.look_through)
    try:
        return form.run()
    finally:
        preview.close()


def game_row(name: str, say: Translator) -> GameRow:
    """Return the form's row for a game: its decks, and its options in words."""
    game = registry.load(name)
    words = Translator(say.language, game)
    rows = tuple(_option(one, words) for one in in_words(game))
    return GameRow(name, words("game.title"), tuple(_decks().get(name, ())), rows)


def _option(one: OptionWords, words: Translator) -> OptionRow:
    """Describe an option: its subject, the effect of each value, and the sentence of the rule
    sheet."""
    values = sorted(one.values, key=lambda value: not value.usual)
    sheet = words("option.sheet", sheet=one.sheet) if one.sheet else words("option.silent")
    rows = tuple((words.say(value.effect), value.value) for value in values)
    return OptionRow(one.name, f"{words.say(one.about)} [{one.clause}]", sheet, rows, one.usual)


def _decks() -> dict[str, list[tuple[str, str]]]:
    """Return the usable decks by game, as (title, name). Faulty decks are left out; `companion
    cards check` reports them."""
    decks: dict[str, list[tuple[str, str]]] = {}
    for name, path in available().items():
        try:
            deck = Deck.load(path)
            decks.setdefault(deck.game, []).append((deck.name, name))
        except DeckError:
            continue
    return decks
