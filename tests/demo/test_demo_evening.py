"""Whole evenings at the demo table: drawn cards, the camera's own code, the rules, and hands that
put right what was taken back."""

import pytest

from companion.games.donkey_valley import moves as ask
from companion.rules.contract import GAME_OVER, Request, Text
from companion.table.sightings import Health
from companion.views.plain_view import PlainView
from tests.demo.demo_evening import Evening


def cards_at(evening: Evening, zone: str) -> list[tuple[str, str]]:
    assert evening.demo.world is not None
    return [(card.card, card.face) for card in evening.demo.world.table_cards if card.zone == zone]


def run_until_acts(evening: Evening, count: int, seconds: float = 60.0) -> None:
    deadline = evening.now + seconds
    while len(evening.live.list_acts()) < count:
        assert evening.now < deadline, evening.live.snapshot().view
        evening.step()


def until_done(evening: Evening, request: Request, seconds: float = 60.0) -> None:
    deadline = evening.now + seconds
    while request not in [act.request for act in evening.live.list_acts()]:
        assert evening.now < deadline, evening.live.snapshot().view
        evening.step()


def until_calm(evening: Evening, seconds: float = 40.0) -> None:
    """Go on until the hands have put the cards right and the session listens again."""
    deadline = evening.now + seconds
    evening.step()
    while evening.demo.director._rearranging_since is not None:
        assert evening.now < deadline
        evening.step()


@pytest.mark.slow
def test_taken_up_again_eight_rounds_end_without_a_key_with_a_winner_and_an_explained_score_sheet() -> None:
    begun = Evening(players=3, seed=1, speed=8.0)
    run_until_acts(begun, 9)
    assert begun.demo.director.manual_entries == 0
    evening = begun.again()
    # Cards are asked for as soon as the camera says that it sees.
    evening.live.post_report(Health("camera", "ok", Text("reader.ok"), 0.0))
    evening.step()
    assert evening.live.snapshot().moves
    run_until_acts(evening, 12)
    assert evening.live.snapshot().moves == ()
    evening.until(GAME_OVER, 200)
    view = evening.live.snapshot().view
    assert view["result"]["winners"]
    for row in view["players"]:
        reasons = evening.live.explain_points(row["name"])
        assert sorted(reason.text.args["round"] for reason in reasons) == list(range(1, 9))
        assert sum(reason.points or 0 for reason in reasons) == row["points"]
        assert all(reason.clauses for reason in reasons)
    assert evening.demo.director.manual_entries == 0
    assert evening.live.snapshot().questions == ()


def test_a_card_that_was_taken_back_is_laid_again_by_redo_or_by_the_hands_themselves() -> None:
    evening = Evening(players=3, seed=1)
    run_until_acts(evening, 4)
    before = cards_at(evening, "seat:3")
    assert before
    while isinstance(evening.live.list_acts()[-1].request, ask.NoFavour):
        assert evening.live.undo() is None
    for redone in (True, False):
        assert evening.live.undo() is None
        undone = len(evening.live.list_acts())
        until_calm(evening)
        assert cards_at(evening, "seat:3") == []
        assert evening.live.snapshot().moves == ()
        if redone:
            evening.demo.set_paused(True)
            assert evening.live.redo() is None
            evening.demo.set_paused(False)
            until_calm(evening)
        else:
            run_until_acts(evening, undone + 1)
        assert evening.live.list_acts()[-1].request == ask.Load("Chloé")
        assert cards_at(evening, "seat:3") == before


def test_an_undo_moves_only_the_cards_that_lie_wrong() -> None:
    evening = Evening(players=3, seed=1)
    evening.until("decisions", 60)
    while evening.demo.director._action is not None or len(evening.demo.director.gestures_by_act) != len(
        evening.live.list_acts()
    ):
        evening.step()
    evening.live.undo()
    performed: list[object] = []
    evening.demo.stage.perform = performed.extend  # type: ignore[method-assign]
    evening.step()
    assert len(performed) <= 1


def test_paused_hands_stand_still_and_a_step_moves_one_of_them() -> None:
    evening = Evening(players=3, seed=1)
    run_until_acts(evening, 1)
    evening.demo.set_paused(True)
    for _ in range(50):
        evening.step()
    assert len(evening.live.list_acts()) == 1
    command = {command.typed: command for command in evening.demo.commands}["s"]
    for _ in range(3):
        command.act()
        for _ in range(40):
            evening.step()
    assert evening.demo.stage.paused
    assert len(evening.live.list_acts()) >= 2


