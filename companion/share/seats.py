"""One's own seat on a phone: what its player may enter now, entering it, and conversations with the
table, by the same choices and the same words as at the table."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

import msgspec

from companion.live.live import Live
from companion.rules.contract import Choice, Pick
from companion.texts import Translator
from companion.views.conversations import (
    BeforeAfter,
    Conversation,
    Dialogue,
    Menu,
    PartsNamed,
    Reply,
    Saying,
    Told,
    answer,
    put_right,
)

PATIENCE = 5.0
"""Seconds that the table may take to answer; it looks ten times a second."""


class Press(msgspec.Struct, frozen=True):
    """What a seat's page sends: the number of the offer that it showed, the choice's place in it,
    and the cards that were picked."""

    offer: int
    choice: int
    cards: tuple[str, ...] = ()


class Given(msgspec.Struct, frozen=True):
    """One answer of a conversation: the number of its row, and the cards that were picked."""

    row: int
    cards: tuple[str, ...] = ()


class Speech(msgspec.Struct, frozen=True):
    """What a seat's page says in a conversation: about which question to the table (None: putting
    right), the answers given so far, and the next one, if any, with the number of what was told
    above it."""

    question: int | None = None
    given: tuple[Given, ...] = ()
    next: Given | None = None
    told: int = 0


class Heard(NamedTuple):
    """What stands there now: a menu (None: the conversation is over), how many of the answers given
    hold, and why the last one did not."""

    menu: dict[str, Any] | None
    hold: int
    words: str = ""


_Done = TypeVar("_Done")


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
        return await self._at_the_table(
            lambda: self._act(player, pressed), lambda: Answer(False, self._say("share.busy"))
        )

    async def hear(self, player: str, said: Speech) -> Heard:
        """Go on with a conversation of this player's; wait until the table has answered. A page
        says all its answers each time: nothing of a conversation is kept here."""
        return await self._at_the_table(
            lambda: self._talk(player, said), lambda: Heard(None, 0, self._say("share.busy"))
        )

    async def _at_the_table(self, act: Callable[[], _Done], busy: Callable[[], _Done]) -> _Done:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[_Done] = loop.create_future()

        def settle(result: _Done) -> None:
            if not done.done():
                done.set_result(result)

        def run() -> None:
            result = act()
            if not loop.is_closed():
                loop.call_soon_threadsafe(settle, result)

        self._live.errand(run)
        try:
            return await asyncio.wait_for(done, PATIENCE)
        except TimeoutError:
            return busy()

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
            "question": next((one.id for one in self._live.snapshot().questions), None),
        }

    def _shown(self, choice: Choice) -> dict[str, Any]:
        return {"words": self._say.say(choice.label), "pick": self._cards(choice.pick)}

    def _cards(self, pick: Pick | None) -> dict[str, Any] | None:
        if pick is None:
            return None
        rows = [{"card": card, "words": self._say(f"card.{card}"), "most": most} for card, most in pick.cards]
        return {"cards": rows, "least": pick.least, "most": pick.most}

    def _talk(self, player: str, said: Speech) -> Heard:
        """Begin the conversation anew with what was answered, as far as it is offered still; the
        next answer counts only if all above it stands there unchanged."""
        questions = [one for one in self._live.snapshot().questions if one.id == said.question]
        if said.question is not None and not questions:
            return Heard(None, 0, self._say("share.moved_on"))

        def begin() -> Dialogue:
            if questions:
                return answer(self._live, questions[0], self._say)
            return put_right(self._live, self._say, player)

        talk = Conversation(begin)
        for given in said.given:
            if not _give(talk, given):
                break
        hold = len(talk.answers)
        moved_on = hold < len(said.given) or (talk.menu is not None and said.told != self._told(talk.menu))
        if said.next is not None and (moved_on or not _give(talk, said.next)):
            return Heard(self._menu(talk.menu), hold, self._say("share.moved_on"))
        words = "" if talk.refusal is None else self._say.say(talk.refusal.text)
        return Heard(self._menu(talk.menu), len(talk.answers), words)

    def _menu(self, menu: Menu | None) -> dict[str, Any] | None:
        if menu is None:
            return None
        rows: list[dict[str, Any]] = [
            {"words": row.words, "tone": row.tone}
            | (
                {"row": _number(row), "key": row.key, "pick": self._cards(row.pick)}
                if isinstance(row, Reply)
                else {}
            )
            for row in menu.rows
        ]
        told = [self._saying(one) for one in menu.told]
        return {"told": told, "number": self._told(menu), "rows": rows, "long": menu.long}

    def _told(self, menu: Menu) -> int:
        """Number what is told, by what it says."""
        return zlib.crc32(msgspec.json.encode([self._saying(one) for one in menu.told]))

    def _saying(self, told: Told) -> dict[str, Any]:
        match told:
            case Saying(words, tone):
                return {"words": words, "tone": tone}
            case BeforeAfter(points):
                rows = [
                    {
                        "name": self._say.name(one.player),
                        "mark": mark,
                        "before": str(one.before),
                        "after": str(one.after),
                    }
                    for mark, one in enumerate(points)
                ]
                return {"points": rows}
            case PartsNamed(what, used, size, parts):
                named = {"what": what, "used": used, "size": size, "parts": list(parts)}
                return named | {"words": told.left(self._say)}

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
        if not _fits(choice.pick, pressed.cards):
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
        players = self._live.snapshot().people.seats
        number = 2 * self._live.steps + (player in self._live.snapshot().decided)
        return number * len(players) + players.index(player)


def _number(row: Reply) -> int:
    """Number a reply by what it says, so that it is found again wherever it stands."""
    return zlib.crc32(f"{row.key} {row.words}".encode())


def _give(talk: Conversation, given: Given) -> bool:
    """Give one answer, if it is offered and its cards are such as are asked for."""
    replies = [] if talk.menu is None else talk.menu.replies
    reply = next((one for one in replies if _number(one) == given.row), None)
    if reply is None or not _fits(reply.pick, given.cards):
        return False
    return talk.answer(reply, given.cards if reply.pick is not None else None)


def _fits(pick: Pick | None, cards: tuple[str, ...]) -> bool:
    if pick is None:
        return not cards
    known = dict(pick.cards)
    return pick.least <= len(cards) <= pick.most and all(
        cards.count(card) <= known.get(card, 0) for card in set(cards)
    )
