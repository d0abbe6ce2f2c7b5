"""Conversations with a live session, or about one that is to begin, independent of how they are
drawn.

Each is a generator: it yields a `Menu`, receives the value of the chosen reply, and finally returns
the outcome: a refusal, or a message. Nothing is drawn or typed here; plain lines, the dashboard and
a phone's seat all hold the same conversations.

A generator cannot go back. To undo an answer, a `Conversation` starts the generator again and
repeats all answers but the last. Therefore a conversation must not change the session before its
last answer.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any, Literal, NamedTuple, TypeAlias

from msgspec.structs import replace

from companion.journal.narration import LogLine
from companion.live.corrections import Correction, PointsChange
from companion.live.live_session import LiveSession
from companion.live.snapshot import RoundRow, ShownQuestion, Snapshot
from companion.plan import USUAL_GAME, CannotBegin, Plan, parse_names, parse_option_value, prepare_setup
from companion.rules import registry
from companion.rules.contract import (
    LONGEST_NAME,
    Choice,
    Pick,
    Problem,
    Refusal,
    Request,
    Shortcut,
    Spots,
    Text,
)
from companion.rules.options import OptionWords, describe_options
from companion.rules.people import NAMED, Deed, SeatChange, VerbatimName, describe_menu_action
from companion.texts import Translator
from companion.views.entry_options import (
    PartByPart,
    Way,
    assign_keys,
    enter_way,
    find_enterable,
    group_by_parts,
    is_part_attempt,
    list_attempt_ways,
    list_awaited_players,
    make_ways,
)
from companion.views.plain_words import translate_command
from companion.views.table_session import (
    Backstage,
    Invite,
    ShareSwitch,
    describe_connected_pages,
    draw_qr_code,
)

AGREE_KEY, LEAVE_KEY = "yes", ""
"""Keys of the reply that confirms, and of the one that postpones: each view has its own words or
keys for them."""


class Sentence(NamedTuple):
    """A sentence and its kind.

    A `title` is left out line by line, since the lines below repeat what it says; `past` marks what
    no longer holds.
    """

    words: str
    tone: Literal["", "title", "question", "warn", "bad", "done", "fallen", "quiet", "past"] = ""


class PointsBeforeAfter(NamedTuple):
    """Everybody's points before and after, in the order of the seats."""

    points: Sequence[PointsChange]


class PartsProgress(NamedTuple):
    """A choice named part by part: how much of its size is used, and the parts so far."""

    what: str
    used: int
    size: int
    parts: Sequence[str]

    def describe_remaining(self, translator: Translator) -> str:
        """Return in words how much is left."""
        return translator(
            "parts.used", done=str(self.used), size=str(self.size), left=str(self.size - self.used)
        )


MenuText: TypeAlias = Sentence | PointsBeforeAfter | PartsProgress
Cards: TypeAlias = tuple[str, ...] | None


class TextPrompt(NamedTuple):
    """Free text that an answer needs: what to type, and its maximum length."""

    ask: str
    most: int = LONGEST_NAME

    def accepts(self, lines: Sequence[str]) -> bool:
        """Return whether `lines` is one line, and not too long."""
        return len(lines) == 1 and len(lines[0]) <= self.most


class Reply(NamedTuple):
    """One possible answer: its key, its words, and the value that is sent back for it."""

    key: str
    words: str
    value: Any
    pick: Pick | TextPrompt | None = None
    """Cards or text that must be given with it; `value` is then called with them."""
    tone: Literal["", "quiet", "strong", "refused"] = ""
    """`refused`: it may be typed, but is not offered."""
    whose: str | None = None
    """The player it belongs to, added when read line by line; None if the words say so."""
    typed: str = ""
    """English word that is typed in place of the key, line by line."""
    seat: int = 0
    """Seat whose mark is shown before it (from 1; 0: none)."""
    aliases: tuple[str, ...] = ()
    """Other keys that people type for it."""

    def is_equivalent(self, other: Reply) -> bool:
        """Return whether it reads the same and leads to the same ways."""
        same = (self.key, self.words, self.whose) == (other.key, other.words, other.whose)
        return same and self.ways == other.ways

    @property
    def spots(self) -> Spots:
        """Places on the game's board that stand for it, which can be tapped on a page."""
        return self.value.spots if isinstance(self.value, Way | PartByPart) else ()

    @property
    def ways(self) -> tuple[Way, ...]:
        """Ways it leads to, part by part. They matter for comparison: with other ways, the parts
        named so far might be complete."""
        return self.value.ways if isinstance(self.value, PartByPart) else ()


class EntryTurn(NamedTuple):
    """Context of a menu of entries that stays open whether or not it is answered: whose it is
    (None: the table's), who else is awaited, and the session's `seats`."""

    player: str | None
    others: tuple[str, ...]
    seats: tuple[str, ...]


