"""Donkey Valley and the real table: what is done before the first round, what can be entered by
hand, where real cards lie, and what readers' claims mean.

`TURNS`, at the end, says for each turn how it is entered, how it is seen, and what hurts least.

Known cards that were lifted and put back (a load that lies
face up already, this round's favour) mean nothing; cards that cannot be there are doubts. On a
double, two face-down loads at a seat count at once. One load alone counts when the seat's accept
button says that it is all, or when everybody has laid at least one and the table has been still for
a moment (the proposal is `growing`). With the option `double_loads` = `must` two are waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, combinations_with_replacement, permutations, product
from typing import NamedTuple

import msgspec

from companion.games.donkey_valley import moves as ask
from companion.games.donkey_valley.cards import COLOURS, DONKEY_CARDS, DONKEYS, FAVOURS, ROUNDS, VALUES, Card
from companion.games.donkey_valley.state import State
from companion.games.donkey_valley.words import describe_card as card_text
from companion.rules.claims import CardId, format_seat_zone
from companion.rules.contract import (
    GAME_OVER,
    Choice,
    Claim,
    Domain,
    Doubt,
    Interpretation,
    LegalRequests,
    OpenRequest,
    Pick,
    Proposal,
    Request,
    SetupStep,
    Text,
)

DONKEY_KEYS = dict(zip(DONKEYS, "ngpchoaldsfk", strict=True))
"""The key of each donkey: a letter of its English name where that is free."""


def list_setup_steps(state: State) -> Sequence[SetupStep]:
    """List the set-up steps (DV-1 to DV-3, DV-21): complete decks, colours, the pile, the
    first-player card. Contracts and that card can be seen by a camera."""
    seats = range(1, len(state.players) + 1)
    pile = {"pile": ROUNDS, "all": DONKEY_CARDS, "box": DONKEY_CARDS - ROUNDS}
    loads = len(VALUES) * len(state.players)
    values = {"loads": loads, "least": VALUES[0], "most": VALUES[-1]}
    return (
        SetupStep(Text("step.loads", values), "DV-1", count=(("load:", loads),)),
        SetupStep(
            Text("step.donkeys", {"donkeys": DONKEY_CARDS}), "DV-2", count=(("donkey:", DONKEY_CARDS),)
        ),
        SetupStep(
            Text("step.colours", {"loads": len(VALUES)}), "DV-1", tuple(("contract:", seat) for seat in seats)
        ),
        SetupStep(Text("step.pile", pile), "DV-3"),
        SetupStep(Text("step.first", {"player": state.players[0].name}), "DV-21", (("first_player", None),)),
    )


def list_choices(state: State, player: str | None) -> list[Choice]:
    """List what `player_by_name` (None: the table) can enter now, in the order of the menu."""
    seat = None if player is None else state.seat_of(player)
    dos = dict.fromkeys(turn.do for turn in state.current_turns if turn.seat == seat)
    return [choice for do in dos for choice in TURNS[do].list_choices(state, player or "")]


def list_attempts(state: State, player: str | None) -> list[Choice]:
    """List what `player` (None: the table) may type in this phase, whether or not the rules allow
    it: every value, every player, every donkey."""
    dos = dict.fromkeys(turn.do for turn in state.current_turns if (turn.seat is None) == (player is None))
    return [choice for do in dos for choice in TURNS[do].list_attempts(state, player or "")]


def key_for_value(value: int) -> str:
    """Return the key for a load's value: its digit, 0 for ten."""
    return str(value % 10)


def _list_aliases(*values: int) -> tuple[str, ...]:
    """Return what else is typed for these values: `10` for a ten, and several in any order."""
    # Loads are turned up in any order, and called out so: `73` is `37`.
    orders = [
        "".join(words)
        for order in permutations(values)
        for words in product(*({key_for_value(value), str(value)} for value in order))
    ]
    own = "".join(map(key_for_value, values))
    return tuple(dict.fromkeys(keys for keys in sorted(orders) if keys != own))


def _list_showable_values(state: State, player: str) -> list[int]:
    """List the values that this player can still show (DV-50)."""
    # What is not known to be gone may be in the hand.
    known = state.list_unshowable_values(player)
    return [value for value in VALUES if value not in known]


def _list_donkey_choices(state: State, _player: str) -> list[Choice]:
    copies = ask.count_copies_left(state)
    # A box that was not counted may hold more of a type than is known.
    known = state.setup.options["donkey_copies"] is not None
    seen = [name for name in DONKEY_KEYS if not known or name in copies]
    drawn = Choice(Text("choice.donkey_drawn"), ask.DrawDonkey(), "r")
    return [*map(_build_donkey_choice, seen), drawn]


def _build_donkey_choice(name: str) -> Choice:
    return Choice(Text(f"donkey.{name}"), ask.Donkey(name), DONKEY_KEYS[name])


