"""People come and go, in lines: the conversation of the plain view."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from companion.rules.people import DEEDS, NAMED, Deed, Seated, words_for_menu
from companion.texts import Translator
from companion.views.host import Host
from companion.views.plain_talk import Talk
from companion.views.plain_words import meant, word


class ComeAndGo:
    """`2 rename Bobby`, `2 stand_in Eve`, `1 swap 3`, `2 leave`, `join Zoé`: what can be done is
    listed, one line does it; in each language with its own words."""

    def __init__(self, host: Host, say: Translator, out: Callable[[str], object]) -> None:
        self._host = host
        self._say = say
        self._out = out

    def begin(self) -> Talk:
        """List the seats, and what may happen to each."""
        people, say = self._host.snapshot().people, self._say
        for number, player in enumerate(people.seats, 1):
            deeds = ", ".join(word(deed, say) for deed in people.possible(player))
            self._out(say("of_whom", who=f"{number} {say.name(player)}", what=deeds))
        for deed in DEEDS:
            example = _EXAMPLES[deed].format(deed=word(deed, say), name=say("plain.people.name"))
            what = words_for_menu(deed, say("people.somebody"))
            self._out(say("of_whom", who=example, what=what))
        self._out(say("plain.people"))
        return self

    def hear(self, words: str) -> Talk | None:
        """Make one change, or say why it cannot be; an empty line leaves it."""
        if not words:
            self._out(self._say("plain.left"))
            return None
        change = self._read(words)
        if change is None:
            self._out(self._say("plain.unfit", typed=words))
            return self
        refusal = self._host.seat(change)
        if refusal is not None:
            self._out(self._say.say(refusal.text))
            return self
        return None

    def _read(self, words: str) -> Seated | None:
        seats = self._host.snapshot().people.seats
        first, _, rest = words.partition(" ")
        if meant(first, self._say, DEEDS) == "join":
            return Seated("join", "", rest.strip())
        deed, _, name = rest.strip().partition(" ")
        known: Mapping[str, Deed] = {one: one for one in DEEDS}
        doing = known.get(meant(deed, self._say, DEEDS))
        seat, name = _seat(first, seats), name.strip()
        if seat is None or doing is None or bool(name) != (doing in NAMED or doing == "swap"):
            return None
        other = _seat(name, seats) if doing == "swap" else name
        return None if other is None else Seated(doing, seat, other)


_EXAMPLES: Mapping[Deed, str] = {
    "rename": "1 {deed} {name}",
    "stand_in": "1 {deed} {name}",
    "share": "1 {deed} {name}",
    "back": "1 {deed}",
    "swap": "1 {deed} 2",
    "leave": "1 {deed}",
    "stay": "1 {deed}",
    "join": "{deed} {name}",
}
"""How each is typed."""


def _seat(typed: str, seats: tuple[str, ...]) -> str | None:
    """Return the player of a seat's number."""
    return seats[int(typed[:3]) - 1] if typed.isdecimal() and 1 <= int(typed[:3]) <= len(seats) else None
