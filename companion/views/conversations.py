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

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

from msgspec.structs import replace

from companion.journal.narration import Line
from companion.live.correcting import Correction, Points
from companion.live.live import Live
from companion.live.snapshot import RoundRow, ShownQuestion, Snapshot
from companion.plan import USUAL_GAME, CannotBegin, Plan, named_in, option_value, set_up
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
from companion.rules.options import OptionWords, in_words
from companion.rules.people import NAMED, AsIs, Deed, Seated, words_for_menu
from companion.texts import Translator
from companion.views.entry import PartByPart, Way, awaited, entry, gathered, keyed, make, ways_of
from companion.views.evening import Backstage, Invite, ShareSwitch, here, qr
from companion.views.plain_words import word

AGREE, LEAVE = "yes", ""
"""Keys of the reply that confirms, and of the one that postpones: each view has its own words or
keys for them."""


class Saying(NamedTuple):
    """A sentence and its kind.

    A `title` is left out line by line, since the lines below repeat what it says; `past` marks what
    no longer holds.
    """

    words: str
    tone: Literal["", "title", "question", "warn", "bad", "done", "fallen", "quiet", "past"] = ""


class BeforeAfter(NamedTuple):
    """Everybody's points before and after, in the order of the seats."""

    points: Sequence[Points]


class PartsNamed(NamedTuple):
    """A choice named part by part: how much of its size is used, and the parts so far."""

    what: str
    used: int
    size: int
    parts: Sequence[str]

    def left(self, say: Translator) -> str:
        """Return in words how much is left."""
        return say("parts.used", done=str(self.used), size=str(self.size), left=str(self.size - self.used))


Told: TypeAlias = Saying | BeforeAfter | PartsNamed
Cards: TypeAlias = tuple[str, ...] | None


class Typed(NamedTuple):
    """Free text that an answer needs: what to type, and its maximum length."""

    ask: str
    most: int = LONGEST_NAME

    def fits(self, given: Sequence[str]) -> bool:
        """Return whether `given` is one line, and not too long."""
        return len(given) == 1 and len(given[0]) <= self.most


class Reply(NamedTuple):
    """One possible answer: its key, its words, and the value that is sent back for it."""

    key: str
    words: str
    value: Any
    pick: Pick | Typed | None = None
    """Cards or text that must be given with it; `value` is then called with them."""
    tone: Literal["", "quiet", "strong"] = ""
    whose: str | None = None
    """The player it belongs to, added when read line by line; None if the words say so."""
    typed: str = ""
    """English word that is typed in place of the key, line by line."""
    seat: int = 0
    """Seat whose mark is shown before it (from 1; 0: none)."""

    def is_like(self, other: Reply) -> bool:
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


class Standing(NamedTuple):
    """Context of a menu of entries that stays open whether or not it is answered: whose it is
    (None: the table's), who else is awaited, and the session's `seats`."""

    player: str | None
    others: tuple[str, ...]
    seats: tuple[str, ...]


class Menu(NamedTuple):
    """What is said, and what can be answered."""

    told: Sequence[Told]
    rows: Sequence[Reply | Saying]
    """Replies; a saying among them is a heading or a line that is only read."""
    ask: str = ""
    """What to type, shown line by line."""
    long: bool = False
    """Whether there are many rows: they are searched rather than typed, and stay visible until the
    end."""
    standing: Standing | None = None

    @property
    def replies(self) -> list[Reply]:
        """The rows that are replies."""
        return [row for row in self.rows if isinstance(row, Reply)]

    def is_like(self, other: Menu) -> bool:
        """Return whether its keys mean the same to the reader."""
        mine, its = self.replies, other.replies
        same = self.told == other.told and len(mine) == len(its)
        return same and all(a.is_like(b) and a.pick == b.pick for a, b in zip(mine, its, strict=True))


Outcome: TypeAlias = Refusal | Text | None
Dialogue: TypeAlias = Generator[Menu, Any, Outcome]


