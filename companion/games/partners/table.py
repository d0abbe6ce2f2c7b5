"""Partners at the real table: set-up steps, manual entries, the meaning of claims, and the places
of the pawns.

A camera reports the pawns by colour, not by number, and may not see all spots. To find out what was
played, it therefore does not track pawns: every legal play of the card is tried, and those whose
resulting position agrees with what is seen are kept (`find_seen_plays`). Hidden spots agree with
everything. Pawns missing in their base are counted, since a hand may still hold them; the plays
with the fewest missing pawns win. A position that fits neither the state, nor the state before the
last card, nor any play or part of one, is reported (`describe_strange_board`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

from msgspec.structs import replace

from companion.games.partners.board import (
    CELLS,
    COLOURS,
    PAWNS,
    SEATS,
    STRETCH,
    Pawns,
    find_moving_seat,
    format_place,
    format_places,
    format_spot,
    list_base_spots,
    map_occupants,
    parse_place,
    with_pawn,
)
from companion.games.partners.cards import COPIES, HAND, KINDS, PREFIX, SPLIT, SWAP
from companion.games.partners.movement import (
    SEVEN,
    Steps,
    apply_play,
    can_play,
    land_pawn,
    list_plays,
    move_forward,
    swap_pawns,
)
from companion.games.partners.moves import (
    CardPlayed,
    Exchanged,
    Fold,
    Home,
    Move,
    PawnMoved,
    PawnSentHome,
    PawnsSwapped,
    Play,
    build_moves,
    judge_play,
)
from companion.games.partners.state import State
from companion.games.partners.words import describe_card, describe_place
from companion.rules.claims import (
    build_deck_step,
    doubt_foreign_cards,
    format_card_name,
    format_seat_zone,
    list_presses,
    list_upturned,
)
from companion.rules.contract import (
    BoardClaim,
    Choice,
    ChoicePart,
    ChoiceParts,
    Claim,
    Domain,
    Doubt,
    Interpretation,
    LegalRequests,
    Named,
    OpenRequest,
    Proposal,
    Refusal,
    Request,
    SetupStep,
    Text,
    VisibleCards,
)
from companion.rules.options import describe_option_value

CARD_KEYS: Mapping[str, str] = {"heart": "h", "-4": "4", "1/14": "14", "swap": "s"}
"""The beginning of each play's key: the sign on the card, its number for most (`12`). None of them
is the beginning of another."""
_WAYS = "123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""The last key, where the same pawns can move in several ways: one for each, in the order of the
menu."""


def list_setup_steps(state: State) -> Sequence[SetupStep]:
    """List the steps of the set-up (PA-1, PA-2, PA-5): partners sit opposite, red and green against
    blue and yellow, each in the colour in which views mark their seat."""
    one, two, three, four = state.players
    ruling = describe_option_value("copies", state.deck)
    numbers = {"squares": STRETCH, "copies": COPIES, "ruling": ruling}
    return (
        build_deck_step(PREFIX, state.deck, "PA-4"),
        SetupStep(Text("step.board", numbers), "PA-1"),
        SetupStep(Text("step.teams", {"one": one, "two": two, "three": three, "four": four}), "PA-1"),
        SetupStep(Text("step.pawns", {"pawns": PAWNS}), "PA-2"),
        SetupStep(Text("step.deal", {"player": state.players[state.dealer], "hand": HAND}), "PA-5"),
    )


def list_choices(state: State, player: str | None) -> Sequence[Choice]:
    """List what can be entered now: for the table, that cards are exchanged; for the player in
    turn, the plays of each card by pawn.

    The keys of a play are its card and its pawns, so that they stay the same all evening
    (`_assign_play_keys`).
    """
    if state.phase == "exchange":
        return [Choice(Text("choice.exchanged"), Exchanged(), "x")] if player is None else []
    if state.phase == "told" and player is not None:
        return _list_home_choices(state, player)
    if state.phase != "play" or player != state.players[state.turn]:
        return []
    name = state.players[state.turn]
    fold = _build_fold_choice(name, state.left[state.turn])
    # Nobody knows the hands: any card may be there of which a copy is left.
    cards = [card for card in KINDS if state.count_unplayed_copies(card) > 0]
    return [*(choice for card in cards for choice in list_play_choices(state, card)), fold]