class Menu(NamedTuple):
    """What is said, and what can be answered."""

    texts: Sequence[MenuText]
    rows: Sequence[Reply | Sentence]
    """Replies; a saying among them is a heading or a line that is only read."""
    ask: str = ""
    """What to type, shown line by line."""
    long: bool = False
    """Whether there are many rows: they are searched rather than typed, and stay visible until the
    end."""
    entry_turn: EntryTurn | None = None
    attempts: Callable[[], Sequence[Reply]] = tuple
    """Return replies that are not offered but may be typed: the rules refuse them, with the reason.
    Listed only when asked for, since there may be hundreds."""
    awaited: str = ""
    """What is to be done now, with its clause: told after a key that means nothing."""

    @property
    def replies(self) -> list[Reply]:
        """The rows that are replies."""
        return [row for row in self.rows if isinstance(row, Reply)]

    def is_equivalent(self, other: Menu) -> bool:
        """Return whether its keys mean the same to the reader."""
        mine, its = self.replies, other.replies
        same = self.texts == other.texts and len(mine) == len(its)
        return same and all(a.is_equivalent(b) and a.pick == b.pick for a, b in zip(mine, its, strict=True))


Outcome: TypeAlias = Refusal | Text | None
Dialogue: TypeAlias = Generator[Menu, Any, Outcome]


class GivenAnswer(NamedTuple):
    """A menu, and the answer to it."""

    menu: Menu
    reply: Reply
    cards: Cards


class Conversation:
    """One conversation in progress. `menu` is None once it is over; `outcome` is then the refusal
    or message that it returned.

    `begin` starts the generator; `stamp` returns a value that changes whenever the table does.
    """

    def __init__(self, begin: Callable[[], Dialogue], stamp: Callable[[], object] = lambda: None) -> None:
        self._begin, self._stamp = begin, stamp
        self.outcome: Outcome = None
        self.restart(())

    def give_answer(self, reply: Reply, cards: Cards = None) -> bool:
        """Give this answer to the current menu; return False if the table has changed so that the
        menu is another.

        In that case nothing is answered, and the earlier answers are kept as far as they are still
        offered.
        """
        assert self.menu is not None
        # The table has changed: repeat the conversation, and accept the answer only if it still
        # means the same.
        if self._stamp() != self._began:
            seen = self.menu.texts
            self.restart(self.answers)
            same = self.find_offered(reply)
            if self.menu.texts != seen or same is None:
                return False
            reply = same
        self.answers.append(GivenAnswer(self.menu, reply, cards))
        self._advance_dialogue(reply.value if cards is None else reply.value(cards))
        return True

    def find_offered(self, target: Reply) -> Reply | None:
        """Return the current reply that is the same as `target`, offered or not; None if there is
        none."""
        if self.menu is None:
            return None
        offered = (reply for reply in self.menu.replies if reply.is_equivalent(target))
        attempts = self.menu.attempts
        return next(offered, None) or next((one for one in attempts() if one.is_equivalent(target)), None)

    def restart(self, answers: Sequence[GivenAnswer]) -> None:
        """Start again with these answers, as far as they are still offered."""
        self._talk, self._began = self._begin(), self._stamp()
        self.answers: list[GivenAnswer] = []
        self._advance_dialogue(None)
        for _, wanted, cards in answers:
            reply = self.find_offered(wanted)
            if reply is None:
                return
            self.give_answer(reply, cards)

    def take_back_answer(self) -> bool:
        """Take back the last answer; return False if there is none."""
        given = bool(self.answers)
        self.restart(self.answers[:-1])
        return given

    def return_to_list(self) -> bool:
        """Go back to the last long menu, else to the beginning; return False if nothing was
        answered or a long menu is shown already."""
        if self.menu is not None and self.menu.long:
            return False
        given = bool(self.answers)
        self.restart(
            self.answers[: max((at for at, one in enumerate(self.answers) if one.menu.long), default=0)]
        )
        return given

    def _advance_dialogue(self, value: Any) -> None:
        self.menu: Menu | None
        try:
            self.menu = self._talk.send(value)
        except StopIteration as end:
            self.menu, self.outcome = None, end.value


class _GoTo(NamedTuple):
    act: int


class _Replacement(NamedTuple):
    """The request that replaces an act (None: nothing), or that is inserted before it."""

    request: Request | None
    insert: bool = False


def prompt_for_entry(
    live: LiveSession, backstage: Backstage, player: str | None, translator: Translator
) -> Dialogue:
    """Enter what can be entered now for `player`; None: for the first awaited player."""
    now, snapshot = find_enterable(live, backstage, player), live.snapshot()
    clause = live.game.clauses.get(snapshot.view["phase"])
    awaited = add_clause(translator.translate(snapshot.awaited), clause)
    standing = EntryTurn(now.player, now.others, snapshot.people.seats)
    talk = _prompt_for_way([], now.ways, translator, entry_turn=standing, attempts=now.attempts)
    way = yield from _tell_awaited(talk, awaited)
    return enter_way(live, backstage, way)


