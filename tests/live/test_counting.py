"""The deck is counted before the game: cards are laid out lot by lot, nothing of them is played,
and the checklist is ticked off."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from companion.games.dtc.moves import Offer
from companion.rules import registry
from companion.rules.contract import Text
from companion.table.decks import Deck
from companion.table.sightings import Health, Sighting
from tests.live.seats import Seats
from tests.rules.talk import setup_of


def table(game_id: str, *players: str) -> Seats:
    game = registry.load_game(game_id)
    seats = Seats(deck=Deck.load_builtin(game_id), game=game, setup=setup_of(game, list(players)))
    seats.live.post_report(Health("camera", "ok", Text("reader.ok"), seats.now))
    seats.later()
    return seats


def ticks(seats: Seats) -> Iterator[str]:
    return (reason.text.code.removeprefix("step.") for reason in seats.live.snapshot().report)


def show(seats: Seats, *cards: str) -> None:
    """Lay a lot out in the middle, let it be seen, and take it away again."""
    lot = [seats.lay(1, card) for card in cards]
    seats.later(1)
    for one in lot:
        seats.take(one)
    seats.later(1)


def test_twenty_donkeys_shown_in_lots_are_counted_and_none_of_them_is_played() -> None:
    seats = table("donkey_valley", "Ann", "Ben", "Cy")
    assert seats.live.snapshot().can_count
    seats.live.pause_for_card_count()
    assert (seats.live.snapshot().can_count, seats.live.snapshot().notice.code) == (False, "live.counting")
    (*kinds, (last, one)) = (
        row for row in Deck.load_builtin("donkey_valley").card_counts.items() if "donkey:" in row[0]
    )
    for donkey, copies in kinds:
        show(seats, *(donkey for _ in range(copies)))
    assert list(ticks(seats))[:2] == ["open", "counted"]
    assert seats.live.snapshot().notice == Text("live.counting", {"shown": 20 - one, "all": 50})
    show(seats, "donkey:normal", "donkey:giant")  # shown once more, they are no more donkeys
    assert list(ticks(seats))[1] == "counted"
    show(seats, *(last for _ in range(one)))
    assert list(ticks(seats))[1] == "done"
    assert seats.live.list_acts() == []
    seats.live.confirm_moves()
    seats.later(2)
    seats.live.post_report(Sighting("camera", 99, "donkey:giant", "middle", seats.now))
    assert seats.later(2).view["donkey"] == "giant"
    assert not seats.live.snapshot().can_count


@pytest.mark.parametrize("game_id", ["ascend", "dtc", "ochs_und_esel", "partners"])
def test_every_deck_is_complete_when_all_its_cards_were_shown_and_not_one_sooner(game_id: str) -> None:
    seats = table(game_id, "Ann", "Ben", "Cy", "Dee")
    seats.live.pause_for_card_count()
    (*kinds, (last, copies)) = Deck.load_builtin(game_id).card_counts.items()
    for card, of in kinds:
        show(seats, *(card for _ in range(of)))
    show(seats, *(last for _ in range(copies - 1)))
    assert next(ticks(seats)) == "counted"
    show(seats, *(last for _ in range(copies)))
    assert next(ticks(seats)) == "done"
    assert (seats.live.list_acts(), seats.live.snapshot().questions) == ([], ())


def test_without_a_reader_and_once_the_game_has_begun_there_is_nothing_to_count() -> None:
    game = registry.load_game("donkey_valley")
    seats = Seats(
        deck=Deck.load_builtin("donkey_valley"), game=game, setup=setup_of(game, ["Ann", "Ben", "Cy"])
    )
    seats.live.pause_for_card_count()
    assert (seats.live.snapshot().can_count, seats.live.snapshot().notice) == (False, None)


def test_cards_that_are_being_put_right_are_not_counted_once_the_first_act_is_taken_back() -> None:
    live = table("dtc", "Ann", "Ben", "Cy").live
    live.submit_request(Offer(live.snapshot().view["waiting_for"][0]["player"], 3, 4))
    live.hold_play()
    live.undo()
    assert not live.snapshot().can_undo
    assert live.snapshot().notice == Text("live.held")
