"""What is pressed by hand to enter an act: the answers that a conversation with the table is given,
one after the other, and the keys of these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from companion.rules.contract import Pick, Request
from companion.texts import Translator
from companion.views.conversations import Cards, Dialogue, GivenAnswer, PartialPick, Reply
from companion.views.entry_options import PartByPart, Way, list_card_keys


def answers(begin: Callable[[], Dialogue], wanted: Request, translator: Translator) -> list[GivenAnswer]:
    """Return what a conversation in the words of `translator` is answered until `wanted` is
    entered; nothing is entered by it.

    Raises `LookupError` where nothing that it offers leads there.
    """
    talk, given = begin(), list[GivenAnswer]()
    menu = next(talk)
    while True:
        ways = ((reply, _leads_to(reply, wanted, translator)) for reply in menu.replies)
        found = next(((reply, way) for reply, way in ways if way is not None), None)
        if found is None:
            raise LookupError(wanted)
        reply, (cards, enters) = found
        given.append(GivenAnswer(menu, reply, cards))
        if enters:
            talk.close()
            return given
        menu = talk.send(reply.value)


def keys(given: Sequence[GivenAnswer]) -> Iterator[str]:
    """Give the keys for these answers, as the entry panel takes them."""
    for _, reply, cards in given:
        yield from reply.key
        if isinstance(reply.pick, Pick):
            names = [name for name, _ in reply.pick.cards]
            for card in cards or ():
                yield from list_card_keys(reply.pick)[names.index(card)]
            if reply.pick.least != reply.pick.most:
                yield "\r"


def same(one: Request, other: Request) -> bool:
    """Whether these ask for the same, in whatever order they name their cards."""
    cards = [sorted(getattr(each, "cards", None) or (), key=str) for each in (one, other)]
    return one == other or (
        type(one) is type(other)
        and "cards" in one.__struct_fields__
        and cards[0] == cards[1]
        and replace(one, cards=()) == replace(other, cards=())
    )


def _leads_to(reply: Reply, wanted: Request, translator: Translator) -> tuple[Cards, bool] | None:
    """The cards that are named with a reply on the way to `wanted`, and whether that enters it;
    None where it leads elsewhere."""
    value = reply.value
    if isinstance(value, PartByPart):
        way = value.find_way(wanted)
        if way is None or way.choice.parts is None:
            return None
        on_the_way = value.taken == tuple(way.choice.parts.parts[: len(value.taken)])
        ends = len(value.complete_ways) == 1
        return (None, ends) if on_the_way and (not ends or value.complete_ways[0] == way) else None
    if isinstance(value, PartialPick):
        rows = (_leads_to(row, wanted, translator) for row in value.list_replies(translator))
        return (None, False) if any(rows) else None
    if isinstance(value, Way):
        return (None, True) if same(value.choice.request, wanted) and not value.for_all else None
    if isinstance(reply.pick, Pick):
        cards = tuple(map(str, getattr(wanted, reply.pick.field, ()) or ()))
        known = {name for name, _ in reply.pick.cards}
        if known >= set(cards) and value(cards).choice.request == wanted:
            return cards, True
    return None