class Answered(NamedTuple):
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
        self.again(())

    def answer(self, reply: Reply, cards: Cards = None) -> bool:
        """Give this answer to the current menu; return False if the table has changed so that the
        menu is another.

        In that case nothing is answered, and the earlier answers are kept as far as they are still
        offered.
        """
        assert self.menu is not None
        # The table has changed: repeat the conversation, and accept the answer only if it still
        # means the same.
        if self._stamp() != self._began:
            seen = self.menu.told
            self.again(self.answers)
            same = self.offered(reply)
            if self.menu.told != seen or same is None:
                return False
            reply = same
        self.answers.append(Answered(self.menu, reply, cards))
        self._go_on(reply.value if cards is None else reply.value(cards))
        return True

    def offered(self, wanted: Reply) -> Reply | None:
        """Return the current reply that is the same as `wanted`, if there is one."""
        replies = [] if self.menu is None else self.menu.replies
        return next((reply for reply in replies if reply.is_like(wanted)), None)

    def again(self, answers: Sequence[Answered]) -> None:
        """Start again with these answers, as far as they are still offered."""
        self._talk, self._began = self._begin(), self._stamp()
        self.answers: list[Answered] = []
        self._go_on(None)
        for _, wanted, cards in answers:
            reply = self.offered(wanted)
            if reply is None:
                return
            self.answer(reply, cards)

    def back(self) -> bool:
        """Take back the last answer; return False if there is none."""
        given = bool(self.answers)
        self.again(self.answers[:-1])
        return given

    def back_to_list(self) -> bool:
        """Go back to the last long menu, else to the beginning; return False if nothing was
        answered or a long menu is shown already."""
        if self.menu is not None and self.menu.long:
            return False
        given = bool(self.answers)
        self.again(
            self.answers[: max((at for at, one in enumerate(self.answers) if one.menu.long), default=0)]
        )
        return given

    def _go_on(self, value: Any) -> None:
        self.menu: Menu | None
        try:
            self.menu = self._talk.send(value)
        except StopIteration as end:
            self.menu, self.outcome = None, end.value


class _GoTo(NamedTuple):
    act: int


class _Instead(NamedTuple):
    """The request that replaces an act (None: nothing), or that is inserted before it."""

    request: Request | None
    insert: bool = False


def entering(live: Live, backstage: Backstage, player: str | None, say: Translator) -> Dialogue:
    """Enter what can be entered now for `player`; None: for the first awaited player."""
    now = entry(live, backstage, player)
    standing = Standing(now.player, now.others, live.snapshot().people.seats)
    way = yield from _one_of([], now.ways, say, standing=standing)
    return make(live, backstage, way)


def own_seat(live: Live, player: str, say: Translator) -> Dialogue:
    """Enter on a phone what belongs to `player`, or to the table, where anybody may enter it.

    A decision that others must not know before they have decided is sealed, and can be taken back
    until then.
    """
    decided, apart = live.snapshot().decided, live.decides_apart(player)
    sealed = player in decided
    told = [Saying(say("share.sealed" if sealed else "share.apart"), "quiet")] if apart else []
    if sealed:
        told += _waits_for([one for one in awaited(live.snapshot()) if one not in decided], say)
        yield Menu(told, [Reply("1", say("share.take_back"), None)])
        live.take_back(player)
        return None
    # Without the table's own entries (the next donkey, an offer turned up) a game would stand still
    # as soon as nobody is at the laptop.
    ways = [*ways_of(None, live.choices(None)), *ways_of(player, live.choices(player))]
    way = yield from _one_of(told, ways, say)
    return live.seal(way.choice.request)


class OwnAct(NamedTuple):
    """A player's last entry in this round: its number and words, and whether it can be taken back,
    because nothing followed or only the same decisions of others."""

    act: int
    text: Text
    open: bool


LOOKED_BACK = 40
"""Number of log lines in which a player's last entry of the round is searched."""


