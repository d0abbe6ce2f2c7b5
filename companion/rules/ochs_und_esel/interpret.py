"""What the cards on the table mean in Ochs & Esel.

Plays lie in front of the player or in the middle. A follower's play is read as soon as as many
cards lie there as the trick wants; a leader's may still grow, so it waits until the table is still,
or for the accept button. The refuse button passes. At the end of a hand each player's cards are
laid out before the seat, and read when as many lie there as the player has left; where only these
are told (OE-12), when the player presses accept.
"""

from __future__ import annotations

from collections.abc import Sequence

from companion.rules.common import beyond_deck, pressed, short, strangers, upturned
from companion.rules.contract import Claim, Doubt, Interpretation, Proposal, Text
from companion.rules.ochs_und_esel import requests as ask
from companion.rules.ochs_und_esel.cards import ANIMALS, DECK, PREFIX, Animal
from companion.rules.ochs_und_esel.state import MIDDLE, State
from companion.rules.ochs_und_esel.words import card_word


def interpret(state: State, claims: Sequence[Claim]) -> Sequence[Interpretation]:
    """Turn what lies on the table unused into plays, passes, counted hands and doubts."""
    doubts: list[Interpretation] = list(strangers(claims, PREFIX, DECK))
    match state.phase:
        case "hands" if state.hands_only:
            return [*doubts, *(one for seat in state.asked() for one in _told(state, claims, seat))]
        case "lead" | "follow":
            return [*doubts, *_late_cards(state, claims), *_play(state, claims)]
        case "hands":
            return [*doubts, *(one for seat in state.asked() for one in _hand(state, claims, seat))]
        case _:
            return doubts


def _zone(seat: int) -> str:
    return f"seat:{seat + 1}"


def _lying(state: State, claims: Sequence[Claim], zones: Sequence[str]) -> list[Claim]:
    """List the game's cards in `zones`.

    With the ox variant an animal in the middle is no play: it waits there for its winner (OE-20),
    who may be slow to pick it up.
    """
    return [
        claim
        for claim in upturned(claims, PREFIX, zones)
        if short(claim) in DECK
        and not (state.ox_variant and claim.zone == MIDDLE and short(claim) in ANIMALS)
    ]


def _play(state: State, claims: Sequence[Claim]) -> list[Interpretation]:
    seat = state.turn
    player = state.players[seat]
    refuse = pressed(claims, seat + 1, "refuse")
    if refuse is not None:
        return [Proposal(ask.Pass(player), (refuse.id,))]
    lying = _lying(state, claims, (_zone(seat), MIDDLE))
    if not lying:
        return []
    doubt = _impossible(state, seat, lying)
    if doubt is not None:
        return [doubt]
    accept = pressed(claims, seat + 1, "accept")
    wanted = state.to_beat[0] if state.to_beat is not None else 1
    if state.phase == "follow" and accept is None:
        if len(lying) < wanted:
            return []
        if len(lying) > wanted:
            text = Text("doubt.too_many", {"player": player, "wanted": wanted}, len(lying))
            return [Doubt(text, tuple(claim.id for claim in lying), "OE-4")]
    used = tuple(claim.id for claim in lying) + ((accept.id,) if accept else ())
    # An animal is led alone (OE-7): nothing can join it.
    growing = state.phase == "lead" and accept is None and not any(short(one) in ANIMALS for one in lying)
    return [Proposal(ask.Play(player, tuple(map(short, lying))), used, growing)]


def _late_cards(state: State, claims: Sequence[Claim]) -> list[Interpretation]:
    """OE-4: cards that appear before somebody who has acted in this trick already."""
    readings: list[Interpretation] = []
    for play in state.plays:
        late = _lying(state, claims, (_zone(play.seat),))
        if late:
            text = Text("doubt.acted_already", {"player": state.players[play.seat]}, len(late))
            readings.append(Doubt(text, tuple(claim.id for claim in late), "OE-4"))
    return readings


def _hand(state: State, claims: Sequence[Claim], seat: int) -> list[Interpretation]:
    player, count = state.players[seat], state.hand(seat)
    lying = _lying(state, claims, (_zone(seat),))
    doubt = _impossible(state, seat, lying)
    if doubt is not None:
        return [doubt]
    accept = pressed(claims, seat + 1, "accept")
    if accept is None and len(lying) > count:
        text = Text("doubt.too_many_left", {"player": player, "hand": count}, len(lying))
        return [Doubt(text, tuple(claim.id for claim in lying), "OE-9")]
    if accept is None and len(lying) < count:
        return []
    used = tuple(claim.id for claim in lying) + ((accept.id,) if accept else ())
    return [Proposal(ask.Hand(player, tuple(map(short, lying))), used)]


def _told(state: State, claims: Sequence[Claim], seat: int) -> list[Interpretation]:
    """OE-12: until a player presses accept, what lies there is a trick that is not heard of."""
    accept = pressed(claims, seat + 1, "accept")
    if accept is None:
        return []
    lying = _lying(state, claims, (_zone(seat),))
    used = (*(claim.id for claim in lying), accept.id)
    return [Proposal(ask.Hand(state.players[seat], tuple(map(short, lying))), used)]


def _impossible(state: State, seat: int, lying: Sequence[Claim]) -> Doubt | None:
    """Ask about an animal elsewhere (OE-7), and a card whose copies were all seen (OE-1)."""
    for claim in lying:
        animal: Animal | None = next((one for one in ANIMALS if one == short(claim)), None)
        if animal is not None and state.beast(animal).at != seat:
            player = state.players[seat]
            text = Text("doubt.animal_elsewhere", {"player": player, "animal": card_word(animal)})
            return Doubt(text, (claim.id,), "OE-7")
    beyond = beyond_deck(DECK, map(short, lying), *state.open_cards())
    if beyond is None:
        return None
    text = Text("doubt.card_spent", {"card": card_word(beyond), "copies": DECK[beyond]})
    return Doubt(text, tuple(claim.id for claim in lying if short(claim) == beyond), "OE-1")
