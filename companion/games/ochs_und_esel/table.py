"""Ochs & Esel at the real table: set-up steps, manual entries, the meaning of claims, and the
places of the cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from msgspec.structs import replace

from companion.games.ochs_und_esel.cards import (
    ANIMALS,
    CARD_ALIASES,
    CARD_KEYS,
    DEALABLE,
    DECK,
    DONKEY,
    JOKER,
    JOKERS_ALONE,
    NUMBERS,
    OX,
    PREFIX,
    find_animal,
)
from companion.games.ochs_und_esel.moves import (
    Hand,
    Pass,
    Pile,
    Play,
    check_reported_hand,
    compute_pile_sizes,
    count_unreported_cards,
    must_be_out,
)
from companion.games.ochs_und_esel.state import MIDDLE, State
from companion.games.ochs_und_esel.words import describe_card
from companion.rules.claims import (
    build_deck_step,
    doubt_foreign_cards,
    find_press,
    format_card_name,
    format_seat_zone,
    list_upturned,
)
from companion.rules.contract import (
    GAME_OVER,
    Choice,
    Claim,
    Doubt,
    Interpretation,
    Named,
    OpenRequest,
    Pick,
    Proposal,
    Request,
    SetupStep,
    Shortcut,
    Text,
    VisibleCards,
    generate_card_subsets,
)
from companion.rules.deck_checks import find_excess_card


def list_setup_steps(state: State) -> Sequence[SetupStep]:
    """List the steps of the set-up (OE-2, OE-3, OE-20)."""
    first = state.players[0]
    animals = (
        Text("step.animals_in_the_middle")
        if state.setup.options["ox"]
        else Text("step.donkey", {"player": first})
    )
    dealer = state.players[state.dealer]
    dealt = {"player": dealer, "cards": DEALABLE, "deal": state.deal, "aside": state.undealt_count}
    return (
        build_deck_step(PREFIX, DECK, "OE-1"),
        SetupStep(animals, "OE-20" if state.setup.options["ox"] else "OE-3"),
        SetupStep(Text("step.deal", dealt), "OE-2"),
        SetupStep(Text("step.first", {"player": first}), "OE-3"),
    )


def list_choices(state: State, player: str | None) -> Sequence[Choice]:
    """List what `player` can enter now; the table as such (None) has nothing to enter."""
    if player is None:
        return ()
    # First: the phase is still `hands`, but all hands have been entered.
    if state.is_pile_awaited():
        return [_build_pile_choice(state, player)]
    if state.phase == "hands" and state.setup.options["hands_only"]:
        return _list_reported_hand_choices(state, player)
    if state.phase == "hands":
        return _list_hand_choices(state, player)
    if state.phase in ("lead", "follow") and player == state.players[state.turn]:
        return _list_turn_choices(state, player)
    return ()


def list_attempts(state: State, player: str | None) -> Sequence[Choice]:
    """List what `player` may type now, whether or not OE-4 to OE-11 allow it: a pass, cards, either
    animal, a hand that is left."""
    if player is None:
        return ()
    if state.phase == "hands":
        label = Text("choice.hand_left", {"player": player})
        held = Choice(label, Hand(player, ()), "h", _build_pick((), 1, sum(DECK.values())))
        return [_build_no_card_choice(player), held] if state.setup.options["hands_only"] else [held]
    if state.phase not in ("lead", "follow"):
        return ()
    most = state.deal if state.phase == "lead" else _count_required_cards(state)
    pick = _build_play_pick(state, 1 if state.phase == "lead" else most, most)
    code = "choice.lead" if state.phase == "lead" else "choice.play"
    return [
        _build_pass_choice(player),
        *(_build_animal_choice(player, animal) for animal in ANIMALS),
        Choice(Text(code, {"player": player}, most), Play(player, ()), "w", pick),
    ]


def _build_no_card_choice(player: str) -> Choice:
    return Choice(Text("choice.no_card", {"player": player}), Hand(player, ()), "n")


def _build_pass_choice(player: str) -> Choice:
    return Choice(Text("choice.pass", {"player": player}), Pass(player), "p")


def _build_animal_choice(player: str, animal: str) -> Choice:
    label = Text("choice.animal", {"player": player, "animal": describe_card(animal)})
    return Choice(label, Play(player, (animal,)), CARD_KEYS[animal])


def _build_play_pick(state: State, least: int, most: int) -> Pick:
    """Return the pick of a play: the cards that may still be in a hand, the usual plays, and all
    others that may be typed."""
    pick = _build_pick(list_unseen_cards(state), least, most)
    attempts = _list_shapes(most if state.phase == "follow" else None)
    return replace(pick, likely=_list_play_shortcuts(state, most), attempts=attempts)


@lru_cache(maxsize=32)
def _list_shapes(count: int | None) -> tuple[Shortcut, ...]:
    """List the sets of `count` cards that can be typed, None: of any count, whatever was played."""
    everything = dict.fromkeys((*NUMBERS, JOKER), sum(DECK.values()))
    return (
        _list_counted_shortcuts(everything, 9) if count is None else _list_set_shortcuts(everything, count, 0)
    )


def _list_hand_choices(state: State, player: str) -> list[Choice]:
    seat = state.players.index(player)
    if seat not in state.list_unreported_seats():
        return []
    count = state.count_hand(seat)
    # An animal's holder is known, so it can be left with its holder only.
    cards = (*list_unseen_cards(state), *((animal, 1) for animal in state.list_held_animals(seat)))
    label = Text("choice.hand", {"player": player}, count)
    return [Choice(label, Hand(player, ()), "h", _build_pick(cards, count, count))]


def _list_reported_hand_choices(state: State, player: str) -> list[Choice]:
    """Return the entries at the end of a hand (OE-12): no card left, or any that may be left."""
    seat = state.players.index(player)
    if seat not in state.list_unreported_seats():
        return []
    found: list[Choice] = []
    if check_reported_hand(state, seat, ()) is None:
        found.append(_build_no_card_choice(player))
    # An animal that another player entered cannot be here as well.
    told = {card for cards in state.list_open_cards() for card in cards}
    played = ANIMALS if state.setup.options["ox"] else (DONKEY,)
    animals = [(animal, 1) for animal in played if animal not in told]
    # Everybody else has cards left: this player must be out, and there is nothing to pick.
    most = count_unreported_cards(state) + len(animals)
    if most and not must_be_out(state, seat):
        pick = _build_pick((*list_unseen_cards(state), *animals), 1, most)
        found.append(Choice(Text("choice.hand_left", {"player": player}), Hand(player, ()), "h", pick))
    return found


def _build_pile_choice(state: State, player: str) -> Choice:
    """Return the entry for the ox's trick in front of this player (OE-12, OE-21)."""
    pick = _build_pick((*list_unseen_cards(state), (OX, 1)), *compute_pile_sizes(state))
    return Choice(Text("choice.pile", {"player": player}), Pile(player, ()), "x", pick)


