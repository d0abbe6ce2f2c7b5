"""What lies where on the demo's table after some gestures, and the gestures that put it right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Literal, TypeAlias

from companion.demo.actions import Gesture, PlayerAction, SimulatedPlayers, same
from companion.rules.acts import Act
from companion.rules.session import Session

Card: TypeAlias = "tuple[str, Literal['up', 'down']]"
"""A card id and the face that is up."""


def lying(gestures: Iterable[Gesture]) -> dict[str, list[Card]]:
    """Return what lies in each zone that was touched, oldest first."""
    table: dict[str, list[Card]] = {}
    for gesture in gestures:
        here = table.setdefault(gesture.zone, [])
        match gesture.kind:
            case "lay":
                here.append((gesture.card, gesture.face))
            case "take":
                here[:] = _without(here, gesture.card)
            case "clear":
                here.clear()
            case "turn":
                _turn(here, gesture.card)
            case "press":
                pass
    return table


def put_right(
    before: Iterable[Gesture], after: Iterable[Gesture], disturbed: Collection[str] = ()
) -> list[Gesture]:
    """List the gestures that lead from what lies after `before` to what lies after `after`.

    `disturbed`: zones in which nobody knows how far a hand had come; they are cleared and laid
    anew.
    """
    old, new = lying(before), lying(after)
    gestures: list[Gesture] = []
    for zone in dict.fromkeys((*old, *new, *disturbed)):
        there, wanted = old.get(zone, []), new.get(zone, [])
        surplus = Counter(there) - Counter(wanted)
        turned = {card for card, _ in surplus} & {card for card, _ in Counter(wanted) - Counter(there)}
        if zone in disturbed or turned or (surplus and not wanted):
            gestures += [Gesture("clear", zone), *_lays(zone, wanted)]
        else:
            gestures += [Gesture("take", zone, card) for card, _ in surplus.elements()]
            gestures += _lays(zone, list((Counter(wanted) - Counter(there)).elements()))
    return gestures


def retraced(players: SimulatedPlayers, session: Session, acts: Iterable[Act]) -> list[tuple[Gesture, ...]]:
    """Return what hands did in each of these acts, by asking the players once more; `session`: a
    new one.

    What the table itself did otherwise than they would have (a donkey whose sticker was another's)
    was done by hands all the same.
    """
    laid: list[tuple[Gesture, ...]] = []
    for number, act in enumerate(acts):
        action = _action_of(players, number, session)
        if action is None or not same(action.request, act.request):
            of_the_table = getattr(act.request, "player", None) is None
            action = players.action(session.acts(), session.view(), act.request) if of_the_table else None
        laid.append(() if action is None else action.gestures)
        session.act(act.request)
    return laid


def _action_of(players: SimulatedPlayers, number: int, session: Session) -> PlayerAction | None:
    acts, view = session.acts(), session.view()
    wish = players.chosen.get(number)
    return players.next(acts, view) if wish is None else players.action(acts, view, wish)


def _lays(zone: str, cards: Sequence[Card]) -> list[Gesture]:
    return [Gesture("lay", zone, card, face) for card, face in cards]


def _without(here: Sequence[Card], name: str) -> list[Card]:
    """Take the newest card of that name away (of any name where none is given)."""
    place = _newest(here, name)
    return [card for number, card in enumerate(here) if number != place]


def _turn(here: list[Card], name: str) -> None:
    """Turn the card of that name over, of equal ones one that lies face down."""
    down = next((number for number, card in enumerate(here) if card == (name, "down")), None)
    place = _newest(here, name) if down is None else down
    if place is not None:
        card, face = here[place]
        here[place] = (card, "up" if face == "down" else "down")


def _newest(here: Sequence[Card], name: str) -> int | None:
    places = [number for number, (card, _) in enumerate(here) if name in ("", card)]
    return places[-1] if places else None
