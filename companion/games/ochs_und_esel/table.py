"""Ochs & Esel at the real table: set-up steps, manual entries, the meaning of claims, and the
places of the cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from companion.games.ochs_und_esel.cards import (
    ANIMALS,
    CARD_KEYS,
    DECK,
    DONKEY,
    JOKER,
    JOKERS_ALONE,
    NUMBERS,
    OX,
    PREFIX,
    animal_in,
)
from companion.games.ochs_und_esel.moves import (
    Hand,
    Pass,
    Pile,
    Play,
    hand_fault,
    must_be_out,
    pile_sizes,
    room,
)
from companion.games.ochs_und_esel.state import MIDDLE, State
from companion.games.ochs_und_esel.words import card_word
from companion.rules.claims import seat_zone
from companion.rules.common import beyond_deck, deck_step, pressed, short, strangers, upturned
from companion.rules.contract import (
    GAME_OVER,
    Choice,
    Claim,
    Doubt,
    Interpretation,
    Laid,
    Named,
    Open,
    Pick,
    Proposal,
    Request,
    Shortcut,
    Step,
    Text,
    parts,
)


def checklist(state: State) -> Sequence[Step]:
    """List the steps of the set-up (OE-2, OE-3, OE-20)."""
    first = state.players[0]
    animals = (
        Text("step.animals_in_the_middle") if state.ox_variant else Text("step.donkey", {"player": first})
    )
    dealt = {"player": state.players[state.dealer], "deal": state.deal, "aside": state.put_aside}
    return (
        deck_step(PREFIX, DECK, "OE-1"),
        Step(animals, "OE-20" if state.ox_variant else "OE-3"),
        Step(Text("step.deal", dealt), "OE-2"),
        Step(Text("step.first", {"player": first}), "OE-3"),
    )


def choices(state: State, player: str | None) -> Sequence[Choice]:
    """List what `player` can enter now; the table as such (None) has nothing to enter."""
    if player is None:
        return ()
    # First: the phase is still `hands`, but all hands have been entered.
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
    # An animal's holder is known, so it can be left with its holder only.
    cards = (*unseen(state), *((animal, 1) for animal in state.held(seat)))
    label = Text("choice.hand", {"player": player}, count)
    return [Choice(label, Hand(player, ()), "h", _pick(cards, count, count))]


def _hands_only(state: State, player: str) -> list[Choice]:
    """Return the entries at the end of a hand (OE-12): no card left, or any that may be left."""
    seat = state.players.index(player)
    if seat not in state.asked():
        return []
    found: list[Choice] = []
    if hand_fault(state, seat, ()) is None:
        found.append(Choice(Text("choice.no_card", {"player": player}), Hand(player, ()), "n"))
    # An animal that another player entered cannot be here as well.
    told = {card for cards in state.open_cards() for card in cards}
    played = ANIMALS if state.ox_variant else (DONKEY,)
    animals = [(animal, 1) for animal in played if animal not in told]
    # Everybody else has cards left: this player must be out, and there is nothing to pick.
    most = room(state) + len(animals)
    if most and not must_be_out(state, seat):
        pick = _pick((*unseen(state), *animals), 1, most)
        found.append(Choice(Text("choice.hand_left", {"player": player}), Hand(player, ()), "h", pick))
    return found


def _pile(state: State, player: str) -> Choice:
    """Return the entry for the ox's trick in front of this player (OE-12, OE-21)."""
    pick = _pick((*unseen(state), (OX, 1)), *pile_sizes(state))
    return Choice(Text("choice.pile", {"player": player}), Pile(player, ()), "x", pick)