def _list_turn_choices(state: State, player: str) -> list[Choice]:
    seat = state.turn
    passing = _build_pass_choice(player)
    if state.phase == "lead" and state.cannot_lead():
        return [passing]
    may_pass = state.phase == "follow" and (state.kind == "normal" or state.has_only_animals(seat))
    # In an animal trick everybody who can must play (OE-7, OE-21).
    found = [passing] if may_pass else []
    if state.cards[seat]:
        least, most = (
            (1, state.cards[seat])
            if state.phase == "lead"
            else (_count_required_cards(state), _count_required_cards(state))
        )
        label = Text("choice.lead" if state.phase == "lead" else "choice.play", {"player": player}, most)
        # One entry for all cards: they are picked after it.
        found.append(Choice(label, Play(player, ()), "w", _build_play_pick(state, least, most)))
    if state.phase == "lead":
        found += [
            _build_animal_choice(player, animal)
            for animal in state.list_held_animals(seat)
            if not state.count_tricks_to_wait(animal)
        ]
    return found


def _list_play_shortcuts(state: State, most: int) -> tuple[Shortcut, ...]:
    """Return the usual plays (OE-4, OE-5): a value when following; a count and then a value when
    leading. Each joker among them is a `j` before the value."""
    left = dict(list_unseen_cards(state))
    if most > state.cards[state.turn]:
        return ()
    if state.phase == "follow":
        return _list_set_shortcuts(left, most, state.to_beat[1] if state.to_beat else 0)
    # One digit: more cards than nine are named one by one.
    return _list_counted_shortcuts(left, min(most, 9))