def _list_donkey_attempts(_state: State, _player: str) -> list[Choice]:
    return list(map(_build_donkey_choice, DONKEY_KEYS))


def _list_load_choices(state: State, player: str) -> list[Choice]:
    if state.must_lay_face_up(state.seat_of(player)):
        return [_build_open_load_choice(player, value) for value in _list_showable_values(state, player)]
    return [_build_load_choice(player, count) for count in state.list_load_counts()]


def _list_load_attempts(state: State, player: str) -> list[Choice]:
    if state.must_lay_face_up(state.seat_of(player)):
        return [_build_open_load_choice(player, value) for value in VALUES]
    return [_build_load_choice(player, count) for count in (1, 2)]


def _build_open_load_choice(player: str, value: int) -> Choice:
    request = ask.Load(player, 1, (value,))
    label = Text("choice.load_up", {"value": value})
    return Choice(label, request, key_for_value(value), aliases=_list_aliases(value))


def _build_load_choice(player: str, count: int) -> Choice:
    return Choice(Text("choice.load", {"count": count}, count), ask.Load(player, count), str(count))


def _list_favour_choices(state: State, player: str) -> list[Choice]:
    left = _list_showable_values(state, player)
    used = [_build_favour_choice(player, value) for value in FAVOURS if value in left]
    return [Choice(Text("choice.no_favour"), ask.NoFavour(player), "n"), *used]


def _list_favour_attempts(_state: State, player: str) -> list[Choice]:
    return [_build_favour_choice(player, value) for value in VALUES]


def _build_favour_choice(player: str, value: int) -> Choice:
    label = Text(f"choice.favour.{value}") if value in FAVOURS else Text("choice.load_up", {"value": value})
    return Choice(label, ask.Favour(player, value), key_for_value(value), aliases=_list_aliases(value))


def _list_peek_choices(state: State, player: str) -> list[Choice]:
    open_seats = state.list_peekable_seats(state.seat_of(player))
    return [_build_peek_choice(state, player, other) for other in open_seats]


def _list_peek_attempts(state: State, player: str) -> list[Choice]:
    return [_build_peek_choice(state, player, other) for other in state.list_seats_clockwise()]


def _build_peek_choice(state: State, player: str, other: int) -> Choice:
    name = state.players[other].name
    return Choice(Text("choice.peek", {"player": name}), ask.Peek(player, (name,)), str(other + 1))


def _list_peeks_done_choices(_state: State, _player: str) -> list[Choice]:
    return [Choice(Text("choice.peeks_done"), ask.PeeksDone(), "d")]


def _list_decision_choices(state: State, player: str) -> list[Choice]:
    """List the decision, and the looks that are left (DV-14)."""
    return [
        Choice(Text("choice.accept"), ask.Decide(player, accept=True), "a"),
        Choice(Text("choice.refuse"), ask.Decide(player, accept=False), "r"),
        *_list_peek_choices(state, player),
    ]


def _list_adjustment_choices(_state: State, player: str) -> list[Choice]:
    return [
        Choice(Text("choice.raise"), ask.Adjust(player, 2), "+"),
        Choice(Text("choice.lower"), ask.Adjust(player, -2), "-"),
        Choice(Text("choice.keep_limit"), ask.Adjust(player, 0), "n"),
    ]


def _list_swap_choices(state: State, player: str) -> list[Choice]:
    keep = Choice(Text("choice.keep_load"), ask.SwapLoad(player, swap=False), "n")
    if not state.players[state.seat_of(player)].hand:
        return [keep]
    if not state.stake_of(player).face_up_values:
        return [_build_swap_choice(player), keep]
    return [*(_build_swap_choice(player, value) for value in _list_showable_values(state, player)), keep]


def _list_swap_attempts(state: State, player: str) -> list[Choice]:
    if not state.stake_of(player).face_up_values:
        return [_build_swap_choice(player)]
    return [_build_swap_choice(player, value) for value in VALUES]


def _build_swap_choice(player: str, value: int | None = None) -> Choice:
    if value is None:
        return Choice(Text("choice.swap"), ask.SwapLoad(player, swap=True), "s")
    label, request = Text("choice.swap_up", {"value": value}), ask.SwapLoad(player, True, value)
    return Choice(label, request, key_for_value(value), aliases=_list_aliases(value))


def _list_reveal_choices(state: State, player: str) -> list[Choice]:
    """List the possible values; where a reader read the loads (DV-51), also with overruling it."""
    stake = state.stake_of(player)
    return _build_reveal_choices(
        state, player, list(combinations(_list_showable_values(state, player), stake.face_down_count))
    )


def _list_reveal_attempts(state: State, player: str) -> list[Choice]:
    # With one load where none is left: the rules then say that it was turned up.
    count = state.stake_of(player).face_down_count
    return _build_reveal_choices(state, player, list(combinations_with_replacement(VALUES, count or 1)))


