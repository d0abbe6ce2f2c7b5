"""What a person may do at a seat of the demo table: the game's menu, less cards not in hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from companion.rules.contract import Choice, Pick, Request


def with_hand(choices: Sequence[Choice], hand: Sequence[str]) -> list[Choice]:
    """Leave out what `hand` (names as on the wire) cannot do; where cards are picked, offer those
    of the hand."""
    return list(_fitting(choices, Counter(hand)))


def _fitting(choices: Sequence[Choice], hand: Mapping[str, int]) -> Iterator[Choice]:
    for choice in choices:
        if choice.pick is not None:
            pick = _picked(choice.pick, hand)
            if sum(copies for _, copies in pick.cards) >= pick.least:
                yield msgspec.structs.replace(choice, pick=pick)
        elif not Counter(named(choice.request)) - Counter(hand):
            yield choice


def named(request: Request) -> tuple[str, ...]:
    """Return the cards that a request names: its field `card` or `cards`."""
    card = getattr(request, "card", None)
    return (card,) if isinstance(card, str) else tuple(getattr(request, "cards", None) or ())


def _picked(pick: Pick, hand: Mapping[str, int]) -> Pick:
    cards = tuple((name, copies) for name, copies in hand.items() if name in dict(pick.cards))
    return msgspec.structs.replace(pick, cards=cards, most=min(pick.most, sum(hand.values())))
