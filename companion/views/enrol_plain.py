"""Enrolling a deck line by line, for screen readers and simple terminals; and what becomes of a
sitting."""

from __future__ import annotations

import time
from collections.abc import Callable

from companion.enrolment.controls import Controls
from companion.enrolment.enroller import Enroller
from companion.enrolment.photos import shown
from companion.enrolment.progress import Progress
from companion.rules.contract import Text
from companion.table.sightings import Health
from companion.texts import Translator
from companion.typed_lines import listening
from companion.views.conversations import Conversation, Dialogue, Menu, Reply, Saying
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

    def look(self) -> bool:
        """Print what is new; tell whether there is anything left to show the camera."""
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
        if now.wanted is not None and (
            before is None or (now.wanted, now.mode) != (before.wanted, before.mode)
        ):
            count = self._say("enrol.progress", done=now.done, total=now.total)
            how = "enrol.lay" if now.mode == "one" else "enrol.lay_from"
            self._out(f"{self._say(how, card=now.wanted)} ({count})")
        return now.wanted is not None

    def enter(self, line: str) -> bool:
        """Take one line that was typed; return False when it says to stop."""
        letter, _, rest = line.strip().partition(" ")
        deeds: dict[str, Callable[[], object]] = {
            **{typed: self._controls.deeds[name] for typed, name in _LETTERS.items()},
            "t": self.tell,
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


def sitting(enroller: Enroller, say: Translator) -> Dialogue:
    """Take a sitting back, or let it stand for all older views of the same cards."""
    album = enroller.album
    older = len(album.older)
    rows = [Reply("b", say("enrol.sitting.back"), enroller.take_all_back)]
    if older:
        rows.insert(0, Reply("r", say("enrol.sitting.replace", count=older), enroller.replace))
    told = [Saying(say("enrol.sitting", count=len(album.taken)))]
    deed: Callable[[], Text] = yield Menu(told, rows, say("enrol.sitting.ask"))
    return deed()


def ask_what_becomes(enroller: Enroller, say: Translator) -> None:
    """Hold that conversation; the end of the input leaves all as it is."""
    talk = Conversation(lambda: sitting(enroller, say))
    here = InLines(talk, say, print, left="enrol.sitting.kept", tells=True).begin()
    with listening() as lines:
        while here is not None:
            try:
                line = lines.next(_TICK)
            except EOFError:
                return
            if line is not None:
                here = here.hear(line.strip())
