"""Enrolment of RFID tags: one tap after another, in bulk, replacing a lost sticker, import and
export as CSV, and the dialogue that enrols (`TagDialogue`).

No device is used here: functions take a deck and return a deck with more tags
(`companion.table.decks.Deck`), and the meaning of each tap is a value.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

import msgspec

from companion.readers.rfid.events import TagId
from companion.rules.contract import Problem, Text
from companion.table.decks import Deck
from companion.texts import escape_formula

Meaning: TypeAlias = Literal["enrolled", "again", "taken", "random", "finished"]


class Tap(msgspec.Struct, frozen=True):
    """Meaning of one tap.

    `enrolled`: the tag now stands for `design`. `again`: it already did, nothing changed.
    `taken`: it stands for another design, `design`, and was left there. `random`: the id
    changes at each reading (a phone, a bank card). `finished`: nothing is left to enrol.
    `lookalikes`: other designs whose tags share the first level of the id; two such cards on one
    pad take longer to distinguish.
    """

    meaning: Meaning
    design: str | None = None
    lookalikes: tuple[str, ...] = ()

    def describe(self) -> Text:
        """Return the message about the tap."""
        return Text(f"tags.{self.meaning}", {"design": self.design or ""})


def _find_lookalikes(deck: Deck, tag: TagId) -> tuple[str, ...]:
    found = {
        design.name
        for design in deck.designs
        # Ids of four bytes consist of one level only, which no other tag shares.
        for other in map(TagId.from_hex, (t for t in design.tags if len(t) == 14))
        if other != tag and other.cascade_level_1 == tag.cascade_level_1
    }
    return tuple(sorted(found))


def assign_tag(deck: Deck, design: str, tag: TagId, *, move: bool = False) -> tuple[Deck, Tap]:
    """Assign `tag` to `design`; with `move` also if it stands for another design."""
    if tag.is_random:
        return deck, Tap("random")
    before = deck.find_design_by_tag(tag.hex())
    if before == design:
        return deck, Tap("again", design)
    if before is not None and not move:
        return deck, Tap("taken", before)
    return deck.with_tag(design, tag.hex()), Tap("enrolled", design, _find_lookalikes(deck, tag))


def replace_tag(deck: Deck, design: str, tag: TagId, lost: TagId | None = None) -> tuple[Deck, Tap]:
    """Replace a lost sticker: `tag` takes the place of `lost`, or of the design's only tag
    (None)."""
    deck_after, tap = assign_tag(deck, design, tag, move=True)
    if tap.meaning != "enrolled":
        return deck, tap
    old = [lost.hex()] if lost is not None else list(_list_design_tags(deck, design))
    if lost is None and len(old) > 1:
        # It is unknown which of several copies lost its sticker, so all tags are kept.
        old = []
    for gone in old:
        deck_after = deck_after.without_tag(gone)
    return deck_after, tap


def _list_design_tags(deck: Deck, design: str) -> Sequence[str]:
    return next((one.tags for one in deck.designs if one.name == design), ())


class TagEnrolment:
    """Enrolment tap after tap in the deck's order: each design as often as it has copies without
    tags."""

    def __init__(self, deck: Deck, only: Iterable[str] | None = None) -> None:
        self.deck = deck
        wanted = None if only is None else set(only)
        self._queue = [
            design.name
            for design in deck.designs
            if wanted is None or design.name in wanted
            for _ in range(max(design.copies - len(design.tags), 0))
        ]
        self._done: list[tuple[Deck, list[str]]] = []

    @property
    def next_design(self) -> str | None:
        """The design whose card is to be tapped next; None when all have their tags."""
        return self._queue[0] if self._queue else None

    @property
    def cards_left(self) -> int:
        """How many cards are still to be tapped."""
        return len(self._queue)

    def enrol_tag(self, tag: TagId) -> Tap:
        """Process one tap."""
        design = self.next_design
        if design is None:
            return Tap("finished")
        deck, tap = assign_tag(self.deck, design, tag)
        if tap.meaning == "again":
            # The card is still on the pad; this is not the next copy.
            return tap
        if tap.meaning == "enrolled":
            self._done.append((self.deck, list(self._queue)))
            self.deck = deck
            self._queue.pop(0)
        return tap

    def enrol_tags(self, tags: Iterable[TagId]) -> list[Tap]:
        """Process a pile of copies of the awaited design on a pad: as many as are still missing."""
        design, taps = self.next_design, []
        for tag in tags:
            if self.next_design != design:
                break
            taps.append(self.enrol_tag(tag))
        return taps

    def skip(self) -> None:
        """Postpone the awaited card: it goes to the end of the queue."""
        if self._queue:
            self._queue.append(self._queue.pop(0))

    def undo(self) -> bool:
        """Undo the last enrolled tap; return False if there is none."""
        if not self._done:
            return False
        self.deck, self._queue = self._done.pop()
        return True


class TagListError(Problem):
    """Raised for a CSV list that cannot be imported; `describe` says which line and what to do.
    Contains no tag id."""


def export_csv(deck: Deck) -> str:
    """Return the deck's tags as CSV, one tag a line: `design,tag`."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["design", "tag"])
    writer.writerows([escape_formula(design.name), tag] for design in deck.designs for tag in design.tags)
    return out.getvalue()


def _find_delimiter(text: str) -> str:
    """Return what separates the columns of a list: a comma, or what spreadsheet programs write in
    countries where the comma is in numbers."""
    first = text.partition("\n")[0]
    return max(",;\t", key=first.count)