def prompt_for_own_entry(live: LiveSession, player: str, translator: Translator) -> Dialogue:
    """Enter on a phone what belongs to `player`, or to the table, where anybody may enter it.

    A decision that others must not know before they have decided is sealed, and can be taken back
    until then.
    """
    decided, apart = live.snapshot().decided, live.can_seal_decision(player)
    sealed = player in decided
    told = [Sentence(translator("share.sealed" if sealed else "share.apart"), "quiet")] if apart else []
    if sealed:
        told += _describe_waiting(
            [one for one in list_awaited_players(live.snapshot()) if one not in decided], translator
        )
        yield Menu(told, [Reply("1", translator("share.take_back"), None)])
        live.withdraw_decision(player)
        return None
    # Without the table's own entries (the next donkey, an offer turned up) a game would stand still
    # as soon as nobody is at the laptop.
    ways = [*make_ways(None, live.list_choices(None)), *make_ways(player, live.list_choices(player))]
    # Nobody is told why entries are impossible while it is another's turn.
    attempts = partial(list_attempt_ways, live, (None, player) if ways else ())
    way = yield from _prompt_for_way(told, ways, translator, attempts=attempts)
    return live.seal_decision(way.choice.request)


class OwnAct(NamedTuple):
    """A player's last entry in this round: its number and words, and whether it can be taken back,
    because nothing followed or only the same decisions of others."""

    act: int
    text: Text
    open: bool


MAX_LINES_SEARCHED = 40
"""Number of log lines in which a player's last entry of the round is searched."""


def find_own_act(live: LiveSession, player: str) -> OwnAct | None:
    """Return what this player entered last in this round; None if there was nothing."""
    snapshot, acts = live.snapshot(), live.list_acts()
    first = snapshot.rounds[-1].first if snapshot.rounds else 0
    for line in reversed([one for one in snapshot.log[-MAX_LINES_SEARCHED:] if one.stands]):
        if line.act < first:
            return None
        request = acts[line.act].request
        if getattr(request, "player", None) == player:
            if line.act == len(acts) - 1:
                return OwnAct(line.act, line.text, snapshot.can_undo and snapshot.last == line.text)
            does = request.__struct_config__.tag
            # Others still decide the same, and nothing else was entered since: the round has not
            # moved on.
            beside = any(row["do"] == does for row in snapshot.view["waiting_for"])
            beside = beside and all(type(one.request) is type(request) for one in acts[line.act :])
            return OwnAct(line.act, line.text, beside and _can_drop_alone(live, line.act))
    return None


def _can_drop_alone(live: LiveSession, at: int) -> bool:
    """Return whether act `at` can be removed without asking for or dropping anything else."""
    draft = live.draft_correction(at, None)
    return draft.refusal is None and draft.pending_act is None and not draft.dropped_acts


def prompt_for_withdrawal(live: LiveSession, player: str, translator: Translator) -> Dialogue:
    """Take back what `player` entered last, while others have only made the same decision since."""
    own = find_own_act(live, player)
    if own is None or not own.open:
        return None
    told = [
        Sentence(translator.translate(own.text)),
        *_describe_waiting(list_awaited_players(live.snapshot()), translator),
    ]
    yield Menu(told, [Reply("1", translator("share.take_back"), None)])
    # The last act is undone, so that redo works; an earlier one must be corrected.
    if own.act == len(live.list_acts()) - 1:
        return live.undo(player)
    return live.apply_correction(live.draft_correction(own.act, None), player)


def _describe_waiting(players: Sequence[str], translator: Translator) -> list[Sentence]:
    """Describe who has not decided yet."""
    names = tuple(translator.display_name(one) for one in players)
    return [Sentence(translator("share.waits", players=names), "quiet")] if names else []


def prompt_for_people_change(
    live: LiveSession, translator: Translator, pronounce: Callable[[str, str], object] | None = None
) -> Dialogue:
    """Correct a name, or let somebody stand in, join or leave. `pronounce`: stores how a
    name is pronounced, if there is a voice."""
    now = live.snapshot().people
    translator = translator.with_names(now.display_names)
    name = TextPrompt(translator("people.name"))
    seats = [
        _build_seat_reply(number, player, now.order, translator) for number, player in enumerate(now.seats, 1)
    ]
    join = describe_menu_action("join", translator("people.somebody"))
    joining = Reply(
        DEED_KEYS["join"],
        translator.translate(join),
        lambda given: SeatChange("join", "", *given),
        name,
        typed="join",
    )
    rename = translate_command("rename", translator)
    ask = translator("plain.people", before="2 ", rename=rename)
    wanted = yield Menu([Sentence(translator("people.title"), "title")], [*seats, joining], ask)
    themselves = translator.with_names(
        now.real_names
    )  # the person of the seat comes and goes, not their stand-in
    if isinstance(wanted, str):
        player = wanted
        # With Eve in Bob's place the rows must say that Bob comes back or leaves.
        deeds = [
            _build_action_reply(deed, player, name, themselves) for deed in now.list_possible_actions(player)
        ]
        if pronounce is not None:
            words = translator("people.say_name", player=translator.display_name(player))
            deeds.append(
                Reply("v", words, lambda given: pronounce(translator.display_name(player), *given), name)
            )
        ask = translator("plain.people", before="", rename=rename)
        wanted = yield Menu([Sentence(translator.display_name(player), "title")], deeds, ask)
    if not isinstance(wanted, SeatChange):
        return None
    if wanted.deed in ("swap", "exchange"):
        there = now.order if wanted.deed == "swap" else now.seats
        others = [row for row in seats if row.value != wanted.seat and row.value in there]
        title = translator(f"people.{wanted.deed}_with", player=themselves.display_name(wanted.seat))
        wanted = replace(
            wanted, name=(yield Menu([Sentence(title, "title")], others, translator("plain.parts")))
        )
    refusal = live.change_seats(wanted)
    return refusal or live.snapshot().people.described_changes[-1].text