def _build_reveal_choices(state: State, player: str, shown: list[tuple[int, ...]]) -> list[Choice]:
    stake = state.stake_of(player)
    plain = [
        Choice(
            Text("choice.reveal", {"values": values}),
            ask.Reveal(player, values),
            "".join(map(key_for_value, values)),
            aliases=_list_aliases(*values),
        )
        for values in shown
    ]
    # Without a reading there is nothing to overrule.
    if not (stake.seals or stake.new_seal):
        return plain
    return plain + [
        Choice(
            Text("choice.overrule", {"values": values}),
            ask.Reveal(player, values, overrule=True),
            "o" + "".join(map(key_for_value, values)),
            aliases=tuple(f"o{keys}" for keys in _list_aliases(*values)),
        )
        for values in shown
    ]


def _list_exchange_choices(state: State, player: str) -> list[Choice]:
    mine = state.stake_of(player).held
    found = [Choice(Text("choice.no_exchange"), ask.Exchange(player, None), "n")]
    for other in state.list_seats_clockwise():
        name = state.players[other].name
        if name == player:
            continue
        for given, taken in product(mine, state.current_round.stakes[other].held):
            found.append(_build_exchange_choice(state, player, name, given, taken))
    return found


def _list_exchange_attempts(state: State, player: str) -> list[Choice]:
    """List every exchange of a load for one of another player's own colour."""
    return [
        _build_exchange_choice(state, player, other.name, Card(player, given), Card(other.name, taken))
        for other in state.players
        for given, taken in product(VALUES, VALUES)
    ]


def _build_exchange_choice(state: State, player: str, other: str, given: Card, taken: Card) -> Choice:
    words = {"player": other, "given": card_text(given), "taken": card_text(taken)}
    request = ask.Exchange(player, other, given.value, taken.value)
    key = key_for_value(given.value) + _format_card_key(state, taken)
    seat = state.seat_of(taken.owner) + 1
    written = f"{given.value}{seat}{taken.value}"
    return Choice(Text("choice.exchange", words), request, key, aliases=(written,) * (written != key))


def list_offered(state: State, player: str) -> LegalRequests:
    """List the menus' requests, except those that only the cards can tell (the donkey's type, the
    face-down loads). Sealed readings and several looks at once are given as domains."""
    seat = state.seat_of(player)
    choices = [choice for who in (None, player) for choice in list_choices(state, who)]
    requests = [choice.request for choice in choices if choice.pick is None]
    free = [
        one
        for turn in state.current_turns
        if turn.seat in (None, seat) and turn.do in OPEN
        for one in OPEN[turn.do](state, player)
    ]
    # Their values are given as domains (`OPEN`).
    return LegalRequests([one for one in requests if not isinstance(one, ask.Donkey | ask.Reveal)], free)


def _list_open_donkeys(state: State, _player: str) -> list[OpenRequest]:
    counted = state.setup.options["donkey_copies"] is not None
    return [
        OpenRequest(
            ask.Donkey(""), {"type": Domain(tuple(ask.count_copies_left(state) if counted else DONKEYS))}
        )
    ]


def _list_open_loads(state: State, player: str) -> list[OpenRequest]:
    """Return loads that a pad read (DV-51)."""
    if state.must_lay_face_up(state.seat_of(player)):
        return []
    left = tuple(_list_showable_values(state, player))
    return [
        OpenRequest(ask.Load(player, count), {"sealed": Domain(left, count, count, optional=True)})
        for count in state.list_load_counts()
    ]


def _list_open_peeks(state: State, player: str) -> list[OpenRequest]:
    """Return several looks at once (DV-14)."""
    seat = state.seat_of(player)
    looks = state.current_round.stakes[seat].looks
    at = tuple(
        state.players[other].name
        for other in state.list_peekable_seats(seat)
        for _ in range(len(state.current_round.stakes[other].loads) - looks.count(other))
    )
    if not at and state.phase == "decisions":
        return []
    return [
        OpenRequest(ask.Peek(player, ()), {"at": Domain(at, 1, min(state.count_peeks_left(seat), len(at)))})
    ]


def _list_open_swaps(state: State, player: str) -> list[OpenRequest]:
    """Return an exchange that a pad read (DV-51)."""
    if state.stake_of(player).face_up_values or not state.player_by_name(player).hand:
        return []
    return [
        OpenRequest(
            ask.SwapLoad(player, swap=True),
            {"sealed": Domain(tuple(_list_showable_values(state, player)), optional=True)},
        )
    ]


def _list_open_reveals(state: State, player: str) -> list[OpenRequest]:
    """Return the reveals (DV-17). Where a pad read the loads the values are not taken from the
    hand: that would tell which loads were laid (DV-51)."""
    stake = state.stake_of(player)
    values = Domain(tuple(_list_showable_values(state, player)), stake.face_down_count, stake.face_down_count)
    # Not from the hand: a list would show which loads the reader read.
    held = "" if stake.seals or stake.new_seal else "values"
    overrule = Domain((False, True), optional=True)
    return [OpenRequest(ask.Reveal(player, ()), {"values": values, "overrule": overrule}, held)]


