"""Conversations with one live session, whatever draws them: each is a generator that yields a
`Menu`, is sent the value of the reply that was chosen, and returns why its end was refused, if it
was. Nothing is drawn or typed here.

To go a step back a `Conversation` begins the generator anew and gives all answers but the last;
therefore nothing happens to the session before the last answer.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from companion.live.correcting import Correction, Points
from companion.live.snapshot import Question
from companion.rules.contract import Choice, Pick, Refusal, Request, Text
from companion.texts import Translator
from companion.views.entry import Way
from companion.views.host import Host
from companion.views.menu_keys import keyed
from companion.views.part_by_part import PartByPart, gathered, gathered_choices
from companion.views.plain_words import word
from companion.views.rounds_of_acts import rounds_of_acts

AGREE, LEAVE = "yes", ""
"""The keys of the reply that lets everything happen, and of the one that leaves it for now: each
view has its own words or keys for them."""


class Saying(NamedTuple):
    """A sentence, and how it is meant. A `title` says nothing to who reads line by line that the
    lines below it do not say; `past` is what no longer stands."""

    words: str
    tone: Literal["", "title", "question", "warn", "bad", "fallen", "quiet", "past"] = ""


class BeforeAfter(NamedTuple):
    """Everybody's points before and after, in the order of the seats."""

    points: Sequence[Points]


class PartsNamed(NamedTuple):
    """What is named part by part: how much of its size is used, and the parts so far."""

    what: str
    used: int
    size: int
    parts: Sequence[str]

    def left(self, say: Translator) -> str:
        """Say how much is left."""
        return say("parts.used", done=str(self.used), size=str(self.size), left=str(self.size - self.used))


Told: TypeAlias = Saying | BeforeAfter | PartsNamed
Cards: TypeAlias = tuple[str, ...] | None


class Reply(NamedTuple):
    """One answer that can be given: its key, its words, and what is sent back for it."""

    key: str
    words: str
    value: Any
    pick: Pick | None = None
    """Cards that are to be named for it: then `value` is called with them."""
    tone: Literal["", "quiet"] = ""

    def is_like(self, other: Reply) -> bool:
        """Tell whether it is the same to who reads it."""
        return (self.key, self.words) == (other.key, other.words)


class Menu(NamedTuple):
    """What is told and can be answered."""

    told: Sequence[Told]
    rows: Sequence[Reply | Saying]
    """Replies; a saying among them is a heading, or stands there only to be read."""
    ask: str = ""
    """What to type, for who reads line by line."""
    long: bool = False
    """Whether the rows are many: looked through rather than typed, and seen until the end."""

    @property
    def replies(self) -> list[Reply]:
        """The replies alone."""
        return [row for row in self.rows if isinstance(row, Reply)]


Dialogue: TypeAlias = Generator[Menu, Any, Refusal | None]


class Answered(NamedTuple):
    """A menu, and what was answered to it."""

    menu: Menu
    reply: Reply
    cards: Cards


class Conversation:
    """One conversation as it goes to and fro. `menu` is None once it is over; then `refusal` says
    why nothing has come of it.

    `begin` begins the generator; `stamp` returns something that changes when the table does.
    """

    def __init__(self, begin: Callable[[], Dialogue], stamp: Callable[[], object] = lambda: None) -> None:
        self._begin, self._stamp = begin, stamp
        self.refusal: Refusal | None = None
        self.again(())

    def answer(self, reply: Reply, cards: Cards = None) -> bool:
        """Give this answer to the menu that stands there; False if the table has gone on, and what
        stands there now is another: then nothing is answered, and the answers before hold as far as
        they are offered still."""
        assert self.menu is not None
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
        """Return the reply that is the same, if it is offered now."""
        replies = [] if self.menu is None else self.menu.replies
        return next((reply for reply in replies if reply.is_like(wanted)), None)

    def again(self, answers: Sequence[Answered]) -> None:
        """Begin anew with these answers, as far as they are offered still."""
        self._talk, self._began = self._begin(), self._stamp()
        self.answers: list[Answered] = []
        self._go_on(None)
        for _, wanted, cards in answers:
            reply = self.offered(wanted)
            if reply is None:
                return
            self.answer(reply, cards)

    def back(self) -> bool:
        """Take the last answer back; False where there is none."""
        given = bool(self.answers)
        self.again(self.answers[:-1])
        return given

    def back_to_list(self) -> bool:
        """Go back to the last long menu; False where none was answered."""
        at = max((at for at, one in enumerate(self.answers) if one.menu.long), default=None)
        if at is not None:
            self.again(self.answers[:at])
        return at is not None

    def _go_on(self, value: Any) -> None:
        self.menu: Menu | None
        try:
            self.menu = self._talk.send(value)
        except StopIteration as end:
            self.menu, self.refusal = None, end.value


class _GoTo(NamedTuple):
    act: int


class _Instead(NamedTuple):
    """What an act should have been (None: nothing), or what comes before it."""

    request: Request | None
    insert: bool = False


def put_right(host: Host, say: Translator, by: str) -> Dialogue:
    """Let `by`, who has no keys of the table, take the last step back, take that back, or correct
    any act."""
    snapshot = host.snapshot()
    ways: list[tuple[bool, str]] = [
        (snapshot.can_undo, "undo"),
        (snapshot.can_redo, "redo"),
        (len(snapshot.log) > 0, "correct"),
    ]
    rows = [Reply(way, say(f"key.{way}"), way) for there, way in ways if there]
    told = Saying(say("correct.nothing") if snapshot.last is None else say.say(snapshot.last), "quiet")
    way = yield Menu([told], rows)
    if way == "correct":
        return (yield from correct(host, say, by))
    return host.undo(by) if way == "undo" else host.redo(by)


