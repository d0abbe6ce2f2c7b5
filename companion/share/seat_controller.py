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
from companion.share.card_faces import load_designs
from companion.texts import Translator, format_score
from companion.views.conversations import (
    Conversation,
    Dialogue,
    Menu,
    MenuText,
    PartsProgress,
    PointsBeforeAfter,
    Reply,
    Sentence,
    TextPrompt,
    find_own_act,
    prompt_for_answer,
    prompt_for_own_entry,
    prompt_for_people_change,
    prompt_for_plan,
    prompt_for_revision,
    prompt_for_withdrawal,
)
from companion.views.entry_options import Way
from companion.views.table_session import TableSession

ANSWER_TIMEOUT = 5.0
"""Most seconds for the table to answer; it checks for calls ten times a second."""
MAX_REMEMBERED_ANSWERS = 200
"""Replies that are remembered for repeated requests; each seat has one open at a time."""
MIN_GRID_CHOICES = 6
"""Number of choices, differing only in numbers, from which they are shown as a grid."""
Subject: TypeAlias = int | Literal["entering", "mine", "righting", "people", "next"]
"""The subject of a conversation; a number stands for that question to the table."""


class SubmittedAnswer(msgspec.Struct, frozen=True):
    """One answer in a conversation: the number of its row, and the cards that were picked or the
    words that were typed."""

    row: int
    cards: tuple[str, ...] = ()


class ConversationMessage(msgspec.Struct, frozen=True):
    """Input of a seat's page in a conversation: its subject, the answers given so far, and the next
    one, if any, with the checksum of the text above it (`told`)."""

    about: Subject
    given: tuple[SubmittedAnswer, ...] = ()
    next: SubmittedAnswer | None = None
    told: int = 0


class ConversationUpdate(NamedTuple):
    """State of a conversation after an input: its menu (None: it is over), how many of the given
    answers still hold, and the result of the last one: why it was refused, with the clause, or a
    message."""

    menu: dict[str, Any] | None
    hold: int
    words: str = ""
    clause: str = ""
    tone: Literal["bad", "done"] = "bad"


