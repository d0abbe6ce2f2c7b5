"""Enrolling a deck line by line, for screen readers and simple terminals."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from companion.enrolment.controls import Controls
from companion.enrolment.enroller import Enroller
from companion.enrolment.look import Progress
from companion.enrolment.photos import shown, shown_beside, shown_named
from companion.enrolment.spread import Names
from companion.rules.contract import Text
from companion.table.sightings import Health
from companion.texts import Translator
from companion.typed_lines import listening
from companion.views.conversations import Conversation
from companion.views.enrol_talks import naming, sitting
from companion.views.plain_conversation import InLines

_TICK = 0.1
_LETTERS = {"": "now", "n": "skip", "b": "back", "s": "sheet", "c": "count"}
"""What is typed for each deed of `Controls`."""


class PlainEnrolment:
    """A conversation in lines with one enrolment."""

    def __init__(self, controls: Controls, say: Translator, out: Callable[[str], object]) -> None:
        self._controls = controls
        self._say = say
        self._out = out
        self._before: Progress | None = None
        self._talk: InLines | None = None

    def look(self) -> bool:
        """Print what is new; tell whether there is anything left to show the camera."""
        if self._talk is not None:
            return True
        now, before = self._controls.enroller.progress, self._before
        self._before = now
        if now.note is not None and (
            before is None or now.note != before.note or now.captures != before.captures
        ):
            self._out(("! " if now.trouble else "") + self._say.say(now.note))
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
        """Take one line that was typed; return False when it says to stop."""
        if self._talk is not None:
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
        """Run the check of the views and print what it says."""
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
    """Hold the conversation until `q`, until all cards are there, or until the camera has `ended`.

    The end of the input ends it too, unless it goes on `unattended`: a film ends by itself.
    """
    print(say("enrol.plain.help"), flush=True)
    said: Text | None = None
    with listening() as lines:
        while True:
            over = ended()  # asked first: what the last frame gave is still printed
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
                time.sleep(_TICK)
            else:
                if line is not None and not plain.enter(line):
                    return


def name_pack(enroller: Enroller, say: Translator, out: Callable[[str], object]) -> InLines | None:
    """Begin to name the cards of a pack that was laid out."""

    def show(names: Names, which: Sequence[int]) -> Iterator[Text]:
        return shown_beside(enroller, names, which) if which else shown_named(enroller, names)

    talk = Conversation(lambda: naming(enroller, say, show))
    return InLines(talk, say, out, left="enrol.pack.not_yet", tells=True).begin()


def ask_what_becomes(enroller: Enroller, say: Translator) -> None:
    """Ask what becomes of a sitting; the end of the input leaves all as it is."""
    talk = Conversation(lambda: sitting(enroller, say))
    hold(InLines(talk, say, print, left="enrol.sitting.kept", tells=True).begin())


def hold(here: InLines | None) -> None:
    """Hold a conversation; the end of the input leaves it."""
    with listening() as lines:
        while here is not None:
            try:
                line = lines.next(_TICK)
            except EOFError:
                line = ""
            if line is not None:
                here = here.hear(line.strip())
