"""`companion calibrate`: show where the table is in the camera's picture, and save the layout."""

from __future__ import annotations

import argparse
from pathlib import Path

from companion.commands.common import add_language, add_share, not_over, usual_camera, usual_layout, usually
from companion.commands.running import has_screen
from companion.evening.first_start import source_of
from companion.evening.sharing import joined
from companion.readers.camera.reader import CameraReader
from companion.rules.contract import Problem
from companion.table import zones as layouts
from companion.table.sightings import HealthWatch
from companion.table.zones import SEATS, Camera, ZonesError, default, from_clicks
from companion.texts import Translator
from companion.views.dashboard.calibrate import WHOLE, Calibrate, Corners
from companion.views.dashboard.widgets.preview import Picture
from vision.library import Library


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `companion calibrate`."""
    add = parser.add_argument
    add("--camera", default=usual_camera(), metavar="SOURCE", help="calibrate.camera")
    add("--seats", type=int, default=4, help="calibrate.players")
    usually(add("--out", type=Path, default=None, metavar="FILE", help="calibrate.out"), usual_layout())
    add("--mat", action="store_true", help="calibrate.mat")
    add_share(parser)
    add_language(parser)


def run(arguments: argparse.Namespace) -> int:
    """Calibrate; return 0 if the layout was saved, 1 if the screen was left without. Raises
    `Problem`."""
    say = Translator(arguments.lang)
    if arguments.seats not in SEATS:
        raise Problem("calibrate.seats", least=SEATS[0], most=SEATS[-1])
    out = not_over(arguments.out, usual_layout())
    layout = default(arguments.seats)
    # The mat's marks are found in each picture, so there is nothing to click.
    if arguments.mat:
        return _keep(layout.seen_by(Camera("mat")), out, say)
    # Before the look for a screen: a video that does not exist is reported first.
    source = source_of(arguments.camera)
    if not has_screen():
        raise Problem("calibrate.no_screen")
    reader = CameraReader(source, Library(), layout)

    def place(corners: Corners) -> str:
        try:
            reader.calibrate(layout.seen_by(from_clicks(corners, 1, 1)))
        except ZonesError as fault:
            return say.say(fault.text)
        return ""

    def picture() -> Picture | None:
        preview = reader.preview(960)
        return None if preview is None else preview.image

    told = HealthWatch()
    with joined(source, say, arguments.share) as sharing:
        reader.start(told)
        try:
            app = Calibrate(picture, place, say, WHOLE, lambda: told.health)
            app.let_join(sharing)
            corners = app.run()
        finally:
            reader.close()
    if corners is None:
        return 1
    return _keep(layout.seen_by(from_clicks(corners, 1, 1)), out, say)


def _keep(layout: layouts.Zones, path: Path, say: Translator) -> int:
    layout.save(path)
    print(say("calibrate.kept", file=str(path)))
    return 0