def _list_open_scores(state: State, player: str) -> list[OpenRequest]:
    """Return the loads won (DV-24)."""
    left = state.count_unreported_loads()
    values = tuple(value for value, copies in left.items() for _ in range(copies))
    return [OpenRequest(ask.ScoreLoads(player, ()), {"loads": Domain(values, 1, min(ROUNDS, len(values)))})]


OPEN: Mapping[str, Callable[[State, str], list[OpenRequest]]] = {
    "donkey": _list_open_donkeys,
    "load": _list_open_loads,
    "peek": _list_open_peeks,
    "decide": _list_open_peeks,
    "swap_load": _list_open_swaps,
    "reveal": _list_open_reveals,
    "score": _list_open_scores,
}
"""The requests with fields that are too many to list, by the turns in which they are made."""


def list_own_cards(request: Request) -> set[int]:
    """Return the loads of its player's hand that a request names."""
    match request:
        case ask.Load(values=values) if values is not None:
            return {*values}
        case ask.Favour(card=value):
            return {value}
        case ask.SwapLoad(value=value) if value is not None:
            return {value}
        case _:
            return set()


def _list_pool_choices(state: State, make: Callable[[Card], Request]) -> Iterable[Choice]:
    return [_build_taking_choice(state, card, make) for card in state.current_round.list_pool()]


def _list_taking_attempts(state: State, make: Callable[[Card], Request]) -> list[Choice]:
    return [
        _build_taking_choice(state, Card(player.name, value), make)
        for player in state.players
        for value in VALUES
    ]


def _build_taking_choice(state: State, card: Card, make: Callable[[Card], Request]) -> Choice:
    key, written = _format_card_key(state, card), f"{state.seat_of(card.owner) + 1}{card.value}"
    label = Text("choice.take", {"card": card_text(card)})
    return Choice(label, make(card), key, aliases=(written,) * (written != key))


def _format_card_key(state: State, card: Card) -> str:
    """Return the keys of a load of any player: its owner's seat and its value."""
    return str(state.seat_of(card.owner) + 1) + key_for_value(card.value)


def _list_choosing_choices(state: State, player: str) -> list[Choice]:
    none = Choice(Text("choice.no_choice"), ask.Choose(player, None), "n")
    return [none, *_list_pool_choices(state, lambda card: ask.Choose(player, card))]


def _list_draw_choices(state: State, player: str) -> list[Choice]:
    return [*_list_pool_choices(state, lambda card: ask.Draw(player, card))]


def _list_score_choices(state: State, player: str) -> list[Choice]:
    """List the entries of the loads won (DV-24): any that nobody has entered, or none."""
    return [_build_score_choice(player, state.count_unreported_loads()), _build_no_score_choice(player)]


def _list_score_attempts(_state: State, player: str) -> list[Choice]:
    return [_build_score_choice(player, {}), _build_no_score_choice(player)]


def _build_no_score_choice(player: str) -> Choice:
    return Choice(Text("choice.scored_none", {"player": player}), ask.ScoreLoads(player, ()), "n")


def _build_score_choice(player: str, left: Mapping[int, int]) -> Choice:
    """Build the entry of loads won. `left`: how many of each value can still be entered."""
    cards = tuple((str(value), copies) for value, copies in left.items() if copies)
    # A ten is also typed as `10`: a one and a ten are typed with the ten first, or a pause.
    others = (("10", "10"), *((str(value), key_for_value(value)) for value in VALUES if not left.get(value)))
    keys = tuple(key_for_value(int(value)) for value, _ in cards)
    pick = Pick(cards, 1, ROUNDS, "loads", keys=keys, others=others)
    return Choice(Text("choice.scored", {"player": player}), ask.ScoreLoads(player, ()), "w", pick)


def layout_cards(state: State) -> Mapping[str, tuple[str, ...]]:
    """Return where each known card should be; a load is `load:<owner>:<value>`, `?` for a face-down
    one; {} where only the loads won are entered (DV-24)."""
    if state.setup.options["hands_only"]:
        return {}
    places: dict[str, list[str]] = {"pile": ["donkey:?"] * state.left}
    places[f"{format_seat_zone(state.first + 1)} up"] = ["first_player"]
    for aside in state.aside:
        places.setdefault("aside", []).extend(
            [
                f"donkey:{aside.donkey}",
                *_format_hidden_loads(state, [stake.face_down_count for stake in aside.stakes]),
            ]
        )
    # Between two donkeys the cards of the last are being put away.
    playing = state.phase not in ("donkey", GAME_OVER)
    taken = [card for stake in state.current_round.stakes for card in stake.taken] if playing else []
    if playing:
        places["middle"] = [f"donkey:{state.current_round.donkey}"]
    for seat, player in enumerate(state.players):
        place = format_seat_zone(seat + 1)
        places[f"{place} won"] = [_format_load_id(card) for card in player.won]
        if playing:
            stake = state.current_round.stakes[seat]
            places[f"{place} down"] = [f"load:{player.name}:?"] * stake.face_down_count
            up = places.setdefault(f"{place} up", [])
            cards = [Card(player.name, value) for value in stake.face_up_values]
            # A load that was taken lies with its new owner (`won`).
            up.extend(_format_load_id(card) for card in cards if card not in taken)
            up.extend([] if stake.favour is None else [f"load:{player.name}:{stake.favour}"])
            if stake.decision is not None:
                up.append(f"contract:{player.name}:{'accept' if stake.decision else 'refuse'}")
    return {place: tuple(sorted(cards)) for place, cards in places.items() if cards}


