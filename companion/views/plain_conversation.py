"""Any conversation, line by line."""

from __future__ import annotations

from companion.texts import Translator
from companion.views.conversations import (
    AGREE,
    LEAVE,
    BeforeAfter,
    Cards,
    Conversation,
    PartsNamed,
    Reply,
    Saying,
    Told,
)
from companion.views.menu_keys import card_keys
from companion.views.plain_talk import Out, Talk, named
from companion.views.plain_words import YES, meant

BACK = "-"
"""Takes the last answer back, where no reply has this key."""


class InLines:
    """A conversation in lines: a key answers, with the cards that it needs behind it, or with the
    keys of what comes next. An empty line leaves it (`left`: what is said then); among the parts of
    something it leaves that. `about`: what it is about, for who must end it.
    """

    def __init__(
        self,
        conversation: Conversation,
        say: Translator,
        out: Out,
        left: str = "plain.left",
        about: object = None,
    ) -> None:
        self.about = about
        self._now, self._say, self._out, self._left = conversation, say, out, left

    def begin(self) -> Talk | None:
        """Tell the menu that stands there now."""
        menu = self._now.menu
        if menu is None:
            return None
        for told in menu.told:
            for line in self._lines(told):
                self._out(line)
        for row in menu.rows:
            if isinstance(row, Reply) and row.key not in (AGREE, LEAVE):
                cards = "" if row.pick is None else f" ({', '.join(card_keys(row.pick))})"
                self._out(f"{row.key}: {row.words}{cards}")
            elif isinstance(row, Saying) and row.tone != "past":
                self._out(row.words)
        return self._ask()

    def hear(self, words: str) -> Talk | None:
        """Take an answer, or several; what is typed behind the last that fits is said to be
        unfit."""
        if not words:
            return self._leave()
        given = 0
        while words and self._now.menu is not None:
            key, _, rest = words.partition(" ")
            reply = self._reply(key)
            if reply is None and key == BACK and self._now.back():
                given, words = given + 1, rest.strip()
                continue
            cards: Cards = None
            if reply is not None and reply.pick is not None:
                cards, rest = named(reply.pick, rest, self._say), ""
                reply = None if cards is None else reply
            # What is agreed to must have been told.
            if reply is None or (given and reply.key == AGREE):
                self._out(self._say("plain.unfit", typed=words))
                return self.begin() if given else self._ask()
            if not self._now.answer(reply, cards):
                self._out(self._say("share.moved_on"))
                break
            given, words = given + 1, rest.strip()
        return self.begin()

    def _reply(self, key: str) -> Reply | None:
        keys = {key, meant(key, self._say, YES)}
        return (
            next((one for one in self._now.menu.replies if one.key in keys), None) if self._now.menu else None
        )

    def _leave(self) -> Talk | None:
        among_parts = self._among_parts
        while self._among_parts and self._now.back():
            pass
        if among_parts and not self._among_parts:
            return self.begin()
        for_now = self._reply(LEAVE)
        if for_now is None:
            self._out(self._say(self._left))
        else:
            self._now.answer(for_now)
        return None

    @property
    def _among_parts(self) -> bool:
        return self._now.menu is not None and any(isinstance(one, PartsNamed) for one in self._now.menu.told)

    def _ask(self) -> Talk:
        if self._now.menu is not None and self._now.menu.ask:
            self._out(self._now.menu.ask)
        return self

    def _lines(self, told: Told) -> list[str]:
        say = self._say
        match told:
            case BeforeAfter(points):
                return [
                    say(
                        "correct.points",
                        player=say.name(row.player),
                        before=str(row.before),
                        after=str(row.after),
                    )
                    for row in points
                ]
            case PartsNamed(what=what):
                return [say("of_whom", who=what, what=told.left(say))]
            case Saying(words, "question"):
                return [say("banner.question", text=words)]
            case Saying(words, tone):
                return [] if tone == "title" else [words]
