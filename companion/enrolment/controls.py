"""What people can do while they enrol, and what the check of their views comes to, in words, with
what to do about it.

The terminal's lines and the screen's keys call the same deeds by the same names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from companion.enrolment.album import Album
from companion.enrolment.enroller import Enroller
from companion.rules.contract import Text
from vision.decks.enrol import MOST_VIEWS
from vision.decks.separation import Separation

SHOWN = 12
"""How many pairs, and how many single designs, are named; then only their number."""


def advice(test: Separation | None, album: Album) -> list[Text]:
    """Say which designs the camera may take for each other and of which it is not sure, most alike
    first; then missing copies.

    More views help as long as a design has few; then only a marker does.
    """
    if test is None:
        return [Text("enrol.test.nothing")]
    said = [_pair(one, other, like, test, album) for one, other, like in test.look_alikes[:SHOWN]]
    if len(test.look_alikes) > SHOWN:
        said.append(Text("enrol.test.more", {"count": len(test.look_alikes) - SHOWN}))
    paired = {name for pair in test.look_alikes for name in pair[:2]}
    weak = [name for name in test.unsure if name not in paired]
    if weak:
        names = [album.words(name) for name in weak[:SHOWN]]
        said.append(Text(f"enrol.test.unsure.{_cure(weak, test)}", {"names": names}))
    if not said:
        said.append(Text("enrol.test.fine", {"designs": len(test.views), "views": sum(test.views.values())}))
    return [*said, *album.short]


def _pair(one: str, other: str, like: float, test: Separation, album: Album) -> Text:
    words = {"one": album.words(one), "other": album.words(other), "percent": round(100 * min(like, 1.0))}
    return Text(f"enrol.test.alike.{_cure([one, other], test)}", words)


def _cure(names: list[str], test: Separation) -> str:
    """Return what helps: further `views`, or a `marker` where all have as many as are kept."""
    return "marker" if all(test.views.get(name, 0) >= MOST_VIEWS for name in names) else "views"


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
            "pack": enroller.pack,
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
