"""What lies on the table, turned into requests.

Each phase has one reader of claims. Known cards that were lifted and put back (a load that lies
face up already, this round's favour) mean nothing; cards that cannot be there are doubts. On a
double, two face-down loads at a seat count at once. One load alone counts when the seat's accept
button says that it is all, or when everybody has laid at least one and the table has been still for
a moment (the proposal is `growing`). With the option `double_loads` = `must` two are waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from companion.rules.contract import Claim, Doubt, Interpretation, Proposal, Refusal, Text
from companion.rules.donkey_valley import requests as rq
from companion.rules.donkey_valley.cards import DONKEYS, FAVOURS, VALUES, Card
from companion.rules.donkey_valley.clauses import load_counts, spent
from companion.rules.donkey_valley.phases import turns
from companion.rules.donkey_valley.state import State

KINDS = ("load", "donkey", "contract", "button", "first_player", "summary")
"""What the ids of this game's cards begin with."""


class CardClaim(msgspec.Struct, frozen=True):
    """A claim, read: `seat` where it lies (None: not at a seat), `owner` whose it is (None:
    nobody's), seats from 0."""

    claim: Claim
    kind: str
    word: str
    seat: int | None
    owner: int | None

    @property
    def value(self) -> int:
        """The value of a load."""
        return int(self.word)


def interpret(state: State, claims: Sequence[Claim]) -> list[Interpretation]:
    """Return the requests the unused `claims` add up to, and the doubts about the others."""
    seen = [_read(claim, len(state.players)) for claim in claims]
    doubts = [doubt for one in seen if (doubt := _foreign(one)) is not None]
    good = [one for one in seen if _foreign(one) is None]
    reader = _READERS.get(state.phase)
    return [*doubts, *(reader(state, good) if reader is not None else ())]


def _read(claim: Claim, players: int) -> CardClaim:
    kind, _, rest = (claim.what or "").partition(":")
    zone, _, number = claim.zone.partition(":")
    seat = int(number) - 1 if zone == "seat" and number.isdecimal() and 1 <= int(number) <= players else None
    owner = claim.owner - 1 if claim.owner is not None and 1 <= claim.owner <= players else None
    return CardClaim(claim, kind, rest.rpartition(":")[2], seat, owner)


def _foreign(seen: CardClaim) -> Doubt | None:
    """Doubt a card of another game, an unknown one of this game, and a load or contract of a colour
    that nobody plays."""
    if seen.claim.what is None:
        return None
    about = (seen.claim.id,)
    known = {
        "load": seen.word.isdecimal() and int(seen.word) in VALUES,
        "donkey": seen.word in DONKEYS,
        "contract": seen.word in ("accept", "refuse"),
    }
    if seen.kind not in KINDS or not known.get(seen.kind, True):
        return Doubt(Text("doubt.foreign_card", {"card": seen.claim.what}), about)
    if seen.kind in ("load", "contract") and seen.owner is None:
        return Doubt(Text("doubt.unknown_owner", {"card": seen.claim.what}), about, "DV-1")
    return None


def _up(seen: Sequence[CardClaim], kind: str) -> list[CardClaim]:
    return [one for one in seen if one.kind == kind and one.claim.face == "up"]


def _down(seen: Sequence[CardClaim], seat: int) -> list[int]:
    """List the ids of the face-down cards at a seat, oldest first."""
    return sorted(one.claim.id for one in seen if one.claim.face == "down" and one.seat == seat)


def _buttons(seen: Sequence[CardClaim], seat: int, word: str) -> list[int]:
    return [
        one.claim.id
        for one in seen
        if one.kind == "button" and one.word == word and seat in (one.seat, one.owner)
    ]


def _new_loads(state: State, seen: Sequence[CardClaim], seat: int) -> list[CardClaim]:
    """List a player's own loads turned up at their seat or in the middle, without those that are
    known to lie there already."""
    stake = state.now.stakes[seat]
    there = {*stake.up, stake.favour}
    return [
        one
        for one in _up(seen, "load")
        if one.owner == seat and (one.seat == seat or one.claim.zone == "middle") and one.value not in there
    ]