def own_act(live: Live, player: str) -> OwnAct | None:
    """Return what this player entered last in this round; None if there was nothing."""
    snapshot, acts = live.snapshot(), live.acts()
    first = snapshot.rounds[-1].first if snapshot.rounds else 0
    for line in reversed([one for one in snapshot.log[-LOOKED_BACK:] if one.stands]):
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
            return OwnAct(line.act, line.text, beside and _falls_alone(live, line.act))
    return None


def _falls_alone(live: Live, at: int) -> bool:
    """Return whether act `at` can be removed without asking for or dropping anything else."""
    draft = live.correction(at, None)
    return draft.refusal is None and draft.asking is None and not draft.fallen


def withdraw(live: Live, player: str, say: Translator) -> Dialogue:
    """Take back what `player` entered last, while others have only made the same decision since."""
    own = own_act(live, player)
    if own is None or not own.open:
        return None
    told = [Saying(say.say(own.text)), *_waits_for(awaited(live.snapshot()), say)]
    yield Menu(told, [Reply("1", say("share.take_back"), None)])
    # The last act is undone, so that redo works; an earlier one must be corrected.
    if own.act == len(live.acts()) - 1:
        return live.undo(player)
    return live.apply(live.correction(own.act, None), player)


def _waits_for(players: Sequence[str], say: Translator) -> list[Saying]:
    """Describe who has not decided yet."""
    names = tuple(say.name(one) for one in players)
    return [Saying(say("share.waits", players=names), "quiet")] if names else []


def people(live: Live, say: Translator, pronounce: Callable[[str, str], object] | None = None) -> Dialogue:
    """Correct a name, or let somebody stand in, join or leave. `pronounce`: stores how a name is
    pronounced, if there is a voice."""
    now = live.snapshot().people
    say = say.calling(now.shown)
    name = Typed(say("people.name"))
    seats = [_seat(number, player, now.order, say) for number, player in enumerate(now.seats, 1)]
    join = words_for_menu("join", say("people.somebody"))
    joining = Reply(
        DEED_KEYS["join"], say.say(join), lambda given: Seated("join", "", *given), name, typed="join"
    )
    rename = word("rename", say)
    ask = say("plain.people", before="2 ", rename=rename)
    wanted = yield Menu([Saying(say("people.title"), "title")], [*seats, joining], ask)
    themselves = say.calling(now.right)  # the person of the seat comes and goes, not their stand-in
    if isinstance(wanted, str):
        player = wanted
        # With Eve in Bob's place the rows must say that Bob comes back or leaves.
        deeds = [_deed(deed, player, name, themselves) for deed in now.possible(player)]
        if pronounce is not None:
            words = say("people.say_name", player=say.name(player))
            deeds.append(Reply("v", words, lambda given: pronounce(say.name(player), *given), name))
        ask = say("plain.people", before="", rename=rename)
        wanted = yield Menu([Saying(say.name(player), "title")], deeds, ask)
    if not isinstance(wanted, Seated):
        return None
    if wanted.deed in ("swap", "exchange"):
        there = now.order if wanted.deed == "swap" else now.seats
        others = [row for row in seats if row.value != wanted.seat and row.value in there]
        title = say(f"people.{wanted.deed}_with", player=themselves.name(wanted.seat))
        wanted = replace(wanted, name=(yield Menu([Saying(title, "title")], others, say("plain.parts"))))
    refusal = live.seat(wanted)
    return refusal or live.snapshot().people.told[-1].text


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


def _seat(number: int, player: str, order: Sequence[str], say: Translator) -> Reply:
    going = "" if player in order else f"   {say('people.goes')}"
    return Reply(str(number), say.name(player, 40) + going, player, seat=number)


def _deed(deed: Deed, player: str, name: Typed, say: Translator) -> Reply:
    words = say.say(words_for_menu(deed, say.name(player)))
    if deed in NAMED:
        return Reply(DEED_KEYS[deed], words, lambda given: Seated(deed, player, *given), name, typed=deed)
    return Reply(DEED_KEYS[deed], words, Seated(deed, player), typed=deed)