def _list_counted_shortcuts(left: Mapping[str, int], most: int) -> tuple[Shortcut, ...]:
    return tuple(
        Shortcut(str(count), Text("likely.count", n=count), then=then)
        for count in range(1, most + 1)
        if (then := _list_set_shortcuts(left, count, 0))
    )


def _list_set_shortcuts(
    left: Mapping[str, int], count: int, beaten: int, jokers: int = 0
) -> tuple[Shortcut, ...]:
    """List the sets of `count` cards worth more than `beaten`, with at least `jokers` jokers."""
    plain, more = count - jokers, jokers + 1
    found = [
        Shortcut(
            CARD_KEYS[value],
            _describe_set(count, value, jokers),
            (value,) * plain + (JOKER,) * jokers,
            aliases=CARD_ALIASES.get(value, ()),
        )
        for value in NUMBERS
        if int(value) > beaten and left.get(value, 0) >= plain
    ]
    # Only jokers: worth 14, so they beat everything but jokers (OE-5).
    if more <= left.get(JOKER, 0) and more == count and beaten < JOKERS_ALONE:
        found.append(Shortcut(CARD_KEYS[JOKER], Text("likely.only_jokers", n=count), (JOKER,) * count))
    elif (
        more <= left.get(JOKER, 0)
        and more < count
        and (then := _list_set_shortcuts(left, count, beaten, more))
    ):
        found.append(Shortcut(CARD_KEYS[JOKER], Text("likely.jokers", n=more), then=then))
    return tuple(found)


def _describe_set(count: int, value: str, jokers: int) -> Text:
    word = Text("likely.set", {"value": describe_card(value)}, count)
    return Text("likely.with_jokers", {"cards": word}, jokers) if jokers else word


def _build_pick(cards: Sequence[tuple[str, int]], least: int, most: int) -> Pick:
    others = tuple((card, CARD_KEYS[card]) for card in DECK if card not in dict(cards))
    return Pick(tuple(cards), least, most, keys=tuple(CARD_KEYS[card] for card, _ in cards), others=others)


def generate_plays(state: State, request: OpenRequest, cards: Sequence[Named]) -> Iterable[tuple[Named, ...]]:
    """Generate the parts of these cards that may be played: those of one value, with jokers (OE-4,
    OE-5); of a hand that is left, all of them (OE-9)."""
    if not isinstance(request.request, Play):
        yield tuple(cards)
        return
    domain = request.free["cards"]
    for value in NUMBERS:
        # Jokers alone come up with every value: the caller removes doubles.
        group = [card for card in cards if card in (value, JOKER)]
        yield from generate_card_subsets(group, domain.least or 1, domain.most or 1)


def _count_required_cards(state: State) -> int:
    """Return how many cards a follower must play (OE-4, OE-7)."""
    return state.to_beat[0] if state.to_beat is not None else 1


def list_unseen_cards(state: State) -> tuple[tuple[str, int], ...]:
    """List the numbers and the joker with the copies that are in hands or not dealt."""
    # The donkey trick's cards went back into a hand and are no longer open.
    out = Counter(card for cards in state.list_open_cards() for card in cards)
    return tuple(
        (card, copies - out[card])
        for card, copies in DECK.items()
        if card not in ANIMALS and copies > out[card]
    )


def list_visible_cards(state: State) -> Sequence[VisibleCards]:
    """List the cards of the trick as played (OE-5); players who passed have laid none."""
    laid = [play for play in state.plays if play.cards]
    return [
        VisibleCards(
            state.players[play.seat], play.cards, leads=state.to_beat is not None and play is laid[-1]
        )
        for play in laid
    ]