DEED_KEYS: Mapping[Deed, str] = {
    "rename": "r",
    "exchange": "c",
    "stand_in": "s",
    "share": "w",
    "back": "b",
    "swap": "x",
    "leave": "g",
    "stay": "g",
    "join": "j",
}
"""One letter for each change, the same all evening."""


def _build_seat_reply(number: int, player: str, order: Sequence[str], translator: Translator) -> Reply:
    going = "" if player in order else f"   {translator('people.goes')}"
    return Reply(str(number), translator.display_name(player, 40) + going, player, seat=number)


def _build_action_reply(deed: Deed, player: str, name: TextPrompt, translator: Translator) -> Reply:
    words = translator.translate(describe_menu_action(deed, translator.display_name(player)))
    if deed in NAMED:
        return Reply(DEED_KEYS[deed], words, lambda given: SeatChange(deed, player, *given), name, typed=deed)
    return Reply(DEED_KEYS[deed], words, SeatChange(deed, player), typed=deed)


def prompt_for_revision(live: LiveSession, translator: Translator, by: str) -> Dialogue:
    """Let `by`, who does not have the table's keys, undo, redo or correct."""
    snapshot = live.snapshot()
    ways: list[tuple[bool, str]] = [
        (snapshot.can_undo, "undo"),
        (snapshot.can_redo, "redo"),
        (len(snapshot.log) > 0, "correct"),
    ]
    rows = [Reply(way, translator(f"key.{way}"), way) for there, way in ways if there]
    told = Sentence(
        translator("correct.nothing") if snapshot.last is None else translator.translate(snapshot.last),
        "quiet",
    )
    way = yield Menu([told], rows)
    if way == "correct":
        return (yield from prompt_for_correction(live, translator, by))
    return live.undo(by) if way == "undo" else live.redo(by)


def prompt_for_correction(live: LiveSession, translator: Translator, by: str | None = None) -> Dialogue:
    """Correct an act: which one, what it should have been, what must be asked again, then the
    points before and after. `by`: see `LiveSession.apply_correction`."""
    title = Sentence(translator("correct.which"), "title")
    at = yield Menu(
        [title], [*_list_act_rows(live, translator)], translator("plain.correct.which"), long=True
    )
    wrong: list[Sentence] = []
    while True:
        title = Sentence(translator("correct.title", act=at + 1), "title")
        answer = yield from _prompt_for_replacement(
            [*wrong, title], [*_list_replacements(live, at, translator)], translator, live.find_request_at(at)
        )
        # The value was shown in another act, which must be corrected first.
        if isinstance(answer, _GoTo):
            at, wrong = answer.act, []
            continue
        draft = live.draft_correction(at, answer.request, insert=answer.insert)
        if draft.refusal is None:
            break
        # Shown above the same menu, so that something else can be chosen.
        wrong = [_describe_refusal(draft.refusal, translator)]
    while draft.pending_act is not None:
        rows = [*_list_choice_replies([(None, one) for one in draft.pending_act.choices], translator)]
        rows.append(Reply("-", translator("correct.leave_out"), _Replacement(None)))
        told = [
            *_describe_consequences(draft, translator),
            Sentence(translator.translate(draft.pending_act.awaited), "warn"),
            *wrong,
        ]
        answer = yield from _prompt_for_replacement(told, rows, translator, draft.pending_act.request)
        refusal = draft.answer_pending_act(answer.request)
        wrong = [] if refusal is None else [_describe_refusal(refusal, translator)]
    changed: list[MenuText] = [
        *_describe_consequences(draft, translator),
        Sentence(translator("correct.before_after"), "title"),
        PointsBeforeAfter(draft.compare_points()),
    ]
    yes = Reply(AGREE_KEY, translator("correct.make"), None, typed=AGREE_KEY)
    yield Menu(changed, [yes], translator("plain.correct.sure", yes=translate_command(AGREE_KEY, translator)))
    return live.apply_correction(draft, by)