def put_right(live: Live, say: Translator, by: str) -> Dialogue:
    """Let `by`, who does not have the table's keys, undo, redo or correct."""
    snapshot = live.snapshot()
    ways: list[tuple[bool, str]] = [
        (snapshot.can_undo, "undo"),
        (snapshot.can_redo, "redo"),
        (len(snapshot.log) > 0, "correct"),
    ]
    rows = [Reply(way, say(f"key.{way}"), way) for there, way in ways if there]
    told = Saying(say("correct.nothing") if snapshot.last is None else say.say(snapshot.last), "quiet")
    way = yield Menu([told], rows)
    if way == "correct":
        return (yield from correct(live, say, by))
    return live.undo(by) if way == "undo" else live.redo(by)


def correct(live: Live, say: Translator, by: str | None = None) -> Dialogue:
    """Correct an act: which one, what it should have been, what must be asked again, then the
    points before and after. `by`: see `Live.apply`."""
    title = Saying(say("correct.which"), "title")
    at = yield Menu([title], [*_acts(live, say)], say("plain.correct.which"), long=True)
    wrong: list[Saying] = []
    while True:
        title = Saying(say("correct.title", act=at + 1), "title")
        answer = yield from _chosen([*wrong, title], [*_instead(live, at, say)], say, live.request_at(at))
        # The value was shown in another act, which must be corrected first.
        if isinstance(answer, _GoTo):
            at, wrong = answer.act, []
            continue
        draft = live.correction(at, answer.request, insert=answer.insert)
        if draft.refusal is None:
            break
        # Shown above the same menu, so that something else can be chosen.
        wrong = [_refused(draft.refusal, say)]
    while draft.asking is not None:
        rows = [*_choices([(None, one) for one in draft.asking.choices], say)]
        rows.append(Reply("-", say("correct.leave_out"), _Instead(None)))
        told = [*_changes(draft, say), Saying(say.say(draft.asking.awaited), "warn"), *wrong]
        answer = yield from _chosen(told, rows, say, draft.asking.request)
        refusal = draft.answer(answer.request)
        wrong = [] if refusal is None else [_refused(refusal, say)]
    changed: list[Told] = [
        *_changes(draft, say),
        Saying(say("correct.before_after"), "title"),
        BeforeAfter(draft.points()),
    ]
    yes = Reply(AGREE, say("correct.make"), None, typed=AGREE)
    yield Menu(changed, [yes], say("plain.correct.sure", yes=word(AGREE, say)))
    return live.apply(draft, by)


def answer(live: Live, question: ShownQuestion, say: Translator) -> Dialogue:
    """Answer a question to the table, or postpone it."""
    ways = ways_of(None, question.choices)
    later = Reply(LEAVE, say("question.later"), None)
    told = Saying(say.say(question.text), "question")
    meant = yield from _one_of([told], ways, say, (later,), say("plain.answer"))
    live.answer(question.id, None if meant is None else ways.index(meant))
    return None


def _one_of(
    told: Sequence[Told],
    ways: Sequence[Way],
    say: Translator,
    more: Sequence[Reply] = (),
    ask: str = "",
    standing: Standing | None = None,
) -> Generator[Menu, Any, Any]:
    """Let one of these ways be chosen, with its cards or part by part, or one of `more`."""
    rows = [row for one in gathered(ways) for row in (*_likely(one, say), _offered(one, say))]
    one = yield Menu(told, [*rows, *more], ask, standing=standing)
    one = yield from _shorter(one, told, say)
    return (yield from by_parts(one, say)) if isinstance(one, PartByPart) else one


class Shorter(NamedTuple):
    """A choice of cards whose first key was pressed: `named` says what can follow."""

    way: Way
    named: Shortcut

    def rows(self, say: Translator) -> list[Reply]:
        """Return replies for what can follow."""
        return [_shortcut(self.way, one, say) for one in self.named.then]


