"""The roll of a deck that is being enrolled (which designs are wanted, next, taken) and its album:
its views and the copies that were seen, written into its folder as they come."""

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


class Album:
    """Views and counts of one deck.

    `library`: its views. `unkept`: why the last of them could not be written, None when all is
    kept. `fresh`: whether views have come or gone since the last self-test.
    """

    def __init__(self, deck: Deck, library: Library) -> None:
        self.deck = deck
        self.library = library
        self.unkept: Text | None = None
        self.fresh = False
        self._before = tuple(library.references)
        self._seen: dict[str, int] = {}

    def add(self, name: str, shot: Shot, *, anew: bool = False) -> None:
        """Add a view of the design `name`, in the place of all it has (`anew`), or of the oldest
        where it has enough."""
        if anew:
            self.library.remove(name)
        elif self.library.views(name) >= MOST_VIEWS:
            self._without([next(one for one in self.library.references if one.card == name)])
        self.library.add(name, *shot)
        self._seen[name] = max(self._seen.get(name, 0), 1)
        self.fresh = True

    def take_back(self, name: str) -> int:
        """Forget the views of `name` that came in this sitting, and return how many they were;
        those that went for them are there again."""
        bad = [one for one in self.taken if one.card == name]
        self._seen.pop(name, None)
        if bad:
            left = [one for one in self.library.references if one.card != name]
            self._only([*left, *(one for one in self._before if one.card == name)])
        return len(bad)

    @property
    def taken(self) -> list[Reference]:
        """The views that came in this sitting."""
        return [one for one in self.library.references if not _among(one, self._before)]

    @property
    def older(self) -> list[Reference]:
        """The views from before it of the same designs."""
        names = {one.card for one in self.taken}
        return [one for one in self.library.references if one.card in names and _among(one, self._before)]

    def replace(self) -> list[Reference]:
        """Give up the older views, and return them."""
        older = self.older
        self._without(older)
        return older

    def keep(self) -> None:
        """Write the views; when that fails they stay in memory, and the next one tries it again."""
        try:
            self.library.save(self.deck.views or ".")
            self.unkept = None
        except LibraryError as error:
            self.unkept = Text("cards.no_views", {"reason": words_of(error)})

    def copied(self) -> Library:
        """Return a library of the same views, to be looked at while new ones come."""
        return Library(self.library.references, self.library.margins)

    def judged(self, done: Separation) -> None:
        """Take the margins that a self-test of the views found, and keep them."""
        self.library.margins, self.fresh = done.margins, False
        self.keep()

    # copies

    def seen(self, name: str) -> int:
        """How many copies of a design were seen in this sitting."""
        return self._seen.get(name, 0)

    def copies(self, name: str) -> int:
        """How many copies of a design the deck file says there are."""
        design = self.deck.design(name)
        return 1 if design is None else design.copies

    def another(self, name: str) -> bool:
        """Count a further copy of a design that has been seen, if the deck has one more; tell
        whether it has."""
        if not 0 < self.seen(name) < self.copies(name):
            return False
        self._seen[name] += 1
        return True

    def count(self, found: Mapping[str, int]) -> None:
        """Note that so many copies of each design lie there at once; where they are more than the
        deck file says, it is put right."""
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
        """Say how many copies of a design were seen, of how many."""
        words = {"card": self.words(name), "seen": self.seen(name), "copies": self.copies(name)}
        return Text("enrol.seen", words)

    @property
    def short(self) -> tuple[Text, ...]:
        """What was seen of the designs of which copies are missing."""
        return tuple(self.tally(name) for name in self._seen if 0 < self.seen(name) < self.copies(name))

    def words(self, name: str) -> Text:
        """Name a design for a person."""
        return in_words(self.deck, name)

    def _without(self, views: Sequence[Reference]) -> None:
        self._only([one for one in self.library.references if not _among(one, views)])

    def _only(self, views: Sequence[Reference]) -> None:
        """Hold these views, those from before the sitting first, as they were: the library, which
        only forgets whole designs, is filled anew."""
        order = {id(one): place for place, one in enumerate(self._before)}
        kept = sorted(views, key=lambda one: order.get(id(one), len(order)))
        self.library = Library(kept, self.library.margins)
        self.fresh = True


def _among(view: Reference, views: Sequence[Reference]) -> bool:
    return any(view is one for one in views)
