"""A correction in the plain view: which act, what it should have been, what is asked again, and the
points before it is made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from companion.live.correcting import Correction
from companion.live.scores import RoundRow
from companion.rules.contract import Choice, Request
from companion.texts import Translator
from companion.views.entry import Way
from companion.views.host import Host
from companion.views.menu_keys import card_keys, keyed
from companion.views.part_by_part import PartByPart, gathered_choices
from companion.views.plain_parts import NameParts
from companion.views.plain_talk import Out, Talk, named
from companion.views.plain_words import YES, meant, word
from companion.views.rounds_of_acts import rounds_of_acts


class _Offered(NamedTuple):
    """One answer of a correction: its key, the choice (None: take it out), its words; whether it
    comes before the act, or leads to one."""

    key: str
    choice: Choice | None
    words: str
    insert: bool = False
    leads_to: int | None = None
    parts: PartByPart | None = None


class Correct:
    """A correction: which act, what it should have been, what is asked again, and the points before
    it is made."""

    def __init__(self, host: Host, say: Translator, out: Out) -> None:
        self._host = host
        self._say = say
        self._out = out
        self._at = -1
        self._offered: dict[str, _Offered] = {}
        self._old: Request | None = None
        """What the act that is corrected, or asked again, was."""
        self._draft: Correction | None = None

    def begin(self) -> Talk:
        """List the acts that stand, by rounds, with what each round brought."""
        for row, lines in rounds_of_acts(self._host.snapshot()):
            if row is not None:
                self._out(self._round(row))
            for line in lines:
                if line.stands:
                    self._out(f"{line.act + 1}: {self._say.say(line.text)}")
        self._out(self._say("plain.correct.which"))
        return self

    def _round(self, row: RoundRow) -> str:
        title = self._say("correct.round", round=str(row.label))
        won = ", ".join(f"{self._say.name(name)} {gain}" for name, gain in row.won.items() if gain != "0")
        return f"{self._say('of_whom', who=title, what=won)}." if won else f"{title}."

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
        if words.partition(" ")[0] in self._sevens:
            return self._by_parts(words)
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
        instead = self._rows([(None, one) for one in self._host.choices_at(self._at)])
        before = self._rows(self._host.choices_before(self._at), insert=True)
        self._old = self._host.request_at(self._at)
        told = {line.act: line.text for line in standing}
        ways = [
            _Offered(str(value), None, self._say("correct.go_to", act=act + 1, what=told[act]), leads_to=act)
            for value, act in self._host.shown_elsewhere(self._at)
        ]
        self._offer([_Offered("-", None, self._say("correct.take_out")), *instead, *ways, *before])
        return self

    def _rows(self, choices: Sequence[tuple[str | None, Choice]], *, insert: bool = False) -> list[_Offered]:
        """List choices as answers; those that are made of parts together."""
        found: list[_Offered] = []
        for one in gathered_choices(choices):
            parts = one if isinstance(one, PartByPart) else None
            choice = one.choice if isinstance(one, Way) else None
            words = self._say.say(one.choice.label if isinstance(one, Way) else one.kind.label)
            who = one.player if isinstance(one, Way) else one.ways[0].player
            if insert:
                words = self._inserted(who, words)
            found.append(_Offered("i" * insert + one.key, choice, words, insert, parts=parts))
        return found

    def _by_parts(self, words: str) -> Talk | None:
        """Let one part after the other be named; the old way comes first where one is corrected."""
        key, _, rest = words.partition(" ")
        parts, insert, draft = self._sevens[key], self._offered[key].insert, self._draft

        def then(way: Way) -> Talk | None:
            request = way.choice.request
            return self._drafted(request, insert) if draft is None else self._answered(draft, request)

        old = None if insert else parts.of(self._old)
        naming = NameParts(parts, then, self._say, self._out, old)
        return naming.hear(rest.strip()) if rest.strip() else naming.begin()

    @property
    def _sevens(self) -> dict[str, PartByPart]:
        return {key: one.parts for key, one in self._offered.items() if one.parts is not None}

    def _inserted(self, who: str | None, words: str) -> str:
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
        if meant(words, self._say, YES) not in YES:
            self._out(self._say("plain.correct.sure", yes=word("yes", self._say)))
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
            self._out(self._say("plain.correct.sure", yes=word("yes", self._say)))
            return self
        self._old = draft.asking.request
        again = self._rows([(None, one) for one in draft.asking.choices])
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
