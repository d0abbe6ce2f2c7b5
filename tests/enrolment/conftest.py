from __future__ import annotations

import filming
import pytest

from companion.decks.references import load_views
from companion.enrolment.album import Album, list_wanted_designs
from companion.enrolment.enroller import Enroller
from companion.table.decks import Deck


@pytest.fixture(autouse=True)
def decks_at_home(tmp_path, monkeypatch):
    """People's own decks are kept in the test's folder."""
    home = tmp_path / "home" / "decks"
    monkeypatch.setattr("companion.decks.collection.user_decks_folder", lambda: home)
    return home


@pytest.fixture
def pack(tmp_path):
    return filming.deck_folder(tmp_path / "pack")


@pytest.fixture
def begin(pack):
    """Begin to enrol the pack, or go on."""

    def start(again=""):
        deck = Deck.load(pack)
        return Enroller(Album(deck, load_views(deck)[0]), list_wanted_designs(deck, ()), again)

    return start


class Hands:
    """Someone who lays cards before the camera; time passes as in a film of five frames a
    second."""

    def __init__(self, enroller):
        self.enroller = enroller
        self.at = 100.0

    def show(self, picture, seconds=1.0):
        for _ in range(round(5 * seconds)):
            self.enroller.add_frame(picture, self.at)
            self.at += 0.2

    def lay(self, card, place="middle", seed=2):
        self.show(filming.table().render_frame(), 0.2)
        self.show(filming.one(card, place, seed), 0.8)


@pytest.fixture
def hands():
    return Hands
