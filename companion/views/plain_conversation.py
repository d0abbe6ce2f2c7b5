"""Run any conversation line by line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from string import ascii_letters

from companion.rules.contract import Pick, Refusal, Text
from companion.texts import Translator, format_score
from companion.views.conversations import (
    AGREE_KEY,
    LEAVE_KEY,
    Cards,
    Conversation,
    EntryTurn,
    MenuText,
    PartialPick,
    PartsProgress,
    PointsBeforeAfter,
    Reply,
    Sentence,
    TextPrompt,
    describe_refusal,
)
from companion.views.entry_options import list_card_keys, match_key
from companion.views.plain_words import translate_command, translate_to_english_command

BACK_KEY = "-"
"""Takes back the last answer, unless a reply has this key."""


class PlainConversation:
    """A conversation in lines. A key answers, followed by the cards it needs or by the keys for the
    next menus. An empty line leaves the conversation (`describe_remaining`: the message then);
    within a choice made of parts it leaves only that.

    `about`: the subject, for the caller who must end it. `tells`: its outcome is printed here;
    otherwise it appears with the news of the table.
    """

    def __init__(
        self,
        conversation: Conversation,
        translator: Translator,
        out: Callable[[str], object],
        left: str = "plain.left",
        about: object = None,
        *,
        tells: bool = False,
    ) -> None:
        self.about, self._tells = about, tells
        self._now, self._translator, self._out, self._left = conversation, translator, out, left
        self._needs: Reply | None = None
        """The answer for which cards or text are being asked."""

    def print_menu(self) -> PlainConversation | None:
        """Print the current menu; return the object that handles the next line, None if no answer
        is expected."""
        menu = self._now.menu
        if menu is None:
            return None
        for told in menu.texts:
            for line in self._format_text(told):
                self._out(line)
        # Entries in a long list are all different: from the ends of a range nobody could tell the
        # one between.
        for rows in [[row] for row in menu.rows] if menu.long else _group_ranges(menu.rows):
            row = rows[0]
            # These two are named by the line that asks (`menu.ask`).
            if isinstance(row, Reply) and row.key not in (AGREE_KEY, LEAVE_KEY):
                last = rows[-1]
                # Numbers by the dozen are one line: nobody listens to each of them.
                self._out(
                    f"{self._format_key(row)}: {self._format_words(row)}"
                    if not isinstance(last, Reply) or last is row
                    else self._translator(
                        "plain.range",
                        first=row.key,
                        last=last.key,
                        low=self._format_words(row),
                        high=self._format_words(last),
                    )
                )
            elif isinstance(row, Sentence) and row.tone != "past":
                self._out(row.words)
        if menu.entry_turn is None:
            return self._print_prompt()
        self._print_entry_turn(menu.entry_turn, nothing=not menu.rows)
        return None

    def _format_key(self, row: Reply) -> str:
        return translate_command(row.typed, self._translator) if row.typed else row.key

    def _format_words(self, row: Reply) -> str:
        if row.whose is None:
            return row.words
        return self._format_owned(self._translator.display_name(row.whose), row.words)

    def handle_line(self, words: str) -> PlainConversation | None:
        """Handle an answer, or several; whatever follows the last one that fits is reported as
        unfit."""
        if not words:
            return self._leave_menu()
        given = 0
        while words and self._now.menu is not None:
            reply, rest = self._find_answered_reply(words)
            # A minus may be the key of a reply; only otherwise it goes back.
            if reply is None and words.partition(" ")[0] == BACK_KEY and self._now.take_back_answer():
                given, words = given + 1, rest
                continue
            cards: Cards = None
            if reply is not None and reply.pick is not None:
                # Kept until cards or words come that fit: the next line answers this reply.
                self._needs = reply
                if not rest:
                    return self._prompt_for_pick(reply.words, reply.pick)
                cards = parse_pick(reply.pick, rest, self._translator)
                if cards is None:
                    self.print_unfit(self._translator("plain.unfit", typed=rest))
                    return self._prompt_for_pick(reply.words, reply.pick)
                rest = ""
            # A confirmation counts only if its text was printed before.
            if reply is None or (given and reply.key == AGREE_KEY):
                self.print_unfit(self._translator("plain.unfit", typed=words))
                return self.print_menu() if given else self._print_prompt()
            self._needs = None
            if not self._now.give_answer(reply, cards):
                self._out(self._translator("share.moved_on"))
                break
            given, words = given + 1, rest
        if isinstance(self._now.outcome, Refusal):
            # Each time: the same refusal twice is no news of the table.
            self._out(describe_refusal(self._now.outcome, self._translator))
            self._now.restart(())
            return self._print_prompt() if self._is_modal else None
        if isinstance(self._now.outcome, Text) and self._tells:
            self._out(self._translator.translate(self._now.outcome))
        return self.print_menu()

    def _find_answered_reply(self, words: str) -> tuple[Reply | None, str]:
        """Return the reply that these words answer, and the rest of them. After cards that fit
        nothing the whole answer may be typed again, or another one."""
        by_key = self.parse_reply(words)
        if self._needs is not None and (by_key[0] is None or self._fits_needed(words)):
            return self._needs, words
        return by_key

    def print_unfit(self, words: str) -> None:
        """Print that what was typed means nothing here, and what is awaited."""
        awaited = "" if self._now.menu is None else self._now.menu.awaited
        self._out(f"{words} {awaited}".strip())

    def accepts_line(self, words: str) -> bool:
        """Return whether these words answer the menu: by a key, or as cards or free text."""
        return self._fits_needed(words) or self.parse_reply(words)[0] is not None

    @property
    def is_naming_cards(self) -> bool:
        """Whether an entry waits for its cards: the table's words may be typed in their place."""
        return self._needs is not None and not self._is_modal

    def _fits_needed(self, words: str) -> bool:
        """Return whether these are cards or text for the answer that waits for them."""
        pick = None if self._needs is None else self._needs.pick
        # Text of any length: what is wrong with it is said by whoever asked.
        return isinstance(pick, TextPrompt) or (
            pick is not None and parse_pick(pick, words, self._translator) is not None
        )

    def parse_reply(self, words: str) -> tuple[Reply | None, str]:
        """Return the reply for the first word, or for its first characters if more keys follow in
        it (`2 7` or `27`), and the rest."""
        key, _, rest = words.partition(" ")
        reply = self.find_reply(key)
        if reply is None and self._now.menu is not None:
            menu = self._now.menu
            shorter = (one for one in (*menu.replies, *menu.attempts()) if isinstance(one.value, PartialPick))
            reply = next((one for one in shorter if key.startswith(one.key)), None)
            rest = rest if reply is None else words[len(reply.key) :]
        return reply, rest.strip()

    def expand_card_names(self, words: str) -> str | None:
        """Return the line that names these cards, if they are not among the usual choices (too low,
        for instance): the refusal then explains the rule.

        A single value stands for as many cards as are asked for, if it is a usual choice there.
        None if these are not cards.
        """
        replies = [] if self._now.menu is None else self._now.menu.replies
        for one in replies:
            if isinstance(one.pick, Pick) and one.pick.least == one.pick.most:
                usual = {shortcut.key for shortcut in one.pick.likely} & {*list_card_keys(one.pick)}
                cards = words if " " in words else " ".join([words] * one.pick.least)
                # Only where a value is among the usual keys a value alone means as many cards as
                # are asked for; elsewhere all of them must be named.
                if (usual or len(words.split()) == one.pick.least) and parse_pick(
                    one.pick, cards, self._translator
                ) is not None:
                    return f"{one.key} {cards}"
        return None

    def find_reply(self, key: str) -> Reply | None:
        """Return the reply for this key, or this word in the player's language or in English, also
        one that is not offered: the rules then say why. In keys of several letters (`KDQX`) case is
        ignored, in single letters it counts."""
        if self._now.menu is None:
            return None
        replies, attempts = self._now.menu.replies, self._now.menu.attempts
        for one in replies:
            if one.key == key or (
                one.typed and translate_to_english_command(key, self._translator, (one.typed,)) == one.typed
            ):
                return one
        # Letters that a television shows are capitals; single keys differ by case.
        alike = [one for one in replies if len(key) > 1 and one.key.casefold() == key.casefold()]
        if len(alike) == 1:
            return alike[0]
        rows = [*replies, *attempts()]
        row = match_key(key, [(one.key, *one.aliases) for one in rows]).row
        return None if row is None or not key else rows[row]

    def _leave_menu(self) -> PlainConversation | None:
        needed, self._needs = self._needs, None
        among_parts = self.is_naming_parts
        while self.is_naming_parts and self._now.take_back_answer():
            pass
        if self._is_modal and (needed is not None or (among_parts and not self.is_naming_parts)):
            return self.print_menu()
        for_now = self.find_reply(LEAVE_KEY)
        if for_now is None:
            self._out(self._translator(self._left))
        else:
            self._now.give_answer(for_now)
        return None

    @property
    def _is_modal(self) -> bool:
        return self._now.menu is not None and self._now.menu.entry_turn is None

    @property
    def is_naming_parts(self) -> bool:
        """Whether an entry is being named part by part."""
        return self._now.menu is not None and any(
            isinstance(one, PartsProgress) for one in self._now.menu.texts
        )

    def _print_prompt(self) -> PlainConversation:
        if self._now.menu is not None and self._now.menu.ask:
            self._out(self._now.menu.ask)
        return self

    def _prompt_for_pick(self, title: str, pick: Pick | TextPrompt) -> PlainConversation:
        """Print which cards can be named, and by which keys; or what is to be typed."""
        say = self._translator
        if isinstance(pick, TextPrompt):
            self._out(say("of_whom", who=title, what=pick.ask))
            return self
        named = [
            (key, say(f"card.{name}"))
            for key, (name, _) in zip(list_card_keys(pick), pick.cards, strict=True)
        ]
        # A number is typed as it is written: beside a key it would look like two cards.
        cards = ", ".join(words if words.isdecimal() else f"{key} {words}" for key, words in named)
        code = "plain.pick" if pick.least < pick.most else "plain.pick_exactly"
        self._out(say(code, what=title, least=pick.least, most=pick.most, cards=cards))
        return self

    def _print_entry_turn(self, entry_turn: EntryTurn, *, nothing: bool) -> None:
        if nothing:
            self._out(self._translator("choose.nothing"))
        if entry_turn.others:
            names = [
                f"{entry_turn.seats.index(name) + 1} {self._translator.display_name(name)}"
                for name in entry_turn.others
            ]
            self._out(self._translator("plain.others", players=tuple(names)))

    def _format_owned(self, owner: str, words: str) -> str:
        return self._translator("of_whom", who=owner, what=words)

    def _format_text(self, text: MenuText) -> list[str]:
        say = self._translator
        match text:
            case PointsBeforeAfter(points):
                return [
                    say(
                        "correct.points",
                        player=say.display_name(row.player),
                        before=format_score(row.before),
                        after=format_score(row.after),
                    )
                    for row in points
                ]
            case PartsProgress(what=what):
                return [self._format_owned(what, text.describe_remaining(say))]
            case Sentence(words, "question"):
                return [say("banner.question", text=words)]
            case Sentence(words, tone):
                return [] if tone == "title" else [words]


