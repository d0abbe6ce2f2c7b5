"""Order and storage of an enrolment: which designs are wanted next (`EnrolmentQueue`), and the
deck's views and counted copies, saved as they come (`Album`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from companion.decks.references import describe_library_error
from companion.enrolment.picture_analysis import Shot
from companion.rules.contract import Text
from companion.table.decks import Deck, DeckError
from companion.table.identification import BACK
from companion.table.zones import describe_design
from vision.decks.enrol import MOST_VIEWS
from vision.decks.separation import Separation
from vision.errors import LibraryError
from vision.library import Library, Reference


def list_wanted_designs(deck: Deck, drawn_designs: Iterable[str]) -> list[str]:
    """List the designs to show the camera, in the deck's order, followed by the back.

    `drawn_designs`: designs that the program draws itself. If people's own cards mix with these (a
    pack of 52 with printed donkeys), only their own are listed; a deck that is all drawn may be
    somebody's original game, and is listed completely.
    """
    ours = set(drawn_designs)
    names = [design.name for design in deck.designs if design.name != BACK]
    own = [name for name in names if name not in ours]
    return [*(own or names), BACK]


class EnrolmentQueue:
    """Iteration over the designs in their order. A round is over when each design has one view more
    than the one with the fewest had at its start.

    `names`: the designs to enrol. `views`: how many views each already has. `only_design`: a single
    design to enrol again.
    """

    def __init__(self, names: Sequence[str], views: Mapping[str, int], only_design: str = "") -> None:
        self.names = tuple(names)
        self._views = {name: views.get(name, 0) for name in names}
        poorest = min(self._views.values(), default=0)
        # At most as many views as are kept: a round would never end otherwise.
        self._goal = min(poorest + 1, MOST_VIEWS)
        self._only_design = only_design
        self._skipped: set[str] = set()
        self.wanted: str | None = only_design or self._find_next_after(-1)

    @property
    def total_count(self) -> int:
        """How many designs there are to show."""
        return 1 if self._only_design else len(self.names)

    @property
    def done_count(self) -> int:
        """How many designs have been shown in this round."""
        if self._only_design:
            return int(self.wanted is None)
        return sum(views >= self._goal for views in self._views.values())

    @property
    def skipped_designs(self) -> tuple[str, ...]:
        """Designs that were skipped and still lack a view."""
        return tuple(name for name in self.names if name in self._skipped and self._views[name] < self._goal)

    def list_remaining(self) -> list[str]:
        """List the wanted design and all after it in the deck's order, whether shown or not: the
        cards of a sheet."""
        return [] if self.wanted is None else list(self.names[self._find_index(self.wanted) :])

    def record_view(self, name: str) -> None:
        """Count a view of `name`, and go on to the next design that lacks one."""
        self._views[name] = self._views.get(name, 0) + 1
        self._skipped.discard(name)
        self.wanted = None if self._only_design else self._find_next_after(self._find_index(name))

    def skip(self) -> None:
        """Skip the wanted design; it is not asked for again in this round."""
        if self.wanted is not None:
            self._skipped.add(self.wanted)
            self.wanted = None if self._only_design else self._find_next_after(self._find_index(self.wanted))

    def jump_to(self, name: str) -> None:
        """Make `name` the wanted design."""
        if name in self._views:
            self._skipped.discard(name)
            self.wanted = name

    def step_back(self) -> str:
        """Go back to the previous design (after the end: the last; at the start: the first), and
        return it."""
        place = len(self.names) if self.wanted is None else self._find_index(self.wanted)
        self.jump_to(self._only_design or self.names[max(place - 1, 0)])
        return self.wanted or ""

    def record_removed_views(self, name: str, views: int) -> None:
        """Note that `views` views of `name` were removed."""
        self._views[name] = max(self._views.get(name, 0) - views, 0)

    def _find_index(self, name: str) -> int:
        return self.names.index(name)

    def _find_next_after(self, place: int) -> str | None:
        """Return the next design after `place` that lacks a view, continuing from the start; None
        if there is none."""
        turned = (*self.names[place + 1 :], *self.names[: place + 1])
        lacking = (name for name in turned if self._views[name] < self._goal and name not in self._skipped)
        return next(lacking, None)


class Album:
    """Views and counted copies of one deck.

    `library`: its views. `save_error`: why the last save failed, None if everything is saved.
    `has_changed`: whether views have changed since the last self-test.
    """

    def __init__(self, deck: Deck, library: Library) -> None:
        self.deck = deck
        self.library = library
        self.save_error: Text | None = None
        self.has_changed = False
        # Remembered, because views that are replaced in this sitting can be restored.
        self._before = tuple(library.references)
        self._seen_copies: dict[str, int] = {}

    def add_view(self, name: str, shot: Shot, *, replace: bool) -> None:
        """Add a view of the design `name`. With `replace` it replaces all its views, otherwise the
        oldest if there are enough."""
        if replace:
            self.library.remove_design(name)
        elif self.library.count_views(name) >= MOST_VIEWS:
            # References are in the order of enrolment, so the first is the oldest.
            self._remove_views([next(one for one in self.library.references if one.card == name)])
        self.library.add_view(name, *shot)
        self._seen_copies[name] = max(self._seen_copies.get(name, 0), 1)
        self.has_changed = True

    def undo_views(self, name: str) -> int:
        """Remove the views of `name` added in this sitting, restore those they replaced, and return
        how many were removed."""
        bad = [one for one in self.session_views if one.card == name]
        self._seen_copies.pop(name, None)
        if bad:
            left = [one for one in self.library.references if one.card != name]
            self._set_views([*left, *(one for one in self._before if one.card == name)])
        return len(bad)

    @property
    def session_views(self) -> list[Reference]:
        """Views added in this sitting."""
        return [one for one in self.library.references if not _contains_view(one, self._before)]

    @property
    def older_views(self) -> list[Reference]:
        """Views of the same designs from before this sitting."""
        names = {one.card for one in self.session_views}
        return [
            one for one in self.library.references if one.card in names and _contains_view(one, self._before)
        ]

    def drop_older_views(self) -> list[Reference]:
        """Remove the older views, and return them."""
        older = self.older_views
        self._remove_views(older)
        return older

    def save_views(self) -> None:
        """Save the views. If that fails they stay in memory, and the next call tries again."""
        try:
            self.library.save(self.deck.views_folder or ".")
            self.save_error = None
        except LibraryError as error:
            self.save_error = Text("cards.no_views", {"reason": describe_library_error(error)})

    def copy_library(self) -> Library:
        """Return a library with the same views, which can be examined while new ones are added."""
        return Library(self.library.references, self.library.margins)

    def apply_separation(self, separation: Separation) -> None:
        """Apply the margins found by a self-test, and save them."""
        self.library.margins, self.has_changed = separation.margins, False
        self.save_views()

    # ---- copies ----

    def count_seen_copies(self, name: str) -> int:
        """Return how many copies of a design were seen in this sitting."""
        return self._seen_copies.get(name, 0)

    def count_owned_copies(self, name: str) -> int:
        """Return how many copies of a design the deck file lists."""
        design = self.deck.find_design(name)
        return 1 if design is None else design.copies

    def count_another_copy(self, name: str) -> bool:
        """Count another copy of a design that has been seen; return False if the deck has no
        more."""
        if not 0 < self.count_seen_copies(name) < self.count_owned_copies(name):
            return False
        self._seen_copies[name] += 1
        return True

    def record_copy_counts(self, copies_by_design: Mapping[str, int]) -> None:
        """Record how many copies of each design are visible at once. If there are more than in the
        deck file, the file is corrected."""
        for name, number in copies_by_design.items():
            self._seen_copies[name] = max(number, self.count_seen_copies(name))
            if self.deck.find_design(name) is not None and number > self.count_owned_copies(name):
                self.deck = self.deck.with_copies(name, number)
        try:
            self.deck = self.deck.save()
            self.save_error = None
        except DeckError as error:
            self.save_error = error.faults[0].describe()

    def describe_tally(self, name: str) -> Text:
        """Return the message that says how many copies of a design were seen, and of how many."""
        words = {
            "card": self.describe_design(name),
            "seen": self.count_seen_copies(name),
            "copies": self.count_owned_copies(name),
        }
        return Text("enrol.seen", words)

    @property
    def missing_copies(self) -> tuple[Text, ...]:
        """Messages for the designs of which copies are missing."""
        return tuple(
            self.describe_tally(name)
            for name in self._seen_copies
            if 0 < self.count_seen_copies(name) < self.count_owned_copies(name)
        )

    def describe_design(self, name: str) -> Text:
        """Return a design's name for people."""
        return describe_design(self.deck, name)

    def _remove_views(self, views: Sequence[Reference]) -> None:
        self._set_views([one for one in self.library.references if not _contains_view(one, views)])

    def _set_views(self, views: Sequence[Reference]) -> None:
        """Reduce the library to these views, those from before the sitting first, in their old
        order. It is built again, because a library can only remove whole designs."""
        order = {id(one): place for place, one in enumerate(self._before)}
        ordered = sorted(views, key=lambda one: order.get(id(one), len(order)))
        self.library = Library(ordered, self.library.margins)
        self.has_changed = True


def _contains_view(view: Reference, views: Sequence[Reference]) -> bool:
    # By identity: comparing views with `==` would compare arrays of pixels.
    return any(view is one for one in views)