def prompt_for_answer(live: LiveSession, question: ShownQuestion, translator: Translator) -> Dialogue:
    """Answer a question to the table, or postpone it."""
    ways = make_ways(None, question.choices)
    later = Reply(LEAVE_KEY, translator("question.later"), None)
    told = Sentence(translator.translate(question.text), "question")
    meant = yield from _prompt_for_way([told], ways, translator, (later,), translator("plain.answer"))
    live.answer_question(question.id, None if meant is None else ways.index(meant))
    return None


def _tell_awaited(talk: Generator[Menu, Any, Any], awaited: str) -> Generator[Menu, Any, Any]:
    """Hold a conversation each of whose menus tells what is `awaited` (see `Menu`)."""
    answer = None
    while True:
        try:
            menu = talk.send(answer)
        except StopIteration as end:
            return end.value
        answer = yield menu._replace(awaited=awaited)


def _prompt_for_way(
    texts: Sequence[MenuText],
    ways: Sequence[Way],
    translator: Translator,
    more: Sequence[Reply] = (),
    ask: str = "",
    entry_turn: EntryTurn | None = None,
    attempts: Callable[[], Sequence[Way]] = tuple,
) -> Generator[Menu, Any, Any]:
    """Let one of these ways be chosen, with its cards or part by part, or one of `more`.
    `attempts`: see `Enterable`."""
    rows = [
        row
        for one in group_by_parts(ways)
        for row in (*_list_likely_replies(one, translator), _build_way_reply(one, translator))
    ]
    picked = [way for way in ways if way.choice.pick is not None]

    @cache
    def list_unoffered() -> Sequence[Reply]:
        tried = [way for way in attempts() if not is_part_attempt(way)]
        replies = [_build_way_reply(way, translator) for way in tried]
        for way in (*picked, *(one for one in tried if one.choice.pick is not None)):
            assert way.choice.pick is not None
            tried_cards = way.choice.pick.attempts
            replies += _build_shortcut_replies(way, tried_cards, tried_cards, translator)
        return _leave_out_offered(replies, rows)

    one = yield Menu(texts, [*rows, *more], ask, entry_turn=entry_turn, attempts=list_unoffered)
    one = yield from _prompt_for_rest(one, texts, translator)
    if not isinstance(one, PartByPart):
        return one
    return (yield from prompt_for_parts(one, translator, attempts=attempts))


def _leave_out_offered(attempts: Sequence[Reply], offered: Sequence[Reply]) -> list[Reply]:
    """Return the replies whose keys no offered reply uses, not even as a beginning; each key
    once."""
    taken = tuple(reply.key for reply in offered if reply.key)
    aliases = {alias for reply in offered for alias in reply.aliases}
    found: dict[str, Reply] = {}
    for one in attempts:
        # Else the offered entry would be taken before this one is typed, or would have to wait.
        if not one.key.startswith(taken) and not any(key.startswith(one.key) for key in taken):
            more = tuple(alias for alias in one.aliases if alias not in aliases and alias not in taken)
            found.setdefault(one.key, one._replace(aliases=more, tone="refused"))
    return [reply for key, reply in found.items() if key not in aliases]


class PartialPick(NamedTuple):
    """A choice of cards whose first key was pressed: `shortcut` says what can follow, `attempts`
    what else may be typed."""

    way: Way
    shortcut: Shortcut
    attempts: tuple[Shortcut, ...] = ()

    def list_replies(self, translator: Translator) -> list[Reply]:
        """Return replies for what can follow."""
        return _build_shortcut_replies(self.way, self.shortcut.then, self.attempts, translator)

    def list_attempts(self, translator: Translator) -> list[Reply]:
        """Return replies for what else may be typed."""
        tried = _build_shortcut_replies(self.way, self.attempts, self.attempts, translator)
        return _leave_out_offered(tried, self.list_replies(translator))


def _prompt_for_rest(
    value: Any, texts: Sequence[MenuText], translator: Translator
) -> Generator[Menu, Any, Any]:
    """Ask further until the cards are complete."""
    while isinstance(value, PartialPick):
        value = yield Menu(
            [*texts, Sentence(translator.translate(value.shortcut.label), "title")],
            value.list_replies(translator),
            translator("plain.parts"),
            attempts=partial(value.list_attempts, translator),
        )
    return value


def _list_likely_replies(way: Way | PartByPart, translator: Translator) -> list[Reply]:
    """Return replies for the usual choices of cards."""
    if isinstance(way, PartByPart) or way.choice.pick is None:
        return []
    return _build_shortcut_replies(way, way.choice.pick.likely, way.choice.pick.attempts, translator)


def _build_shortcut_replies(
    way: Way, shortcuts: Sequence[Shortcut], attempts: Sequence[Shortcut], translator: Translator
) -> list[Reply]:
    """Return the replies for shortcuts; `attempts` of the same key tell what may be typed after
    each, possible or not."""
    then = {one.key: one.then for one in attempts}
    return [_build_shortcut_reply(way, one, translator, then.get(one.key, ())) for one in shortcuts]