def correct(host: Host, say: Translator, by: str | None = None) -> Dialogue:
    """Put an act right: which, what it should have been, what is asked again, then the points
    before and after. `by`: see `Host.apply`."""
    title = Saying(say("correct.which"), "title")
    at = yield Menu([title], [*_acts(host, say)], say("plain.correct.which"), long=True)
    wrong: list[Saying] = []
    while True:
        title = Saying(say("correct.title", act=at + 1), "title")
        answer = yield from _chosen([*wrong, title], [*_instead(host, at, say)], say, host.request_at(at))
        if isinstance(answer, _GoTo):
            at, wrong = answer.act, []
            continue
        draft = host.correction(at, answer.request, insert=answer.insert)
        if draft.refusal is None:
            break
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
    yes = Reply(AGREE, say("correct.make"), None)
    yield Menu(changed, [yes], say("plain.correct.sure", yes=word(AGREE, say)))
    return host.apply(draft, by)


def answer(host: Host, question: Question, say: Translator) -> Dialogue:
    """Answer a question to the table, or leave it for now."""
    keys = keyed([choice.key for choice in question.choices])
    ways = [Way(key, None, choice) for key, choice in zip(keys, question.choices, strict=True)]
    rows = [Reply(one.key, _words(one, say), one) for one in gathered(ways)]
    rows.append(Reply(LEAVE, say("question.later"), None))
    meant = yield Menu([Saying(say.say(question.text), "question")], rows, say("plain.answer"))
    if isinstance(meant, PartByPart):
        meant = yield from by_parts(meant, say)
    host.answer(question.id, None if meant is None else ways.index(meant))
    return None


def _refused(refusal: Refusal, say: Translator) -> Saying:
    return Saying(say.say(refusal.text), "bad")


def _acts(host: Host, say: Translator) -> Iterator[Reply | Saying]:
    """List the acts under their rounds, with what each round brought."""
    for row, lines in rounds_of_acts(host.snapshot()):
        if row is not None:
            title = say("correct.round", round=str(row.label))
            won = ", ".join(f"{say.name(name, 16)} {gain}" for name, gain in row.won.items() if gain != "0")
            yield Saying(f"{say('of_whom', who=title, what=won)}." if won else f"{title}.", "title")
        for line in lines:
            words = say.say(line.text)
            yield Reply(str(line.act + 1), words, line.act) if line.stands else Saying(words, "past")


def _instead(host: Host, at: int, say: Translator) -> Iterator[Reply]:
    """List what act `at` could have been; a value shown elsewhere leads there."""
    yield from _choices([(None, one) for one in host.choices_at(at)], say)
    yield Reply("-", say("correct.take_out"), _Instead(None))
    log = {line.act: line.text for line in host.snapshot().log if line.stands}
    for value, act in host.shown_elsewhere(at):
        words = say("correct.go_to", act=act + 1, what=log[act])
        yield Reply(str(value), words, _GoTo(act), tone="quiet")
    yield from _choices(host.choices_before(at), say, insert=True)


def _choices(
    choices: Sequence[tuple[str | None, Choice]], say: Translator, *, insert: bool = False
) -> Iterator[Reply]:
    """List choices as replies; those that are made of parts together."""
    for one in gathered_choices(choices):
        way = one if isinstance(one, Way) else one.ways[0]
        words = _words(one, say)
        if insert:
            words = say("of_whom", who=say.name(way.player), what=words) if way.player else words
            words = say("correct.insert", what=words)
        key = "i" * insert + one.key
        if not isinstance(one, Way):
            yield Reply(key, words, (one, insert))
        elif one.choice.pick is None:
            yield Reply(key, words, _Instead(one.choice.request, insert))
        else:
            make = one.choice.with_cards
            yield Reply(key, words, lambda cards, make=make: _Instead(make(cards), insert), one.choice.pick)


def _words(one: Way | PartByPart, say: Translator) -> str:
    return say.say(one.choice.label if isinstance(one, Way) else one.kind.label)


def _chosen(
    told: Sequence[Told], rows: Sequence[Reply], say: Translator, old: Request | None
) -> Generator[Menu, Any, Any]:
    """Let one of these be chosen, part by part where it has parts."""
    keys = keyed([row.key for row in rows])
    value = yield Menu(told, [row._replace(key=key) for key, row in zip(keys, rows, strict=True)])
    if isinstance(value, tuple) and isinstance(value[0], PartByPart):
        parts, insert = value
        way = yield from by_parts(parts, say, None if insert else parts.of(old))
        return _Instead(way.choice.request, insert)
    return value


def _changes(draft: Correction, say: Translator) -> Iterator[Saying]:
    """Say why something is asked again, and what falls away."""
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
    """Name a choice part by part; `old`, the way that is corrected, comes first."""
    while len(now.whole) != 1:
        answer = yield parts_menu(now, say, old)
        if isinstance(answer, Way):
            return answer
        now = answer
    return now.whole[0]


def parts_menu(now: PartByPart, say: Translator, old: Way | None = None) -> Menu:
    """Offer what can follow; or, named in full, the orders that make a difference."""
    after: list[tuple[str, Text, Way | PartByPart]]
    after = [("", way.choice.label, way) for way in now.whole]
    after = after or [(part.key, part.label, now.and_then(part)) for part in now.following]
    keys = keyed([key for key, *_ in after])
    rows = [Reply(key, say.say(label), one) for key, (_, label, one) in zip(keys, after, strict=True)]
    if old is not None and not now.taken:
        rows.insert(0, Reply("=", say("parts.as_before", what=old.choice.label), old))
    named = [say.say(part.label) for part in now.taken]
    told = PartsNamed(say.say(now.kind.label), now.used, now.kind.size, named)
    return Menu([told], rows, say("plain.parts"))