def _build_fold_choice(player: str, cards: int) -> Choice:
    """Return the entry of folding (PA-6) so many cards."""
    return Choice(Text("choice.fold", {"player": player}, cards), Fold(player), "f")


def list_attempts(state: State, player: str | None) -> Sequence[Choice]:
    """List what `player` may type now, whether or not PA-4 to PA-19 allow it: each card with each
    pawn that `player` moves, each part of a seven, each pair of pawns for a swap, each number."""
    if player is None:
        return []
    if state.phase == "told":
        return [_build_home_choice(player, pawns) for pawns in range(10)]
    if state.phase != "play":
        return []
    fold = _build_fold_choice(player, HAND)
    seat = find_moving_seat(state.pawns, state.players.index(player))
    mine = range(4 * seat, 4 * seat + PAWNS)
    steps = [_build_card_attempt(state, player, card, at) for card in KINDS if card != SWAP for at in mine]
    parts = [_build_part_attempt(state, player, at, count) for at in mine for count in range(1, SEVEN)]
    pairs = combinations(range(len(state.pawns)), 2)
    return [*steps, *parts, *(_build_swap_attempt(state, player, *pair) for pair in pairs), fold]


def _build_attempt(
    state: State, player: str, card: str, *moves: tuple[int, int], parts: ChoiceParts | None = None
) -> Choice:
    """Return a play that need not be legal; its key is that of a legal one with these pawns."""
    request = Play(player, card, build_moves(state, moves))
    pawns = tuple(str(at % 4 + 1) for at, _ in moves)
    label = Text("choice.attempt", {"card": describe_card(card), "pawns": pawns})
    key = CARD_KEYS.get(card, card) + _format_pawn_keys(state, card, request.moves)
    return Choice(label, request, key, parts=parts)


def _build_card_attempt(state: State, player: str, card: str, at: int) -> Choice:
    # Where it would arrive does not matter: if it could arrive anywhere, the play would be offered.
    if card != SPLIT:
        return _build_attempt(state, player, card, (at, state.pawns[at]))
    return _build_part_attempt(state, player, at, SEVEN)


