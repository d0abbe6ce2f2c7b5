"""Donkey Valley and the real table: what can be entered by hand, and where real cards lie. Readers'
claims: see `interpret`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, product

from companion.rules.contract import GAME_OVER, Choice, Request, Text
from companion.rules.donkey_valley import requests as rq
from companion.rules.donkey_valley.cards import DONKEYS, FAVOURS, VALUES, Card
from companion.rules.donkey_valley.clauses import load_counts
from companion.rules.donkey_valley.phases import turns
from companion.rules.donkey_valley.state import State
from companion.rules.donkey_valley.words import card as card_text

DONKEY_KEYS = dict(zip(DONKEYS, "ngpchoaldsfk", strict=True))
"""A letter of its own for each donkey, from its English name where that is free."""


def choices(state: State, player: str | None) -> list[Choice]:
    """List what `player` (None: the table) can enter now, in the order of the menu."""
    seat = None if player is None else state.seat(player)
    dos = dict.fromkeys(turn.do for turn in turns(state) if turn.seat == seat)
    return [choice for do in dos for choice in _MENUS[do](state, player or "")]


def harmless(state: State) -> Request | None:
    """Return what hurts least: no favour, no further peek, refuse, no change, no exchange; None
    where a card has to be laid or shown."""
    open_turns = turns(state)
    if not open_turns:
        return None
    if state.phase == "peeks":
        return rq.PeeksDone()
    turn = open_turns[0]
    player = "" if turn.seat is None else state.players[turn.seat].name
    make = _HARMLESS.get(turn.do)
    return None if make is None else make(player)


_HARMLESS: dict[str, Callable[[str], Request]] = {
    "favour": rq.NoFavour,
    "decide": lambda player: rq.Decide(player, accept=False),
    "adjust": lambda player: rq.Adjust(player, 0),
    "swap_load": lambda player: rq.SwapLoad(player, swap=False),
    "exchange": lambda player: rq.Exchange(player, None),
    "choose": lambda player: rq.Choose(player, None),
}


def key_of(value: int) -> str:
    """Return the key for a load's value: its digit, 0 for ten."""
    return str(value % 10)


def _left(state: State, player: str) -> list[int]:
    """List the values that this player can still show (DV-50)."""
    known = state.players[state.seat(player)].gone | set(state.stake(player).up)
    return [value for value in VALUES if value not in known]


def _donkeys(state: State, _player: str) -> list[Choice]:
    copies = _copies_left(state)
    seen = [
        Choice(Text(f"donkey.{name}"), rq.Donkey(name), key)
        for name, key in DONKEY_KEYS.items()
        if state.setup.options["donkey_copies"] is None or name in copies
    ]
    box = [name for name, count in copies.items() for _ in range(count)]
    if not box:
        return seen
    # DV-3: for who plays without donkey cards; not told before it is chosen, and the same again
    # after an undo
    drawn = state.setup.rng("donkey", len(state.revealed)).choice(box)
    return [*seen, Choice(Text("choice.donkey_drawn"), rq.Donkey(drawn), "r")]


def _copies_left(state: State) -> dict[str, int]:
    """DV-2: the donkeys that may still come, by type; of an uncounted box one of each."""
    copies = state.setup.options["donkey_copies"]
    box = dict.fromkeys(DONKEYS, 1) if copies is None else copies
    left = {name: box.get(name, 0) - state.revealed.count(name) for name in DONKEYS}
    return {name: count for name, count in left.items() if count > 0}


def _loads(state: State, player: str) -> list[Choice]:
    if state.face_up_due(state.seat(player)):
        return [
            Choice(Text("choice.load_up", {"value": value}), rq.Load(player, 1, (value,)), key_of(value))
            for value in _left(state, player)
        ]
    return [
        Choice(Text("choice.load", {"count": count}, count), rq.Load(player, count), str(count))
        for count in load_counts(state)
    ]


def _favours(state: State, player: str) -> list[Choice]:
    left = _left(state, player)
    used = [
        Choice(Text(f"choice.favour.{value}"), rq.Favour(player, value), key_of(value))
        for value in FAVOURS
        if value in left
    ]
    return [Choice(Text("choice.no_favour"), rq.NoFavour(player), "n"), *used]


def _peeks(state: State, player: str) -> list[Choice]:
    seat = state.seat(player)
    looks = state.now.stakes[seat].looks
    open_seats = [
        other
        for other in state.clockwise()
        if other != seat and looks.count(other) < len(state.now.stakes[other].loads)
    ]
    names = [(other, state.players[other].name) for other in open_seats]
    return [
        Choice(Text("choice.peek", {"player": name}), rq.Peek(player, (name,)), str(other + 1))
        for other, name in names
    ]


def _peeks_done(_state: State, _player: str) -> list[Choice]:
    return [Choice(Text("choice.peeks_done"), rq.PeeksDone(), "d")]


def _decisions(_state: State, player: str) -> list[Choice]:
    return [
        Choice(Text("choice.accept"), rq.Decide(player, accept=True), "a"),
        Choice(Text("choice.refuse"), rq.Decide(player, accept=False), "r"),
    ]


