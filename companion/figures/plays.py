"""One kept session as the figures count it: who played, how it ended, what the game tallies."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec
from msgspec.structs import replace

from companion.journal.history import points
from companion.journal.kept import Kept
from companion.rules.contract import Game
from companion.rules.figures import Tally


class Play(msgspec.Struct, frozen=True):
    """One session; everybody by their right names.

    `ranks` (1 is best, equal for ties) and `winners` are empty where it has not ended; `minutes`:
    to its last act.
    """

    number: int
    game: str
    players: tuple[str, ...]
    begun: float
    minutes: float
    points: dict[str, Fraction]
    ranks: dict[str, int]
    winners: tuple[str, ...]
    tallies: tuple[Tally, ...]

    @property
    def over(self) -> bool:
        """Whether it was played to its end."""
        return bool(self.ranks)


def play_of(kept: Kept) -> Play:
    """Count one session by the acts that stand: what was undone or corrected never happened."""
    session = kept.session()
    view = session.view()
    result = view["result"] or {"ranking": (), "winners": ()}
    last = kept.times[-1] if kept.times else kept.begun
    right = kept.people.right
    tallied = _tallied(session.game, kept, [event for act in session.acts() for event in act.events])
    return Play(
        number=kept.number,
        game=kept.setup.game,
        players=tuple(right.values()),
        begun=kept.begun,
        minutes=(last - kept.begun) / 60,
        points={right[seat]: Fraction(total) for seat, total in points(view).items()},
        ranks={right[row["player"]]: row["rank"] for row in result["ranking"]},
        winners=tuple(right[seat] for seat in result["winners"]),
        tallies=tuple(replace(one, player=right.get(one.player, one.player)) for one in tallied),
    )


def _tallied(game: Game[Any], kept: Kept, events: list[Any]) -> tuple[Tally, ...]:
    state = game.start(kept.setup)
    found: list[Tally] = []
    for event in events:
        after = game.evolve(state, event)
        found += game.tallies(state, event, after)
        state = after
    return tuple(found)