def _format_hidden_loads(state: State, counts: list[int]) -> list[str]:
    return [
        f"load:{player.name}:?"
        for player, count in zip(state.players, counts, strict=True)
        for _ in range(count)
    ]


def _format_load_id(card: Card) -> str:
    return f"load:{card.owner}:{card.value}"


# ---- what readers see ----

KINDS = ("load", "donkey", "contract", "button", "first_player", "summary")
"""The kinds of this game's cards, the first words of their ids."""


class CardClaim(msgspec.Struct, frozen=True):
    """A parsed claim: `seat_of` where it lies (None: not at a seat), `owner` the player it belongs
    to (None: no player); seats count from 0."""

    claim: Claim
    kind: str
    word: str
    seat: int | None
    owner: int | None

    @property
    def load_value(self) -> int:
        """The value of a load; only for a claim about a load."""
        return int(self.word)


def interpret_claims(state: State, claims: Sequence[Claim]) -> list[Interpretation]:
    """Return the requests that the unused `claims` add up to, and doubts about the others."""
    card_claims = [_read_claim(claim, len(state.players)) for claim in claims]
    doubts = [doubt for one in card_claims if (doubt := _doubt_foreign_card(one)) is not None]
    # Doubtful cards take no part, so that one of them does not block the others.
    good = [one for one in card_claims if _doubt_foreign_card(one) is None]
    doing = state.current_turns[0].do if state.current_turns else None
    return [*doubts, *(TURNS[doing].interpret_claims(state, good) if doing is not None else ())]


def _read_claim(claim: Claim, players: int) -> CardClaim:
    card, number = claim.card_id, claim.seat
    # A layout may have more seats than there are players: these belong to nobody.
    seat = number - 1 if number is not None and 1 <= number <= players else None
    owner = claim.owner - 1 if claim.owner is not None and 1 <= claim.owner <= players else None
    return CardClaim(claim, card.kind, card.name, seat, owner)


def _describe_unowned_card(card: CardId) -> Text:
    """Return the words for a load or contract of a colour that nobody plays; a deck may have
    colours of its own."""
    colour = Text(f"colour.{card.colour}") if card.colour in COLOURS else card.colour
    worth = card.name if card.name.isdecimal() else Text(f"card.{card.name}")
    return Text(f"card.{card.kind}", {"colour": colour, "value": worth})


def _doubt_foreign_card(card_claim: CardClaim) -> Doubt | None:
    """Doubt a card of another game, an unknown one of this game, and a load or contract of a colour
    that is not played."""
    if card_claim.claim.what is None:
        return None
    about = (card_claim.claim.id,)
    # Kinds that are not listed have no words of their own to check.
    known = {
        "load": card_claim.word.isdecimal() and int(card_claim.word) in VALUES,
        "donkey": card_claim.word in DONKEYS,
        "contract": card_claim.word in ("accept", "refuse"),
    }
    if card_claim.kind not in KINDS or not known.get(card_claim.kind, True):
        return Doubt(Text("doubt.foreign_card", {"card": card_claim.claim.card_id.spoken_name}), about)
    if card_claim.kind in ("load", "contract") and card_claim.owner is None:
        return Doubt(
            Text("doubt.unknown_owner", {"card": _describe_unowned_card(card_claim.claim.card_id)}),
            about,
            "DV-1",
        )
    return None


def _list_upturned(card_claims: Sequence[CardClaim], kind: str) -> list[CardClaim]:
    return [one for one in card_claims if one.kind == kind and one.claim.face == "up"]


def _list_face_down_ids(card_claims: Sequence[CardClaim], seat: int) -> list[int]:
    """List the ids of the face-down cards at a seat, oldest first."""
    # Ids grow in the order in which cards came to the table.
    return sorted(one.claim.id for one in card_claims if one.claim.face == "down" and one.seat == seat)


def _list_presses(card_claims: Sequence[CardClaim], seat: int, word: str) -> list[int]:
    return [
        one.claim.id
        for one in card_claims
        if one.kind == "button" and one.word == word and seat in (one.seat, one.owner)
    ]


