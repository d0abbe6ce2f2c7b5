"""The files that a command line names, looked at before anything opens: what is not there now will
not come by itself."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from companion.plan import CannotBegin
from companion.readers import camera, recorded
from companion.readers.recorded import RecordingError
from companion.rules.contract import Text
from companion.table import pads as pad_plans
from companion.table.pads import PadsError

if TYPE_CHECKING:
    from companion.readers.camera.sources import Source


def look_over(cameras: Iterable[str], *, replay: Path | None, pads: Path | None, zones: Path | None) -> None:
    """Raise `CannotBegin` at the first of these that is missing or not what it should be; see
    `companion.plan.Plan`."""
    try:
        for what in cameras:
            _look_through(what)
        if replay is not None:
            recorded.read(replay)
        if pads is not None:
            pad_plans.load(pads)
    except (RecordingError, PadsError) as fault:
        raise CannotBegin(fault.text) from fault
    if zones is not None and not zones.is_file():
        raise CannotBegin(Text("play.no_layout", {"file": str(zones)}))


def _look_through(what: str) -> None:
    try:
        source_of(what)
    except camera.sources.SourceError as fault:
        raise CannotBegin(fault.text) from fault


def source_of(what: str) -> Source:
    """Return the camera, film or folder of photos that a person named.

    Raises `SourceError` for a film or a folder that cannot be shown; a camera may still be plugged
    in.
    """
    source = camera.sources.find(what)
    if not source.returns:
        source.open()
        source.close()
    return source
