"""The roll of a deck: which designs are wanted, next, taken, and how many copies were seen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from companion.rules.contract import Text
from companion.table.decks import Deck
from companion.table.identification import BACK
from companion.table.zones import card_words
from vision.decks.enrol import MOST_VIEWS

_PACK = re.compile("(?P<rank>10|[2-9AJQK])(?P<suit>[SHDC])")
"""The usual short names of a pack of 52, ace of spades to king of clubs: AS, 10H, KC."""
_SUITS = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}


def asked_for(deck: Deck, drawn: Iterable[str]) -> list[str]:
    """List the designs to show the camera, in the deck's order, and last the back.

    `drawn`: designs that the program draws itself. In a deck in which people's own cards mix with
    ours (a pack of 52 with printed donkeys) only their own are asked for; a deck of which all is
    drawn may be somebody's original game, and is asked for whole.
    """
    ours = set(drawn)
    names = [design.name for design in deck.designs if design.name != BACK]
    own = [name for name in names if name not in ours]
    return [*(own or names), BACK]


def in_words(deck: Deck, design: str) -> Text:
    """Name a design for a person: as in a pack of 52, or its card in words, with the design's own
    name where that says more."""
    if design == BACK:
        return Text("enrol.back")
    pack = _PACK.fullmatch(design)
    if pack is not None:
        rank = pack["rank"] if pack["rank"].isdecimal() else Text(f"pack.rank.{pack['rank']}")
        return Text("pack.card", {"rank": rank, "suit": Text(f"colour.{_SUITS[pack['suit']]}")})
    card = deck.card(design)
    if card is None:
        return Text("enrol.design", {"name": design})
    return (
        card_words(card)
        if card == design
        else Text("enrol.named", {"card": card_words(card), "name": design})
    )


class Roll:
    """Goes through the designs in their order. A round is over when each has one view more than the
    poorest had at its start.

    `names`: the designs that are asked for. `views`: how many views each has already. `again`: one
    design to take anew, and no other.
    """

    def __init__(self, names: Sequence[str], views: Mapping[str, int], again: str = "") -> None:
        self.names = tuple(names)
        self._views = {name: views.get(name, 0) for name in names}
        poorest = min(self._views.values(), default=0)
        self._goal = min(poorest + 1, MOST_VIEWS)
        self._again = again
        self._skipped: set[str] = set()
        self.wanted: str | None = again or self._after(-1)

    @property
    def total(self) -> int:
        """How many designs there are to show."""
        return 1 if self._again else len(self.names)

    @property
    def done(self) -> int:
        """How many of them have been shown."""
        if self._again:
            return int(self.wanted is None)
        return sum(views >= self._goal for views in self._views.values())

    @property
    def skipped(self) -> tuple[str, ...]:
        """Designs that were passed over and still lack a view."""
        return tuple(name for name in self.names if name in self._skipped and self._views[name] < self._goal)

    def following(self) -> list[str]:
        """List the wanted design and those after it, in the deck's order, whether they have been
        shown or not: a sheet's cards."""
        return [] if self.wanted is None else list(self.names[self._place(self.wanted) :])

    def took(self, name: str) -> None:
        """Note a view of `name`, and go on to the next that lacks one."""
        self._views[name] = self._views.get(name, 0) + 1
        self._skipped.discard(name)
        self.wanted = None if self._again else self._after(self._place(name))

    def skip(self) -> None:
        """Pass over the wanted design; it stays without a view, and is not asked for this round."""
        if self.wanted is not None:
            self._skipped.add(self.wanted)
            self.wanted = None if self._again else self._after(self._place(self.wanted))

    def go_to(self, name: str) -> None:
        """Want `name` next."""
        if name in self._views:
            self._skipped.discard(name)
            self.wanted = name

    def back(self) -> str:
        """Want the design before this one again (after the last: the last; before the first: the
        first), and return it."""
        place = len(self.names) if self.wanted is None else self._place(self.wanted)
        self.go_to(self._again or self.names[max(place - 1, 0)])
        return self.wanted or ""

    def lost(self, name: str, views: int) -> None:
        """Note that `views` views of `name` were taken back."""
        self._views[name] = max(self._views.get(name, 0) - views, 0)

    def _place(self, name: str) -> int:
        return self.names.index(name)

    def _after(self, place: int) -> str | None:
        """Return the next design after `place` that lacks a view, beginning anew at the end."""
        turned = (*self.names[place + 1 :], *self.names[: place + 1])
        lacking = (name for name in turned if self._views[name] < self._goal and name not in self._skipped)
        return next(lacking, None)
