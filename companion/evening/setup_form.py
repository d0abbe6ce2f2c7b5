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
from companion.decks.collection import describe_deck_name, list_deck_files
from companion.plan import OFF, Plan
from companion.readers import camera
from companion.rules import registry
from companion.rules.contract import Problem, Text
from companion.rules.messages import describe_exception
from companion.rules.options import OptionWords, describe_options
from companion.table.decks import Deck, DeckError
from companion.table.sightings import HealthMonitor
from companion.texts import Translator
from companion.views.conversations import translate_source
from companion.views.dashboard.setup import GameRow, OptionRow, SetupApp
from companion.views.dashboard.widgets.camera_preview import CameraView

if TYPE_CHECKING:
    from companion.readers.camera.frames import FrameForwarder
    from companion.readers.camera.sources import Frame
    from companion.views.dashboard.widgets.camera_preview import Picture


class _CameraPreview:
    """State of one camera's preview. Frames that arrive after the form has turned to another camera
    are not shown."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.health_watch = HealthMonitor()
        self.fault: Text | None = None
        self.picture: Picture | None = None

    def store_frame(self, frame: Frame) -> bool:
        """Keep the newest frame; return False, so that only the first photo of a folder is used."""
        self.picture = frame.image
        return False

    def build_look(self) -> CameraView:
        """Return the picture, or what is wrong."""
        if self.fault is not None:
            return CameraView(None, self.fault)
        health = self.health_watch.health
        if health is None:
            return CameraView(None, None)
        return CameraView(None if health.state == "lost" else self.picture, health.text)


class PreviewCamera:
    """Preview of one camera after another. Opening and closing may take seconds, so a thread does
    them."""

    def __init__(self) -> None:
        self._preview: _CameraPreview | None = None
        self._requests: SimpleQueue[_CameraPreview | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def switch_preview_to(self, name: str) -> CameraView:
        """Preview the camera of this name from now on ("" or `off`: none). Return at once its
        current picture, or why there is none."""
        if self._preview is None or self._preview.name != name:
            self._preview = _CameraPreview(name)
            self._requests.put(self._preview)
        if self._thread is None:
            self._thread = threading.Thread(target=self._preview_loop, name="preview", daemon=True)
            self._thread.start()
        return self._preview.build_look()

    def close(self) -> None:
        """Wait until the camera is released, so that the evening can open it."""
        if self._thread is not None:
            self._requests.put(None)
            self._thread.join()
            self._thread = self._preview = None

    def _preview_loop(self) -> None:
        reader: FrameForwarder | None = None
        while True:
            preview = self._requests.get()
            if reader is not None:
                reader.close()
            # The old camera is closed before the next is opened: it may be the same device.
            if preview is None:
                return
            reader = (
                _open_preview(preview) if preview is self._preview else None
            )  # otherwise another was named meanwhile


def _open_preview(preview: _CameraPreview) -> FrameForwarder | None:
    """Start the preview; None if there is no camera to preview."""
    if preview.name in ("", OFF):
        return None
    try:
        # OpenCV is loaded here, when the form is visible already.
        if preview.name == camera.sources.PHONE:  # its code is shown at the table
            return None
        reader = camera.frames.FrameForwarder(camera.sources.find_source(preview.name), preview.store_frame)
    except Problem as fault:
        preview.fault = fault.text
        return None
    except Exception as error:  # OpenCV may fail to load, for instance: the form is still usable
        failed = Text("reader.failed", {"reader": "camera", "what": describe_exception(error)})
        preview.fault = crash.describe_missing_library(error) or failed
        return None
    reader.start(preview.health_watch)
    return reader


def run_setup_form(plan: Plan, translator: Translator) -> Plan | None:
    """Ask for what the plan leaves open; None if the form was left.

    If the plan names no device, the camera that people here usually use is suggested.
    """
    settings = kept_settings.load_settings()
    games = [build_game_row(name, translator) for name in registry.list_game_ids()]
    devices = plan.cameras or plan.readers or plan.replay
    camera = None if devices else settings.camera
    preview = PreviewCamera()
    form = SetupApp(
        games,
        translator,
        plan,
        camera=camera,
        people=settings.list_known_names(),
        look_through=preview.switch_preview_to,
        habits=settings.list_last_options(),
    )
    try:
        return form.run()
    finally:
        preview.close()


def build_game_row(name: str, translator: Translator) -> GameRow:
    """Return the form's row for a game: its decks, and its options in words."""
    game = registry.load_game(name)
    words = Translator(translator.language, game)
    rows = tuple(_build_option_row(one, words) for one in describe_options(game))
    return GameRow(name, words("game.title"), tuple(_list_decks_by_game(translator).get(name, ())), rows)


def _build_option_row(option: OptionWords, words: Translator) -> OptionRow:
    """Describe an option: its subject, the effect of each value, and the sentence of the rule
    sheet."""
    values = sorted(option.values, key=lambda value: not value.usual)
    sheet = translate_source(option, words)
    rows = tuple((words.translate(value.effect), value.value) for value in values)
    return OptionRow(
        option.name,
        f"{words.translate(option.about)} [{option.clause}]",
        sheet,
        rows,
        option.usual,
        option.is_preference,
    )


def _list_decks_by_game(translator: Translator) -> dict[str, list[tuple[str, str]]]:
    """Return the usable decks by game, as (title, name). Faulty decks are left out; `companion
    cards check` reports them."""
    decks: dict[str, list[tuple[str, str]]] = {}
    for name, path in list_deck_files().items():
        try:
            deck = Deck.load(path)
            decks.setdefault(deck.game, []).append(
                (translator.format_argument(describe_deck_name(deck)), name)
            )
        except DeckError:
            continue
    return decks
