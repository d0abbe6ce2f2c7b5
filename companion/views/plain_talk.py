"""The plain view's conversations of several lines: an answer, cards to name, a correction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

from companion.live.correcting import Correction
from companion.live.snapshot import Question
from companion.rules.contract import Choice, Pick, Request
from companion.texts import Translator
from companion.views.entry import Way
from companion.views.host import Host
from companion.views.menu_keys import card_keys, keyed

Out = Callable[[str], object]


class Talk(Protocol):
    """What is typed goes to a talk until it is over."""

    def hear(self, words: str) -> Talk | None:
        """Take one line; return what hears the next one, None when the talk is over."""


class _Offered(NamedTuple):
    """One answer of a correction: its key, the choice (None: take it out), its words; whether it
    comes before the act, or leads to one."""

    key: str
    choice: Choice | None
    words: str
    insert: bool = False
    leads_to: int | None = None


class Answer:
    """A question to the table: its text and its answers are told at once, a key answers it, an
    empty line puts it aside."""

    def __init__(self, host: Host, question: Question, say: Translator, out: Out) -> None:
        self.question = question
        self._host = host
        self._say = say
        self._out = out
        self._keys = keyed([choice.key for choice in question.choices])
        out(say("banner.question", text=question.text))
        for key, choice in zip(self._keys, question.choices, strict=True):
            out(f"{key}: {say.say(choice.label)}")
        out(say("plain.answer"))

    def hear(self, words: str) -> Talk | None:
        """Answer, or put the question aside."""
        if words and words not in self._keys:
            self._out(self._say("plain.unknown", typed=words))
            return self
        self._host.answer(self.question.id, self._keys.index(words) if words else None)
        return None


class PickCards:
    """Cards to be named for a choice: by their keys or their names, with spaces between them."""

    def __init__(self, way: Way, submit: Callable[[Request], object], say: Translator, out: Out) -> None:
        assert way.choice.pick is not None
        self._choice = way.choice
        self._pick: Pick = way.choice.pick
        self._submit = submit
        self._say = say
        self._out = out
        self._keys = card_keys(self._pick)

    def begin(self) -> Talk:
        """Say which cards can be named, and by which keys."""
        cards = ", ".join(
            f"{key} {self._say(f'card.{name}')}"
            for key, (name, _) in zip(self._keys, self._pick.cards, strict=True)
        )
        what = self._say.say(self._choice.label)
        self._out(
            self._say("plain.pick", what=what, least=self._pick.least, most=self._pick.most, cards=cards)
        )
        return self

    def hear(self, words: str) -> Talk | None:
        """Hand the cards over, or say what is wrong; an empty line leaves it."""
        if not words:
            self._out(self._say("plain.left"))
            return None
        cards = named(self._pick, words, self._say)
        if cards is None:
            self._out(self._say("plain.unfit", typed=words))
            return self.begin()
        self._submit(self._choice.with_cards(cards))
        return None


def named(pick: Pick, words: str, say: Translator) -> tuple[str, ...] | None:
    """Read cards typed by keys or names; None when they are not what the pick asks for."""
    known: dict[str, str] = {}
    for key, (name, _) in zip(card_keys(pick), pick.cards, strict=True):
        known |= dict.fromkeys((say(f"card.{name}").casefold(), name, key), name)
    cards = [known.get(word.casefold(), "") for word in words.split()]
    copies = dict(pick.cards)
    there = all(cards.count(card) <= copies.get(card, 0) for card in cards)
    return tuple(cards) if there and pick.least <= len(cards) <= pick.most else None


class Correct:
    """A correction: which act, what it should have been, what is asked again, and the points before
    it is made."""

    def __init__(self, host: Host, say: Translator, out: Out) -> None:
        self._host = host
        self._say = say
        self._out = out
        self._at = -1
        self._offered: dict[str, _Offered] = {}
        self._draft: Correction | None = None

    def begin(self) -> Talk:
        """List the acts that stand."""
        for line in self._host.snapshot().log:
            if line.stands:
                self._out(f"{line.act + 1}: {self._say.say(line.text)}")
        self._out(self._say("plain.correct.which"))
        return self

    def hear(self, words: str) -> Talk | None:
        """Take the next answer; an empty line leaves everything as it is."""
        if not words:
            self._out(self._say("plain.correct.left"))
            return None
        if self._at < 0:
            return self._chosen(words)
        draft = self._draft
        if draft is not None and draft.asking is None:
            return self._made(draft, words)
        leads_to = self._offered[words].leads_to if words in self._offered else None
        if leads_to is not None:
            return self._chosen(str(leads_to + 1))
        found = self._read(words)
        if found is None:
            self._out(self._say("plain.unfit", typed=words))
            return self
        return self._drafted(*found) if draft is None else self._answered(draft, found[0])

    def _chosen(self, words: str) -> Talk:
        standing = [line for line in self._host.snapshot().log if line.stands]
        if not words.isdecimal() or not 1 <= int(words[:6]) <= len(standing):
            self._out(self._say("plain.unfit", typed=words))
            return self
        self._at = int(words[:6]) - 1
        instead = [
            _Offered(one.key, one, self._say.say(one.label)) for one in self._host.choices_at(self._at)
        ]
        before = [
            _Offered("i" + one.key, one, self._inserted(who, one), insert=True)
            for who, one in self._host.choices_before(self._at)
        ]
        told = {line.act: line.text for line in standing}
        ways = [
            _Offered(str(value), None, self._say("correct.go_to", act=act + 1, what=told[act]), leads_to=act)
            for value, act in self._host.shown_elsewhere(self._at)
        ]
        self._offer([_Offered("-", None, self._say("correct.take_out")), *instead, *ways, *before])
        return self

    def _inserted(self, who: str | None, choice: Choice) -> str:
        words = self._say.say(choice.label)
        what = self._say("of_whom", who=self._say.name(who), what=words) if who else words
        return self._say("correct.insert", what=what)

    def _offer(self, offered: Sequence[_Offered]) -> None:
        keys = keyed([one.key for one in offered])
        self._offered = dict(zip(keys, offered, strict=True))
        for key, one in self._offered.items():
            pick = one.choice.pick if one.choice is not None else None
            cards = "" if pick is None else f" ({', '.join(card_keys(pick))})"
            self._out(f"{key}: {one.words}{cards}")

    def _read(self, words: str) -> tuple[Request | None, bool] | None:
        """Return the request that was typed, and whether it is inserted; None when it is none of
        those offered."""
        key, _, rest = words.partition(" ")
        offered = self._offered.get(key)
        if offered is None:
            return None
        choice = offered.choice
        if choice is None or choice.pick is None:
            return (None if choice is None else choice.request), offered.insert
        cards = named(choice.pick, rest, self._say)
        return None if cards is None else (choice.with_cards(cards), offered.insert)

    def _drafted(self, request: Request | None, insert: bool) -> Talk | None:
        draft = self._host.correction(self._at, request, insert=insert)
        if draft.refusal is not None:
            self._out(self._say.say(draft.refusal.text))
            self._out(self._say("plain.correct.left"))
            return None
        self._draft = draft
        return self._next(draft)

    def _made(self, draft: Correction, words: str) -> Talk | None:
        if words != "yes":
            self._out(self._say("plain.correct.sure"))
            return self
        self._host.apply(draft)
        return None

    def _answered(self, draft: Correction, request: Request | None) -> Talk:
        refusal = draft.answer(request)
        if refusal is not None:
            self._out(self._say.say(refusal.text))
            return self
        return self._next(draft)

    def _next(self, draft: Correction) -> Talk:
        """Ask what must be asked again, or say what the correction changes."""
        for line in told(draft, self._say):
            self._out(line)
        if draft.asking is None:
            self._out(self._say("plain.correct.sure"))
            return self
        again = [_Offered(one.key, one, self._say.say(one.label)) for one in draft.asking.choices]
        self._offer([*again, _Offered("-", None, self._say("correct.leave_out"))])
        return self


def told(draft: Correction, say: Translator) -> Iterator[str]:
    """Say what is asked again and why, or, when all is clear, what falls away and the points before
    and after."""
    asking = draft.asking
    if asking is not None:
        if asking.number is not None and asking.old is not None and asking.reason is not None:
            yield say("correct.again", act=asking.number + 1, old=asking.old, reason=asking.reason.text)
        yield say.say(asking.awaited)
        return
    for fallen in draft.fallen:
        yield say("correct.falls", act=fallen.number + 1, old=fallen.text, reason=fallen.reason.text)
    for row in draft.points():
        yield say("correct.points", player=say.name(row.player), before=str(row.before), after=str(row.after))