def default_request(state: State) -> Request | None:
    """Return a pass where passing is allowed; leads and cards in an animal trick are for the player
    alone to choose."""
    player = state.players[state.turn]
    may_pass = (state.phase == "lead" and state.cannot_lead()) or (
        state.phase == "follow" and (state.kind == "normal" or state.has_only_animals(state.turn))
    )
    return Pass(player) if may_pass else None


def layout_cards(state: State) -> Mapping[str, tuple[str, ...]]:
    """Return where each known card lies: plays, the ox's trick, animals, cards laid out, cards
    shed; {} where cards are only entered (OE-12)."""
    if state.setup.options["hands_only"]:
        return {}
    places: dict[str, list[str]] = {}
    shown = _map_counted_hands(state)
    for animal in ANIMALS:
        at = state.beast_of(animal).at
        # A hand that is laid out shows its animal: it must not be listed twice.
        if at is not None and not any(animal in cards for cards in shown.values()):
            places.setdefault(MIDDLE if at == MIDDLE else f"{format_seat_zone(int(at) + 1)} hand", []).append(
                animal
            )
    for play in state.plays:
        if play.cards:
            places.setdefault(f"{format_seat_zone(play.seat + 1)} up", []).extend(play.cards)
    for seat, pile in enumerate(state.piles):
        if pile:
            places[f"{format_seat_zone(seat + 1)} pile"] = list(pile)
    for seat, cards in shown.items():
        places[f"{format_seat_zone(seat + 1)} up"] = list(cards)
    if state.gone:
        places["aside"] = list(state.gone)
    return {place: tuple(sorted(f"{PREFIX}{card}" for card in cards)) for place, cards in places.items()}


def _map_counted_hands(state: State) -> dict[int, tuple[str, ...]]:
    """Return the hands that have been laid out and counted, and still lie there (OE-9)."""
    if state.phase not in ("hands", GAME_OVER):
        return {}
    return {seat: cards for seat, cards in enumerate(state.counted) if cards}


# ---- what readers see ----


def interpret_claims(state: State, claims: Sequence[Claim]) -> Sequence[Interpretation]:
    """Turn the unused cards on the table into plays, passes, counted hands and doubts."""
    doubts: list[Interpretation] = list(doubt_foreign_cards(claims, PREFIX, DECK))
    match state.phase:
        case "hands" if state.setup.options["hands_only"]:
            return [
                *doubts,
                *(
                    one
                    for seat in state.list_unreported_seats()
                    for one in _interpret_reported_hand(state, claims, seat)
                ),
            ]
        case "lead" | "follow":
            return [*doubts, *_doubt_late_cards(state, claims), *_interpret_play(state, claims)]
        case "hands":
            return [
                *doubts,
                *(
                    one
                    for seat in state.list_unreported_seats()
                    for one in _interpret_hand(state, claims, seat)
                ),
            ]
        case _:
            return doubts


def _zone_for_seat(seat: int) -> str:
    return format_seat_zone(seat + 1)


def _list_played_claims(state: State, claims: Sequence[Claim], zones: Sequence[str]) -> list[Claim]:
    """List the game's cards in `zones`.

    With the ox variant an animal in the middle was not played: it waits there for its winner
    (OE-20), who may be slow to pick it up.
    """
    return [
        claim
        for claim in list_upturned(claims, PREFIX, zones)
        if format_card_name(claim) in DECK
        and not (state.setup.options["ox"] and claim.zone == MIDDLE and format_card_name(claim) in ANIMALS)
    ]