def _shorter(one: Any, told: Sequence[Told], say: Translator) -> Generator[Menu, Any, Any]:
    """Ask further until the cards are complete."""
    while isinstance(one, Shorter):
        one = yield Menu(
            [*told, Saying(say.say(one.named.label), "title")], one.rows(say), say("plain.parts")
        )
    return one


def _likely(one: Way | PartByPart, say: Translator) -> list[Reply]:
    """Return replies for the usual choices of cards."""
    if isinstance(one, PartByPart) or one.choice.pick is None:
        return []
    return [_shortcut(one, shortcut, say) for shortcut in one.choice.pick.likely]


def _shortcut(way: Way, one: Shortcut, say: Translator) -> Reply:
    leads_to = Shorter(way, one) if one.then else way.with_cards(one.cards)
    return Reply(one.key, say.say(one.label), leads_to, whose=way.player)


def _offered(one: Way | PartByPart, say: Translator) -> Reply:
    words, whose = _words(one, say), one.player
    if isinstance(one, PartByPart):
        return Reply(one.key, words, one, whose=whose)
    if one.for_all:
        return Reply(one.key, say("entry.for_all", what=words), one, tone="strong")
    # The label names the player already.
    if one.choice.label.args.get("player") == whose:
        whose = None
    pick = one.choice.pick
    if pick is not None and pick.likely:
        words = say("entry.one_by_one", what=words)
    return Reply(one.key, words, one if pick is None else one.with_cards, pick, whose=whose)


def _refused(refusal: Refusal, say: Translator) -> Saying:
    return Saying(say.say(refusal.text), "bad")


def planning(plan: Plan, say: Translator, begin: Callable[[Plan], object]) -> Dialogue:
    """Choose the next game, its players and options, starting from `plan`; `begin` receives the
    plan once it is valid."""
    plan, fault = plan.but(game=plan.game or USUAL_GAME), None
    while True:
        game = registry.load(plan.game)
        own, ask = Translator(say.language, game), say("plain.parts")
        told = [Saying(say("setup.title"), "title")] if fault is None else [Saying(own.say(fault), "bad")]
        names = ", ".join(map(say.name, plan.players)) or "–"
        example = Typed(say("setup.players.example"), most=game.seats[-1] * (LONGEST_NAME + 2))
        rows = [
            Reply("g", say("of_whom", who=say("setup.game"), what=own("game.title")), "game"),
            Reply(
                "p", say("of_whom", who=say("setup.players"), what=names), partial(_seating, plan), example
            ),
            *(_ruling(str(number), one, plan, own) for number, one in enumerate(in_words(game), 1)),
            Reply("b", say("setup.begin"), None, tone="strong"),
        ]
        chosen, fault = (yield Menu(told, rows, ask)), None
        match chosen:
            case "game":
                titles = {one: Translator(say.language, registry.load(one)) for one in registry.game_ids()}
                games = [Reply(str(at), titles[one]("game.title"), one) for at, one in enumerate(titles, 1)]
                # Options belong to one game: another game starts with its defaults.
                plan = plan.but(game=(yield Menu([Saying(say("setup.game"))], games, ask)), options={})
            case OptionWords(about=about, values=values, sheet=sheet):
                source = say("option.sheet", sheet=sheet) if sheet else say("option.silent")
                effects = [Reply(str(at), own.say(one.effect), one.value) for at, one in enumerate(values, 1)]
                value = yield Menu([Saying(own.say(about)), Saying(source, "quiet")], effects, ask)
                plan = _ruled(plan, chosen, (value,))
            case Plan():
                plan = chosen
            case _:
                try:
                    set_up(plan)
                except CannotBegin as why:
                    fault = why.text
                else:
                    begin(plan)
                    return None


def _seating(plan: Plan, typed: Sequence[str]) -> Plan:
    return plan.but(players=named_in(typed[0]))


