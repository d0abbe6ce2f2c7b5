"""Seats on phones: each player's conversations with the table, in the same words as at the laptop.

All that a player may enter is one conversation; its beginning is sent to the page with each state.
"""

from __future__ import annotations

import asyncio
import zlib
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from companion.live.snapshot import ShownQuestion
from companion.rules.contract import GAME_OVER, Pick, Refusal, Text
from companion.share.card_faces import designs
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
    Typed,
    answer,
    own_act,
    own_seat,
    people,
    planning,
    put_right,
    withdraw,
)
from companion.views.entry import Way
from companion.views.evening import Evening

ANSWER_TIMEOUT = 5.0
"""Most seconds for the table to answer; it checks for calls ten times a second."""
MOST_ANSWERS = 200
"""Replies that are remembered for repeated requests; each seat has one open at a time."""
GRID = 6
"""Number of choices, differing only in numbers, from which they are shown as a grid."""
Subject: TypeAlias = int | Literal["entering", "mine", "righting", "people", "next"]
"""The subject of a conversation; a number stands for that question to the table."""


class Given(msgspec.Struct, frozen=True):
    """One answer in a conversation: the number of its row, and the cards that were picked or the
    words that were typed."""

    row: int
    cards: tuple[str, ...] = ()


class Speech(msgspec.Struct, frozen=True):
    """Input of a seat's page in a conversation: its subject, the answers given so far, and the next
    one, if any, with the checksum of the text above it (`told`)."""

    about: Subject
    given: tuple[Given, ...] = ()
    next: Given | None = None
    told: int = 0


class Heard(NamedTuple):
    """State of a conversation after an input: its menu (None: it is over), how many of the given
    answers still hold, and the result of the last one: why it was refused, with the clause, or a
    message."""

    menu: dict[str, Any] | None
    hold: int
    words: str = ""
    clause: str = ""
    tone: Literal["bad", "done"] = "bad"


