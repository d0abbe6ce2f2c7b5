from __future__ import annotations

import filming
import pytest

from companion.decks.references import views_of
from companion.enrolment.album import Album, asked_for
from companion.enrolment.enroller import Enroller
from companion.table.decks import Deck


@pytest.fixture(autouse=True)
def decks_at_home(tmp_path, monkeypatch):
    """People's own decks are kept in the test's folder."""
    home = tmp_path / "home" / "decks"
    monkeypatch.setattr("companion.decks.collection.user_decks", lambda: home)
    return home


@pytest.fixture
def pack(tmp_path):
    return filming.deck_folder(tmp_path / "pack")


@pytest.fixture
def begin(pack):
    """Begin to enrol the pack, or go on."""

    def start(again=""):
        deck = Deck.load(pack)
        return Enroller(Album(deck, views_of(deck)[0]), asked_for(deck, ()), again)

    return start


class Hands:
    """Someone who lays cards before the camera; time passes as in a film of five frames a
    second."""

    def __init__(self, enroller):
        self.enroller = enroller
        self.at = 0.0

    def show(self, picture, seconds=1.0):
        for _ in range(round(5 * seconds)):
            self.enroller.see(picture, self.at)
            self.at += 0.2

    def lay(self, card, place="middle", seed=2):
        self.show(filming.table().frame(), 0.2)
        self.show(filming.one(card, place, seed), 0.8)


@pytest.fixture
def hands():
    return Hands