def _acts(state: State, player: str) -> list[Choice]:
    seat = state.turn
    passing = Choice(Text("choice.pass", {"player": player}), Pass(player), "p")
    if state.phase == "lead" and state.cannot_lead():
        return [passing]
    may_pass = state.phase == "follow" and (state.kind == "normal" or state.only_animals(seat))
    # In an animal trick everybody who can must play (OE-7, OE-21).
    found = [passing] if may_pass else []
    if state.cards[seat]:
        least, most = (1, state.cards[seat]) if state.phase == "lead" else (_wanted(state), _wanted(state))
        label = Text("choice.lead" if state.phase == "lead" else "choice.play", {"player": player}, most)
        pick = replace(_pick(unseen(state), least, most), likely=_likely(state, most))
        # One entry for all cards: they are picked after it.
        found.append(Choice(label, Play(player, ()), "w", pick))
    if state.phase == "lead":
        found += [
            Choice(
                Text("choice.animal", {"player": player, "animal": card_word(animal)}),
                Play(player, (animal,)),
                CARD_KEYS[animal],
            )
            for animal in state.held(seat)
            if not state.tricks_to_wait(animal)
        ]
    return found


def _likely(state: State, most: int) -> tuple[Shortcut, ...]:
    """Return the usual plays (OE-4, OE-5): a value when following; a count and then a value when
    leading. Each joker among them is a `j` before the value."""
    left = dict(unseen(state))
    if most > state.cards[state.turn]:
        return ()
    if state.phase == "follow":
        return _sets(left, most, state.to_beat[1] if state.to_beat else 0)
    return tuple(
        Shortcut(str(count), Text("likely.count", n=count), then=then)
        # One digit: more cards than nine are named one by one.
        for count in range(1, min(most, 9) + 1)
        if (then := _sets(left, count, 0))
    )


def _sets(left: Mapping[str, int], count: int, beaten: int, jokers: int = 0) -> tuple[Shortcut, ...]:
    """List the sets of `count` cards worth more than `beaten`, with at least `jokers` jokers."""
    plain, more = count - jokers, jokers + 1
    found = [
        Shortcut(CARD_KEYS[value], _set_word(count, value, jokers), (value,) * plain + (JOKER,) * jokers)
        for value in NUMBERS
        if int(value) > beaten and left.get(value, 0) >= plain
    ]
    # Only jokers: worth 14, so they beat everything but jokers (OE-5).
    if more <= left.get(JOKER, 0) and more == count and beaten < JOKERS_ALONE:
        found.append(Shortcut(CARD_KEYS[JOKER], Text("likely.only_jokers", n=count), (JOKER,) * count))
    elif more <= left.get(JOKER, 0) and more < count and (then := _sets(left, count, beaten, more)):
        found.append(Shortcut(CARD_KEYS[JOKER], Text("likely.jokers", n=more), then=then))
    return tuple(found)


def _set_word(count: int, value: str, jokers: int) -> Text:
    word = Text("likely.set", {"value": card_word(value)}, count)
    return Text("likely.with_jokers", {"cards": word}, jokers) if jokers else word


def _pick(cards: Sequence[tuple[str, int]], least: int, most: int) -> Pick:
    return Pick(tuple(cards), least, most, keys=tuple(CARD_KEYS[card] for card, _ in cards))


def plays(state: State, request: Open, cards: Sequence[Named]) -> Iterable[tuple[Named, ...]]:
    """Generate the parts of these cards that may be played: those of one value, with jokers (OE-4,
    OE-5); of a hand that is left, all of them (OE-9)."""
    if not isinstance(request.request, Play):
        yield tuple(cards)
        return
    domain = request.free["cards"]
    for value in NUMBERS:
        # Jokers alone come up with every value: the caller removes doubles.
        group = [card for card in cards if card in (value, JOKER)]
        yield from parts(group, domain.least or 1, domain.most or 1)


def _wanted(state: State) -> int:
    """Return how many cards a follower must play (OE-4, OE-7)."""
    return state.to_beat[0] if state.to_beat is not None else 1