class Desk:
    """Seats of one table. `mine` and the calls that `hear` makes run in the table's thread.

    `evening`: left for the game that a phone has chosen. `pads`: phones may read the cards'
    stickers. `renewed`: called when the result of `mine` changes without a change at the table.
    """

    def __init__(
        self,
        evening: Evening,
        say: Translator,
        *,
        pads: bool = False,
        renewed: Callable[[], object] = lambda: None,
    ) -> None:
        self._evening, self._live = evening, evening.live
        self._tables = self._say = say
        self._own: dict[str, Translator] = {}
        self._renewed = renewed
        self._chooses = ""  # player whose phone chooses the next game; one at a time
        self._heard: OrderedDict[tuple[str, str], Heard] = OrderedDict()
        # Only in games that take face-down cards a phone offers to read one.
        face_down = any("sealed" in request.__struct_fields__ for request in self._live.game.requests)
        self._held_for = (["down"] if face_down else []) + ["up", "middle"] if pads else []

    def mine(self) -> Mapping[str, dict[str, Any]]:
        """Return for every player what their own page shows beside the table: what they may enter,
        and the reasons for their points."""
        return {player: self._of(player) for player in self._live.snapshot().people.seats}

    def seat_of(self, player: str) -> int:
        """Return the number of this player's seat, from 1."""
        return self._live.snapshot().people.seats.index(player) + 1

    def seats(self, language: str = "") -> list[dict[str, Any]]:
        """List the seats for a phone that chooses one: player, current name and mark."""
        people = self._live.snapshot().people
        say = self._in(language).calling(people.shown)
        return [
            {"seat": player, "name": say.name(player), "mark": mark}
            for mark, player in enumerate(people.seats)
        ]

    def _in(self, language: str) -> Translator:
        return Translator(language, self._live.game) if language else self._tables

    def speak(self, player: str, language: str) -> None:
        """Use this language with this player ("": the table's)."""
        own = self._in(language)
        if self._own.get(player, self._tables).language != own.language:
            self._own[player] = own
            self._live.call_soon(self._renewed)

    async def hear(self, player: str, said: Speech, act: str = "") -> Heard:
        """Continue a conversation of this player and wait for the table's reply. A page sends all
        its answers each time, so no state of a conversation is kept here.

        `act`: the page's id of this input. If the page repeats an input because the reply was lost,
        it gets the same reply, and nothing is done twice.
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Heard] = loop.create_future()

        def settle(heard: Heard) -> None:
            # The page may have stopped waiting meanwhile.
            if not done.done():
                done.set_result(heard)

        def run() -> None:
            heard = self._once(player, said, act)
            if not loop.is_closed():
                loop.call_soon_threadsafe(settle, heard)

        self._live.call_soon(run)
        try:
            return await asyncio.wait_for(done, ANSWER_TIMEOUT)
        except TimeoutError:
            return Heard(None, 0, self._own.get(player, self._tables)("share.busy"))

    def _speak_as(self, player: str) -> Translator:
        names = self._live.snapshot().people.shown
        self._say = self._own.get(player, self._tables).calling(names)
        return self._say

    def _once(self, player: str, said: Speech, act: str) -> Heard:
        # In the table's thread, which all acts pass through: two lines cannot both be first.
        heard = self._heard.get((player, act)) if act else None
        if heard is None:
            heard = self._heard[player, act] = self._talk(player, said)
            if len(self._heard) > MOST_ANSWERS:
                self._heard.popitem(last=False)
        return heard

    def _of(self, player: str) -> dict[str, Any]:
        say = self._speak_as(player)
        why = [
            {"text": say.say(reason.text), "clauses": list(reason.clauses), "points": reason.points}
            for reason in self._live.explain(player)
        ]
        menu = Conversation(lambda: own_seat(self._live, player, say)).menu
        return {
            "name": say.name(player),
            "menu": self._menu(menu, self._offer(player)),
            "held_for": self._held_for,
            "clause": self._live.game.clauses.get(self._live.snapshot().view["phase"], ""),
            "why": why,
            "decided": self._decided(player),
            "sealed": player in self._live.snapshot().decided,
            "question": next(iter(self._questions()), None),
            "next": self._said_to_choose(player) if self._may_choose() else None,
        }

    def _may_choose(self) -> bool:
        """Return whether another game, or other options, may be chosen on a phone: before the first
        entry, and after the end of the game. Going on at the laptop ends that."""
        over = self._live.snapshot().view["phase"] == GAME_OVER
        # A game that is being played must not end by a tap on one phone.
        return over or not self._live.acts()

    def _said_to_choose(self, player: str) -> str:
        """Return a message about another player who chooses the next game; "" if there is none."""
        who = self._chooses
        return self._say("share.chooses", player=self._say.name(who)) if who not in ("", player) else ""

    def _next(self, player: str) -> Dialogue:
        """Choose the next game and begin it. While another phone is choosing, offer to choose in
        its place."""
        if not self._may_choose():
            return None
        if self._said_to_choose(player):
            yield Menu([], [Reply("1", self._say("share.choose_instead"), None)])
            self._chosen_by(player)
            return Text("share.yours")
        return (yield from planning(self._evening.another(), self._say, self._evening.leave_for))

    def _chosen_by(self, player: str) -> None:
        if self._chooses != player:
            self._chooses = player
            self._live.remark(Text("share.chooses", {"player": player}))
            self._live.call_soon(self._renewed)

    def _decided(self, player: str) -> dict[str, Any] | None:
        """Return what this player entered last in this round (None: nothing), and whether it can be
        taken back."""
        own = own_act(self._live, player)
        return None if own is None else {"words": self._say.say(own.text), "last": own.open}

    def _questions(self) -> Mapping[int, ShownQuestion]:
        return {one.id: one for one in self._live.snapshot().questions}

    def _dialogue(self, player: str, about: Subject) -> Dialogue:
        match about:
            case "entering":
                return own_seat(self._live, player, self._say)
            case "mine":
                return withdraw(self._live, player, self._say)
            case "righting":
                return put_right(self._live, self._say, player)
            case "people":
                return people(self._live, self._say)
            case "next":
                return self._next(player)
        return answer(self._live, self._questions()[about], self._say)

    def _talk(self, player: str, said: Speech) -> Heard:
        """Replay the conversation with the answers given, as far as they are still offered; the
        next answer counts only if all above it is unchanged."""
        self._speak_as(player)
        if isinstance(said.about, int) and said.about not in self._questions():
            return Heard(None, 0, self._say("share.moved_on"))
        # The first phone that opens the form chooses; others see who does.
        if said.about == "next" and not self._chooses and self._may_choose():
            self._chosen_by(player)
        talk = Conversation(lambda: self._dialogue(player, said.about))
        stamp = self._offer(player) if said.about == "entering" else 0
        for given in said.given:
            if not _give(talk, given):
                break
        hold, menu = len(talk.answers), self._menu(talk.menu, stamp)
        moved_on = hold < len(said.given) or (menu is not None and said.told != menu["number"])
        # What was tapped was meant for the text above it, which has changed.
        if said.next is not None and (moved_on or not _give(talk, said.next)):
            return Heard(menu, hold, self._say("share.moved_on"))
        if talk.menu is not None or talk.outcome is None:
            return Heard(self._menu(talk.menu, stamp), len(talk.answers))
        outcome = talk.outcome
        # The conversation starts over, with what can be entered after this step.
        talk.again(())
        menu = self._menu(talk.menu, self._offer(player) if said.about == "entering" else 0)
        if isinstance(outcome, Refusal):
            return Heard(menu, 0, self._say.say(outcome.text), outcome.clause or "")
        return Heard(menu, 0, self._say.say(outcome), tone="done")

    def _menu(self, menu: Menu | None, stamp: int) -> dict[str, Any] | None:
        """Return a menu as JSON data, with a checksum of its text and `stamp`."""
        if menu is None:
            return None
        told = [self._saying(one) for one in menu.told]
        number = zlib.crc32(msgspec.json.encode([stamp, told]))
        cells = grid(menu.rows)
        rows = [
            self._row(row) | ({"cell": cells[at]} if at in cells else {}) for at, row in enumerate(menu.rows)
        ]
        return {"told": told, "number": number, "rows": rows, "long": menu.long}

    def _row(self, row: Reply | Saying) -> dict[str, Any]:
        shown: dict[str, Any] = {"words": row.words, "tone": row.tone}
        if isinstance(row, Saying):
            return shown
        shown |= {"row": _number(row), "key": row.key, "seat": row.seat, "spots": row.spots}
        drawn = designs(self._live.game.id)
        if row.spots and (card := _played(row)) in drawn:  # its plays are shown once it is chosen
            shown |= {"card": card, "named": self._say(f"card.{card}")}
        match row.pick:
            case None if (named := _named(row)) and {*named} <= {*drawn}:
                alike = len({*named}) == 1
                once = {"cards": named[:1], "times": len(named)}
                return shown | {"likely": once if alike else {"cards": named, "times": 1}}
            case Typed(most=most):
                return shown | {"line": most}
            case Pick(cards=known, least=least, most=most):
                cards = [
                    {"card": card, "words": self._say(f"card.{card}"), "most": n, "drawn": card in drawn}
                    for card, n in known
                ]
                return shown | {"pick": {"cards": cards, "least": least, "most": most}}
        return shown

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

    def _offer(self, player: str) -> int:
        """Return a number for what a player is offered. It changes with a step or the player's own
        sealed decision, but not with the clock. No two seats ever share a number, so that none can
        take another's offer."""
        players = self._live.snapshot().people.seats
        number = 2 * self._live.steps + (player in self._live.snapshot().decided)
        return number * len(players) + players.index(player)


