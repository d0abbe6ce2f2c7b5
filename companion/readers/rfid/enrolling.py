"""A conversation that enrols tags: taps and short commands in, sentences out; each tap is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from companion.readers.rfid.events import TagId
from companion.readers.rfid.tags import Enrolment, Tap, replace_tag
from companion.rules.contract import Text
from companion.table.decks import Deck

_SHOWN = 5


class TagTable:
    """Enrols the cards of `deck`; `only`: designs whose names begin so. `keep` saves a deck, and
    may raise `DeckError`.

    Commands, one a line: `s` leaves a card for later, `b` takes the last tap back, `m` moves the
    tag that stood for another card to this one, `r DESIGN` gives a card whose sticker was lost a
    new one with the next tap.
    """

    def __init__(self, deck: Deck, keep: Callable[[Deck], object], only: str = "") -> None:
        wanted = [one.name for one in deck.designs if one.name.startswith(only)]
        self._enrolment = Enrolment(deck, wanted)
        self._only = only
        self._keep = keep
        self._taken: TagId | None = None
        self._replacing: str | None = None

    @property
    def deck(self) -> Deck:
        """The deck as enrolled so far."""
        return self._enrolment.deck

    @property
    def done(self) -> bool:
        """Whether every card that is to be enrolled has its tag."""
        return self._enrolment.awaited is None and self._replacing is None

    def prompt(self) -> Text:
        """Say which card is to be tapped now."""
        if self._replacing is not None:
            return Text("tags.prompt.replace", {"design": self._replacing})
        if self._enrolment.awaited is None:
            return self._finished()
        return Text("tags.prompt", {"design": self._enrolment.awaited, "left": self._enrolment.left})

    def _finished(self) -> Text:
        if not self._only:
            return Text("tags.finished")
        left = sum(max(one.copies - len(one.tags), 0) for one in self.deck.designs)
        return Text("tags.finished.only", {"only": self._only, "count": left})

    def tapped(self, tags: Sequence[TagId]) -> Iterator[Text]:
        """Take a tap, or a pile of copies that was laid down at once; give what there is to say."""
        if self._replacing is not None and tags:
            design, self._replacing = self._replacing, None
            deck, tap = replace_tag(self.deck, design, tags[0])
            self._enrolment.deck = deck
            yield from self._told([tap])
        elif len(tags) > 1:
            taps = self._enrolment.bulk(tags)
            yield from self._told(taps)
            if len(taps) < len(tags):
                yield Text("tags.left_over", {"count": len(tags) - len(taps)})
        elif tags:
            tap = self._enrolment.tap(tags[0])
            self._taken = tags[0] if tap.meaning == "taken" else None
            yield from self._told([tap])

    def typed(self, line: str) -> Iterator[Text]:
        """Carry out a command."""
        word, _, rest = line.strip().partition(" ")
        if word == "s":
            self._enrolment.skip()
        elif word == "b":
            if self._enrolment.undo():
                self._keep(self.deck)
            else:
                yield Text("tags.nothing_back")
        elif word == "m" and self._taken is not None:
            tag, self._taken = self._taken, None
            self._enrolment.deck = self.deck.without_tag(tag.hex())
            yield from self._told([self._enrolment.tap(tag)])
        elif word == "r" and self.deck.design(rest) is not None:
            self._replacing = rest
        elif word == "r":
            yield Text("deck.no_such_design", {"name": rest})
        else:
            yield Text("tags.commands")

    def _told(self, taps: Sequence[Tap]) -> Iterator[Text]:
        if any(tap.meaning == "enrolled" for tap in taps):
            self._keep(self.deck)
        for tap in taps:
            yield tap.text()
            if tap.lookalikes:
                some = tap.lookalikes[:_SHOWN]
                yield Text("tags.lookalikes", {"designs": some})