def _ruled(plan: Plan, one: OptionWords, written: Sequence[str]) -> Plan:
    return plan.but(options={**plan.options, one.name: option_value(written[0])})


def _ruling(key: str, one: OptionWords, plan: Plan, own: Translator) -> Reply:
    """Return the reply that changes an option; if its values are not listed, one is typed."""
    holds = plan.options.get(one.name, option_value(one.usual))
    effects = (value.effect for value in one.values if option_value(value.value) == holds)
    words = own("of_whom", who=one.about, what=next(effects, str(holds)))
    if len(one.values) > 1:
        return Reply(key, words, one)
    return Reply(key, words, partial(_ruled, plan, one), Typed(one.usual))


def joining(sharing: ShareSwitch, say: Translator) -> Dialogue:
    """List connected people and how others join; show one code, admit or disconnect screens. If
    nothing is shared yet, ask who may join."""
    now = sharing.invitation
    if now is None:
        rows = [Reply("1", say("share.who_here"), False), Reply("2", say("share.who_network"), True)]
        network = yield Menu([Saying(say("share.who"))], rows, say("plain.parts"))
        try:
            sharing.open(network=network)
        except Problem as problem:
            return problem.text
        return Text("share.opened", {"screens": word("screens", say)})
    invites = [Reply(str(at), _invited(one, say), one) for at, one in enumerate(now.invites, 1)]
    told = [Saying(say("share.sheet")), *map(Saying, now.remarks)]
    one = yield Menu(told, [*invites, Reply("x", say("share.key.end"), None)], say("plain.parts"))
    # No row was chosen but the key that ends the sharing.
    if one is None:
        sharing.end()
        return Text("share.ended")
    code = [*qr(one.link), one.link]
    if one.letters:
        code.append(say("share.typed", address=now.address, letters=" ".join(one.letters)))
    waiting = [Reply(letters, say("share.key.let_in"), letters) for letters in now.knocking]
    renew = Reply("r", say("share.key.renew"), None)
    letters = yield Menu([*map(Saying, code)], [*waiting, renew], say("plain.parts"))
    if letters is None:
        one.send_away()
        return Text("share.is_away", {"who": AsIs(one.words)})
    one.let_in(letters)
    return Text("share.is_in", {"letters": AsIs(letters)})


def _invited(one: Invite, say: Translator) -> str:
    there = here(one, say)
    return say("of_whom", who=one.words, what=there) if there else one.words


def _acts(live: Live, say: Translator) -> Iterator[Reply | Saying]:
    """List the acts by round, with what each round brought."""
    for row, lines in rounds_of_acts(live.snapshot()):
        if row is not None:
            title = say("correct.round", round=str(row.label))
            won = ", ".join(f"{say.name(name, 16)} {gain}" for name, gain in row.won.items() if gain != "0")
            yield Saying(f"{say('of_whom', who=title, what=won)}." if won else f"{title}.", "title")
        for line in lines:
            words = say.say(line.text)
            yield Reply(str(line.act + 1), words, line.act) if line.stands else Saying(words, "past")


def rounds_of_acts(snapshot: Snapshot) -> Iterator[tuple[RoundRow | None, list[Line]]]:
    """Group the lines of the log by round, each with its row of the table of rounds (None: before
    the first)."""
    begins = {row.first: row for row in snapshot.rounds if row.label is not None}
    of: RoundRow | None = None
    lines: list[Line] = []
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


def _instead(live: Live, at: int, say: Translator) -> Iterator[Reply]:
    """List what act `at` could have been; a value shown in another act leads to that act."""
    yield from _choices([(None, one) for one in live.choices_at(at)], say)
    yield Reply("-", say("correct.take_out"), _Instead(None))
    log = {line.act: line.text for line in live.snapshot().log if line.stands}
    for value, act in live.shown_elsewhere(at):
        words = say("correct.go_to", act=act + 1, what=log[act])
        yield Reply(str(value), words, _GoTo(act), tone="quiet")
    yield from _choices(live.choices_before(at), say, insert=True)


