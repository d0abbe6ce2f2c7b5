"""The beginning of an evening by film, the camera alone, held in a hand. Whole evenings, also in
other light, are `bench by_film`."""

from pathlib import Path

from tests.simulated.film_evening import CONDITIONS, FilmEvening


def test_the_first_cards_of_an_evening_by_film_are_read_and_nothing_is_asked(tmp_path: Path) -> None:
    evening = FilmEvening(CONDITIONS["swaying"], tmp_path)
    while len(evening.live.list_acts()) < 3:
        assert evening.now < 20, evening.live.snapshot().view
        evening.step()
    assert evening.demo.director is not None
    assert (evening.demo.director.manual_entries, evening.asked, evening.wrong) == (0, set(), [])