def _list_new_loads(state: State, card_claims: Sequence[CardClaim], seat: int) -> list[CardClaim]:
    """List a player's own loads turned up at their seat or in the middle, except those known to lie
    there already."""
    stake = state.current_round.stakes[seat]
    # They were turned up earlier in this round and stay there.
    there = {*stake.face_up_values, stake.favour}
    return [
        one
        for one in _list_upturned(card_claims, "load")
        if one.owner == seat
        and (one.seat == seat or one.claim.zone == "middle")
        and one.load_value not in there
    ]


def _doubt_spent_loads(state: State, seat: int, card_claims: Sequence[CardClaim]) -> Iterator[Doubt]:
    """Doubt loads that cannot be shown any more (DV-50)."""
    name = state.players[seat].name
    for one in card_claims:
        if ask.check_unspent(state, name, [one.load_value]) is not None:
            yield Doubt(
                Text("doubt.card_spent", {"player": name, "value": one.load_value}), (one.claim.id,), "DV-50"
            )


def _list_seats_in_turn(state: State) -> list[int]:
    return [turn.seat for turn in state.current_turns if turn.seat is not None]


def _interpret_donkey(_state: State, card_claims: Sequence[CardClaim]) -> Iterator[Interpretation]:
    """Propose a donkey turned up in the middle (DV-10); doubt two at once."""
    found = [one for one in _list_upturned(card_claims, "donkey") if one.claim.zone == "middle"]
    if len(found) == 1:
        yield Proposal(ask.Donkey(found[0].word), (found[0].claim.id,))
    # Which of them was turned up last is not known.
    elif found:
        names = tuple(Text(f"donkey.{one.word}") for one in found)
        yield Doubt(
            Text("doubt.several_donkeys", {"donkeys": names}), tuple(one.claim.id for one in found), "DV-10"
        )


def _interpret_loads(state: State, card_claims: Sequence[CardClaim]) -> Iterator[Interpretation]:
    """Propose loads laid in front of the seats (DV-11), face up where a difficult donkey requires
    it (DV-40)."""
    seats = _list_seats_in_turn(state)
    laid = {seat: _list_face_down_ids(card_claims, seat) for seat in seats}
    counts = state.list_load_counts()
    # When everybody has laid one, nobody seems to lay a second: a pause then ends it (`growing`).
    everybody = all(laid.values())
    for seat in seats:
        name = state.players[seat].name
        if state.must_lay_face_up(seat):
            yield from _interpret_face_up(state, seat, card_claims)
        elif len(laid[seat]) >= counts[-1]:
            yield Proposal(ask.Load(name, counts[-1]), tuple(laid[seat][: counts[-1]]))
        elif len(laid[seat]) == counts[0]:
            complete = _list_presses(card_claims, seat, "accept")
            if complete or everybody:
                yield Proposal(ask.Load(name, 1), (*laid[seat], *complete), growing=not complete)


def _interpret_face_up(state: State, seat: int, card_claims: Sequence[CardClaim]) -> Iterator[Interpretation]:
    loads = _list_new_loads(state, card_claims, seat)
    doubts = list(_doubt_spent_loads(state, seat, loads))
    yield from doubts
    if len(loads) == 1 and not doubts:
        request = ask.Load(state.players[seat].name, 1, (loads[0].load_value,))
        yield Proposal(request, (loads[0].claim.id,))


def _interpret_favour(state: State, card_claims: Sequence[CardClaim]) -> Iterator[Interpretation]:
    """Propose a favour for an even load turned up by the player in turn (DV-12), or none for the
    refuse button."""
    (seat,) = _list_seats_in_turn(state)
    name = state.players[seat].name
    loads = [one for one in _list_new_loads(state, card_claims, seat) if one.load_value in FAVOURS]
    doubts = list(_doubt_spent_loads(state, seat, loads))
    yield from doubts
    pressed = _list_presses(card_claims, seat, "refuse")
    if len(loads) == 1 and not doubts:
        yield Proposal(ask.Favour(name, loads[0].load_value), (loads[0].claim.id,))
    elif pressed and not loads:
        yield Proposal(ask.NoFavour(name), tuple(pressed))


def _interpret_decisions(state: State, card_claims: Sequence[CardClaim]) -> Iterator[Interpretation]:
    """Propose decisions from contract cards and buttons (DV-15); doubt both answers at once."""
    for seat in _list_seats_in_turn(state):
        name = state.players[seat].name
        votes = {
            word: [
                one.claim.id
                for one in _list_upturned(card_claims, "contract")
                if one.owner == seat and one.word == word
            ]
            + _list_presses(card_claims, seat, word)
            for word in ("accept", "refuse")
        }
        given = [word for word, ids in votes.items() if ids]
        # Card and button together are one answer.
        used = tuple(number for ids in votes.values() for number in ids)
        if len(given) == 1:
            yield Proposal(ask.Decide(name, given[0] == "accept"), used)
        elif given:
            yield Doubt(Text("doubt.both_answers", {"player": name}), used, "DV-15")