def _build_part_attempt(state: State, player: str, at: int, steps: int) -> Choice:
    end = move_forward(state.pawns, at, steps, state.setup.options, split=True)
    to = end if isinstance(end, int) else state.pawns[at]
    own = at // 4 == state.players.index(player)
    args = {"owner": state.players[at // 4], "pawn": at % 4 + 1, "to": describe_place(state, at // 4, to)}
    label = Text("part.pawn" if own else "part.partners_pawn", args, steps)
    part = ChoicePart(f"{'' if own else 'p'}{at % 4 + 1}{steps}", label, steps)
    parts = ChoiceParts(Text("choice.split"), "7", SEVEN, (part,))
    return _build_attempt(state, player, SPLIT, (at, to), parts=parts)


def _build_swap_attempt(state: State, player: str, one: int, other: int) -> Choice:
    found = _build_attempt(state, player, SWAP, (one, state.pawns[one]), (other, state.pawns[other]))
    return replace(found, aliases=(_reverse_swap_key(found.key),))


def _reverse_swap_key(key: str) -> str:
    """Return the key of the same swap with the other pawn first: `s1121` for `s2111`."""
    return key[:1] + key[3:5] + key[1:3]


def _list_home_choices(state: State, player: str) -> list[Choice]:
    """Return the entries of the pawns that are home (PA-19), each under its number."""
    found = [_build_home_choice(player, pawns) for pawns in range(PAWNS + 1)]
    return [one for one in found if not isinstance(one.request.decide(state), Refusal)]


def _build_home_choice(player: str, pawns: int) -> Choice:
    return Choice(Text("choice.told", {"player": player}, pawns), Home(player, pawns), str(pawns))


def list_legal(state: State, player: str, cards: Sequence[Named] | None = None) -> LegalRequests:
    """List every play of the kinds that may still be in a hand, or of `cards` (PA-6, PA-7); with
    `cards` a fold only if none of them can be played.

    The cards shown with a fold are a free field, and may be left out: the referee does not know the
    hands.
    """
    if state.phase == "exchange":
        return LegalRequests([Exchanged()])
    if state.phase == "told":
        return LegalRequests([one.request for one in _list_home_choices(state, player)])
    if player != state.acting_player:
        return LegalRequests()
    count, unplayed = (
        state.left[state.turn],
        [card for card in KINDS if state.count_unplayed_copies(card) > 0],
    )
    usable = {
        card: list_plays(state.pawns, state.turn, card, state.setup.options)
        for card in unplayed
        if cards is None or card in cards
    }
    listed: list[Request] = [
        Play(player, card, build_moves(state, play)) for card, found in usable.items() for play in found
    ]
    # With known cards a fold is legal only where none of them can be played (PA-6).
    if cards is None or not listed:
        listed.append(Fold(player))
    shown_all = Fold(player, tuple(map(str, cards or ())))
    if cards is not None and not isinstance(shown_all.decide(state), Refusal):
        listed.append(shown_all)
    shown = tuple(
        card for card in unplayed if not usable.get(card) for _ in range(state.count_unplayed_copies(card))
    )
    return LegalRequests(
        listed, [OpenRequest(Fold(player), {"cards": Domain(shown, count, count, optional=True)})]
    )


def list_play_choices(state: State, card: str) -> list[Choice]:
    """List the legal plays of `card` by the player in turn, each with its result in words, grouped
    by the pawn that moves first."""
    name, found = state.players[state.turn], []
    # Sorted, so that the menu and the keys do not depend on how plays were found.
    legal = sorted(list_plays(state.pawns, state.turn, card, state.setup.options))
    moves_of = [build_moves(state, play) for play in legal]
    for play, moves, key in zip(legal, moves_of, _assign_play_keys(state, card, moves_of), strict=True):
        effect = judge_play(state, card, moves)
        assert not isinstance(effect, Refusal), effect
        results = tuple(event.describe_step(state) for event in effect)
        label = Text("choice.play", {"card": describe_card(card), "results": results})
        parts = build_split_parts(state, play) if card == SPLIT else None
        spots = tuple(_format_move_spots(state, at, end) for at, end in play)
        if card == SWAP:  # either pawn may be named first
            spots = ((spots[0][0], spots[1][0]), (spots[1][0], spots[0][0]))
        aliases = (_reverse_swap_key(key),) if card == SWAP and key else ()
        found.append(Choice(label, Play(name, card, moves), key, None, parts, spots, aliases))
    return found


def _format_move_spots(state: State, at: int, end: int) -> tuple[str, str]:
    """Return the spots of the board from which and to which a pawn moves."""
    seat = at // 4
    return format_spot(seat + 1, format_place(seat, state.pawns[at])), format_spot(
        seat + 1, format_place(seat, end)
    )


def build_split_parts(state: State, play: Steps) -> ChoiceParts:
    """Return a legal play of a seven as parts: each pawn with its steps and its destination.

    Keys: pawn, steps (`23`: pawn 2, three).
    """
    steps = _find_split_steps(state.pawns, play, SEVEN, state.setup.options)
    assert steps is not None, play
    parts = tuple(
        _build_split_part(state, at, end, taken) for (at, end), taken in zip(play, steps, strict=True)
    )
    return ChoiceParts(Text("choice.split"), "7", SEVEN, parts)


def _find_split_steps(
    pawns: Pawns, play: Steps, left: int, options: Mapping[str, Any]
) -> tuple[int, ...] | None:
    """Return the steps of each pawn, or None. Where a pawn can arrive by several numbers of steps,
    those are chosen that make seven altogether."""
    if not play:
        return () if left == 0 else None
    (at, end), rest = play[0], play[1:]
    for steps in range(1, left + 1):
        # Several numbers of steps may lead there, by way of a bounce: each is tried with the rest.
        if move_forward(pawns, at, steps, options, split=True) == end:
            others = _find_split_steps(land_pawn(pawns, at, end, options).pawns, rest, left - steps, options)
            if others is not None:
                return (steps, *others)
    return None


def _build_split_part(state: State, at: int, end: int, steps: int) -> ChoicePart:
    seat = at // 4
    own = seat == state.turn
    args = {"owner": state.players[seat], "pawn": at % 4 + 1, "to": describe_place(state, seat, end)}
    label = Text("part.pawn" if own else "part.partners_pawn", args, steps)
    return ChoicePart(
        f"{'' if own else 'p'}{at % 4 + 1}{steps}", label, steps, (_format_move_spots(state, at, end),)
    )


def _assign_play_keys(state: State, card: str, plays_of_card: Sequence[tuple[Move, ...]]) -> list[str]:
    """Return the plays' keys: the card's key and the pawns' numbers (`52`: pawn 2 by the 5), and
    one more key where these can move in several ways.

    A 7 first has the number of pawns that move (`7213`: two pawns, 1 and 3), a swap the owner's
    seat before each pawn.
    """
    pawns = [_format_pawn_keys(state, card, moves) for moves in plays_of_card]
    ways, keys = Counter(pawns), []
    seen: Counter[str] = Counter()
    for one in pawns:
        # Past the last sign it is empty, and the play has no key.
        way = _WAYS[seen[one] : seen[one] + 1] if ways[one] > 1 else ""
        keys.append(CARD_KEYS.get(card, card) + one + way if way or ways[one] == 1 else "")
        seen[one] += 1
    return keys


def _format_pawn_keys(state: State, card: str, moves: Sequence[Move]) -> str:
    if card == SWAP:
        return "".join(f"{state.players.index(move.owner) + 1}{move.pawn}" for move in moves)
    count = str(len(moves)) if card == SPLIT else ""
    return count + "".join(str(move.pawn) for move in moves)


def interpret_claims(state: State, claims: Sequence[Claim]) -> Sequence[Interpretation]:
    """Turn claims into requests.

    The first card turned up, or any accept button, says that cards have been exchanged. A card
    turned up by the player in turn is played: at once when it has one legal play, else the table is
    asked which. Unusable cards are a fold, once the whole hand lies there; the refuse button folds
    without showing, out of turn too: that is refused at once, and does not wait for a turn to come.
    """
    doubts: list[Interpretation] = list(doubt_foreign_cards(claims, PREFIX, KINDS))
    if state.phase not in ("exchange", "play"):
        return doubts
    seat = state.turn + 1
    card_claims = [
        claim
        for claim in list_upturned(claims, PREFIX)
        if format_card_name(claim) in KINDS and claim.zone != "pile"
    ]
    mine = [claim for claim in card_claims if claim.zone in ("middle", format_seat_zone(seat))]
    doubts += _doubt_board(state, claims, mine)
    if state.phase == "exchange":
        return [*doubts, *_interpret_exchange(state, claims, mine)]
    name = state.players[state.turn]
    # A card before another player: not played, but the table should know.
    astray = tuple(claim.id for claim in card_claims if claim not in mine)
    if astray:
        doubts.append(Doubt(Text("doubt.not_your_turn", {"player": name}), astray, "PA-5"))
    folds = [Proposal(Fold(one), (press,)) for one, press in list_presses(claims, state.players, "refuse")]
    if folds:
        return [*doubts, *folds]
    return [
        *doubts,
        *_interpret_shown_cards(state, sorted(mine, key=lambda claim: claim.id), _find_board_claim(claims)),
    ]


def _doubt_board(state: State, claims: Sequence[Claim], card_claims: Sequence[Claim]) -> list[Interpretation]:
    """Doubt an impossible board, given the cards that lie there or, while none does, any card."""
    board_claim = _find_board_claim(claims)
    if board_claim is None or board_claim.board is None:
        return []
    # While no card lies there the pawns may have been moved first, by any card.
    cards = [format_card_name(claim) for claim in card_claims] or KINDS
    text = describe_strange_board(state, board_claim.board, cards if state.phase == "play" else ())
    return [] if text is None else [Doubt(text, (board_claim.id,), "PA-3", None)]


def _find_board_claim(claims: Sequence[Claim]) -> Claim | None:
    return next((claim for claim in claims if claim.board is not None), None)


def _interpret_exchange(state: State, claims: Sequence[Claim], mine: Sequence[Claim]) -> list[Interpretation]:
    used = tuple(press for _, press in list_presses(claims, state.players, "accept"))
    return [Proposal(Exchanged(), used)] if used or mine else []


def _interpret_shown_cards(
    state: State, mine: Sequence[Claim], board_claim: Claim | None
) -> list[Interpretation]:
    name, left = state.players[state.turn], state.left[state.turn]
    for claim in mine:
        if state.count_unplayed_copies(format_card_name(claim)) < 1:
            args = {
                "card": describe_card(format_card_name(claim)),
                "copies": state.deck[format_card_name(claim)],
            }
            return [Doubt(Text("doubt.card_spent", args), (claim.id,), "PA-5")]
    usable = [
        claim
        for claim in mine
        if can_play(state.pawns, state.turn, format_card_name(claim), state.setup.options)
    ]
    if usable:
        return [_interpret_played_card(state, usable[0], board_claim)]
    ids = tuple(claim.id for claim in mine)
    if len(mine) == left:
        return [Proposal(Fold(name, tuple(map(format_card_name, mine))), ids)]
    if not mine:
        return []
    fold = _build_fold_choice(name, left)
    cards = tuple(describe_card(format_card_name(claim)) for claim in mine)
    return [Doubt(Text("doubt.unusable", {"player": name, "cards": cards}, left), ids, "PA-6", (fold,))]


def _interpret_played_card(state: State, claim: Claim, board_claim: Claim | None) -> Interpretation:
    """Play a card that has one legal play, or the one that is seen on the board; else ask which
    one."""
    card = format_card_name(claim)
    found = list_play_choices(state, card)
    # A single play needs no camera: the card alone says it.
    if len(found) > 1 and board_claim is not None and board_claim.board is not None:
        moved = {build_moves(state, play) for play in find_seen_plays(state, board_claim.board, card)}
        found = [one for one in found if getattr(one.request, "moves", None) in moved] or found
    if len(found) == 1:
        return Proposal(found[0].request, (claim.id,))
    args = {"player": state.players[state.turn], "card": describe_card(card)}
    return Doubt(Text("doubt.which_play", args), (claim.id,), "PA-7", tuple(found))


def list_visible_cards(state: State) -> Sequence[VisibleCards]:
    """List the card that was played last (PA-7)."""
    return [VisibleCards(one.player, (one.card,)) for one in state.last if isinstance(one, CardPlayed)]


def layout_cards(state: State) -> Mapping[str, tuple[str, ...]]:
    """Return where each real pawn stands: place (PA-3) to pawns, by owner and number (`Ann 2`); {}
    where only the pawns home at the end are entered (PA-19)."""
    if state.told:
        return {}
    places: dict[str, list[str]] = {}
    for at, place in enumerate(state.pawns):
        pawn = f"{state.players[at // 4]} {at % 4 + 1}"
        places.setdefault(format_place(at // 4, place), []).append(pawn)
    return {place: tuple(sorted(pawns)) for place, pawns in places.items()}


_PLACES = tuple(name for name in CELLS if not name.startswith("base"))
"""The spots that are compared by their place."""
_BASES = tuple(list_base_spots(seat + 1) for seat in SEATS)


class Position(NamedTuple):
    """A position as a camera could see it: the owners (seats from 0) of the pawns on each spot, and
    the number of pawns in each base."""

    held: Mapping[str, frozenset[int]]
    home: tuple[int, ...]


@lru_cache(maxsize=512)
def build_position(pawns: Pawns) -> Position:
    """Return the position of these pawns."""
    standing = map_occupants([format_places(seat, pawns) for seat in SEATS])
    held = {name: frozenset(number - 1 for number, _ in there) for name, there in standing.items()}
    return Position(held, tuple(len(standing.get(f"base {seat + 1}", ())) for seat in SEATS))


class BoardReading(NamedTuple):
    """A parsed view of the board: the owner of the pawn on each spot, the hidden spots, and the
    least and the most pawns in each base."""

    held: Mapping[str, int]
    hidden: frozenset[str]
    home: tuple[tuple[int, int], ...]


@lru_cache(maxsize=64)
def read_board(board: BoardClaim) -> BoardReading:
    """Parse a camera's report."""
    held = {name: COLOURS.index(colour) for name, colour in board.pawns if colour in COLOURS}
    hidden = frozenset(board.hidden)
    home = []
    for seat, spots in enumerate(_BASES):
        sure = sum(held.get(name) == seat for name in spots)
        home.append((sure, sure + sum(name in hidden for name in spots)))
    return BoardReading(held, hidden, tuple(home))


def count_missing_pawns(reading: BoardReading, pawns: Pawns) -> int | None:
    """Return how many pawns are missing in their bases, if the position agrees with the report
    otherwise; None if it does not."""
    there = build_position(pawns)
    for name in _PLACES:
        if name in reading.hidden:
            continue
        seat, owners = reading.held.get(name), there.held.get(name, frozenset())
        # Several pawns may share a spot, but a camera sees one colour there.
        if bool(owners) != (seat is not None) or (seat is not None and seat not in owners):
            return None
    lack = 0
    for (least, most), count in zip(reading.home, there.home, strict=True):
        if least > count:
            return None
        # Hidden places may hold a pawn each, so that fewer are missing than it seems.
        lack += max(0, count - most)
    return lack


def find_seen_plays(state: State, board: BoardClaim, card: str) -> tuple[Steps, ...]:
    """Return the plays of `card` that explain what is seen: one, several that look the same, or ()
    while none has been made."""
    reading = read_board(board)
    before = count_missing_pawns(reading, state.pawns)
    found: dict[Pawns, tuple[int, Steps]] = {}
    for play in sorted(list_plays(state.pawns, state.turn, card, state.setup.options)):
        after = apply_play(state.pawns, play, card, state.setup.options)
        lack = count_missing_pawns(reading, after)
        if lack is not None and _has_arrived(reading, state.pawns, after):
            found.setdefault(after, (lack, play))
    # Fewer pawns missing explain the board better.
    least = min((lack for lack, _ in found.values()), default=0)
    # The old position explains it as well: nothing has been played yet.
    if before is not None and before <= least:
        return ()
    return tuple(play for lack, play in found.values() if lack == least)


def _has_arrived(reading: BoardReading, before: Pawns, after: Pawns) -> bool:
    """Tell whether a pawn is seen where this play moves one, or the play moves pawns only home. A
    pawn that has merely left its place may still be in a hand."""
    one, other = build_position(before).held, build_position(after).held
    comes = [name for name in _PLACES if other.get(name, frozenset()) - one.get(name, frozenset())]
    return not comes or any(name not in reading.hidden for name in comes)


def describe_strange_board(state: State, board: BoardClaim, cards: Sequence[str]) -> Text | None:
    """Describe what is impossible, if the report agrees neither with the state, nor with the state
    before the last card, nor with a play of these cards, complete or partial; else None."""
    reading = read_board(board)
    # Hands may be late: the pawns may still stand as before the last card.
    stands = (state.pawns, _pawns_before_last_card(state))
    if any(count_missing_pawns(reading, pawns) is not None for pawns in stands):
        return None
    kinds = tuple(card for card in cards if state.count_unplayed_copies(card) > 0)
    if any(
        count_missing_pawns(reading, pawns) is not None for pawns in _generate_reachable_boards(state, kinds)
    ):
        return None
    return _describe_difference(state, reading)


def _generate_reachable_boards(state: State, kinds: Sequence[str]) -> Iterator[Pawns]:
    for card in kinds:
        for play in list_plays(state.pawns, state.turn, card, state.setup.options):
            # Of a seven each pawn by itself too: it is moved pawn by pawn.
            for part in range(1 if card == SPLIT else len(play), len(play) + 1):
                yield apply_play(state.pawns, play[:part], card, state.setup.options)


def _pawns_before_last_card(state: State) -> Pawns:
    """Return the pawns before the last card, since hands may be late."""
    pawns = state.pawns
    for event in reversed(state.last):
        match event:
            case (
                PawnMoved(owner=owner, pawn=pawn, source=source)
                | PawnSentHome(owner=owner, pawn=pawn, source=source)
            ):
                seat = state.players.index(owner)
                place = parse_place(seat, source)
                assert place is not None, source
                pawns = with_pawn(pawns, 4 * seat + pawn - 1, place)
            case PawnsSwapped():
                one, other = (
                    4 * state.players.index(owner) + pawn - 1
                    for owner, pawn in ((event.owner, event.pawn), (event.other_owner, event.other_pawn))
                )
                pawns = swap_pawns(pawns, one, other)
    return pawns


def _describe_difference(state: State, reading: BoardReading) -> Text | None:
    """Describe the first pawn that stands in an impossible place, and its right place; None where
    pawns are only missing, since a hand may hold them."""
    there = build_position(state.pawns)
    extra = [
        (name, seat)
        for name, seat in reading.held.items()
        if name in _PLACES and seat not in there.held.get(name, ())
    ]
    gone = [
        (name, seat)
        for name, owners in there.held.items()
        if name in _PLACES and name not in reading.hidden and name not in reading.held
        for seat in owners
    ]
    for name, seat in extra:
        # A pawn that is missing elsewhere is most likely this one.
        was = next((place for place, owner in gone if owner == seat), None)
        args = {"player": state.players[seat], "to": _describe_spot(state, seat, name)}
        if was is None:
            return Text("doubt.pawn_strange", args)
        return Text("doubt.pawn_moved", args | {"source": _describe_spot(state, seat, was)})
    return next(
        (
            Text("doubt.pawn_home", {"player": state.players[seat]})
            for seat, (least, _) in enumerate(reading.home)
            if least > there.home[seat]
        ),
        None,
    )


def _describe_spot(state: State, seat: int, name: str) -> Text:
    """Return the words for a spot, from the view of a pawn of that seat."""
    kind, _, number = name.rpartition(" ")
    own = number.partition(":")[0] == str(seat + 1)
    if kind == "start":
        place = parse_place(seat, "start" if own else f"{number}:0")
    elif kind == "goal":
        if not own:
            owner = state.players[int(number[0]) - 1]
            return Text("place.other_goal", {"number": int(number[2:]), "player": owner})
        place = parse_place(seat, f"goal:{number[2:]}")
    else:
        place = parse_place(seat, number)
    assert place is not None, name
    return describe_place(state, seat, place)