def unseen(state: State) -> tuple[tuple[str, int], ...]:
    """List the numbers and the joker with the copies that are in hands or not dealt."""
    # The donkey trick's cards went back into a hand and are no longer open.
    out = Counter(card for cards in state.open_cards() for card in cards)
    return tuple(
        (card, copies - out[card])
        for card, copies in DECK.items()
        if card not in ANIMALS and copies > out[card]
    )


def lying(state: State) -> Sequence[Laid]:
    """List the cards of the trick as played (OE-5); players who passed have laid none."""
    laid = [play for play in state.plays if play.cards]
    return [
        Laid(state.players[play.seat], play.cards, leads=state.to_beat is not None and play is laid[-1])
        for play in laid
    ]


def harmless(state: State) -> Request | None:
    """Return a pass where passing is allowed; leads and cards in an animal trick are for the player
    alone to choose."""
    player = state.players[state.turn]
    may_pass = (state.phase == "lead" and state.cannot_lead()) or (
        state.phase == "follow" and (state.kind == "normal" or state.only_animals(state.turn))
    )
    return Pass(player) if may_pass else None


def layout(state: State) -> Mapping[str, tuple[str, ...]]:
    """Return where each known card lies: plays, the ox's trick, animals, cards laid out, cards
    shed; {} where cards are only entered (OE-12)."""
    if state.hands_only:
        return {}
    places: dict[str, list[str]] = {}
    shown = _laid_out(state)
    for animal in ANIMALS:
        at = state.beast(animal).at
        # A hand that is laid out shows its animal: it must not be listed twice.
        if at is not None and not any(animal in cards for cards in shown.values()):
            places.setdefault(MIDDLE if at == MIDDLE else f"{seat_zone(int(at) + 1)} hand", []).append(animal)
    for play in state.plays:
        if play.cards:
            places.setdefault(f"{seat_zone(play.seat + 1)} up", []).extend(play.cards)
    for seat, pile in enumerate(state.piles):
        if pile:
            places[f"{seat_zone(seat + 1)} pile"] = list(pile)
    for seat, cards in shown.items():
        places[f"{seat_zone(seat + 1)} up"] = list(cards)
    if state.gone:
        places["aside"] = list(state.gone)
    return {place: tuple(sorted(f"{PREFIX}{card}" for card in cards)) for place, cards in places.items()}


def _laid_out(state: State) -> dict[int, tuple[str, ...]]:
    """Return the hands that have been laid out and counted, and still lie there (OE-9)."""
    if state.phase not in ("hands", GAME_OVER):
        return {}
    return {seat: cards for seat, cards in enumerate(state.counted) if cards}


# ---- what readers see ----


def interpret(state: State, claims: Sequence[Claim]) -> Sequence[Interpretation]:
    """Turn the unused cards on the table into plays, passes, counted hands and doubts."""
    doubts: list[Interpretation] = list(strangers(claims, PREFIX, DECK))
    match state.phase:
        case "hands" if state.hands_only:
            return [*doubts, *(one for seat in state.asked() for one in _told(state, claims, seat))]
        case "lead" | "follow":
            return [*doubts, *_late_cards(state, claims), *_seen_play(state, claims)]
        case "hands":
            return [*doubts, *(one for seat in state.asked() for one in _seen_hand(state, claims, seat))]
        case _:
            return doubts


def _zone(seat: int) -> str:
    return seat_zone(seat + 1)


def _lying(state: State, claims: Sequence[Claim], zones: Sequence[str]) -> list[Claim]:
    """List the game's cards in `zones`.

    With the ox variant an animal in the middle was not played: it waits there for its winner
    (OE-20), who may be slow to pick it up.
    """
    return [
        claim
        for claim in upturned(claims, PREFIX, zones)
        if short(claim) in DECK
        and not (state.ox_variant and claim.zone == MIDDLE and short(claim) in ANIMALS)
    ]