def _build_shortcut_reply(
    way: Way, shortcut: Shortcut, translator: Translator, attempts: tuple[Shortcut, ...]
) -> Reply:
    """Return the reply for a shortcut. `attempts`: what may be typed after it, possible or not."""
    words = translator.translate(shortcut.label)
    leads_to = PartialPick(way, shortcut, attempts) if shortcut.then else way.with_cards(shortcut.cards)
    return Reply(shortcut.key, words, leads_to, whose=way.player, aliases=shortcut.aliases)


def _build_way_reply(way: Way | PartByPart, translator: Translator) -> Reply:
    words, whose = _describe_way(way, translator), way.player
    if isinstance(way, PartByPart):
        return Reply(way.key, words, way, whose=whose)
    aliases = way.choice.aliases
    if way.for_all:
        return Reply(way.key, translator("entry.for_all", what=words), way, tone="strong")
    # The label names the player already.
    if way.choice.label.args.get("player") == whose:
        whose = None
    pick = way.choice.pick
    if pick is not None and pick.likely:
        words = _describe_picking(words, pick, translator)
    value = way if pick is None else way.with_cards
    return Reply(way.key, words, value, pick, whose=whose, aliases=aliases)


def _describe_picking(words: str, pick: Pick, translator: Translator) -> str:
    """Add that cards are named one by one, unlike by the shortcuts beside it, if there may be
    several."""
    return translator("entry.one_by_one", what=words) if pick.most > 1 else words


def describe_refusal(refusal: Refusal, translator: Translator) -> str:
    """Return why something is refused, with the clause."""
    return add_clause(translator.translate(refusal.text), refusal.clause)


def add_clause(words: str, clause: str | None) -> str:
    """Return a sentence with the clause that it follows from, if there is one."""
    return f"{words} ({clause})" if clause else words


def _describe_refusal(refusal: Refusal, translator: Translator) -> Sentence:
    return Sentence(describe_refusal(refusal, translator), "bad")


def prompt_for_plan(plan: Plan, translator: Translator, begin: Callable[[Plan], object]) -> Dialogue:
    """Choose the next game, its players and options, starting from `plan`; `begin` receives the
    plan once it is valid."""
    plan, fault = plan.with_changes(game=plan.game or USUAL_GAME), None
    while True:
        game = registry.load_game(plan.game)
        own, ask = Translator(translator.language, game), translator("plain.parts")
        told = (
            [Sentence(translator("setup.title"), "title")]
            if fault is None
            else [Sentence(own.translate(fault), "bad")]
        )
        names = ", ".join(map(translator.display_name, plan.players)) or "–"
        example = TextPrompt(translator("setup.players.example"), most=game.seats[-1] * (LONGEST_NAME + 2))
        rows = [
            Reply("g", translator("of_whom", who=translator("setup.game"), what=own("game.title")), "game"),
            Reply(
                "p",
                translator("of_whom", who=translator("setup.players"), what=names),
                partial(_set_players, plan),
                example,
            ),
            *(
                _build_option_reply(str(number), one, plan, own)
                for number, one in enumerate(describe_options(game), 1)
            ),
            Reply("b", translator("setup.begin"), None, tone="strong"),
        ]
        chosen, fault = (yield Menu(told, rows, ask)), None
        match chosen:
            case "game":
                titles = {
                    one: Translator(translator.language, registry.load_game(one))
                    for one in registry.list_game_ids()
                }
                games = [Reply(str(at), titles[one]("game.title"), one) for at, one in enumerate(titles, 1)]
                # Options belong to one game: another game starts with its defaults.
                plan = plan.with_changes(
                    game=(yield Menu([Sentence(translator("setup.game"))], games, ask)), options={}
                )
            case OptionWords(about=about, values=values):
                effects = [
                    Reply(str(at), own.translate(one.effect), one.value) for at, one in enumerate(values, 1)
                ]
                value = yield Menu(
                    [Sentence(own.translate(about)), Sentence(translate_source(chosen, own), "quiet")],
                    effects,
                    ask,
                )
                plan = _set_option(plan, chosen, (value,))
            case Plan():
                plan = chosen
            case _:
                try:
                    prepare_setup(plan)
                except CannotBegin as why:
                    fault = why.text
                else:
                    begin(plan)
                    return None


def translate_source(option: OptionWords, own: Translator) -> str:
    """Quote the rule sheet's sentence about an option in the reader's language, or say that there
    is none. A game without a translation of it is quoted as it is."""
    words = own.find_words(Text(f"option.{option.name}.sheet")) or option.sheet
    return own.translate(replace(option.source, args={"sheet": words}) if option.sheet else option.source)


def _set_players(plan: Plan, typed: Sequence[str]) -> Plan:
    return plan.with_changes(players=parse_names(typed[0]))


def _set_option(plan: Plan, option: OptionWords, written: Sequence[str]) -> Plan:
    return plan.with_changes(options={**plan.options, option.name: parse_option_value(written[0])})


