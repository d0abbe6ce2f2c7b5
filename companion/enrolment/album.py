"""The album of a deck: its views and the copies that were seen while it is enrolled, written into
its folder as they come; and learning in play, where an unsure card that the table has named becomes
a further view, in the folder and for the cameras."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING

from companion.decks.references import words_of
from companion.enrolment.look import Picture, Shot, known_as
from companion.enrolment.roll import in_words
from companion.readers.camera.pictures import Closeup
from companion.rules.contract import Text
from companion.table.decks import Deck, DeckError
from companion.table.identification import Key
from companion.table.zones import card_words
from vision.decks import enrol
from vision.decks.enrol import MOST_VIEWS
from vision.decks.separation import Separation
from vision.errors import LibraryError
from vision.geometry import Quad
from vision.library import Library, Reference
from vision.reading import Reading

if TYPE_CHECKING:
    from companion.readers.camera.reader import CameraReader


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


def learn(deck_folder: Path | str, card: str, image: Picture, quad: Quad) -> bool:
    """Add the card in `quad` (pixels of the BGR `image`) to the views of the design `card`, and
    tell whether that was done.

    Nothing is learnt of a design that has views enough (`vision.decks.enrol.MOST_VIEWS`), nor of a
    card that surely shows another design: somebody chose the wrong line. Raises `LibraryError` when
    the views cannot be read or written; they are unharmed then.
    """
    library = Library.load(deck_folder)
    known = known_as(Shot(image, quad), library)
    if known is not None and known != card:
        return False
    before = library.views(card)
    enrol.learn(library, image, Reading(None, False, 0.0, quad), card)
    if library.views(card) == before:
        return False
    library.save(deck_folder)
    return True


class Learner:
    """Learns in a thread of its own, since a library takes a moment to be read and written. `close`
    returns when all is written.

    `folder`: the deck's, with its views. `say`: is told in words what was learnt, or why it could
    not be kept.
    """

    def __init__(
        self, deck: Deck, folder: Path, cameras: Sequence[CameraReader], say: Callable[[Text], object]
    ) -> None:
        self._deck = deck
        self._folder = folder
        self._cameras = {camera.name: camera for camera in cameras}
        self._say = say
        self._lessons: SimpleQueue[tuple[str, Closeup] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._learn, name="learner", daemon=True)
        self._thread.start()

    def named(self, tracks: Sequence[Key], card: str) -> None:
        """Take note that the table calls the card of these tracks `card`. Returns at once; what no
        camera saw teaches nothing."""
        for reader, track in tracks:
            camera = self._cameras.get(reader)
            view = None if camera is None else camera.closeup(track)
            design = None if view is None else self._design(card, view)
            if view is not None and design is not None:
                self._lessons.put((design, view))

    def close(self) -> None:
        """Learn what is still to be learnt, then stop."""
        # Behind all lessons that wait: what was said in the last minute is learnt too.
        self._lessons.put(None)
        self._thread.join()

    def _design(self, card: str, view: Closeup) -> str | None:
        """Return the design that lies there, of those that stand for the card: the likeliest; None
        when nobody can tell."""
        designs = [design.name for design in self._deck.designs if design.card == card]
        likely = [design for design in view.candidates if design in designs]
        return next(iter(likely), designs[0] if len(designs) == 1 else None)

    def _learn(self) -> None:
        while (lesson := self._lessons.get()) is not None:
            design, view = lesson
            try:
                if learn(self._folder, design, view.image, view.quad):
                    for camera in self._cameras.values():
                        camera.learn(design, view)
                    self._say(
                        Text("learning.learnt", {"card": card_words(self._deck.card(design) or design)})
                    )
            except LibraryError as error:
                self._say(Text("learning.not_kept", {"reason": words_of(error)}))
            except Exception as fault:  # a picture that nothing can be made of must not end the learning
                self._say(Text("learning.not_kept", {"reason": type(fault).__name__}))