def _interpret_play(state: State, claims: Sequence[Claim]) -> list[Interpretation]:
    seat = state.turn
    player = state.players[seat]
    refuse = find_press(claims, seat + 1, "refuse")
    if refuse is not None:
        return [Proposal(Pass(player), (refuse.id,))]
    card_claims = _list_played_claims(state, claims, (_zone_for_seat(seat), MIDDLE))
    if not card_claims:
        return []
    doubt = _doubt_impossible_cards(state, seat, card_claims)
    if doubt is not None:
        return [doubt]
    accept = find_press(claims, seat + 1, "accept")
    wanted = _count_required_cards(state)
    # A follower must play a fixed number; until it lies there more cards may come.
    if state.phase == "follow" and accept is None:
        if len(card_claims) < wanted:
            return []
        if len(card_claims) > wanted:
            text = Text("doubt.too_many", {"player": player, "wanted": wanted}, len(card_claims))
            return [Doubt(text, tuple(claim.id for claim in card_claims), "OE-4")]
    used = tuple(claim.id for claim in card_claims) + ((accept.id,) if accept else ())
    # An animal is led alone (OE-7): nothing can join it.
    growing = (
        state.phase == "lead"
        and accept is None
        and not any(format_card_name(one) in ANIMALS for one in card_claims)
    )
    return [Proposal(Play(player, tuple(map(format_card_name, card_claims))), used, growing)]


def _doubt_late_cards(state: State, claims: Sequence[Claim]) -> list[Interpretation]:
    """Doubt cards that appear in front of a player who has already acted in this trick (OE-4)."""
    readings: list[Interpretation] = []
    for play in state.plays:
        # Not in the middle, where it cannot be seen who laid them.
        late = _list_played_claims(state, claims, (_zone_for_seat(play.seat),))
        if late:
            text = Text("doubt.acted_already", {"player": state.players[play.seat]}, len(late))
            readings.append(Doubt(text, tuple(claim.id for claim in late), "OE-4"))
    return readings


def _interpret_hand(state: State, claims: Sequence[Claim], seat: int) -> list[Interpretation]:
    player, count = state.players[seat], state.count_hand(seat)
    card_claims = _list_played_claims(state, claims, (_zone_for_seat(seat),))
    doubt = _doubt_impossible_cards(state, seat, card_claims)
    if doubt is not None:
        return [doubt]
    accept = find_press(claims, seat + 1, "accept")
    # A pressed button says that this is all: then the rules judge it, and name the wrong number.
    if accept is None and len(card_claims) > count:
        text = Text("doubt.too_many_left", {"player": player, "hand": count}, len(card_claims))
        return [Doubt(text, tuple(claim.id for claim in card_claims), "OE-9")]
    if accept is None and len(card_claims) < count:
        return []
    used = tuple(claim.id for claim in card_claims) + ((accept.id,) if accept else ())
    return [Proposal(Hand(player, tuple(map(format_card_name, card_claims))), used)]


def _interpret_reported_hand(state: State, claims: Sequence[Claim], seat: int) -> list[Interpretation]:
    """Read the cards left in front of a player who presses accept (OE-12); until then they belong
    to a trick of which the companion knows nothing."""
    accept = find_press(claims, seat + 1, "accept")
    if accept is None:
        return []
    card_claims = _list_played_claims(state, claims, (_zone_for_seat(seat),))
    used = (*(claim.id for claim in card_claims), accept.id)
    return [Proposal(Hand(state.players[seat], tuple(map(format_card_name, card_claims))), used)]


def _doubt_impossible_cards(state: State, seat: int, card_claims: Sequence[Claim]) -> Doubt | None:
    """Doubt an animal that is elsewhere (OE-7), and a card whose copies were all seen (OE-1)."""
    for claim in card_claims:
        animal = find_animal((format_card_name(claim),))
        if animal is not None and state.beast_of(animal).at != seat:
            player = state.players[seat]
            text = Text("doubt.animal_elsewhere", {"player": player, "animal": describe_card(animal)})
            return Doubt(text, (claim.id,), "OE-7")
    beyond = find_excess_card(DECK, map(format_card_name, card_claims), *state.list_open_cards())
    if beyond is None:
        return None
    text = Text("doubt.card_spent", {"card": describe_card(beyond), "copies": DECK[beyond]})
    return Doubt(text, tuple(claim.id for claim in card_claims if format_card_name(claim) == beyond), "OE-1")
