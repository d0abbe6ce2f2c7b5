"""One's own seat on a phone: what its player may enter now, and entering it, by the same choices
and the same words as at the table."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from companion.live.live import Live
from companion.rules.contract import Choice
from companion.texts import Translator

PATIENCE = 5.0
"""Seconds that the table may take to answer; it looks ten times a second."""


class Press(msgspec.Struct, frozen=True):
    """What a seat's page sends: the number of the offer that it showed, the choice's place in it,
    and the cards that were picked."""

    offer: int
    choice: int
    cards: tuple[str, ...] = ()


class Answer(NamedTuple):
    """Whether it was accepted; if not, the words of the refusal and the clause it stands on."""

    accepted: bool
    words: str = ""
    clause: str = ""


class Desk:
    """The seats of one table. `mine` and what `press` leads to run in the table's thread. `pads`:
    phones may read cards' stickers."""

    def __init__(self, live: Live, say: Translator, *, pads: bool = False) -> None:
        self._live = live
        self._say = say
        face_down = any("sealed" in request.__struct_fields__ for request in live.game.requests)
        self._held_for = (["down"] if face_down else []) + ["up", "middle"] if pads else []

    def mine(self) -> Mapping[str, dict[str, Any]]:
        """Return for every player what their own page shows beside the table: choices, and why they
        have their points."""
        return {player: self._of(player) for player in self._live.snapshot().people.seats}

    async def press(self, player: str, pressed: Press) -> Answer:
        """Enter a choice for this player; wait until the table has answered."""
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[Answer] = loop.create_future()

        def settle(answer: Answer) -> None:
            if not answered.done():
                answered.set_result(answer)

        def act() -> None:
            answer = self._act(player, pressed)
            if not loop.is_closed():
                loop.call_soon_threadsafe(settle, answer)

        self._live.errand(act)
        try:
            return await asyncio.wait_for(answered, PATIENCE)
        except TimeoutError:
            return Answer(False, self._say("share.busy"))

    def _of(self, player: str) -> dict[str, Any]:
        say = self._say = self._say.calling(self._live.snapshot().people.shown)
        why = [
            {"text": say.say(reason.text), "clauses": list(reason.clauses), "points": reason.points}
            for reason in self._live.explain(player)
        ]
        apart = self._live.decides_apart(player)
        sealed = player in self._live.snapshot().decided
        back = [{"words": say("share.take_back"), "pick": None}] if sealed else []
        return {
            "name": say.name(player),
            "offer": self._offer(player),
            "held_for": self._held_for,
            "clause": self._live.game.clauses.get(self._live.snapshot().view["phase"], ""),
            "choices": back or [self._shown(one) for one in self._live.choices(player)],
            "apart": say("share.sealed" if sealed else "share.apart") if apart else "",
            "why": why,
        }

    def _shown(self, choice: Choice) -> dict[str, Any]:
        pick = choice.pick
        cards = None
        if pick is not None:
            rows = [
                {"card": card, "words": self._say(f"card.{card}"), "most": most} for card, most in pick.cards
            ]
            cards = {"cards": rows, "least": pick.least, "most": pick.most}
        return {"words": self._say.say(choice.label), "pick": cards}

    def _act(self, player: str, pressed: Press) -> Answer:
        """Make the request, if the page still showed what is so: a choice's place means nothing in
        another offer."""
        if pressed.offer != self._offer(player):
            return Answer(False, self._say("share.moved_on"))
        if player in self._live.snapshot().decided:
            self._live.take_back(player)  # the one button that there is then
            return Answer(True)
        choices = self._live.choices(player)
        if not 0 <= pressed.choice < len(choices):
            return Answer(False, self._say("share.moved_on"))
        choice = choices[pressed.choice]
        if not _fits(choice, pressed.cards):
            return Answer(False, self._say("share.bad_pick"))
        refusal = self._live.seal(choice.with_cards(pressed.cards))
        return (
            Answer(True)
            if refusal is None
            else Answer(False, self._say.say(refusal.text), refusal.clause or "")
        )

    def _offer(self, player: str) -> int:
        """Number what a player is offered: the clock's running does not change it, a step or one's
        own sealed decision does. No two seats have a number in common, so that none can take
        another's offer."""
        players = self._live.setup.players
        number = 2 * self._live.steps + (player in self._live.snapshot().decided)
        return number * len(players) + players.index(player)


def _fits(choice: Choice, cards: tuple[str, ...]) -> bool:
    if choice.pick is None:
        return not cards
    known = dict(choice.pick.cards)
    return choice.pick.least <= len(cards) <= choice.pick.most and all(
        cards.count(card) <= known.get(card, 0) for card in set(cards)
    )
