"""A reader of the drawn deck on any source."""

from __future__ import annotations

import pytest
from cards import Listener, library, world

from companion.readers.camera.reader import CameraReader

LIBRARY = library()


@pytest.fixture
def start():
    """Start a reader on a source, and close it in the end whatever happens."""
    readers = []

    def begin(source, layout=None):
        listener = Listener()
        layout = layout or world().zones.seen_by(world().camera)
        reader = CameraReader(source, LIBRARY, layout)
        readers.append(reader)
        reader.start(listener)
        return reader, listener

    yield begin
    for reader in readers:
        reader.close()