def _build_option_reply(key: str, option: OptionWords, plan: Plan, own: Translator) -> Reply:
    """Return the reply that changes an option; if its values are not listed, one is typed."""
    holds = plan.options.get(option.name, parse_option_value(option.usual))
    effects = (value.effect for value in option.values if parse_option_value(value.value) == holds)
    words = own("of_whom", who=option.about, what=next(effects, str(holds)))
    if len(option.values) > 1:
        return Reply(key, words, option)
    return Reply(key, words, partial(_set_option, plan, option), TextPrompt(option.usual))


def prompt_for_sharing(sharing: ShareSwitch, translator: Translator) -> Dialogue:
    """List connected people and how others join; show one code, admit or disconnect screens. If
    nothing is shared yet, ask who may join."""
    now = sharing.invitation
    if now is None:
        rows = [
            Reply("1", translator("share.who_here"), False),
            Reply("2", translator("share.who_network"), True),
        ]
        network = yield Menu([Sentence(translator("share.who"))], rows, translator("plain.parts"))
        try:
            sharing.start_sharing(network=network)
        except Problem as problem:
            return problem.text
        return Text("share.opened", {"screens": translate_command("screens", translator)})
    invites = [
        Reply(str(at), _describe_invite(one, translator), one) for at, one in enumerate(now.invites, 1)
    ]
    told = [Sentence(translator("share.sheet")), *map(Sentence, now.remarks)]
    one = yield Menu(
        told, [*invites, Reply("x", translator("share.key.end"), None)], translator("plain.parts")
    )
    # No row was chosen but the key that ends the sharing.
    if one is None:
        sharing.end_sharing()
        return Text("share.ended")
    code = [*draw_qr_code(one.link), one.link]
    if one.letters:
        code.append(translator("share.typed", address=now.address, letters=" ".join(one.letters)))
    waiting = [Reply(letters, translator("share.key.let_in"), letters) for letters in now.waiting_codes]
    renew = Reply("r", translator("share.key.renew"), None)
    letters = yield Menu([*map(Sentence, code)], [*waiting, renew], translator("plain.parts"))
    if letters is None:
        one.send_away()
        return Text("share.is_away", {"who": VerbatimName(one.words)})
    one.let_in(letters)
    return Text("share.is_in", {"letters": VerbatimName(letters)})


def _describe_invite(invite: Invite, translator: Translator) -> str:
    there = describe_connected_pages(invite, translator)
    return translator("of_whom", who=invite.words, what=there) if there else invite.words


def _list_act_rows(live: LiveSession, translator: Translator) -> Iterator[Reply | Sentence]:
    """List the acts by round, with what each round brought."""
    for row, lines in group_log_by_round(live.snapshot()):
        if row is not None:
            title = translator("correct.round", round=str(row.label))
            won = ", ".join(
                f"{translator.display_name(name, 16)} {gain}" for name, gain in row.won.items() if gain != "0"
            )
            yield Sentence(f"{translator('of_whom', who=title, what=won)}." if won else f"{title}.", "title")
        for line in lines:
            words = translator.translate(line.text)
            yield Reply(str(line.act + 1), words, line.act) if line.stands else Sentence(words, "past")


def group_log_by_round(snapshot: Snapshot) -> Iterator[tuple[RoundRow | None, list[LogLine]]]:
    """Group the lines of the log by round, each with its row of the table of rounds (None: before
    the first)."""
    begins = {row.first: row for row in snapshot.rounds if row.label is not None}
    of: RoundRow | None = None
    lines: list[LogLine] = []
    for line in snapshot.log:
        # A struck line comes before its replacement, and must not begin a round twice.
        row = begins.get(line.act) if line.stands else None
        if row is not None:
            if lines:
                yield of, lines
            of, lines = row, []
        lines.append(line)
    if lines:
        yield of, lines


_SEAT_KEYS = "123456789abcdefghijk"
"""A character for each seat, the same number of them for all."""
_NO_SEATS: Mapping[str, str] = {}


def _list_replacements(live: LiveSession, at: int, translator: Translator) -> Iterator[Reply]:
    """List what act `at` could have been; a value shown in another act leads to that act."""
    yield from _list_choice_replies([(None, one) for one in live.list_choices_at(at)], translator)
    yield Reply("-", translator("correct.take_out"), _Replacement(None))
    log = {line.act: line.text for line in live.snapshot().log if line.stands}
    for value, act in live.list_values_shown_elsewhere(at):
        words = translator("correct.go_to", act=act + 1, what=log[act])
        yield Reply(str(value), words, _GoTo(act), tone="quiet")
    before = live.list_choices_before(at)
    # Several players' entries have equal keys, so that of the seat comes first.
    several = len({player for player, _ in before}) > 1
    seats = zip(live.snapshot().people.seats, _SEAT_KEYS, strict=False) if several else ()
    yield from _list_choice_replies(before, translator, insert=True, seat_keys=dict(seats))


