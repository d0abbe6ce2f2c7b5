"""The verifier's limit (`vision.same_print.SAME`), chosen by a procedure from all tables but one.

A card that is sure though it shows another design costs `WRONG` times what one costs that is unsure
though it is right; each counts the more the further its log odds lie on the wrong side of the limit
(`SOFT`). The limit that costs least is taken. More than this one limit did worse on tables left
out: six, by kinds of cards, and weights for the likeness and for what the other cards reach.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from unittest.mock import patch

import numpy as np

from bench.counting import lacking, reader_of
from bench.harness import Options, share
from bench.vision import Table, strangers_tables
from vision import photo, same_print
from vision.decks.labels import LabelledPhoto
from vision.geometry import contains
from vision.reader import Reader
from vision.reading import Reading

WRONG = 2.0
"""Cards that may be unsure for one that is not wrong: people enrol whole decks, and an unsure card
stops the game. On tables left out 331 of 352 cards are right and sure with 4, and 2 of no design
are named; with 2, 335 and 3."""

SOFT = 0.15
"""Log odds within which a card counts in part on both sides of the limit: one limit for all tables
is not to hang on a single card."""

GRID = np.round(np.arange(-1.0, 3.01, 0.1), 1)
"""Limits that are tried: what the network takes for another print by more than e to 1 is never
sure."""


@dataclass(frozen=True)
class Asked:
    """One reading of which the verifier was asked: the card it lies on (None for none), whether it
    is right, what the verifier said, and whether no design was left out."""

    card: tuple[str, int] | None
    right: bool
    odds: float
    all_known: bool


@dataclass
class Answers:
    """What was asked on one table; `settled`: cards that are right and sure whatever the limit is;
    `cards` whole in sight; `strangers`: of designs that were left out."""

    name: str
    cards: int
    strangers: int = 0
    settled: set[tuple[str, int]] = field(default_factory=set)
    asked: list[Asked] = field(default_factory=list)

    def row(self, limit: float) -> tuple[int, int, int, int, int]:
        """Cards, right and sure, wrong and sure, strangers, those named, by this limit."""
        sure = [a for a in self.asked if a.odds >= limit]
        right = {a.card for a in sure if a.right and a.all_known} | self.settled
        wrong = sum(not a.right and a.all_known for a in sure)
        return (
            self.cards,
            len(right),
            wrong,
            self.strangers,
            sum(not a.right and not a.all_known for a in sure),
        )


def limits(options: Options) -> Iterator[Mapping[str, object]]:
    """The verifier's limit chosen anew: each table as it comes out by the limit of the others, all
    by their own, and all by the one in use."""
    tables = [_read(one) for one in strangers_tables(options)]
    rows = []
    for one in tables:
        limit = chosen([t for t in tables if t is not one])
        rows.append(one.row(limit))
        yield _cells(one.name, rows[-1:], f"{limit:g}")
    yield _cells("all, each as left out", rows, "")
    for name, limit in (("none: chosen from all", chosen(tables)), ("none: in use", same_print.SAME)):
        yield _cells(name, [one.row(limit) for one in tables], f"{limit:g}")


def _cells(name: str, rows: Sequence[tuple[int, int, int, int, int]], limit: str) -> Mapping[str, object]:
    cards, right, wrong, strangers, named = (sum(column) for column in zip(*rows, strict=True))
    cells = {"left out": name, "cards": cards, "right, sure": share(right, cards), "wrong, sure": wrong}
    return {**cells, "strangers named": f"{named} of {strangers}", "limit": limit}


def chosen(tables: Sequence[Answers]) -> float:
    """The limit that costs least on these tables."""
    asked = [a for t in tables for a in t.asked if a.all_known or not a.right]
    odds = np.array([a.odds for a in asked])
    right = np.array([a.right for a in asked], dtype=bool)
    passes = 1 / (1 + np.exp(-(odds[None] - GRID[:, None]) / SOFT))
    cost = np.where(right, 1 - passes, WRONG * passes).sum(axis=1)
    return float(GRID[cost.argmin()])


def _read(table: Table) -> Answers:
    """Read a table with all designs, and with each quarter of them left out."""
    every = [c for p in table.photos for c in p.cards if c.whole]
    answers = Answers(table.name, len(every))
    for reader in (reader_of(table.library), *lacking(table.library)):
        known = set(reader.library.designs)
        answers.strangers += sum(c.card not in known for c in every) * (known != set(table.library.designs))
        for one in table.photos:
            if known == set(table.library.designs) or any(c.card not in known for c in one.cards):
                _ask(reader, one, answers, known == set(table.library.designs))
    return answers


def _ask(reader: Reader, one: LabelledPhoto, answers: Answers, all_known: bool) -> None:
    """Take down what is asked in one photograph, and the cards that are right and sure without."""
    seen: list[Reading] = []
    decide = same_print.verified

    def verified(found: Sequence[Reading]) -> list[Reading]:
        decided = decide(found)
        seen.extend(decided)
        return decided

    with patch("vision.reader.verified", verified):
        reader.read(photo.load(one.path))
    for now in seen:
        at = next((i for i, c in enumerate(one.cards) if contains(now.quad, (c.x, c.y))), None)
        if at is not None and not one.cards[at].whole:
            continue
        right = at is not None and one.cards[at].card == now.card
        card = None if at is None else (one.name, at)
        if np.isfinite(now.same) and not now.proven:
            answers.asked.append(Asked(card, right, now.same, all_known))
        elif now.sure and right and card is not None and all_known:
            answers.settled.add(card)