def _choices(
    choices: Sequence[tuple[str | None, Choice]], say: Translator, *, insert: bool = False
) -> Iterator[Reply]:
    """Return replies for choices; those made of parts are grouped."""
    for one in gathered([Way(one.key, who, one) for who, one in choices]):
        way = one if isinstance(one, Way) else one.ways[0]
        words = _words(one, say)
        # An entry that is inserted may be anybody's, unless its words say whose it is.
        if insert:
            if way.player not in (None, way.choice.label.args.get("player")):
                words = say("of_whom", who=say.name(way.player), what=words)
            words = say("correct.insert", what=words)
        key = "i" * insert + one.key
        if not isinstance(one, Way):
            yield Reply(key, words, (one, insert))
        elif one.choice.pick is None:
            yield Reply(key, words, _Instead(one.choice.request, insert))
        else:
            make, likely = one.choice.with_cards, () if insert else _likely(one, say)
            # The keys that entered these cards also correct them.
            yield from likely
            words = say("entry.one_by_one", what=words) if likely else words
            yield Reply(key, words, lambda cards, make=make: _Instead(make(cards), insert), one.choice.pick)


def _words(one: Way | PartByPart, say: Translator) -> str:
    return say.say(one.choice.label if isinstance(one, Way) else one.kind.label)


def _chosen(
    told: Sequence[Told], rows: Sequence[Reply], say: Translator, old: Request | None
) -> Generator[Menu, Any, Any]:
    """Let one of these be chosen, part by part if it has parts."""
    # Keys of several lists meet here, so those that collide get others.
    keys = keyed([row.key for row in rows])
    value = yield Menu(told, [row._replace(key=key) for key, row in zip(keys, rows, strict=True)])
    value = yield from _shorter(value, told, say)
    if isinstance(value, Way):
        return _Instead(value.choice.request)
    if isinstance(value, tuple) and isinstance(value[0], PartByPart):
        parts, insert = value
        way = yield from by_parts(parts, say, None if insert else parts.of(old))
        return _Instead(way.choice.request, insert)
    return value


def _changes(draft: Correction, say: Translator) -> Iterator[Saying]:
    """Say why an act is asked again, and which acts are dropped."""
    asking = draft.asking
    if asking is not None and asking.number is not None and asking.reason is not None:
        yield Saying(
            say("correct.again", act=asking.number + 1, old=asking.old, reason=asking.reason.text), "warn"
        )
    for fallen in draft.fallen:
        yield Saying(
            say("correct.falls", act=fallen.number + 1, old=fallen.text, reason=fallen.reason.text), "fallen"
        )


def by_parts(now: PartByPart, say: Translator, old: Way | None = None) -> Generator[Menu, Any, Way]:
    """Name a choice part by part; `old`, the way that is being corrected, comes first."""
    # Several complete ways differ only in the order of their parts, which is asked last.
    while len(now.whole) != 1:
        answer = yield parts_menu(now, say, old)
        if isinstance(answer, Way):
            return answer
        now = answer
    return now.whole[0]


def parts_menu(now: PartByPart, say: Translator, old: Way | None = None) -> Menu:
    """Offer the parts that can follow or, once all are named, the orders that make a difference."""
    after: list[tuple[str, Text, Way | PartByPart]]
    after = [("", way.choice.label, way) for way in now.whole]
    after = after or [(part.key, part.label, now.and_then(part)) for part in now.following]
    keys = keyed([key for key, *_ in after])
    rows = [Reply(key, say.say(label), one) for key, (_, label, one) in zip(keys, after, strict=True)]
    # Once a part is named it is a new choice.
    if old is not None and not now.taken:
        rows.insert(0, Reply("=", say("parts.as_before", what=old.choice.label), old))
    named = [say.say(part.label) for part in now.taken]
    told = PartsNamed(say.say(now.kind.label), now.used, now.kind.size, named)
    return Menu([told], rows, say("plain.parts"))
