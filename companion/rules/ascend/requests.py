"""What players of Ascend can ask for; the checks are in `decide`."""

from __future__ import annotations

from companion.rules.contract import Request


class Exchanged(Request, frozen=True):
    """AS-2: each player has given one card to each neighbour, face down."""


class Play(Request, frozen=True):
    """AS-4: play a combination; `cards` are names of the wire, as `castle`."""

    player: str
    cards: tuple[str, ...]


class Pass(Request, frozen=True):
    """AS-4: play nothing now."""

    player: str


class Promise(Request, frozen=True):
    """AS-30: promise, right after playing, to go out first."""

    player: str
