"""The album of a deck that is being enrolled: its views and the copies that were seen, written into
its folder as they come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion.decks.references import words_of
from companion.enrolment.look import Shot
from companion.enrolment.roll import in_words
from companion.rules.contract import Text
from companion.table.decks import Deck, DeckError
from vision.decks.enrol import MOST_VIEWS
from vision.decks.separation import Separation
from vision.errors import LibraryError
from vision.library import Library, Reference


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
