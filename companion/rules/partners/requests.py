"""What can be asked of the referee of Partners; the checks are in `decide` and `judge`."""

from __future__ import annotations

import msgspec

from companion.rules.contract import Question, Request


class Exchanged(Request, frozen=True):
    """PA-5: partners have exchanged a card each, face down."""


class Move(msgspec.Struct, frozen=True):
    """Where one pawn lands: its owner's name, its number 1..4 and the place (PA-3), also where
    PA-12 then sends it home."""

    owner: str
    pawn: int
    to: str


class Play(Request, frozen=True):
    """PA-7: play a card and move by it: one entry a pawn, several for a `7`, the two pawns with
    their new places for `swap`."""

    player: str
    card: str
    moves: tuple[Move, ...]


class Fold(Request, frozen=True):
    """PA-6: no card can be used, all are discarded; `cards` when they are shown."""

    player: str
    cards: tuple[str, ...] | None = None


class Moves(Question, frozen=True):
    """A question: every legal play of a card, each as the list that `play` takes."""

    player: str
    card: str
