"""Enrolment in conversations: naming the cards of a pack laid out in any order, and keeping or
discarding a sitting. Also enrolment line by line, for screen readers and simple terminals."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any, TypeAlias

from companion.enrolment.enroller import Controls, Enroller
from companion.enrolment.look import Progress
from companion.enrolment.photos import shown, shown_beside, shown_named
from companion.enrolment.spread import Names
from companion.rules.contract import Text
from companion.table.sightings import Health
from companion.texts import Translator
from companion.typed_lines import listening
from companion.views.conversations import Conversation, Dialogue, Menu, Reply, Saying, Typed
from companion.views.plain_conversation import InLines

ShowCards: TypeAlias = Callable[[Names, Sequence[int]], Iterator[Text]]
"""Function that shows some of the cards laid out, by their places from 0, with their current names
(an empty sequence: all); yields messages about them."""


def naming(enroller: Enroller, say: Translator, show: ShowCards) -> Dialogue:
    """Let people check the names of a pack that was laid out: first pairs that look alike, side by
    side, then all; then enrol them."""
    spread, words = enroller.spread, enroller.album.words
    names = spread.names()
    for one, other in spread.alike(names):
        first, second = names[one], names[other]
        if first is None or second is None:
            continue
        asked = say(
            "enrol.pack.alike", first=one + 1, one=words(first), second=other + 1, other=words(second)
        )
        told = [Saying(asked, "question"), *_pictured(show(names, (one, other)), say)]
        rows = [Reply("y", say("enrol.pack.right"), False), Reply("x", say("enrol.pack.swap"), True)]
        if (yield Menu(told, rows, say("enrol.pack.answer"))):
            names = spread.renamed(names, one, second)
    wrong: list[Saying] = []
    while True:
        doubtful = spread.doubtful(names)
        rows = [_named(at, name, at in doubtful, enroller, say) for at, name in enumerate(names)]
        rows.append(Reply("ok", say("enrol.pack.keep", count=sum(map(bool, names))), None, tone="strong"))
        told = [*wrong, Saying(say("enrol.pack.all"), "title"), *_pictured(show(names, ()), say)]
        at = yield Menu(told, rows, say("enrol.pack.ask"), long=True)
        if at is None:
            return enroller.take_pack(names)
        name = yield from _other_name(enroller, names, at, say, show)
        fits = not name or name in spread.copies
        wrong = (
            [] if fits else [Saying(say("enrol.no_card", card=name, deck=enroller.album.deck.name), "bad")]
        )
        if fits:
            names = spread.renamed(names, at, name or None)


def _named(at: int, name: str | None, doubtful: bool, enroller: Enroller, say: Translator) -> Reply:
    words = say("enrol.pack.left_out") if name is None else say.say(enroller.album.words(name))
    return Reply(
        str(at + 1), f"{words}  ?" if doubtful and name else words, at, tone="quiet" if name is None else ""
    )


def _other_name(
    enroller: Enroller, names: Names, at: int, say: Translator, show: ShowCards
) -> Generator[Menu, Any, str]:
    """Ask which card is at `at`: the likeliest first, then any, or none; return its name, "" for
    none."""
    told = [Saying(say("enrol.pack.which", number=at + 1), "question"), *_pictured(show(names, (at,)), say)]
    likely = [name for name in enroller.spread.likely(at) if name != names[at]]
    rows = [Reply(str(n), say.say(enroller.album.words(name)), name) for n, name in enumerate(likely, 1)]
    typed = Typed(say("enrol.pack.typed"), 4)
    rows.append(Reply("n", say("enrol.pack.other"), lambda given: given[0].upper(), typed))
    rows.append(Reply("0", say("enrol.pack.leave_out"), ""))
    name: str = yield Menu(told, rows, say("plain.parts"))
    return name


def _pictured(texts: Iterator[Text], say: Translator) -> list[Saying]:
    return [Saying(say.say(text), "quiet") for text in texts]


def sitting(enroller: Enroller, say: Translator) -> Dialogue:
    """Discard a sitting, or let it replace all older views of the same cards."""
    album = enroller.album
    older = len(album.older)
    rows = [Reply("b", say("enrol.sitting.back"), enroller.take_all_back)]
    if older:
        rows.insert(0, Reply("r", say("enrol.sitting.replace", count=older), enroller.replace))
    told = [Saying(say("enrol.sitting", count=len(album.taken)))]
    deed: Callable[[], Text] = yield Menu(told, rows, say("enrol.sitting.ask"))
    return deed()


_TICK = 0.1
_LETTERS = {"": "now", "n": "skip", "b": "back", "s": "sheet", "c": "count"}
"""Letters to type, by the deeds of `Controls`."""


class PlainEnrolment:
    """An enrolment line by line."""

    def __init__(self, controls: Controls, say: Translator, out: Callable[[str], object]) -> None:
        self._controls = controls
        self._say = say
        self._out = out
        self._before: Progress | None = None
        self._talk: InLines | None = None

    def look(self) -> bool:
        """Print what is new; return whether there is anything left to show the camera."""
        if self._talk is not None:
            return True
        now, before = self._controls.enroller.progress, self._before
        self._before = now
        # A note may be the same for two cards in a row: the number of captures tells them apart.
        if now.note is not None and (
            before is None or now.note != before.note or now.captures != before.captures
        ):
            self._out(("! " if now.trouble else "") + self._say.say(now.note))
        # The numbers on the sheet are announced once for each new sheet.
        if now.mode == "sheet" and (before is None or now.sheet != before.sheet):
            for number, card in enumerate(now.sheet, 1):
                self._out(self._say("enrol.sheet.row", number=number, card=card))
            scene = self._controls.enroller.scene
            if now.sheet and scene is not None:
                for text in shown(self._controls.enroller.album, scene, "sheet"):
                    self._out(self._say.say(text))
        laid = 0 if before is None else before.laid
        if self._controls.enroller.spread.full and now.laid != laid:
            self._name()
        if (
            now.mode != "pack"
            and now.wanted is not None
            and (before is None or (now.wanted, now.mode) != (before.wanted, before.mode))
        ):
            count = self._say("enrol.progress", done=now.done, total=now.total)
            how = "enrol.lay" if now.mode == "one" else "enrol.lay_from"
            self._out(f"{self._say(how, card=now.wanted)} ({count})")
        return now.wanted is not None

    def enter(self, line: str) -> bool:
        """Handle one typed line; return False to stop."""
        if self._talk is not None:
            # While cards are being named, every line answers that conversation.
            self._talk = self._talk.hear(line.strip())
            return True
        letter, _, rest = line.strip().partition(" ")
        deeds: dict[str, Callable[[], object]] = {
            **{typed: self._controls.deeds[name] for typed, name in _LETTERS.items()},
            "t": self.tell,
            "p": self._pack,
            "g": lambda: self._go_to(rest.strip()),
            "?": lambda: self._out(self._say("enrol.plain.help")),
        }
        if letter == "q":
            return False
        deeds.get(letter, lambda: self._out(self._say("enrol.plain.unknown", typed=line.strip())))()
        return True

    def tell(self) -> None:
        """Check the views and print the result."""
        self._out(self._say("enrol.testing"))
        for text in self._controls.test():
            self._out(self._say.say(text))

    def _pack(self) -> None:
        if self._controls.enroller.pack():
            self._name()

    def _name(self) -> None:
        self._talk = name_pack(self._controls.enroller, self._say, self._out)

    def _go_to(self, name: str) -> None:
        if not self._controls.go_to(name):
            self._out(self._say("enrol.plain.unknown", typed=name))


def run(
    plain: PlainEnrolment,
    ended: Callable[[], bool],
    health: Callable[[], Health | None],
    say: Translator,
    *,
    unattended: bool = False,
) -> None:
    """Run the conversation until `q`, until all cards are enrolled, or until the camera has
    `ended`.

    The end of the input stops it too, unless it is `unattended`: a video ends by itself.
    """
    print(say("enrol.plain.help"), flush=True)
    said: Text | None = None
    with listening() as lines:
        while True:
            over = ended()  # first, so that results of the last frame are still printed
            now = health()
            if now is not None and now.text != said:
                said = now.text
                print(("! " if now.state == "lost" else "") + say.say(said), flush=True)
            if not plain.look() or over:
                return
            try:
                line = lines.next(_TICK)
            except EOFError:
                if not unattended:
                    return
                # Without an input nothing else slows this loop down.
                time.sleep(_TICK)
            else:
                if line is not None and not plain.enter(line):
                    return


def name_pack(enroller: Enroller, say: Translator, out: Callable[[str], object]) -> InLines | None:
    """Start the conversation that names the cards of a pack."""

    def show(names: Names, which: Sequence[int]) -> Iterator[Text]:
        return shown_beside(enroller, names, which) if which else shown_named(enroller, names)

    talk = Conversation(lambda: naming(enroller, say, show))
    return InLines(talk, say, out, left="enrol.pack.not_yet", tells=True).begin()


def ask_what_becomes(enroller: Enroller, say: Translator) -> None:
    """Ask whether to keep a sitting; at the end of the input everything stays as it is."""
    talk = Conversation(lambda: sitting(enroller, say))
    hold(InLines(talk, say, print, left="enrol.sitting.kept", tells=True).begin())


def hold(here: InLines | None) -> None:
    """Run a conversation in lines; the end of the input leaves it."""
    with listening() as lines:
        while here is not None:
            try:
                line = lines.next(_TICK)
            except EOFError:
                # An empty line leaves a conversation.
                line = ""
            if line is not None:
                here = here.hear(line.strip())
