"""Enrol a deck with a camera: frames and key presses in, views of the deck's designs out, each
saved at once.

`Enroller` has three modes. In `one`, cards are shown one at a time: a `Shutter` notices a new card
that lies still, and it becomes a view of the design that is wanted. In `toggle_sheet_mode`, many
cards lie in the deck's order, and are taken together when the person says so; `SheetDoubts` are
reasons to believe that they do not lie in that order. In `start_or_finish_pack`, a pack of 52 is
laid out in any order and named afterwards (`pack_spread`).

Frames come in one thread and keys in another, so every change holds a lock. `progress` and `scene`
are immutable values that a view may draw at any time. `EnrolmentControls` lists the actions under
names shared by the terminal and the screen; `list_advice` explains the result of the self-test.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from companion.enrolment.album import Album, EnrolmentQueue
from companion.enrolment.card_spread import CardSpread, Names
from companion.enrolment.pack_spread import PackSpread
from companion.enrolment.picture_analysis import (
    Mode,
    OutlinedPicture,
    Picture,
    Progress,
    Shot,
    describe_hint,
    find_cards,
    find_gap,
    identify_card,
    is_same_card_unmoved,
)
from companion.rules.contract import Text
from companion.table.identification import BACK
from vision.decks import enrol, separation
from vision.decks.capture import Shutter
from vision.decks.enrol import MOST_VIEWS
from vision.decks.separation import Separation
from vision.geometry import Quad
from vision.reader import Reader


class SheetDoubts:
    """Doubts about the order of one sheet. Each is raised only once: a person who asks for the
    sheet again is sure."""

    def __init__(self) -> None:
        self._raised: set[str] = set()

    def find_doubt(self, shots: Sequence[Shot], names: Sequence[str], album: Album) -> Text | None:
        """Return the first new doubt: a gap in the rows, or a card known to be another than the
        order (`design_names`) says. None if there is none."""
        gap = find_gap([shot.quad for shot in shots])
        if gap is not None and self._mark_raised("enrol.gap"):
            return Text("enrol.gap", {"number": gap})
        # Recognising every card takes time; it is done only while the doubt could still be raised.
        if "enrol.misplaced" in self._raised:
            return None
        for number, (shot, wanted) in enumerate(zip(shots, names, strict=False), 1):
            known = identify_card(shot, album.library, wanted)
            if known is not None and known != wanted and self._mark_raised("enrol.misplaced"):
                args = {
                    "number": number,
                    "card": album.describe_design(known),
                    "wanted": album.describe_design(wanted),
                }
                return Text("enrol.misplaced", args)
        return None

    def _mark_raised(self, code: str) -> bool:
        fresh = code not in self._raised
        self._raised.add(code)
        return fresh


SEEK_AGAIN_AFTER = 1.5
"""Seconds without anything new after which a card that was there from the start is looked for."""


class Enroller:
    """Enrolment of one deck.

    `album`: its views, to which new ones are added. `design_names`: the designs to ask for, in
    order. `only_design`: a single one of them to enrol again.
    """

    def __init__(self, album: Album, names: Sequence[str], only_design: str = "") -> None:
        self.album = album
        self._only_design = only_design
        self._words = album.describe_design
        self._roll = EnrolmentQueue(
            names, {name: album.library.count_views(name) for name in names}, only_design
        )
        self._lock = threading.RLock()
        self._shutter = Shutter()
        self._mode: Mode = "one"
        self.spread = PackSpread(album.deck)
        self._last: tuple[str, Shot] | None = None
        self._last_names: tuple[str, ...] = ()
        self._image: Picture | None = None
        self._alone = False
        self._quads: list[Quad] = []
        self._doubts = SheetDoubts()
        self._looked_at: float | None = None
        self._note: Text | None = None
        self._trouble = False
        self._captures = 0
        self._scene: OutlinedPicture | None = None
        self._progress = self._build_progress()

    # ---- frames ----

    def add_frame(self, image: Picture, at: float, alone: bool = False) -> bool:
        """Process a frame (BGR; `at`: seconds; `alone`: a separate photo). Return whether this
        photo is finished and the next may come."""
        with self._exclusive_update():
            self._image, self._alone = image, alone
            if alone:
                return self._add_photo(image)
            # Sheets and packs are taken only when the person says so.
            if self._mode != "one":
                self._set_outlines(self._find_cards(image))
                return False
            quad = self._shutter.update(image, at, self.album.library.card_aspect)
            self._set_outlines([quad] if quad is not None else self._shutter.new)
            if quad is not None:
                self._handle_card(Shot(image, quad))
            elif self._note is None and not self._quads:
                self._explain_waiting_card(image, at)
            return False

    def _explain_waiting_card(self, image: Picture, at: float) -> None:
        """Give advice about a card that was there before any was asked for. It is looked for every
        `SEEK_AGAIN_AFTER` seconds, because that takes longer than a frame."""
        if self._looked_at is None:
            self._looked_at = at
        elif at - self._looked_at >= SEEK_AGAIN_AFTER:
            self._looked_at = at
            if len(self._find_cards(image)) == 1:
                self._set_note("enrol.was_there")

    def _find_cards(self, image: Picture) -> list[Quad]:
        return find_cards(image, self.album.library.card_aspect)

    def _add_photo(self, image: Picture) -> bool:
        """Take a photo of one card at once; keep a photo of several as a sheet until the person
        confirms."""
        self._set_outlines(self._find_cards(image))
        if self._mode == "pack":
            return False
        if len(self._quads) > 1:
            self._mode = "sheet"
            return False
        self._mode = "one"
        if self._quads:
            return self._handle_card(Shot(image, self._quads[0]))
        self._set_note("enrol.nothing", trouble=True)
        return True

    def _set_outlines(self, quads: list[Quad]) -> None:
        if len(quads) != len(self._quads):
            self._doubts = SheetDoubts()
        self._quads = quads

    def _handle_card(self, shot: Shot) -> bool:
        """Handle a card that lies still: the wanted one, another copy of a known one, or the last
        one again. Return whether it is dealt with."""
        wanted = self._roll.wanted
        if self._last is not None and not self._alone and is_same_card_unmoved(shot, self._last[1]):
            if wanted is not None:
                self._set_note("enrol.still", card=self._words(self._last[0]), wanted=self._words(wanted))
            return True
        known = identify_card(shot, self.album.library, wanted)
        # Another copy of a design shown before: counted, but not used as a view of the wanted one.
        if known is not None and known != wanted and self.album.count_another_copy(known):
            self._last = (known, shot)
            self._captures += 1
            self._set_note("enrol.copy", tally=self.album.describe_tally(known))
            return True
        # All designs are done: further cards are ignored.
        if wanted is None:
            return True
        if known is None or known == wanted:
            self._take_view(shot)
            self.album.save_views()
            return True
        self._set_note("enrol.known", trouble=True, card=self._words(known), wanted=self._words(wanted))
        return False

    def _take_view(self, shot: Shot) -> None:
        """Add the card as a view of the wanted design."""
        wanted = self._roll.wanted
        if wanted is None:
            return
        self.album.add_view(wanted, shot, replace=wanted == self._only_design)
        self._last = (wanted, shot)
        self._last_names = (wanted,)
        self._captures += 1
        self._roll.record_view(wanted)
        self._set_note("enrol.taken", card=self._words(wanted))

    # ---- commands ----

    def skip(self) -> None:
        """Skip the wanted design."""
        with self._exclusive_update():
            wanted = self._roll.wanted
            self._last_names = ()
            if self._mode == "pack":
                return
            self._roll.skip()
            if wanted is not None:
                self._set_note("enrol.skipped", card=self._words(wanted))

    def undo_last(self) -> None:
        """Undo the last capture and ask for its design again, or go to the previous design if there
        was none. A sheet that was just taken is undone as a whole."""
        with self._exclusive_update():
            if self._mode == "pack":
                self._set_note("enrol.pack.back", count=self.spread.remove_last_sheet(), **self._pack_counts)
                return
            self._undo_views(self._last_names or (self._roll.step_back(),))

    def undo_session(self) -> Text:
        """Remove all views of this sitting, restore those they replaced, and return the message
        about it."""
        with self._exclusive_update():
            views = self.album.session_views
            self._undo_views(tuple(dict.fromkeys(view.card for view in views)))
            return Text("enrol.sitting.gone", {"count": len(views)})

    def replace_older_views(self) -> Text:
        """Remove the older views of all designs taken in this sitting, and return the message about
        it."""
        with self._exclusive_update():
            older = self.album.drop_older_views()
            self.album.save_views()
            return Text("enrol.sitting.replaced", {"count": len(older)})

    def _undo_views(self, names: Sequence[str]) -> None:
        """Remove the views of these designs, the last first, and want the first of them again."""
        for name in reversed(names):
            bad = self.album.undo_views(name)
            self._roll.jump_to(name)
            self._roll.record_removed_views(name, bad)
        self._last_names, self._last = (), None
        self._set_note("enrol.taken_back" if bad else "enrol.back_to", card=self._words(names[0]))
        if bad:
            self.album.save_views()

    def jump_to(self, name: str) -> None:
        """Make a certain design the wanted one."""
        with self._exclusive_update():
            self._last_names = ()
            self._roll.jump_to(name)
            self._clear_note()

    def capture_now(self) -> bool:
        """Take the card in sight, or in sheet mode all of them. Return whether that was done."""
        with self._exclusive_update():
            if self._image is None:
                self._set_note("enrol.no_picture", trouble=True)
            elif self._mode == "sheet":
                return self._take_sheet(self._image, self._quads)
            elif self._mode == "pack":
                return self._add_pack_cards(self._image, self._quads)
            else:
                quads = self._quads = self._shutter.new or self._find_cards(self._image)
                if len(quads) == 1 and self._roll.wanted is not None:
                    self._take_view(Shot(self._image, quads[0]))
                    self.album.save_views()
                    return True
                several = "enrol.several" if quads else "enrol.nothing"
                self._set_note(several, trouble=True, count=len(quads))
            return False

    def _take_sheet(self, image: Picture, quads: list[Quad]) -> bool:
        names = self._roll.list_remaining()
        if not quads or len(quads) > len(names):
            self._set_note("enrol.too_many" if quads else "enrol.nothing", trouble=True, left=len(names))
            return False
        shots = [Shot(image, quad) for quad in quads]
        doubt = self._doubts.find_doubt(shots, names, self.album)
        if doubt is not None:
            self._set_note(doubt.code, trouble=True, **doubt.args)
            return False
        self._take_views(shots, names)
        return True

    def _take_views(self, shots: Sequence[Shot], names: Sequence[str]) -> None:
        for name, shot in zip(names, shots, strict=False):
            self._roll.jump_to(name)
            self._take_view(shot)
        self._last_names = tuple(names[: len(shots)])
        self.album.save_views()
        # Forgotten, so that the same sheet is not taken twice.
        self._quads, self._doubts = [], SheetDoubts()
        first, last = names[0], names[len(shots) - 1]
        self._set_note(
            "enrol.sheet_taken", count=len(shots), first=self._words(first), last=self._words(last)
        )

    def toggle_sheet_mode(self) -> None:
        """Switch between single cards and sheets."""
        with self._exclusive_update():
            self._mode = "one" if self._mode == "sheet" else "sheet"
            self._quads, self._doubts = [], SheetDoubts()
            self._clear_note()

    # ---- a pack in any order ----

    def start_or_finish_pack(self) -> bool:
        """Start to take a pack laid out in any order. Return whether the cards laid out so far are
        to be named now."""
        with self._exclusive_update():
            self._clear_note()
            if self._mode == "pack":
                if not self.spread.shots:
                    self._mode = "one"
                return bool(self.spread.shots)
            if self.spread.is_pack:
                self._mode = "pack"
                # Looked for now: a photo comes only once.
                self._quads = [] if self._image is None else self._find_cards(self._image)
            else:
                self._set_note("enrol.pack.none", trouble=True)
            return False

    def _add_pack_cards(self, image: Picture, quads: Sequence[Quad]) -> bool:
        if not quads:
            self._set_note("enrol.nothing", trouble=True)
            return False
        if not self.spread.add_sheet([Shot(image, quad) for quad in quads]):
            self._set_note("enrol.pack.same", trouble=True)
            return False
        self._captures += 1
        self._set_note("enrol.pack.laid", count=len(quads), **self._pack_counts)
        return True

    @property
    def _pack_counts(self) -> dict[str, Any]:
        return {"laid": len(self.spread.shots), "total": self.spread.pack_size}

    def store_card_views(self, spread: CardSpread, names: Names) -> Text:
        """Take cards as views of these designs, and return the message about it."""
        with self._exclusive_update():
            named_shots = [
                (name, shot) for name, shot in zip(names, spread.shots, strict=True) if name is not None
            ]
            for name, shot in named_shots:
                self._roll.jump_to(name)
                self._take_view(shot)
            # One command undoes them all.
            self._last_names = tuple(dict.fromkeys(name for name, _ in named_shots))
            self.album.save_views()
            missing = [self._words(name) for name in spread.list_missing(names)]
            self.spread.clear()
            self._mode, self._quads = "one", []
            code = "enrol.pack.missing" if missing else "enrol.pack.taken"
            note = Text(code, {"count": len(named_shots), "names": missing})
            self._set_note(note.code, **note.args)
            return note

    def count_copies(self) -> None:
        """Count the visible copies of each design, and correct the deck file if there are more than
        it lists."""
        with self._exclusive_update():
            if self._image is None or not self.album.library.references:
                self._set_note("enrol.no_picture", trouble=True)
                return
            found = enrol.count_copies(Reader(self.album.library).read(self._image))
            found.pop(BACK, None)
            if not found:
                self._set_note("enrol.none_known", trouble=True)
                return
            self.album.record_copy_counts(found)
            self._set_note("enrol.counted", rows=[self.album.describe_tally(name) for name in found])

    def check_separation(self) -> Separation | None:
        """Test all views against each other, and set the deck's margins accordingly; None without
        views. Takes some seconds."""
        with self._lock:
            # A copy, tested without holding the lock: that takes seconds, and frames and keys must
            # be processed meanwhile.
            library = self.album.copy_library()
        if not library.references:
            return None
        result = separation.measure_separation(library)
        with self._exclusive_update():
            self.album.apply_separation(result)
        return result

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
    def design_names(self) -> tuple[str, ...]:
        """Designs to enrol, in the deck's order."""
        return self._roll.names

    @property
    def remaining_designs(self) -> list[str]:
        """The wanted design and those after it, in the deck's order."""
        return self._roll.list_remaining()

    @property
    def skipped_designs(self) -> tuple[Text, ...]:
        """Names of the designs that were skipped and still lack a view."""
        return tuple(self._words(name) for name in self._roll.skipped_designs)

    @contextmanager
    def _exclusive_update(self) -> Iterator[None]:
        """Hold the lock during a change, and update `progress` and `scene` afterwards."""
        with self._lock:
            try:
                yield
            finally:
                # Replaced as a whole: other threads read it without the lock.
                self._progress = self._build_progress()
                if self._image is not None:
                    self._scene = OutlinedPicture(self._image, tuple(self._quads))

    def _build_progress(self) -> Progress:
        wanted, names = self._roll.wanted, self._roll.list_remaining()
        sheet = () if self._mode != "sheet" else tuple(self._words(n) for n in names[: len(self._quads)])
        return Progress(
            None if wanted is None else self._words(wanted),
            self._roll.done_count,
            self._roll.total_count,
            0 if wanted is None else self.album.library.count_views(wanted),
            (0, 1)
            if wanted is None
            else (self.album.count_seen_copies(wanted), self.album.count_owned_copies(wanted)),
            self._mode,
            sheet,
            self.album.save_error or self._note,
            self._trouble or self.album.save_error is not None,
            describe_hint(None if self._image is None else self._quads, self._mode, len(names)),
            self._captures,
            len(self.spread.shots),
        )

    def _set_note(self, code: str, trouble: bool = False, **args: Any) -> None:
        self._note, self._trouble = Text(code, args), trouble

    def _clear_note(self) -> None:
        self._note, self._trouble = None, False