def _spent(state: State, seat: int, seen: Sequence[CardClaim]) -> Iterator[Doubt]:
    """Doubt loads that cannot be shown any more (DV-50)."""
    name = state.players[seat].name
    for one in seen:
        refusal: Refusal | None = spent(state, name, [one.value])
        if refusal is not None:
            yield Doubt(
                Text("doubt.card_spent", {"player": name, "value": one.value}), (one.claim.id,), "DV-50"
            )


def _open_seats(state: State) -> list[int]:
    return [turn.seat for turn in turns(state) if turn.seat is not None]


def _donkey(_state: State, seen: Sequence[CardClaim]) -> Iterator[Interpretation]:
    """A donkey turned up in the middle (DV-10); two at once are a doubt."""
    found = [one for one in _up(seen, "donkey") if one.claim.zone == "middle"]
    if len(found) == 1:
        yield Proposal(rq.Donkey(found[0].word), (found[0].claim.id,))
    elif found:
        names = tuple(Text(f"donkey.{one.word}") for one in found)
        yield Doubt(
            Text("doubt.several_donkeys", {"donkeys": names}), tuple(one.claim.id for one in found), "DV-10"
        )


def _loads(state: State, seen: Sequence[CardClaim]) -> Iterator[Interpretation]:
    """Cards laid before the seats (DV-11); face up where a difficult donkey wants it (DV-40)."""
    seats = _open_seats(state)
    laid = {seat: _down(seen, seat) for seat in seats}
    counts = load_counts(state)
    everybody = all(laid.values())
    for seat in seats:
        name = state.players[seat].name
        if state.face_up_due(seat):
            yield from _face_up(state, seat, seen)
        elif len(laid[seat]) >= counts[-1]:
            yield Proposal(rq.Load(name, counts[-1]), tuple(laid[seat][: counts[-1]]))
        elif len(laid[seat]) == counts[0]:
            complete = _buttons(seen, seat, "accept")
            if complete or everybody:
                yield Proposal(rq.Load(name, 1), (*laid[seat], *complete), growing=not complete)


def _face_up(state: State, seat: int, seen: Sequence[CardClaim]) -> Iterator[Interpretation]:
    loads = _new_loads(state, seen, seat)
    doubts = list(_spent(state, seat, loads))
    yield from doubts
    if len(loads) == 1 and not doubts:
        request = rq.Load(state.players[seat].name, 1, (loads[0].value,))
        yield Proposal(request, (loads[0].claim.id,))


def _favours(state: State, seen: Sequence[CardClaim]) -> Iterator[Interpretation]:
    """A load of value 2, 4, 6, 8 or 10 turned up by the player who is asked (DV-12), or the refuse
    button for no favour."""
    (seat,) = _open_seats(state)
    name = state.players[seat].name
    loads = [one for one in _new_loads(state, seen, seat) if one.value in FAVOURS]
    doubts = list(_spent(state, seat, loads))
    yield from doubts
    pressed = _buttons(seen, seat, "refuse")
    if len(loads) == 1 and not doubts:
        yield Proposal(rq.Favour(name, loads[0].value), (loads[0].claim.id,))
    elif pressed and not loads:
        yield Proposal(rq.NoFavour(name), tuple(pressed))


def _decisions(state: State, seen: Sequence[CardClaim]) -> Iterator[Interpretation]:
    """Contract cards and buttons of those in turn (DV-15); both answers at once are a doubt."""
    for seat in _open_seats(state):
        name = state.players[seat].name
        votes = {
            word: [one.claim.id for one in _up(seen, "contract") if one.owner == seat and one.word == word]
            + _buttons(seen, seat, word)
            for word in ("accept", "refuse")
        }
        given = [word for word, ids in votes.items() if ids]
        used = tuple(number for ids in votes.values() for number in ids)
        if len(given) == 1:
            yield Proposal(rq.Decide(name, given[0] == "accept"), used)
        elif given:
            yield Doubt(Text("doubt.both_answers", {"player": name}), used, "DV-15")


