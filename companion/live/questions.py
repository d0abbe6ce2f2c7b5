"""Questions to the table: what the games doubt and what the readers contradict each other about,
each asked once.

A question offers the answers that the game knows (a card was played, but which pawn goes?), else
every card of the deck, those that the readers named first: the table's word counts more than any
reader's.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

from companion.live.snapshot import Question
from companion.rules.contract import Choice, Doubt, Request, Text
from companion.table.conflicts import Dispute
from companion.table.words import card_words

STILL = 1.5
"""Seconds for which the table must be still before what may yet change is taken as it is."""


class CardIs(Request, frozen=True):
    """The answer to a question: the card is this one. The table is told, not the game."""

    card: str


class OpenQuestion(NamedTuple):
    """A question and what it is about: the claims, and the number of the dispute, if one."""

    question: Question
    about: tuple[int, ...]
    dispute: int | None


class Questions:
    """The open questions. `cards`: every card id of the deck, in the deck's order."""

    def __init__(self, cards: Sequence[str]) -> None:
        self._cards = tuple(cards)
        self._open: dict[Hashable, OpenQuestion] = {}
        self._closed: set[Hashable] = set()
        self._since: dict[Hashable, float] = {}
        self._numbers = itertools.count(1)

    def update(self, doubts: Iterable[Doubt], disputes: Iterable[Dispute], now: float) -> None:
        """Ask what is new, and drop what no longer is in question (the card was taken away).

        What is doubted is asked only when it has stayed so for `STILL` seconds: further cards may
        be on their way that explain it. What has been answered is not asked again while it lasts.
        """
        since: dict[Hashable, float] = {}
        for doubt in doubts:
            key: Hashable = ("doubt", doubt.about, doubt.text.code)
            since[key] = self._since.get(key, now)
            if now - since[key] >= STILL:
                self._ask(key, doubt.text, doubt.clause, doubt.choices or self._names(()), doubt.about, None)
        for dispute in disputes:  # the table has waited already
            key = ("dispute", dispute.id)
            since[key] = now
            self._ask(key, dispute.text, None, self._names(dispute.cards), dispute.about, dispute.id)
        self._since = since
        self._open = {key: asked for key, asked in self._open.items() if key in since}
        self._closed &= since.keys()

    def due(self, now: float) -> float | None:
        """Return the next moment at which a doubt may have lasted long enough to be asked."""
        moments = (since + STILL for since in self._since.values())
        return min((moment for moment in moments if moment > now), default=None)

    def close(self, number: int) -> OpenQuestion | None:
        """Take an answered question away and return it; None if none has that number (any more)."""
        for key, asked in self._open.items():
            if asked.question.id == number:
                del self._open[key]
                self._closed.add(key)
                return asked
        return None

    def open(self) -> tuple[Question, ...]:
        """Return the questions that wait for an answer, oldest first."""
        return tuple(asked.question for asked in self._open.values())

    def offering(self, request: Request) -> list[OpenQuestion]:
        """List the open questions of which `request` is an answer."""
        return [
            asked
            for asked in self._open.values()
            if any(choice.request == request for choice in asked.question.choices)
        ]

    def _names(self, first: tuple[str, ...]) -> tuple[Choice, ...]:
        """Offer every card, `first` these."""
        return tuple(Choice(card_words(card), CardIs(card)) for card in dict.fromkeys((*first, *self._cards)))

    def _ask(
        self,
        key: Hashable,
        text: Text,
        clause: str | None,
        choices: tuple[Choice, ...],
        about: tuple[int, ...],
        dispute: int | None,
    ) -> None:
        if key not in self._open and key not in self._closed:
            self._open[key] = OpenQuestion(
                Question(next(self._numbers), text, clause, choices), about, dispute
            )
