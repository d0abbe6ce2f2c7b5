"""A camera whose frames are rare, a phone over a weak network say: cards are read between them."""

from __future__ import annotations

import time

import cv2
import pytest
from cards import library, until, world

from companion.readers.camera.reader import CameraReader
from companion.readers.camera.sources import Frame, PhoneCamera
from companion.table.sightings import ActivityReport, Sighting

PLAYED = "load:red:1"


def tables():
    """The bare table, and the same with a card."""
    table = world(seed=5)
    bare = table.render_frame()
    table.lay_card(PLAYED, "seat:1")
    return bare, table.render_frame()


def test_a_card_is_named_in_the_frame_in_which_it_first_lies_still(start):
    """At a frame a second; it took seven of them when only frames themselves did steps of the
    reading."""
    bare, played = tables()
    table = world(seed=5)
    reader = CameraReader(PhoneCamera(), library(), table.zones.with_camera(table.camera))
    told = []
    reader.attach(told.append)
    for second, picture in enumerate([bare, played, played]):
        reader.process_frame(Frame(picture, float(second)))
        while reader.continue_processing():
            pass
    named = [one for one in told if isinstance(one, Sighting) and one.sure]
    assert [(one.design, one.where, one.at) for one in named] == [(PLAYED, "seat:1", 2.0)]
    assert [one for one in told if isinstance(one, ActivityReport)][-1].busy is False


@pytest.mark.parametrize("later", [0.0, 0.4], ids=["at once", "when the place is looked at again"])
def test_a_phone_that_sends_no_further_picture_has_shown_the_card_all_the_same(start, later):
    phone = PhoneCamera()
    phone.receive_picture(b"")
    reader, listener = start(phone)
    bare, played = tables()
    for sent, picture in enumerate([bare, played, played], start=1):
        phone.receive_picture(cv2.imencode(".jpg", picture)[1].tobytes())
        until(lambda sent=sent: reader.processed_frames == sent)
        time.sleep(0.15)  # so long a thing must lie before it is looked at (`attention.REST`)
    listener.wait_for(lambda one: isinstance(one, Sighting) and one.design == PLAYED)
    # a reading that is not very clear wants a second that agrees, of another picture
    time.sleep(later)
    phone.receive_picture(cv2.imencode(".jpg", played)[1].tobytes())
    listener.wait_for_card(PLAYED)
    assert reader.processed_frames <= 4
