"""Any conversation, line by line."""

from __future__ import annotations

from collections.abc import Callable

from companion.rules.contract import Pick, Refusal, Text
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
    Shorter,
    Standing,
    Told,
    Typed,
)
from companion.views.entry import card_keys
from companion.views.plain_words import meant, word

BACK = "-"
"""Takes the last answer back, where no reply has this key."""


class InLines:
    """A conversation in lines: a key answers, with the cards that it needs behind it, or with the
    keys of what comes next. An empty line leaves it (`left`: what is said then); among the parts of
    something it leaves that. `about`: what it is about, for who must end it. `tells`: what comes of
    it is told here; else it is news for everybody.
    """

    def __init__(
        self,
        conversation: Conversation,
        say: Translator,
        out: Callable[[str], object],
        left: str = "plain.left",
        about: object = None,
        *,
        tells: bool = False,
    ) -> None:
        self.about, self._tells = about, tells
        self._now, self._say, self._out, self._left = conversation, say, out, left
        self._needs: Reply | None = None
        """The answer for which cards or words are asked."""

    def begin(self) -> InLines | None:
        """Tell the menu that stands there now; return what hears the next line, None where nothing
        waits for one."""
        menu = self._now.menu
        if menu is None:
            return None
        for told in menu.told:
            for line in self._lines(told):
                self._out(line)
        for row in menu.rows:
            if isinstance(row, Reply) and row.key not in (AGREE, LEAVE):
                words = row.words if row.whose is None else self._of(self._say.name(row.whose), row.words)
                self._out(f"{word(row.typed, self._say) if row.typed else row.key}: {words}")
            elif isinstance(row, Saying) and row.tone != "past":
                self._out(row.words)
        if menu.standing is None:
            return self._ask()
        self._tell_standing(menu.standing, nothing=not menu.rows)
        return None

    def hear(self, words: str) -> InLines | None:
        """Take an answer, or several; what is typed behind the last that fits is said to be
        unfit."""
        if not words:
            return self._leave()
        given = 0
        while words and self._now.menu is not None:
            reply, rest = self._needs, words
            if reply is None:
                reply, rest = self.begun(words)
            if reply is None and words.partition(" ")[0] == BACK and self._now.back():
                given, words = given + 1, rest
                continue
            cards: Cards = None
            if reply is not None and reply.pick is not None:
                self._needs = reply
                if not rest:
                    return self._ask_for(reply.words, reply.pick)
                cards = named(reply.pick, rest, self._say)
                if cards is None:
                    self._out(self._say("plain.unfit", typed=rest))
                    return self._ask_for(reply.words, reply.pick)
                rest = ""
            # What is agreed to must have been told.
            if reply is None or (given and reply.key == AGREE):
                self._out(self._say("plain.unfit", typed=words))
                return self.begin() if given else self._ask()
            self._needs = None
            if not self._now.answer(reply, cards):
                self._out(self._say("share.moved_on"))
                break
            given, words = given + 1, rest
        if isinstance(self._now.outcome, Refusal):  # told with what is new at the table
            self._now.again(())
            return self._ask() if self._modal else None
        if isinstance(self._now.outcome, Text) and self._tells:
            self._out(self._say.say(self._now.outcome))
        return self.begin()

    def takes(self, words: str) -> bool:
        """Tell whether these words answer what is asked, or may: cards, or what is typed freely."""
        return self._needs is not None or self.begun(words)[0] is not None

    def begun(self, words: str) -> tuple[Reply | None, str]:
        """Return what the first of these words answers, or its first keys where more follow, and
        what is left: `2 7` or `27`."""
        key, _, rest = words.partition(" ")
        reply = self.reply(key)
        if reply is None and self._now.menu is not None:
            shorter = (one for one in self._now.menu.replies if isinstance(one.value, Shorter))
            reply = next((one for one in shorter if key.startswith(one.key)), None)
            rest = rest if reply is None else words[len(reply.key) :]
        return reply, rest.strip()

    def as_cards(self, words: str) -> str | None:
        """Return the line that names these cards where none of what is usually meant has them, as
        those that are too low: the rule's refusal says why. A value alone is as many as are asked
        for, where it is so among the usual ones. None where they are no such cards."""
        replies = [] if self._now.menu is None else self._now.menu.replies
        for one in replies:
            if isinstance(one.pick, Pick) and one.pick.least == one.pick.most:
                usual = {shortcut.key for shortcut in one.pick.likely} & {*card_keys(one.pick)}
                cards = words if " " in words else " ".join([words] * one.pick.least)
                if usual and named(one.pick, cards, self._say) is not None:
                    return f"{one.key} {cards}"
        return None

    def reply(self, key: str) -> Reply | None:
        """Return what this key answers now, or this word, in the player's language or English. Of
        letters that a screen shows (`KDQX`) capitals make no difference; of single ones they do."""
        replies = [] if self._now.menu is None else self._now.menu.replies
        for one in replies:
            if one.key == key or (one.typed and meant(key, self._say, (one.typed,)) == one.typed):
                return one
        alike = [one for one in replies if len(key) > 1 and one.key.casefold() == key.casefold()]
        return alike[0] if len(alike) == 1 else None

    def _leave(self) -> InLines | None:
        needed, self._needs = self._needs, None
        among_parts = self._among_parts
        while self._among_parts and self._now.back():
            pass
        if self._modal and (needed is not None or (among_parts and not self._among_parts)):
            return self.begin()
        for_now = self.reply(LEAVE)
        if for_now is None:
            self._out(self._say(self._left))
        else:
            self._now.answer(for_now)
        return None

    @property
    def _modal(self) -> bool:
        return self._now.menu is not None and self._now.menu.standing is None

    @property
    def _among_parts(self) -> bool:
        return self._now.menu is not None and any(isinstance(one, PartsNamed) for one in self._now.menu.told)

    def _ask(self) -> InLines:
        if self._now.menu is not None and self._now.menu.ask:
            self._out(self._now.menu.ask)
        return self

    def _ask_for(self, what: str, pick: Pick | Typed) -> InLines:
        """Say which cards can be named, and by which keys; or what is to be typed."""
        say = self._say
        if isinstance(pick, Typed):
            self._out(say("of_whom", who=what, what=pick.ask))
            return self
        cards = ", ".join(
            f"{key} {say(f'card.{name}')}" for key, (name, _) in zip(card_keys(pick), pick.cards, strict=True)
        )
        code = "plain.pick" if pick.least < pick.most else "plain.pick_exactly"
        self._out(say(code, what=what, least=pick.least, most=pick.most, cards=cards))
        return self

    def _tell_standing(self, standing: Standing, *, nothing: bool) -> None:
        if nothing:
            self._out(self._say("choose.nothing"))
        if standing.others:
            names = [f"{standing.seats.index(name) + 1} {self._say.name(name)}" for name in standing.others]
            self._out(self._say("plain.others", players=tuple(names)))

    def _of(self, who: str, what: str) -> str:
        return self._say("of_whom", who=who, what=what)

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
                return [self._of(what, told.left(say))]
            case Saying(words, "question"):
                return [say("banner.question", text=words)]
            case Saying(words, tone):
                return [] if tone == "title" else [words]


def named(pick: Pick | Typed, words: str, say: Translator) -> tuple[str, ...] | None:
    """Read cards typed by keys or names, or words; None when they are not what the pick asks
    for."""
    if isinstance(pick, Typed):
        return (words,) if pick.fits((words,)) else None
    known: dict[str, str] = {}
    for key, (name, _) in zip(card_keys(pick), pick.cards, strict=True):
        known |= dict.fromkeys((say(f"card.{name}").casefold(), name, key), name)
    cards = tuple(known.get(word.casefold(), "") for word in words.split())
    return cards if pick.fits(cards) else None
