"""Run any conversation line by line."""

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
"""Takes back the last answer, unless a reply has this key."""


class InLines:
    """A conversation in lines. A key answers, followed by the cards it needs or by the keys for the
    next menus. An empty line leaves the conversation (`left`: the message then); within a choice
    made of parts it leaves only that.

    `about`: the subject, for the caller who must end it. `tells`: its outcome is printed here;
    otherwise it appears with the news of the table.
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
        """The answer for which cards or text are being asked."""

    def begin(self) -> InLines | None:
        """Print the current menu; return the object that handles the next line, None if no answer
        is expected."""
        menu = self._now.menu
        if menu is None:
            return None
        for told in menu.told:
            for line in self._lines(told):
                self._out(line)
        for row in menu.rows:
            # These two are named by the line that asks (`menu.ask`).
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
        """Handle an answer, or several; whatever follows the last one that fits is reported as
        unfit."""
        if not words:
            return self._leave()
        given = 0
        while words and self._now.menu is not None:
            reply, rest = self._needs, words
            if reply is None:
                reply, rest = self.begun(words)
            # A minus may be the key of a reply; only otherwise it goes back.
            if reply is None and words.partition(" ")[0] == BACK and self._now.back():
                given, words = given + 1, rest
                continue
            cards: Cards = None
            if reply is not None and reply.pick is not None:
                # Kept until cards or words come that fit: the next line answers this reply.
                self._needs = reply
                if not rest:
                    return self._ask_for(reply.words, reply.pick)
                cards = named(reply.pick, rest, self._say)
                if cards is None:
                    self._out(self._say("plain.unfit", typed=rest))
                    return self._ask_for(reply.words, reply.pick)
                rest = ""
            # A confirmation counts only if its text was printed before.
            if reply is None or (given and reply.key == AGREE):
                self._out(self._say("plain.unfit", typed=words))
                return self.begin() if given else self._ask()
            self._needs = None
            if not self._now.answer(reply, cards):
                self._out(self._say("share.moved_on"))
                break
            given, words = given + 1, rest
        if isinstance(self._now.outcome, Refusal):  # printed with the news of the table
            self._now.again(())
            return self._ask() if self._modal else None
        if isinstance(self._now.outcome, Text) and self._tells:
            self._out(self._say.say(self._now.outcome))
        return self.begin()

    def takes(self, words: str) -> bool:
        """Return whether these words answer the menu, or may: as cards or free text."""
        return self._needs is not None or self.begun(words)[0] is not None

    def begun(self, words: str) -> tuple[Reply | None, str]:
        """Return the reply for the first word, or for its first characters if more keys follow in
        it (`2 7` or `27`), and the rest."""
        key, _, rest = words.partition(" ")
        reply = self.reply(key)
        if reply is None and self._now.menu is not None:
            shorter = (one for one in self._now.menu.replies if isinstance(one.value, Shorter))
            reply = next((one for one in shorter if key.startswith(one.key)), None)
            rest = rest if reply is None else words[len(reply.key) :]
        return reply, rest.strip()

    def as_cards(self, words: str) -> str | None:
        """Return the line that names these cards, if they are not among the usual choices (too low,
        for instance): the refusal then explains the rule.

        A single value stands for as many cards as are asked for, if it is a usual choice there.
        None if these are not cards.
        """
        replies = [] if self._now.menu is None else self._now.menu.replies
        for one in replies:
            if isinstance(one.pick, Pick) and one.pick.least == one.pick.most:
                usual = {shortcut.key for shortcut in one.pick.likely} & {*card_keys(one.pick)}
                cards = words if " " in words else " ".join([words] * one.pick.least)
                # Only where a value is among the usual keys a value alone means as many cards as
                # are asked for.
                if usual and named(one.pick, cards, self._say) is not None:
                    return f"{one.key} {cards}"
        return None

    def reply(self, key: str) -> Reply | None:
        """Return the reply for this key, or this word in the player's language or in English. In
        keys of several letters (`KDQX`) case is ignored, in single letters it counts."""
        replies = [] if self._now.menu is None else self._now.menu.replies
        for one in replies:
            if one.key == key or (one.typed and meant(key, self._say, (one.typed,)) == one.typed):
                return one
        # Letters that a television shows are capitals; single keys differ by case.
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
        """Print which cards can be named, and by which keys; or what is to be typed."""
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
    """Parse cards typed by keys or names, or free text; None if they do not fit the pick."""
    if isinstance(pick, Typed):
        return (words,) if pick.fits((words,)) else None
    known: dict[str, str] = {}
    for key, (name, _) in zip(card_keys(pick), pick.cards, strict=True):
        known |= dict.fromkeys((say(f"card.{name}").casefold(), name, key), name)
    cards = tuple(known.get(word.casefold(), "") for word in words.split())
    return cards if pick.fits(cards) else None
