"""Readers on any source, of the drawn deck if no other, with somebody who listens."""

from __future__ import annotations

import pytest
from cards import Listener, library, world

from companion.readers.camera.reader import CameraReader

LIBRARY = library()


@pytest.fixture
def listening():
    """Start a reader with somebody who listens, and close it in the end whatever happens."""
    readers = []

    def begin(reader):
        listener = Listener()
        readers.append(reader)
        reader.start(listener)
        return reader, listener

    yield begin
    for reader in readers:
        reader.close()


@pytest.fixture
def start(listening):
    """Start a reader of the drawn deck on a source."""

    def begin(source, layout=None):
        layout = layout or world().zones.with_camera(world().camera)
        return listening(CameraReader(source, LIBRARY, layout))

    return begin
