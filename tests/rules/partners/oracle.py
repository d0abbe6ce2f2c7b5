"""The moves of Partners walked square by square, written from the clauses alone: slow, naive, and
sharing nothing with the program.

A board is a dict from (player 1..4, pawn 1..4) to a place as on the wire. A pawn's way is a list of
neighbouring spots; a step is taken one at a time, and every spot and gate on the way is looked at.
"""

from __future__ import annotations

from itertools import product

Board = dict[tuple[int, int], str]
USUAL = {
    "own_pawn": "stack",
    "own_wall": "open",
    "back_from_goal": "never",
    "seven_bounce": "may",
    "swap_start": "barred",
}
PAWNS = [(player, pawn) for player in (1, 2, 3, 4) for pawn in (1, 2, 3, 4)]
NUMBERS = {
    "2": [2],
    "3": [3],
    "5": [5],
    "6": [6],
    "8": [8],
    "9": [9],
    "10": [10],
    "12": [12],
    "13": [13],
    "1/14": [1, 14],
}
LEAVES = {"heart", "8", "13"}


def left_of(player, by=1):
    return (player - 1 + by) % 4 + 1


def mates(board, who):
    """The other pawns of this colour, by place."""
    player, own = who
    return [board[player, pawn] for pawn in (1, 2, 3, 4) if pawn != own]


def is_locked(board, who):
    place = board[who]
    if not place.startswith("goal:"):
        return False
    others = mates(board, who)
    return all(f"goal:{below}" in others for below in range(1, int(place[5:])))


def all_locked(board, player):
    return all(is_locked(board, (player, pawn)) for pawn in (1, 2, 3, 4))


def hands_on(board, player):
    """Whose pawns this player moves now."""
    return left_of(player, 2) if all_locked(board, player) else player


def has_wall(board, player):
    return any(board[player, pawn] == "start" for pawn in (1, 2, 3, 4))


def step_in(board, who, place, table=USUAL):
    """One step forward: the next spot, 'turn' where there is no room, or None where a wall
    stands."""
    player = who[0]
    if place.startswith("goal:"):
        deeper = int(place[5:]) - 1
        return "turn" if deeper == 0 or f"goal:{deeper}" in mates(board, who) else f"goal:{deeper}"
    if place == "start":
        return f"{player}:1"
    stretch, number = map(int, place.split(":"))
    if number < 14:
        return f"{stretch}:{number + 1}"
    if left_of(stretch) == player:
        if "goal:4" in mates(board, who):
            return "turn"
        return None if table["own_wall"] == "bars" and has_wall(board, player) else "goal:4"
    if has_wall(board, left_of(stretch)):
        return None
    return f"{left_of(stretch)}:1"


def step_out(board, who, place):
    """One step backward on the way of a pawn: the spot before, or None where a wall stands or an
    own pawn in the goal."""
    player = who[0]
    if place == "goal:4":
        return f"{left_of(player, 3)}:14"
    if place.startswith("goal:"):
        outer = f"goal:{int(place[5:]) + 1}"
        return None if outer in mates(board, who) else outer
    if place == "start":
        return f"{left_of(player, 3)}:14"
    stretch, number = map(int, place.split(":"))
    if number > 1:
        return f"{stretch}:{number - 1}"
    if stretch != player and has_wall(board, stretch):
        return None
    return f"{left_of(stretch, 3)}:14"


def go(board, who, steps, table=USUAL, seven=False):
    """The spot where so many steps forward end, or None."""
    place, inward = board[who], True
    if place == "base" or is_locked(board, who):
        return None
    while steps:
        ahead = step_in(board, who, place, table) if inward else step_out(board, who, place)
        if ahead == "turn":
            if seven and table["seven_bounce"] == "never":
                return None
            inward = False
            continue
        if ahead is None:
            return None
        place, steps = ahead, steps - 1
    return place


def back(board, who, table=USUAL):
    place = board[who]
    if place == "base" or (place.startswith("goal:") and table["back_from_goal"] == "never"):
        return None
    if is_locked(board, who):
        return None
    for _ in range(4):
        place = step_out(board, who, place)
        if place is None:
            return None
    return place


def settle(board, who, place, table=USUAL):
    """The board after landing."""
    after = {**board, who: place}
    if place == "start":
        strangers = [pawn for pawn in PAWNS if board[pawn] == f"{who[0]}:0"]
        return after | dict.fromkeys(strangers, "base")
    if ":" not in place or place.startswith("goal"):
        return after
    there = [pawn for pawn in PAWNS if pawn != who and board[pawn] == place]
    others = [pawn for pawn in there if pawn[0] != who[0]]
    if len(others) >= 2:
        after[who] = "base"
    elif others or (there and table["own_pawn"] == "capture"):
        after |= dict.fromkeys(others or there, "base")
    return after


def plays(board, player, card, table=USUAL):
    """Every legal play: a list of [(pawn, place), ...] in which any order, and any of
    interchangeable pawns, is listed."""
    if card == "swap":
        return swaps(board, table)
    if card == "7":
        return splits(board, player, table)
    mine = [(hands_on(board, player), pawn) for pawn in (1, 2, 3, 4)]
    found = [[(who, "start")] for who in mine if card in LEAVES and board[who] == "base"]
    for who, steps in product(mine, NUMBERS.get(card, [])):
        found.append([(who, go(board, who, steps, table))])
    if card == "-4":
        found += [[(who, back(board, who, table))] for who in mine]
    return [play for play in found if play[0][1] is not None]


def swaps(board, table=USUAL):
    barred = ("base",) if table["swap_start"] == "allowed" else ("base", "start")
    able = [
        who
        for who in PAWNS
        if board[who] not in barred
        and not board[who].startswith("goal")
        and board[who] not in mates(board, who)
    ]
    return [
        [(one, seen_by(one, board, two)), (two, seen_by(two, board, one))]
        for at, one in enumerate(able)
        for two in able[at + 1 :]
    ]


def seen_by(who, board, other):
    """What the place of the other pawn is called when this one stands there."""
    spot = f"{other[0]}:0" if board[other] == "start" else board[other]
    return "start" if spot == f"{who[0]}:0" else spot


def splits(board, player, table=USUAL):
    found = []

    def deeper(now, left, moved, play):
        if left == 0:
            found.append(play)
            return
        for pawn in (1, 2, 3, 4):
            who = (hands_on(now, player), pawn)
            if who in moved:
                continue
            for steps in range(1, left + 1):
                end = go(now, who, steps, table, seven=True)
                if end is not None:
                    deeper(settle(now, who, end, table), left - steps, {*moved, who}, [*play, (who, end)])

    deeper(board, 7, set(), [])
    return found


def outcome(board, play, card, table=USUAL):
    """The board after a play, and its steps from place to place, as far as anybody at the table can
    tell pawns apart."""
    if card == "swap":
        return shape({**board, **dict(play)}), steps_of(board, play)
    now, steps = board, []
    for who, place in play:
        steps.append((who[0], now[who], place))
        now = settle(now, who, place, table)
    return shape(now), tuple(sorted(steps))


def steps_of(board, play):
    return tuple(sorted((who[0], board[who], place) for who, place in play))


def shape(board):
    return tuple(tuple(sorted(board[player, pawn] for pawn in (1, 2, 3, 4))) for player in (1, 2, 3, 4))
