"""What people can do while they enrol: the terminal's lines and the screen's keys call the same
deeds by the same names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from companion.enrolment.advice import advice
from companion.enrolment.enroller import Enroller
from companion.rules.contract import Text


class Controls:
    """The deeds of one enrolment. `now`: takes what lies before the camera; of a folder of photos
    the next one comes then."""

    def __init__(self, enroller: Enroller, now: Callable[[], object] | None = None) -> None:
        self.enroller = enroller
        self.deeds: Mapping[str, Callable[[], object]] = {
            "now": now or enroller.now,
            "skip": enroller.skip,
            "back": enroller.back,
            "sheet": enroller.sheet,
            "count": enroller.count,
        }

    def go_to(self, name: str) -> bool:
        """Ask for the design `name` next; False where it is none of those asked for."""
        known = name in self.enroller.names
        if known:
            self.enroller.go_to(name)
        return known

    def test(self) -> Sequence[Text]:
        """Check the views against each other, and return what that comes to; takes some seconds."""
        return advice(self.enroller.test(), self.enroller.album)
