"""A question to the table in the plain view: its text and its answers are told at once."""

from __future__ import annotations

from companion.live.snapshot import Question
from companion.texts import Translator
from companion.views.entry import Way
from companion.views.host import Host
from companion.views.menu_keys import keyed
from companion.views.part_by_part import PartByPart, gathered
from companion.views.plain_parts import NameParts
from companion.views.plain_talk import Out, Talk


class Answer:
    """A key answers the question, an empty line puts it aside. Answers that are made of parts (a
    seven) are one entry, named part by part."""

    def __init__(self, host: Host, question: Question, say: Translator, out: Out) -> None:
        self.question = question
        self._host = host
        self._say = say
        self._out = out
        keys = keyed([choice.key for choice in question.choices])
        self._ways = [Way(key, None, choice) for key, choice in zip(keys, question.choices, strict=True)]
        self._offered = {one.key: one for one in gathered(self._ways)}
        self._naming: Talk | None = None
        self._begin()

    def hear(self, words: str) -> Talk | None:
        """Answer, or put the question aside; an empty line among the parts goes back to the
        question."""
        if self._naming is not None:
            return self._part(self._naming, words)
        if not words:
            self._host.answer(self.question.id, None)
            return None
        key, _, rest = words.partition(" ")
        one = self._offered.get(key if rest else words)
        if isinstance(one, PartByPart):
            self._naming = NameParts(one, self._answered, self._say, self._out)
            return self._part(self._naming, rest.strip()) if rest else self._named(self._naming.begin())
        if one is None or rest:
            self._out(self._say("plain.unknown", typed=words))
            return self
        self._answered(one)
        return None

    def _begin(self) -> None:
        self._out(self._say("banner.question", text=self.question.text))
        for key, one in self._offered.items():
            label = one.choice.label if isinstance(one, Way) else one.kind.label
            self._out(f"{key}: {self._say.say(label)}")
        self._out(self._say("plain.answer"))

    def _part(self, naming: Talk, words: str) -> Talk | None:
        if not words:
            self._naming = None
            self._begin()
            return self
        return self._named(naming.hear(words))

    def _named(self, naming: Talk | None) -> Talk | None:
        """Stay while the answer is named: a question is dropped with its card."""
        self._naming = naming
        return None if naming is None else self

    def _answered(self, way: Way) -> None:
        self._host.answer(self.question.id, self._ways.index(way))
