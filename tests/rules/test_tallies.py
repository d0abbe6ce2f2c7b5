"""What is counted for the figures: whole evenings, by player and by row."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise

import pytest

from companion.rules import registry
from companion.rules.session import Session
from tests.rules.evenings import evenings_of

ADDS_UP = {"donkey_valley": "donkeys", "dtc": "penalties", "ochs_und_esel": "hands", "ascend": "places"}
"""The count of each game whose points are those of the game."""
COUNTED = {
    "ascend": "place 1: 6 for 54 | place 2: 6 for 24 | place 3: 6",
    "donkey_valley": "accept: 7, 5 right | refuse: 14, 13 right | double: 3 for 13, 3 right"
    " | giant: 3 for 4, 2 right | holed: 6 for 35, 6 right | lost: 3 for 22, 3 right"
    " | normal: 6 for 21, 4 right | 2: 1 | 4: 1 for 7, 1 right | 8: 1 for 8, 1 right"
    " | none usual: 18 for 80, 16 right",
    "dtc": "accepted: 32 | challenged: 18, 5 right | accepted: 32 | challenged: 18, 13 right"
    " | challenge: 18 for 55 | hand: 2 for 11",
    "ochs_und_esel": "donkey: 15 | ox: 5 | hand: 15 for 314 | donkey: 10 | normal: 50 | ox: 5",
    "partners": "-4: 11 | 1/14: 12 | 10: 10 | 12: 12 | 13: 14 | 2: 11 | 3: 6 | 5: 10 | 6: 11 | 7: 12 | 8: 13"
    " | 9: 13 | heart: 9 | swap: 12 | captured: 12 | folded: 20 | locked: 13 | lost: 12",
}


def tallied(evening):
    session, players, found = Session(evening.game, evening.setup), evening.players, []
    while (deed := players.next_action(session.list_acts(), session.view())) is not None:
        state = session.state
        for event in session.act(deed.request):
            after = evening.game.evolve(state, event)
            found += evening.game.tally_event(state, event, after)
            state = after
    return session, found


def row(name, tallies):
    times, points = sum(one.times for one in tallies), sum(Fraction(one.points or 0) for one in tallies)
    right = sum(one.right is True for one in tallies)
    return f"{name}: {times}" + (f" for {points}" if points else "") + (f", {right} right" if right else "")


def named(one):
    last = " ".join(map(str, (one.row.code.rsplit(".")[-1], *one.row.args.values())))
    return one.table, one.row.code, f"{last} usual" if one.usual else last


@pytest.mark.parametrize("game_id", registry.list_game_ids())
def test_an_evening_is_counted_row_by_row_and_adds_up_to_the_points(game_id):
    session, found = tallied(evenings_of(game_id)[0])
    rows = {}
    for one in found:
        rows.setdefault(named(one), []).append(one)
    ordered = sorted(rows, key=lambda name: (name[0], name[1], str(rows[name][0].row.args)))
    assert " | ".join(row(name[2], rows[name]) for name in ordered) == COUNTED[game_id]
    points = {player["name"]: Fraction(player["points"]) for player in session.view()["players"]}
    if game_id in ADDS_UP:
        for player, total in points.items():
            own = [one for one in found if one.player == player and one.table == ADDS_UP[game_id]]
            assert sum(Fraction(one.points or 0) for one in own) == total
    else:  # Partners: points are locked pawns; who captured is another than who lost
        locked = Counter(one.player for one in found if one.row.code == "figures.pawn.locked")
        assert locked == {player: total for player, total in points.items() if total}
        lost = [one.player for one in found if one.row.code == "figures.pawn.lost"]
        captured = [one.player for one in found if one.row.code == "figures.pawn.captured"]
        assert all(one != other for one, other in zip(captured, lost, strict=True))


@pytest.mark.parametrize("game_id", ["dtc", "ascend", "donkey_valley"])
def test_each_count_has_one_row_a_player_and_moment(game_id):
    """An answer and the offer it was for are two players', and right for one of them at most."""
    session, found = tallied(evenings_of(game_id)[0])
    names = {player["name"] for player in session.view()["players"]}
    assert {one.player for one in found} == names
    pairs = [(one, other) for one, other in pairwise(found) if one.table == "offers"]
    assert all(one.player != other.player for one, other in pairs)
    judged = [(one.right, other.right) for one, other in pairs if one.row.code.endswith("challenged")]
    assert all(one is not other for one, other in judged)
