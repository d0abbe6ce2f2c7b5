"""A choice entered part by part in the plain view: a seven pawn by pawn, a line a pawn."""

from __future__ import annotations

from collections.abc import Callable

from companion.texts import Translator
from companion.views.entry import Way
from companion.views.menu_keys import keyed
from companion.views.part_by_part import PartByPart
from companion.views.plain_talk import Out, Talk

BACK = "-"
"""Takes the last part back."""
AS_BEFORE = "="
"""Takes the old way, where one is corrected."""


class NameParts:
    """Parts to be named one after the other: what is named, how much is left, what can follow.

    `then` gets the whole way and returns what hears the next line. `old`: the way that is being
    corrected, offered first.
    """

    def __init__(
        self,
        now: PartByPart,
        then: Callable[[Way], Talk | None],
        say: Translator,
        out: Out,
        old: Way | None = None,
    ) -> None:
        self._now = now
        self._then = then
        self._say = say
        self._out = out
        self._old = old

    def begin(self) -> Talk:
        """Say what is named, how much is left, and each part that can follow, with its key."""
        now, say = self._now, self._say
        left = now.kind.size - now.used
        used = say("parts.used", done=str(now.used), size=str(now.kind.size), left=str(left))
        self._out(say("of_whom", who=say.say(now.kind.label), what=used))
        if self._old is not None and not now.taken:
            before = say("parts.as_before", what=say.say(self._old.choice.label))
            self._out(f"{AS_BEFORE}: {before}")
        for key, one in self._offered().items():
            label = one.choice.label if isinstance(one, Way) else one.taken[-1].label
            self._out(f"{key}: {say.say(label)}")
        self._out(say("plain.parts"))
        return self

    def hear(self, words: str) -> Talk | None:
        """Take one part or several, or take the last back; an empty line leaves it."""
        if not words:
            self._out(self._say("plain.left"))
            return None
        for word in words.split():
            if word == AS_BEFORE and self._old is not None:
                return self._then(self._old)
            after = self._now.back() if word == BACK else self._offered().get(word)
            if after is None:
                self._out(self._say("plain.unfit", typed=word))
                break
            if isinstance(after, Way):
                return self._then(after)
            self._now = after
            if len(after.whole) == 1:
                return self._then(after.whole[0])
        return self.begin()

    def _offered(self) -> dict[str, PartByPart | Way]:
        """List what can follow by its key; named in full, the orders that make a difference."""
        whole = self._now.whole
        if whole:
            return dict(zip(keyed([""] * len(whole)), whole, strict=True))
        following = self._now.following
        keys = keyed([part.key for part in following])
        return {key: self._now.and_then(part) for key, part in zip(keys, following, strict=True)}
