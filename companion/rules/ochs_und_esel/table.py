"""Ochs & Esel and the real table: what can be entered by hand, and where real cards lie. Readers'
claims: see `interpret`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from companion.rules.contract import GAME_OVER, Choice, Pick, Request, Text
from companion.rules.ochs_und_esel import requests as ask
from companion.rules.ochs_und_esel.cards import ANIMALS, CARD_KEYS, DECK, DONKEY, OX, PREFIX
from companion.rules.ochs_und_esel.hands_only import hand_fault, must_be_out, pile_sizes, room
from companion.rules.ochs_und_esel.state import MIDDLE, State
from companion.rules.ochs_und_esel.words import card_word


def choices(state: State, player: str | None) -> Sequence[Choice]:
    """List what `player` can enter now; the table as such (None) has nothing to enter."""
    if player is None:
        return ()
    if state.pile_awaited():
        return [_pile(state, player)]
    if state.phase == "hands" and state.hands_only:
        return _hands_only(state, player)
    if state.phase == "hands":
        return _hands(state, player)
    if state.phase in ("lead", "follow") and player == state.players[state.turn]:
        return _acts(state, player)
    return ()


def _hands(state: State, player: str) -> list[Choice]:
    seat = state.players.index(player)
    if seat not in state.asked():
        return []
    count = state.hand(seat)
    cards = (*_unseen(state), *((animal, 1) for animal in state.held(seat)))
    label = Text("choice.hand", {"player": player}, count)
    return [Choice(label, ask.Hand(player, ()), "h", _pick(cards, count, count))]


def _hands_only(state: State, player: str) -> list[Choice]:
    """OE-12: no card left, or whatever may be left."""
    seat = state.players.index(player)
    if seat not in state.asked():
        return []
    found: list[Choice] = []
    if hand_fault(state, seat, ()) is None:
        found.append(Choice(Text("choice.no_card", {"player": player}), ask.Hand(player, ()), "n"))
    told = {card for cards in state.open_cards() for card in cards}
    played = ANIMALS if state.ox_variant else (DONKEY,)
    animals = [(animal, 1) for animal in played if animal not in told]
    most = room(state) + len(animals)
    if most and not must_be_out(state, seat):
        pick = _pick((*_unseen(state), *animals), 1, most)
        found.append(Choice(Text("choice.hand_left", {"player": player}), ask.Hand(player, ()), "h", pick))
    return found


def _pile(state: State, player: str) -> Choice:
    """OE-12, OE-21: the ox's trick in front of this player."""
    pick = _pick((*_unseen(state), (OX, 1)), *pile_sizes(state))
    return Choice(Text("choice.pile", {"player": player}), ask.Pile(player, ()), "x", pick)


def _acts(state: State, player: str) -> list[Choice]:
    seat = state.turn
    passing = Choice(Text("choice.pass", {"player": player}), ask.Pass(player), "p")
    if state.phase == "lead" and state.cannot_lead():
        return [passing]
    found: list[Choice] = []
    if state.cards[seat]:
        least, most = (1, state.cards[seat]) if state.phase == "lead" else (_wanted(state), _wanted(state))
        label = Text("choice.lead" if state.phase == "lead" else "choice.play", {"player": player}, most)
        found.append(Choice(label, ask.Play(player, ()), "c", _pick(_unseen(state), least, most)))
    if state.phase == "lead":
        found += [
            Choice(
                Text("choice.animal", {"player": player, "animal": card_word(animal)}),
                ask.Play(player, (animal,)),
                CARD_KEYS[animal],
            )
            for animal in state.held(seat)
            if not state.tricks_to_wait(animal)
        ]
    elif state.kind == "normal" or state.only_animals(seat):
        found.append(passing)
    return found


def _pick(cards: Sequence[tuple[str, int]], least: int, most: int) -> Pick:
    return Pick(tuple(cards), least, most, keys=tuple(CARD_KEYS[card] for card, _ in cards))


def _wanted(state: State) -> int:
    """OE-4, OE-7: how many cards a follower plays."""
    return state.to_beat[0] if state.to_beat is not None else 1


def _unseen(state: State) -> tuple[tuple[str, int], ...]:
    """List the numbers and the joker with the copies in hands or not dealt."""
    out = Counter(card for cards in state.open_cards() for card in cards)
    return tuple(
        (card, copies - out[card])
        for card, copies in DECK.items()
        if card not in ANIMALS and copies > out[card]
    )


def harmless(state: State) -> Request | None:
    """Return a pass where one may be passed; a lead or a card in an animal trick is nobody's to
    choose for another."""
    player = state.players[state.turn]
    may_pass = (state.phase == "lead" and state.cannot_lead()) or (
        state.phase == "follow" and (state.kind == "normal" or state.only_animals(state.turn))
    )
    return ask.Pass(player) if may_pass else None


def layout(state: State) -> Mapping[str, tuple[str, ...]]:
    """Say where each card lies that the table knows: plays, the ox's trick, animals, cards laid
    out, cards shed; nothing where cards are only told (OE-12)."""
    if state.hands_only:
        return {}
    places: dict[str, list[str]] = {}
    shown = _laid_out(state)
    for animal in ANIMALS:
        at = state.beast(animal).at
        if at is not None and not any(animal in cards for cards in shown.values()):
            places.setdefault(MIDDLE if at == MIDDLE else f"seat:{int(at) + 1} hand", []).append(animal)
    for play in state.plays:
        if play.cards:
            places.setdefault(f"seat:{play.seat + 1} up", []).extend(play.cards)
    for seat, pile in enumerate(state.piles):
        if pile:
            places[f"seat:{seat + 1} pile"] = list(pile)
    for seat, cards in shown.items():
        places[f"seat:{seat + 1} up"] = list(cards)
    if state.gone:
        places["aside"] = list(state.gone)
    return {place: tuple(sorted(f"{PREFIX}{card}" for card in cards)) for place, cards in places.items()}


def _laid_out(state: State) -> dict[int, tuple[str, ...]]:
    """OE-9: the hands that have been laid out and counted, and still lie there."""
    if state.phase not in ("hands", GAME_OVER):
        return {}
    return {seat: cards for seat, cards in enumerate(state.counted) if cards}