_LEAST_RANGE = 20
"""Fewest rows with consecutive numbers as keys that are printed as one range."""


def _group_ranges(rows: Sequence[Reply | Sentence]) -> list[list[Reply | Sentence]]:
    """Group rows with consecutive numbers of equal length as keys, if they are many; every other
    row stands alone."""
    groups: list[list[Reply | Sentence]] = []
    for row in rows:
        if groups and _follows(groups[-1][-1], row):
            groups[-1].append(row)
        else:
            groups.append([row])
    return [
        part
        for group in groups
        for part in ([group] if len(group) >= _LEAST_RANGE else [[row] for row in group])
    ]


def _follows(before: Reply | Sentence, row: Reply | Sentence) -> bool:
    if not isinstance(before, Reply) or not isinstance(row, Reply):
        return False
    # What is inserted has a letter before its number.
    number = before.key.lstrip(ascii_letters)
    letters = before.key.removesuffix(number)
    return number.isdecimal() and row.key == letters + str(int(number) + 1).zfill(len(number))


def parse_pick(pick: Pick | TextPrompt, words: str, translator: Translator) -> tuple[str, ...] | None:
    """Parse cards typed by keys or names, or free text; None if a word names none. Whether these
    cards may be named is for the rules to say."""
    if isinstance(pick, TextPrompt):
        return (words,) if pick.accepts((words,)) else None
    known: dict[str, str] = {}
    named = zip(list_card_keys(pick), (name for name, _ in pick.cards), strict=True)
    for key, name in (*((key, name) for name, key in pick.others), *named):
        known |= dict.fromkeys((translator(f"card.{name}").casefold(), name, key), name)
    cards = tuple(known.get(word.casefold(), "") for word in words.split())
    return None if "" in cards else cards
