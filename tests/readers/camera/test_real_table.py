from __future__ import annotations

import epfl52
import pytest

pytestmark = [
    pytest.mark.photos,
    pytest.mark.skipif(not epfl52.FOLDER.is_dir(), reason="the photographs are not there"),
]


@pytest.fixture(scope="module")
def known():
    return epfl52.library()


@pytest.fixture(scope="module")
def reveals(known, tmp_path_factory):
    return epfl52.reveals(epfl52.copy_games(tmp_path_factory.mktemp("real") / "photos", 2), known)


def test_the_whole_deck_is_enrolled_from_the_photos_of_one_game(known):
    assert len(known.designs) == 52


def test_every_photo_of_a_game_is_one_reveal(reveals):
    assert len(reveals) == 13
    assert [reveal.photo for reveal in reveals] == [f"game2-{number}.jpg" for number in range(1, 14)]


def test_no_seat_is_given_a_card_that_does_not_lie_there(reveals):
    truth = epfl52.truth()
    wrong = [
        (reveal.photo, seat, card, truth[reveal.photo].get(seat))
        for reveal in reveals
        for seat, card in reveal.cards.items()
        if card != epfl52.DECK.find_card(truth[reveal.photo].get(seat, ""))
    ]
    assert wrong == []


def test_nearly_every_number_card_is_read_at_its_seat(reveals):
    truth = epfl52.truth()
    due = {
        (reveal.photo, seat): epfl52.DECK.find_card(design)
        for reveal in reveals
        for seat, design in truth[reveal.photo].items()
        if epfl52.DECK.find_card(design) is not None
    }
    read = {(reveal.photo, seat): card for reveal in reveals for seat, card in reveal.cards.items()}
    right = sum(read.get(place) == card for place, card in due.items())
    assert len(due) > 35
    assert right >= 0.97 * len(due)