def _list_choice_replies(
    choices: Sequence[tuple[str | None, Choice]],
    translator: Translator,
    *,
    insert: bool = False,
    seat_keys: Mapping[str, str] = _NO_SEATS,
) -> Iterator[Reply]:
    """Return replies for choices; those made of parts are grouped. `seat_keys`: each player's
    character, which comes before the keys of their choices."""
    for one in group_by_parts([Way(one.key, who, one) for who, one in choices]):
        way = one if isinstance(one, Way) else one.ways[0]
        words = _describe_way(one, translator)
        # An entry that is inserted may be anybody's, unless its words say whose it is.
        if insert:
            if way.player not in (None, way.choice.label.args.get("player")):
                words = translator("of_whom", who=translator.display_name(way.player), what=words)
            words = translator("correct.insert", what=words)
        key = "i" * insert + seat_keys.get(way.player or "", "") + one.key
        if not isinstance(one, Way):
            yield Reply(key, words, (one, insert))
        elif one.choice.pick is None:
            yield Reply(key, words, _Replacement(one.choice.request, insert))
        else:
            make, likely = one.choice.with_cards, () if insert else _list_likely_replies(one, translator)
            # The keys that entered these cards also correct them.
            yield from likely
            pick = one.choice.pick
            words = _describe_picking(words, pick, translator) if likely else words
            yield Reply(key, words, lambda cards, make=make: _Replacement(make(cards), insert), pick)


def _describe_way(way: Way | PartByPart, translator: Translator) -> str:
    return translator.translate(way.choice.label if isinstance(way, Way) else way.kind.label)


def _prompt_for_replacement(
    texts: Sequence[MenuText], rows: Sequence[Reply], translator: Translator, old: Request | None
) -> Generator[Menu, Any, Any]:
    """Let one of these be chosen, part by part if it has parts."""
    # Keys of several lists meet here, so those that collide get others.
    keys = assign_keys([row.key for row in rows])
    value = yield Menu(texts, [row._replace(key=key) for key, row in zip(keys, rows, strict=True)])
    value = yield from _prompt_for_rest(value, texts, translator)
    if isinstance(value, Way):
        return _Replacement(value.choice.request)
    if isinstance(value, tuple) and isinstance(value[0], PartByPart):
        parts, insert = value
        way = yield from prompt_for_parts(parts, translator, None if insert else parts.find_way(old))
        return _Replacement(way.choice.request, insert)
    return value


def _describe_consequences(draft: Correction, translator: Translator) -> Iterator[Sentence]:
    """Say why an act is asked again, and which acts are dropped."""
    asking = draft.pending_act
    if asking is not None and asking.number is not None and asking.reason is not None:
        yield Sentence(
            translator("correct.again", act=asking.number + 1, old=asking.old, reason=asking.reason.text),
            "warn",
        )
    for fallen in draft.dropped_acts:
        yield Sentence(
            translator("correct.falls", act=fallen.number + 1, old=fallen.text, reason=fallen.reason.text),
            "fallen",
        )


def prompt_for_parts(
    selection: PartByPart,
    translator: Translator,
    old: Way | None = None,
    attempts: Callable[[], Iterable[Way]] = tuple,
) -> Generator[Menu, Any, Way]:
    """Name a choice part by part; `old`, the way that is being corrected, comes first. `attempts`:
    parts that may be typed as well."""
    # Several complete ways differ only in the order of their parts, which is asked last.
    while len(selection.complete_ways) != 1:
        menu = build_parts_menu(selection, translator, old)
        answer = yield menu._replace(attempts=partial(_list_part_attempts, menu, attempts, translator))
        if isinstance(answer, Way):
            return answer
        selection = answer
    return selection.complete_ways[0]


def _list_part_attempts(
    menu: Menu, attempts: Callable[[], Iterable[Way]], translator: Translator
) -> list[Reply]:
    """Return replies for the parts that may be typed although none of these ways has them now."""
    parts = [(way, part) for way in attempts() if way.choice.parts for part in way.choice.parts.parts]
    tried = [Reply(part.key, translator.translate(part.label), way) for way, part in parts]
    return _leave_out_offered(tried, menu.replies)


def build_parts_menu(selection: PartByPart, translator: Translator, old: Way | None = None) -> Menu:
    """Offer the parts that can follow or, once all are named, the orders that make a difference."""
    after: list[tuple[str, Text, Way | PartByPart]]
    after = [("", way.choice.label, way) for way in selection.complete_ways]
    after = after or [(part.key, part.label, selection.add_part(part)) for part in selection.next_parts]
    keys = assign_keys([key for key, *_ in after])
    rows = [
        Reply(key, translator.translate(label), one) for key, (_, label, one) in zip(keys, after, strict=True)
    ]
    # Once a part is named it is a new choice.
    if old is not None and not selection.taken:
        rows.insert(0, Reply("=", translator("parts.as_before", what=old.choice.label), old))
    named = [translator.translate(part.label) for part in selection.taken]
    told = PartsProgress(
        translator.translate(selection.kind.label), selection.used_size, selection.kind.size, named
    )
    return Menu([told], rows, translator("plain.parts"))
