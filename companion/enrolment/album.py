"""Order and storage of an enrolment: which designs are wanted next (`Roll`), and the deck's views
and counted copies, saved as they come (`Album`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from companion.decks.references import words_of
from companion.enrolment.look import Shot
from companion.rules.contract import Text
from companion.table.decks import Deck, DeckError
from companion.table.identification import BACK
from companion.table.zones import card_words
from vision.decks.enrol import MOST_VIEWS
from vision.decks.separation import Separation
from vision.errors import LibraryError
from vision.library import Library, Reference

_PACK = re.compile("(?P<rank>10|[2-9AJQK])(?P<suit>[SHDC])")
"""Common short names of a pack of 52, ace of spades to king of clubs: AS, 10H, KC."""
_SUITS = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}


def asked_for(deck: Deck, drawn: Iterable[str]) -> list[str]:
    """List the designs to show the camera, in the deck's order, followed by the back.

    `drawn`: designs that the program draws itself. If people's own cards mix with these (a pack of
    52 with printed donkeys), only their own are listed; a deck that is all drawn may be somebody's
    original game, and is listed completely.
    """
    ours = set(drawn)
    names = [design.name for design in deck.designs if design.name != BACK]
    own = [name for name in names if name not in ours]
    return [*(own or names), BACK]


def in_words(deck: Deck, design: str) -> Text:
    """Return a design's name for people: as in a pack of 52, or its card's name, with the design's
    own name if that says more."""
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
    """Iteration over the designs in their order. A round is over when each design has one view more
    than the one with the fewest had at its start.

    `names`: the designs to enrol. `views`: how many views each already has. `again`: a single
    design to enrol again.
    """

    def __init__(self, names: Sequence[str], views: Mapping[str, int], again: str = "") -> None:
        self.names = tuple(names)
        self._views = {name: views.get(name, 0) for name in names}
        poorest = min(self._views.values(), default=0)
        # At most as many views as are kept: a round would never end otherwise.
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
        """How many designs have been shown in this round."""
        if self._again:
            return int(self.wanted is None)
        return sum(views >= self._goal for views in self._views.values())

    @property
    def skipped(self) -> tuple[str, ...]:
        """Designs that were skipped and still lack a view."""
        return tuple(name for name in self.names if name in self._skipped and self._views[name] < self._goal)

    def following(self) -> list[str]:
        """List the wanted design and all after it in the deck's order, whether shown or not: the
        cards of a sheet."""
        return [] if self.wanted is None else list(self.names[self._place(self.wanted) :])

    def took(self, name: str) -> None:
        """Count a view of `name`, and go on to the next design that lacks one."""
        self._views[name] = self._views.get(name, 0) + 1
        self._skipped.discard(name)
        self.wanted = None if self._again else self._after(self._place(name))

    def skip(self) -> None:
        """Skip the wanted design; it is not asked for again in this round."""
        if self.wanted is not None:
            self._skipped.add(self.wanted)
            self.wanted = None if self._again else self._after(self._place(self.wanted))

    def go_to(self, name: str) -> None:
        """Make `name` the wanted design."""
        if name in self._views:
            self._skipped.discard(name)
            self.wanted = name

    def back(self) -> str:
        """Go back to the previous design (after the end: the last; at the start: the first), and
        return it."""
        place = len(self.names) if self.wanted is None else self._place(self.wanted)
        self.go_to(self._again or self.names[max(place - 1, 0)])
        return self.wanted or ""

    def lost(self, name: str, views: int) -> None:
        """Note that `views` views of `name` were removed."""
        self._views[name] = max(self._views.get(name, 0) - views, 0)

    def _place(self, name: str) -> int:
        return self.names.index(name)

    def _after(self, place: int) -> str | None:
        """Return the next design after `place` that lacks a view, continuing from the start; None
        if there is none."""
        turned = (*self.names[place + 1 :], *self.names[: place + 1])
        lacking = (name for name in turned if self._views[name] < self._goal and name not in self._skipped)
        return next(lacking, None)


class Album:
    """Views and counted copies of one deck.

    `library`: its views. `unkept`: why the last save failed, None if everything is saved. `fresh`:
    whether views have changed since the last self-test.
    """

    def __init__(self, deck: Deck, library: Library) -> None:
        self.deck = deck
        self.library = library
        self.unkept: Text | None = None
        self.fresh = False
        # Remembered, because views that are replaced in this sitting can be restored.
        self._before = tuple(library.references)
        self._seen: dict[str, int] = {}

    def add(self, name: str, shot: Shot, *, anew: bool = False) -> None:
        """Add a view of the design `name`. With `anew` it replaces all its views, otherwise the
        oldest if there are enough."""
        if anew:
            self.library.remove(name)
        elif self.library.views(name) >= MOST_VIEWS:
            # References are in the order of enrolment, so the first is the oldest.
            self._without([next(one for one in self.library.references if one.card == name)])
        self.library.add(name, *shot)
        self._seen[name] = max(self._seen.get(name, 0), 1)
        self.fresh = True

    def take_back(self, name: str) -> int:
        """Remove the views of `name` added in this sitting, restore those they replaced, and return
        how many were removed."""
        bad = [one for one in self.taken if one.card == name]
        self._seen.pop(name, None)
        if bad:
            left = [one for one in self.library.references if one.card != name]
            self._only([*left, *(one for one in self._before if one.card == name)])
        return len(bad)

    @property
    def taken(self) -> list[Reference]:
        """Views added in this sitting."""
        return [one for one in self.library.references if not _among(one, self._before)]

    @property
    def older(self) -> list[Reference]:
        """Views of the same designs from before this sitting."""
        names = {one.card for one in self.taken}
        return [one for one in self.library.references if one.card in names and _among(one, self._before)]

    def replace(self) -> list[Reference]:
        """Remove the older views, and return them."""
        older = self.older
        self._without(older)
        return older

    def keep(self) -> None:
        """Save the views. If that fails they stay in memory, and the next call tries again."""
        try:
            self.library.save(self.deck.views or ".")
            self.unkept = None
        except LibraryError as error:
            self.unkept = Text("cards.no_views", {"reason": words_of(error)})

    def copied(self) -> Library:
        """Return a library with the same views, which can be examined while new ones are added."""
        return Library(self.library.references, self.library.margins)

    def judged(self, done: Separation) -> None:
        """Apply the margins found by a self-test, and save them."""
        self.library.margins, self.fresh = done.margins, False
        self.keep()

    # ---- copies ----

    def seen(self, name: str) -> int:
        """Return how many copies of a design were seen in this sitting."""
        return self._seen.get(name, 0)

    def copies(self, name: str) -> int:
        """Return how many copies of a design the deck file lists."""
        design = self.deck.design(name)
        return 1 if design is None else design.copies

    def another(self, name: str) -> bool:
        """Count another copy of a design that has been seen; return False if the deck has no
        more."""
        if not 0 < self.seen(name) < self.copies(name):
            return False
        self._seen[name] += 1
        return True

    def count(self, found: Mapping[str, int]) -> None:
        """Record how many copies of each design are visible at once. If there are more than in the
        deck file, the file is corrected."""
        for name, seen in found.items():
            self._seen[name] = max(seen, self.seen(name))
            if self.deck.design(name) is not None and seen > self.copies(name):
                self.deck = self.deck.with_copies(name, seen)
        try:
            self.deck = self.deck.save()
            self.unkept = None
        except DeckError as error:
            self.unkept = error.faults[0].located()

    def tally(self, name: str) -> Text:
        """Return the message that says how many copies of a design were seen, and of how many."""
        words = {"card": self.words(name), "seen": self.seen(name), "copies": self.copies(name)}
        return Text("enrol.seen", words)

    @property
    def short(self) -> tuple[Text, ...]:
        """Messages for the designs of which copies are missing."""
        return tuple(self.tally(name) for name in self._seen if 0 < self.seen(name) < self.copies(name))

    def words(self, name: str) -> Text:
        """Return a design's name for people."""
        return in_words(self.deck, name)

    def _without(self, views: Sequence[Reference]) -> None:
        self._only([one for one in self.library.references if not _among(one, views)])

    def _only(self, views: Sequence[Reference]) -> None:
        """Reduce the library to these views, those from before the sitting first, in their old
        order. It is built again, because a library can only remove whole designs."""
        order = {id(one): place for place, one in enumerate(self._before)}
        kept = sorted(views, key=lambda one: order.get(id(one), len(order)))
        self.library = Library(kept, self.library.margins)
        self.fresh = True


def _among(view: Reference, views: Sequence[Reference]) -> bool:
    # By identity: comparing views with `==` would compare arrays of pixels.
    return any(view is one for one in views)
