"""`companion calibrate`: show where the table is in the camera's picture, and save the layout."""

from __future__ import annotations

import argparse
from pathlib import Path

from companion.commands.common import (
    add_language_option,
    add_share_option,
    choose_output_file,
    default_camera,
    default_layout_path,
    set_help_default,
)
from companion.commands.running import has_screen
from companion.evening.first_start import find_camera_source
from companion.evening.sharing import connect_phone
from companion.readers.camera.reader import CameraReader
from companion.rules.contract import Problem
from companion.table import zones as layouts
from companion.table.sightings import HealthMonitor
from companion.table.zones import SEATS, Camera, ZonesError, calibrate_from_clicks, make_default_zones
from companion.texts import Translator
from companion.views.dashboard.calibrate import WHOLE, CalibrationApp, Corners
from companion.views.dashboard.widgets.camera_preview import Picture
from vision.library import Library


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `companion calibrate`."""
    add = parser.add_argument
    add("--camera", default=default_camera(), metavar="SOURCE", help="calibrate.camera")
    add("--seats", type=int, default=4, help="calibrate.players")
    set_help_default(
        add("--out", type=Path, default=None, metavar="FILE", help="calibrate.out"), default_layout_path()
    )
    add("--mat", action="store_true", help="calibrate.mat")
    add_share_option(parser)
    add_language_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Calibrate; return 0 if the layout was saved, 1 if the screen was left without. Raises
    `Problem`."""
    translator = Translator(arguments.lang)
    if arguments.seats not in SEATS:
        raise Problem("calibrate.seats", least=SEATS[0], most=SEATS[-1])
    out = choose_output_file(arguments.out, default_layout_path())
    layout = make_default_zones(arguments.seats)
    # The mat's marks are found in each picture, so there is nothing to click.
    if arguments.mat:
        return _save_layout(layout.with_camera(Camera("mat")), out, translator)
    # Before the look for a screen: a video that does not exist is reported first.
    source = find_camera_source(arguments.camera)
    if not has_screen():
        raise Problem("calibrate.no_screen")
    reader = CameraReader(source, Library(), layout)

    def calibrate_reader(corners: Corners) -> str:
        try:
            reader.calibrate(layout.with_camera(calibrate_from_clicks(corners, 1, 1)))
        except ZonesError as fault:
            return translator.translate(fault.text)
        return ""

    def grab_picture() -> Picture | None:
        preview = reader.draw_preview(960)
        return None if preview is None else preview.image

    health_watch = HealthMonitor()
    with connect_phone(source, translator, arguments.share) as sharing:
        reader.start(health_watch)
        try:
            app = CalibrationApp(
                grab_picture, calibrate_reader, translator, WHOLE, lambda: health_watch.health
            )
            app.enable_sharing(sharing)
            corners = app.run()
        finally:
            reader.close()
    if corners is None:
        return 1
    return _save_layout(layout.with_camera(calibrate_from_clicks(corners, 1, 1)), out, translator)


def _save_layout(layout: layouts.Zones, path: Path, translator: Translator) -> int:
    layout.save(path)
    print(translator("calibrate.kept", file=str(path)))
    return 0