def _adjustments(state: State, seen: Sequence[CardClaim]) -> Iterator[Interpretation]:
    """Favour 4: a new card at the seat, face as the old one; the refuse button keeps the load
    (DV-16).

    The loads of a lost donkey that returned are themselves new to the table, so an exchange there
    is said aloud, as favour 6 is.
    """
    (turn,) = turns(state)
    if turn.do != "swap_load" or turn.seat is None:
        return
    seat, name = turn.seat, state.players[turn.seat].name
    if pressed := _buttons(seen, seat, "refuse"):
        yield Proposal(rq.SwapLoad(name, swap=False), tuple(pressed))
    elif state.now.stakes[seat].up:
        loads = _new_loads(state, seen, seat)
        doubts = list(_spent(state, seat, loads))
        yield from doubts
        if len(loads) == 1 and not doubts:
            yield Proposal(rq.SwapLoad(name, True, loads[0].value), (loads[0].claim.id,))
    elif (laid := _down(seen, seat)) and not state.now.returned:
        yield Proposal(rq.SwapLoad(name, swap=True), (laid[-1],))


def _reveal(state: State, seen: Sequence[CardClaim]) -> Iterator[Interpretation]:
    """As many loads of a player turned up as lay face down (DV-17)."""
    for seat in _open_seats(state):
        name = state.players[seat].name
        loads = _new_loads(state, seen, seat)
        doubts = list(_spent(state, seat, loads))
        yield from doubts
        due = state.now.stakes[seat].down
        ids = tuple(one.claim.id for one in loads)
        if len(loads) > due:
            values = tuple(one.value for one in loads)
            words = {"player": name, "values": values, "due": due}
            yield Doubt(Text("doubt.too_many_loads", words, due), ids, "DV-17")
        elif len(loads) == due and not doubts:
            yield Proposal(rq.Reveal(name, tuple(one.value for one in loads)), ids)


def _claims(state: State, seen: Sequence[CardClaim]) -> Iterator[Interpretation]:
    """A load that was taken lies at the seat of the player whose turn it is (DV-19, DV-20); the
    refuse button declines."""
    (turn,) = turns(state)
    assert turn.seat is not None
    seat, name = turn.seat, state.players[turn.seat].name
    pressed = _buttons(seen, seat, "refuse")
    if pressed and turn.do != "draw":
        none = rq.Choose(name, None) if turn.do == "choose" else rq.Exchange(name, None)
        yield Proposal(none, tuple(pressed))
        return
    taken = [one for one in _up(seen, "load") if one.seat == seat]
    if turn.do == "exchange":
        yield from _exchange(state, seat, seen, [one for one in taken if one.owner != seat])
        return
    make: Callable[[str, Card], rq.Choose | rq.Draw] = rq.Choose if turn.do == "choose" else rq.Draw
    for one in taken:
        card = _in_pool(state, one)
        if card is not None:
            yield Proposal(make(name, card), (one.claim.id,))
            return


def _in_pool(state: State, one: CardClaim) -> Card | None:
    """Find the load that was taken. Where cards belong to seats the owner cannot be seen: then its
    value must tell it."""
    pool = state.now.pool()
    owner = None if one.owner is None else state.players[one.owner].name
    exact = [card for card in pool if card == Card(owner or "", one.value)]
    alike = [card for card in pool if card.value == one.value]
    by_seat = one.owner == one.seat
    if exact and not (by_seat and len(alike) > 1):
        return exact[0]
    return alike[0] if by_seat and len(alike) == 1 else None


def _exchange(
    state: State, seat: int, seen: Sequence[CardClaim], taken: Sequence[CardClaim]
) -> Iterator[Interpretation]:
    """The other player's load lies here and one's own there; with only one to give, theirs here is
    enough after a moment."""
    for one in taken:
        if one.owner is None:
            continue
        partner = state.now.stakes[one.owner]
        if one.value not in [card.value for card in partner.held]:
            continue
        given = [other for other in _up(seen, "load") if other.owner == seat and other.seat == one.owner]
        name, with_ = state.players[seat].name, state.players[one.owner].name
        ids = (one.claim.id, *(other.claim.id for other in given))
        if given:
            yield Proposal(rq.Exchange(name, with_, given[0].value, one.value), ids)
            return
        if len(state.now.stakes[seat].held) == 1:
            yield Proposal(rq.Exchange(name, with_, None, one.value), ids, growing=True)
            return


_READERS: dict[str, Callable[[State, Sequence[CardClaim]], Iterator[Interpretation]]] = {
    "donkey": _donkey,
    "loads": _loads,
    "favours": _favours,
    "decisions": _decisions,
    "adjustments": _adjustments,
    "reveal": _reveal,
    "claims": _claims,
}
