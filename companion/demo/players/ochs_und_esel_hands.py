"""Simulated hands of Ochs & Esel of which only the end is told (OE-12): they are played among
themselves, trick by trick, by the players of the whole game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from companion.demo.deeds import Players
from companion.rules.contract import Refusal, Setup, View
from companion.rules.ochs_und_esel import moves as ask
from companion.rules.ochs_und_esel.cards import OX
from companion.rules.ochs_und_esel.game import GAME
from companion.rules.session import Session


class Ended(NamedTuple):
    """A hand that was played to its end: what each has left, the ox's trick in front of whoever
    took it, the penalties, and who leads the next hand."""

    left: Mapping[str, tuple[str, ...]]
    piles: Mapping[str, tuple[str, ...]]
    penalties: Mapping[str, int]
    leader: str

    def told(self, view: View) -> ask.Hand | ask.Pile:
        """Return what is told next."""
        entry = view["waiting_for"][0]
        if entry["do"] == "hand":
            return ask.Hand(entry["player"], self.left[entry["player"]])
        [(player, cards)] = self.piles.items()
        return ask.Pile(player, cards)


def played(setup: Setup, number: int, leader: str, players_of: Callable[[Setup], Players]) -> Ended:
    """Play hand `number` of `setup`, led by `leader`, who also holds the donkey unless it lies in
    the middle (OE-3, OE-10)."""
    first = setup.players.index(leader)
    alone = Setup(
        setup.game,
        (*setup.players[first:], *setup.players[:first]),
        {**setup.options, "hands_only": False, "rounds": 1},
        setup.rng("demo", "ochs_und_esel", "hand", number).getrandbits(32),
    )
    players, session = players_of(alone), Session(GAME, alone)
    while (deed := players.next(session.acts(), session.view())) is not None:
        refusal = session.act(deed.request)
        assert not isinstance(refusal, Refusal), refusal
    score = session.state.scores[-1]
    return Ended(
        dict(zip(alone.players, score.left, strict=True)),
        {name: cards for name, cards in zip(alone.players, score.piles, strict=True) if OX in cards},
        dict(zip(alone.players, session.state.points, strict=True)),
        alone.players[session.state.leader],
    )