def _seen_play(state: State, claims: Sequence[Claim]) -> list[Interpretation]:
    seat = state.turn
    player = state.players[seat]
    refuse = pressed(claims, seat + 1, "refuse")
    if refuse is not None:
        return [Proposal(Pass(player), (refuse.id,))]
    lying = _lying(state, claims, (_zone(seat), MIDDLE))
    if not lying:
        return []
    doubt = _impossible(state, seat, lying)
    if doubt is not None:
        return [doubt]
    accept = pressed(claims, seat + 1, "accept")
    wanted = _wanted(state)
    # A follower must play a fixed number; until it lies there more cards may come.
    if state.phase == "follow" and accept is None:
        if len(lying) < wanted:
            return []
        if len(lying) > wanted:
            text = Text("doubt.too_many", {"player": player, "wanted": wanted}, len(lying))
            return [Doubt(text, tuple(claim.id for claim in lying), "OE-4")]
    used = tuple(claim.id for claim in lying) + ((accept.id,) if accept else ())
    # An animal is led alone (OE-7): nothing can join it.
    growing = state.phase == "lead" and accept is None and not any(short(one) in ANIMALS for one in lying)
    return [Proposal(Play(player, tuple(map(short, lying))), used, growing)]


def _late_cards(state: State, claims: Sequence[Claim]) -> list[Interpretation]:
    """Doubt cards that appear in front of a player who has already acted in this trick (OE-4)."""
    readings: list[Interpretation] = []
    for play in state.plays:
        # Not in the middle, where it cannot be seen who laid them.
        late = _lying(state, claims, (_zone(play.seat),))
        if late:
            text = Text("doubt.acted_already", {"player": state.players[play.seat]}, len(late))
            readings.append(Doubt(text, tuple(claim.id for claim in late), "OE-4"))
    return readings


def _seen_hand(state: State, claims: Sequence[Claim], seat: int) -> list[Interpretation]:
    player, count = state.players[seat], state.hand(seat)
    lying = _lying(state, claims, (_zone(seat),))
    doubt = _impossible(state, seat, lying)
    if doubt is not None:
        return [doubt]
    accept = pressed(claims, seat + 1, "accept")
    # A pressed button says that this is all: then the rules judge it, and name the wrong number.
    if accept is None and len(lying) > count:
        text = Text("doubt.too_many_left", {"player": player, "hand": count}, len(lying))
        return [Doubt(text, tuple(claim.id for claim in lying), "OE-9")]
    if accept is None and len(lying) < count:
        return []
    used = tuple(claim.id for claim in lying) + ((accept.id,) if accept else ())
    return [Proposal(Hand(player, tuple(map(short, lying))), used)]


def _told(state: State, claims: Sequence[Claim], seat: int) -> list[Interpretation]:
    """Read the cards left in front of a player who presses accept (OE-12); until then they belong
    to a trick of which the companion knows nothing."""
    accept = pressed(claims, seat + 1, "accept")
    if accept is None:
        return []
    lying = _lying(state, claims, (_zone(seat),))
    used = (*(claim.id for claim in lying), accept.id)
    return [Proposal(Hand(state.players[seat], tuple(map(short, lying))), used)]


def _impossible(state: State, seat: int, lying: Sequence[Claim]) -> Doubt | None:
    """Doubt an animal that is elsewhere (OE-7), and a card whose copies were all seen (OE-1)."""
    for claim in lying:
        animal = animal_in((short(claim),))
        if animal is not None and state.beast(animal).at != seat:
            player = state.players[seat]
            text = Text("doubt.animal_elsewhere", {"player": player, "animal": card_word(animal)})
            return Doubt(text, (claim.id,), "OE-7")
    beyond = beyond_deck(DECK, map(short, lying), *state.open_cards())
    if beyond is None:
        return None
    text = Text("doubt.card_spent", {"card": card_word(beyond), "copies": DECK[beyond]})
    return Doubt(text, tuple(claim.id for claim in lying if short(claim) == beyond), "OE-1")