class SeatController:
    """Seats of one table. `build_seat_states` and the calls that `handle_message` makes run in the
    table's thread.

    `session`: left for the game that a phone has chosen. `pads`: phones may read the cards'
    stickers. `renewed`: called when the result of `build_seat_states` changes without a change at
    the table.
    """

    def __init__(
        self,
        session: TableSession,
        translator: Translator,
        *,
        pads: bool = False,
        renewed: Callable[[], object] = lambda: None,
    ) -> None:
        self._context, self._live = session, session.live
        self._tables = self._translator = translator
        self._own: dict[str, Translator] = {}
        self._renewed = renewed
        self._chooses = ""  # player whose phone chooses the next game; one at a time
        self._heard: OrderedDict[tuple[str, str], ConversationUpdate] = OrderedDict()
        # Only in games that take face-down cards a phone offers to read one.
        face_down = any("sealed" in request.__struct_fields__ for request in self._live.game.requests)
        self._held_for = (["down"] if face_down else []) + ["up", "middle"] if pads else []

    def build_seat_states(self) -> Mapping[str, dict[str, Any]]:
        """Return for every player what their own page shows beside the table: what they may enter,
        and the reasons for their points."""
        return {player: self._build_seat_state(player) for player in self._live.snapshot().people.seats}

    def find_seat_number(self, player: str) -> int:
        """Return the number of this player's seat, from 1."""
        return self._live.snapshot().people.seats.index(player) + 1

    def list_seats(self, language: str = "") -> list[dict[str, Any]]:
        """List the seats for a phone that chooses one: player, current name and mark."""
        people = self._live.snapshot().people
        translator = self._make_translator(language).with_names(people.display_names)
        return [
            {"seat": player, "name": translator.display_name(player), "mark": mark}
            for mark, player in enumerate(people.seats)
        ]

    def _make_translator(self, language: str) -> Translator:
        return Translator(language, self._live.game) if language else self._tables

    def set_language(self, player: str, language: str) -> None:
        """Use this language with this player ("": the table's)."""
        own = self._make_translator(language)
        if self._own.get(player, self._tables).language != own.language:
            self._own[player] = own
            self._live.call_soon(self._renewed)

    async def handle_message(
        self, player: str, message: ConversationMessage, act: str = ""
    ) -> ConversationUpdate:
        """Continue a conversation of this player and wait for the table's reply. A page sends all
        its answers each time, so no state of a conversation is kept here.

        `act`: the page's id of this input. If the page repeats an input because the reply was lost,
        it gets the same reply, and nothing is done twice.
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[ConversationUpdate] = loop.create_future()

        def resolve_update(heard: ConversationUpdate) -> None:
            # The page may have stopped waiting meanwhile.
            if not done.done():
                done.set_result(heard)

        def answer_in_table_thread() -> None:
            heard = self._answer_once(player, message, act)
            if not loop.is_closed():
                loop.call_soon_threadsafe(resolve_update, heard)

        self._live.call_soon(answer_in_table_thread)
        try:
            return await asyncio.wait_for(done, ANSWER_TIMEOUT)
        except TimeoutError:
            return ConversationUpdate(None, 0, self._own.get(player, self._tables)("share.busy"))

    def _select_translator(self, player: str) -> Translator:
        names = self._live.snapshot().people.display_names
        self._translator = self._own.get(player, self._tables).with_names(names)
        return self._translator

    def _answer_once(self, player: str, message: ConversationMessage, act: str) -> ConversationUpdate:
        # In the table's thread, which all acts pass through: two lines cannot both be first.
        heard = self._heard.get((player, act)) if act else None
        if heard is None:
            heard = self._heard[player, act] = self._replay_conversation(player, message)
            if len(self._heard) > MAX_REMEMBERED_ANSWERS:
                self._heard.popitem(last=False)
        return heard

    def _build_seat_state(self, player: str) -> dict[str, Any]:
        translator = self._select_translator(player)
        why = [
            {
                "text": translator.translate(reason.text),
                "clauses": list(reason.clauses),
                "points": format_score(reason.points) if reason.points else reason.points,
            }
            for reason in self._live.explain_points(player)
        ]
        menu = Conversation(lambda: prompt_for_own_entry(self._live, player, translator)).menu
        return {
            "name": translator.display_name(player),
            "menu": self._encode_menu(menu, self._number_offer(player)),
            "held_for": self._held_for,
            "clause": self._live.game.clauses.get(self._live.snapshot().view["phase"], ""),
            "why": why,
            "decided": self._describe_last_decision(player),
            "sealed": player in self._live.snapshot().decided,
            "question": next(iter(self._map_questions()), None),
            "next": self._describe_chooser(player) if self._can_choose_next() else None,
        }

    def _can_choose_next(self) -> bool:
        """Return whether another game, or other options, may be chosen on a phone: before the first
        entry, and after the end of the game. Going on at the laptop ends that."""
        over = self._live.snapshot().view["phase"] == GAME_OVER
        # A game that is being played must not end by a tap on one phone.
        return over or not self._live.list_acts()

    def _describe_chooser(self, player: str) -> str:
        """Return a message about another player who chooses the next game; "" if there is none."""
        who = self._chooses
        return (
            self._translator("share.chooses", player=self._translator.display_name(who))
            if who not in ("", player)
            else ""
        )

    def _choose_next_game(self, player: str) -> Dialogue:
        """Choose the next game and begin it. While another phone is choosing, offer to choose in
        its place."""
        if not self._can_choose_next():
            return None
        if self._describe_chooser(player):
            yield Menu([], [Reply("1", self._translator("share.choose_instead"), None)])
            self._set_chooser(player)
            return Text("share.yours")
        return (
            yield from prompt_for_plan(
                self._context.plan_next_game(), self._translator, self._context.switch_to_game
            )
        )

    def _set_chooser(self, player: str) -> None:
        if self._chooses != player:
            self._chooses = player
            self._live.show_remark(Text("share.chooses", {"player": player}))
            self._live.call_soon(self._renewed)

    def _describe_last_decision(self, player: str) -> dict[str, Any] | None:
        """Return what this player entered last in this round (None: nothing), and whether it can be
        taken back."""
        own = find_own_act(self._live, player)
        return None if own is None else {"words": self._translator.translate(own.text), "last": own.open}

    def _map_questions(self) -> Mapping[int, ShownQuestion]:
        return {one.id: one for one in self._live.snapshot().questions}

    def _start_dialogue(self, player: str, about: Subject) -> Dialogue:
        match about:
            case "entering":
                return prompt_for_own_entry(self._live, player, self._translator)
            case "mine":
                return prompt_for_withdrawal(self._live, player, self._translator)
            case "righting":
                return prompt_for_revision(self._live, self._translator, player)
            case "people":
                return prompt_for_people_change(self._live, self._translator)
            case "next":
                return self._choose_next_game(player)
        return prompt_for_answer(self._live, self._map_questions()[about], self._translator)

    def _replay_conversation(self, player: str, message: ConversationMessage) -> ConversationUpdate:
        """Replay the conversation with the answers given, as far as they are still offered; the
        next answer counts only if all above it is unchanged."""
        self._select_translator(player)
        if isinstance(message.about, int) and message.about not in self._map_questions():
            return ConversationUpdate(None, 0, self._translator("share.moved_on"))
        # The first phone that opens the form chooses; others see who does.
        if message.about == "next" and not self._chooses and self._can_choose_next():
            self._set_chooser(player)
        talk = Conversation(lambda: self._start_dialogue(player, message.about))
        stamp = self._number_offer(player) if message.about == "entering" else 0
        for given in message.given:
            if not _submit_answer(talk, given):
                break
        hold, menu = len(talk.answers), self._encode_menu(talk.menu, stamp)
        moved_on = hold < len(message.given) or (menu is not None and message.told != menu["number"])
        # What was tapped was meant for the text above it, which has changed.
        if message.next is not None and (moved_on or not _submit_answer(talk, message.next)):
            return ConversationUpdate(menu, hold, self._translator("share.moved_on"))
        if talk.menu is not None or talk.outcome is None:
            return ConversationUpdate(self._encode_menu(talk.menu, stamp), len(talk.answers))
        outcome = talk.outcome
        # The conversation starts over, with what can be entered after this step.
        talk.restart(())
        menu = self._encode_menu(talk.menu, self._number_offer(player) if message.about == "entering" else 0)
        if isinstance(outcome, Refusal):
            return ConversationUpdate(menu, 0, self._translator.translate(outcome.text), outcome.clause or "")
        return ConversationUpdate(menu, 0, self._translator.translate(outcome), tone="done")

    def _encode_menu(self, menu: Menu | None, stamp: int) -> dict[str, Any] | None:
        """Return a menu as JSON data, with a checksum of its text and `stamp`."""
        if menu is None:
            return None
        told = [self._encode_text(one) for one in menu.texts]
        number = zlib.crc32(msgspec.json.encode([stamp, told]))
        visible = [*menu.rows, *list_refused_siblings(menu)]
        cells = find_number_grid(visible)
        rows = [
            self._encode_row(row) | ({"cell": cells[at]} if at in cells else {})
            for at, row in enumerate(visible)
        ]
        # In a grid every number has its place, possible or not.
        rows.sort(key=lambda row: tuple(row.get("cell", ())))
        return {"told": told, "number": number, "rows": rows, "long": menu.long}

    def _encode_row(self, row: Reply | Sentence) -> dict[str, Any]:
        shown: dict[str, Any] = {"words": row.words, "tone": row.tone}
        if isinstance(row, Sentence):
            return shown
        shown |= {"row": _fingerprint_reply(row), "key": row.key, "seat": row.seat, "spots": row.spots}
        if isinstance(row.value, Way) and row.value.choice.request.is_pass:
            shown["pass"] = True
        drawn = load_designs(self._live.game.id)
        if row.spots and (card := find_moved_card(row)) in drawn:  # its plays are shown once it is chosen
            shown |= {"card": card, "named": self._translator(f"card.{card}")}
        match row.pick:
            case None if (named := _find_entered_cards(row)) and {*named} <= {*drawn}:
                alike = len({*named}) == 1
                once = {"cards": named[:1], "times": len(named)}
                return shown | {"likely": once if alike else {"cards": named, "times": 1}}
            case TextPrompt(most=most):
                return shown | {"line": most}
            case Pick(cards=known, least=least, most=most):
                cards = [
                    {
                        "card": card,
                        "words": self._translator(f"card.{card}"),
                        "most": n,
                        "drawn": card in drawn,
                    }
                    for card, n in known
                ]
                return shown | {"pick": {"cards": cards, "least": least, "most": most}}
        return shown

    def _encode_text(self, text: MenuText) -> dict[str, Any]:
        match text:
            case Sentence(words, tone):
                return {"words": words, "tone": tone}
            case PointsBeforeAfter(points):
                rows = [
                    {
                        "name": self._translator.display_name(one.player),
                        "mark": mark,
                        "before": format_score(one.before),
                        "after": format_score(one.after),
                    }
                    for mark, one in enumerate(points)
                ]
                return {"points": rows}
            case PartsProgress(what, used, size, parts):
                named = {"what": what, "used": used, "size": size, "parts": list(parts)}
                return named | {"words": text.describe_remaining(self._translator)}

    def _number_offer(self, player: str) -> int:
        """Return a number for what a player is offered. It changes with a step or the player's own
        sealed decision, but not with the clock. No two seats ever share a number, so that none can
        take another's offer."""
        players = self._live.snapshot().people.seats
        number = 2 * self._live.step_count + (player in self._live.snapshot().decided)
        return number * len(players) + players.index(player)


