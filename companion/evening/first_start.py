"""Checks and preparations before the table opens.

Files named on the command line are checked at once: a file that is missing now will not appear by
itself. At the first start our cards are drawn once (one or two seconds), and the simulated card
reader is compiled (up to a minute).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from companion.decks.collection import find_deck, find_named_deck
from companion.decks.drawings import has_cached_drawings
from companion.plan import OFF, SIMULATED, CannotBegin, Plan
from companion.readers import camera, recordings
from companion.readers.recordings import RecordingError
from companion.readers.rfid.events import ReaderProblem
from companion.readers.rfid.simulator import build_firmware
from companion.rules.contract import Text
from companion.table import pad_plan as pad_plans
from companion.table import zones as layouts
from companion.table.decks import Deck
from companion.table.pad_plan import PadsError
from companion.table.zones import ZonesError
from companion.texts import Translator

if TYPE_CHECKING:
    from companion.readers.camera.sources import Source


def needs_card_drawing(plan: Plan) -> bool:
    """Return whether the evening must wait until its cards are drawn. Raises `DeckError`."""
    return _needs_drawings(plan) and not has_cached_drawings(find_plan_deck(plan, plan.game), plan.language)


def builds_demo_in_background(plan: Plan) -> bool:
    """Return whether the demo's table is made after its screen has appeared, which shows a message
    meanwhile.

    This holds only for the drawn table. One with simulated trays, or with pictures of reveals, is
    made before; without a screen there is nowhere to show the message.
    """
    return plan.demo and not plan.plain and SIMULATED not in plan.readers and not plan.pictures


def find_plan_deck(plan: Plan, game: str) -> Deck:
    """Return the named deck, else the game's own. Raises `DeckError`."""
    return find_deck(plan.deck) if plan.deck else find_named_deck(game)


def _needs_drawings(plan: Plan) -> bool:
    """Return whether a camera looks at cards, real or at the demo table; a simulated reader's demo
    with camera `off` has none."""
    demo_is_seen = plan.demo and not (SIMULATED in plan.readers and OFF in plan.cameras)
    return demo_is_seen or any(what != OFF for what in plan.cameras)


def build_simulated_board(translator: Translator) -> None:
    """Compile the simulated card reader if its sources have changed, and print the progress. Errors
    are reported when it is started."""
    begin, end = ("\r", "") if sys.stderr.isatty() else ("", "\n")

    def show_progress(done: int, count: int) -> None:
        words = translator("reader.simulator_building", done=str(done), count=str(count))
        print(f"{begin}{words}", end="\n" if done == count else end, file=sys.stderr, flush=True)

    # Its error is reported when the board is started.
    with suppress(ReaderProblem):
        build_firmware(on_progress=show_progress)


def check_input_files(
    cameras: Iterable[str], *, replay: Path | None, pads: Path | None, zones: Path | None
) -> None:
    """Raise `CannotBegin` at the first of these files or devices that is missing or unusable; see
    `companion.plan.Plan`."""
    try:
        for camera_name in cameras:
            _check_camera_source(camera_name)
        if replay is not None:
            recordings.read_recording(replay)
        if pads is not None:
            pad_plans.load_pads(pads)
        if zones is not None:
            layouts.load_zones(zones)
    except (RecordingError, PadsError, ZonesError) as fault:
        if isinstance(fault, ZonesError) and isinstance(fault.__cause__, FileNotFoundError):
            raise CannotBegin(Text("play.no_layout", {"file": str(zones)})) from fault
        raise CannotBegin(fault.text) from fault


def _check_camera_source(name: str) -> None:
    try:
        find_camera_source(name)
    except camera.sources.SourceError as fault:
        raise CannotBegin(fault.text) from fault


def find_camera_source(name: str) -> Source:
    """Return the camera, video or folder of photos that a person named.

    Raises `SourceError` for a video or folder that cannot be shown; a camera may still be plugged
    in.
    """
    source = camera.sources.find_source(name)
    # A camera may still be plugged in; a file that cannot be opened now will not appear by itself.
    if not source.can_reconnect:
        source.open()
        source.close()
    return source