def _interpret_swap(state: State, card_claims: Sequence[CardClaim]) -> Iterator[Interpretation]:
    """Propose an exchange for a new card at the seat, with the same face as the old one; the refuse
    button keeps the load (favour 4, DV-16).

    The loads of a returned lost donkey are new to the table themselves, so that an exchange there
    must be said aloud, like favour 6.
    """
    (seat,) = _list_seats_in_turn(state)
    name = state.players[seat].name
    if pressed := _list_presses(card_claims, seat, "refuse"):
        yield Proposal(ask.SwapLoad(name, swap=False), tuple(pressed))
    elif state.current_round.stakes[seat].face_up_values:
        loads = _list_new_loads(state, card_claims, seat)
        doubts = list(_doubt_spent_loads(state, seat, loads))
        yield from doubts
        if len(loads) == 1 and not doubts:
            yield Proposal(ask.SwapLoad(name, True, loads[0].load_value), (loads[0].claim.id,))
    # The newest face-down card is the one that was exchanged.
    elif (laid := _list_face_down_ids(card_claims, seat)) and not state.current_round.returned:
        yield Proposal(ask.SwapLoad(name, swap=True), (laid[-1],))


def _interpret_reveal(state: State, card_claims: Sequence[CardClaim]) -> Iterator[Interpretation]:
    """Propose a reveal once a player has turned up as many loads as lay face down (DV-17)."""
    for seat in _list_seats_in_turn(state):
        name = state.players[seat].name
        loads = _list_new_loads(state, card_claims, seat)
        doubts = list(_doubt_spent_loads(state, seat, loads))
        yield from doubts
        # Only when all are turned: one by one they would be refused as too few.
        due = state.current_round.stakes[seat].face_down_count
        ids = tuple(one.claim.id for one in loads)
        if len(loads) > due:
            values = tuple(one.load_value for one in loads)
            words = {"player": name, "values": values, "due": due}
            yield Doubt(Text("doubt.too_many_loads", words, due), ids, "DV-17")
        elif len(loads) == due and not doubts:
            yield Proposal(ask.Reveal(name, tuple(one.load_value for one in loads)), ids)


def _list_loads_at_seat(card_claims: Sequence[CardClaim], seat: int) -> list[CardClaim]:
    """List the loads that lie face up at a seat."""
    return [one for one in _list_upturned(card_claims, "load") if one.seat == seat]


def _interpret_choosing(state: State, card_claims: Sequence[CardClaim]) -> Iterator[Interpretation]:
    """Propose the load that lies at the seat of the player in turn as the one chosen with favour 8
    (DV-20); the refuse button declines."""
    (seat,) = _list_seats_in_turn(state)
    if pressed := _list_presses(card_claims, seat, "refuse"):
        yield Proposal(ask.Choose(state.players[seat].name, None), tuple(pressed))
    else:
        yield from _interpret_taken_load(state, card_claims, ask.Choose)


def _interpret_draw(state: State, card_claims: Sequence[CardClaim]) -> Iterator[Interpretation]:
    """Propose the load that lies at the seat of the player in turn as the one drawn (DV-19)."""
    return _interpret_taken_load(state, card_claims, ask.Draw)


def _interpret_taken_load(
    state: State, card_claims: Sequence[CardClaim], make: Callable[[str, Card], Request]
) -> Iterator[Interpretation]:
    (seat,) = _list_seats_in_turn(state)
    for one in _list_loads_at_seat(card_claims, seat):
        card = _find_pool_card(state, one)
        if card is not None:
            yield Proposal(make(state.players[seat].name, card), (one.claim.id,))
            # One load a turn: the next one belongs to the next turn.
            return


def _find_pool_card(state: State, one: CardClaim) -> Card | None:
    """Find the load that was taken. Where cards are assigned to seats by their place, its owner
    cannot be seen; then the value alone must identify it."""
    pool = state.current_round.list_pool()
    owner = None if one.owner is None else state.players[one.owner].name
    # With coloured cards the owner is known by the colour.
    exact = [card for card in pool if card == Card(owner or "", one.load_value)]
    alike = [card for card in pool if card.value == one.load_value]
    by_seat = one.owner == one.seat
    if exact and not (by_seat and len(alike) > 1):
        return exact[0]
    return alike[0] if by_seat and len(alike) == 1 else None