SHOWN = 12
"""Pairs and single designs that are named; of further ones only the number."""


def list_advice(test: Separation | None, album: Album) -> list[Text]:
    """Return advice: which designs the camera may confuse and of which it is unsure, most alike
    first; then missing copies.

    More views help while a design has few; after that only a printed marker does.
    """
    if test is None:
        return [Text("enrol.test.nothing")]
    notes = [_describe_pair(one, other, like, test, album) for one, other, like in test.look_alikes[:SHOWN]]
    if len(test.look_alikes) > SHOWN:
        notes.append(Text("enrol.test.more", {"count": len(test.look_alikes) - SHOWN}))
    paired = {name for pair in test.look_alikes for name in pair[:2]}
    weak = [name for name in test.unsure if name not in paired]
    if weak:
        names = [album.describe_design(name) for name in weak[:SHOWN]]
        notes.append(Text(f"enrol.test.unsure.{_choose_remedy(weak, test)}", {"names": names}))
    if not notes:
        notes.append(Text("enrol.test.fine", {"designs": len(test.views), "views": sum(test.views.values())}))
    return [*notes, *album.missing_copies]


def _describe_pair(one: str, other: str, similarity: float, test: Separation, album: Album) -> Text:
    words = {
        "one": album.describe_design(one),
        "other": album.describe_design(other),
        "percent": round(100 * similarity),
    }
    return Text(f"enrol.test.alike.{_choose_remedy([one, other], test)}", words)


def _choose_remedy(names: list[str], test: Separation) -> str:
    """Return what helps: more `views`, or a `marker` if all have as many views as are
    kept."""
    return "marker" if all(test.views.get(name, 0) >= MOST_VIEWS for name in names) else "views"


class EnrolmentControls:
    """Actions of one enrolment, by name. `capture_now` takes the cards before the camera; for a
    folder of photos it also shows the next one."""

    def __init__(self, enroller: Enroller, now: Callable[[], object] | None = None) -> None:
        self.enroller = enroller
        self.actions: Mapping[str, Callable[[], object]] = {
            "now": now or enroller.capture_now,
            "skip": enroller.skip,
            "back": enroller.undo_last,
            "sheet": enroller.toggle_sheet_mode,
            "count": enroller.count_copies,
            "pack": enroller.start_or_finish_pack,
        }

    def jump_to(self, name: str) -> bool:
        """Make the design `name` the wanted one; return False if it is not to be enrolled."""
        known = name in self.enroller.design_names
        if known:
            self.enroller.jump_to(name)
        return known

    def check_views(self) -> Sequence[Text]:
        """Test the views against each other, and return the advice; takes some seconds."""
        return list_advice(self.enroller.check_separation(), self.enroller.album)