def _find_entered_cards(row: Reply) -> Sequence[str]:
    """Return the cards that a reply enters without picking: the usual ones, or the only thing that
    it says; () if it says anything else."""
    if not isinstance(row.value, Way):
        return ()
    request, pick = row.value.choice.request, row.value.choice.pick
    said = [one for one in request.__struct_fields__ if one != "player"] if pick is None else [pick.field]
    named = getattr(request, said[0]) if len(said) == 1 else ()
    return named if isinstance(named, tuple) else (named,)


def find_moved_card(row: Reply) -> str | None:
    """Return the card by which a reply moves a piece on the board."""
    way = row.ways[0] if row.ways else row.value
    return getattr(way.choice.request, "card", None)


def find_number_grid(rows: Sequence[Reply | Sentence]) -> Mapping[int, Sequence[int]]:
    """Return the numbers of replies that differ only in one or two numbers, by their position, if
    there are at least `MIN_GRID_CHOICES` of them: "two 5s" is (2, 5).

    Replies that are tapped on a board are left out: their numbers are names of pawns and count
    nothing.
    """
    alike: dict[object, dict[int, Sequence[int]]] = {}
    for at, row in enumerate(rows):
        if isinstance(row, Reply) and isinstance(row.value, Way) and not (row.value.choice.pick or row.spots):
            numbers: list[int] = []
            shape = _strip_numbers(row.value.choice.label, numbers)
            if len(numbers) in (1, 2):
                alike.setdefault(shape, {})[at] = numbers
    return next((cells for cells in alike.values() if len(cells) >= MIN_GRID_CHOICES), {})