def takes_over(evening: Evening, player: str) -> None:
    while [wait["player"] for wait in evening.live.snapshot().view["waiting_for"]][:1] != [player]:
        evening.step()
    {command.typed: command for command in evening.demo.commands}["o"].act()
    assert player in evening.demo.people
    until_calm(evening)


def wishes(evening: Evening, player: str) -> list[Request]:
    return [choice.request for choice in evening.demo.list_playable_choices(player)]


def test_who_takes_over_a_seat_chooses_which_load_lies_face_down_takes_it_back_and_lays_another() -> None:
    evening = Evening(players=3, seed=1)
    takes_over(evening, "Bob")
    for _ in range(60):
        evening.step()
    for value in (9, 4):
        assert cards_at(evening, "seat:2") == []
        assert ask.Load("Bob", 1, (value,)) in wishes(evening, "Bob")
        evening.demo.perform_request(ask.Load("Bob", 1, (value,)))
        until_done(evening, ask.Load("Bob"))  # the referee does not know which
        assert cards_at(evening, "seat:2") == [(f"load:blue:{value}", "down")]
        while ask.Load("Bob") in [act.request for act in evening.live.list_acts()]:
            evening.live.undo()
        until_calm(evening)
    assert cards_at(evening, "seat:2") == []


def test_told_line_by_line_too_the_person_decides_turns_up_that_load_and_gives_the_seat_back() -> None:
    evening = Evening(players=3, seed=1)
    lines: list[str] = []
    plain = PlainView(evening.live, evening.translator, lines.append, evening.demo)
    takes_over(evening, "Bob")
    plain.poll_table(evening.now)
    plain.enter_line("")
    key = next(line for line in lines if "9" in line and "face down" in line).partition(":")[0]
    plain.enter_line(key)
    until_done(evening, ask.Load("Bob"))
    assert cards_at(evening, "seat:2") == [("load:blue:9", "down")]
    deadline = evening.now + 120
    played: list[Request] = []
    while not any(
        isinstance(act.request, ask.Reveal) and act.request.player == "Bob"
        for act in evening.live.list_acts()
    ):
        assert evening.now < deadline, evening.live.snapshot().view["waiting_for"]
        evening.step()
        waits = [wait["player"] for wait in evening.live.snapshot().view["waiting_for"]]
        ready = evening.demo.director._action is None and not evening.demo.director._queued_requests
        if waits[:1] == ["Bob"] and ready and (offers := wishes(evening, "Bob")):
            wish = offers[-1] if isinstance(offers[0], ask.Load) else offers[0]  # the highest load
            evening.demo.perform_request(wish)
            played.append(wish)
    reveal = next(
        act.request
        for act in evening.live.list_acts()
        if isinstance(act.request, ask.Reveal) and act.request.player == "Bob"
    )
    loads = [(9,), *(wish.values for wish in played if isinstance(wish, ask.Load))]
    assert reveal.values == loads[-1]
    assert any(isinstance(wish, ask.Decide) for wish in played)
    assert evening.demo.director.manual_entries == 0
    evening.demo.director.people.clear()
    run_until_acts(evening, len(evening.live.list_acts()) + 3)


@pytest.mark.parametrize("game", ["dtc", "ochs_und_esel", "partners", "ascend"])
def test_the_first_plays_of_every_game_are_read_and_a_person_may_do_what_the_hand_can_do(game: str) -> None:
    evening = Evening(game, players=4, seed=2)
    run_until_acts(evening, 4)
    assert evening.live.snapshot().keeping is not None or evening.live.snapshot().refusal is None
    assert evening.demo.director.manual_entries == 0
    while not [wait for wait in evening.live.snapshot().view["waiting_for"] if wait["player"]]:
        evening.step()
    player = evening.live.snapshot().view["waiting_for"][0]["player"]
    takes_over(evening, player)
    acts = len(evening.live.list_acts())
    hand = [
        card.partition(":")[2] for card in evening.demo.players.list_hand(evening.live.list_acts(), player)
    ]
    choices = evening.demo.list_playable_choices(player)
    assert choices
    choice = choices[0]
    if choice.pick is not None:
        assert {name for name, _ in choice.pick.cards} <= set(hand)
    evening.demo.perform_request(
        choice.with_cards([choice.pick.cards[0][0]]) if choice.pick else choice.request
    )
    run_until_acts(evening, acts + 1)
    assert evening.live.list_acts()[acts].request.player == player  # type: ignore[attr-defined]