def _interpret_exchange(state: State, card_claims: Sequence[CardClaim]) -> Iterator[Interpretation]:
    """Propose an exchange with favour 8: the other player's load lies here and one's own there.
    With only one to give, theirs here is enough after a moment (DV-20). The refuse button
    declines."""
    (seat,) = _list_seats_in_turn(state)
    name = state.players[seat].name
    if pressed := _list_presses(card_claims, seat, "refuse"):
        yield Proposal(ask.Exchange(name, None), tuple(pressed))
        return
    for one in _list_loads_at_seat(card_claims, seat):
        if one.owner in (None, seat):
            continue
        partner = state.current_round.stakes[one.owner]
        if one.load_value not in [card.value for card in partner.held]:
            continue
        given = [
            other
            for other in _list_upturned(card_claims, "load")
            if other.owner == seat and other.seat == one.owner
        ]
        with_ = state.players[one.owner].name
        ids = (one.claim.id, *(other.claim.id for other in given))
        if given:
            yield Proposal(ask.Exchange(name, with_, given[0].load_value, one.load_value), ids)
            return
        if len(state.current_round.stakes[seat].held) == 1:
            # The own load may follow in a moment; with one load only it is known which.
            yield Proposal(ask.Exchange(name, with_, None, one.load_value), ids, growing=True)
            return


def _interpret_score(state: State, card_claims: Sequence[CardClaim]) -> Iterator[Interpretation]:
    """Propose the loads that lie face up before a player who presses accept as those won (DV-24);
    until then they belong to a round of which the companion knows nothing."""
    for seat in _list_seats_in_turn(state):
        if pressed := _list_presses(card_claims, seat, "accept"):
            loads = _list_loads_at_seat(card_claims, seat)
            request = ask.ScoreLoads(state.players[seat].name, tuple(one.load_value for one in loads))
            yield Proposal(request, (*(one.claim.id for one in loads), *pressed))


def _interpret_nothing(_state: State, _seen: Sequence[CardClaim]) -> Iterator[Interpretation]:
    """Return nothing: these turns are said aloud or done in private, and no card shows them."""
    return iter(())


def _list_no_attempts(_state: State, _player: str) -> Sequence[Choice]:
    """Return nothing: everything that can be typed in these turns is possible."""
    return ()


class TurnAtTable(NamedTuple):
    """One kind of turn at the real table."""

    list_choices: Callable[[State, str], Sequence[Choice]]
    """List what a player can enter, in the order of the menu."""
    list_attempts: Callable[[State, str], Sequence[Choice]] = _list_no_attempts
    """List what a player may type, possible or not."""
    interpret_claims: Callable[[State, Sequence[CardClaim]], Iterator[Interpretation]] = _interpret_nothing
    """Return the meaning of claims while this turn is open."""
    make_default_request: Callable[[str], Request] | None = None
    """Make the least harmful request; None where a card must be laid or shown."""


TURNS: Mapping[str, TurnAtTable] = {
    "donkey": TurnAtTable(_list_donkey_choices, _list_donkey_attempts, _interpret_donkey),
    "load": TurnAtTable(_list_load_choices, _list_load_attempts, _interpret_loads),
    "favour": TurnAtTable(_list_favour_choices, _list_favour_attempts, _interpret_favour, ask.NoFavour),
    "peek": TurnAtTable(
        _list_peek_choices, _list_peek_attempts, make_default_request=lambda _player: ask.PeeksDone()
    ),
    "peeks_done": TurnAtTable(_list_peeks_done_choices, make_default_request=lambda _player: ask.PeeksDone()),
    "decide": TurnAtTable(
        _list_decision_choices,
        _list_peek_attempts,  # whoever decides may look first (DV-14)
        interpret_claims=_interpret_decisions,
        make_default_request=lambda player: ask.Decide(player, accept=False),
    ),
    "adjust": TurnAtTable(
        _list_adjustment_choices, make_default_request=lambda player: ask.Adjust(player, 0)
    ),
    "swap_load": TurnAtTable(
        _list_swap_choices,
        _list_swap_attempts,
        _interpret_swap,
        lambda player: ask.SwapLoad(player, swap=False),
    ),
    "reveal": TurnAtTable(_list_reveal_choices, _list_reveal_attempts, _interpret_reveal),
    "exchange": TurnAtTable(
        _list_exchange_choices,
        _list_exchange_attempts,
        _interpret_exchange,
        lambda player: ask.Exchange(player, None),
    ),
    "choose": TurnAtTable(
        _list_choosing_choices,
        lambda state, player: _list_taking_attempts(state, lambda card: ask.Choose(player, card)),
        _interpret_choosing,
        lambda player: ask.Choose(player, None),
    ),
    "draw": TurnAtTable(
        _list_draw_choices,
        lambda state, player: _list_taking_attempts(state, lambda card: ask.Draw(player, card)),
        _interpret_draw,
    ),
    "score": TurnAtTable(_list_score_choices, _list_score_attempts, _interpret_score),
}


def default_request(state: State) -> Request | None:
    """Return the least harmful request: no favour, no further look, refuse, no change, no exchange;
    None where a card must be laid or shown."""
    for turn in state.current_turns[:1]:
        if (make := TURNS[turn.do].make_default_request) is not None:
            return make("" if turn.seat is None else state.players[turn.seat].name)
    return None