MAX_REFUSED_ROWS = 60
"""Most choices that are shown greyed: more would hide those that are possible."""


def list_refused_siblings(menu: Menu) -> list[Reply]:
    """List what is not possible now, but of a kind with something that is: a page shows it greyed,
    and the rules say why when it is tapped."""
    kinds = {_find_kind(row) for row in menu.replies} - {None}
    found = [one for one in menu.attempts() if _find_kind(one) in kinds] if kinds else []
    return found if len(found) <= MAX_REFUSED_ROWS else []


def _find_kind(reply: Reply) -> object:
    """Return what a reply has in common with others that differ in a number; None if it has cards
    to pick, or a place on the board, where nothing can be greyed."""
    if not isinstance(reply.value, Way) or reply.value.choice.parts or reply.spots:
        return None
    choice = reply.value.choice
    return type(choice.request), choice.label.code.rstrip("0123456789"), choice.pick is None


def _strip_numbers(value: object, numbers: list[int]) -> object:
    """Return what a label says without its numbers, which are appended to `numbers`."""
    match value:
        case int():
            numbers.append(value)
            return None
        case tuple():
            return tuple(_strip_numbers(one, numbers) for one in value)
        case Text(code, args, n):
            return (
                code,
                _strip_numbers(() if n is None else (n,), numbers),
                _strip_numbers(tuple(args.values()), numbers),
            )
    return value


def _fingerprint_reply(row: Reply) -> int:
    """Return a checksum of a reply's words and effect, by which it is found again wherever it
    stands."""
    return zlib.crc32(f"{row.key} {row.words} {row.ways}".encode())


def _find_reply(menu: Menu, row: int) -> Reply | None:
    """Return the reply with this checksum, offered or refused; None if there is none."""
    offered = (one for one in menu.replies if _fingerprint_reply(one) == row)
    # What is refused is listed only if it is needed: there may be hundreds.
    return next(offered, None) or next(
        (one for one in list_refused_siblings(menu) if _fingerprint_reply(one) == row), None
    )


def _submit_answer(conversation: Conversation, answer: SubmittedAnswer) -> bool:
    """Give one answer, if it is offered and its cards fit; return whether it was."""
    reply = None if conversation.menu is None else _find_reply(conversation.menu, answer.row)
    if reply is None:
        return False
    if not (reply.pick.accepts(answer.cards) if reply.pick else not answer.cards):
        return False
    return conversation.give_answer(reply, answer.cards if reply.pick is not None else None)
