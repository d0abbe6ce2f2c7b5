"""Enrol a deck with a camera: frames and key presses in, views of the deck's designs out, each
saved at once.

`Enroller` has three modes. In `one`, cards are shown one at a time: a `Shutter` notices a new card
that lies still, and it becomes a view of the design that is wanted. In `sheet`, many cards lie in
the deck's order, and are taken together when the person says so; `Doubts` are reasons to believe
that they do not lie in that order. In `pack`, a pack of 52 is laid out in any order and named
afterwards (`spread`).

Frames come in one thread and keys in another, so every change holds a lock. `progress` and `scene`
are immutable values that a view may draw at any time. `Controls` lists the actions under names
shared by the terminal and the screen; `advice` explains the result of the self-test.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from companion.enrolment.album import Album, Roll
from companion.enrolment.look import (
    Mode,
    OutlinedPicture,
    Picture,
    Progress,
    Shot,
    cards_in,
    gap_after,
    hint,
    known_as,
    still_there,
)
from companion.enrolment.spread import Names, Spread
from companion.rules.contract import Text
from companion.table.identification import BACK
from vision.decks import enrol, separation
from vision.decks.capture import Shutter
from vision.decks.enrol import MOST_VIEWS
from vision.decks.separation import Separation
from vision.geometry import Quad
from vision.reader import Reader


class Doubts:
    """Doubts about the order of one sheet. Each is raised only once: a person who asks for the
    sheet again is sure."""

    def __init__(self) -> None:
        self._raised: set[str] = set()

    def about(self, shots: Sequence[Shot], names: Sequence[str], album: Album) -> Text | None:
        """Return the first new doubt: a gap in the rows, or a card known to be another than the
        order (`names`) says. None if there is none."""
        gap = gap_after([shot.quad for shot in shots])
        if gap is not None and self._fresh("enrol.gap"):
            return Text("enrol.gap", {"number": gap})
        # Recognising every card takes time; it is done only while the doubt could still be raised.
        if "enrol.misplaced" in self._raised:
            return None
        for number, (shot, wanted) in enumerate(zip(shots, names, strict=False), 1):
            known = known_as(shot, album.library, wanted)
            if known is not None and known != wanted and self._fresh("enrol.misplaced"):
                said = {"number": number, "card": album.words(known), "wanted": album.words(wanted)}
                return Text("enrol.misplaced", said)
        return None

    def _fresh(self, code: str) -> bool:
        fresh = code not in self._raised
        self._raised.add(code)
        return fresh


FEWEST = 20
"""Smallest number of cards in a pack."""

SEEK_AGAIN_AFTER = 1.5
"""Seconds without anything new after which a card that was there from the start is looked for."""


class Enroller:
    """Enrolment of one deck.

    `album`: its views, to which new ones are added. `names`: the designs to ask for, in order.
    `again`: a single one of them to enrol again.
    """

    def __init__(self, album: Album, names: Sequence[str], again: str = "") -> None:
        self.album = album
        self._again = again
        self._words = album.words
        self._roll = Roll(names, {name: album.library.views(name) for name in names}, again)
        self._lock = threading.RLock()
        self._shutter = Shutter()
        self._mode: Mode = "one"
        self.spread = Spread(album.deck)
        self._last: tuple[str, Shot] | None = None
        self._act: tuple[str, ...] = ()
        self._image: Picture | None = None
        self._alone = False
        self._quads: list[Quad] = []
        self._doubts = Doubts()
        self._looked_at: float | None = None
        self._note: Text | None = None
        self._trouble = False
        self._captures = 0
        self._scene: OutlinedPicture | None = None
        self._progress = self._drawn()

    # ---- frames ----

    def see(self, image: Picture, at: float, alone: bool = False) -> bool:
        """Process a frame (BGR; `at`: seconds; `alone`: a separate photo). Return whether this
        photo is finished and the next may come."""
        with self._turn():
            self._image, self._alone = image, alone
            if alone:
                return self._see_photo(image)
            # Sheets and packs are taken only when the person says so.
            if self._mode != "one":
                self._show(self._cards_in(image))
                return False
            quad = self._shutter.see(image, at, self.album.library.tall)
            self._show([quad] if quad is not None else self._shutter.new)
            if quad is not None:
                self._caught(Shot(image, quad))
            elif self._note is None and not self._quads:
                self._was_there(image, at)
            return False

    def _was_there(self, image: Picture, at: float) -> None:
        """Give advice about a card that was there before any was asked for. It is looked for every
        `SEEK_AGAIN_AFTER` seconds, because that takes longer than a frame."""
        if self._looked_at is None:
            self._looked_at = at
        elif at - self._looked_at >= SEEK_AGAIN_AFTER:
            self._looked_at = at
            if len(self._cards_in(image)) == 1:
                self._say("enrol.was_there")

    def _cards_in(self, image: Picture) -> list[Quad]:
        return cards_in(image, self.album.library.tall)

    def _see_photo(self, image: Picture) -> bool:
        """Take a photo of one card at once; keep a photo of several as a sheet until the person
        confirms."""
        self._show(self._cards_in(image))
        if self._mode == "pack":
            return False
        if len(self._quads) > 1:
            self._mode = "sheet"
            return False
        self._mode = "one"
        if self._quads:
            return self._caught(Shot(image, self._quads[0]))
        self._say("enrol.nothing", trouble=True)
        return True

    def _show(self, quads: list[Quad]) -> None:
        if len(quads) != len(self._quads):
            self._doubts = Doubts()
        self._quads = quads

    def _caught(self, shot: Shot) -> bool:
        """Handle a card that lies still: the wanted one, another copy of a known one, or the last
        one again. Return whether it is dealt with."""
        wanted = self._roll.wanted
        if self._last is not None and not self._alone and still_there(shot, self._last[1]):
            if wanted is not None:
                self._say("enrol.still", card=self._words(self._last[0]), wanted=self._words(wanted))
            return True
        known = known_as(shot, self.album.library, wanted)
        # Another copy of a design shown before: counted, but not used as a view of the wanted one.
        if known is not None and known != wanted and self.album.another(known):
            self._last = (known, shot)
            self._captures += 1
            self._say("enrol.copy", tally=self.album.tally(known))
            return True
        # All designs are done: further cards are ignored.
        if wanted is None:
            return True
        if known is None or known == wanted:
            self._take(shot)
            self.album.keep()
            return True
        self._say("enrol.known", trouble=True, card=self._words(known), wanted=self._words(wanted))
        return False

    def _take(self, shot: Shot) -> None:
        """Add the card as a view of the wanted design."""
        wanted = self._roll.wanted
        if wanted is None:
            return
        self.album.add(wanted, shot, anew=wanted == self._again)
        self._last = (wanted, shot)
        self._act = (wanted,)
        self._captures += 1
        self._roll.took(wanted)
        self._say("enrol.taken", card=self._words(wanted))

    # ---- commands ----

    def skip(self) -> None:
        """Skip the wanted design."""
        with self._turn():
            wanted = self._roll.wanted
            self._act = ()
            if self._mode == "pack":
                return
            self._roll.skip()
            if wanted is not None:
                self._say("enrol.skipped", card=self._words(wanted))

    def back(self) -> None:
        """Undo the last capture and ask for its design again, or go to the previous design if there
        was none. A sheet that was just taken is undone as a whole."""
        with self._turn():
            if self._mode == "pack":
                self._say("enrol.pack.back", count=self.spread.take_back(), **self._laid)
                return
            self._take_back(self._act or (self._roll.back(),))

    def take_all_back(self) -> Text:
        """Remove all views of this sitting, restore those they replaced, and return the message
        about it."""
        with self._turn():
            views = self.album.taken
            self._take_back(tuple(dict.fromkeys(view.card for view in views)))
            return Text("enrol.sitting.gone", {"count": len(views)})

    def replace(self) -> Text:
        """Remove the older views of all designs taken in this sitting, and return the message about
        it."""
        with self._turn():
            older = self.album.replace()
            self.album.keep()
            return Text("enrol.sitting.replaced", {"count": len(older)})

    def _take_back(self, names: Sequence[str]) -> None:
        """Remove the views of these designs, the last first, and want the first of them again."""
        bad = 0
        for name in reversed(names):
            bad = self.album.take_back(name)
            self._roll.go_to(name)
            self._roll.lost(name, bad)
        self._act, self._last = (), None
        self._say("enrol.taken_back" if bad else "enrol.back_to", card=self._words(names[0]))
        if bad:
            self.album.keep()

    def go_to(self, name: str) -> None:
        """Make a certain design the wanted one."""
        with self._turn():
            self._act = ()
            self._roll.go_to(name)
            self._note = None

    def now(self) -> bool:
        """Take the card in sight, or in sheet mode all of them. Return whether that was done."""
        with self._turn():
            if self._image is None:
                self._say("enrol.no_picture", trouble=True)
            elif self._mode == "sheet":
                return self._take_sheet(self._image, self._quads)
            elif self._mode == "pack":
                return self._lay_out(self._image, self._quads)
            else:
                quads = self._quads = self._shutter.new or self._cards_in(self._image)
                if len(quads) == 1 and self._roll.wanted is not None:
                    self._take(Shot(self._image, quads[0]))
                    self.album.keep()
                    return True
                several = "enrol.several" if quads else "enrol.nothing"
                self._say(several, trouble=True, count=len(quads))
            return False

    def _take_sheet(self, image: Picture, quads: list[Quad]) -> bool:
        names = self._roll.following()
        if not quads or len(quads) > len(names):
            self._say("enrol.too_many" if quads else "enrol.nothing", trouble=True, left=len(names))
            return False
        shots = [Shot(image, quad) for quad in quads]
        doubt = self._doubts.about(shots, names, self.album)
        if doubt is not None:
            self._say(doubt.code, trouble=True, **doubt.args)
            return False
        self._take_all(shots, names)
        return True

    def take_all(self, image: Picture, quads: Sequence[Quad] | None = None) -> int:
        """Take all cards of a photo in the deck's order without asking, and return how many. Takes
        none if the rows have a gap, or if there are more cards than designs left. `quads`: their
        outlines, if known."""
        with self._turn():
            found = self._cards_in(image) if quads is None else list(quads)
            self._image, self._quads, names = image, found, self._roll.following()
            if 0 < len(found) <= len(names) and gap_after(found) is None:
                self._take_all([Shot(image, quad) for quad in found], names)
                return len(found)
            return 0

    def _take_all(self, shots: Sequence[Shot], names: Sequence[str]) -> None:
        for name, shot in zip(names, shots, strict=False):
            self._roll.go_to(name)
            self._take(shot)
        self._act = tuple(names[: len(shots)])
        self.album.keep()
        # Forgotten, so that the same sheet is not taken twice.
        self._quads, self._doubts = [], Doubts()
        first, last = names[0], names[len(shots) - 1]
        self._say("enrol.sheet_taken", count=len(shots), first=self._words(first), last=self._words(last))

    def sheet(self) -> None:
        """Switch between single cards and sheets."""
        with self._turn():
            self._mode = "one" if self._mode == "sheet" else "sheet"
            self._quads, self._doubts, self._note = [], Doubts(), None

    # ---- a pack in any order ----

    def pack(self) -> bool:
        """Start to take a pack laid out in any order. Return whether the cards laid out so far are
        to be named now."""
        with self._turn():
            self._note = None
            if self._mode == "pack":
                if not self.spread.shots:
                    self._mode = "one"
                return bool(self.spread.shots)
            if self.spread.total < FEWEST:
                self._say("enrol.pack.none", trouble=True)
            else:
                self._mode = "pack"
                # A photo comes only once, so its cards are looked for now; a camera's next frame
                # will do.
                self._quads = self._cards_in(self._image) if self._image is not None and self._alone else []
            return False

    def lay_out(self, image: Picture) -> int:
        """Take the cards of a photo as part of such a pack, and return how many there are."""
        with self._turn():
            quads = self._quads = self._cards_in(image)
            self._image = image
            return len(quads) if quads and self._lay_out(image, quads) else 0

    def _lay_out(self, image: Picture, quads: Sequence[Quad]) -> bool:
        if not quads:
            self._say("enrol.nothing", trouble=True)
            return False
        if not self.spread.lay([Shot(image, quad) for quad in quads]):
            self._say("enrol.pack.same", trouble=True)
            return False
        self._captures += 1
        self._say("enrol.pack.laid", count=len(quads), **self._laid)
        return True

    @property
    def _laid(self) -> dict[str, Any]:
        return {"laid": len(self.spread.shots), "total": self.spread.total}

    def take_pack(self, names: Names) -> Text:
        """Take the laid-out cards as views of these designs, and return the message about it."""
        with self._turn():
            given = [
                (name, shot) for name, shot in zip(names, self.spread.shots, strict=True) if name is not None
            ]
            for name, shot in given:
                self._roll.go_to(name)
                self._take(shot)
            # One command undoes the whole pack.
            self._act = tuple(dict.fromkeys(name for name, _ in given))
            self.album.keep()
            self.spread.clear()
            self._mode, self._quads = "one", []
            missing = [name for name in self.spread.copies if name not in self._act]
            self._say("enrol.pack.taken", count=len(given))
            if missing:
                self._say(
                    "enrol.pack.missing", count=len(given), names=[self._words(name) for name in missing]
                )
            assert self._note is not None
            return self._note

    def count(self) -> None:
        """Count the visible copies of each design, and correct the deck file if there are more than
        it lists."""
        with self._turn():
            if self._image is None or not self.album.library.references:
                self._say("enrol.no_picture", trouble=True)
                return
            found = enrol.copies(Reader(self.album.library).read(self._image))
            found.pop(BACK, None)
            if not found:
                self._say("enrol.none_known", trouble=True)
                return
            self.album.count(found)
            self._say("enrol.counted", rows=[self.album.tally(name) for name in found])

    def test(self) -> Separation | None:
        """Test all views against each other, and set the deck's margins accordingly; None without
        views. Takes some seconds."""
        with self._lock:
            # A copy, tested without holding the lock: that takes seconds, and frames and keys must
            # be processed meanwhile.
            copied = self.album.copied()
        if not copied.references:
            return None
        done = separation.run(copied)
        with self._turn():
            self.album.judged(done)
        return done

    # ---- state for views ----

    @property
    def progress(self) -> Progress:
        """State to show now; reading it never waits for a picture being processed."""
        return self._progress

    @property
    def scene(self) -> OutlinedPicture | None:
        """Newest picture with the outlines found in it; None before the first."""
        return self._scene

    @property
    def names(self) -> tuple[str, ...]:
        """Designs to enrol, in the deck's order."""
        return self._roll.names

    @property
    def following(self) -> list[str]:
        """The wanted design and those after it, in the deck's order."""
        return self._roll.following()

    @property
    def skipped(self) -> tuple[Text, ...]:
        """Names of the designs that were skipped and still lack a view."""
        return tuple(self._words(name) for name in self._roll.skipped)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Hold the lock during a change, and update `progress` and `scene` afterwards."""
        with self._lock:
            try:
                yield
            finally:
                # Replaced as a whole: other threads read it without the lock.
                self._progress = self._drawn()
                if self._image is not None:
                    self._scene = OutlinedPicture(self._image, tuple(self._quads))

    def _drawn(self) -> Progress:
        wanted, names = self._roll.wanted, self._roll.following()
        sheet = () if self._mode != "sheet" else tuple(self._words(n) for n in names[: len(self._quads)])
        return Progress(
            None if wanted is None else self._words(wanted),
            self._roll.done,
            self._roll.total,
            0 if wanted is None else self.album.library.views(wanted),
            (0, 1) if wanted is None else (self.album.seen(wanted), self.album.copies(wanted)),
            self._mode,
            sheet,
            self.album.unkept or self._note,
            self._trouble or self.album.unkept is not None,
            hint(None if self._image is None else self._quads, self._mode, len(names)),
            self._captures,
            len(self.spread.shots),
        )

    def _say(self, code: str, trouble: bool = False, **args: Any) -> None:
        self._note, self._trouble = Text(code, args), trouble


SHOWN = 12
"""Pairs and single designs that are named; of further ones only the number."""


def advice(test: Separation | None, album: Album) -> list[Text]:
    """Return advice: which designs the camera may confuse and of which it is unsure, most alike
    first; then missing copies.

    More views help while a design has few; after that only a printed marker does.
    """
    if test is None:
        return [Text("enrol.test.nothing")]
    said = [_pair(one, other, like, test, album) for one, other, like in test.look_alikes[:SHOWN]]
    if len(test.look_alikes) > SHOWN:
        said.append(Text("enrol.test.more", {"count": len(test.look_alikes) - SHOWN}))
    paired = {name for pair in test.look_alikes for name in pair[:2]}
    weak = [name for name in test.unsure if name not in paired]
    if weak:
        names = [album.words(name) for name in weak[:SHOWN]]
        said.append(Text(f"enrol.test.unsure.{_cure(weak, test)}", {"names": names}))
    if not said:
        said.append(Text("enrol.test.fine", {"designs": len(test.views), "views": sum(test.views.values())}))
    return [*said, *album.short]


def _pair(one: str, other: str, like: float, test: Separation, album: Album) -> Text:
    words = {"one": album.words(one), "other": album.words(other), "percent": round(100 * min(like, 1.0))}
    return Text(f"enrol.test.alike.{_cure([one, other], test)}", words)


def _cure(names: list[str], test: Separation) -> str:
    """Return what helps: more `views`, or a `marker` if all have as many views as are kept."""
    return "marker" if all(test.views.get(name, 0) >= MOST_VIEWS for name in names) else "views"


class Controls:
    """Actions of one enrolment, by name. `now` takes the cards before the camera; for a folder of
    photos it also shows the next one."""

    def __init__(self, enroller: Enroller, now: Callable[[], object] | None = None) -> None:
        self.enroller = enroller
        self.deeds: Mapping[str, Callable[[], object]] = {
            "now": now or enroller.now,
            "skip": enroller.skip,
            "back": enroller.back,
            "sheet": enroller.sheet,
            "count": enroller.count,
            "pack": enroller.pack,
        }

    def go_to(self, name: str) -> bool:
        """Make the design `name` the wanted one; return False if it is not to be enrolled."""
        known = name in self.enroller.names
        if known:
            self.enroller.go_to(name)
        return known

    def test(self) -> Sequence[Text]:
        """Test the views against each other, and return the advice; takes some seconds."""
        return advice(self.enroller.test(), self.enroller.album)