def _named(row: Reply) -> Sequence[str]:
    """Return the cards that a reply enters without picking: the usual ones, or the only thing that
    it says; () if it says anything else."""
    if not isinstance(row.value, Way):
        return ()
    request, pick = row.value.choice.request, row.value.choice.pick
    said = [one for one in request.__struct_fields__ if one != "player"] if pick is None else [pick.field]
    named = getattr(request, said[0]) if len(said) == 1 else ()
    return named if isinstance(named, tuple) else (named,)


def _played(row: Reply) -> str | None:
    """Return the card by which a reply moves a piece on the board."""
    way = row.ways[0] if row.ways else row.value
    return getattr(way.choice.request, "card", None)


def grid(rows: Sequence[Reply | Saying]) -> Mapping[int, Sequence[int]]:
    """Return the numbers of replies that differ only in one or two numbers, by their position, if
    there are at least `GRID` of them: "two 5s" is (2, 5).

    Replies that are tapped on a board are left out: their numbers are names of pawns and count
    nothing.
    """
    alike: dict[object, dict[int, Sequence[int]]] = {}
    for at, row in enumerate(rows):
        if isinstance(row, Reply) and isinstance(row.value, Way) and not (row.value.choice.pick or row.spots):
            numbers: list[int] = []
            shape = _shape(row.value.choice.label, numbers)
            if len(numbers) in (1, 2):
                alike.setdefault(shape, {})[at] = numbers
    return next((cells for cells in alike.values() if len(cells) >= GRID), {})


def _shape(value: object, numbers: list[int]) -> object:
    """Return what a label says without its numbers, which are appended to `numbers`."""
    match value:
        case int():
            numbers.append(value)
            return None
        case tuple():
            return tuple(_shape(one, numbers) for one in value)
        case Text(code, args, n):
            return code, _shape(() if n is None else (n,), numbers), _shape(tuple(args.values()), numbers)
    return value


def _number(row: Reply) -> int:
    """Return a checksum of a reply's words and effect, by which it is found again wherever it
    stands."""
    return zlib.crc32(f"{row.key} {row.words} {row.ways}".encode())


def _give(talk: Conversation, given: Given) -> bool:
    """Give one answer, if it is offered and its cards fit; return whether it was."""
    replies = [] if talk.menu is None else talk.menu.replies
    reply = next((one for one in replies if _number(one) == given.row), None)
    if reply is None:
        return False
    if not (reply.pick.fits(given.cards) if reply.pick else not given.cards):
        return False
    return talk.answer(reply, given.cards if reply.pick is not None else None)