def _adjustments(_state: State, player: str) -> list[Choice]:
    return [
        Choice(Text("choice.raise"), rq.Adjust(player, 2), "+"),
        Choice(Text("choice.lower"), rq.Adjust(player, -2), "-"),
        Choice(Text("choice.keep_limit"), rq.Adjust(player, 0), "n"),
    ]


def _swaps(state: State, player: str) -> list[Choice]:
    keep = Choice(Text("choice.keep_load"), rq.SwapLoad(player, swap=False), "n")
    if not state.players[state.seat(player)].hand:
        return [keep]
    if not state.stake(player).up:
        return [Choice(Text("choice.swap"), rq.SwapLoad(player, swap=True), "s"), keep]
    swaps = [
        Choice(Text("choice.swap_up", {"value": value}), rq.SwapLoad(player, True, value), key_of(value))
        for value in _left(state, player)
    ]
    return [*swaps, keep]


def _reveals(state: State, player: str) -> list[Choice]:
    """List the possible values; where a reader read the loads (DV-51), also those overruling it."""
    stake = state.stake(player)
    shown = list(combinations(_left(state, player), stake.down))
    plain = [
        Choice(
            Text("choice.reveal", {"values": values}),
            rq.Reveal(player, values),
            "".join(map(key_of, values)),
        )
        for values in shown
    ]
    if not (stake.seals or stake.new_seal):
        return plain
    return plain + [
        Choice(
            Text("choice.overrule", {"values": values}),
            rq.Reveal(player, values, overrule=True),
            "o" + "".join(map(key_of, values)),
        )
        for values in shown
    ]


def _exchanges(state: State, player: str) -> list[Choice]:
    mine = state.stake(player).held
    found = [Choice(Text("choice.no_exchange"), rq.Exchange(player, None), "n")]
    for other in state.clockwise():
        name = state.players[other].name
        if name == player:
            continue
        for given, taken in product(mine, state.now.stakes[other].held):
            words = {"player": name, "given": card_text(given), "taken": card_text(taken)}
            request = rq.Exchange(player, name, given.value, taken.value)
            key = key_of(given.value) + _key(state, taken)
            found.append(Choice(Text("choice.exchange", words), request, key))
    return found


def _pool(state: State, make: Callable[[Card], Request]) -> Iterable[Choice]:
    return [
        Choice(Text("choice.take", {"card": card_text(card)}), make(card), _key(state, card))
        for card in state.now.pool()
    ]


def _key(state: State, card: Card) -> str:
    """Return the keys of a load that may be anybody's: its owner's seat and its value."""
    return str(state.seat(card.owner) + 1) + key_of(card.value)


def _choosing(state: State, player: str) -> list[Choice]:
    none = Choice(Text("choice.no_choice"), rq.Choose(player, None), "n")
    return [none, *_pool(state, lambda card: rq.Choose(player, card))]


def _draws(state: State, player: str) -> list[Choice]:
    return [*_pool(state, lambda card: rq.Draw(player, card))]


_MENUS: dict[str, Callable[[State, str], Sequence[Choice]]] = {
    "donkey": _donkeys,
    "load": _loads,
    "favour": _favours,
    "peek": _peeks,
    "peeks_done": _peeks_done,
    "decide": _decisions,
    "adjust": _adjustments,
    "swap_load": _swaps,
    "reveal": _reveals,
    "exchange": _exchanges,
    "choose": _choosing,
    "draw": _draws,
}


def layout(state: State) -> Mapping[str, tuple[str, ...]]:
    """Say where each real card that is known should lie; a load is `load:<owner>:<value>`, `?`
    where it lies face down."""
    places: dict[str, list[str]] = {"pile": ["donkey:?"] * state.left}
    places[f"seat:{state.first + 1} up"] = ["first_player"]
    for aside in state.aside:
        places.setdefault("aside", []).extend(
            [f"donkey:{aside.donkey}", *_down(state, [stake.down for stake in aside.stakes])]
        )
    playing = state.phase not in ("donkey", GAME_OVER)
    taken = [card for stake in state.now.stakes for card in stake.taken] if playing else []
    if playing:
        places["middle"] = [f"donkey:{state.now.donkey}"]
    for seat, player in enumerate(state.players):
        place = f"seat:{seat + 1}"
        places[f"{place} won"] = [_card(card) for card in player.won]
        if playing:
            stake = state.now.stakes[seat]
            places[f"{place} down"] = [f"load:{player.name}:?"] * stake.down
            up = places.setdefault(f"{place} up", [])
            cards = [Card(player.name, value) for value in stake.up]
            up.extend(_card(card) for card in cards if card not in taken)
            up.extend([] if stake.favour is None else [f"load:{player.name}:{stake.favour}"])
            if stake.decision is not None:
                up.append(f"contract:{player.name}:{'accept' if stake.decision else 'refuse'}")
    return {place: tuple(sorted(cards)) for place, cards in places.items() if cards}


def _down(state: State, counts: list[int]) -> list[str]:
    return [
        f"load:{player.name}:?"
        for player, count in zip(state.players, counts, strict=True)
        for _ in range(count)
    ]


def _card(card: Card) -> str:
    return f"load:{card.owner}:{card.value}"
