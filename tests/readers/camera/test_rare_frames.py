"""A camera whose frames are rare, a phone over a weak network say: cards are read between them."""

from __future__ import annotations

import time

import cv2
import pytest
from cards import library, until, world

from companion.readers.camera.reader import CameraReader
from companion.readers.camera.sources import Frame, Phone
from companion.table.sightings import Sighting, Unrest

PLAYED = "load:red:1"


def tables():
    """The bare table, and the same with a card."""
    table = world(seed=5)
    bare = table.frame()
    table.lay(PLAYED, "seat:1")
    return bare, table.frame()


def test_a_card_is_named_in_the_frame_in_which_it_first_lies_still(start):
    """At a frame a second; it took seven of them when only frames themselves did steps of the
    reading."""
    bare, played = tables()
    table = world(seed=5)
    reader = CameraReader(Phone(), library(), table.zones.seen_by(table.camera))
    told = []
    reader.attach(told.append)
    for second, picture in enumerate([bare, played, played]):
        reader.look_at(Frame(picture, float(second)))
        while reader.go_on():
            pass
    named = [one for one in told if isinstance(one, Sighting) and one.sure]
    assert [(one.design, one.where, one.at) for one in named] == [(PLAYED, "seat:1", 2.0)]
    assert [one for one in told if isinstance(one, Unrest)][-1].busy is False


@pytest.mark.parametrize("later", [0.0, 0.4], ids=["at once", "when the place is looked at again"])
def test_a_phone_that_sends_no_further_picture_has_shown_the_card_all_the_same(start, later):
    phone = Phone()
    phone.take(b"")
    reader, listener = start(phone)
    bare, played = tables()
    for sent, picture in enumerate([bare, played, played], start=1):
        phone.take(cv2.imencode(".jpg", picture)[1].tobytes())
        until(lambda sent=sent: reader.looked == sent)
        time.sleep(0.15)  # so long a thing must lie before it is looked at (`attention.REST`)
    listener.wait_for(lambda one: isinstance(one, Sighting) and one.design == PLAYED)
    # a reading that is not very clear wants a second that agrees, of another picture
    time.sleep(later)
    phone.take(cv2.imencode(".jpg", played)[1].tobytes())
    listener.wait_for_card(PLAYED)
    assert reader.looked <= 4
