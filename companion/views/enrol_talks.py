"""The conversations of an enrolment: the names of a pack that was laid out in any order, and what
becomes of a sitting."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any, TypeAlias

from companion.enrolment.enroller import Enroller
from companion.enrolment.spread import Names
from companion.rules.contract import Text
from companion.texts import Translator
from companion.views.conversations import Dialogue, Menu, Reply, Saying, Typed

ShowCards: TypeAlias = Callable[[Names, Sequence[int]], Iterator[Text]]
"""Shows some of the cards that were laid out, by their places from 0 on, as they are named now, or
all of them (an empty sequence); gives what is to be told of that."""


def naming(enroller: Enroller, say: Translator, show: ShowCards) -> Dialogue:
    """Go through the names of a pack that was laid out: what looks alike first, side by side, then
    all of them; at the end they are taken."""
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
    """Ask what card `at` is: the likeliest first, then any, or none; returns the name, "" for
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
    """Take a sitting back, or let it stand for all older views of the same cards."""
    album = enroller.album
    older = len(album.older)
    rows = [Reply("b", say("enrol.sitting.back"), enroller.take_all_back)]
    if older:
        rows.insert(0, Reply("r", say("enrol.sitting.replace", count=older), enroller.replace))
    told = [Saying(say("enrol.sitting", count=len(album.taken)))]
    deed: Callable[[], Text] = yield Menu(told, rows, say("enrol.sitting.ask"))
    return deed()