def import_csv(deck: Deck, text: str) -> tuple[Deck, list[Tap]]:
    """Add the tags of a list in the format of `export_csv`; if any line is wrong, nothing is added.

    Raises BadList: `tags.list.columns`, `tags.list.no_design`, `tags.list.bad_tag`,
    `tags.list.twice` (args `line`).
    """
    try:
        # Spreadsheet programs begin UTF-8 with a byte order mark.
        text = text.lstrip("\ufeff")
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=_find_delimiter(text)))
    except csv.Error as fault:
        # A cell has more than 128 kB.
        raise TagListError("tags.list.columns", line=1) from fault
    if not rows or [cell.strip().lower() for cell in rows[0][:2]] != ["design", "tag"]:
        raise TagListError("tags.list.columns", line=1)
    # Both spellings, because a list may come from `export_csv` or be written by hand.
    names = {escape_formula(design.name): design.name for design in deck.designs}
    names |= {design.name: design.name for design in deck.designs}
    first_lines: dict[TagId, int] = {}
    taps = []
    for line, row in enumerate(rows[1:], 2):
        if not any(cell.strip() for cell in row):
            continue
        design, cell = (row[0].strip(), row[1].strip()) if len(row) >= 2 else (row[0].strip(), "")
        if design not in names:
            raise TagListError("tags.list.no_design", line=line, design=design)
        try:
            tag = TagId.from_hex(cell)
        except ValueError:
            raise TagListError("tags.list.bad_tag", line=line) from None
        if tag in first_lines:
            raise TagListError("tags.list.twice", line=line, first=first_lines[tag])
        first_lines[tag] = line
        deck, tap = assign_tag(deck, names[design], tag, move=True)
        taps.append(tap)
    return deck, taps


_SHOWN = 5


class TagDialogue:
    """Dialogue that enrols the cards of `deck`; `only`: designs whose names begin with it. `save`
    saves a deck, and may raise `DeckError`.

    Commands, one a line: `s` postpones a card, `b` undoes the last tap, `m` moves the tag of
    another card to this one, `r DESIGN` replaces the lost sticker of a card with the next tag.
    """

    def __init__(self, deck: Deck, save: Callable[[Deck], object], only: str = "") -> None:
        wanted = [one.name for one in deck.designs if one.name.startswith(only)]
        self._enrolment = TagEnrolment(deck, wanted)
        self._only = only
        self._keep = save
        self._tag_in_use: TagId | None = None
        self._replacing: str | None = None

    @property
    def deck(self) -> Deck:
        """The deck with the tags enrolled so far."""
        return self._enrolment.deck

    @property
    def is_done(self) -> bool:
        """Whether every card to be enrolled has its tag."""
        return self._enrolment.next_design is None and self._replacing is None

    def describe_next_tap(self) -> Text:
        """Return the message that says which card to tap now."""
        if self._replacing is not None:
            return Text("tags.prompt.replace", {"design": self._replacing})
        if self._enrolment.next_design is None:
            return self._describe_finish()
        return Text(
            "tags.prompt", {"design": self._enrolment.next_design, "left": self._enrolment.cards_left}
        )

    def _describe_finish(self) -> Text:
        if not self._only:
            return Text("tags.finished")
        left = sum(max(one.copies - len(one.tags), 0) for one in self.deck.designs)
        return Text("tags.finished.only", {"only": self._only, "count": left})

    def handle_tags(self, tags: Sequence[TagId]) -> Iterator[Text]:
        """Process a tap, or a pile of copies laid down at once; yield messages."""
        if self._replacing is not None and tags:
            design, self._replacing = self._replacing, None
            deck, tap = replace_tag(self.deck, design, tags[0])
            self._enrolment.deck = deck
            yield from self._describe_taps([tap])
        elif len(tags) > 1:
            taps = self._enrolment.enrol_tags(tags)
            yield from self._describe_taps(taps)
            if len(taps) < len(tags):
                yield Text("tags.left_over", {"count": len(tags) - len(taps)})
        elif tags:
            tap = self._enrolment.enrol_tag(tags[0])
            # Remembered for the command `m`, which moves this tag.
            self._tag_in_use = tags[0] if tap.meaning == "taken" else None
            yield from self._describe_taps([tap])

    def handle_command(self, line: str) -> Iterator[Text]:
        """Execute a command; yield messages."""
        word, _, rest = line.strip().partition(" ")
        if word == "s":
            self._enrolment.skip()
        elif word == "b":
            if self._enrolment.undo():
                self._keep(self.deck)
            else:
                yield Text("tags.nothing_back")
        elif word == "m" and self._tag_in_use is not None:
            tag, self._tag_in_use = self._tag_in_use, None
            self._enrolment.deck = self.deck.without_tag(tag.hex())
            yield from self._describe_taps([self._enrolment.enrol_tag(tag)])
        elif word == "r" and self.deck.find_design(rest) is not None:
            self._replacing = rest
        elif word == "r":
            yield Text("deck.no_such_design", {"name": rest})
        else:
            yield Text("tags.commands")

    def _describe_taps(self, taps: Sequence[Tap]) -> Iterator[Text]:
        if any(tap.meaning == "enrolled" for tap in taps):
            self._keep(self.deck)
        for tap in taps:
            yield tap.describe()
            if tap.lookalikes:
                some = tap.lookalikes[:_SHOWN]
                yield Text("tags.lookalikes", {"designs": some})
